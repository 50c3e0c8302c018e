// One run, from its verdict down to its last entry.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { RunAnswer } from '../check-run.ts';
import { sessionModel } from '../model/session.ts';
import { Claims } from './claims.tsx';
import { Conversation } from './conversation.tsx';
import { Facts } from './facts.tsx';
import { Files } from './files.tsx';
import { Findings } from './findings.tsx';
import { Proves } from './proves.tsx';
import { Rows } from './rows.tsx';
import { Signer } from './signer.tsx';
import { Verdict } from './verdict.tsx';

interface Props {
  readonly first: RunAnswer;
  /** The entry to show at the beginning. */
  readonly entry?: number | null;
  readonly check: (keys: readonly string[]) => Promise<RunAnswer>;
}

export function RunPage({ first, entry = null, check }: Props) {
  const [answer, setAnswer] = useState(first);
  const [chosen, choose] = useState<number | null>(entry);
  useEffect(() => setAnswer(first), [first]);
  const model = useMemo(() => sessionModel(answer.entries, answer.shown), [answer]);
  const show = (seq: number): void => {
    choose(seq);
    document.getElementById('entries')?.scrollIntoView({ block: 'start' });
  };
  return (
    <div class="page">
      <Verdict answer={answer} show={show} />
      <Facts model={model} />
      <Conversation model={model} shown={answer.shown} show={show} />
      <Claims claims={model.claims} isFailed={!answer.isSound} show={show} />
      <Rows model={model} shown={answer.shown} damaged={answer.damaged} chosen={chosen} choose={choose} />
      <Files files={model.files} show={show} />
      {answer.report !== null && <Findings report={answer.report} show={show} />}
      <Proves />
      <Signer answer={answer} check={async (keys) => setAnswer(await check(keys))} />
    </div>
  );
}
