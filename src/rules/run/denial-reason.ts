// Why a call is denied, in the words that stand in its event. They follow from the code and from what is on record, so a run
// writes them and a judge makes them again. Only what is wrong with an input is the word of the tool's schema. spec/run.md.
import { type DenialCode, isWordOf, LONGEST_CAPABILITY, MOST_NEEDS } from '../../format/index.ts';

export interface DenialFacts {
  readonly tool: string;
  /** How many calls the run may make. */
  readonly calls: number;
}

export const MANY_NEEDS = `more than ${MOST_NEEDS} needs`;
export const LONG_PATH = `a path of more than ${LONGEST_CAPABILITY} characters`;

/** What a tool needs that failed to say so. */
export function unsaidNeeds(error: string): string {
  return `what it needs (${error})`;
}

export function notGranted(missing: string): string {
  return `${missing} is not granted`;
}

export function denialReason(
  code: Exclude<DenialCode, 'NOT_GRANTED' | 'BAD_INPUT'>,
  { tool, calls }: DenialFacts,
): string {
  switch (code) {
    case 'UNKNOWN_TOOL':
      return `there is no tool ${tool}`;
    case 'CALL_LIMIT':
      return `the run may make ${calls} calls`;
    case 'NOT_RECORDED':
      return `the record of the parent has no such call of ${tool}, and the fork makes none`;
    case 'STOPPED':
      return 'the run was stopped before the call was made';
  }
}

/** `lacking` is the first need on record that is not granted; undefined where none is. */
export function isDeniedSo(
  reason: string,
  code: DenialCode,
  { lacking, required, ...facts }: DenialFacts & { lacking: string | undefined; required: number },
): boolean {
  if (code === 'BAD_INPUT') return true;
  if (code !== 'NOT_GRANTED') return isWordOf(reason, denialReason(code, facts));
  if (required === 0) return reason === notGranted(LONG_PATH) || UNSAID.test(reason);
  if (required === MOST_NEEDS && reason === notGranted(MANY_NEEDS)) return true;
  return lacking !== undefined && isWordOf(reason, notGranted(lacking));
}

/** What the tool's code threw is its own word, and may be cut. */
const UNSAID = /^what it needs \(.*(?:\) is not granted|…)$/s;
