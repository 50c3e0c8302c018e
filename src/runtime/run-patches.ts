// The patches of a run as the ledger has them: which of their steps count, and what each did to the run. Read whole, because
// a step counts only behind those before it, and an operator only as of then.
import { encodeVerifierKey, type VerifierKey } from '../core/index.ts';
import { type Entry, OPERATOR_KINDS } from '../format/index.ts';
import { entriesOf, type LogReader, operatorsBehind, readIdentity } from '../ledger/index.ts';
import {
  firstOperators,
  type JudgedStep,
  type Operators,
  PATCH_KINDS,
  type PatchEffect,
  PatchJudge,
  standingOf,
} from '../policy/index.ts';

export interface RecordedStep extends JudgedStep {
  readonly entry: Entry;
}

export interface PlacedEffect extends PatchEffect {
  readonly seq: number;
}

export interface RunPatches {
  readonly origin: string;
  readonly judge: PatchJudge;
  readonly operators: Operators;
  /** Every step on record, also those that do not count. */
  readonly steps: readonly RecordedStep[];
  /** By the seq of their entries. */
  readonly effects: ReadonlyMap<number, PlacedEffect>;
}

/** Up to entry `to`. `pinned`: the operators that the reader trusts; without any, everybody is one who was not revoked. */
export async function readPatches(
  store: Pick<LogReader, 'read'>,
  run: string,
  to: number,
  pinned: readonly VerifierKey[] = [],
): Promise<RunPatches> {
  const { origin } = await readIdentity(store);
  const judge = new PatchJudge(run, origin);
  const steps: RecordedStep[] = [];
  const effects = new Map<number, PlacedEffect>();
  let operators = firstOperators(pinned.map((key) => encodeVerifierKey(key)));
  const kinds = [...PATCH_KINDS, ...Object.keys(OPERATOR_KINDS)];
  for await (const entry of entriesOf(store, 1, to, kinds)) {
    if (Object.hasOwn(OPERATOR_KINDS, entry.kind)) operators = operatorsBehind(operators, entry, origin);
    else if (entry.session_id === run) {
      const judged = judge.judge(entry, (vkey) => standingOf(operators, vkey));
      steps.push({ ...judged, entry });
      if (judged.effect !== null) effects.set(entry.seq, { ...judged.effect, seq: entry.seq });
    }
  }
  return { origin, judge, operators, steps, effects };
}
