// How an attester verifies work: by the tests of its pack, in a sandbox, or by its rubric, with a judge. Whatever stands in
// the way of that is found before anything is run or asked.
import type { Attestation, HarnessPack, RubricVerification, TreeFile } from '../format/index.ts';
import { type AttestingSandbox, isAttesting, type Sandbox } from '../gate/index.ts';
import { verifyBundledReceipts } from '../verify/index.ts';
import type { Attempted } from './attempts.ts';
import { AttestError } from './attest-error.ts';
import { type Judge, judgeByRubric } from './judge.ts';
import { openRubricCase } from './rubric.ts';
import { runVerification } from './verification-run.ts';

export interface VerificationOptions {
  /** The best first. One that does not attest is passed over. */
  readonly sandboxes: readonly Sandbox[];
  /** Who is asked about work with a rubric; undefined for nobody. */
  readonly judge?: Judge | undefined;
  /** Where work is laid out, but for encrypted packs. */
  readonly temporary?: string | undefined;
  /** At most, whatever the pack asks for. */
  readonly mostSeconds?: number | undefined;
  readonly randomBytes: (length: number) => Uint8Array;
}

export interface Given {
  /** The bundle's bytes. */
  readonly bundle: Uint8Array;
  readonly pack: HarnessPack;
  readonly artifacts: readonly TreeFile[];
  readonly isSecret: boolean;
}

/** What came of the verification, as an attestation says it. */
export type Outcome = Pick<
  Attestation,
  'method' | 'result' | 'tests' | 'rubric' | 'reason' | 'leftOut' | 'sandbox'
>;
export type Verify = (about: Attempted, signal: AbortSignal) => Promise<Outcome>;

/** What the pack asks for, ready to go. Throws AttestError where it can't be done; nothing was run then. */
export async function openVerification(options: VerificationOptions, given: Given): Promise<Verify> {
  const { verification: asked } = given.pack.manifest;
  if (asked?.method === 'rubric') return judging(options, asked, given);
  const { pack, artifacts, isSecret } = given;
  const sandbox = await attestingSandbox(options.sandboxes);
  const { temporary, mostSeconds } = options;
  return async (_, signal) => {
    const run = { pack, artifacts, sandbox, isSecret, temporary, mostSeconds, signal };
    const { passed, ...outcome } = await runVerification(run);
    return { method: 'tests_passed', result: passed ? 'PASS' : 'FAIL', ...outcome };
  };
}

/** No score is asked for where it could not count. */
async function judging(
  options: VerificationOptions,
  asked: RubricVerification,
  given: Given,
): Promise<Verify> {
  const { judge, randomBytes } = options;
  const { isSecret, bundle } = given;
  if (judge === undefined)
    throw new AttestError(
      'NEEDS_JUDGE',
      'the pack uses a rubric, but this attester has no judge. See docs/attester.md.',
    );
  if (isSecret && !judge.takesSecrets)
    throw new AttestError(
      'SECRET_RUBRIC',
      "the pack is encrypted, and its rubric would go to a model's provider. Its operator can allow that with --secret-rubrics.",
    );
  const vouched = verifyBundledReceipts(bundle, await judge.gateways());
  if (!vouched.ok)
    throw new AttestError(
      'RECEIPT_MISSING',
      `no score counts without a receipt for every model call of the run: ${vouched.code}: ${vouched.message}. List the gateway in the trust.yaml of this attester, or use foil run --through.`,
    );
  const work = openRubricCase(given.pack, asked, given.artifacts);
  judge.assertReady(asked.model);
  return async (about, signal) => {
    const judged = { work, isSecret, about, randomBytes, signal };
    const { passed, rubric, reason } = await judgeByRubric(judge, judged);
    const result = passed ? 'PASS' : 'FAIL';
    return { method: 'rubric', result, tests: null, rubric, reason, leftOut: 0, sandbox: null };
  };
}

/** Nothing is run anywhere else. */
export async function attestingSandbox(sandboxes: readonly Sandbox[]): Promise<AttestingSandbox> {
  const reasons: string[] = [];
  for (const sandbox of sandboxes) {
    if (!isAttesting(sandbox)) {
      reasons.push(`${sandbox.name} does not attest`);
      continue;
    }
    const reason = await sandbox.available();
    if (reason === null) return sandbox;
    reasons.push(reason);
  }
  throw new AttestError(
    'NO_SANDBOX',
    `there is no sandbox that an attester can use, and nothing was run: ${reasons.join('; ') || 'no sandbox is set up'}.`,
  );
}
