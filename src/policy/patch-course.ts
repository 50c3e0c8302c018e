// The way of a patch: proposed, tested, audited, approved, applied, in that order; rejected on the way, or reverted at its end.
// The command line asks before it takes a step, and a verifier asks again of every step on record.
import type {
  PatchApplied,
  PatchAudited,
  PatchId,
  PatchProposal,
  PatchRejected,
  PatchTested,
  PatchWord,
} from '../format/index.ts';

export type PatchStatus =
  | 'proposed'
  | 'tested'
  | 'audited'
  | 'approved'
  | 'applied'
  | 'rejected'
  | 'reverted';

export type PatchStep =
  | { readonly step: 'created'; readonly patch: PatchProposal; readonly patchHash: string }
  | { readonly step: 'tested'; readonly tested: PatchTested }
  | { readonly step: 'audited'; readonly audited: PatchAudited }
  | { readonly step: 'approved' | 'reverted'; readonly word: PatchWord }
  | { readonly step: 'applied'; readonly applied: PatchApplied }
  | { readonly step: 'rejected'; readonly rejected: PatchRejected };

export type PatchCode =
  | 'PATCH_ORDER'
  | 'PATCH_UNTESTED'
  | 'PATCH_UNAUDITED'
  | 'PATCH_SELF_APPROVED'
  | 'PATCH_ALTERED'
  | 'PATCH_MISPLACED';

export interface PatchProblem {
  readonly code: PatchCode;
  readonly message: string;
}

export interface KnownPatch {
  readonly proposal: PatchProposal;
  readonly hash: string;
  readonly status: PatchStatus;
  /** The state that it led to; null until it is applied. */
  readonly stateAfter: string | null;
}

/** From which status a step may be taken, and where it leads. */
const WAYS: Readonly<
  Record<Exclude<PatchStep['step'], 'created'>, readonly [from: readonly PatchStatus[], to: PatchStatus]>
> = {
  tested: [['proposed'], 'tested'],
  audited: [['tested'], 'audited'],
  approved: [['audited'], 'approved'],
  applied: [['approved'], 'applied'],
  rejected: [['proposed', 'tested', 'audited', 'approved'], 'rejected'],
  reverted: [['applied'], 'reverted'],
};

const MOST_PATCHES = 65_536;

/** The patches of one run. */
export class PatchCourse {
  readonly #run: string;
  readonly #patches: KnownPatch[] = [];

  constructor(run: string) {
    this.#run = run;
  }

  /** The number that the next patch has. */
  get next(): number {
    return this.#patches.length;
  }

  /** In the order of their numbers. */
  get patches(): readonly KnownPatch[] {
    return this.#patches;
  }

  /** Undefined for a patch that nobody proposed. */
  patch({ run, number }: PatchId): KnownPatch | undefined {
    return run === this.#run ? this.#patches[number] : undefined;
  }

  /** What is wrong with taking this step now; undefined where nothing is, and then it is taken. */
  take(step: PatchStep): PatchProblem | undefined {
    if (step.step === 'created') return this.#propose(step.patch, step.patchHash);
    const id = patchIdOf(step);
    const known = this.patch(id);
    const problem = this.outOfOrder(id, step.step) ?? (known && problemOf(step, known));
    if (problem !== undefined || known === undefined) return problem;
    const [, to] = WAYS[step.step];
    const failed =
      (step.step === 'tested' && step.tested.result === 'fail') ||
      (step.step === 'audited' && step.audited.result === 'fail');
    const stateAfter = step.step === 'applied' ? step.applied.stateHashAfter : known.stateAfter;
    this.#patches[id.number] = { ...known, status: failed ? 'rejected' : to, stateAfter };
    return undefined;
  }

  /** What keeps the patch from this step, whatever the step says; undefined where it is due. */
  outOfOrder(id: PatchId, step: Exclude<PatchStep['step'], 'created'>): PatchProblem | undefined {
    const known = this.patch(id);
    if (known === undefined)
      return { code: 'PATCH_MISPLACED', message: `no patch ${id.number} was proposed for this run` };
    const [from] = WAYS[step];
    if (from.includes(known.status)) return undefined;
    return {
      code: 'PATCH_ORDER',
      message: `patch ${id.number} is ${known.status} already, and only a patch that is ${from.join(' or ')} can be ${step}`,
    };
  }

  #propose(proposal: PatchProposal, hash: string): PatchProblem | undefined {
    const { run, number } = proposal.id;
    if (run !== this.#run || number !== this.next || number >= MOST_PATCHES)
      return {
        code: 'PATCH_MISPLACED',
        message: `the patch says that it is number ${number}, but the next patch of this run is ${this.next}`,
      };
    this.#patches.push({ proposal, hash, status: 'proposed', stateAfter: null });
    return undefined;
  }
}

/** The patch that a step is of. */
export function patchIdOf(step: PatchStep): PatchId {
  switch (step.step) {
    case 'created':
      return step.patch.id;
    case 'tested':
      return step.tested.id;
    case 'audited':
      return step.audited.id;
    case 'applied':
      return step.applied.id;
    case 'rejected':
      return step.rejected.id;
    default:
      return step.word.id;
  }
}

function problemOf(step: PatchStep, { proposal, hash }: KnownPatch): PatchProblem | undefined {
  const { number } = proposal.id;
  const altered = (patchHash: string): PatchProblem | undefined =>
    patchHash === hash
      ? undefined
      : { code: 'PATCH_ALTERED', message: `patch ${number} is not the one that was proposed` };
  switch (step.step) {
    case 'tested': {
      const ran = step.tested.tests;
      const isWhole =
        ran.length === proposal.tests.length && proposal.tests.every(({ name }, i) => ran[i]?.name === name);
      if (step.tested.result === 'fail' || (isWhole && ran.length > 0 && ran.every(passed))) return undefined;
      return {
        code: 'PATCH_UNTESTED',
        message:
          ran.length === 0
            ? `patch ${number} is said to have passed, but no test ran`
            : `patch ${number} is said to have passed, but not every test that it names did`,
      };
    }
    case 'audited':
      return step.audited.result === 'fail' || step.audited.violations.length === 0
        ? undefined
        : {
            code: 'PATCH_UNAUDITED',
            message: `patch ${number} is said to have passed its audit, but the audit found violations`,
          };
    case 'approved':
      return (
        altered(step.word.patchHash) ??
        (step.word.signed.by === proposal.signed.by
          ? {
              code: 'PATCH_SELF_APPROVED',
              message: `the approval of patch ${number} is signed by the key that proposed it`,
            }
          : undefined)
      );
    case 'reverted':
      return altered(step.word.patchHash);
    case 'applied':
      return (
        altered(step.applied.patchHash) ??
        (step.applied.stateHashBefore === proposal.base
          ? undefined
          : {
              code: 'PATCH_ALTERED',
              message: `patch ${number} was applied to a different state than the one it was made for`,
            })
      );
    default:
      return undefined;
  }
}

function passed({ result }: { readonly result: string }): boolean {
  return result === 'pass';
}
