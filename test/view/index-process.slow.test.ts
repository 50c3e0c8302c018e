// The process that builds the index: it is killed again and again while the ledger grows, and the index is whole in the end.
// Of two for one ledger, one waits for the other.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { IndexDatabase } from '../../src/view/index-database.ts';
import { FOIL } from '../cli/foil.ts';
import { SmallLedger, sqlite } from './small-ledger.ts';

const PROGRAM = join(dirname(FOIL), 'view-index.cjs');
const SESSIONS = 40;
const PROMPTS = 50;

function start(made: SmallLedger): ChildProcess {
  const { directory, keyDirectory } = made.located;
  const task = JSON.stringify({ directory, keyDirectory, path: made.index });
  const child = fork(PROGRAM, [task], { stdio: 'ignore', execArgv: [] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

function indexed(made: SmallLedger): { seq: number; numbers: number[] } {
  try {
    const database = IndexDatabase.openToRead(sqlite, made.index);
    try {
      const numbers = database.match('"prompt"', Number.MAX_SAFE_INTEGER, 100_000).map(({ seq }) => seq);
      return { seq: database.state()?.seq ?? 0, numbers };
    } finally {
      database.close();
    }
  } catch {
    return { seq: 0, numbers: [] };
  }
}

async function settled(made: SmallLedger, seq: number): Promise<void> {
  while (indexed(made).seq < seq) await new Promise((resolve) => setTimeout(resolve, 100));
}

it('X9 the index survives SIGKILL at any moment, while the ledger grows', async () => {
  const made = await SmallLedger.make();
  const expected: number[] = [];
  let killed = 0;
  for (let i = 0; i < SESSIONS; i++) {
    const child = i % 2 === 0 ? start(made) : undefined;
    await made.session(
      `session ${i}`,
      Array.from({ length: PROMPTS }, (_, n) => `words ${i} ${n}`),
    );
    if (child !== undefined) {
      // A little later each time: before it has begun, in the middle, and when it is done.
      await new Promise((resolve) => setTimeout(resolve, i * 20));
      child.kill('SIGKILL');
      await once(child, 'exit');
      killed++;
    }
  }
  const { seq } = await made.ledger.store.head();
  for (let at = 2; at <= seq; at++) if ((at - 2) % (PROMPTS + 1) !== 0) expected.push(at);
  start(made);
  await settled(made, seq);
  expect(killed).toBe(SESSIONS / 2);
  expect(indexed(made).numbers.toReversed()).toEqual(expected);
});

it('X9 a second process waits, goes on when the first is killed, and ends with its parent', async () => {
  const made = await SmallLedger.make();
  await made.session('one', ['words']);
  const first = start(made);
  await settled(made, 3);
  const second = start(made);
  await made.session('two', ['words']);
  await settled(made, 5);
  first.kill('SIGKILL');
  await made.session('three', ['words']);
  await settled(made, 7);
  second.disconnect();
  const [code] = (await once(second, 'exit')) as [number | null];
  expect(code).toBe(0);
});
