// A place to drop what somebody sent: a report, a bundle, the proof of an entry, or the folder of a ledger. It is checked
// here, and goes nowhere.
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Changes, parseReport, parseTar, type TreeFile } from '../../src/format/index.ts';
import type { LedgerAnswer, LedgerQuestion } from '../check-ledger.ts';
import { readDiff } from '../model/changes.ts';
import { ledgerFiles } from '../model/ledger-folder.ts';
import { Prose } from '../parts/prose.tsx';
import { RunPage } from '../parts/run-page.tsx';
import { type ShownRun, shownRun } from '../parts/shown-run.ts';
import { visible } from '../parts/words.ts';
import { chosenFiles } from './dropped-folder.ts';
import { LedgerVerdict } from './ledger-verdict.tsx';
import { type JudgedPage, judgePage, ReportPageNote } from './report-page.tsx';
import type { Drop } from './use-drops.ts';
import { check, checkWhole } from './verifier.ts';

type Dropped =
  | { readonly state: 'none' }
  | { readonly state: 'checking'; readonly name: string }
  | { readonly state: 'failed'; readonly name: string; readonly why: string }
  | {
      readonly state: 'run';
      readonly name: string;
      readonly parts: readonly TreeFile[];
      readonly run: ShownRun;
      /** Of a report; null for a bundle, which has none. */
      readonly page: JudgedPage | null;
      readonly diff: Changes | string | undefined;
    }
  | {
      readonly state: 'ledger';
      readonly name: string;
      readonly question: LedgerQuestion;
      readonly answer: LedgerAnswer;
    };

export function CheckPage({ drop, isOver }: { readonly drop: Drop | null; readonly isOver: boolean }) {
  const [dropped, setDropped] = useState<Dropped>({ state: 'none' });
  /** How many more were dropped with it. */
  const [others, setOthers] = useState(0);
  const fields = useRef<HTMLFormElement>(null);
  const take = async (name: string, read: () => Promise<Dropped>): Promise<void> => {
    setDropped({ state: 'checking', name });
    setOthers(0);
    try {
      setDropped(await read());
    } catch (error) {
      setDropped({ state: 'failed', name, why: whyNot(error) });
    }
  };
  const takeFile = (file: File | null | undefined): void => {
    if (file !== null && file !== undefined) void take(file.name, () => checkedFile(file));
  };
  const takeDrop = async ({ file, name, folder, others: many }: Drop): Promise<void> => {
    // What was chosen in them isn't what is checked.
    fields.current?.reset();
    await take(name, async () => {
      const files = await folder;
      if (files !== null) return checkedWhole(name, { what: 'ledger', files: ledgerFiles(files), keys: [] });
      if (file === undefined) throw new Error('Nothing that you dropped is a file.');
      return checkedFile(file);
    });
    setOthers(many);
  };
  useEffect(() => {
    if (drop === null || drop.isTaken) return;
    drop.isTaken = true;
    void takeDrop(drop);
  }, [drop]);
  return (
    <>
      <h1 class="unseen">Check a file</h1>
      <form class={`drop ${isOver ? 'over' : ''}`} aria-label="Drop a file" ref={fields}>
        <p>Drop a report, a bundle, a proof or the folder of a ledger here, or choose one.</p>
        <p>
          <label for="file">A file</label>{' '}
          <input id="file" type="file" onChange={(event) => takeFile(event.currentTarget.files?.[0])} />
        </p>
        <p>
          <label for="folder">A ledger’s folder</label>{' '}
          <input
            id="folder"
            type="file"
            {...{ webkitdirectory: true }}
            onChange={(event) => {
              const files = chosenFiles(event.currentTarget.files ?? new DataTransfer().files);
              const name = files[0]?.[0].split('/')[0] ?? 'This folder';
              void take(name, async () =>
                checkedWhole(name, { what: 'ledger', files: ledgerFiles(files), keys: [] }),
              );
            }}
          />
        </p>
        <p class="quiet">It is checked in this page. It isn’t sent anywhere.</p>
      </form>
      {dropped.state === 'checking' && <p class="quiet">Checking {visible(dropped.name)}…</p>}
      {dropped.state !== 'none' && dropped.state !== 'checking' && (
        <p class="checked">
          <span class="quiet">Checked:</span> <strong>{visible(dropped.name)}</strong>
          {others > 0 &&
            ` (only this one; drop the ${others === 1 ? 'other' : `${others} others`} one at a time)`}
        </p>
      )}
      {dropped.state === 'failed' && (
        <p class="verdict bad" role="alert">
          {visible(dropped.name)} can’t be checked here. <Prose text={dropped.why} />
        </p>
      )}
      {dropped.state === 'run' && dropped.page !== null && <ReportPageNote page={dropped.page} />}
      {dropped.state === 'run' && (
        <RunPage
          key={dropped.name}
          first={dropped.run}
          from="file"
          diff={dropped.diff}
          check={(keys) => check(dropped.parts, keys)}
        />
      )}
      {dropped.state === 'ledger' && (
        <LedgerVerdict
          answer={dropped.answer}
          check={async (keys) => setDropped(await checkedWhole(dropped.name, { ...dropped.question, keys }))}
        />
      )}
    </>
  );
}

/** A browser's own words don't help whoever reads them. */
function whyNot(error: unknown): string {
  if (error instanceof DOMException)
    return 'The browser can’t read it. It may have been moved or deleted, or you may not be allowed to read it.';
  return error instanceof Error ? error.message : String(error);
}

async function checkedWhole(name: string, question: LedgerQuestion): Promise<Dropped> {
  return { state: 'ledger', name, question, answer: await checkWhole(question) };
}

const PROOF = 'c2sp.org/tlog-proof@';
const NOT_OURS =
  'It isn’t a report, a bundle or a proof. If it should be one, ask for a new copy: this one may be damaged.';

async function checkedFile(file: File): Promise<Dropped> {
  const { name } = file;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const beginning = new TextDecoder().decode(bytes.subarray(0, 64));
  if (beginning.startsWith(PROOF)) return checkedWhole(name, { what: 'proof', proof: bytes, keys: [] });
  const read = await readFile(bytes, beginning);
  const run = await shownRun(await check(read.parts));
  return {
    state: 'run',
    name,
    parts: read.parts,
    page: read.page,
    run,
    diff: readDiff(read.changes, run.answer.entries),
  };
}

async function readFile(
  bytes: Uint8Array,
  beginning: string,
): Promise<
  Pick<Extract<Dropped, { state: 'run' }>, 'parts' | 'page'> & { readonly changes: Uint8Array | undefined }
> {
  if (/^\s*</.test(beginning)) {
    // A byte order mark is for the reader of reports to refuse.
    const report = parseReport(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
    return { parts: report.parts, page: await judgePage(report.page), changes: report.changes };
  }
  try {
    return { parts: parseTar(bytes), page: null, changes: undefined };
  } catch (error) {
    throw new Error(NOT_OURS, { cause: error });
  }
}
