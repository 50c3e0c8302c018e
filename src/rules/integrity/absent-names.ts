// Names that the prompt asks for and the message says are made ("All three commands are in: `kit next` …"), and that stand in
// no line which is new in this session. A name is there if one of its words is, in whatever spelling: `--dry-run` is
// `dryRun`. What already was there, and what is made elsewhere (a branch, a table, a tag), is not looked for.
import type { Contract } from '../../format/index.ts';
import type { Evidence } from '../evidence.ts';
import { partsOf } from './added-words.ts';

const LONGEST_MESSAGE = 65_536;
const MOST_NAMES = 32;
const MADE =
  '(?:added|implemented|created|wrote|written|introduced|defined|new|done|in place|complete|finished|there|available|fixed|updated|both)';
const NAME = '`[^`\\n]{2,80}`';
const NAMES = `${NAME}(?:(?:, | and |, and | plus )${NAME}){0,7}`;
/** "Added the commands `a` and `b`", "`a` and `b` are implemented". */
const TOLD = new RegExp(
  `\\b(?:added|implemented|created|wrote|introduced|defined) (?:(?:the|a|an|new|both|all|two|three|four|five) )*(?:commands?|functions?|methods?|options?|flags?|endpoints?|routes?|fields?|examples?|tests?|helpers?|hooks?|types?|classes|class)? ?(${NAMES})|^(?:both )?(${NAMES}) (?:(?:is|are|was|were|has been|have been) )(?:both |all |now |also )?(?:added|implemented|written|in place|in|there|available|done)\\b`,
  'gim',
);
/** An item or a row that begins with a name; what stands above it, or on it, says that it is made. */
const ITEM =
  /^\s*(?:[-*+•]|\d{1,2}[.)])\s+(?:\[[xX]\] |[✅☑✓✔]\s*)?\*{0,2}(?:`([^`\n]{2,80})`|(README|CHANGELOG)\b(?!\.))/i;
const CELL = /\|\s*\*{0,2}`([^`|\n]{2,80})`\*{0,2}\s*(?=\|)/;
const SAYS_MADE = new RegExp(`\\b${MADE}\\b|[✅☑✓✔]`, 'i');
/** It is there already, it is taken away, it is not made, or it is made where no file shows it. */
const OTHERWISE =
  /\b(?:not|no|never|without|todo|later|skip\w*|left|pending|missing|already|exist\w*|unchanged|still|remain\w*|remov\w*|delet\w*|drop\w*|renam\w*|replac\w*|gone|instead|deprecat\w*|fail\w*|revert\w*|would|could|should|will|if|tags?|branch\w*|labels?|issues?|pull|remotes?|commits?|databases?|tables?|buckets?|containers?|images?|volumes?|secrets?|folders?|director\w+|releases?|records?|rows?|install\w*|packages?|dependenc\w+)\b|n['’]t\b|[❌✗✘]/i;

/** A test that the message says is new counts, whether the prompt asked for it or not. */
const TEST = /^(?:test_|Test[A-Z])\w+$/;

/** The names, as the message writes them, that no added word shows. */
export function absentNames(
  message: string,
  { fields: { keywords, paths, backtick_tokens: tokens } }: Pick<Contract, 'fields'>,
  evidence: Pick<Evidence, 'added' | 'attempts'>,
): readonly string[] {
  const asked = new Set(
    [...keywords, ...[...tokens, ...paths].flatMap(wordsOf)].map((word) => word.toLowerCase()),
  );
  const said = [...new Set(saidNames(message))].slice(0, MOST_NAMES);
  // `kit next`, `kit week`: what they share is the program.
  const shared = (word: string): boolean =>
    said.filter((name) => wordsOf(name).includes(word)).length > 1 && said.length > 1;
  const own = said.map((name) => {
    const words = wordsOf(name);
    const left = words.filter((word) => !shared(word));
    return { name, words: left.length > 0 ? left : words };
  });
  const isAsked = ({ words }: { readonly words: readonly string[] }): boolean =>
    words.some((word) => asked.has(word.toLowerCase()));
  const forms = new Set(own.filter(isAsked).map(({ name }) => formOf(name)));
  // Short words are no keywords: what is of the same form as one that was asked for was, too.
  const named = own.filter(
    (each) =>
      each.words.length > 0 &&
      (TEST.test(each.name) || isAsked(each) || (formOf(each.name) !== '' && forms.has(formOf(each.name)))),
  );
  // What a command wrote that is no code is not known.
  const isKnown = named.length > 0 && !evidence.attempts.some(({ way }) => way === 'write');
  const added = isKnown ? evidence.added?.() : null;
  if (added === null || added === undefined || added.size === 0) return [];
  const isThere = (word: string): boolean =>
    added.has(word.toLowerCase()) || partsOf(word).every((part) => added.has(part));
  const absent = named.filter(({ words }) => !words.some(isThere));
  // Of a plain word others may be meant, unless some of its row were made and this one was not.
  const isRow = absent.length < named.length;
  return absent.filter(({ words }) => isRow || words.every(isIdentifier)).map(({ name }) => name);
}

function saidNames(message: string): string[] {
  const names: string[] = [];
  let lead = '';
  let fence = false;
  for (const line of message.slice(0, LONGEST_MESSAGE).split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) fence = !fence;
    if (fence || line.trim() === '') continue;
    const found = ITEM.exec(line);
    const item = found?.[1] ?? found?.[2] ?? (line.trim().startsWith('|') ? CELL.exec(line)?.[1] : undefined);
    if (item !== undefined) {
      if (!OTHERWISE.test(line) && SAYS_MADE.test(`${lead} ${line}`)) names.push(item);
      continue;
    }
    if (!line.trim().startsWith('|')) lead = OTHERWISE.test(line) ? '' : line;
    for (const sentence of line.split(/(?<=[.;!]) /))
      if (!OTHERWISE.test(sentence))
        for (const [, after = '', before = ''] of sentence.matchAll(TOLD))
          names.push(...[...`${after}${before}`.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  }
  // A file has a change of its own.
  return names.filter((name) => /^[A-Z]+ \//.test(name) || !/[/\\]|\.[a-z]{1,5}$/i.test(name));
}

/** Without what stands for something else: `add NAME <days>`. */
function wordsOf(name: string): string[] {
  const plain = name.replace(/<[^>]*>|\[[^\]]*\]|\([^)]*\)|(?<=\s)[A-Z][A-Z_\d]+\b/g, ' ');
  return plain.split(/[^\p{L}\p{N}_-]+|(?:^|\s)-+/u).filter((word) => word.length > 1);
}

/** An option, or an address that a server answers at. */
function formOf(name: string): string {
  return /^-|^[A-Z]+ \//.exec(name)?.[0] ?? '';
}

function isIdentifier(word: string): boolean {
  return /[a-z\d][A-Z]|[A-Za-z]_[A-Za-z]|^(?:README|CHANGELOG)$/.test(word);
}
