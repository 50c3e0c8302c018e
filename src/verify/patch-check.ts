// Did every patch take its steps in order, each under the signature it needs, by somebody who might? Whether a patch did to
// the state what it says is for a replay to tell.
import type { Entry } from '../format/index.ts';
import {
  PATCH_KINDS,
  type PatchEffect,
  PatchJudge,
  type PatchStatus,
  type PatchStep,
  patchIdOf,
  type Standing,
} from '../policy/index.ts';
import type { AuthorityCheck } from './authority-check.ts';
import type { Code } from './codes.ts';
import type { Findings } from './findings.ts';
import type { IdentityCheck } from './identity-check.ts';

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
  readonly #runs = new Map<string, PatchJudge>();
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

  /** What the entry does to its run; null where it does nothing, or does not count. */
  entry(entry: Entry): PatchEffect | null {
    const { kind, seq, session_id: session } = entry;
    if (!kind.startsWith('patch.')) return null;
    if (session === null || !PATCH_KINDS.includes(kind)) {
      this.#findings.add('PATCH_INVALID', seq, 'it belongs to no run, or is not a step of a patch');
      return null;
    }
    let judge = this.#runs.get(session);
    if (judge === undefined) {
      if (this.#runs.size >= MOST_RUNS) return null;
      judge = new PatchJudge(session, this.#identity.origin);
      this.#runs.set(session, judge);
    }
    const { told, step, problem, effect } = judge.judge(entry, (vkey) => this.#standing(vkey));
    if (problem !== null) this.#findings.add(problem.code, seq, problem.message);
    if (step?.step === 'created') this.#proposed++;
    if (step?.step === 'applied') this.#applied++;
    if (told !== null) {
      const id = patchIdOf(told);
      const status = judge.course.patch(id)?.status;
      this.#seen({ seq, step: told, number: id.number, status, code: problem?.code ?? null });
    }
    return effect;
  }

  #standing(vkey: string): Standing {
    const status = this.#authority.isOperator(vkey);
    return status === 'pass' ? 'operator' : status === 'fail' ? 'revoked' : 'unknown';
  }
}
