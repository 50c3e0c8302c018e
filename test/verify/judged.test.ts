// C12, C14: what a verifier says of a result that a model judged. It is an opinion by somebody, and no tier.
import { describe, expect, it } from 'vitest';
import { parseVerifierKey } from '../../src/core/index.ts';
import { BUNDLE_PARTS, parseBundle, parseSignedAttestation } from '../../src/format/index.ts';
import { openPack } from '../../src/harness/index.ts';
import { type BundleReport, checkAttestation, verifyBundle } from '../../src/verify/index.ts';
import { attesterKey, signed } from '../format/attestations.ts';
import { readBundle, readCases } from './run-bundles.ts';

const PART = 'attestations/1.json';
const vector = readCases().find(({ name }) => name === 'judged');
const bytes = readBundle({ file: 'judged.bundle' });
const { parts } = parseBundle(bytes);
const { attestation } = parseSignedAttestation(parts.get(PART) ?? new Uint8Array());

function report(attestations: readonly Uint8Array[] = []): BundleReport {
  const { keys = [], packs = [] } = vector?.trust ?? {};
  return verifyBundle(bytes, {
    trust: { keys: keys.map(parseVerifierKey), packs, gateways: [], attesters: [{ key: attesterKey() }] },
    now: Date.parse(vector?.now ?? ''),
    attestations,
    openPack,
  });
}

describe('C12 a result that a model judged', () => {
  it('is told with whose word it is and the score, and lifts no tier', () => {
    expect(report()).toMatchObject({
      verdict: 'PASS',
      tier: 'self',
      whyNotHigher: expect.stringContaining('a model judged the result by a rubric, and nothing was run'),
      judged: { attester: attestation.attester, model: 'judge-1', score: 85, threshold: 70, votes: 3 },
      findings: [],
    });
  });

  it('has the lowest score of those that attesters say', () => {
    const { rubric } = attestation;
    if (rubric === undefined) throw new Error('not by rubric');
    const again = (score: number): Uint8Array =>
      signed({
        ...attestation,
        rubric: { ...rubric, votes: rubric.votes.map((vote) => ({ ...vote, score })), score },
      });
    expect(report([again(72), again(99)]).judged?.score).toBe(72);
    expect(report([again(99)]).judged?.score).toBe(85);
  });

  it('C14 is not compared with a pack that is not at hand, and is with one that is', () => {
    const of = {
      ...attestation,
      eventChainRoot: null,
      attesters: [{ key: attesterKey() }],
      now: Date.parse(vector?.now ?? ''),
    };
    const other = signed({ ...attestation, rubric: { ...attestation.rubric, model: 'judge-2' } as never });
    const pack = openPack(parts.get(BUNDLE_PARTS.pack) ?? new Uint8Array());
    expect(checkAttestation(other, of)).toMatchObject({ ok: true });
    expect(checkAttestation(other, { ...of, pack })).toMatchObject({
      code: 'ATTESTATION_OTHER_VERIFICATION',
      message: 'The pack asks for the model judge-1, but judge-2 judged.',
    });
  });
});
