// foil doctor: what this machine, file system and set-up give a ledger, measured where it can be. What it writes to measure is
// removed again; the ledger itself is only looked at.
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { openToRead } from '../../app/index.ts';
import { StoreError } from '../../core/index.ts';
import type { Ledger, Located } from '../../ledger/index.ts';
import { harmless } from '../../report/index.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';
import { type Check, tried, warn } from '../doctor/check.ts';
import {
  checkHead,
  checkKey,
  checkLeftovers,
  checkPlace,
  checkSeals,
  checkWritable,
  readHead,
} from '../doctor/ledger.ts';
import {
  checkDisk,
  checkFileSystem,
  checkLocks,
  checkMachine,
  checkSync,
  tryLock,
} from '../doctor/machine.ts';
import { checkRecording } from '../doctor/recording.ts';
import { place } from '../place.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'check this machine, its file system and your set-up',
  usage: '',
  arguments: [0, 0],
  options: {
    'try-lock': {
      type: 'string',
      value: 'FILE',
      help: 'only try to lock FILE, and print `taken` or `refused`',
    },
  },
  examples: ['foil doctor', 'foil doctor --ledger /data/ledger'],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const file = context.values.text('try-lock');
  if (file !== undefined) {
    const state = tryLock(file);
    return { json: { state }, text: `${state}\n` };
  }
  const located = place(context);
  const checks = [
    ...checkMachine(),
    ...(await checkLedger(located)),
    ...(await checkRecording(located, context)),
    ...(await checkStorage(nearest(located.directory))),
  ];
  const exit = checks.some(({ status }) => status === 'fail') ? EXIT.FAILED : EXIT.FINE;
  return { json: { checks }, text: render(checks, context), exit };
}

function init({ directory, how }: Located): string {
  return how === 'option' ? `foil init --ledger ${directory}` : 'foil init';
}

async function checkLedger(located: Located): Promise<Check[]> {
  const ledger = openIfThere(located);
  if (ledger === undefined)
    return [checkPlace(located), warn('head', `there is no ledger yet. Run \`${init(located)}\`.`)];
  try {
    return [
      checkPlace(located),
      await tried('head', () => checkHead(readHead(located), located)),
      await tried('writing', () => checkWritable(located)),
      await tried('checkpoint', () => checkSeals(ledger, located)),
      await tried('key', () => checkKey(ledger, located)),
      await tried('leftovers', () => checkLeftovers(located)),
    ];
  } finally {
    await ledger.close();
  }
}

function openIfThere(located: Located): Ledger | undefined {
  try {
    return openToRead(located);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

function checkStorage(directory: string): Promise<Check[]> {
  const checks = { 'file system': checkFileSystem, space: checkDisk, locks: checkLocks, sync: checkSync };
  return Promise.all(Object.entries(checks).map(([name, check]) => tried(name, () => check(directory))));
}

/** The place itself, or where it would be made. */
function nearest(path: string): string {
  const isThere = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isThere || dirname(path) === path ? path : nearest(dirname(path));
}

function render(checks: readonly Check[], { paint }: Context): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const colours = { ok: paint.green, warn: paint.yellow, fail: paint.red };
  return checks
    .map(
      ({ name, status, message }) =>
        `${colours[status](status.padEnd(4))}  ${name.padEnd(width)}  ${harmless(message)}\n`,
    )
    .join('');
}
