// Somebody who has the ledger's keys writes it anew, seals it as it should be, and leaves nothing that contradicts itself
// but what is out of reach: hashes that others computed, and stamps that others hold.
import { describe, expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import type { JsonObject } from '../../src/core/index.ts';
import { parseEntry } from '../../src/format/index.ts';
import type { Report, VerifyOptions } from '../../src/verify/index.ts';
import { codesOf, verify } from '../verify/expect.ts';
import { hashOf, rewritten, SessionMaker, stampPath, testBlock } from '../verify/make-sessions.ts';

const START = 1_763_200_000;
const HOUR = 3600;

/** Two sessions of four turns each; entries 2 to 11, and 12 to 21. */
function honest(): SessionMaker {
  const made = new SessionMaker();
  for (let i = 0; i < 2; i++) {
    const id = made.start({ block: testBlock(100 + i, START + i * 600) });
    made.turns(id, 4).end(id);
    made.seal();
  }
  return made;
}

const entriesOf = (made: SessionMaker) => made.lines.map((line) => parseEntry(utf8Encode(line)));
const check = (made: SessionMaker, more: VerifyOptions = {}): Promise<Report> =>
  verify(made.files, { keys: [made.signer], network: 'regtest', ...more });
const found = (report: Report): string[] =>
  codesOf(report, ['integrity', 'truncation', 'identity', 'sessions', 'time']);

/** All that a turn of the second session left. */
function withoutTurn(made: SessionMaker, sequence: number): SessionMaker {
  return rewritten(made, ({ seq, payload }) => (seq > 12 && payload.sequence === sequence ? null : payload));
}

describe('G4 X2 one interaction taken out, everything signed again', () => {
  it('is INTACT before', async () => {
    expect(found(await check(honest()))).toEqual(['INTERVAL_OPEN@21']);
  });

  it.each([1, 2, 3])('the one of turn %i is named', async (sequence) => {
    const report = await check(withoutTurn(honest(), sequence));
    const at = 13 + 2 * (sequence - 1) + 1;
    expect(codesOf(report, ['sessions'])).toEqual([`INTERACTION_MISSING@${at}`]);
    expect(report.verdict).toBe('BROKEN');
    expect(report.facets.sessions.findings[0]?.message).toMatch(
      new RegExp(`is interaction ${sequence + 1}, but ${sequence} was expected`),
    );
  });

  it('the last one is missed by the end', async () => {
    const report = await check(withoutTurn(honest(), 4));
    expect(codesOf(report, ['sessions'])).toEqual(['INTERACTION_MISSING@19']);
  });

  it('with those behind it counted anew: the chain is broken', async () => {
    const made = rewritten(honest(), ({ seq, payload }) => {
      if (seq <= 12 || typeof payload.sequence !== 'number') return payload;
      if (payload.sequence === 2) return null;
      return payload.sequence > 2 ? { ...payload, sequence: payload.sequence - 1 } : payload;
    });
    expect(codesOf(await check(made), ['sessions'])).toEqual([
      'INTERACTION_CHAIN_BROKEN@16',
      'INTERACTION_MISSING@19',
    ]);
  });

  it('with one response put in place of another', async () => {
    const made = rewritten(honest(), ({ seq, kind, payload }) =>
      kind === 'response' && seq === 14 ? { ...payload, response_hash: 'f'.repeat(64) } : payload,
    );
    expect(codesOf(await check(made), ['sessions'])).toEqual(['INTERACTION_CHAIN_BROKEN@14']);
  });

  it('a whole first session: what follows has another place than its id says', async () => {
    const [, start] = entriesOf(honest());
    const made = rewritten(honest(), ({ session_id, payload }) =>
      session_id === start?.session_id ? null : payload,
    );
    expect(codesOf(await check(made), ['sessions'])).toEqual(['SESSION_ID_WRONG@2']);
  });
});

describe('X2i a stamped ledger, rewritten with its own keys and with every hash made right', () => {
  /** Interaction 2 of the second session taken out, and the chain computed anew: nothing inside can show it. */
  function forged(made: SessionMaker): SessionMaker {
    const chains = new Map<string, string>();
    let sequence = 0;
    return rewritten(made, ({ seq, kind, session_id: session, payload }): JsonObject | null => {
      if (seq <= 12 || session === null) return payload;
      if (payload.sequence === 2) return null;
      const before = chains.get(session) ?? session;
      if (kind === 'prompt') return { ...payload, sequence: sequence + 1 };
      if (kind === 'response') {
        const hash = hashOf(before, payload.prompt_hash as string, payload.response_hash as string);
        chains.set(session, hash);
        return { ...payload, sequence: ++sequence, chain_hash: hash };
      }
      if (kind !== 'session.end') return payload;
      return {
        ...payload,
        interactions: sequence,
        chain_hash: before,
        final_hash: hashOf(session, null, before),
      };
    });
  }

  it('is consistent in itself, and below what is required', async () => {
    const made = forged(honest());
    const report = await check(made, { require: ['signed', 'anchored'] });
    expect(report).toMatchObject({ verdict: 'INTACT', marks: { signed: { to: 19 }, anchored: null } });
    expect(codesOf(report, ['sessions'])).toEqual([]);
    expect(report.required.missing).toEqual(['anchored']);
  });

  it('fails for a verifier who holds the stamp', async () => {
    const real = honest();
    const kept = real.stamp(103, START + HOUR);
    expect((await check(real, { keptStamps: [kept], require: ['anchored'] })).required.missing).toEqual([]);
    const report = await check(forged(real), { keptStamps: [kept] });
    expect(report.verdict).toBe('BROKEN');
    expect(found(report)).toContain('STAMP_NOT_KEPT');
    expect(report.sentence).toContain('the ledger has been rewritten since');
  });

  it('fails where the old stamp was left in its place', async () => {
    const real = honest();
    real.stamp(103, START + HOUR);
    const made = forged(real);
    // Two entries more, so that there is a checkpoint of the size that the stamp is named after.
    made.notes(2).seal();
    for (const part of ['ots', 'headers.json'])
      made.files.set(stampPath(21, part), real.files.get(stampPath(21, part)) as Uint8Array);
    const report = await check(made);
    expect(report.verdict).toBe('BROKEN');
    expect(codesOf(report, ['time'])).toContain('STAMP_FOREIGN@21');
  });

  it('is anchored only later where it was stamped anew', async () => {
    const real = honest();
    real.stamp(103, START + HOUR);
    const made = forged(real);
    made.stamp(300, START + 40 * HOUR);
    const before = await check(real);
    const after = await check(made);
    expect(before.marks.anchored?.time).toBe('2025-11-15T10:46:40.000Z');
    expect(after.marks.anchored?.time).toBe('2025-11-17T01:46:40.000Z');
    expect(codesOf(after, ['time'])).toEqual(['INTERVAL_WIDE@19']);
    expect(after.sentence).toContain('since 2025-11-17 01:46 UTC');
  });
});
