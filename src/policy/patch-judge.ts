// Does a step of a patch count at its place? Its form, the signature over that very place, who signed, and the order of the
// steps. The command line asks before it writes, and a verifier, a recovery and a replay ask of what is on record: there is
// one judgement. spec/patch.md.
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
  type PatchChange,
  type PatchId,
  parsePatchApplied,
  parsePatchAudited,
  parsePatchProposal,
  parsePatchRejected,
  parsePatchTested,
  parsePatchWord,
  type SignedBy,
} from '../format/index.ts';
import type { Standing } from './authority/operators.ts';
import { type PatchCode, PatchCourse, type PatchStep } from './patch-course.ts';

export const PATCH_KINDS = [
  'patch.created',
  'patch.tested',
  'patch.audited',
  'patch.approved',
  'patch.applied',
  'patch.rejected',
  'patch.reverted',
];

export type PatchStepCode =
  | PatchCode
  | 'PATCH_INVALID'
  | 'PATCH_SIGNATURE'
  | 'PATCH_SIGNER'
  | 'PATCH_SIGNER_UNKNOWN';

/** What a patch does to its run where it stands: it is applied, or undone. */
export interface PatchEffect {
  readonly id: PatchId;
  readonly change: PatchChange;
  readonly undo: boolean;
  readonly before: string;
  readonly after: string;
}

export interface JudgedStep {
  /** What the entry says; null where it is malformed. */
  readonly told: PatchStep | null;
  /** Null where it does not count. */
  readonly step: PatchStep | null;
  /** Of a step that counts, only that nobody knows its signer. */
  readonly problem: { readonly code: PatchStepCode; readonly message: string } | null;
  readonly effect: PatchEffect | null;
}

/** What is judged of an entry, which may not be written yet. */
export type PlacedStep = Pick<Entry, 'kind' | 'seq' | 'prev_hash' | 'payload'>;

/** The steps of the patches of one run, in the order of their entries. */
export class PatchJudge {
  readonly #run: string;
  readonly #origin: string | undefined;
  readonly #course: PatchCourse;

  /** Without the ledger's origin no signature holds. */
  constructor(run: string, origin: string | undefined) {
    this.#run = run;
    this.#origin = origin;
    this.#course = new PatchCourse(run);
  }

  /** The order of the steps so far. */
  get course(): Pick<PatchCourse, 'next' | 'patch' | 'patches' | 'outOfOrder'> {
    return this.#course;
  }

  /** Never throws for bad data. `standing` says who a key is as of this entry. */
  judge(entry: PlacedStep, standing: (vkey: string) => Standing): JudgedStep {
    let step: PatchStep;
    try {
      step = parsePatchStep(entry.kind, entry.payload);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      return refused(null, 'PATCH_INVALID', error.message);
    }
    const { kind } = entry;
    const signed = signedIn(step);
    if (signed !== undefined && !this.#isSigned(entry, signed))
      return refused(step, 'PATCH_SIGNATURE', `${kind}: Invalid signature`);
    const by = signed === undefined || step.step === 'created' ? 'operator' : standing(signed.by);
    if (by === 'revoked') return refused(step, 'PATCH_SIGNER', `${kind}: the signer had been revoked before`);
    const problem = this.#course.take(step);
    if (problem !== undefined) return refused(step, problem.code, problem.message);
    return {
      told: step,
      step,
      effect: this.#effectOf(step),
      problem:
        by === 'operator'
          ? null
          : {
              code: 'PATCH_SIGNER_UNKNOWN',
              message: `${kind}: the signer is neither among your operators nor enrolled by one of them. If the key is an operator's, put it under operators in trust.yaml: "- vkey: ${signed?.by}"`,
            },
    };
  }

  #effectOf(step: PatchStep): PatchEffect | null {
    if (step.step !== 'applied' && step.step !== 'reverted') return null;
    const { id } = step.step === 'applied' ? step.applied : step.word;
    const known = this.#course.patch(id);
    if (known === undefined || known.stateAfter === null) return null;
    const { base, change } = known.proposal;
    const undo = step.step === 'reverted';
    const [before, after] = undo ? [known.stateAfter, base] : [base, known.stateAfter];
    return { id, change, undo, before, after };
  }

  #isSigned({ seq, prev_hash: prevHash, kind, payload }: PlacedStep, { by, signature }: SignedBy): boolean {
    if (this.#origin === undefined) return false;
    const place = { origin: this.#origin, sessionId: this.#run, seq, prevHash, kind };
    const message = patchMessage({ ...place, payload });
    return ed25519Verify(parseVerifierKey(by).publicKey, message, parseBase64(signature));
  }
}

function refused(told: PatchStep | null, code: PatchStepCode, message: string): JudgedStep {
  return { told, step: null, effect: null, problem: { code, message } };
}

/** What an entry of a patch says. A ParseError for one that is malformed. */
function parsePatchStep(kind: string, payload: JsonObject): PatchStep {
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
