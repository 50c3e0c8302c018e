// Who vouches for a run besides the owner of its ledger: an attester that tested or judged the result, a gateway that saw every
// model call. Both only count if the verifier trusts them. Doubt grades down.
import { CompactRange, encodeHex, type VerifierKey } from '../core/index.ts';
import type { Attestation, Bundle, HarnessPack } from '../format/index.ts';
import { type AttesterTrust, checkAttestation } from './attestation.ts';
import { type BundledEntries, leafOf } from './bundle-entries.ts';
import { recordsOf } from './bundle-facts.ts';
import type { BundleFindings } from './bundle-findings.ts';
import { verifyGatewayRun } from './gateway-closing.ts';
import type { GatewayCode, TrustedGateway } from './gateway-receipts.ts';

/** How independent the proof is of who ran the agent. */
export type Tier = 'self' | 'gateway' | 'sandbox';

/** What the verifier trusts: all of it is its own choice. */
export interface BundleTrust {
  /** Keys of ledgers. */
  readonly keys: readonly VerifierKey[];
  /** Roots of packs whose tests count. */
  readonly packs: readonly string[];
  readonly gateways: readonly TrustedGateway[];
  readonly attesters: readonly AttesterTrust[];
  /** Keys of operators. */
  readonly operators?: readonly VerifierKey[];
}

/** What a reader needs to know of an attestation to weigh it. */
export type ReliedOn = Pick<Attestation, 'attester' | 'attempt' | 'issued' | 'expires'>;

/** A model's judgement of the result, as a trusted attester says it. It ran nothing, so that it lifts to no tier. */
export interface Judged {
  readonly attester: string;
  readonly model: string;
  readonly score: number;
  readonly threshold: number;
  /** How many were asked for. */
  readonly votes: number;
}

export interface Vouched {
  /** The result was tested. */
  readonly attested: boolean;
  /** The first that holds. */
  readonly attestation: ReliedOn | null;
  readonly judged: Judged | null;
  readonly gated: boolean;
  /** Why no attester, and why no gateway does; null where one does. */
  readonly notAttested: string | null;
  readonly notGated: string | null;
}

const FOLDER = 'attestations/';
/** What no honest gateway and no honest recorder writes. Everything else only means that no gateway vouches for the run. */
const FORGED: ReadonlySet<GatewayCode> = new Set([
  'GATEWAY_RECEIPT_OTHER_RUN',
  'GATEWAY_RECEIPT_OTHER_CALL',
  'GATEWAY_RECEIPT_TWICE',
  'GATEWAY_RECEIPT_FORGED',
  'GATEWAY_CLOSING_OTHER_RUN',
  'GATEWAY_CLOSING_OTHER_END',
  'GATEWAY_CLOSING_FORGED',
]);
/** What may come behind the entries that an attester had. More than that, and the run went on without it. */
const LATER_KINDS: ReadonlySet<string> = new Set(['commit', 'session.sum', 'gateway.closing']);
const JUDGED_ONLY = 'a model judged the result by a rubric, and nothing was run in a sandbox';
const OUTRUN = {
  code: 'ATTESTATION_OTHER_RUN',
  message: 'It covers different entries than this run has, or the run has continued since.',
} as const;

export interface VouchOptions {
  readonly trust: BundleTrust;
  readonly now: number;
  /** Attestations that came apart from the bundle. */
  readonly more: readonly Uint8Array[];
  /** Where it is at hand. */
  readonly pack?: HarnessPack | undefined;
}

export function vouchedFor(
  { parts, payload }: Bundle,
  { run }: BundledEntries,
  { trust, now, more, pack }: VouchOptions,
  findings: BundleFindings,
): Vouched {
  const within = [...parts].filter(([path]) => path.startsWith(FOLDER)).map(([, bytes]) => bytes);
  const all = [...within, ...more];
  const roots = all.length === 0 ? new Set() : attestableRoots(run);
  const { commit, tree, artifacts } = recordsOf(run);
  let attestation: ReliedOn | null = null;
  let notAttested: string | null = all.length === 0 ? 'there is no attestation of the result' : '';
  let judged: Judged | null = null;
  for (const bytes of all) {
    const check = checkAttestation(bytes, {
      runId: payload.runId,
      origin: payload.origin,
      packRoot: payload.harness.packRoot,
      packHash: payload.harness.packHash,
      artifactHash: payload.outputs.artifactHash,
      artifacts,
      base: commit === null ? null : { commit, tree },
      pack,
      // Compared below: the run may have gained a commit or a sum since.
      eventChainRoot: null,
      attesters: trust.attesters,
      now,
    });
    if (check.ok && roots.has(check.attestation.eventChainRoot)) {
      const found = judgedIn(check.attestation);
      if (found !== null) {
        judged = worse(judged, found);
        continue;
      }
      notAttested = null;
      const { attester, attempt, issued, expires } = check.attestation;
      attestation ??= { attester, attempt, issued, expires };
      continue;
    }
    const { code, message } = check.ok ? OUTRUN : check;
    findings.add(code, null, message);
    if (notAttested === '')
      notAttested = `the attestation doesn't count: ${inSentence(message.replace(/\.$/, ''))}`;
  }
  if (notAttested !== null && judged !== null) notAttested = JUDGED_ONLY;
  const gate = verifyGatewayRun(
    run.map(({ entry }) => entry),
    trust.gateways,
  );
  if (!gate.ok && FORGED.has(gate.code)) findings.addGateway(gate.code, gate.seq, gate.message);
  return {
    attested: notAttested === null,
    attestation,
    judged,
    gated: gate.ok,
    notAttested,
    notGated: gate.ok ? null : gate.message.replace(/\.$/, ''),
  };
}

/** Null where it was tested instead. */
function judgedIn({ rubric, attester }: Attestation): Judged | null {
  if (rubric === undefined) return null;
  const { model, score, threshold, votes } = rubric;
  return { attester, model, score, threshold, votes: votes.length };
}

/** Whoever asks often enough gets a high score some day. */
function worse(one: Judged | null, other: Judged): Judged {
  return one !== null && one.score <= other.score ? one : other;
}

/** Over the entries that an attester may have had: all of them, but for what only adds a commit or counts. */
function attestableRoots(run: BundledEntries['run']): ReadonlySet<string> {
  const whole = run.findLastIndex(({ entry }) => !LATER_KINDS.has(entry.kind));
  const [roots, chain] = [new Set<string>(), new CompactRange()];
  for (const [i, bundled] of run.entries()) {
    chain.push(leafOf(bundled));
    if (i >= whole) roots.add(encodeHex(chain.root()));
  }
  return roots;
}

/** `sound`: the bundle passes. What does not is nobody's proof but its owner's. */
export function tierOf(
  vouched: Vouched | undefined,
  sound: boolean,
): {
  readonly tier: Tier;
  readonly whyNotHigher: string | null;
  readonly attestation: ReliedOn | null;
} {
  const none = { attestation: null };
  if (!sound || vouched === undefined)
    return { tier: 'self', whyNotHigher: 'the run does not pass', ...none };
  const { attestation, gated, notAttested, notGated } = vouched;
  if (attestation !== null) return { tier: 'sandbox', whyNotHigher: null, attestation };
  if (gated) return { tier: 'gateway', whyNotHigher: notAttested, ...none };
  return { tier: 'self', whyNotHigher: `${notGated}; and ${notAttested ?? ''}`, ...none };
}

/** As a part of a sentence. */
function inSentence(sentence: string): string {
  return `${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1)}`;
}
