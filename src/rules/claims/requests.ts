// "I can't go on" and "I need something of you": blocked and delegation. Who says it of whom decides: "the parser can't
// read tabs" is a description, and "you can run it" is advice.
import { type Clause, type Found, hasWord, kindAt, leftOf, rightOf, wordAt } from './clause.ts';
import { BE, FIRST, words } from './lexicon.ts';

/** What one can fail to do without being stopped by it; not to have checked is a disclosure. */
/** Seeing is an excuse, unless there is something that can't be seen from here. */
const HERE = words('here sandbox environment machine session box container runner host checkout');
const UNBLOCKED =
  words(`fix reproduce find guarantee tell say recommend promise speak judge think imagine exclude rule spot detect
  identify call prove explain decide run test verify check confirm validate execute be help claim see know remember believe stress
  convince make trigger measure try provoke`);
const REACHED =
  words(`accessed fetched reached opened read downloaded cloned loaded completed finished pulled viewed pushed deployed published
  installed retrieved obtained resolved contacted authenticated`);
const MEANS = words(`access permission permissions credentials credential token key keys rights privileges`);
const GIVE = words(
  `send share paste provide upload attach give post supply forward grant export drop tell invite copy vendor`,
);
const ACT =
  words(`run set add install create configure enable approve start restart open point put commit push merge deploy apply register
  generate rotate download update check log apply authorize authorise sign whitelist turn`);
const ASKING = words('can could would');
/** What one asks for and still has all one needs: a decision, an opinion, or nothing at all. */
const UNASKED =
  words(`confirm decide clarify choose let note see keep consider be feel take review look remember make ignore
  explain say bear have do advise pick specify mind like want help if verify test try wait read rather prefer say shout
  double-check holler yell ping`);
/** To be asked for a decision is not to be asked for material. */
const DECISIONS = words(
  'decision answer preference choice opinion go-ahead approval ok okay session round time',
);
/** Who may do what the writer may not. */
const OWNERS = words('owner owners admin admins administrator maintainer maintainers operator');
/** What is blocked where the writer is. */
const OWN_WORK = words(
  'this that it work task rest everything progress step remaining upgrade migration release deploy deployment',
);
/** What the writer has to get there with. */
const OWN_MEANS = words('my me i here token key credentials login sandbox environment machine container');
const NEEDED = words('need require');
const CHECKING = words('verify check confirm see test try');

/** Every word a request can begin at. */
const TRIGGERS = new Set([
  ...words(
    'has answers returns refuses denies denied available allowed reachable accessible blocked stuck hit out can could unable able possible impossible no have waiting awaiting',
  ),
  ...NEEDED,
  ...GIVE,
  ...ACT,
]);

export function findRequests(clause: Clause): Found[] {
  const found: Found[] = [];
  for (let at = clause.segment.from; at < clause.segment.to; at++) {
    if (kindAt(clause, at) !== 'word') continue;
    if (!TRIGGERS.has(wordAt(clause, at)) && !/^(?:please|you|to|mind)$/.test(wordAt(clause, at - 1)))
      continue;
    const end = blockedAt(clause, at);
    if (end !== -1) found.push({ type: 'blocked', from: at, to: end, form: 'request', subject: 'first' });
    else if (isIdle(clause, at) || isShutOut(clause, at))
      found.push({ type: 'blocked', from: at, to: at + 2, form: 'request', subject: 'first', idle: true });
    const asked = delegationAt(clause, at);
    if (asked !== -1)
      found.push({ type: 'delegation', from: at, to: asked, form: 'request', subject: 'first' });
  }
  return found;
}

function isFirst(clause: Clause, at: number): boolean {
  const left = leftOf(clause, at);
  if (left >= clause.segment.from) return FIRST.has(wordAt(clause, left));
  return clause.segment.link !== 'coordinate' || clause.before === 'first';
}

/** Where the words of "I'm blocked", "I can't access", "no way to" end, or -1. */
function blockedAt(clause: Clause, at: number): number {
  const word = wordAt(clause, at);
  const next = wordAt(clause, at + 1);
  const left = wordAt(clause, leftOf(clause, at));
  if (word === 'blocked' || word === 'stuck') {
    if (leftOf(clause, at) < clause.segment.from)
      return (clause.segment.link === 'start' || (clause.label[0]?.text === 'status' && next === '')) &&
        (next === '' || next === 'on' || next === 'by')
        ? at + 1
        : -1;
    return BE.has(left) &&
      (FIRST.has(wordAt(clause, leftOf(clause, at) - 1)) ||
        (word === 'blocked' && hasWord(clause, OWN_WORK, clause.segment.from, at))) &&
      next !== 'by'
      ? at + 1
      : -1;
  }
  if ((word === 'can' || word === 'could') && next === 'not') {
    const verb = rightOf(clause, at + 1);
    if (wordAt(clause, verb) === 'be') {
      const done =
        REACHED.has(wordAt(clause, verb + 1)) ||
        (wordAt(clause, verb + 1) === 'done' && wordAt(clause, verb + 2) === 'without');
      return done ? verb + 2 : -1;
    }
    const open =
      kindAt(clause, verb) === 'word' &&
      (!UNBLOCKED.has(wordAt(clause, verb)) ||
        (wordAt(clause, verb) === 'find' && kindAt(clause, verb + 1) === 'code'));
    return open && isFirst(clause, at) ? verb + 1 : -1;
  }
  if (
    /^(?:reachable|accessible)$/.test(word) &&
    wordAt(clause, left === 'not' ? leftOf(clause, at) - 1 : -1) !== ''
  )
    return hasWord(clause, HERE, at) ? at + 1 : -1;
  if (word === 'unable' || (word === 'able' && wordAt(clause, at - 1) === 'not')) {
    const be = word === 'able' ? at - 2 : leftOf(clause, at);
    const own = be < clause.segment.from || isFirst(clause, be);
    return own && next === 'to' && !UNBLOCKED.has(wordAt(clause, at + 2)) ? at + 3 : -1;
  }
  if (word === 'possible' && wordAt(clause, at - 1) === 'not')
    return next === 'without' || next === 'to' || next === '' ? at + 1 : -1;
  if (word === 'impossible') return next === 'without' || next === 'to' ? at + 1 : -1;
  if (word === 'no' && next === 'way' && /^(?:to|for|into)$/.test(wordAt(clause, at + 2)))
    return /^(?:tell|try|know)$/.test(wordAt(clause, at + 3)) ? -1 : at + 3;
  if (word === 'have' && (wordAt(clause, at - 1) === 'not' || next === 'no')) {
    const owner = wordAt(clause, at - 1) === 'not' ? at - 2 : at;
    if (!isFirst(clause, owner)) return -1;
    for (let i = at + 1; i < Math.min(at + 6, clause.segment.to); i++)
      if (MEANS.has(wordAt(clause, i))) return i + 1;
  }
  if (word === 'hit' && next === 'a' && wordAt(clause, at + 2) === 'wall') return at + 3;
  if (word === 'out' && next === 'of' && wordAt(clause, at + 2) === 'options') return at + 3;
  if (word === 'no' && next === 'access' && clause.segment.from === at) return at + 2;
  return -1;
}

/** "I can't run them here", "the benchmarks can't run on this machine", "I can't see the page from here". */
function isIdle(clause: Clause, at: number): boolean {
  if (!/^(?:can|could)$/.test(wordAt(clause, at)) || wordAt(clause, at + 1) !== 'not') return false;
  const verb = wordAt(clause, at + 2) === 'be' ? at + 3 : at + 2;
  return (
    /^(?:run|execute|executed|see|start|started|test|tested|launch)$/.test(wordAt(clause, verb)) &&
    hasWord(clause, HERE, verb)
  );
}

/** "The sandbox has no network", "the registry answers 403", "isn't reachable from here": told of what stands in the way. */
function isShutOut(clause: Clause, at: number): boolean {
  const word = wordAt(clause, at);
  const next = wordAt(clause, at + 1);
  if (word === 'has' && next === 'no')
    return (
      HERE.has(wordAt(clause, leftOf(clause, at))) &&
      !/^(?:effect|impact|influence)$/.test(wordAt(clause, at + 2))
    );
  if (/^(?:answers|returns|refuses|denies)$/.test(word))
    return /^(?:401|403|access|connections)$/.test(next) && hasWord(clause, OWN_MEANS, at);
  if (/^(?:denied|reachable|accessible|available|allowed)$/.test(word)) {
    const denied = word === 'denied' || wordAt(clause, at - 1) === 'not';
    return denied && (hasWord(clause, OWN_MEANS, at) || (word === 'allowed' && isFirst(clause, at - 2)));
  }
  return false;
}

/** Where the words of "please send", "I need the …", "you'll have to run" end, or -1. */
function delegationAt(clause: Clause, at: number): number {
  const word = wordAt(clause, at);
  // "Tell me": a decision, unless it says what to tell.
  if (word === 'tell' && !/^(?:the|an?|what|which|where|your|who)$/.test(clause.tokens[at + 2]?.text ?? ''))
    return -1;
  if (word === 'tell' && /^(?:you|way|one|of|option)$/.test(clause.tokens[at + 3]?.text ?? '')) return -1;
  const left = leftOf(clause, at);
  const before = wordAt(clause, left);
  const asked =
    (before === 'please' || (before === 'you' && ASKING.has(wordAt(clause, left - 1)))) && !UNASKED.has(word);
  if (asked) return isAdvice(clause, at) ? -1 : at + 1;
  if (before === 'mind' && wordAt(clause, left - 1) === 'you' && word.endsWith('ing')) return at + 1;
  if (GIVE.has(word) || ACT.has(word)) {
    const aside = clause.tokens[clause.segment.from - 1]?.text === ')';
    const ordered =
      left < clause.segment.from && GIVE.has(word) && clause.segment.link !== 'coordinate' && !aside;
    const told = /^(?:if|whether|when)$/.test(clause.tokens[clause.segment.to]?.text ?? '');
    if (ordered && !told && (wordAt(clause, at + 1) === 'me' || word === 'paste' || word === 'send'))
      return at + 1;
    if (before === 'must' && wordAt(clause, left - 1) === 'you') return at + 1;
    if (before !== 'to') return othersMust(clause, at) ? at + 1 : -1;
    const have = wordAt(clause, left - 1);
    if (othersMust(clause, at)) return at + 1;
    if (have !== 'need' && have !== 'have' && have !== 'you') return -1;
    let you = have === 'you' ? left - 1 : leftOf(clause, left - 1);
    // "…, or you'd have to create it": supposed, unless the sentence begins with it.
    if (wordAt(clause, you) === 'would' && clause.segment.link !== 'start') return -1;
    if (/^(?:will|would)$/.test(wordAt(clause, you))) you--;
    const must = wordAt(clause, you) === 'you' && (have !== 'you' || NEEDED.has(wordAt(clause, you - 1)));
    return must && !isToCheck(clause, at) ? at + 1 : -1;
  }
  if (before === 'to' && othersMust(clause, at)) return at + 1;
  if (NEEDED.has(word) && isNeedy(clause, left)) {
    const next = wordAt(clause, at + 1);
    return next === 'to' || next === '' || next === 'not' || hasWord(clause, DECISIONS, at + 1) ? -1 : at + 1;
  }
  if ((word === 'waiting' || word === 'awaiting') && /^(?:for|on|your|you)$/.test(wordAt(clause, at + 1))) {
    return hasWord(clause, /^you(?:r|rs)?$/, at + 1) ? at + 2 : -1;
  }
  return -1;
}

/** "You'll have to purge the cache", "somebody on site will have to load it": whatever it is. */
function othersMust(clause: Clause, at: number): boolean {
  if (UNASKED.has(wordAt(clause, at)) || wordAt(clause, at - 1) !== 'to' || isAdvice(clause, at))
    return false;
  if (!/^(?:have|need|needs|has)$/.test(wordAt(clause, at - 2))) return false;
  const subject = wordAt(clause, clause.segment.from);
  if (/^(?:somebody|someone|everyone|everybody)$/.test(subject)) return true;
  if (/^(?:an?|the)$/.test(subject) && OWNERS.has(wordAt(clause, clause.segment.from + 1))) return true;
  return subject === 'you' && /^(?:will|you)$/.test(wordAt(clause, at - 3));
}

/** `I need`, `I'll need`, `I would still need`. */
function isNeedy(clause: Clause, left: number): boolean {
  const modal = wordAt(clause, left);
  const subject = modal === 'will' || modal === 'would' ? leftOf(clause, left) : left;
  return wordAt(clause, subject) === 'i';
}

/** "Please run it before you merge" leaves nothing undone. */
function isAdvice(clause: Clause, at: number): boolean {
  return isToCheck(clause, at) || clause.tokens[clause.segment.to]?.text === 'before';
}

/** "Please run `npm test` to verify" */
function isToCheck(clause: Clause, at: number): boolean {
  for (let i = at + 1; i + 1 < clause.segment.to; i++)
    if (wordAt(clause, i) === 'to' && CHECKING.has(wordAt(clause, i + 1))) return true;
  return false;
}
