// C12: a vote counts with its receipt alone.
import { describe, expect, it } from 'vitest';
import { makeSigner } from '../../src/core/index.ts';
import { parseEntry } from '../../src/format/index.ts';
import { AttestError, assertVoteReceipts } from '../../src/harness/index.ts';
import { Receipts } from '../verify/make-receipts.ts';

/** What is said of the votes of a session, whose counted calls are those that `tell` gives. */
function said(tell: (made: Receipts) => readonly number[], through: [] | null = null): string {
  const made = new Receipts().begin();
  const counted = tell(made);
  const all = made.lines.map((line) => parseEntry(Buffer.from(line)));
  const entries = all.filter(({ session_id }) => session_id === made.session);
  const keys = all.filter(({ kind }) => kind === 'gateway.key');
  try {
    assertVoteReceipts({ origin: made.origin, entries, keys, counted, through });
  } catch (error) {
    if (error instanceof AttestError) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'held';
}

const stranger = makeSigner('other', new Uint8Array(32).fill(77));

describe('C12 the receipts of votes', () => {
  it('hold where the gateway signed one for each, also by a newer key', () => {
    expect(
      said((made) => {
        const [one, two] = [made.exchange(), made.exchange()];
        made.receipt(one);
        made.gatewayKey(42);
        made.receipt(two);
        return [one.call, two.call];
      }),
    ).toBe('held');
  });

  it('are not asked for where an answer is no vote', () => {
    expect(said((made) => [made.exchange().call].slice(1))).toBe('held');
  });

  it.each<[string, (made: Receipts) => readonly number[]]>([
    ['is none', (made) => [made.exchange().call]],
    [
      'is one of another call',
      (made) => {
        const { call } = made.exchange();
        made.receipt(made.exchange());
        return [call];
      },
    ],
    [
      'is one by another key',
      (made) => {
        const asked = made.exchange();
        made.receipt(asked, { by: stranger });
        return [asked.call];
      },
    ],
    [
      'says otherwise than the entries',
      (made) => {
        const asked = made.exchange();
        made.receipt(asked, { change: { modelAnswered: 'better' } });
        return [asked.call];
      },
    ],
    [
      'is malformed',
      (made) => {
        const asked = made.exchange();
        made.receipt(asked, { forge: (payload) => ({ ...payload, more: 1 }) });
        return [asked.call];
      },
    ],
  ])('VOTE_UNRECEIPTED: there %s', (_, tell) => {
    expect(said(tell)).toMatch(/^VOTE_UNRECEIPTED .*has no valid receipt from the gateway/);
  });

  it('VOTE_UNRECEIPTED: an independent gateway vouches for all calls, or the votes do not count', () => {
    const own = (made: Receipts): number[] => {
      const asked = made.exchange();
      made.receipt(asked);
      return [asked.call];
    };
    expect(said(own, [])).toMatch(/^VOTE_UNRECEIPTED .*GATEWAY_RECEIPT_MISSING/);
  });
});
