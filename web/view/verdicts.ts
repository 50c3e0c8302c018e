// What the check of each session gave, for the list: made in this page, one session after the other, and only of those whose
// row is in view. The server is asked for lines and proofs, never for a verdict.
import { useEffect, useState } from 'preact/hooks';
import type { SessionRow } from '../../src/view/answers.ts';
import { askVerifier, type WorkerQuestion } from '../ask-verifier.ts';
import type { RunMessage } from '../run-message.ts';
import { api } from './api.ts';
import { NOT_SEALED, type RowVerdict, wordsFor } from './verdict-words.ts';
import { startVerifier } from './verifier.ts';

/** Longer ones are checked when somebody opens them. */
const MOST_ENTRIES = 2000;

const quiet = (words: string): RowVerdict => ({ words, tone: 'quiet', tier: '' });

interface Wanted {
  readonly key: string;
  readonly ledger: number;
  readonly id: string;
}

const known = new Map<string, RowVerdict>();
/** The last that came into view is checked first. */
const waiting = new Map<string, Wanted>();
const listeners = new Set<() => void>();
let isChecking = false;

/** `isSettled`: one can be checked without reading all of the log. */
export function useVerdict(ledger: number, row: SessionRow, isSettled: boolean): RowVerdict {
  const [, drawAgain] = useState(0);
  const key = `${ledger} ${row.id} ${row.entries}`;
  const isWanted = isSettled && row.state !== 'open' && row.entries <= MOST_ENTRIES;
  useEffect(() => {
    if (!isWanted) return undefined;
    const want = (): void => {
      if (known.has(key) || waiting.has(key)) return;
      waiting.set(key, { key, ledger, id: row.id });
      if (!isChecking) void checkAll();
    };
    want();
    const listen = (): void => {
      want();
      drawAgain((count) => count + 1);
    };
    listeners.add(listen);
    return () => {
      listeners.delete(listen);
      waiting.delete(key);
    };
  }, [key, isWanted]);
  if (row.state === 'open') return quiet('still open');
  return known.get(key) ?? quiet(row.entries > MOST_ENTRIES ? 'open it to check it' : 'not checked yet');
}

/** Something happened to the ledger: what was found of it stands no longer. */
export function forgetVerdicts(): void {
  forget(() => true);
}

/** There is a new checkpoint: it may cover more of them. */
export function forgetUnsealed(): void {
  forget(({ words }) => words === NOT_SEALED);
}

function forget(isOld: (verdict: RowVerdict) => boolean): void {
  for (const [key, verdict] of known) if (isOld(verdict)) known.delete(key);
  for (const listen of [...listeners]) listen();
}

async function checkAll(): Promise<void> {
  isChecking = true;
  const worker = startVerifier();
  for (;;) {
    const next = [...waiting.values()].at(-1);
    if (next === undefined) break;
    waiting.delete(next.key);
    known.set(next.key, await verdictOf(worker, next));
    for (const listen of [...listeners]) listen();
  }
  worker.terminate();
  isChecking = false;
}

async function verdictOf(worker: Worker, { ledger, id }: Wanted): Promise<RowVerdict> {
  try {
    const question: WorkerQuestion = { parts: api.run(ledger, id), keys: [], now: Date.now() };
    return wordsFor((await askVerifier<WorkerQuestion, RunMessage>(worker, question)).judgement);
  } catch {
    // The page of the session says why.
    return { words: 'can’t be checked', tone: 'doubt', tier: '' };
  }
}
