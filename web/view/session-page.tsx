// One session, checked in this page each time that it is shown: the server gives lines and a proof, not a verdict.
import { parseTar } from '../../src/format/index.ts';
import type { Pulse } from '../../src/view/answers.ts';
import { RunPage } from '../parts/run-page.tsx';
import { visible } from '../parts/words.ts';
import { api } from './api.ts';
import { Downloads } from './downloads.tsx';
import { useAsked } from './use-asked.ts';
import { check } from './verifier.ts';

interface Props {
  readonly ledger: number;
  readonly id: string;
  readonly entry: number | null;
  readonly pulse: Pulse;
}

export function SessionPage({ ledger, id, entry, pulse }: Props) {
  const asked = useAsked(async () => {
    const parts = parseTar(await api.run(ledger, id));
    return { parts, answer: await check({ parts, keys: [], now: Date.now() }) };
  }, [ledger, id, pulse]);
  if (asked.state === 'waiting') return <p class="quiet">Reading the session, and checking it…</p>;
  if (asked.state === 'failed') return <p class="verdict bad">{visible(asked.why)}</p>;
  const { parts, answer } = asked.value;
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
