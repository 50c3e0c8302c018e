// What of a claim's own words stands in its entry, so that it can be judged again without them: the names of what it speaks
// of, and the words by which validators tell what it is about. The gate asks by these as well before it signs: it signs
// nothing that a verifier could not repeat.
import type { Claim, Contract, LadderHop } from '../format/index.ts';
import type { ClaimPolicy } from '../policy/index.ts';
import { speaksOf } from './attempt-match.ts';
import { NO_CONTRACT } from './contract.ts';
import { scopeOf } from './coverage.ts';
import type { Evidence, Run } from './evidence.ts';
import { aboutWords } from './validators/aside.ts';
import { isNamed } from './validators/command-zero-exit.ts';
import { askedWords } from './validators/fetch-attempt-proof.ts';
import { isStatusNamed } from './validators/http-2xx.ts';
import { askValidator, type Question } from './validators/index.ts';
import type { Outcome } from './validators/validator.ts';

const MOST_NAMES = 8;

export function namesIn(
  { type, quote }: Claim,
  runs: readonly Run[],
  ladder: readonly LadderHop[],
): string[] {
  const names = new Set(ladder.map(({ target }) => target).filter((target) => speaksOf(quote, target)));
  const about = type === 'checked' ? aboutWords(quote) : type === 'delegation' ? askedWords(quote) : '';
  if (about !== '') names.add(about);
  for (const check of runs.flatMap(({ checks }) => checks)) {
    const { targets, directory, command, runner, status } = check;
    const places = [...targets, directory ?? ''].map((path) => path.slice(path.lastIndexOf('/') + 1));
    const selectors = check.selectors.filter((selector) => !selector.startsWith('!'));
    if (type === 'checked' && isNamed(check, quote)) names.add(runner.split(' ', 1).join());
    for (const name of [...places, ...selectors])
      if (name.length > 3 && quote.includes(name)) names.add(name);
    if (quote.includes(`\`${command}\``)) names.add(command);
    if (status !== null && isStatusNamed(status, quote)) names.add(`${status}`);
  }
  return [...names].slice(0, MOST_NAMES);
}

/** The words that stand for a quote whose own are not at hand: the names, as a message would write them. */
export function quoteOf(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(' ');
}

export interface NamedClaim extends Omit<Claim, 'quote'> {
  readonly names: readonly string[];
}

/** What a validator of that version says of a claim of which only the names are known. */
export function askByNames(
  question: Pick<Question, 'validator' | 'args'> & { readonly version?: number },
  claim: NamedClaim,
  on: {
    readonly contract: Contract | null;
    readonly evidence: Evidence;
    readonly policy: ClaimPolicy;
  },
): Outcome {
  const { evidence, policy, contract: whole } = on;
  const { version } = question;
  const { names, type } = claim;
  const contract = whole ?? NO_CONTRACT;
  const ladder = contract.ladder.filter(({ target }) => names.includes(target));
  // Of the ladder only what the claim speaks of is asked for. The first version took any name for one of it.
  const isLimited =
    (type === 'blocked' || type === 'delegation') && (version === 1 ? names.length > 0 : ladder.length > 0);
  const bound = isLimited ? { ...contract, ladder } : contract;
  const context = {
    evidence,
    contract: bound,
    claim: { ...claim, quote: quoteOf(names) },
    scope: scopeOf(evidence, bound),
    ...(version === undefined ? {} : { version }),
  };
  return askValidator({ ...question, asked: false }, context, policy);
}
