// Two sessions side by side: where they parted, and in what they differ. Each is checked in this page first.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ClaimRow } from '../model/session.ts';
import { diffOf, type SessionDiff } from '../model/session-diff.ts';
import type { Step } from '../model/steps.ts';
import { statusWords } from '../parts/claims.tsx';
import { type ShownRun, shownRun } from '../parts/shown-run.ts';
import { brief, counted, moment, visible } from '../parts/words.ts';
import { api } from './api.ts';
import { usePrompt } from './prompts.ts';
import { hashOf } from './route.ts';
import { useAsked } from './use-asked.ts';
import { check } from './verifier.ts';

interface Props {
  readonly ledger: number;
  readonly ids: readonly [string, string];
}

const MOST_STEPS = 40;
const MOST_ROWS = 60;

export function DiffPage({ ledger, ids }: Props) {
  const asked = useAsked(async () => {
    const read = async (id: string): Promise<ShownRun> => shownRun(await check(api.run(ledger, id)));
    return [await read(ids[0]), await read(ids[1])] as const;
  }, [ledger, ...ids]);
  if (asked.state === 'waiting') return <p class="quiet">Reading both sessions, and checking them…</p>;
  if (asked.state === 'failed') return <p class="verdict bad">{visible(asked.why)}</p>;
  return <Compared ledger={ledger} ids={ids} runs={asked.value} />;
}

function Compared({ ledger, ids, runs }: Props & { readonly runs: readonly [ShownRun, ShownRun] }) {
  const diff = useMemo(() => diffOf(runs[0].model, runs[1].model), [runs]);
  return (
    <>
      <h1>Two sessions compared</h1>
      <div class="two heads">
        {runs.map(({ model, answer }, side) => (
          <div class="card" key={ids[side]}>
            <a href={hashOf({ page: 'session', ledger, id: ids[side] ?? '', entry: null })}>
              {brief(model.agent, 40)}, {moment(model.started)}
            </a>
            <Begun ledger={ledger} id={ids[side] ?? ''} />
            <p class="quiet">
              {brief(model.models.join(', '), 80)} {counted(model.counts.calls, 'call')},{' '}
              {counted(model.claims.length, 'claim')}
            </p>
            {!answer.isSound && <p class="badge bad">This record was changed. Don’t rely on it.</p>}
          </div>
        ))}
      </div>
      <Parting diff={diff} ledger={ledger} ids={ids} />
      <Tools tools={diff.tools} />
      <Claims claims={diff.claims} />
      <Files files={diff.files} />
    </>
  );
}

/** People know a session by what it was begun with. */
function Begun({ ledger, id }: { readonly ledger: number; readonly id: string }) {
  const prompt = usePrompt(ledger, id);
  return typeof prompt === 'string' && prompt !== '' ? <p>“{brief(prompt, 140)}”</p> : null;
}

function Parting({
  diff: { same, before, after, hasAgents },
  ledger,
  ids,
}: Props & { readonly diff: SessionDiff }) {
  const isSame = after[0].length === 0 && after[1].length === 0;
  return (
    <section aria-labelledby="parting">
      <h2 id="parting">Where they part</h2>
      <p>
        {isSame
          ? `They never do: all ${counted(same, 'step')} are the same.`
          : same === 0
            ? 'At the very first step.'
            : `After ${counted(same, 'step')} that are the same. The last of them was `}
        {!isSame && before !== null && (
          <>
            <strong>{brief(before.title)}</strong> <span class="quiet">{brief(before.text, 160)}</span>
          </>
        )}
      </p>
      {hasAgents && (
        <p class="quiet">What subagents did is left out here, and counted in the tables below.</p>
      )}
      {!isSame && (
        <div class="two">
          {after.map((steps, side) => (
            <ol
              class="course"
              key={ids[side]}
              aria-label={side === 0 ? 'The first session' : 'The second session'}
            >
              {steps.length === 0 && <li class="quiet">It did nothing more.</li>}
              {steps.slice(0, MOST_STEPS).map((step) => (
                <CourseStep key={step.seq} step={step} ledger={ledger} id={ids[side] ?? ''} />
              ))}
              {steps.length > MOST_STEPS && <li class="quiet">and {steps.length - MOST_STEPS} more</li>}
            </ol>
          ))}
        </div>
      )}
    </section>
  );
}

function CourseStep({
  step: { seq, title, text, outcome, tone },
  ledger,
  id,
}: {
  readonly step: Step;
  readonly ledger: number;
  readonly id: string;
}) {
  return (
    <li class={tone}>
      <a href={hashOf({ page: 'session', ledger, id, entry: seq })}>{brief(title, 60)}</a>{' '}
      <span>{brief(text, 160)}</span> <span class="quiet">{brief(outcome, 80)}</span>
    </li>
  );
}

function Tools({ tools }: Pick<SessionDiff, 'tools'>) {
  return (
    <Table title="Tools" names={['Tool', 'First', 'Second']} isEmpty={tools.length === 0}>
      {tools.slice(0, MOST_ROWS).map(({ name, counts: [a, b] }) => (
        <tr key={name} class={a === b ? '' : 'differs'}>
          <th scope="row">{brief(name, 80)}</th>
          <td>{a}</td>
          <td>{b}</td>
        </tr>
      ))}
    </Table>
  );
}

function Claims({ claims }: Pick<SessionDiff, 'claims'>) {
  const said = (claim: ClaimRow | null) =>
    claim === null ? (
      <span class="quiet">not claimed</span>
    ) : (
      <span class={`badge ${claim.tone}`}>{statusWords(claim.status)}</span>
    );
  return (
    <Table title="Claims" names={['Claim', 'First', 'Second']} isEmpty={claims.length === 0}>
      {claims.slice(0, MOST_ROWS).map(({ words, claims: [a, b] }) => (
        <tr key={words} class={a?.status === b?.status ? '' : 'differs'}>
          <th scope="row">{brief(words, 160)}</th>
          <td>{said(a)}</td>
          <td>{said(b)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Files({ files }: Pick<SessionDiff, 'files'>) {
  return (
    <Table title="Files" names={['Path', 'First', 'Second']} isEmpty={files.length === 0}>
      {files.slice(0, MOST_ROWS).map(({ path, did: [a, b] }) => (
        <tr key={path} class={a === b ? '' : 'differs'}>
          <th scope="row" class="path">
            {brief(path, 160)}
          </th>
          <td>{a || '–'}</td>
          <td>{b || '–'}</td>
        </tr>
      ))}
    </Table>
  );
}

function Table({
  title,
  names,
  isEmpty,
  children,
}: {
  readonly title: string;
  readonly names: readonly string[];
  readonly isEmpty: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {isEmpty ? (
        <p class="quiet">Neither has any.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <div class="scroll" tabIndex={0}>
          <table class="compared">
            <thead>
              <tr>
                {names.map((name) => (
                  <th scope="col" key={name}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>{children}</tbody>
          </table>
        </div>
      )}
    </section>
  );
}
