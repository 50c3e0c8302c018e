// counterfoil.yaml: what a project may decide about its recording, in the repository, where everybody sees it. It is
// parsed into one form here; the caller brings the YAML parser. session.start has the hash of what it says.
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256Hex } from '#platform';
import { type Json, type JsonObject, ParseError } from '../core/index.ts';
import { type GrantTexts, parseGrantTexts, REPLAY_WORDS, type ReplayWord } from '../format/index.ts';
import type { Archiving, Retention } from '../ledger/index.ts';
import { type ClaimPolicy, DEFAULT_POLICY, parseClaimPolicy, parseGrants } from '../policy/index.ts';
import { parseRedactOptions, type RedactOptions } from '../redact/index.ts';
import { type AnchorConfig, NO_ANCHOR } from '../session/index.ts';
import { parseAnchor } from './anchor.ts';
import { lineOf } from './line.ts';
import { parseArchiving, parseRetention } from './upkeep.ts';

export const CONFIG_FILE = 'counterfoil.yaml';
/** A larger one is not read. */
const MAX_CONFIG = 256 * 1024;
const LONGEST_REDACTION = 2048;

export interface ContentPolicy {
  /** What becomes of prompts, arguments and outputs. */
  readonly content: 'keep' | 'encrypt' | 'none';
  /** How they are hashed. */
  readonly hashes: 'salted' | 'plain';
}

export interface Config extends ContentPolicy {
  readonly redact: RedactOptions;
  /** Which claims need which evidence. */
  readonly gate: ClaimPolicy;
  /** How long content is kept; null where the file says nothing about it. */
  readonly retention: Retention | null;
  /** When segments of the log are closed and gzipped; null where the file says nothing about it. */
  readonly archive: Archiving | null;
  /** What sessions are bound to outside of the ledger; nothing where the file says nothing about it. */
  readonly anchor: AnchorConfig;
  /** What it says of the harness pack, as it stands; null where it says nothing. */
  readonly pack: Json;
  /** What agents may do, as the project proposes it; null where it proposes nothing. It counts once it was accepted. */
  readonly grants: GrantTexts | null;
  /** Whether sessions are kept so that they can be replayed, as the project proposes it. It counts once it was accepted. */
  readonly replay: ReplayWord;
  /** SHA-256 of the file; null where there is none. */
  readonly hash: string | null;
}

export const DEFAULT_CONFIG: Config = {
  content: 'keep',
  hashes: 'salted',
  redact: {},
  gate: DEFAULT_POLICY,
  retention: null,
  archive: null,
  anchor: NO_ANCHOR,
  pack: null,
  grants: null,
  replay: 'none',
  hash: null,
};

const MEMBERS = [
  'content',
  'hashes',
  'redact',
  'gate',
  'retention',
  'archive',
  'anchor',
  'pack',
  'grants',
  'replay',
];

/** Throws ParseError that says what is not understood. Nothing is ever guessed: a typing error must not switch a rule off. */
export function parseConfig(value: unknown, hash: string, file = CONFIG_FILE): Config {
  // An empty file is one that says nothing.
  if (value === null || value === undefined) return { ...DEFAULT_CONFIG, hash };
  if (typeof value !== 'object' || Array.isArray(value))
    throw new ParseError('BAD_MEMBER', `must be a mapping of ${MEMBERS.join(', ')}`, file);
  const members = value as Record<string, unknown>;
  const unknown = Object.keys(members).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined)
    throw new ParseError(
      'BAD_MEMBER',
      `unknown; remove it, or write one of ${MEMBERS.join(', ')}`,
      `${file}: ${unknown}`,
    );
  return {
    content: oneOf(members.content ?? 'keep', ['keep', 'encrypt', 'none'], `${file}: content`),
    hashes: oneOf(members.hashes ?? 'salted', ['salted', 'plain'], `${file}: hashes`),
    redact: parseRedactOptions(members.redact ?? {}, `${file}: redact`),
    gate:
      members.gate === undefined ? DEFAULT_POLICY : parseClaimPolicy(members.gate as Json, `${file}: gate`),
    retention:
      members.retention === undefined ? null : parseRetention(members.retention, `${file}: retention`),
    archive: members.archive === undefined ? null : parseArchiving(members.archive, `${file}: archive`),
    anchor: parseAnchor(members.anchor, `${file}: anchor`, dirname(file)),
    pack: (members.pack ?? null) as Json,
    grants: members.grants === undefined ? null : grantsOf(members.grants, `${file}: grants`),
    replay: oneOf(members.replay ?? 'none', REPLAY_WORDS, `${file}: replay`),
    hash,
  };
}

/** Either list may be left out. */
function grantsOf(value: unknown, path: string): GrantTexts {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ParseError('BAD_MEMBER', 'must be a mapping of allow and deny', path);
  const grants = parseGrantTexts({ allow: [], deny: [], ...(value as JsonObject) }, path);
  parseGrants(grants, path);
  return grants;
}

/** What a redactor's rules are called in an entry: their own words, or the hash of those where they are many. */
export function redactionName(id: string): string {
  return id.length <= LONGEST_REDACTION ? id : `sha256:${sha256Hex(id)}`;
}

function oneOf<T extends string>(value: unknown, words: readonly T[], path: string): T {
  const found = words.find((word) => word === value);
  if (found === undefined) throw new ParseError('BAD_MEMBER', `must be one of ${words.join(', ')}`, path);
  return found;
}

/** None there, or in a directory that can't be: its name is a host's word, and may be too long or hold a NUL. */
const ABSENT: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'];

export interface ReadConfigOptions {
  /** May it be a link to somewhere else? Not where who reads it may read what the agent may not. */
  readonly links?: boolean;
}

/** The default where the project has none. Throws ParseError for one that is there and can't be understood. */
export function readConfig(
  root: string,
  parseYaml: (text: string) => unknown,
  { links = true }: ReadConfigOptions = {},
): Config {
  const path = join(root, CONFIG_FILE);
  let text: string;
  try {
    // Nearly always there is none, and an error takes far longer to make than to be told.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return DEFAULT_CONFIG;
    text = readPlain(path, links);
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    if (ABSENT.includes(code)) return DEFAULT_CONFIG;
    if (error instanceof ParseError) throw error;
    throw new ParseError('MALFORMED', `can't be read (${message}). Make it readable, or remove it`, path);
  }
  return parseConfigText(text, path, parseYaml);
}

/** Throws ParseError that names the file, the line as far as it can be told, and what is wrong there. */
export function parseConfigText(text: string, file: string, parseYaml: (text: string) => unknown): Config {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (cause) {
    // The parser's own word, which ends in the line and shows it below.
    const [why = ''] = (cause as Error).message.split('\n');
    throw new ParseError('MALFORMED', `not YAML: ${why.replace(/:$/, '')}`, file);
  }
  try {
    return parseConfig(value, sha256Hex(text), file);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const { code, message, path } = error;
    const member = path.slice(file.length + 2);
    const line = lineOf(text, member);
    if (line === null) throw error;
    throw new ParseError(code, message.slice(path.length + 2), `${file}, line ${line}: ${member}`);
  }
}

/** An agent can put anything there: a pipe would never come to its end, and the hook with it. */
function readPlain(path: string, links: boolean): string {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const fd = openSync(path, O_RDONLY | O_NONBLOCK | (links ? 0 : O_NOFOLLOW));
  try {
    const found = fstatSync(fd);
    if (!found.isFile())
      throw new ParseError('MALFORMED', 'not a plain file. Ask the user to remove it', path);
    if (found.size > MAX_CONFIG) throw new ParseError('TOO_LONG', `more than ${MAX_CONFIG} bytes`, path);
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}
