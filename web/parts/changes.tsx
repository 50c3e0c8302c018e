// What the session did to files, line by line, and where each text comes from. All of it is text of others, drawn as text.
import { useEffect, useState } from 'preact/hooks';
import type { Changes as Diff, NamedCommit } from '../../src/format/index.ts';
import type { Hunk, Step } from '../../src/report/unified-diff.ts';
import { type Held, type ShownChange, shownChanges } from '../model/changes.ts';
import type { SessionModel } from '../model/session.ts';
import { brief, counted, visible } from './words.ts';

/** Undefined: there is none. Null: it is being read. A text: why it can't be. */
export type DiffState = Diff | null | string | undefined;

interface Props {
  readonly diff: DiffState;
  readonly model: SessionModel;
  /** The record itself was changed: its hashes say nothing. */
  readonly isSound: boolean;
  readonly show: (seq: number) => void;
}

/** Files with fewer changed lines than this, together, are open from the beginning. */
const FEW = 120;
/** Of one file. */
const MOST_LINES = 600;

export function Changes({ diff, model, isSound, show }: Props) {
  const [shown, setShown] = useState<readonly ShownChange[] | null>(null);
  const entries = model.rows;
  useEffect(() => {
    if (typeof diff !== 'object' || diff === null) return;
    shownChanges(
      diff,
      entries.map(({ entry }) => entry),
      model.workspace,
    ).then(setShown, () => setShown([]));
  }, [diff, model]);
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">Changes</h2>
      {diff === undefined ? (
        <p class="quiet">
          The ledger keeps hashes of what was written, not the text, and this file has no diff. Whoever made
          it can add one with <code>foil report --diff</code>.
        </p>
      ) : typeof diff === 'string' ? (
        <p class="quiet">{visible(diff)}</p>
      ) : diff === null || shown === null ? (
        <p class="quiet">Reading the changes…</p>
      ) : (
        <Listed
          diff={diff}
          shown={shown}
          isSound={isSound}
          hasChanged={model.files.some(({ writes, deletes }) => writes + deletes > 0)}
          show={show}
        />
      )}
    </section>
  );
}

interface ListedProps {
  readonly diff: Diff;
  readonly shown: readonly ShownChange[];
  readonly isSound: boolean;
  /** Entries say that files were changed. */
  readonly hasChanged: boolean;
  readonly show: Props['show'];
}

function Listed({ diff, shown, isSound, hasChanged, show }: ListedProps) {
  const { before, after, absent, more } = diff;
  if (shown.length + absent.length + more === 0)
    return (
      <p class="quiet">
        {hasChanged
          ? 'What the session changed in its files is not shown here.'
          : 'No entry says that the session changed a file.'}
      </p>
    );
  const lines = shown.reduce((sum, { added, removed }) => sum + added + removed, 0);
  return (
    <>
      <p class="quiet">
        {before !== null && (
          <>
            Before: <Commit named={before} show={show} />, from git. Changes that were not committed then
            count as the session’s.{' '}
          </>
        )}
        {after !== null && (
          <>
            After: <Commit named={after} show={show} />.{' '}
          </>
        )}
        The ledger keeps hashes of what was written, not the text. So this is not part of the proof, except
        for a result that has a recorded hash.
      </p>
      {shown.map((change) => (
        <File
          key={change.file.path}
          change={change}
          after={after}
          isSound={isSound}
          isOpen={lines <= FEW}
          show={show}
        />
      ))}
      {absent.length > 0 && (
        <>
          <h3>Changed, but not shown</h3>
          <ul class="findings">
            {absent.map(({ path, why }) => (
              <li key={path}>
                <span class="path">{brief(path)}</span> <span class="quiet">{visible(why)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {more > 0 && <p class="quiet">{counted(more, 'more file is', 'more files are')} not listed here.</p>}
    </>
  );
}

const NAMED: Readonly<Record<NamedCommit['how'], string>> = {
  start: 'HEAD when the session began',
  commit: 'the commit that was recorded',
  output: 'the last commit that git printed in the session',
  next: 'HEAD when the next session in this folder began, so others may have changed something too',
};

function Commit({ named: { commit, how, seq }, show }: { named: NamedCommit; show: Props['show'] }) {
  return (
    <>
      <code>{commit.slice(0, 12)}</code> ({NAMED[how]},{' '}
      {how === 'next' ? (
        `entry ${seq} of the ledger`
      ) : (
        <button type="button" class="link" onClick={() => show(seq)}>
          entry {seq}
        </button>
      )}
      )
    </>
  );
}

const BADGES: Readonly<Record<Held, readonly [tone: string, words: string]>> = {
  recorded: ['good', 'result as recorded'],
  other: ['bad', 'not as recorded'],
  open: ['doubt', 'not part of the proof'],
};

interface FileProps {
  readonly change: ShownChange;
  readonly after: NamedCommit | null;
  readonly isSound: boolean;
  readonly isOpen: boolean;
  readonly show: Props['show'];
}

/** Lines are drawn once somebody looks: there may be many. */
function File({ change, after, isSound, isOpen: isOpenFirst, show }: FileProps) {
  const [isOpen, setOpen] = useState(isOpenFirst);
  const { file, seq, hunks, added, removed } = change;
  const held = isSound ? change.held : 'open';
  const [tone, words] = BADGES[held];
  return (
    <details class="change" open={isOpenFirst} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="path">{brief(file.path)}</span> <span class="added">+{added}</span>{' '}
        <span class="removed">−{removed}</span> {file.before === null && <span class="badge">new</span>}
        {file.after === null && <span class="badge">deleted</span>}{' '}
        <span class={`badge ${tone}`}>{words}</span>
      </summary>
      {isOpen && (
        <>
          <p class="quiet">
            {sourceWords(held, change, after)}{' '}
            {seq !== null && (
              <button type="button" class="link" onClick={() => show(seq)}>
                entry {seq}
              </button>
            )}
          </p>
          {hunks.length === 0 ? (
            <p class="quiet">There is no difference between the two.</p>
          ) : (
            <Hunks hunks={hunks} />
          )}
        </>
      )}
    </details>
  );
}

function sourceWords(held: Held, { file: { from } }: ShownChange, after: NamedCommit | null): string {
  const where =
    from === 'tree'
      ? 'The result is the file as it is now.'
      : `The result is from ${after?.commit.slice(0, 12)}.`;
  if (held === 'recorded') return `${where} It has the hash that was recorded when it was last written, in`;
  if (held === 'other') return `${where} It was changed after the session last wrote it: another hash is in`;
  return `${where} No hash of it was recorded, so nobody can say whether the session left it so.`;
}

function Hunks({ hunks }: { readonly hunks: readonly Hunk[] }) {
  let room = MOST_LINES;
  const drawn = hunks.flatMap(({ head, steps }) => {
    const some = steps.slice(0, Math.max(0, room));
    room -= steps.length;
    return some.length === 0 ? [] : [{ head, steps: some }];
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div class="scroll" tabIndex={0}>
      <pre class="diff">
        {drawn.map(({ head, steps }) => (
          <>
            <span class="head">{`${head}\n`}</span>
            {runsOf(steps).map(({ sign, text }, index) => (
              <span key={index} class={sign === '+' ? 'added' : sign === '-' ? 'removed' : ''}>
                {visible(text)}
              </span>
            ))}
          </>
        ))}
      </pre>
      {room < 0 && <p class="quiet">{counted(-room, 'more line')} not shown.</p>}
    </div>
  );
}

const LONGEST_LINE = 2000;

/** Lines of one kind that follow one another are one element. */
function runsOf(steps: readonly Step[]): { readonly sign: string; readonly text: string }[] {
  const runs: { sign: string; text: string }[] = [];
  for (const { sign, line } of steps) {
    const text = line.endsWith('\n') ? line.slice(0, -1) : `${line}\n\\ No newline at end of file`;
    const cut = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
    const last = runs.at(-1);
    if (last?.sign === sign) last.text += `${sign}${cut}\n`;
    else runs.push({ sign, text: `${sign}${cut}\n` });
  }
  return runs;
}
