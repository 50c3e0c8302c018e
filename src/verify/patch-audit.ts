// The patches of a run as an auditor asks about them: which gates each has passed, whose signatures hold, and which gates it
// went past. The steps were judged by patch-check.ts.
import type { PatchStatus } from '../policy/index.ts';
import type { Code } from './codes.ts';
import type { SeenStep } from './patch-check.ts';

export const PATCH_GATES = ['tested', 'audited', 'approved'] as const;
export type PatchGate = (typeof PATCH_GATES)[number];

export interface PatchFault {
  readonly seq: number;
  readonly step: SeenStep['step']['step'];
  readonly code: Code;
  /** Gates that the step needed, and that the patch has not passed. */
  readonly past: readonly PatchGate[];
}

export interface AuditedPatch {
  readonly number: number;
  /** Null where nobody proposed it. */
  readonly status: PatchStatus | null;
  readonly patchHash: string | null;
  readonly proposedBy: string | null;
  readonly approvedBy: string | null;
  readonly passed: readonly PatchGate[];
  readonly wasApplied: boolean;
  readonly faults: readonly PatchFault[];
}

/** How many gates must lie behind a step. */
const NEEDED: Readonly<Partial<Record<SeenStep['step']['step'], number>>> = {
  audited: 1,
  approved: 2,
  applied: 3,
  reverted: 3,
};

const MOST_PATCHES = 10_000;
const MOST_FAULTS = 100;

type Growing = { -readonly [name in keyof AuditedPatch]: AuditedPatch[name] };

export class PatchAudit {
  readonly #patches = new Map<number, Growing>();

  /** By their numbers. */
  get patches(): readonly AuditedPatch[] {
    return [...this.#patches.values()].sort((a, b) => a.number - b.number);
  }

  step({ seq, step: taken, number, status, code }: SeenStep): void {
    const { step } = taken;
    const patch = this.#patch(number);
    if (patch === undefined) return;
    patch.status = status ?? null;
    if (taken.step === 'created' && code === null) {
      patch.patchHash = taken.patchHash;
      patch.proposedBy = taken.patch.signed.by;
    }
    if (taken.step === 'approved' && code !== 'PATCH_SIGNATURE') patch.approvedBy = taken.word.signed.by;
    if (step === 'applied') patch.wasApplied = true;
    const isTaken = code === null || code === 'PATCH_SIGNER' || code === 'PATCH_SIGNER_UNKNOWN';
    const gate = PATCH_GATES.find((name) => name === step);
    if (isTaken && gate !== undefined && status === gate) patch.passed = [...patch.passed, gate];
    if (code === null || patch.faults.length >= MOST_FAULTS) return;
    const past = PATCH_GATES.slice(0, NEEDED[step] ?? 0).filter((name) => !patch.passed.includes(name));
    patch.faults = [...patch.faults, { seq, step, code, past }];
  }

  #patch(number: number): Growing | undefined {
    const known = this.#patches.get(number);
    if (known !== undefined || this.#patches.size >= MOST_PATCHES) return known;
    const patch: Growing = {
      number,
      status: null,
      patchHash: null,
      proposedBy: null,
      approvedBy: null,
      passed: [],
      wasApplied: false,
      faults: [],
    };
    this.#patches.set(number, patch);
    return patch;
  }
}
