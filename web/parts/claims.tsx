// What the agent claimed, beside what it rests on.
import type { ClaimRow } from '../model/session.ts';
import { brief, counted } from './words.ts';

interface Props {
  readonly claims: readonly ClaimRow[];
  /** Of attempts to end a turn that the gate refused. */
  readonly replaced: readonly ClaimRow[];
  /** The record was changed. */
  readonly isFailed: boolean;
  readonly show: (seq: number) => void;
}

const MOST = 60;

const STATUS: Readonly<Record<string, string>> = {
  backed: 'Proven',
  excused: 'Excused',
  unbacked: 'Not proven',
  unproven: 'Not proven',
  proven: 'Proven',
  stale: 'Out of date',
  failed: 'Contradicted',
  weakened: 'Tests made weaker',
  narrow: 'Only part was checked',
  trick: 'Trick',
  blind: 'In doubt',
  unknown: 'Can’t tell',
  'not-tried': 'Not tried',
};

const TYPES: Readonly<Record<string, string>> = {
  done: 'that the work is done',
  changed: 'that something was changed',
  tested: 'that tests pass',
  checked: 'that something was checked',
  shipped: 'that it was shipped',
  blocked: 'that something stands in the way',
  delegation: 'that the next step is the user’s',
};

/** What the gate's word for a kind of claim means; empty where its entry is missing. */
function typeWords(type: string): string {
  return Object.hasOwn(TYPES, type) ? ` A claim ${TYPES[type]}.` : '';
}

/** What the gate's word for a judgement means. */
export function statusWords(status: string): string {
  return Object.hasOwn(STATUS, status) ? (STATUS[status] as string) : brief(status, 40);
}

export function Claims({ claims, replaced, isFailed, show }: Props) {
  return (
    <section aria-labelledby="claims">
      <h2 id="claims">Claims and evidence</h2>
      {claims.length === 0 && <p class="quiet">No claims of the agent were judged in this run.</p>}
      {claims.length > 0 && isFailed && (
        <p class="bad">The record was changed, so don’t rely on what is marked as proven here.</p>
      )}
      <ul class="claims">
        {claims.slice(0, MOST).map((claim) => (
          <Claim key={claim.seq} claim={claim} show={show} />
        ))}
      </ul>
      {replaced.length > 0 && <Earlier claims={replaced} show={show} />}
      {claims.length > MOST && <p class="quiet">{claims.length - MOST} more are in the list of entries.</p>}
    </section>
  );
}

/** By attempt: each is one entry of the gate. */
function Earlier({ claims, show }: Pick<Props, 'claims' | 'show'>) {
  const attempts = [...new Set(claims.map(({ gate }) => gate))];
  return (
    <details>
      <summary>
        The gate refused to let a turn end {counted(attempts.length, 'time')}. What was claimed then
      </summary>
      {attempts.slice(0, MOST).map((gate) => (
        <div key={gate}>
          <h4>
            Refused in{' '}
            <button type="button" class="link" onClick={() => show(gate)}>
              entry {gate}
            </button>
          </h4>
          <ul class="claims">
            {claims
              .filter((claim) => claim.gate === gate)
              .map((claim) => (
                <Claim key={claim.seq} claim={claim} show={show} />
              ))}
          </ul>
        </div>
      ))}
    </details>
  );
}

/** In the place of a reason that is not on record. */
function reasonWords(status: string): string {
  return status === 'excused'
    ? 'Nothing on record could settle it, so nobody is held to it.'
    : 'Nothing on record backs it.';
}

function Claim({ claim, show }: { readonly claim: ClaimRow; readonly show: Props['show'] }) {
  const { seq, type, quote, status, tone, reason, command, validator, evidence, changedIn } = claim;
  return (
    <li class={`claim ${tone}`}>
      <div class="said">
        <span class={`badge ${tone}`}>{statusWords(status)}</span>{' '}
        <button type="button" class="quote" onClick={() => show(seq)}>
          {quote === null ? 'A claim whose words aren’t shown' : `“${brief(quote)}”`}
        </button>
        <span class="quiet">{typeWords(type)}</span>
      </div>
      <div class="rests">
        {evidence.length > 0 ? (
          <>
            <span class="quiet">rests on </span>
            {evidence.slice(0, MOST).map((each) => (
              <button type="button" class="link" key={each} onClick={() => show(each)}>
                entry {each}
              </button>
            ))}
            {validator !== null && <span class="quiet"> ({brief(validator)})</span>}
            {changedIn === null ? (
              <span class="quiet">. No later edit is on record.</span>
            ) : (
              <span class="quiet">
                . A later edit is on record, in{' '}
                <button type="button" class="link" onClick={() => show(changedIn)}>
                  entry {changedIn}
                </button>
                .
              </span>
            )}
            {reason !== null && <p>{brief(reason, 300)}</p>}
          </>
        ) : (
          <span>{reason === null ? reasonWords(status) : brief(reason)}</span>
        )}
        {command !== null && (
          <span class="quiet">
            {' '}
            It would be settled by <code>{brief(command)}</code>.
          </span>
        )}
      </div>
    </li>
  );
}
