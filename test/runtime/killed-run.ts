// The agent of examples/counter, killed again and again at moments that a seed chooses, and recovered each time. When to
// kill follows from how far its ledger has grown, so that no clock decides.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Place } from './run-ledger.ts';

const PROGRAM = join(import.meta.dirname, '../../examples/counter/run.mjs');
/** Of an event, about. */
const EVENT_BYTES = 900;
const MOST_EVENTS = 30;

export interface KilledRun {
  readonly run: string;
  readonly kills: number;
  readonly result: unknown;
}

/** Counts to `last`, through `kills` kills at least as far as there is time for them. */
export async function runAndKill(
  place: Place,
  last: number,
  kills: number,
  seed: number,
): Promise<KilledRun> {
  const random = generator(seed);
  let child = start(place, [String(last)], last);
  let run = '';
  let done = 0;
  while (done < kills) {
    const grown = bytesOf(place) + Math.floor(random() * MOST_EVENTS * EVENT_BYTES);
    while (child.process.exitCode === null && (run === '' || bytesOf(place) < grown)) {
      await turn();
      run ||= /"run":"([0-9a-f]{64})"/.exec(child.output())?.[1] ?? '';
    }
    if (child.process.exitCode !== null) break;
    child.process.kill('SIGKILL');
    await child.ended;
    done++;
    child = start(place, ['--recover', run], last);
  }
  await child.ended;
  expect(child.process.exitCode, child.errors()).toBe(0);
  const [line = '{}'] = child.output().trim().split('\n').slice(-1);
  return { run, kills: done, result: (JSON.parse(line) as { result?: unknown }).result };
}

interface Started {
  readonly process: ChildProcess;
  readonly ended: Promise<void>;
  output(): string;
  errors(): string;
}

function start({ directory }: Place, words: readonly string[], last: number): Started {
  const env = { ...process.env, FOIL_LEDGER: directory, LAST: String(last) };
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    env,
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (piece) => {
    output += piece;
  });
  child.stderr.on('data', (piece) => {
    errors += piece;
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  return { process: child, ended, output: () => output, errors: () => errors };
}

function bytesOf({ directory }: Place): number {
  const folder = join(directory, 'ledger');
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** Mulberry32: the same numbers for the same seed. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
