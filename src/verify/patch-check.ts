// Did every patch take its steps in order, each under the signature it needs, by somebody who might? Whether a patch did to
// the state what it says is for a replay to tell.
import type { Entry } from '../format/index.ts';
import { PATCH_KINDS, type PatchEffect, PatchJudge, type Standing } from '../policy/index.ts';
import type { AuthorityCheck } from './authority-check.ts';
import type { Findings } from './findings.ts';
import type { IdentityCheck } from './identity-check.ts';

const MOST_RUNS = 65_536;

export class PatchCheck {
  readonly #findings: Findings;
  readonly #identity: Pick<IdentityCheck, 'origin'>;
  readonly #authority: Pick<AuthorityCheck, 'isOperator'>;
  readonly #runs = new Map<string, PatchJudge>();
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

  /** What the entry does to its run; null where it does nothing, or does not count. */
  entry(entry: Entry): PatchEffect | null {
    const { kind, seq, session_id: session } = entry;
    if (!kind.startsWith('patch.')) return null;
    if (session === null || !PATCH_KINDS.includes(kind)) {
      this.#findings.add('PATCH_INVALID', seq, 'it belongs to no run, or is no step of a patch');
      return null;
    }
    let judge = this.#runs.get(session);
    if (judge === undefined) {
      if (this.#runs.size >= MOST_RUNS) return null;
      judge = new PatchJudge(session, this.#identity.origin);
      this.#runs.set(session, judge);
    }
    const { step, problem, effect } = judge.judge(entry, (vkey) => this.#standing(vkey));
    if (problem !== null) this.#findings.add(problem.code, seq, problem.message);
    if (step?.step === 'created') this.#proposed++;
    if (step?.step === 'applied') this.#applied++;
    return effect;
  }

  #standing(vkey: string): Standing {
    const status = this.#authority.isOperator(vkey);
    return status === 'pass' ? 'operator' : status === 'fail' ? 'revoked' : 'unknown';
  }
}
