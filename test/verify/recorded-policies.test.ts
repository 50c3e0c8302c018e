// Which policy was in force when claims were judged, where somebody accepted one whom the verifier doesn't know: nobody is
// accused of going by the one that counts for its own user, and nothing is proven by a stranger's weaker one.
import { describe, expect, it } from 'vitest';
import {
  encodeBase64,
  encodeVerifierKey,
  type JsonObject,
  makeSigner,
  policyHashOf,
  policyMessage,
  type Signer,
  type VerifierKey,
} from '../../src/core/index.ts';
import { encodePolicyRecord } from '../../src/format/index.ts';
import { DEFAULT_POLICY, encodeClaimPolicy } from '../../src/policy/index.ts';
import { codesOf, verify } from './expect.ts';
import { Story } from './make-evidence.ts';

const OPERATOR = makeSigner('operator', new Uint8Array(32).fill(9));
const STRANGER = makeSigner('stranger', new Uint8Array(32).fill(10));
const PLAIN = encodeClaimPolicy(DEFAULT_POLICY);
/** One reported run does not settle the claim of the story under this. */
const STRICT: JsonObject = { claims: { tested: { validators: ['test_pass'], grade: 'corroborated' } } };
const DEAF: JsonObject = { phrases: { remove: ['all tests pass'] } };

function accept(story: Story, claimPolicy: JsonObject, by: Signer): Story {
  const policyHash = policyHashOf(claimPolicy);
  const place = { origin: story.origin, seq: story.size + 1, prevHash: story.hashes.at(-1) ?? '' };
  const signature = encodeBase64(by.sign(policyMessage({ ...place, policyHash })));
  const accepted = { by: encodeVerifierKey(by as VerifierKey), signature };
  story.append('policy', encodePolicyRecord({ claimPolicy, policyHash, accepted }));
  return story;
}

/** A ledger whose first policy is this one. */
function begun(claimPolicy: JsonObject): Story {
  return new Story().policy(claimPolicy, policyHashOf(claimPolicy));
}

/** A turn that was judged by this policy: one run, one claim, which passed. */
function judged(story: Story, claimPolicy: JsonObject): Story {
  const policyHash = policyHashOf(claimPolicy);
  story.begin().ask();
  story.edit();
  story.stop([story.run()], { validation: { policyHash }, gate: { policyHash } });
  return story.end();
}

async function found(story: Story, operators: readonly Signer[] = []) {
  const report = await verify(story.seal().files, {
    keys: [story.signer],
    operators: operators as unknown as VerifierKey[],
  });
  const codes = codesOf(report, ['evidence']).map((each) => each.replace(/@.*/, ''));
  return { codes, status: report.facets.evidence.status, proven: report.counts.claimsProven };
}

const PROVEN = { codes: [], status: 'pass', proven: 1 };
const UNSETTLED = { codes: ['POLICY_UNSETTLED'], status: 'unknown', proven: 0 };

describe('B7 a policy of somebody whom the verifier does not know', () => {
  it('makes nobody wrong who goes by the one before it', async () => {
    const stranger = accept(begun(PLAIN), { blocks: 3 }, STRANGER);
    expect(await found(judged(stranger, PLAIN))).toEqual(PROVEN);
    const pinned = accept(begun(PLAIN), STRICT, STRANGER);
    expect(await found(judged(pinned, PLAIN), [OPERATOR])).toEqual(PROVEN);
  });

  it('leaves it unknown which one counts, where they differ and no operator is known', async () => {
    expect(await found(judged(accept(begun(PLAIN), STRICT, STRANGER), PLAIN))).toEqual(UNSETTLED);
  });

  it('proves nothing that the one before it would not', async () => {
    const weaker = (): Story => judged(accept(begun(STRICT), PLAIN, STRANGER), PLAIN);
    expect(await found(weaker())).toEqual(UNSETTLED);
    expect(await found(weaker(), [OPERATOR])).toEqual(UNSETTLED);
    expect(await found(weaker(), [STRANGER])).toEqual(PROVEN);
  });

  it('is held against the default, where it is the first', async () => {
    const first = (policy: JsonObject): Story => judged(accept(new Story(), policy, STRANGER), policy);
    expect(await found(first({ blocks: 3 }))).toEqual(PROVEN);
    expect((await found(first(DEAF))).codes).toEqual(['POLICY_UNSETTLED']);
    const behind = judged(accept(new Story(), DEAF, STRANGER).policy(), PLAIN);
    expect(await found(behind)).toEqual(PROVEN);
  });

  it('is named where it finds fewer claims in the message', async () => {
    const silent = (): Story => {
      const story = accept(begun(PLAIN), DEAF, STRANGER).begin().ask();
      story.edit();
      story.stop([story.run()], {
        claims: [],
        validation: null,
        gate: { verdict: 'silent', why: 'no-claim', policyHash: policyHashOf(DEAF) },
      });
      return story.end();
    };
    expect((await found(silent())).codes).toEqual(['POLICY_UNSETTLED']);
    expect((await found(silent(), [OPERATOR])).codes).toEqual(['POLICY_UNSETTLED']);
    expect((await found(silent(), [STRANGER])).codes).toEqual([]);
  });

  it('does not bring back an older one of the same key, or one that a known operator replaced', async () => {
    const twice = accept(accept(begun(PLAIN), { blocks: 3 }, STRANGER), { blocks: 4 }, STRANGER);
    expect((await found(judged(twice, { blocks: 3 }))).codes).toContain('POLICY_MISMATCH');
    const replaced = accept(accept(begun(PLAIN), { blocks: 3 }, STRANGER), { blocks: 4 }, OPERATOR);
    expect((await found(judged(replaced, PLAIN), [OPERATOR])).codes).toContain('POLICY_MISMATCH');
  });

  it('accuses nobody past the number of strangers that are kept', async () => {
    const story = begun(PLAIN);
    for (let i = 0; i < 257; i++)
      accept(
        story,
        { blocks: 3 },
        makeSigner(
          `stranger-${i}`,
          new Uint8Array(32)
            .fill(1)
            .fill(i % 256, 1)
            .fill(i >> 8, 2),
        ),
      );
    accept(story, { blocks: 4 }, OPERATOR);
    const { codes, status, proven } = await found(judged(story, { blocks: 4 }));
    expect(new Set(codes)).toEqual(new Set(['POLICY_UNSETTLED']));
    expect({ status, proven }).toEqual({ status: 'unknown', proven: 0 });
  });
});
