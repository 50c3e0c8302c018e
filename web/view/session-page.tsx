// One session, checked in this page each time that it is shown: the server gives lines and a proof, not a verdict. Where that
// takes long, the lines are shown first, and said to be unchecked.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Pulse } from '../../src/view/answers.ts';
import type { Place } from '../fetch-bytes.ts';
import { RunPage } from '../parts/run-page.tsx';
import { type ShownRun, shownRun } from '../parts/shown-run.ts';
import { visible } from '../parts/words.ts';
import { api } from './api.ts';
import { Downloads } from './downloads.tsx';
import { useAsked } from './use-asked.ts';
import { RunVerifier } from './verifier.ts';

interface Props {
  readonly ledger: number;
  readonly id: string;
  readonly entry: number | null;
  readonly pulse: Pulse;
}

export function SessionPage({ ledger, id, entry, pulse }: Props) {
  const [run, setRun] = useState<ShownRun | null>(null);
  const [why, setWhy] = useState<string | null>(null);
  // The first pulse tells of nothing that isn't being read already.
  const seen = useRef({ pulse, times: 0 });
  if (seen.current.pulse !== pulse) {
    const { pulse: before, times } = seen.current;
    seen.current = { pulse, times: before.head === 0 && before.notices === 0 ? times : times + 1 };
  }
  const verifier = useMemo(() => new RunVerifier(), [ledger, id]);
  useEffect(() => () => verifier.close(), [verifier]);
  const latest = useRef(0);
  useEffect(() => {
    latest.current++;
    const turn = latest.current;
    const take = async (place: Place): Promise<void> => {
      // While one is read, several more may be asked for. Only the last of them is of use.
      await verifier.isIdle();
      if (turn !== latest.current || verifier.isClosed) return;
      const read = await shownRun(await verifier.ask(place));
      if (verifier.isClosed) return;
      setRun(read);
      setWhy(null);
      if (read.answer.early !== null) await take(api.run(ledger, id));
    };
    // One that is shown already stays until it can be replaced by what it has become.
    take(run === null ? api.beginning(ledger, id, entry) : api.run(ledger, id)).catch((error: unknown) => {
      if (!verifier.isClosed) setWhy(error instanceof Error ? error.message : String(error));
    });
  }, [verifier, seen.current.times]);
  // Git is asked once the session itself is here: nobody waits for it.
  const isWhole = run !== null && run.answer.early === null;
  const changes = useAsked(
    async () => (isWhole ? api.changes(ledger, id) : null),
    [ledger, id, isWhole, seen.current.times],
  );
  if (why !== null) return <p class="verdict bad">{visible(why)}</p>;
  if (run === null) return <p class="quiet">Reading the session…</p>;
  return (
    <RunPage
      first={run}
      entry={entry}
      from="ledger"
      diff={changes.state === 'here' ? changes.value : changes.state === 'failed' ? changes.why : null}
      check={(keys) => verifier.ask(null, keys)}
    >
      <Downloads ledger={ledger} id={id} />
    </RunPage>
  );
}
