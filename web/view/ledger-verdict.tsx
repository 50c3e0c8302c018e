// What the check of a whole ledger, or of the proof of one entry, came to.
import { useState } from 'preact/hooks';
import type { Finding } from '../../src/verify/index.ts';
import type { LedgerAnswer } from '../check-ledger.ts';
import { brief, counted, moment, thousands, visible } from '../parts/words.ts';
import { wordsOf } from './ledger-words.ts';

interface Props {
  readonly answer: LedgerAnswer;
  readonly check: (keys: readonly string[]) => Promise<void>;
}

const MOST = 50;

export function LedgerVerdict({ answer, check }: Props) {
  const [text, setText] = useState('');
  const { tone, title, text: sentence } = wordsOf(answer);
  return (
    <>
      <section class={`verdict ${tone}`} id="verdict" aria-labelledby="verdict-title">
        <div role={tone === 'bad' ? 'alert' : 'status'}>
          <h2 id="verdict-title">{title}</h2>
          <p>{visible(sentence ?? answer.report.sentence)}</p>
          <SignedNote answer={answer} />
        </div>
        <form
          class="signer"
          onSubmit={(event) => {
            event.preventDefault();
            void check(text.split(/\s+/).filter((key) => key !== ''));
          }}
        >
          <label for="keys">
            The key that you expect, which its owner prints with <code>foil key list</code>
          </label>
          <input
            id="keys"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            autocomplete="off"
            spellcheck={false}
          />
          <button type="submit">Check again</button>
          {answer.unread.length > 0 && (
            <span class="badge bad">That isn’t a verifier key: {brief(answer.unread.join(' '), 80)}</span>
          )}
        </form>
      </section>
      {answer.what === 'ledger' ? <Facets report={answer.report} /> : <Proven report={answer.report} />}
    </>
  );
}

/** Where the headline is about something else, the reader still wants to know. */
function SignedNote({ answer }: Pick<Props, 'answer'>) {
  if (answer.what !== 'ledger' || answer.report.verdict !== 'VIOLATION') return null;
  const { signed } = answer.report.marks;
  return (
    <p>
      {signed === null
        ? 'The signer is not confirmed.'
        : `A key that you confirmed signed entries ${thousands(signed.from)} to ${thousands(signed.to)}.`}
    </p>
  );
}

type Facets = Extract<LedgerAnswer, { what: 'ledger' }>['report']['facets'];

const FACETS: Readonly<Record<keyof Facets, string>> = {
  integrity: 'Entries unchanged',
  truncation: 'Nothing missing at the end',
  identity: 'Who signed it',
  time: 'When it was written',
  sessions: 'Sessions',
  evidence: 'Claims of the agents',
  receipts: 'Receipts of model calls',
  completeness: 'Calls seen in every place',
  authority: 'Calls within their grants',
  replay: 'Runs that can be replayed',
  patches: 'Patches and their approvals',
};
const STATUSES = { pass: 'Passes', fail: 'Fails', unknown: 'Unknown' } as const;
const TONES = { pass: 'good', fail: 'bad', unknown: 'plain' } as const;

function Facets({ report }: { readonly report: Extract<LedgerAnswer, { what: 'ledger' }>['report'] }) {
  const findings = Object.values(report.facets).flatMap((facet) => facet.findings);
  return (
    <section aria-labelledby="facets">
      <h2 id="facets">What was checked</h2>
      <p class="quiet">
        {counted(report.entries, 'entry', 'entries')}
        {report.origin !== null && `, ledger ${visible(report.origin)}`}
      </p>
      <ul class="findings">
        {(Object.keys(FACETS) as (keyof Facets)[]).map((name) => {
          const { status, message } = report.facets[name];
          return (
            <li key={name}>
              <span class={`badge ${TONES[status]}`}>{STATUSES[status]}</span>{' '}
              <strong>{FACETS[name]}.</strong> <span class="quiet">{brief(message, 600)}</span>
            </li>
          );
        })}
      </ul>
      <h2>Findings</h2>
      {findings.length === 0 && <p class="quiet">The check found nothing to report.</p>}
      <List findings={findings} />
    </section>
  );
}

function Proven({ report }: { readonly report: Extract<LedgerAnswer, { what: 'proof' }>['report'] }) {
  const { entry, checkpoint, findings } = report;
  return (
    <section aria-labelledby="proven">
      <h2 id="proven">What it is about</h2>
      {checkpoint !== null && (
        <p class="quiet">
          {visible(checkpoint.origin)}, a checkpoint of {counted(checkpoint.size, 'entry', 'entries')}
        </p>
      )}
      {entry !== null && (
        <>
          <p>
            Entry {entry.seq}: {visible(entry.kind)}, recorded {moment(entry.ts)}
          </p>
          <pre>{brief(JSON.stringify(entry.payload, null, 2), 20_000)}</pre>
        </>
      )}
      <List findings={findings} />
    </section>
  );
}

function List({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <ul class="findings">
      {findings.slice(0, MOST).map(({ code, seq, message }) => (
        <li key={`${code}${seq}${message}`}>
          <code>{code}</code> {seq !== null && `entry ${seq}: `}
          {brief(message, 600)}
        </li>
      ))}
      {findings.length > MOST && <li class="quiet">and {findings.length - MOST} more</li>}
    </ul>
  );
}
