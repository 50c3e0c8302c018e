// Makes the pack of a project: finds what shapes an agent there, turns settings into names and rules, and refuses to
// carry a secret away. The same files give the same pack, wherever and whenever it is made.
import { basename } from 'node:path';
import { hmacSha256, sha256Hex, utf8Decode, utf8Encode } from '#platform';
import { canonicalize, encodeHex, globMatcher, type Json, ParseError } from '../core/index.ts';
import {
  buildPack,
  encodeToolPolicy,
  fileHashes,
  type HarnessPack,
  manifestOf,
  PackError,
  type PackSettings,
  sortedFiles,
  TOOL_POLICY_FILE,
  type ToolPolicy,
  type TreeFile,
  VARIABLES_FILE,
} from '../format/index.ts';
import type { Redactor } from '../redact/index.ts';
import { PACK_FILE } from './archive.ts';
import { CODEX_RULES, deniedByCodexRules } from './codex-rules.ts';
import { packSettings } from './config-files.ts';
import { deniedBy } from './denied-tools.ts';
import { PASSED_OVER, type Place, placeOf, type SettingsFormat } from './harness-files.ts';
import { type FoundFile, readWhole, walkFiles } from './walk.ts';

export interface PackParts {
  readonly root: string;
  readonly settings: PackSettings;
  /** How each format of settings is read. Throws for what is not of it. */
  readonly readers: Readonly<Record<SettingsFormat, (text: string) => unknown>>;
  readonly redactor: Redactor;
  /** Values that are told by their checksum under the key; null: by their names alone. */
  readonly variables: {
    readonly key: Uint8Array;
    readonly values: Readonly<Record<string, string | undefined>>;
  } | null;
  /** Take files along that seem to hold a secret. */
  readonly allowSecrets: boolean;
}

const NO_TEMPLATE = 'none';
const DEFAULT_ID = 'harness';

export function createPack(parts: PackParts): HarnessPack {
  const { settings } = parts;
  const files = sortedFiles(findFiles(parts));
  if (files.every(({ path }) => path === TOOL_POLICY_FILE || path === VARIABLES_FILE))
    throw new PackError(
      'NOTHING_FOUND',
      `${basename(parts.root)} has nothing that shapes an agent: no AGENTS.md or CLAUDE.md, no settings of an agent, and nothing under pack in counterfoil.yaml.`,
    );
  if (parts.variables !== null) assertWithoutKey(files, parts.variables.key);
  const templates = files.filter(({ path }) => path.startsWith('template/'));
  const templateVersion =
    templates.length === 0 ? NO_TEMPLATE : `sha256:${sha256Hex(canonicalize(fileHashes(templates)))}`;
  return buildPack(manifestOf(settings, { id: DEFAULT_ID, templateVersion }), files);
}

function findFiles(parts: PackParts): TreeFile[] {
  const { root, settings } = parts;
  const excluded = globMatcher(settings.exclude);
  const groups = [
    ['static', globMatcher(settings.include)],
    ['template', globMatcher(settings.templates)],
    ['verification', globMatcher(settings.verificationFiles)],
  ] as const;
  const wants = (path: string): boolean =>
    basename(path) !== PACK_FILE &&
    !excluded(path) &&
    (placeOf(path) !== null || groups.some(([, matches]) => matches(path)));

  const files: TreeFile[] = [];
  const policies: ToolPolicy[] = [ownPolicy(settings)];
  const names = new Set<string>(settings.env);
  for (const found of walkFiles(root, PASSED_OVER, wants)) {
    if (!wants(found.path)) continue;
    const folders = new Set<string>(
      groups.filter(([, matches]) => matches(found.path)).map(([folder]) => folder),
    );
    const place = placeOf(found.path);
    if (place?.folder === 'config') files.push(configFile(parts, found, place, policies, names));
    else if (place !== null) folders.add(place.folder);
    if (folders.size === 0) continue;
    const bytes = readWhole(found.at, found.path);
    if (!parts.allowSecrets) assertNoSecret(parts.redactor, found.path, bytes);
    if (CODEX_RULES.test(found.path)) policies.push(deniedByCodexRules(Buffer.from(bytes).toString()));
    for (const folder of folders) files.push({ path: `${folder}/${found.path}`, bytes });
  }
  files.push(jsonFile(TOOL_POLICY_FILE, encodeToolPolicy(policies)));
  if (names.size > 0) files.push(jsonFile(VARIABLES_FILE, checksums(parts, [...names])));
  return files;
}

function ownPolicy({ tools }: PackSettings): ToolPolicy {
  const path = 'counterfoil.yaml: pack.tools';
  const refuse = (what: string): never => {
    throw new ParseError('BAD_MEMBER', what, path);
  };
  const unknown = Object.keys(tools).find((name) => name !== 'deny' && name !== 'arguments');
  if (unknown !== undefined) refuse(`${unknown} is unknown; write deny or arguments`);
  const { deny = [], arguments: rules = [] } = tools;
  if (!Array.isArray(deny) || !deny.every((each) => typeof each === 'string'))
    refuse('deny must list names of tools');
  if (!Array.isArray(rules) || !rules.every(isRule))
    refuse(
      'arguments must list rules of the form {tool, X: TEXT}, where X is matches, path, reads, writes or domain',
    );
  return { deny: deny as readonly string[], arguments: rules as unknown as ToolPolicy['arguments'] };
}

function isRule(value: Json): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { tool, ...looksAt } = value as Record<string, Json>;
  const [member = '', ...more] = Object.keys(looksAt);
  const isKnown =
    ['matches', 'path', 'reads', 'writes', 'domain'].includes(member) && typeof looksAt[member] === 'string';
  return typeof tool === 'string' && isKnown && more.length === 0;
}

function configFile(
  { readers, redactor }: PackParts,
  found: FoundFile,
  { format }: Extract<Place, { folder: 'config' }>,
  policies: ToolPolicy[],
  names: Set<string>,
): TreeFile {
  let value: Json;
  try {
    const text = utf8Decode(readWhole(found.at, found.path));
    // Dates and the like become what JSON makes of them.
    value = JSON.parse(JSON.stringify(readers[format](text) ?? null)) as Json;
  } catch (error) {
    if (error instanceof PackError) throw error;
    throw new PackError('BAD_SETTINGS', `${found.path} can't be read: ${(error as Error).message}`);
  }
  const packed = packSettings(value, redactor);
  policies.push(deniedBy(found.path, packed.value));
  for (const name of packed.variables) names.add(name);
  return jsonFile(`config/${found.path}${found.path.endsWith('.json') ? '' : '.json'}`, packed.value);
}

function jsonFile(path: string, value: Json): TreeFile {
  return { path, bytes: utf8Encode(canonicalize(value)) };
}

/** Each name with the checksum of its value, or null where no key was given or it has no value. */
function checksums({ variables }: PackParts, names: readonly string[]): Json {
  return Object.fromEntries(
    [...names].sort().map((name) => {
      const value = variables?.values[name];
      const known = variables !== null && value !== undefined;
      return [name, known ? encodeHex(hmacSha256(variables.key, utf8Encode(`${name}=${value}`))) : null];
    }),
  );
}

/** With the key beside them, checksums of values that can be guessed tell those values. */
function assertWithoutKey(files: readonly TreeFile[], key: Uint8Array): void {
  const text = Buffer.from(key).toString('latin1').trim();
  const found = files.find(({ bytes }) => Buffer.from(bytes).toString('latin1').includes(text));
  if (found !== undefined)
    throw new PackError(
      'SECRET',
      `${found.path} holds the key given with --env-key, which must stay out of the pack. Keep the key outside the project, or list it under pack.exclude in counterfoil.yaml.`,
    );
}

function assertNoSecret(redactor: Redactor, path: string, bytes: Uint8Array): void {
  let text: string;
  try {
    text = utf8Decode(bytes);
  } catch {
    return; // Not a text.
  }
  const counts = {};
  redactor.text(text, counts);
  const rules = Object.keys(counts);
  if (rules.length > 0)
    throw new PackError(
      'SECRET',
      `${path} seems to hold a secret (${rules.join(', ')}). Take it out, list the file under pack.exclude in counterfoil.yaml, or pass --allow-secrets if it is not a secret.`,
    );
}
