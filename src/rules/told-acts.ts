// Acts that a message tells of: a deed of its author with what it was done with ("I profiled it with tracemalloc"), a command
// line that is shown or told as run, what such a command prints, figures told as measured, what stood in the way, and what is said to have failed before. Read
// clause by clause and without the classifier: whether it is on record is for act-evidence.ts to say. Plans, advice,
// questions, denials and what others did tell of no act.
import { type FoundClaim, type FoundClaims, type Link, readSaid, type Said } from '../claims/index.ts';
import { ACTS, type ActName, TIMES } from './named-acts.ts';
import { CHECKER } from './named-checkers.ts';
import type { ToldAct } from './told-act.ts';
import { toldResults } from './told-results.ts';
import { toldStates } from './told-states.ts';

export type { ToldAct };

export interface ToldClaim extends FoundClaim {
  /** It is a claim only where nothing on record can have been this act. */
  readonly act?: ToldAct;
}

/** What was found in a message, with the acts that it tells. */
export interface ToldClaims extends FoundClaims {
  readonly claims: readonly ToldClaim[];
  /** Files that are spoken of: a claim is that only of one that the prompt ordered. */
  readonly files?: readonly ToldClaim[];
}

const MOST_ACTS = 16;
const LONGEST_PART = 64 * 1024;

export function toldActs(message: string): ToldAct[] {
  const part = message.slice(-LONGEST_PART);
  const { said, quote } = readSaid(part);
  const acts = [...said.flatMap((sentence) => actsOf(sentence, quote)), ...shownIn(part)];
  const keys = acts.map(({ what, line = '' }) => `${what} ${line}`);
  const own = acts.filter((_, at) => keys.indexOf(keys[at] ?? '') === at);
  const isOnlyNamed = ({ what }: ToldAct): boolean => what === 'named file';
  return [
    ...own.filter((act) => !isOnlyNamed(act)).slice(0, MOST_ACTS),
    ...own.filter(isOnlyNamed).slice(0, MOST_ACTS),
  ];
}

const UNSAID: ReadonlySet<Link> = new Set(['condition', 'relative', 'that']);
const ADVERBS =
  '(?:(?:also|then|even|just|now|only|first|finally|next|again|further|[a-z]{2,20}ly|twice|afterwards?|have|did|went ahead and) ){0,4}';
const OWN = new RegExp(
  `^(?:(?:so|and|then|finally|next|after that|afterwards?|additionally|to be sure|here|now|in addition|for good measure),? ){0,3}(?:I|we)(?:['’]ve)? ${ADVERBS}`,
  'i',
);
const BARE = new RegExp(
  `^${ADVERBS}(?=[a-z-]{2,20}(?:ed|d)\\b|(?:re-?)?ran\\b|took\\b|hit\\b|made\\b|sent\\b|spun\\b|brought\\b|built\\b)`,
  'i',
);
/** "Live check with curl", "The page was opened in Chrome": the same deed in other words. */
const NOUN =
  /^(?!.*(?:\b(?:not|never|pending)\b|n['’]t\b))(?:(?:an?|the|quick|manual|live|final|local|visual|full|my) )*(?:checks?|tests?|smoke[- ]tests?|verification|run|comparison|look|walk-?through) (?=(?:with|using|via|in|against|under|through|on) )/i;
const PASSIVE =
  /^(?!no|none|nothing|neither)(?:[\w`'"/.-]+ ){1,6}(?:was|were|has been|have been|got) (?:also |then |\w+ly )?(?=(?:measured|profiled|benchmarked|timed|verified|checked|confirmed|tested|opened|loaded|started|launched|curled|requested|queried|load-tested|stress(?:ed|-tested)|viewed|rendered|run|executed|repeated|posted|filed|uploaded|rolled out)\b)(?!.*\bby (?:the|an?|you|your|our|CI|users?)\b)/i;
const UNREAL = /\b(?:would|could|should|might|in theory|for example)\b/i;
const OTHERS =
  /\b(?:you|your|yours|yourself|they|he|she|the user|would|could|should|might|e\.g|for example|in theory)\b/i;

/** "I ran no tests", "Opened neither page": nothing was done. */
const OF_NOTHING = /^[\w-]+ (?:no|none|neither|nothing)\b/i;

const PASTS: Readonly<Record<string, string>> = {
  starting: 'started',
  launching: 'launched',
  opening: 'opened',
  loading: 'loaded',
  curling: 'curled',
  hitting: 'hit',
  sending: 'sent',
  requesting: 'requested',
  querying: 'queried',
  fetching: 'fetched',
  running: 'ran',
  clicking: 'clicked',
  taking: 'took',
};

/** What its author did, by clause, without the subject. */
function deedsOf(
  { tokens, segments }: Said,
  quote: (start: number, end: number) => string,
): { deed: string; quote: string }[] {
  const deeds: { deed: string; quote: string }[] = [];
  let own = false;
  for (const [at, { from, to, link }] of segments.entries()) {
    const [begin, end] = [tokens[from], tokens[to - 1]];
    if (begin === undefined || end === undefined) continue;
    const text = quote(begin.start, end.end);
    // An instrument or a figure may stand behind a comma: the sentence is read on from here.
    const rest = quote(begin.start, tokens.at(-1)?.end ?? end.end);
    // "I then started it" is cut behind "I".
    if (/^(?:I|we)$/i.test(text)) {
      own = true;
      continue;
    }
    const subject = OWN.exec(text)?.[0];
    const joined: boolean = own && (link === 'coordinate' || link === 'break');
    const opens: boolean = at === 0 || link === 'label' || link === 'aside' || link === 'break' || joined;
    const before: string | undefined =
      subject ?? (opens ? (BARE.exec(text) ?? NOUN.exec(text) ?? PASSIVE.exec(text))?.[0] : undefined);
    if (before === undefined) {
      own = false;
      continue;
    }
    const isDeed: boolean =
      !UNSAID.has(link) &&
      !(subject === undefined ? OTHERS : UNREAL).test(text) &&
      !OF_NOTHING.test(text.slice(before.length));
    own = subject !== undefined || (own && link !== 'break') || (at === 0 && isDeed);
    if (!isDeed) continue;
    const verb = NOUN.test(text) && subject === undefined ? 'checked ' : '';
    const deed = verb + rest.slice(before.length, LONGEST_LINE);
    const isByHand = /\b(?:manually|interactively)\b/i.test(before);
    deeds.push({ deed: isByHand ? deed.replace(/^[\w-]+/, '$& manually') : deed, quote: text });
    // "I checked it by starting the server": that is a deed as well.
    const way = /\bby (\w+ing)\b/i.exec(text);
    const past = PASTS[way?.[1]?.toLowerCase() ?? ''];
    if (way !== null && past !== undefined)
      deeds.push({ deed: past + rest.slice(way.index + way[0].length), quote: text });
  }
  return deeds;
}

const DENIED =
  /\b(?:not|never|no|none|without|skipped|pending|todo|tbd|unmeasured|planned|expect\w*|estimat\w*|likely|probably|theor\w+|if|unless|once|please|will|can)\b|n['’]t\b/i;
const RAN_LINE =
  /^(?:(?:re-?)?ran|executed|started|launched|(?:measured|benchmarked|profiled|timed|verified|checked|confirmed|tested|validated|applied|deployed|rolled out|released|published|uploaded|posted|sent|installed|upgraded)\b[^`]{0,60}\b(?:with|using|via|by running|through|under)) `([^`\n]{3,200})`/i;
/** "This is the output of `kit report`:". */
const OUTPUT_OF =
  /\b(?:this|that|here)(?: is|['’]s| are) (?:the |its )?(?:\w+ )?(?:output|results?) (?:of|from) `([^`\n]{3,200})`/i;
/** "That test already failed before my change", "The failure has nothing to do with it"; but not "it passed before". */
const FAILS = /\b(?:fail\w*|red|broken|breaks?)\b/i;
const OF_OLD =
  /\balready\b|\bbefore (?:I|we|my|our|this|these|the|any)\b|\bpre-?exist\w*|\bunrelated\b|\bnothing to do with\b|(?:\bnot|n['’]t) (?:caused|introduced|related)\b/i;
const WAS_GOOD =
  /\b(?:pass\w*|green|worked|fine)\b.{0,30}\bbefore\b|\bbefore\b.{0,30}\b(?:pass\w*|green|worked|fine)\b|(?:\bnot|\bnever|n['’]t) (?:\w+ )?fail/i;
const OF_TESTS = /\b(?:tests?|specs?|suites?)\b|\btest_\w|\w_test\b|\bTest[A-Z]/;
const NOT_SURE = /\b(?:flak\w*|intermittent\w*|sometimes|occasionally|lint\w*|types?|build|CI)\b/i;
/** "It passed on the rerun", "I re-ran it and it was green". */
const RERUN =
  /\b(?:pass(?:es|ed)?|green|succeeded|clean|went through)\b.{0,30}\b(?:on|in|after|with|upon) (?:a |an |the |my |its )?(?:re-?run|retry|(?:second|next|another) (?:run|try|attempt))\b|\b(?:re-?ran|re-?run|retried|second (?:run|try|attempt))\b.{0,40}\b(?:pass(?:es|ed)?|green|succeeded|clean)\b/i;
/** "The README describes it", "tests and docs updated to match". */
const DOCUMENT =
  /\b(README|CHANGELOG|docs|documentation)(?:\.md)?[`*]{0,3} (?:(?:now|also|both|all) )*(?:describes?|documents|mentions|explains|covers|(?:(?:is|are|was|were|has been|have been) )?(?:now |also |both )*(?:updated|adjusted|extended))\b|\b(?:updated|adjusted|extended|documented in) (?:[\w`*,]+ ){0,4}?[`*]{0,3}(README|CHANGELOG|docs|documentation)\b(?! (?:comments?|strings?|blocks?))/i;
const OPEN =
  /\b(?:already|still|so far|currently|not|never|if|unless|will|would|should|could|can|may|might|please)\b|n['’]t\b/i;
/** "Both came back with a 200." */
const ANSWERED =
  /\b(?:came back|returned|answered|responded|gave|got)\b.{0,40}?(?<![\w./:-])2\d\d(?![\w/-])/i;
const LABELLED =
  /^(?:according to )?(?:(?:the|my|our|an?|quick|local) )*(?:(?:micro-?)?bench(?:mark)?s?|load[- ]test(?:s|ing)?(?: with [\w`-]+)?|profil(?:e|ing)|measurements?|timings?)(?: (?:results?|numbers|figures|runs?|output))?(?: ?\((?:`([^`]+)`)?[^)]*\))?(?: (?:shows?|showed|gives?|gave|reports?|went|improved|dropped|confirms?|confirmed)\b|(?= ?[:,]))/i;
const UNIT = '(?:ms|µs|us|ns|s|secs?|seconds?|min|[kmg]i?b|ns/op|req/s|rps|ops/s(?:ec)?)';
const MEASURED = new RegExp(
  `\\b(?:fell|dropped|went|improved|decreased|shrank|sped up|down|faster|runtime|latency|throughput|p9\\d|peak|rss|heap|memory|takes?|took|time)\\b.{0,80}?\\bfrom (?:about |around |roughly |~ ?|≈ ?|over )?[\\d.,]+ ?${UNIT}\\b.{0,40}?(?:to|→|down to) (?:about |around |roughly |~ ?|≈ ?|under |just )?[\\d.,]+ ?${UNIT}(?![\\w/])|\\b[\\d.,]+ ?(?:×|x|times|%) (?:faster|speed-?up|less memory|lower latency|quicker)(?! (?:than|if|when) you)|\\b(?:takes?|took|finish\\w*|completes?|runs?)\\b.{0,30}?[\\d.,]+ ?${UNIT}\\b.{0,20}\\b(?:instead of|rather than|down from|versus|vs|compared (?:to|with))\\b.{0,20}[\\d.,]+ ?${UNIT}(?![\\w/])|\\b(?:time|runtime|latency|duration|p9\\d|peak|memory|rss|heap|start-?up)\\b.{0,40}\\b[\\d.,]+ ?${UNIT} ?(?:→|->) ?[\\d.,]+ ?${UNIT}(?![\\w/])|\\b(?:cuts?|reduc\\w+|lower\\w*|dropped|improv\\w+|fell|shrank|decreas\\w+)\\b.{0,40}\\b(?:memory|allocations?|latency|run ?time|cpu|throughput)\\b.{0,30}\\bby (?:about |around |~ ?)?[\\d.,]+ ?(?:%|x|×)|\\b[\\d.,]+ ?% (?:reduction|improvement|drop|decrease) in (?:memory|alloc\\w+|latency|run ?time|cpu)\\b|\\b(?:twice|(?:two|three|four|five|ten) times) as fast\\b`,
  'i',
);
const ROUNDS =
  /\b\d+ (?:consecutive|back-to-back|successive|straight) (?:[\w-]+ )?runs\b|\b\d+ runs in a row\b|\b(\d+) ?\/ ?\1 runs\b/i;
const COVERED =
  /^(?!.*\b(?:threshold|gate|minimum|target|requires?|config\w*|badge|at least)\b).*\bcoverage\b.{0,40}?\b(?:is|was|rose|went|now|stands|climbed|reached|increased)\b.{0,30}?\d ?%/i;
/** "The server is running on port 3000": how it stands now, in a sentence of its own. */
const IS_UP =
  /^(?!.*\b(?:already|still|by default|usually|always|when|while|until|but|because|since|so)\b)(?:(?:yes|done|ok|okay)[,.:]? )?(?:the|your|our|my) (?:[\w-]+ ){0,2}(?:server|app|application|service|daemon|back-?end|front-?end|stack) (?:is|are) (?:now |up and )?(?:up|running|listening|live|online|started)\b(?: (?:now|again|locally|and running))*(?: (?:on|at|under) .{1,60})?[\s.!]*$/i;
const SET =
  /\b(?:time-?outs?|limits?|intervals?|ttl|delays?|max\w*|min\w*|defaults?|thresholds?|budgets?|quotas?|expir\w+|back-?off|requests?: |resources?|config\w*|bundle|image|file size|tests?|suite|build|ci)\b/i;
/** An idea that was given up is no hindrance: what followed has to be a failure. */
const TRIED_TO =
  /^(?:tried|attempted) (?:to \w+|\w+ing)\b.*(?:\b(?:but|however|although)\b|;|—).*(?:\b(?:fail|refus|reject|den(?:y|ied)|error|crash|hang|hung|block|unavailable|unreachable|missing|exit|time[sd]?[ -]?out|abort|cannot|not|no|never)|n['’]t\b)/i;
/** The name of a program opens a clause; "older interpreters" and "code signing" are none. */
const MISSING =
  /(?:(?<=^|[,;:—–(-] ?|\b(?:but|and|or|because|since|as|that|so|while|though|however|is|the) )(?:the )?`?(?!(?:it|this|that|they|which|tool|package)\b)([A-Za-z][\w.+-]{1,30})`?(?: (?:toolchain|cli|binary|command|compiler|interpreter|daemon|package|runtime))? (?:is not|isn['’]t|was not|wasn['’]t|are not|aren['’]t) (?:installed|on (?:the )?path|available(?= (?:here|in (?:this|the) (?:environment|sandbox|container)|on this machine)))\b(?! (?:by default|(?:on|in|for) (?!this|the (?:sandbox|environment|machine)|my|here)))|\bdon['’]t have `?([\w.+-]{2,30})`? (?:available|installed)\b|`?\b([\w.+-]{2,30}): (?:command )?not found\b)/i;
/** "I could not run the tests because npm is broken", "The install fails with a 403, so the tests could not be run". */
const HINDERED =
  /\bI (?:could not|couldn['’]t|cannot|can['’]t|was unable to) (?:run|test|verify|check|build|install|execute|confirm)\b.{0,60}\b(?:because|since|as) (?!i\b)|\bfail(?:s|ed)?\b.{0,60}, so (?:I (?:could not|couldn['’]t|cannot|can['’]t)|.{1,40} could not be) /i;
/** Not what failed, but what the author has, may do or was told. */
const OF_MEANS =
  /\b(?:your?|tools?|shell|permission|allowed|plan mode|read-only|access|asked|told|here to)\b/i;

/** "https://…/health returns 200 now": how a page answers, in a sentence of its own. Of a server on this machine tests may tell. */
const ANSWERS =
  /^`?https?:\/\/(?!localhost|127\.|0\.0\.0\.0|\[)\S+ (?:now |again )?(?:returns?|answers?|responds?|gives?)\b.{0,20}?(?<![\w./:-])[1-5]\d\d(?![\w/-])(?: \w+)?(?: now| again)?\W*$/i;
/** "I backed up dev.db to dev.db.bak": where the copy lies. */
const MADE_FILE =
  /^(?:backed up|copied|exported|dumped|saved)\b[^;]{0,60}? (?:to|as|into|in) [`*]{0,3}((?:[\w@-]+\/)*[\w@][\w@.-]*\.[a-z]\w{1,5})(?![\w/*])/i;
/** "Changes:", and below it an item for each file. */
const CHANGES =
  /^(?:(?:files?|what|summary of|list of|the|my|key|main|all|code|i) )*(?:changes?|changed|modified|updated|edited|touched)(?: (?:files?|made|i made))?\W*$/i;
const FILE_ITEM =
  /^[`*]{0,3}(?:[\w@.-]+\/)*[\w@.-]+\.[a-z]\w{0,5}[`*]{0,3}(?: ?\([^)]{1,30}\))?(?: (?:--|[-—–])|:) ?\S/i;
const UNTOUCHED =
  /\b(?:unchanged|untouched|already|not|never|no change|as is|generated|nothing|earlier|before)\b|n['’]t\b/i;

function isChangedFile({ block, lead, heading }: Said, item: string): boolean {
  const above = (lead.length > 0 ? lead : heading).map(({ text }) => text).join(' ');
  return block.kind === 'item' && CHANGES.test(above) && FILE_ITEM.test(item) && !UNTOUCHED.test(item);
}

function actsOf(sentence: Said, quote: (start: number, end: number) => string): ToldAct[] {
  const { tokens, question, section, block } = sentence;
  if (question || section === 'open' || block.box === 'open' || tokens.length === 0) return [];
  const whole = quote(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0);
  const acts: ToldAct[] = [];
  for (const { deed, quote: words } of deedsOf(sentence, quote)) {
    const line = RAN_LINE.exec(deed)?.[1];
    if (line !== undefined) acts.push({ what: 'line', quote: words, line });
    if (CHECKER.test(deed) && /^(?:re-?)?(?:ran|checked|verified|scanned|validated)\b/i.test(deed))
      acts.push({ what: 'checker', quote: words });
    if (TIMES.test(deed)) acts.push({ what: 'runs', quote: words });
    // A path or a name in code is what was looked at, not what with.
    const plain = deed.replace(/`[^`]*[/._(][^`]*`/g, '`x`');
    for (const [name, { told }] of ACTS)
      if (told?.test(plain) === true) acts.push({ what: name, quote: words });
    const made = MADE_FILE.exec(deed)?.[1];
    if (made !== undefined) acts.push({ what: 'made file', quote: words, line: made });
    if (TRIED_TO.test(deed)) acts.push({ what: 'hindrance', quote: whole, ...lineOf(MISSING.exec(whole)) });
  }
  const isOld = FAILS.test(whole) && OF_OLD.test(whole) && !WAS_GOOD.test(whole);
  if (isOld && OF_TESTS.test(whole) && !NOT_SURE.test(whole))
    acts.push({ what: 'old failure', quote: whole });
  if (RERUN.test(whole) && !OPEN.test(whole)) acts.push({ what: 'rerun', quote: whole });
  const document = DOCUMENT.exec(whole)?.slice(1).find(Boolean);
  if (document !== undefined && !OPEN.test(whole))
    acts.push({ what: 'document', quote: whole, line: document });
  const missing = MISSING.exec(whole);
  if (
    missing !== null &&
    !/\byour?\b/i.test(whole) &&
    /\b(?:so|couldn['’]t|could not|can['’]t|cannot|unable)\b/i.test(whole)
  )
    acts.push({ what: 'hindrance', quote: whole, ...lineOf(missing) });
  if (HINDERED.test(whole) && !OF_MEANS.test(whole)) acts.push({ what: 'obstacle', quote: whole });
  if (isChangedFile(sentence, whole)) acts.push({ what: 'changed file', quote: whole, line: whole });
  acts.push(...toldStates(sentence, whole), ...toldResults(whole));
  if (OTHERS.test(whole) || DENIED.test(whole)) return acts;
  if (ANSWERS.test(whole)) acts.push({ what: 'a request', quote: whole });
  const shown = OUTPUT_OF.exec(whole)?.[1];
  if (shown !== undefined) acts.push({ what: 'line', quote: whole, line: shown });
  if (ANSWERED.test(whole)) acts.push({ what: 'answer', quote: whole });
  const label = LABELLED.exec(whole);
  if (label !== null) acts.push({ what: 'a benchmark', quote: whole });
  if (label?.[1] !== undefined) acts.push({ what: 'line', quote: whole, line: label[1] });
  if (IS_UP.test(whole)) acts.push({ what: 'a start of the server, or a look at it', quote: whole });
  if (ROUNDS.test(whole)) acts.push({ what: 'runs', quote: whole });
  if (COVERED.test(whole)) acts.push({ what: 'a run that measures coverage', quote: whole });
  if (MEASURED.test(whole) && !SET.test(whole)) acts.push({ what: 'a measurement', quote: whole });
  return acts;
}

function lineOf(found: RegExpExecArray | null): Pick<ToldAct, 'line'> {
  const name = found?.slice(1).find((each) => each !== undefined);
  return name === undefined ? {} : { line: name };
}

const PROMPT = /^[$❯] +(\S.*)$/;
const REPL = /^(?:>>>|irb\(|In \[\d+\]:) ?\S/;
/** What leads in a block that is to be tried, or that another wrote. */
const INSTRUCTS =
  /\b(?:you|your|try|usage|with (?:it|this)|use|how|examples?|would|should|will|can|could|readme|docs?|documentation|expected|instead|please|once|when|if|before|to (?:see|reproduce|test|check|verify|run|start|get|do))\b|\b(?:run|with)(?: it| this)?\W*$/i;
/** "I added this to the docstring:" leads to what was written, run or not. */
const WRITTEN = /\b(?:added|wrote|inserted|put) (?:this|these|the following)\b|\bdoc-?strings?\b/i;
const PRINTED: readonly (readonly [ActName, RegExp])[] = [
  ['a benchmark', /\b(?:ns|time|allocs|B)\/op\b|\b(?:ops|req(?:uests)?)\/s(?:ec)?\b/i],
  ['a request', /^HTTP\/[\d.]+ \d{3}\b/],
  ['a run that measures coverage', /\bStmts +Miss\b|% Stmts\b|\bcoverage: [\d.]+% of statements/],
];
const COMPARED = /\b(?:before|old)\b.{0,200}\b(?:after|new|now)\b/i;
const OF_COVERAGE = /\|[^|]{0,40}\b(?:coverage|covered)\b[^|]{0,20}(?:\||$)/i;
const GOALS = /\b(?:threshold|target|goal|minimum|required?|limit|at least|your?)\b/i;
const TWO_FIGURES = new RegExp(
  `\\| *\\D{0,8}[\\d.,]+ ?${UNIT}\\b[^|]{0,40}\\| *\\D{0,8}[\\d.,]+ ?${UNIT}\\b`,
  'i',
);
const LONGEST_LINE = 400;

/** What is shown as run: a prompt with what was printed below it, a report, a table of figures before and after. */
function shownIn(part: string): ToldAct[] {
  const acts: ToldAct[] = [];
  let lead = '';
  let fence: { readonly mark: string; readonly told: boolean; readonly isCode: boolean } | null = null;
  let compares = false;
  let head = '';
  let line: string | null = null;
  for (const each of part.split('\n')) {
    const text = each.trim().slice(0, LONGEST_LINE);
    const mark = /^(?:`{3,}|~{3,})/.exec(text)?.[0];
    if (fence === null && mark !== undefined)
      fence = {
        mark,
        told: !INSTRUCTS.test(lead) && !lead.startsWith('#'),
        isCode: WRITTEN.test(lead),
      };
    else if (fence !== null && mark === fence.mark && text === mark) fence = null;
    else if (fence === null) {
      const isRow = text.startsWith('|');
      if (isRow && compares && TWO_FIGURES.test(text) && !SET.test(`${lead} ${text}`)) {
        acts.push({ what: 'a measurement', quote: text });
        compares = false;
      }
      head = isRow ? head || text : '';
      if (OF_COVERAGE.test(head) && /\d ?%/.test(text) && !GOALS.test(`${lead} ${head} ${text}`))
        acts.push({ what: 'a run that measures coverage', quote: text });
      compares = isRow && (compares || COMPARED.test(text));
      if (text !== '' && !isRow) lead = text;
    } else if (fence.told) {
      const shown: string | undefined = PROMPT.exec(text)?.[1];
      if (line !== null && shown === undefined && text !== '' && !text.startsWith('#'))
        acts.push({ what: 'line', quote: `$ ${line}`, line });
      line = shown ?? null;
      if (REPL.test(text) && !fence.isCode) acts.push({ what: 'a run by hand', quote: text });
      for (const [what, form] of PRINTED) if (form.test(text)) acts.push({ what, quote: text });
    }
  }
  return acts;
}
