// What a judged turn comes to: the verdict that is recorded, and what the host and the person are told.
import type { BlockLimit, GateVerdict, Quoted } from '../format/index.ts';
import type { Mode } from '../ledger/index.ts';
import type { Ruling } from '../record/index.ts';
import { type Evidence, gateMessage, gateWarning, type Judgement, type Weakening } from '../rules/index.ts';
import type { Extraction, LastMessage } from './last-message.ts';
import type { ValidationSigner } from './validation-signer.ts';

export interface Judged {
  readonly judgement: Judgement;
  readonly said: LastMessage;
  /** What is wrong with the structured block, where one is wanted. */
  readonly form: string | null;
  readonly evidence: Evidence | null;
  /** What the message, or the prompt, tells of changed expectations. */
  readonly expected: readonly Weakening[];
  /** Of each claim that was judged. */
  readonly quotes: readonly Quoted[];
  /** What is said of the claims that are open; null where none is. */
  readonly details: Quoted | null;
  readonly signer: ValidationSigner | null;
  readonly socket: string | null;
}

/** B10: what can't be read blocks like an unproven claim; our own count ends it, or the host's. */
export function verdictOf(
  { judgement, said: { extraction }, form }: Judged,
  mode: Mode,
  mayBlock: boolean,
): GateVerdict {
  const sound = extraction === 'ok' && form === null;
  if (sound && judgement.verdict !== 'block') return judgement.verdict;
  if (mode === 'observe') return extraction === 'ok' ? 'warn' : 'ungated';
  if (mayBlock) return 'block';
  return extraction === 'ok' ? 'unproven' : 'ungated';
}

export function rulingOf(
  verdict: GateVerdict,
  judged: Judged,
  leading: number | null,
  limit: BlockLimit | null,
): Ruling {
  const { judgement, said, form } = judged;
  const malformed = form ?? '';
  const met = limit === null ? '' : ` (no more blocks in this ${limit})`;
  switch (verdict) {
    case 'block': {
      const open = judgement.verdict === 'block' ? gateMessage(judgement, judged.socket) : '';
      const told = [malformed, open].filter((each) => each !== '').join('\n');
      return { verdict: 'deny', reason: said.extraction === 'ok' ? told : unreadable(said.extraction) };
    }
    case 'warn':
      return { verdict: 'pass', message: `Counterfoil: ${malformed || gateWarning(judgement, leading)}` };
    case 'unproven':
      return {
        verdict: 'pass',
        message: `Counterfoil: this turn ends unproven${met}, with ${UNBACKED} ${malformed || gateWarning(judgement, leading)}`,
      };
    case 'ungated':
      return { verdict: 'pass', message: unjudged(said.extraction) };
    default:
      return { verdict: 'pass' };
  }
}

const UNBACKED = 'claims that are not backed by what is on record.';

const WHAT_IS_WRONG = {
  ok: '',
  unparseable: 'nothing in the transcript is JSON',
  schema_drift: "the transcript has no turn in a known form, and the agent's version may be too new",
  unreadable: 'the transcript is missing, was cut, or holds no last message of this turn',
} as const;

/** For the person. */
function unjudged(extraction: Extraction): string {
  return `Counterfoil let this turn end unjudged: its final message could not be read (${WHAT_IS_WRONG[extraction]}).`;
}

/** For the agent. */
function unreadable(extraction: Extraction): string {
  return `Counterfoil could not find this turn's final message (${WHAT_IS_WRONG[extraction]}), so it was not judged. Say in a short message what was done, and what is not verified.`;
}
