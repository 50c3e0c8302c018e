// One run, from its verdict down to its last entry.
import { useMemo, useState } from 'preact/hooks';
import type { RunAnswer } from '../check-run.ts';
import { sessionModel } from '../model/session.ts';
import { Claims } from './claims.tsx';
import { Facts } from './facts.tsx';
import { Files } from './files.tsx';
import { Findings } from './findings.tsx';
import { Proves } from './proves.tsx';
import { Rows } from './rows.tsx';
import { Signer } from './signer.tsx';
import { Verdict } from './verdict.tsx';

interface Props {
  readonly first: RunAnswer;
  readonly check: (keys: readonly string[]) => Promise<RunAnswer>;
}

export function RunPage({ first, check }: Props) {
  const [answer, setAnswer] = useState(first);
  const [chosen, choose] = useState<number | null>(null);
  const model = useMemo(() => sessionModel(answer.entries, answer.shown), [answer]);
  const show = (seq: number): void => {
    choose(seq);
    document.getElementById('entries')?.scrollIntoView({ block: 'start' });
  };
  return (
    <main class="page">
      <Verdict answer={answer} show={show} />
      <Facts model={model} />
      <Claims claims={model.claims} isFailed={answer.report.verdict === 'FAIL'} show={show} />
      <Rows model={model} shown={answer.shown} damaged={answer.damaged} chosen={chosen} choose={choose} />
      <Files files={model.files} show={show} />
      <Findings report={answer.report} show={show} />
      <Proves />
      <Signer answer={answer} check={async (keys) => setAnswer(await check(keys))} />
    </main>
  );
}
