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
import { PatchCourse, type PatchStatus, type PatchStep, patchIdOf } from '../policy/index.ts';
import type { AuthorityCheck } from './authority-check.ts';
import type { Code } from './codes.ts';
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

/** A step as it was judged. */
export interface SeenStep {
  readonly seq: number;
  readonly step: PatchStep;
  readonly number: number;
  /** Where the patch stands behind it; undefined where nobody proposed it. */
  readonly status: PatchStatus | undefined;
  /** What is wrong with it, or can't be told; null where nothing is. */
  readonly code: Code | null;
}

export class PatchCheck {
  readonly #findings: Findings;
  readonly #identity: Pick<IdentityCheck, 'origin'>;
  readonly #authority: Pick<AuthorityCheck, 'isOperator'>;
  readonly #seen: (step: SeenStep) => void;
  readonly #runs = new Map<string, PatchCourse>();
  #proposed = 0;
  #applied = 0;

  /** `authority` has seen every entry before the one that is given; `seen` is told of every step that is one. */
  constructor(
    findings: Findings,
    identity: Pick<IdentityCheck, 'origin'>,
    authority: Pick<AuthorityCheck, 'isOperator'>,
    seen: (step: SeenStep) => void = () => undefined,
  ) {
    this.#findings = findings;
    this.#identity = identity;
    this.#authority = authority;
    this.#seen = seen;
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
    const course = this.#course(session);
    if (course === undefined) return;
    const code = this.#judge(entry, step, course, session);
    if (code === null && step.step === 'created') this.#proposed++;
    if (code === null && step.step === 'applied') this.#applied++;
    const id = patchIdOf(step);
    this.#seen({ seq, step, number: id.number, status: course.patch(id)?.status, code });
  }

  #course(session: string): PatchCourse | undefined {
    const known = this.#runs.get(session);
    if (known !== undefined || this.#runs.size >= MOST_RUNS) return known;
    const course = new PatchCourse(session);
    this.#runs.set(session, course);
    return course;
  }

  /** Null where nothing is to be said of it. */
  #judge(entry: Entry, step: PatchStep, course: PatchCourse, session: string): Code | null {
    const { kind, seq } = entry;
    const signed = signedIn(step);
    if (signed !== undefined && !this.#isSigned(entry, session, signed)) {
      this.#findings.add('PATCH_SIGNATURE', seq, `${kind}: Invalid signature`);
      return 'PATCH_SIGNATURE';
    }
    const problem = course.take(step);
    if (problem !== undefined) {
      this.#findings.add(problem.code, seq, problem.message);
      return problem.code;
    }
    return signed !== undefined && step.step !== 'created' ? this.#authorised(seq, kind, signed) : null;
  }

  #authorised(seq: number, kind: string, { by }: SignedBy): Code | null {
    const status = this.#authority.isOperator(by);
    if (status === 'pass') return null;
    const code = status === 'fail' ? 'PATCH_SIGNER' : 'PATCH_SIGNER_UNKNOWN';
    this.#findings.add(
      code,
      seq,
      status === 'fail'
        ? `${kind}: the signer had been revoked before`
        : `${kind}: the signer is neither among your operators nor enrolled by one of them`,
    );
    return code;
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
