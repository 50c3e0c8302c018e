// How strictly a ledger is recorded to, kept once more outside of it: a small file in the user's state directory for each
// ledger. The stricter of the two counts, so whoever changes the settings, or takes them away, does not loosen anything.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sha256Hex } from '#platform';
import { type Environment, ownerProblem, readSmall, realOf, STATE_NAME, stateDirectory } from './here.ts';
import { isMode, type Mode } from './mode.ts';

const DIRECTORY = 'modes';

/** Null where none is kept. One that is damaged, or not this user's alone, counts as guard. Never throws. */
export function readKeptMode(ledger: string, env: Environment): Mode | null {
  const path = pathOf(ledger, env);
  const text = readSmall(path);
  if (text === undefined) return null;
  try {
    const { v, path: named, mode } = JSON.parse(text) as Record<string, unknown>;
    return v === 1 && named === realOf(ledger) && isMode(mode) && ownerProblem(path) === null
      ? mode
      : 'guard';
  } catch {
    return 'guard';
  }
}

/** Whole or not at all. */
export function keepMode(ledger: string, mode: Mode, env: Environment): void {
  const path = pathOf(ledger, env);
  if (readKeptMode(ledger, env) === mode) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify({ v: 1, path: realOf(ledger), mode })}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}

/** Beside a ledger that lies where ledgers are kept, so that no variable leads elsewhere. */
function pathOf(ledger: string, env: Environment): string {
  const real = realOf(ledger);
  const around = dirname(real);
  const state = basename(around) === STATE_NAME ? around : stateDirectory(env);
  return join(state, DIRECTORY, sha256Hex(real).slice(0, 32));
}
