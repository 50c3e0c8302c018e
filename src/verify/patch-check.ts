// Did every patch take its steps in order, each under the signature it needs, by somebody who might? Whether a patch did to
// the state what it says is for a replay to tell.
import { ed25519Verify, sha256Hex } from '#platform';
import {
  canonicalize,
  type JsonObject,
  ParseError,
  parseBase64,
  parseVerifierKey,
  patchMessage,
} from '../core/index.ts';
import {
  type Entry,
  parsePatchApplied,
  parsePatchAudited,
  parsePatchProposal,
  parsePatchRejected,
  parsePatchTested,
  parsePatchWord,
  type SignedBy,
} from '../format/index.ts';
import { PatchCourse, type PatchStep } from '../policy/index.ts';
import type { AuthorityCheck } from './authority-check.ts';
import type { Findings } from './findings.ts';
import type { IdentityCheck } from './identity-check.ts';

/** What it must be shown. */
export const PATCH_KINDS = [
  'patch.created',
  'patch.tested',
  'patch.audited',
  'patch.approved',
  'patch.applied',
  'patch.rejected',
  'patch.reverted',
];

const MOST_RUNS = 65_536;

export class PatchCheck {
  readonly #findings: Findings;
  readonly #identity: Pick<IdentityCheck, 'origin'>;
  readonly #authority: Pick<AuthorityCheck, 'isOperator'>;
  readonly #runs = new Map<string, PatchCourse>();
  #proposed = 0;
  #applied = 0;

  /** `authority` has seen every entry before the one that is given. */
  constructor(
    findings: Findings,
    identity: Pick<IdentityCheck, 'origin'>,
    authority: Pick<AuthorityCheck, 'isOperator'>,
  ) {
    this.#findings = findings;
    this.#identity = identity;
    this.#authority = authority;
  }

  get counts(): { readonly patches: number; readonly patchesApplied: number } {
    return { patches: this.#proposed, patchesApplied: this.#applied };
  }

  entry(entry: Entry): void {
    const { kind, seq, session_id: session } = entry;
    if (!kind.startsWith('patch.')) return;
    if (session === null || !PATCH_KINDS.includes(kind)) {
      this.#findings.add('PATCH_INVALID', seq, 'it belongs to no run, or is no step of a patch');
      return;
    }
    try {
      this.#step(entry, session);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      this.#findings.add('PATCH_INVALID', seq, error.message);
    }
  }

  #step(entry: Entry, session: string): void {
    const { kind, seq } = entry;
    const step = parsePatchStep(kind, entry.payload);
    const signed = signedIn(step);
    if (signed !== undefined && !this.#isSigned(entry, session, signed)) {
      this.#findings.add('PATCH_SIGNATURE', seq, `${kind}: Invalid signature`);
      return;
    }
    let course = this.#runs.get(session);
    if (course === undefined) {
      if (this.#runs.size >= MOST_RUNS) return;
      course = new PatchCourse(session);
      this.#runs.set(session, course);
    }
    const problem = course.take(step);
    if (problem !== undefined) {
      this.#findings.add(problem.code, seq, problem.message);
      return;
    }
    if (step.step === 'created') this.#proposed++;
    if (step.step === 'applied') this.#applied++;
    if (signed !== undefined && step.step !== 'created') this.#authorised(seq, kind, signed);
  }

  #authorised(seq: number, kind: string, { by }: SignedBy): void {
    const status = this.#authority.isOperator(by);
    if (status === 'fail')
      this.#findings.add('PATCH_SIGNER', seq, `${kind}: the signer had been revoked before`);
    else if (status === 'unknown')
      this.#findings.add(
        'PATCH_SIGNER_UNKNOWN',
        seq,
        `${kind}: the signer is neither among your operators nor enrolled by one of them`,
      );
  }

  #isSigned(entry: Entry, sessionId: string, { by, signature }: SignedBy): boolean {
    const { origin } = this.#identity;
    if (origin === undefined) return false;
    const { seq, prev_hash: prevHash, kind, payload } = entry;
    const message = patchMessage({ origin, sessionId, seq, prevHash, kind, payload });
    return ed25519Verify(parseVerifierKey(by).publicKey, message, parseBase64(signature));
  }
}

/** What an entry of a patch says. A ParseError for one that is malformed. */
export function parsePatchStep(kind: string, payload: JsonObject): PatchStep {
  switch (kind) {
    case 'patch.created':
      return {
        step: 'created',
        patch: parsePatchProposal(payload),
        patchHash: sha256Hex(canonicalize(payload)),
      };
    case 'patch.tested':
      return { step: 'tested', tested: parsePatchTested(payload) };
    case 'patch.audited':
      return { step: 'audited', audited: parsePatchAudited(payload) };
    case 'patch.approved':
      return { step: 'approved', word: parsePatchWord(payload) };
    case 'patch.reverted':
      return { step: 'reverted', word: parsePatchWord(payload) };
    case 'patch.applied':
      return { step: 'applied', applied: parsePatchApplied(payload) };
    case 'patch.rejected':
      return { step: 'rejected', rejected: parsePatchRejected(payload) };
    default:
      throw new ParseError('BAD_MEMBER', 'no step of a patch', 'kind');
  }
}

function signedIn(step: PatchStep): SignedBy | undefined {
  if (step.step === 'created') return step.patch.signed;
  return step.step === 'approved' || step.step === 'reverted' ? step.word.signed : undefined;
}
