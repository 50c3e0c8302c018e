// How a ledger is recorded to: the mode, the service's port, the gateway's upstreams, and where its notes and keys are.
// One small file in the ledger's directory, where an agent that works in the project does not come across it. The file
// of a `.foil/`, which lies in the work tree, is kept beside its record in the state directory (here.ts), because a
// checkout can replace any file of a work tree. Commands that a person runs write it; hooks only read it.
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { isHash, ParseError, StoreError } from '../core/index.ts';
import { SETTINGS_FILE } from '../format/index.ts';
import { type Environment, hereSettings, isHere, standingOf } from './here.ts';
import { keepMode, readKeptMode } from './kept-mode.ts';
import { isMode, MODES, type Mode, strictest } from './mode.ts';

export interface Settings {
  readonly mode: Mode;
  /** Where the service listens on 127.0.0.1; null where it only has its socket. */
  readonly port: number | null;
  /** Of the gateway, besides those that it has: `NAME=URL`. */
  readonly upstreams?: readonly string[];
  /** Independent gateways that are known here, and the one that all model calls go through unless a session says another. */
  readonly gateways?: readonly KnownGateway[];
  readonly through?: string;
  /**
   * The directory of the private keys, and the one that notes are left under. They stand here so that no variable in the
   * environment of a hook can name others: a host may set that environment from a file of the repository.
   */
  readonly keys?: string;
  readonly runtime?: string;
  /** SHA-256 of the sources in a project's `anchor` that a person accepted. */
  readonly anchor?: string;
}

/** An independent gateway as this user reaches it. */
export interface KnownGateway {
  readonly url: string;
  /** Holds the token that it asks for. */
  readonly tokenFile: string;
  /** Certificates to trust for it instead of the system's. */
  readonly caFile?: string;
}

export const DEFAULT_SETTINGS: Settings = { mode: 'observe', port: null };

/** Does the environment say that nothing is to be recorded? foil.cjs asks the same before anything is loaded. */
export function isFoilOff(env: Readonly<Record<string, string | undefined>>): boolean {
  return /^(?:off|0|no|false)$/i.test(env.FOIL ?? '');
}

/** Such a file is far shorter. */
const LONGEST = 65_536;

/**
 * The default where there is none, and of a `.foil/` that is not this user's; never laxer than the mode that is kept
 * beside it (kept-mode.ts). Throws ParseError for a file that is there and says something else, or that somebody else could
 * have written.
 */
export function readSettings(ledger: string, env: Environment = process.env): Settings {
  const path = settingsFile(ledger, env);
  if (path === null) return DEFAULT_SETTINGS;
  const text = textOf(path, ledger);
  const kept = readKeptMode(ledger, env);
  if (text === undefined) return kept === null ? DEFAULT_SETTINGS : { ...DEFAULT_SETTINGS, mode: kept };
  const settings = parseSettings(text, path);
  return kept === null ? settings : { ...settings, mode: strictest(settings.mode, kept) };
}

/** The mode in force. What can't be read is held to be no laxer than guard. */
export function modeOrGuard(ledger: string, env: Environment = process.env): Mode {
  try {
    return readSettings(ledger, env).mode;
  } catch {
    return 'guard';
  }
}

/** Is there a settings file that counts? What can't be looked at is not seen. */
export function hasSettings(ledger: string, env: Environment = process.env): boolean {
  const path = settingsFile(ledger, env);
  return path !== null && existsSync(path);
}

/** Undefined where there is no such file. */
function textOf(path: string, ledger: string): string | undefined {
  try {
    // Quicker than an error where there is none; one that may not be looked at is still an error.
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found === undefined ? undefined : readOwned(path, ledger);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'ELOOP') throw new ParseError('MALFORMED', 'a link instead of a file', path);
    throw error;
  }
}

/** Null where nothing that lies there counts. */
function settingsFile(ledger: string, env: Environment): string | null {
  if (!isHere(ledger)) return join(ledger, SETTINGS_FILE);
  return standingOf(ledger, env).is === 'foreign' ? null : hereSettings(ledger, env);
}

/** A pipe would never come to its end, and what others can write is not the owner's word. */
function readOwned(path: string, ledger: string): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const found = fstatSync(fd);
    if (!found.isFile()) throw new ParseError('MALFORMED', 'not a plain file', path);
    if (found.size > LONGEST) throw new ParseError('TOO_LONG', `more than ${LONGEST} bytes`, path);
    if ((found.mode & 0o022) !== 0)
      throw new ParseError(
        'MALFORMED',
        `other users can write to it. Check what it says, then run \`chmod 600 ${path}\``,
        path,
      );
    if (!isOwned(found, ledger)) throw new ParseError('MALFORMED', 'it belongs to another user', path);
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

function isOwned({ uid }: Stats, ledger: string): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own || uid === 0 || uid === statSync(ledger).uid;
}

export function parseSettings(text: string, path: string): Settings {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ParseError('INVALID_JSON', 'not JSON. Run `foil mode` to write it again', path);
  }
  const members = (value ?? {}) as Record<string, unknown>;
  const { v, mode, port = null, upstreams, gateways, through, keys, runtime, anchor } = members;
  if (v !== 1) throw new ParseError('UNKNOWN_VERSION', 'only version 1 is known', path);
  if (!isMode(mode)) throw new ParseError('BAD_MEMBER', `mode must be one of ${MODES.join(', ')}`, path);
  if (port !== null && (!Number.isSafeInteger(port) || Number(port) < 1 || Number(port) > 65_535))
    throw new ParseError('BAD_MEMBER', 'port must be a port number', path);
  if (upstreams !== undefined && !(Array.isArray(upstreams) && upstreams.every(isText)))
    throw new ParseError('BAD_MEMBER', 'upstreams must be a list of NAME=URL', path);
  if (gateways !== undefined && !(Array.isArray(gateways) && gateways.every(isKnownGateway)))
    throw new ParseError('BAD_MEMBER', 'gateways must be a list of url, tokenFile and caFile', path);
  // A word that is not understood must not send calls straight to the provider.
  if (through !== undefined && !(isText(through) && (gateways ?? []).some(({ url }) => url === through)))
    throw new ParseError('BAD_MEMBER', 'through must name one of the gateways', path);
  for (const [name, given] of Object.entries({ keys, runtime }))
    if (given !== undefined && !(isText(given) && isAbsolute(given)))
      throw new ParseError('BAD_MEMBER', `${name} must be an absolute path`, path);
  if (anchor !== undefined && !isHash(anchor))
    throw new ParseError('BAD_MEMBER', 'anchor must be a hash', path);
  return {
    mode,
    port: port as number | null,
    ...(upstreams === undefined ? {} : { upstreams: upstreams as string[] }),
    ...(gateways === undefined ? {} : { gateways: gateways as KnownGateway[] }),
    ...(through === undefined ? {} : { through: through as string }),
    ...(keys === undefined ? {} : { keys: keys as string }),
    ...(runtime === undefined ? {} : { runtime: runtime as string }),
    ...(anchor === undefined ? {} : { anchor }),
  };
}

function isKnownGateway(value: unknown): value is KnownGateway {
  if (typeof value !== 'object' || value === null) return false;
  const { url, tokenFile, caFile } = value as Partial<Record<keyof KnownGateway, unknown>>;
  const isPath = (given: unknown): boolean => isText(given) && isAbsolute(given);
  return isText(url) && isPath(tokenFile) && (caFile === undefined || isPath(caFile));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/**
 * Whole or not at all, and the mode beside it as well. Throws StoreError DENIED for a `.foil/` that is not registered, and
 * where a stricter mode is kept that can't be changed.
 */
export function writeSettings(ledger: string, settings: Settings, env: Environment = process.env): void {
  const path = settingsFile(ledger, env);
  if (path === null)
    throw new StoreError(
      'DENIED',
      `foil ignores the settings of ${ledger}: ${standingOf(ledger, env).why}. ${ADOPT}`,
    );
  const temporary = `${path}.${process.pid}.tmp`;
  const { mode, port, upstreams = [], gateways = [], through, keys, runtime, anchor } = settings;
  const text = JSON.stringify({
    v: 1,
    mode,
    port,
    ...(upstreams.length === 0 ? {} : { upstreams }),
    ...(gateways.length === 0 ? {} : { gateways }),
    ...{ through, keys, runtime, anchor },
  });
  writeFileSync(temporary, `${text}\n`, { mode: 0o600 });
  try {
    keepMode(ledger, mode, env);
  } catch (cause) {
    if (strictest(mode, readKeptMode(ledger, env) ?? mode) !== mode) {
      unlinkSync(temporary);
      throw new StoreError('DENIED', `${ledger} is locked to a stricter mode, which can't be changed.`, {
        cause,
      });
    }
  }
  renameSync(temporary, path);
}

/** For messages. */
export const ADOPT = 'If you made it, run `foil init --adopt` in the directory that holds it.';
