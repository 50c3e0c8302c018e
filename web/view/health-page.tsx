// What state each ledger is in. The server reads names and entries for it and verifies nothing, and the page says so.
import type { Health, HealthReport, Pulse } from '../../src/view/answers.ts';
import { Prose } from '../parts/prose.tsx';
import { counted, moment, thousands, visible } from '../parts/words.ts';
import { api } from './api.ts';
import { useAsked } from './use-asked.ts';
import { VerifyHere } from './verify-here.tsx';

export function HealthPage({ ledger, pulse }: { readonly ledger: number; readonly pulse: Pulse }) {
  const asked = useAsked(() => api.health(ledger), [ledger, pulse]);
  if (asked.state === 'waiting') return <p class="quiet">Looking at the ledger…</p>;
  if (asked.state === 'failed') return <p class="verdict bad">{visible(asked.why)}</p>;
  const { ledgers } = asked.value;
  return (
    <div id="health">
      <h1 class="unseen">Ledger</h1>
      {ledgers.map((each, index) => (
        <OneLedger
          key={each.directory}
          found={each}
          // All of them together stand before the first.
          number={ledgers.length > 1 ? index + 1 : ledger}
          title={ledgers.length > 1 ? each.name : 'The ledger'}
        />
      ))}
      <p class="quiet">
        Nothing above was verified until you press the button. Run <code>foil verify -v</code> to check the
        whole ledger, and <code>foil status</code> for what needs doing.
      </p>
    </div>
  );
}

type Found = HealthReport['ledgers'][number];

interface OneProps {
  readonly found: Found;
  readonly number: number;
  readonly title: string;
}

function OneLedger({ found, number, title }: OneProps) {
  if ('problem' in found)
    return (
      <section>
        <h2>{visible(title)}</h2>
        <p class="verdict bad">
          {visible(found.directory)} can’t be read: <Prose text={found.problem} />
        </p>
      </section>
    );
  const { gaps, pending } = found;
  return (
    <section>
      <h2>{visible(title)}</h2>
      {found.notices.map((notice) => (
        <p key={notice} class="verdict bad" role="alert">
          <Prose text={notice} />
        </p>
      ))}
      <dl class="facts">
        {factsOf(found).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{visible(value)}</dd>
          </div>
        ))}
      </dl>
      <VerifyHere ledger={number} entries={found.entries} />
      <Checkpoints found={found} />
      {pending.length > 0 && (
        <>
          <h3>Not recorded, and not in the ledger yet</h3>
          <ul>
            {pending.map((text) => (
              <li key={text}>{visible(text)}</li>
            ))}
          </ul>
        </>
      )}
      {gaps.newest.length > 0 && (
        <>
          <h3>When nothing was being recorded</h3>
          {gaps.count > gaps.newest.length && (
            <p class="quiet">
              These are the newest {gaps.newest.length} of {thousands(gaps.count)}.
            </p>
          )}
          <ul>
            {gaps.newest.map(({ seq, ts, text }) => (
              <li key={seq}>
                {visible(text)}{' '}
                <span class="quiet">
                  entry {seq}, {moment(ts)}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

const STAMPS = {
  none: 'none',
  pending: 'asked for, no block yet',
  complete: 'in a Bitcoin block',
} as const;

function Checkpoints({ found: { checkpoints, newest_checkpoints: newest } }: { readonly found: Health }) {
  if (newest.length === 0) return null;
  return (
    <>
      <h3>Checkpoints</h3>
      <table class="checkpoints">
        <thead>
          <tr>
            <th scope="col">Entries</th>
            <th scope="col">New</th>
            <th scope="col">Written</th>
            <th scope="col">Time stamp</th>
          </tr>
        </thead>
        <tbody>
          {newest.map(({ size, written, stamp }, index) => {
            const before = newest[index + 1]?.size ?? (checkpoints === newest.length ? 0 : null);
            return (
              <tr key={size}>
                <td>{thousands(size)}</td>
                <td>{before === null ? '' : `+${thousands(size - before)}`}</td>
                <td>{moment(written)}</td>
                <td>{STAMPS[stamp]}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {checkpoints > newest.length && (
        <p class="quiet">
          These are the newest {newest.length} of {thousands(checkpoints)}. Each time is that of the file.
        </p>
      )}
    </>
  );
}

function factsOf(found: Health): [string, string][] {
  const { entries, sealed, sessions, open, index } = found;
  return [
    ['Ledger', found.origin],
    ['Folder', found.directory],
    ['Entries', thousands(entries)],
    ['Sealed', sealedWords(entries, sealed)],
    ['Checkpoints', thousands(found.checkpoints)],
    ['Time stamps', stampWords(found.stamps)],
    ['Sessions', sessions === null ? 'being counted' : sessionWords(sessions, open ?? 0)],
    ['Archive', archiveWords(found.archive)],
    ['Record', megabytes(found.ledger_bytes, found.complete)],
    ['Content', megabytes(found.content_bytes, found.complete)],
    ['Gaps', gapWords(found.gaps)],
    ...(index === null ? [] : [['Search index', indexWords(index)] as [string, string]]),
  ];
}

function sealedWords(entries: number, sealed: number): string {
  if (sealed === entries) return 'all of them';
  if (sealed > entries)
    return `${thousands(sealed)}, of which ${thousands(sealed - entries)} can’t be read any more`;
  return `${thousands(sealed)}, ${counted(entries - sealed, 'entry', 'entries')} not yet`;
}

function stampWords({ proofs, complete, last }: Health['stamps']): string {
  if (proofs === 0) return 'none';
  const reach = complete === 0 ? '' : `, up to entry ${thousands(last)}`;
  return `${counted(proofs, 'stamp')}, ${thousands(complete)} with a Bitcoin block${reach}`;
}

function sessionWords(sessions: number, open: number): string {
  return open === 0 ? thousands(sessions) : `${thousands(sessions)}, ${open} of them open`;
}

function archiveWords({ segments, gzipped, upkeep }: Health['archive']): string {
  const tidied = upkeep === null ? 'never tidied up' : `last tidied up on ${upkeep}`;
  const packed = gzipped === 0 ? 'not gzipped' : `${thousands(gzipped)} gzipped`;
  return `${counted(segments, 'file')}, ${packed}; ${tidied}`;
}

function megabytes(bytes: number, isComplete: boolean): string {
  const size = bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  return `${isComplete ? '' : 'at least '}${size}`;
}

function gapWords({ from, count }: Health['gaps']): string {
  const where = from > 1 ? ` in the entries from ${thousands(from)} on` : '';
  return `${count === 0 ? 'none' : thousands(count)}${where}`;
}

function indexWords({ read, of, problem }: NonNullable<Health['index']>): string {
  if (problem !== null) return problem;
  return read >= of ? 'complete' : `${thousands(read)} of ${thousands(of)} entries so far`;
}
