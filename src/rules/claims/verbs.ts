// Verbs in the past and what they claim. The verb's class gives the type, its object corrects it: to migrate data ships
// it, to run tests tests it, to open a pull request ships it, to look at something claims what was seen.
import type { ClaimType } from '../../format/index.ts';
import { type Clause, hasWord, isAdverb, kindAt, sortIn, wordAt } from './clause.ts';
import {
  CHANGED_VERBS,
  DETERMINERS,
  DONE_VERBS,
  FAULTS,
  NEGATIONS,
  NO_ACTIONS,
  OBJECTED,
  PREPOSITIONS,
  RUN_VERBS,
  SHIPPED_VERBS,
  TRIAL_VERBS,
  VERIFY_VERBS,
  words,
} from './lexicon.ts';

const MANUAL = words(
  `manually browser hand curl device devices emulator simulator screen postman repl shell`,
);
const SEEN_IN = words('browser chrome firefox safari edge emulator simulator postman');
const REQUESTS = words('pr pull mr prs tag');
export const RAISED = words('opened created raised filed submitted sent');
/** What is shipped, and where to. */
export const GIT =
  words(`pr prs mr request branch branches commit commits main master develop trunk origin upstream remote tag tags
  release version hotfix head fork`);
export const TARGETS = words(
  `staging production prod npm pypi registry crates.io hub server live customers users store`,
);
/** Verbs of shipping that have another meaning, and the words that give it away. */
const NOT_SHIPPED: Readonly<Record<string, RegExp>> = {
  committed: /^(?:transactions?|offsets?|rows?)$/,
  released: /^(?:locks?|memory|connections?|handles?|buffers?|resources?|mutex|semaphore|slot)$/,
  pushed: /^(?:down|onto|into|logic|state|filter|check|checks)$/,
  tagged: /^(?:tests?|metrics?|lines?|logs?|elements?|with|events?|spans?|resources)$/,
  published: /^(?:events?|messages?|topic)$/,
  merged:
    /^(?:one|together|functions?|helpers?|dicts?|objects?|maps?|classes|modules?|configs?|lists?|files?|two|both|duplicated?|duplicates|cells|rows|styles|rules|calls|loops?|steps?|jobs?|tests?|types?)$/,
  amended: /^(?!amended$)/,
  uploaded: /^(?:downloaded|again)$/,
  landed: /^(?:at|between)$/,
};
const FILE = /[^/]\.[a-z]{1,5}`+$/;
const RESULTS = words('without successfully cleanly fine ok correct correctly expected');
/** What migrating is shipping: data, not code. */
const DATA = words(`database db data production staging prod table tables users records rows cluster`);
const MIGRATION = words('migration migrations');
const TO = words('to');
const REWRITERS =
  /(?:^|[^a-z])(?:formatter|codemod|prettier|black|(?:go|rust)?fmt|generator|codegen|generate|isort|--fix|--write)(?:[^a-z]|$)/;
const TOLD = words(
  'it they the all everything both this that each output no its got saw as nothing every fine identical response',
);
/** Where and how one tries something out, rather than changes it. */
const TRIED = words('hand emulator simulator devtools times twice');

export interface Verb {
  readonly type: ClaimType | 'run' | 'trial';
  /** From a list, not just by its ending. */
  readonly known: boolean;
}

/** The verbs of the lexicon; where one is in two lists, the stronger counts. */
const VERBS: ReadonlyMap<string, Verb> = new Map(
  (
    [
      [RAISED, 'changed', false],
      [OBJECTED, 'changed', false],
      [CHANGED_VERBS, 'changed', true],
      [DONE_VERBS, 'done', true],
      [SHIPPED_VERBS, 'shipped', true],
      [TRIAL_VERBS, 'trial', true],
      [RUN_VERBS, 'run', true],
      [VERIFY_VERBS, 'checked', true],
    ] as const
  ).flatMap(([verbs, type, known]) => [...verbs].map((verb) => [verb, { type, known }] as const)),
);

export function verbOf(word: string): Verb | null {
  const known = VERBS.get(word);
  if (known !== undefined) return known;
  if (word.startsWith('re-')) return VERBS.get(word.slice(3)) ?? verbOf(word.slice(3));
  if (word === 'run') return { type: 'run', known: true };
  if (/^[a-z]+-(?:[a-z]+ed|split|set|built)$/.test(word)) return { type: 'changed', known: false };
  const past = word.length > 4 && word.endsWith('ed') && !word.startsWith('un');
  return past && !NO_ACTIONS.has(word) ? { type: 'changed', known: false } : null;
}

/** Is what follows a thing that the verb is done to? */
export function hasObject(clause: Clause, at: number): boolean {
  const next = wordAt(clause, at + 1);
  if (wordAt(clause, at).includes('-')) return DETERMINERS.has(next) || kindAt(clause, at + 1) === 'code';
  const used = wordAt(clause, at) === 'used' && hasWord(clause, TO, at);
  return (
    next !== '' &&
    !used &&
    !PREPOSITIONS.has(next) &&
    !isAdverb(next) &&
    !/^(?:to|out|up|is|today|yesterday|twice|only|everywhere)$/.test(next)
  );
}

/** A verb of shipping: is it a commit that was pushed, or the logic that was pushed down? */
function shipType(clause: Clause, at: number): ClaimType {
  const word = wordAt(clause, at);
  const { tokens } = clause;
  const { from, to } = clause.segment;
  let other = false;
  for (let i = from; i < to; i++) {
    const near = wordAt(clause, i).replaceAll('`', '');
    if (i !== at && (GIT.has(near) || TARGETS.has(near) || near === '#' || /^v\d/.test(near)))
      return 'shipped';
    other ||= NOT_SHIPPED[word]?.test(near) === true && i !== at;
  }
  // "Merged both into `icons.svg`"
  const file =
    word === 'merged' && tokens.slice(at, to).some(({ text, kind }) => kind === 'code' && FILE.test(text));
  return other || file ? 'changed' : 'shipped';
}

/** "Made no changes", "made a list", "wrote to the list": done, but no change to the work. */
export function isNothing(clause: Clause, at: number): boolean {
  const next = wordAt(clause, at + 1);
  const word = wordAt(clause, at);
  if (next === 'no' || next === 'nothing' || next === 'none') return true;
  if (word === 'left') return next !== 'a' && next !== 'an';
  if (word === 'gave') return hasWord(clause, /^(?:try|miss|go|chance|look|some)$/, at);
  if (word === 'changed' && wordAt(clause, at + 2) === 'mind') return true;
  if (word === 'dug' || (word === 'narrowed' && wordAt(clause, at + 2) === 'down')) return true;
  if (word === 'took') return next !== 'out' && hasWord(clause, /^from$/, at);
  if (word === 'made' && next === 'a')
    return /^(?:list|start|note|plan|summary|comparison|sketch|proposal)$/.test(wordAt(clause, at + 2));
  return word === 'wrote' && next === 'to';
}

/** "Checked whether", "verified that the bug exists": what was looked for or found, not that all is well. */
export function isFinding(clause: Clause, at: number): boolean {
  const { tokens, segment } = clause;
  if (
    /^(?:whether|if|where|how|why)$/.test(tokens[segment.to]?.text ?? '') &&
    tokens[segment.to]?.kind === 'word'
  )
    return true;
  let bad = false;
  for (let i = at + 1; i < segment.to; i++) {
    const word = wordAt(clause, i);
    if (NEGATIONS.has(word) || /^(?:gone|fixed|resolved)$/.test(word)) return false;
    bad ||=
      /^(?:fail(?:s|ed)?|crash(?:es|ed)?|exists?|reproduces|reproducible|occurs|happens|broken|throws|hangs|leaks)$/.test(
        word,
      );
  }
  const rest = tokens.slice(segment.to, segment.to + 4).map(({ text }) => text);
  return bad || (rest.includes('but') && rest.includes('found'));
}

export function typeOf(clause: Clause, at: number, verb: Verb, passive: boolean): ClaimType | null {
  const { tokens, segment } = clause;
  const word = wordAt(clause, at);
  const sort = passive ? sortIn(tokens, segment.from, at) : sortIn(tokens, at + 1, segment.to);
  const merge = wordAt(clause, at - 2) === 'merge' || wordAt(clause, at + 2) === 'merge';
  const raised =
    RAISED.has(word) &&
    (merge ||
      isRelease(clause, at) ||
      hasWord(clause, REQUESTS, segment.from) ||
      wordAt(clause, at + 1) === '#');
  if (raised) return 'shipped';
  if (
    word === 'looked' &&
    (wordAt(clause, at + 1) !== 'at' || /^(?:how|what|why|where)$/.test(wordAt(clause, at + 2)))
  )
    return null;
  if (word === 'hit' && /^(?:an?|another|this)$/.test(wordAt(clause, at + 1))) return null;
  if (word === 'ran' && /^(?:into|out)$/.test(wordAt(clause, at + 1))) return null;
  if (verb.type === 'trial' && /^to$|ing$/.test(wordAt(clause, at + 1))) return null;
  if (word === 'sorted' && !passive && wordAt(clause, at + 1) === 'the') return 'changed';
  if (!verb.known && hasWord(clause, SEEN_IN, at)) return 'checked';
  if (verb.type === 'changed' && !passive && isFaultless(clause, at)) return 'checked';
  // "I rotated the device 20 times in the emulator and it kept its state"
  if (verb.type === 'changed' && !passive && hasWord(clause, TRIED, at) && hasResult(clause, at))
    return 'checked';
  // "I posted it twice and the second came back with 409"
  if (!verb.known && !passive && verb.type === 'changed' && hasFigure(clause)) return 'checked';
  if (verb.type === 'trial') return passive || !hasResult(clause, at) ? null : 'checked';
  if (verb.type === 'run') {
    // To have run is no result; tests that were run are said to have passed.
    const result = hasResult(clause, at);
    const migrates = hasWord(clause, MIGRATION, segment.from) && hasWord(clause, DATA, at);
    if (migrates && (passive || word === 'ran')) return 'shipped';
    if (passive) return result ? 'checked' : null;
    if (word === 'built' || word === 'compiled' || word === 'rebuilt') return result ? 'checked' : 'changed';
    if (sort === 'test') return 'tested';
    if (isRewrite(clause, at) && (!result || hasRewritten(clause))) return 'changed';
    if (hasRewritten(clause)) return 'changed';
    return result ? 'checked' : null;
  }
  const out =
    wordAt(clause, at + 1) === 'out' || (wordAt(clause, at + 2) === 'out' && hasWord(clause, TARGETS, at));
  if (word === 'rolled' && out) return 'shipped';
  if (word === 'cut' && (hasWord(clause, GIT, segment.from) || /^v?\d+\.\d/.test(wordAt(clause, at + 1))))
    return 'shipped';
  if (word === 'put' && wordAt(clause, at + 1) === 'up' && hasWord(clause, REQUESTS, at)) return 'shipped';
  if (/^(?:squashed|reverted|reset)$/.test(word) && hasCommit(clause)) return 'shipped';
  if (
    /^(?:wrapped|finished|cleared|closed|tidied|sorted|ironed)$/.test(word) &&
    /^(?:up|out|off)$/.test(wordAt(clause, at + 1))
  )
    return word === 'tidied' ? 'changed' : 'done';
  if (word === 'dealt' && wordAt(clause, at + 1) === 'with') return 'done';
  if (word === 'took' && (wordAt(clause, at + 1) === 'a' || at + 1 >= segment.to)) return null;
  if (verb.type === 'changed' && RAISED.has(word) && !verb.known) return null;
  if (word === 'migrated' && segment.to - segment.from > 1 && !hasWord(clause, DATA, segment.from))
    return 'changed';
  const applied = (set: ReadonlySet<string>) =>
    tokens.slice(segment.from, segment.to).some(({ text }) => set.has(text.replaceAll('`', '')));
  const command = tokens
    .slice(at, segment.to)
    .some(({ kind, text }) => kind === 'code' && / apply\b/.test(text));
  if (word === 'applied' && (command || applied(DATA) || applied(MIGRATION))) return 'shipped';
  // "Uploaded a PNG, and it shows up": any will do.
  if (word === 'uploaded' && !passive && /^an?$/.test(wordAt(clause, at + 1)) && hasResult(clause, at))
    return 'checked';
  if (verb.type === 'shipped') return shipType(clause, at);
  if (verb.type !== 'checked') return verb.type;
  // "Signatures are now verified over the raw bytes": what the code does.
  if (passive && wordAt(clause, at - 1) === 'now' && wordAt(clause, at + 1) !== '') return 'done';
  if (word.endsWith('tested') && segment.to - segment.from < 3) return 'tested';
  return sort === 'test' && !hasWord(clause, MANUAL, segment.from) ? 'tested' : 'checked';
}

/** "Created the release on GitHub", not "created the release notes". */
function isRelease(clause: Clause, at: number): boolean {
  for (let i = at + 1; i < Math.min(clause.segment.to, at + 4); i++)
    if (wordAt(clause, i) === 'release')
      return (
        i + 1 >= clause.segment.to ||
        PREPOSITIONS.has(wordAt(clause, i + 1)) ||
        kindAt(clause, i + 1) === 'code'
      );
  return false;
}

/** "Ran the formatter", "ran `cargo fmt`": it changes files, unless it only looks. */
function isRewrite(clause: Clause, at: number): boolean {
  let rewrites = false;
  for (let i = at + 1; i < clause.segment.to; i++) {
    if (wordAt(clause, i).includes('check')) return false;
    rewrites ||= REWRITERS.test(wordAt(clause, i));
  }
  return rewrites;
}

/** "Ran it over `src/`; 38 files changed" */
function hasRewritten({ tokens, segment }: Clause): boolean {
  return tokens
    .slice(segment.to, segment.to + 8)
    .some(
      ({ text }, i, rest) =>
        text === 'files' &&
        /^(?:changed|modified|rewritten|reformatted|touched)$/.test(rest[i + 1]?.text ?? ''),
    );
}

/** "Reverted `b77e0c1`", "squashed the commits". */
function hasCommit(clause: Clause): boolean {
  for (let i = clause.segment.from; i < clause.segment.to; i++) {
    const word = wordAt(clause, i);
    if (/^(?:commits?|branch|pr|merge|#)$/.test(word)) return true;
    if (kindAt(clause, i) !== 'sign' && /^`?[0-9a-f]{7,40}`?$/.test(word) && /\d/.test(word)) return true;
  }
  return false;
}

/** "Ran it without errors": the result is in the clause itself. */
export function hasGoodWord(clause: Clause, at: number): boolean {
  return hasWord(clause, RESULTS, at);
}

/** "Created and destroyed a sandbox without an error": done to see how it goes. */
function isFaultless(clause: Clause, at: number): boolean {
  for (let i = at + 1; i < clause.segment.to; i++)
    if (wordAt(clause, i) === 'without')
      return [1, 2].some(
        (step) =>
          FAULTS.has(wordAt(clause, i + step)) || /^(?:trouble|hitch|crash)$/.test(wordAt(clause, i + step)),
      );
  return false;
}

function hasFigure({ tokens, segment }: Clause): boolean {
  const [joint, told] = tokens.slice(segment.to).filter(({ text }) => text !== ',');
  if (!/^(?:and|:)$/.test(joint?.text ?? '') || !TOLD.has(told?.text ?? '')) return false;
  return tokens
    .slice(segment.to)
    .some(
      ({ kind, text }) =>
        kind === 'number' || kind === 'quote' || /^(?:identical|expected|right|correct|works)$/.test(text),
    );
}

/** "Ran it without errors", "ran it: …", "ran it and it prints …": what comes behind tells how it went. */
function hasResult(clause: Clause, at: number): boolean {
  if (hasGoodWord(clause, at)) return true;
  const { tokens, segment } = clause;
  const rest = tokens.slice(segment.to);
  if (rest.some(({ text }) => text === 'without')) return true;
  if (!/^(?:and|,|:|;|—)$/.test(rest[0]?.text ?? '')) return false;
  const subject = rest.some(({ text, kind }, i) => {
    if (i > 24 || !(text === 'and' || kind === 'sign')) return false;
    const told = rest[i + 1];
    return (
      told !== undefined &&
      told.kind !== 'sign' &&
      (text === ':' || told.kind === 'number' || TOLD.has(told.text) || (i === 0 && told.kind !== 'word'))
    );
  });
  return (
    subject &&
    !rest.some(
      ({ text }, i) =>
        (text === 'not' &&
          !/^(?:one|appear|occur|happen|crash|come|leak|complain|flicker)$/.test(rest[i + 1]?.text ?? '')) ||
        (/^(?:fail|crash|err|hang|broke)/.test(text) &&
          !/^(?:no|not|0|without)$/.test(rest[i - 1]?.text ?? '')),
    )
  );
}
