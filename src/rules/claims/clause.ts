// What the finders share: a clause under examination, and the questions they ask of its words.
import type { ClaimType } from '../../format/index.ts';
import { ADVERBS, CHECK_NOUNS, FAULTS, TEST_NOUNS, TOOLS, type Words, words } from './lexicon.ts';
import type { Segment } from './segments.ts';
import type { Token } from './tokens.ts';

/** What a word is about, as far as it is a check. */
export type Sort = 'test' | 'check' | null;

export interface Clause {
  readonly tokens: readonly Token[];
  readonly segment: Segment;
  /** Words before a colon, or of a row's first cell, that say what this is about. */
  readonly label: readonly Token[];
  /** How the segment before this one was built, for what is left out in "I found it and fixed it". */
  readonly before: 'first' | 'telegraphic' | 'other' | null;
  readonly heading: boolean;
}

/** Words that could be a claim. `from` to `to` are the words that say it. */
export interface Found {
  readonly type: ClaimType;
  readonly from: number;
  readonly to: number;
  /** Something somebody did, how something is now, or a request. */
  readonly form: 'action' | 'state' | 'request';
  /** Who it is said of: nobody (telegraphic), the writer, or a thing. */
  readonly subject: 'none' | 'first' | 'thing';
  /** That something was run; how it went is told by what follows. */
  readonly run?: boolean;
  /** A claim only in a message that reports work: what could as well tell how things are. */
  readonly soft?: boolean;
  /** "I can't run it here": a claim where that was the work, and no more than a disclosure where work was done. */
  readonly idle?: boolean;
  /** By a phrase of the policy. */
  readonly given?: boolean;
}

export function wordAt(clause: Clause, at: number): string {
  return at < clause.segment.from || at >= clause.segment.to ? '' : (clause.tokens[at]?.text ?? '');
}

export function kindAt(clause: Clause, at: number): Token['kind'] | null {
  return at < clause.segment.from || at >= clause.segment.to ? null : (clause.tokens[at]?.kind ?? null);
}

export function isAdverb(word: string): boolean {
  return (
    ADVERBS.has(word) || (word.length > 4 && word.endsWith('ly') && word !== 'reply' && word !== 'apply')
  );
}

/** The nearest word to the left of `at` that is no adverb and no mark; before the segment's start if there is none. */
export function leftOf(clause: Clause, at: number): number {
  let left = at - 1;
  // Nobody strings more adverbs together; a bound keeps this from growing with the sentence.
  while (left >= clause.segment.from && at - left < 8) {
    const kind = kindAt(clause, left);
    if (kind !== 'good' && !(kind === 'word' && isAdverb(wordAt(clause, left)))) break;
    left--;
  }
  return left;
}

export function rightOf(clause: Clause, at: number): number {
  let right = at + 1;
  while (
    right - at < 8 &&
    right < clause.segment.to &&
    (isAdverb(wordAt(clause, right)) || kindAt(clause, right) === 'good')
  )
    right++;
  return right;
}

/** Do the words from `at` on read as this phrase? Returns where it ends, or -1. */
export function phraseAt(clause: Clause, at: number, phrase: readonly string[]): number {
  for (let i = 0; i < phrase.length; i++) if (wordAt(clause, at + i) !== phrase[i]) return -1;
  return at + phrase.length;
}

/** Is one of these among the words from `from` to `to` of the segment? */
export function hasWord(
  clause: Clause,
  wanted: Words | RegExp,
  from = clause.segment.from,
  to = clause.segment.to,
): boolean {
  for (let at = from; at < to; at++) {
    const word = wordAt(clause, at);
    if (wanted instanceof RegExp ? wanted.test(word) : wanted.has(word)) return true;
  }
  return false;
}

/** Code that one types at a prompt: words, not a call, a path or a route. */
export function isCommand(token: Token | undefined): boolean {
  return (
    token?.kind === 'code' &&
    /^`+\s*(?:\.\/|\\)?[\w@./][\w@./-]* (?:[^()=>{}]|(?<=[\w-])=(?=[\w"'.]))*$/.test(token.text) &&
    !ROUTE.test(token.text)
  );
}

/** A command or a program that checks. */
export function isTool(token: Token | undefined): boolean {
  if (token === undefined) return false;
  const name = token.text.replaceAll('`', '');
  return isCommand(token) || TOOLS.has(name) || RUNNERS.test(name) || CHECKERS.test(name);
}

const RUNNERS =
  /^(?:pytest|jest|vitest|mocha|rspec|phpunit|ctest|nextest|tox|unittest|junit|karma|bats|nose2|minitest|playwright|cypress|busted)$/;
export const ROUTE = /^`+(?:get|post|put|delete|patch|head) /;
export const TEST_COMMAND =
  /(?:^|[^a-z])(?:tests?|pytest|jest|vitest|mocha|rspec|phpunit|ctest|nextest|tox|specs?|unittest|prove|bats|junit|karma|runtests?|[a-z]*unittests?|make check|gradlew? check|mvnw?(?: -[^ ]+)* (?:[a-z]+ )*verify)(?:[^a-z]|$)/;

/** Is this word, or this piece of code, about tests, or about another check? */
export function sortOf(token: Token | undefined): Sort {
  if (token === undefined) return null;
  if (token.kind === 'code') {
    if (TEST_COMMAND.test(token.text)) return 'test';
    return isTool(token) ||
      /^`+(?:\.{0,2}\/|.*\.sh`)/.test(token.text) ||
      CHECK_NOUNS.has(token.text.replaceAll('`', ''))
      ? 'check'
      : null;
  }
  if (token.kind !== 'word') return null;
  if (TEST_NOUNS.has(token.text) || RUNNERS.test(token.text) || /^tests?[a-z]{3,}$/.test(token.text))
    return 'test';
  return CHECK_NOUNS.has(token.text) || CHECKERS.test(token.text) ? 'check' : null;
}

/** Tools are named after what they do: staticcheck, ktlint, svelte-check, gofmt. */
const CHECKERS = /.(?:lint|linter|check|checker|fmt|stan|-tidy|-vet|-audit|-validator|analy[sz]er|profiler)$/;

/** A check that is named as one: a tool, a build, a linter. Not "the run", "a result", "validation". */
export function isFirm(token: Token): boolean {
  return isTool(token) || (token.kind === 'word' && FIRM_CHECKS.has(token.text));
}

const FIRM_CHECKS =
  words(`build builds compile compilation typecheck type-check typechecking type-checking types lint linting linter formatting
  formatter ci pipeline workflow checks typescript smoke benchmark`);
const TEST_THINGS = words(
  `database db server environment data account user page instance cluster file files project bench machine`,
);

/** The strongest sort among some words. */
export function sortIn(tokens: readonly Token[], from = 0, to = tokens.length): Sort {
  let found: 'check' | null = null;
  for (let i = Math.max(0, from); i < to; i++) {
    const sort = sortOf(tokens[i]);
    // A test database is no test.
    if (sort === 'test' && !(tokens[i]?.text === 'test' && TEST_THINGS.has(tokens[i + 1]?.text ?? '')))
      return 'test';
    if (sort === 'test') continue;
    found = sort ?? found;
  }
  return found;
}

/** What is said about: the words before it in the segment, else the label, else what the clause goes on from. */
export function subjectSort(clause: Clause, at: number): Sort {
  const own = sortIn(clause.tokens, clause.segment.from, at) ?? sortIn(clause.label);
  // "Server-side tests (17) pass": what is in brackets stands between.
  const goesOn = clause.segment.link === 'coordinate' || clause.tokens[clause.segment.from - 1]?.text === ')';
  if (own !== null || !goesOn || leftOf(clause, at) >= clause.segment.from) return own;
  return sortIn(clause.tokens, 0, at);
}

/** What was counted: tests, unless a build, a linter or the like is named. "Full run" and "result" name nothing. */
export function firmSort(clause: Clause, at: number): Sort {
  const sort = subjectSort(clause, at);
  if (sort !== 'check' || sortIn(clause.tokens) === 'test') return sort === null ? null : 'test';
  const named = [...clause.label, ...clause.tokens.slice(0, at)].some(isFirm);
  return named ? sort : 'test';
}

export function byType(sort: Sort, otherwise: ClaimType): ClaimType {
  return sort === 'test' ? 'tested' : sort === 'check' ? 'checked' : otherwise;
}

/** "no errors", "without a single failure", "0 lint warnings": where the fault behind `at` is, or -1. */
export function faultAfter(clause: Clause, at: number): number {
  for (let i = at + 1; i < at + 4; i++) {
    // "No error handling"
    if (
      /^(?:error|failure|crash|exception)$/.test(wordAt(clause, i)) &&
      /(?:ing|ler|lers|s|page|code)$/.test(wordAt(clause, i + 1))
    )
      return -1;
    if (FAULTS.has(wordAt(clause, i))) return i;
    const opens = wordAt(clause, at) !== 'no' || (at === clause.segment.from && isPlain(clause, i));
    const any = i === at + 1 && opens && kindAt(clause, i) === 'word';
    if (!any && !BEFORE_FAULTS.has(wordAt(clause, i)) && sortOf(clause.tokens[i]) === null) return -1;
  }
  return -1;
}

/** "No hydration warnings": one word of which sort. "No more warnings" and "no compile problem: …" say something else. */
function isPlain(clause: Clause, at: number): boolean {
  return wordAt(clause, at) !== 'more' && /s$/.test(wordAt(clause, at + 1));
}

const BEFORE_FAULTS = words(
  'a an any single further other new one type compile compiler typescript eslint remaining unexpected visible',
);

/** How a thing is now. */
export function stateOf(type: ClaimType, from: number, to: number, soft = false): Found {
  return { type, from, to, form: 'state', subject: 'thing', soft };
}
