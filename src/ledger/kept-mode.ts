// How strictly a ledger is recorded to, kept once more outside of it: a small file in the user's state directory for each
// ledger. The stricter of the two counts, so whoever changes the settings, or takes them away, does not loosen anything.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { sha256Hex } from '#platform';
import {
  type Environment,
  isHere,
  ownerProblem,
  readSmall,
  realOf,
  STATE_NAME,
  stateDirectory,
} from './here.ts';
import { isMode, type Mode, strictest } from './mode.ts';

const DIRECTORY = 'modes';

/**
 * Null where none is kept. One that is damaged, or not this user's alone, counts as guard. A link may have been put in the
 * ledger's place since, so what is kept for its name counts as well. Never throws.
 */
export function readKeptMode(ledger: string, env: Environment): Mode | null {
  const modes = [...new Set([resolve(ledger), realOf(ledger)])].flatMap((path) => keptFor(path, env) ?? []);
  return modes.length === 0 ? null : modes.reduce(strictest);
}

function keptFor(ledger: string, env: Environment): Mode | null {
  const path = pathOf(ledger, env);
  const text = readSmall(path);
  if (text === undefined) return null;
  try {
    const { v, path: named, mode } = JSON.parse(text) as Record<string, unknown>;
    return v === 1 && named === ledger && isMode(mode) && ownerProblem(path) === null ? mode : 'guard';
  } catch {
    return 'guard';
  }
}

/** Whole or not at all. */
export function keepMode(ledger: string, mode: Mode, env: Environment): void {
  const real = realOf(ledger);
  const path = pathOf(real, env);
  if (keptFor(real, env) === mode) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify({ v: 1, path: real, mode })}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}

/**
 * What XDG_STATE_HOME must be for what is kept about this ledger to be found, so that a hook can name it; null where the
 * ledger's own place says it. A variable in the environment of a hook may be a repository's word.
 */
export function stateToPin(ledger: string, env: Environment): string | null {
  return isAmongLedgers(realOf(ledger)) ? null : dirname(stateDirectory(env));
}

/** Beside a ledger that lies where ledgers are kept, so that no variable leads elsewhere. */
function pathOf(ledger: string, env: Environment): string {
  const state = isAmongLedgers(ledger) ? dirname(ledger) : stateDirectory(env);
  return join(state, DIRECTORY, sha256Hex(ledger).slice(0, 32));
}

function isAmongLedgers(ledger: string): boolean {
  return basename(dirname(ledger)) === STATE_NAME && !isHere(ledger);
}
