// A place to drop what somebody sent: a report, a bundle, the proof of an entry, or the folder of a ledger. It is checked
// here, and goes nowhere.
import { useState } from 'preact/hooks';
import { parseReport, parseTar, type TreeFile } from '../../src/format/index.ts';
import type { LedgerAnswer, LedgerQuestion } from '../check-ledger.ts';
import { ledgerFiles } from '../model/ledger-folder.ts';
import { RunPage } from '../parts/run-page.tsx';
import { type ShownRun, shownRun } from '../parts/shown-run.ts';
import { visible } from '../parts/words.ts';
import { api } from './api.ts';
import { chosenFiles, droppedFiles } from './dropped-folder.ts';
import { LedgerVerdict } from './ledger-verdict.tsx';
import { judgeReportPage, type PageVerdict } from './report-page.ts';
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
      /** Of a report; null of a bundle, which has none. */
      readonly page: PageVerdict | null;
    }
  | {
      readonly state: 'ledger';
      readonly name: string;
      readonly question: LedgerQuestion;
      readonly answer: LedgerAnswer;
    };

export function CheckPage() {
  const [dropped, setDropped] = useState<Dropped>({ state: 'none' });
  const take = async (name: string, read: () => Promise<Dropped>): Promise<void> => {
    setDropped({ state: 'checking', name });
    try {
      setDropped(await read());
    } catch (error) {
      setDropped({ state: 'failed', name, why: error instanceof Error ? error.message : String(error) });
    }
  };
  const takeFile = (file: File | null | undefined): void => {
    if (file !== null && file !== undefined) void take(file.name, () => checkedFile(file));
  };
  const drop = async (transfer: DataTransfer): Promise<void> => {
    const file = transfer.files[0];
    const name = file?.name ?? 'This folder';
    const found = droppedFiles(transfer);
    await take(name, async () => {
      const files = await found;
      if (files !== null) return checkedWhole(name, { what: 'ledger', files: ledgerFiles(files), keys: [] });
      if (file === undefined) throw new Error('Nothing was dropped that is a file.');
      return checkedFile(file);
    });
  };
  return (
    <>
      <h1 class="unseen">Check a file</h1>
      <section
        class="drop"
        aria-label="Drop a file"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          if (event.dataTransfer !== null) void drop(event.dataTransfer);
        }}
      >
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
        <p class="quiet">It is checked in this page. It isn't sent anywhere.</p>
      </section>
      {dropped.state === 'checking' && <p class="quiet">Checking {visible(dropped.name)}…</p>}
      {dropped.state === 'failed' && (
        <p class="verdict bad">
          {visible(dropped.name)} can't be checked here. {visible(dropped.why)}
        </p>
      )}
      {dropped.state === 'run' && dropped.page !== null && (
        <p class={`verdict ${dropped.page.tone}`} role={dropped.page.tone === 'bad' ? 'alert' : 'status'}>
          {visible(dropped.page.text)} {dropped.page.code !== null && <code>{dropped.page.code}</code>}
        </p>
      )}
      {dropped.state === 'run' && (
        <RunPage
          key={dropped.name}
          first={dropped.run}
          from="file"
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

async function checkedWhole(name: string, question: LedgerQuestion): Promise<Dropped> {
  return { state: 'ledger', name, question, answer: await checkWhole(question) };
}

const PROOF = 'c2sp.org/tlog-proof@';
const NOT_OURS =
  'It is no report, bundle or proof. If it should be one, ask for a new copy: this one may be damaged.';

async function checkedFile(file: File): Promise<Dropped> {
  const { name } = file;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const beginning = new TextDecoder().decode(bytes.subarray(0, 64));
  if (beginning.startsWith(PROOF)) return checkedWhole(name, { what: 'proof', proof: bytes, keys: [] });
  const { parts, page } = partsOf(bytes, beginning);
  const judged = page === null ? null : judgeReportPage(page, await api.reportPage());
  return { state: 'run', name, parts, page: judged, run: await shownRun(await check(parts)) };
}

/** Each byte of the page counts: a mark in front of it, too. */
const WHOLE = new TextDecoder('utf-8', { ignoreBOM: true });

function partsOf(
  bytes: Uint8Array,
  beginning: string,
): { readonly parts: readonly TreeFile[]; readonly page: string | null } {
  if (/^\s*</.test(beginning)) return parseReport(WHOLE.decode(bytes));
  try {
    return { parts: parseTar(bytes), page: null };
  } catch (error) {
    throw new Error(NOT_OURS, { cause: error });
  }
}
