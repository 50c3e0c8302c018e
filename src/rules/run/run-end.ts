// Whether the last event of a run says the end that the agent decided on. Only who goes on with a run may stop it behind such
// a decision; an end that nobody decided is a failure of the agent's code, or a stop.
import { canonicalize, type Json } from '../../core/index.ts';
import { type FinalOutcome, isCutWord, type RunAction } from '../../format/index.ts';

export interface RunEnd {
  readonly outcome: FinalOutcome;
  readonly reason: string | null;
  readonly result: Json;
}

/** Null where it is. `action` is what was decided last; `isRecovered`: somebody went on with the run since then. */
export function endFlaw(
  action: RunAction | null,
  { outcome, reason, result }: RunEnd,
  isRecovered: boolean,
): string | null {
  if (outcome !== 'finished' && result !== null) return `is ${outcome}, but has a result`;
  const type = action?.type;
  if (outcome === 'stopped')
    return (type === 'finish' || type === 'fail') && !isRecovered
      ? `is stopped, but the agent decided to ${type}`
      : null;
  if (outcome === 'failed') {
    if (type === 'finish') return 'is failed, but the agent decided to finish';
    const isOther = action?.type === 'fail' && !isReason(reason, action.reason);
    return isOther ? 'fails for a different reason than the agent decided on' : null;
  }
  if (reason !== null) return 'is finished, but gives a reason';
  if (action?.type !== 'finish') return 'is finished, but the agent did not decide to finish';
  return canonicalize(action.result) === canonicalize(result)
    ? null
    : 'has a different result than the agent decided on';
}

function isReason(reason: string | null, decided: string): boolean {
  if (reason === null || reason === decided) return reason === decided;
  return isCutWord(reason) && decided.startsWith(reason.slice(0, -1));
}
