// One run: what it was about, its verdict, and everything down to its last entry.
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RunAnswer } from '../check-run.ts';
import { judgedClaims } from '../model/judged-claims.ts';
import { Changes, type DiffState } from './changes.tsx';
import { Claims } from './claims.tsx';
import { Conversation } from './conversation.tsx';
import { Files } from './files.tsx';
import { Findings } from './findings.tsx';
import { Masthead } from './masthead.tsx';
import { Proves } from './proves.tsx';
import { Rows } from './rows.tsx';
import { absentWords, type From, type ShownRun } from './shown-run.ts';
import { Verdict } from './verdict.tsx';
import { moment } from './words.ts';

interface Props {
  readonly first: ShownRun;
  /** The entry to show at the beginning. */
  readonly entry?: number | null;
  readonly check: (keys: readonly string[]) => Promise<RunAnswer>;
  /** Where it comes from. */
  readonly from: From;
  /** What it did to files, where that is known. */
  readonly diff?: DiffState;
  /** What can be done with it, where that is known. */
  readonly children?: ComponentChildren;
}

export function RunPage({ first, entry = null, check, from, diff, children }: Props) {
  // Checked once more, with keys of the reader's; of no use once another answer is here.
  const [again, setAgain] = useState<{ readonly of: ShownRun; readonly answer: RunAnswer } | null>(null);
  const answer = again?.of === first ? again.answer : first.answer;
  // What there is to see stays the same, whatever keys it is checked with.
  const { model } = first;
  const [chosen, choose] = useState<number | null>(entry);
  const absent = absentWords(answer);
  const claims = useMemo(
    () => judgedClaims(model.claims, answer.report?.findings ?? null, answer.isSound),
    [answer, model],
  );
  // Whoever comes for one entry sees it, also when what stands above it grows; where they went elsewhere since, they stay there.
  const isEarly = answer.early !== null;
  const came = useRef<{ readonly entry: number | null | undefined; readonly at: number }>({
    entry: undefined,
    at: 0,
  });
  useEffect(() => {
    const isSame = came.current.entry === entry;
    // Another link to the same session; what the reader chose since then stays.
    if (!isSame) choose(entry);
    const hasLeft = isSame && Math.abs(scrollY - came.current.at) > 40;
    if (entry !== null && !hasLeft) document.querySelector('.split')?.scrollIntoView({ block: 'start' });
    came.current = { entry, at: hasLeft ? came.current.at : scrollY };
  }, [entry, isEarly]);
  // What doesn't depend on the chosen entry is made once, so that going from one to the next stays quick.
  const show = useMemo(
    () =>
      (seq: number): void => {
        choose(seq);
        document.getElementById('entries')?.scrollIntoView({ block: 'start' });
      },
    [],
  );
  const above = useMemo(
    () => (
      <>
        <Masthead model={model} claims={claims} shown={answer.shown} isEarly={answer.early !== null} />
        {children}
        <ErasedNote erased={answer.erased} />
        <Verdict
          answer={answer}
          claims={claims}
          from={from}
          show={show}
          check={async (keys) => setAgain({ of: first, answer: await check(keys) })}
        />
        {answer.early === null && (
          <Claims claims={claims} replaced={model.replaced} isFailed={!answer.isSound} show={show} />
        )}
      </>
    ),
    [answer, model, check, children],
  );
  const below = useMemo(
    () =>
      answer.early === null && (
        <>
          <Conversation model={model} shown={answer.shown} absent={absent} show={show} />
          <Files files={model.files} show={show} />
          <Changes diff={diff} model={model} isSound={answer.isSound} show={show} />
          {answer.report !== null && <Findings report={answer.report} show={show} />}
          <Proves answer={answer} from={from} />
        </>
      ),
    [answer, model, diff],
  );
  return (
    <div class="page">
      {above}
      <Rows
        model={model}
        claims={claims}
        shown={answer.shown}
        absent={absent}
        damaged={answer.damaged}
        chosen={chosen}
        choose={choose}
      />
      {below}
    </div>
  );
}

function ErasedNote({ erased }: Pick<RunAnswer, 'erased'>) {
  if (erased === null) return null;
  return (
    <p class="verdict doubt">
      The content of this session was erased on {moment(erased.ts)}, as entry {erased.seq} of the ledger says.
      Its entries are still here, and are still checked.
    </p>
  );
}
