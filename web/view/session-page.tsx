// One session, checked in this page each time that it is shown: the server gives lines and a proof, not a verdict. Where that
// takes long, the lines are shown first, and said to be unchecked.
import { useEffect, useState } from 'preact/hooks';
import { parseTar, type TreeFile } from '../../src/format/index.ts';
import type { Pulse } from '../../src/view/answers.ts';
import type { RunAnswer } from '../check-run.ts';
import { RunPage } from '../parts/run-page.tsx';
import { visible } from '../parts/words.ts';
import { api } from './api.ts';
import { Downloads } from './downloads.tsx';
import { check } from './verifier.ts';

interface Props {
  readonly ledger: number;
  readonly id: string;
  readonly entry: number | null;
  readonly pulse: Pulse;
}

interface Read {
  readonly parts: readonly TreeFile[];
  readonly answer: RunAnswer;
  readonly isChecking: boolean;
}

/** So long nobody minds waiting for all of it, in milliseconds. */
const PATIENCE = 400;

export function SessionPage({ ledger, id, entry, pulse }: Props) {
  const [read, setRead] = useState<Read | null>(null);
  const [why, setWhy] = useState<string | null>(null);
  useEffect(() => {
    let isWanted = true;
    let isDone = false;
    const take = async (what: 'run' | 'beginning'): Promise<void> => {
      const parts = parseTar(await api.run(ledger, id, what));
      const answer = await check({ parts, keys: [], now: Date.now() });
      if (!isWanted || isDone) return;
      isDone = what === 'run';
      setRead({ parts, answer, isChecking: !isDone });
      setWhy(null);
    };
    take('run').catch((error: unknown) => {
      isDone = true;
      if (isWanted) setWhy(error instanceof Error ? error.message : String(error));
    });
    // One that is shown already stays, and is replaced by what it has become.
    const timer = setTimeout(() => {
      if (read === null && !isDone) take('beginning').catch(() => undefined);
    }, PATIENCE);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [ledger, id, pulse]);
  if (why !== null) return <p class="verdict bad">{visible(why)}</p>;
  if (read === null) return <p class="quiet">Reading the session, and checking it…</p>;
  const { parts, answer, isChecking } = read;
  return (
    <RunPage
      first={answer}
      entry={entry}
      from="ledger"
      isChecking={isChecking}
      check={(keys) => check({ parts, keys, now: Date.now() })}
    >
      <Downloads ledger={ledger} id={id} />
    </RunPage>
  );
}
