// The contract of a prompt: what it asks for, what it names, what would settle it. Read from the prompt alone, before
// the agent has done anything. A vague prompt gives an empty contract; what is not said is never made up.

import { intentOf } from '../claims/index.ts';
import type { Contract, LadderHop } from '../format/index.ts';
import type { ClaimPolicy, ValidatorId } from '../policy/index.ts';
import { MAX_ITEMS, readTargetFields } from './target-fields.ts';
import { testsToLeaveOut } from './tests-to-leave-out.ts';
import { allowsLoosening, allowsWeakening } from './weakening-consent.ts';

/** Never throws; linear, in no more than 64 Ki characters of the prompt. */
export function readContract(prompt: string, policy: ClaimPolicy): Contract {
  const { fields, asked, prose } = readTargetFields(prompt);
  const intent = intentOf(prose);
  const isLeave = allowsWeakening(prompt, prose);
  const leftOut = isLeave ? testsToLeaveOut(prompt) : [];
  return {
    intent,
    fields,
    ladder: ladderOf(fields.urls, asked, fields.command_hints),
    expected: expectedOf(intent, fields.urls.length > 0, fields.command_hints.length > 0, policy),
    responseMode: responseModeOf(prompt, policy),
    allowsWeakening: isLeave,
    ...(leftOut.length > 0 && { mayLeaveOut: leftOut }),
    ...(allowsLoosening(prompt) && { allowsLoosening: true }),
    ...(KEEPS_TESTS.test(prompt.slice(0, 16_384)) && { keepsTests: true }),
  };
}

/** "Existing expectations stay as they are", "don't touch the tests". */
const KEEPS_TESTS =
  /\b(?:tests?|specs?|expectations?|assertions?)\b[^.;,\n]{0,20}\b(?:stay|remain|unchanged|untouched|as (?:they are|is))\b|\b(?:don['’]t|do not|never|without|w\/o) (?:chang|touch|modif|edit|adjust|alter)\w* (?:(?:any|the|existing|our|of|my) ){0,3}(?:tests?|specs?|expectations?|assertions?)\b|\b(?:leave|keep) (?:(?:the|existing|our|all|my) ){0,3}(?:tests?|specs?|expectations?|assertions?) (?:alone|as|unchanged|untouched)\b/i;

const FAULT =
  /^(?!\W*(?:thank|great|nice|good|ok))(?=.*\b(?:does nothing|(?:do|does|did|is|are|was|ca|wo)n['’]?t|(?:does|is|are|will) not|no longer|wrong|broken|crashes|fails|returns|throws|shows|prints)\b).*[^?\s]\s*$/is;

/** "The Buy button does nothing", "`f(1)` returns -900": who tells what goes wrong wants it mended. A question asks for an answer. */
export function tellsFault(prompt: string): boolean {
  return prompt.length < 2000 && FAULT.test(prompt);
}

/** What could be tried to get at each thing that the prompt itself names. */
function ladderOf(
  urls: readonly string[],
  paths: readonly string[],
  commands: readonly string[],
): readonly LadderHop[] {
  return [
    ...urls.map((target) => ({ capability: 'fetch' as const, target })),
    ...paths.flatMap((target) => [
      { capability: 'read' as const, target },
      { capability: 'search' as const, target },
    ]),
    ...commands.map((target) => ({ capability: 'run' as const, target })),
  ].slice(0, MAX_ITEMS);
}

function expectedOf(intent: string, urls: boolean, commands: boolean, policy: ClaimPolicy): ValidatorId[] {
  const bound = new Set(Object.values(policy.claims).flatMap(({ validators }) => validators));
  return wanted(intent, urls, commands).filter((id) => bound.has(id));
}

function wanted(intent: string, urls: boolean, commands: boolean): ValidatorId[] {
  const run: ValidatorId[] = ['test_pass'];
  if (commands) run.push('command_zero_exit');
  if (urls) run.push('http_2xx');
  switch (intent) {
    case 'fix':
    case 'add':
    case 'change':
    case 'remove':
      return [...run, 'file_diff_present'];
    case 'test':
      return run;
    case 'document':
      return ['file_diff_present'];
    case 'ship':
    case 'operate':
      return ['command_zero_exit'];
    default:
      return [];
  }
}

function responseModeOf(prompt: string, policy: ClaimPolicy): Contract['responseMode'] {
  if (policy.finalBlock === 'always') return 'foil_final';
  if (policy.finalBlock === 'off') return 'free';
  const text = ` ${prompt.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')} `;
  const named = policy.highStakes.some((word) =>
    text.includes(
      ` ${word
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim()} `,
    ),
  );
  return named ? 'foil_final' : 'free';
}

export const NO_CONTRACT: Contract = {
  intent: 'other',
  fields: { paths: [], urls: [], backtick_tokens: [], command_hints: [], keywords: [] },
  ladder: [],
  expected: [],
  responseMode: 'free',
  allowsWeakening: false,
};
