// One session, checked in this page each time that it is shown: the server gives lines and a proof, not a verdict. Where that
// takes long, the lines are shown first, and said to be unchecked.
import { useEffect, useRef, useState } from 'preact/hooks';
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
  readonly parts: Uint8Array;
  readonly answer: RunAnswer;
}

export function SessionPage({ ledger, id, entry, pulse }: Props) {
  const [read, setRead] = useState<Read | null>(null);
  const [why, setWhy] = useState<string | null>(null);
  // The first pulse tells of nothing that isn't being read already.
  const seen = useRef({ pulse, times: 0 });
  if (seen.current.pulse !== pulse) {
    const { pulse: before, times } = seen.current;
    seen.current = { pulse, times: before.head === 0 && before.notices === 0 ? times : times + 1 };
  }
  useEffect(() => {
    let isWanted = true;
    const take = async (what: 'run' | 'beginning'): Promise<void> => {
      const parts = await api.run(ledger, id, what);
      const answer = await check({ parts, keys: [], now: Date.now() });
      if (!isWanted) return;
      setRead({ parts, answer });
      setWhy(null);
      if (answer.isEarly) await take('run');
    };
    // One that is shown already stays until it can be replaced by what it has become.
    take(read === null ? 'beginning' : 'run').catch((error: unknown) => {
      if (isWanted) setWhy(error instanceof Error ? error.message : String(error));
    });
    return () => {
      isWanted = false;
    };
  }, [ledger, id, seen.current.times]);
  if (why !== null) return <p class="verdict bad">{visible(why)}</p>;
  if (read === null) return <p class="quiet">Reading the session, and checking it…</p>;
  const { parts, answer } = read;
  return (
    <RunPage
      first={answer}
      entry={entry}
      from="ledger"
      check={(keys) => check({ parts, keys, now: Date.now() })}
    >
      <Downloads ledger={ledger} id={id} />
    </RunPage>
  );
}
