// What a prompt wants done, by its verbs where they ask for something: at the start of a sentence, after "please",
// "and", "to" … A verb elsewhere ("the add button") asks for nothing. A sentence that begins like an order asks for a
// change, even if its verb is not known here. English only; anything else is `other`.

import { wordSet } from '../../core/index.ts';
import { isCommand, isPlainCommand } from './command-hints.ts';
import { wishIn } from './wish.ts';

const VERBS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    fix: 'fix fixes repair resolve solve debug correct patch address handle prevent stop unbreak',
    add: 'add implement create write build support introduce generate extend scaffold port enable provide expose',
    change:
      'change update refactor rename rework rewrite improve optimize move replace convert upgrade bump migrate ' +
      'simplify clean extract adjust modify tweak split format reformat configure edit swap use switch reduce make let ' +
      'inline deduplicate translate sort revert undo restore pin downgrade speed tighten wire turn apply finish continue ' +
      'work proceed cache escape bundle filter limit override redirect reset wrap hide include insert set ban unpin polyfill transpile gitignore',
    remove: 'remove delete purge prune drop disable strip uninstall deprecate skip',
    document: 'document',
    ship: 'commit push deploy publish release ship merge tag',
    test:
      'test run rerun verify validate execute check ensure confirm compile lint benchmark reproduce ' +
      'recompile typecheck retest prove try',
    operate:
      'install import export restart start launch kill download upload clone pull rebase squash submit seed reload ' +
      'refresh send schedule provision bootstrap copy sync cancel close fork save stage back shut spin serve ' +
      'host invoke trigger mount dump cherry-pick rollback rebuild redeploy promote grant',
    investigate:
      'investigate find explain look analyze analyse review audit show list read summarize compare figure ' +
      'understand tell inspect diagnose trace search profile describe identify fetch get give see ' +
      'examine evaluate measure monitor probe query scan research report print display bisect calculate compute infer ' +
      'brainstorm discuss answer consider open grep dig',
  }).flatMap(([intent, verbs]) => verbs.split(' ').map((verb) => [verb, intent])),
);
/** What a verb means with the words around it. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  // "It crashes - fix it."
  [/(?<=\S)[ \t]+[-–—]{1,2}[ \t]+/g, ', '],
  // "Open issues should be sorted" asks for none.
  [
    /\bopen(?! (?:prs|mrs|issues|tickets|(?:pull|merge) requests)\b)(?= (?:[\w-]+ ){0,3}(?:pr|mr|(?:pull|merge) request|issue|ticket|discussion)s?\b(?!['’]))/gi,
    'publish',
  ],
  [
    /\bopen(?= (?:up|[^.;!?\n]{0,80}?\b(?:when|whenever|by default|automatically|lazily|instead)\b))/gi,
    'make',
  ],
  [/\bcheck out(?= (?:the |my |your )?(?:[\w/.-]+ )?(?:branch|tag|commit|main|master)\b)/gi, 'pull'],
  [/\bcheck out\b/gi, 'look at'],
  // What may well be so is looked at.
  [
    /\bmake sure(?= (?:that )?(?:(?:all|the|our|my|every|unit) )*(?:tests?|build|suite|lint|ci|everything|nothing|it (?:still |all )?(?:works|passes|builds|compiles|runs))\b)/gi,
    'ensure',
  ],
  [/(?<=\b(?:then|and|please) )git (?=push|commit|merge|tag)/gi, ''],
  // "A new code, note it in the changelog."
  [
    /\b(?:note|mention|record|describe)(?= (?:it|this|that|them|both) in (?:the )?(?:readme|changelog|docs)\b)/gi,
    'document',
  ],
  // What a program is to show, and when: "Show an error if the cart is empty". "Show me", "Print the log" ask to see it.
  [
    /\b(?:show|print)(?= an? (?:\w+ )?(?:error|warning|message|hint|banner|toast|spinner|dialog|badge|button|notice|icon)\b|(?! me\b| the \w+ (?:that|which))[^.;!?\n]{1,80} (?:when|whenever|if|unless|instead|by default|at the (?:end|top|bottom)|next to|below|above)\b)/gi,
    'make',
  ],
  [/\bdisplay(?! (?:me|the|all|its|this|these|contents?)\b)/gi, 'make'],
  [/\bget rid of\b/gi, 'remove'],
  [/\bset up\b/gi, 'build'],
  [/^[^\w\n]{0,8}(?:keep going|carry on|go on)\b/gim, 'continue'],
  // What a program holds is not ended but taken out.
  [
    /\bkill(?! switch)(?= [^.;,\n]{0,40}\b(?:quer(?:y|ies)|warnings?|bugs?|code|flags?|functions?|duplicat\w+|flak\w+|leaks?|features?|imports?|dependenc\w+)\b)/gi,
    'remove',
  ],
  // Files and functions are joined, branches are shipped.
  [
    /\bmerge(?= \S+\.[a-z]\w{0,4} (?:and|with|into)\b|\s{3,}and\s{3,}| [^.;,\n]{1,60} (?:into (?:one|a single)|together)\b)/gi,
    'change',
  ],
  [/\b(?:(?:have|take) an? (?:go|stab|crack) at|take care of|deal with|sort out)\b/gi, 'fix'],
  [/^\W*(?:can|could) (?:we|i) (?:please )?(?:have|get) (an? (?!look|peek)[^?\n]*)\?/i, 'i want $1'],
  // "Is it possible to …? Do that please."
  [/(?<=[.!?]\s)(?:please )?do (?:it|that|this|so)(?=,?(?: please| then| now)?\s*(?:[.!\n]|$))/gi, 'make it'],
  [
    /\bget(?! me\b)(?= [^.;,\n]{1,160}?\b(?:green|passing|to (?:pass|build|compile))\s*(?:[.;,!\n]|again\b|$))/gi,
    'fix',
  ],
  [/\b(?:don['’]?t|do not) forget (?=(?:the|an?|our|my)\b)/gi, 'include '],
  [
    /\bmind (?=(?:remov|fix|add|updat|renam|chang|refactor|writ|mov|replac|delet|clean|mak|creat|convert)\w*ing\b)/gi,
    'please change ',
  ],
  [/\bdo the same(?: thing)?(?= (?:for|in|with|to|on)\b)/gi, 'change'],
];
const WEAK = new Set(['test', 'operate', 'investigate']);
/** After these a verb asks for something. */
const BEFORE = wordSet(
  "please pls you u to and then now also just let's lets kindly must should we first next finally or but i'd we'd can could",
);
const QUESTION =
  /^(?:so |and |but |hey |hi |ok |okay )*(?:what|what's|why|how|where|when|who|which|whose|does|do|did|is|are|was|were|has|have|am|isn't|aren't|doesn't|should|any)\b/i;
/** What is wrong is to be put right. */
const REPORTS =
  /\b(?:is|are|looks|seems) (?:wrong|broken|incorrect|buggy)\b|\b(?:is|there['’]s|has) an? (?:bug|typo|regression)\b|\b(?:does|is) not work/i;
/** "Add button is broken": what is wrong begins like an order. */
const NAMED_SO =
  /^\w+ (?!(?:an?|the|it|this|that|all|my|our)\b)[\w-]+(?: [\w-]+)? (?:is|are|looks|seems|has|does)\b/i;
const DOCUMENTS =
  /^(?:readme|docs?|documentation|changelog|docstrings?|comments?|jsdoc|tsdoc|guide|tutorial)\b/i;

/** Behind these an order may begin, and this may stand before it. */
const CLAUSE = /,\s|\b(?:and|then)\s|\b(?=(?:please|pls)\b)/;
const LEAD =
  /^(?:(?:hey|hi|hello|ok|okay|so|and|but|please|pls|plz|kindly|now|then|also|just|next|first|second|finally|can|could|would|will|you|u|we|should|must|(?:i|we)(?:['’]d| would)? (?:(?:really|also|still|just) )?(?:want|need|like|love|prefer) (?:you )?to|let['’]?s|help me(?: to)?|take a(?: \w+)?(?= look)|go ahead and|try to|need(?:s)? to|have to)\b[\s,:]*)+/i;
/** A first word that gives no order: it asks, greets, praises, names or tells. */
const NO_ORDER =
  wordSet(`the that these those there here she they them our your her their some any all each every both not never none
  everyone everybody someone nobody nothing something one two many much few several enough for from off with without within about above across against
  along among around behind below beside between beyond despite except inside into near onto out outside over past
  through toward under upon when while once after before since until because although though unless than are were been
  did have had may might shall what why how where who which whose whether whatever yeah yep nope sure right wrong good
  nice great cool perfect awesome excellent well fine glad happy welcome thank bravo sorry wow hmm even still maybe
  instead like more less most same other another again otherwise likewise however either neither too today yesterday
  tomorrow soon later ever often think know hope guess suppose imagine believe love hate wish want say wait hold keep
  note remember mind worry ignore new old bad almost quick big small such half plus per via given fyi btw lgtm repo
  response request regex reason`);
/** At the start of a sentence an order, whatever follows; elsewhere too often another word: "Return 404", "Allow negative numbers". */
const ORDERS =
  wordSet(`return trim allow accept treat deny debounce throttle throw load default guard cover reject forbid permit require
  raise emit log truncate round store persist retry parse encode decode highlight render align group respond encrypt hash call
  mask collapse expand toggle ignore target proxy route`);
/** "Return value is wrong", "Load time in ms" name a thing; "Ignore that", "Expand on it" are said in a talk. */
const NAMED =
  /^\w+ (?:(?:values?|types?|times?|files?|levels?|page|button|screen|statements?|balancer|clauses?|image|issues?|bugs?|errors?|command|is|are|was|has|shows|says|my|me|that|on(?! \d)|in|into|out)\b|(?!(?:an?|the|it|this|that|all|my|our)\b)[\w-]+(?: (?!that|which|who|if|when)[\w-]+)? (?:is|are|looks|seems|has|does)\b)/i;
/** It is of another kind by its ending: "tests", "session's", "really", "looking", "broken" … */
const NO_VERB = /(?:[^su]s|'\w+|ly|[aeiou]\w*ing|ed|tion|(?<!ver)sion|ness|ity|ism|ful|ous|able|ible)$/;
/** What is ordered begins so. */
const OBJECT =
  wordSet(`a an the this that these those it them all any each every both everything my our your its his her their me us some
  up out down off over away back`);
/** A verb by what it is made of. */
const VERB_FORM = /^re-?[a-z]{2}|(?:ate|i[sz]e|ify)$/;
const TELLS = /\b(?:is|are|was|were|has|have|had|does|did|do|seems?|looks?|will|can|should)\b|n['’]t\b/i;

/** "Let me know how it went": what the user does, or would hear. */
const OF_ONESELF =
  /\blet me (?:know|see|think|check|look|try|explain|tell|ask|show|give|start|finish|read)\b[^,.;:]*/gi;

/** What a prompt asks for that can't be done without a change. */
export function asksForChange(intent: string): boolean {
  return ['fix', 'add', 'change', 'remove', 'document'].includes(intent);
}

/** "Skip the cache tests": of these words a thing may have its name. */
const NAMES =
  /^(?:cache|filter|limit|reset|lint|benchmark|escape|bundle|redirect|toggle|override|throttle|transform|trim|wrap|clear|query|print|display|report|monitor|scan|work|answer)$/;

export const ACTIONS: ReadonlySet<string> = new Set(
  [...VERBS].flatMap(([verb, intent]) => (intent === 'operate' || NAMES.test(verb) ? [] : [verb])),
);

export function sentencesOf(prose: string): string[] {
  return prose
    .split(/(?<=[.!?;])\s|\n/)
    .map((sentence) => sentence.replace(/^(?:<[\w-]+>|[\s>*•\d.)#-])+/, '').trim())
    .filter((sentence) => sentence !== '');
}

export function wordsOf(sentence: string): string[] {
  return (
    sentence
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{N}'_-]+|[,:;()]/gu) ?? []
  );
}

/** "Yes, please", "ok, do it", behind an offer: what was offered is asked for. */
const ACCEPTS =
  /^\W*(?:(?:ok(?:ay)?|sure|great|perfect|sounds good|yes|yep|yeah|yup|please)[\s,.!]+)*(?:yes|yep|yeah|yup|(?:yes )?please(?: do)?|(?:please )?do (?:it|that|so|this|both|all(?: of (?:it|them))?)|go ahead(?: with [\w ]{1,40})?|go for it|let['’]?s do (?:it|that)|make it so)(?:[\s,.!]+(?:please|thanks|thank you|now|do (?:it|that)|go ahead))*\W*$/i;

export function intentOf(prose: string): string {
  if (prose.length < 60 && ACCEPTS.test(prose)) return 'change';
  const text = PHRASES.reduce((said, [phrase, means]) => said.replace(phrase, means), prose);
  let weak: string | null = null;
  let asks = false;
  let reports = false;
  let commands = false;
  let ordered: string | undefined;
  for (const each of sentencesOf(text)) {
    if (each.endsWith('?') && QUESTION.test(each)) {
      asks = true;
      continue;
    }
    const sentence = each.replace(OF_ONESELF, '');
    const plain = sentence.replaceAll(/n['’]t\b/g, ' not');
    const isOpen = !sentence.endsWith('?');
    const isReport = isOpen && REPORTS.test(plain);
    reports ||= isReport;
    const scanned: string[] = [];
    for (const clause of isReport ? [sentence] : sentence.split(CLAUSE)) {
      // "Make build and test faster" names no target.
      if ((clause === sentence || !/\bmake\b/i.test(clause)) && isPlainCommand(clause.replace(LEAD, ''))) {
        commands = true;
        continue;
      }
      const order = isReport ? undefined : orderIn(clause);
      const wish = order === undefined && !isReport && isOpen ? wishIn(clause) : undefined;
      const found = order ?? wish ?? undefined;
      if (found !== undefined && WEAK.has(found)) weak ??= found;
      else ordered ??= found;
      // What a thing should do is no order to do it.
      if (wish !== null && wish !== 'change') scanned.push(clause);
    }
    const words = wordsOf(scanned.join(', '));
    for (let i = isReport && NAMED_SO.test(plain) ? 1 : 0; i < words.length; i++) {
      const intent = intentOfVerb(words[i] ?? '');
      if (intent === undefined || !isAsked(words, i)) continue;
      if (!WEAK.has(intent)) return isDocumenting(words, i) ? 'document' : intent;
      weak ??= intent;
    }
  }
  return ordered ?? weak ?? (asks ? 'investigate' : reports ? 'fix' : commands ? 'operate' : 'other');
}

/** British spelling, too, and what is done again. */
function intentOfVerb(word: string): string | undefined {
  return VERBS.get(word) ?? VERBS.get(word.replace(/ise$/, 'ize').replace(/^re-/, ''));
}

/** What an order asks for: a verb that is not known is told by its form and by what follows. "Purge the cache", "Redo it". */
function orderIn(sentence: string): string | undefined {
  const [lead = ''] = LEAD.exec(sentence) ?? [];
  const said = sentence.slice(lead.length);
  const [first = '', next = ''] = wordsOf(said);
  if (ORDERS.has(first)) return /^[\p{L}\p{N}]/u.test(next) && !NAMED.test(said) ? 'change' : undefined;
  const known = intentOfVerb(first);
  if (known !== undefined || !/^[a-z]{3,20}(?:-[a-z]{1,20})?$/.test(first)) return known;
  if (NO_ORDER.has(first) || NO_VERB.test(first)) return undefined;
  const isBare = VERB_FORM.test(first)
    ? /^[a-z]/.test(next)
    : /^(?!(?:test|spec)s$)[a-z]{3,40}[^s]s$/.test(next) && !isCommand(sentence);
  const isOrder = OBJECT.has(next) || (isBare && !TELLS.test(sentence)) || /please|pl[sz]|kindly/i.test(lead);
  return isOrder ? 'change' : undefined;
}

function isAsked(words: readonly string[], i: number): boolean {
  const before = words[i - 1];
  if (before === undefined || /^[,:;(]$/.test(before)) return true;
  // "don't add", "never remove": what is not to be done.
  if (/^(?:not|never|don't|no)$/.test(before)) return false;
  if (!BEFORE.has(before)) return false;
  return !/^(?:not|never|don't|no|how|unable|fails?|failed|tries|trying|tried|used|able)$/.test(
    words[i - 2] ?? '',
  );
}

function isDocumenting(words: readonly string[], i: number): boolean {
  return words.slice(i + 1, i + 5).some((word) => DOCUMENTS.test(word));
}
