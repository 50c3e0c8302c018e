// What a project says of its pack, under `pack` in counterfoil.yaml. `pack: auto` says no more than that every session is
// bound to the pack of its project as it begins.
import { type Json, type JsonObject, ParseError } from '../core/index.ts';
import { type PackManifest, parseVerification, type Verification } from './harness-pack.ts';
import { asObject } from './members.ts';

export interface PackSettings {
  /** Is every session bound to the pack of its project? */
  readonly auto: boolean;
  readonly id: string | null;
  readonly templateVersion: string | null;
  /** Globs of files that belong in static/, besides what is found. */
  readonly include: readonly string[];
  /** Globs of files that belong in template/. */
  readonly templates: readonly string[];
  /** Globs of files that are left out. */
  readonly exclude: readonly string[];
  readonly outputs: readonly string[];
  readonly tools: JsonObject;
  /** Names of environment variables, besides those that settings name. */
  readonly env: readonly string[];
  readonly verification: Verification | null;
  /** Globs of the files that the verification needs: tests, rubric, runner configuration. */
  readonly verificationFiles: readonly string[];
}

export const NO_SETTINGS: PackSettings = {
  auto: false,
  id: null,
  templateVersion: null,
  include: [],
  templates: [],
  exclude: [],
  outputs: [],
  tools: {},
  env: [],
  verification: null,
  verificationFiles: [],
};

const MEMBERS = [
  'auto',
  'id',
  'template_version',
  'include',
  'templates',
  'exclude',
  'outputs',
  'tools',
  'env',
  'verification',
];
const MOST = 256;
const DEFAULT_TIMEOUT = 300;

/** Throws ParseError that names the member. */
export function parsePackSettings(value: Json, path = 'counterfoil.yaml: pack'): PackSettings {
  if (value === null) return NO_SETTINGS;
  if (value === 'auto') return { ...NO_SETTINGS, auto: true };
  const members = asObject(value, path);
  known(members, MEMBERS, path);
  const { verification } = members;
  const parsed = verification === undefined ? null : verificationOf(verification, `${path}.verification`);
  return {
    auto: members.auto === undefined ? false : flagOf(members.auto, `${path}.auto`),
    id: wordOf(members.id, `${path}.id`),
    templateVersion: wordOf(members.template_version, `${path}.template_version`),
    include: wordsOf(members.include, `${path}.include`),
    templates: wordsOf(members.templates, `${path}.templates`),
    exclude: wordsOf(members.exclude, `${path}.exclude`),
    outputs: wordsOf(members.outputs, `${path}.outputs`),
    tools: members.tools === undefined ? {} : asObject(members.tools, `${path}.tools`),
    env: wordsOf(members.env, `${path}.env`),
    verification: parsed?.verification ?? null,
    verificationFiles: parsed?.files ?? [],
  };
}

/** In settings, a list of files stands beside what the manifest holds, and what has a default may be left out. */
function verificationOf(
  value: Json,
  path: string,
): { readonly verification: Verification; readonly files: readonly string[] } {
  const { files, ...members } = asObject(value, path);
  const defaults =
    members.method === 'tests' ? { report: 'tap', report_file: null, timeout_seconds: DEFAULT_TIMEOUT } : {};
  const verification = parseVerification({ ...defaults, ...members }, path);
  return {
    verification:
      verification.method === 'rubric'
        ? { ...verification, rubric: `verification/${verification.rubric}` }
        : verification,
    files: [
      ...wordsOf(files, `${path}.files`),
      ...(verification.method === 'rubric' ? [verification.rubric] : []),
    ],
  };
}

/** What the manifest says of it. */
export function manifestOf(
  settings: PackSettings,
  fallback: Pick<PackManifest, 'id' | 'templateVersion'>,
): PackManifest {
  return {
    id: settings.id ?? fallback.id,
    templateVersion: settings.templateVersion ?? fallback.templateVersion,
    outputs: settings.outputs,
    verification: settings.verification,
  };
}

function known(members: JsonObject, names: readonly string[], path: string): void {
  const unknown = Object.keys(members).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new ParseError('BAD_MEMBER', `not known; write one of ${names.join(', ')}`, `${path}.${unknown}`);
}

function flagOf(value: Json, path: string): boolean {
  if (typeof value !== 'boolean') throw new ParseError('BAD_MEMBER', 'must be true or false', path);
  return value;
}

function wordOf(value: Json | undefined, path: string): string | null {
  if (value === undefined) return null;
  if (typeof value !== 'string' || value === '' || value.length > 128)
    throw new ParseError('BAD_MEMBER', 'must be a text of 1 to 128 characters', path);
  return value;
}

function wordsOf(value: Json | undefined, path: string): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > MOST || !value.every((each) => typeof each === 'string'))
    throw new ParseError('BAD_MEMBER', `must be a list of at most ${MOST} texts`, path);
  return value as readonly string[];
}
