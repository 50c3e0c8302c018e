// What the check of a whole ledger, or of the proof of one entry, came to.
import { useState } from 'preact/hooks';
import type { Finding } from '../../src/verify/index.ts';
import type { LedgerAnswer } from '../check-ledger.ts';
import { brief, counted, visible } from '../parts/words.ts';

interface Props {
  readonly answer: LedgerAnswer;
  readonly check: (keys: readonly string[]) => Promise<void>;
}

const MOST = 50;

export function LedgerVerdict({ answer, check }: Props) {
  const [text, setText] = useState('');
  const { tone, title } = titleOf(answer);
  return (
    <>
      <section class={`verdict ${tone}`} id="verdict" aria-labelledby="verdict-title">
        <div role={tone === 'bad' ? 'alert' : 'status'}>
          <h2 id="verdict-title">{title}</h2>
          <p>{visible(answer.report.sentence)}</p>
        </div>
        <form
          class="signer"
          onSubmit={(event) => {
            event.preventDefault();
            void check(text.split(/\s+/).filter((key) => key !== ''));
          }}
        >
          <label for="keys">The key that you expect, which its owner prints with `foil key list`</label>
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

function titleOf(answer: LedgerAnswer): { tone: string; title: string } {
  const { verdict } = answer.report;
  const what = answer.what === 'ledger' ? 'This ledger' : 'This proof';
  if (verdict === 'BROKEN')
    return answer.what === 'ledger'
      ? { tone: 'bad', title: 'This ledger was changed, or is not whole' }
      : { tone: 'bad', title: 'This proof doesn’t hold' };
  if (verdict === 'VIOLATION') return { tone: 'bad', title: 'The record is intact, and a rule was broken' };
  const isSigned = answer.what === 'ledger' ? answer.report.marks.signed !== null : answer.report.valid;
  return isSigned
    ? { tone: 'good', title: `${what} passes the check` }
    : { tone: 'doubt', title: 'Intact, signer not confirmed' };
}

function Facets({ report }: { readonly report: Extract<LedgerAnswer, { what: 'ledger' }>['report'] }) {
  const findings = Object.values(report.facets).flatMap((facet) => facet.findings);
  return (
    <section aria-labelledby="facets">
      <h2 id="facets">What was checked</h2>
      <p class="quiet">
        {counted(report.entries, 'entry', 'entries')}
        {report.origin !== null && `, ledger ${visible(report.origin)}`}
      </p>
      <dl class="facts">
        {Object.entries(report.facets).map(([name, { status }]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={status === 'fail' ? 'bad' : ''}>{status}</dd>
          </div>
        ))}
      </dl>
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
            Entry {entry.seq}: {visible(entry.kind)}
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
