// How a ledger is recorded to: the mode, the service's port and the gateway's upstreams, in one small file of the ledger's directory, where an
// agent that works in the project does not come across it. `foil mode` and `foil install` write it.
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ParseError } from '../core/index.ts';
import { SETTINGS_FILE } from '../format/index.ts';

/** From the least strict to the strictest. */
export const MODES = ['observe', 'guard', 'locked'] as const;
export type Mode = (typeof MODES)[number];

export interface Settings {
  readonly mode: Mode;
  /** Where the service listens on 127.0.0.1; null where it only has its socket. */
  readonly port: number | null;
  /** Of the gateway, besides those that it has: `NAME=URL`. */
  readonly upstreams?: readonly string[];
}

export const DEFAULT_SETTINGS: Settings = { mode: 'observe', port: null };

export function isMode(value: unknown): value is Mode {
  return (MODES as readonly unknown[]).includes(value);
}

export function strictest(a: Mode, b: Mode): Mode {
  return MODES.indexOf(a) >= MODES.indexOf(b) ? a : b;
}

/** Does the environment say that nothing is to be recorded? foil.cjs asks the same before anything is loaded. */
export function isFoilOff(env: Readonly<Record<string, string | undefined>>): boolean {
  return /^(?:off|0|no|false)$/i.test(env.FOIL ?? '');
}

/** The default where there is none. Throws ParseError for a file that is there and says something else. */
export function readSettings(ledger: string): Settings {
  const path = join(ledger, SETTINGS_FILE);
  let text: string;
  try {
    // Quicker than an error where there is none; one that may not be looked at is still an error.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return DEFAULT_SETTINGS;
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 'ENOENT' || code === 'ENOTDIR') return DEFAULT_SETTINGS;
    throw error;
  }
  return parseSettings(text, path);
}

export function parseSettings(text: string, path: string): Settings {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ParseError('INVALID_JSON', 'not JSON. Run `foil mode` to write it anew', path);
  }
  const { v, mode, port = null, upstreams } = (value ?? {}) as Record<string, unknown>;
  if (v !== 1) throw new ParseError('UNKNOWN_VERSION', 'only version 1 is known', path);
  if (!isMode(mode)) throw new ParseError('BAD_MEMBER', `mode is none of ${MODES.join(', ')}`, path);
  if (port !== null && (!Number.isSafeInteger(port) || Number(port) < 1 || Number(port) > 65_535))
    throw new ParseError('BAD_MEMBER', 'port is not a port', path);
  if (upstreams === undefined) return { mode, port: port as number | null };
  if (!Array.isArray(upstreams) || upstreams.some((each) => typeof each !== 'string'))
    throw new ParseError('BAD_MEMBER', 'upstreams is not a list of NAME=URL', path);
  return { mode, port: port as number | null, upstreams: upstreams as string[] };
}

/** Whole or not at all. */
export function writeSettings(ledger: string, settings: Settings): void {
  const path = join(ledger, SETTINGS_FILE);
  const temporary = `${path}.${process.pid}.tmp`;
  const { mode, port, upstreams = [] } = settings;
  const text = JSON.stringify({ v: 1, mode, port, ...(upstreams.length === 0 ? {} : { upstreams }) });
  writeFileSync(temporary, `${text}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}
