// Whether things stand as a message says: the files are looked at, and what was changed for the prompt. What a command may have
// written is held against nobody, and where no file can be read nothing is held at all.
import { asksForChange } from '../claims/index.ts';
import { isFileOf, isTestFile, segments } from '../ecosystems/index.ts';
import type { Claim } from '../format/index.ts';
import { writesNothing } from './changing-commands.ts';
import { type Evidence, evidenceSince } from './evidence.ts';
import type { Held, JudgeInput } from './judge-input.ts';
import { isForgetful, isFull } from './memory.ts';
import { listed } from './run-assessment.ts';
import type { ToldAct } from './told-act.ts';

function noChange(reason: string): Held {
  return { status: 'unbacked', code: 'no-change', reason, validator: 'file_diff_present' };
}

/** What was changed for the prompt, where nothing else can have been. */
function workOf({ evidence, since = 0 }: JudgeInput): Evidence | null {
  const now = evidenceSince(evidence, since);
  const isKnown = evidence.read !== undefined && !isFull(evidence) && !isForgetful(now) && writesNothing(now);
  return isKnown && now.changes.length > 0 ? now : null;
}

const DOCUMENT = /^(?:readme|changelog)$/i;
/** What a file would have to hold: names in code, such as are written in capitals, versions. */
const TELLING =
  /`([^`\n]{2,60})`|\b([A-Z][A-Z\d]*_[A-Z\d_]+|[A-Z]{3,}\d+)\b|(?<![\w.])v?(\d+(?:\.\d+){1,3})(?![\w.])/g;
/** Something that a file got. */
const GOT =
  /\b(?:an?|new|one|two|its own) (?:[\w`-]+ ){0,3}(?:entry|section|row|line|note|paragraph|example|heading|bullet|table)\b/i;

/** "`README.md` lists the codes", "the version is 0.7.0 in both": the file was to be changed and was not, or says otherwise. */
export function otherFile({ quote }: Claim, { line: name = '' }: ToldAct, input: JudgeInput): Held | null {
  const { contract, evidence } = input;
  const now = workOf(input);
  if (now === null) return null;
  const names = DOCUMENT.test(name)
    ? [`${name.toUpperCase()}.md`, name, name.toUpperCase(), `${name}.md`]
    : [name];
  if (now.changes.some(({ path }) => names.some((each) => isFileOf(each, path, evidence.root)))) return null;
  const isIt = (path: string): boolean =>
    stemOf(path) === stemOf(name) &&
    (!/\./.test(path) || isFileOf(path, name, null) || isFileOf(name, path, null));
  const { paths, keywords } = contract.fields;
  const isAsked = paths.some(isIt) || (DOCUMENT.test(stemOf(name)) && keywords.includes(stemOf(name)));
  const isEarlier = evidence.changes.some(({ path }) =>
    names.some((each) => isFileOf(each, path, evidence.root)),
  );
  const text = names.map((each) => evidence.read?.(each) ?? null).find((each) => each !== null);
  const prose = quote.replaceAll(name, '');
  const words = [...prose.matchAll(TELLING)]
    .map(([, ...found]) => found.find((each) => each !== undefined) ?? '')
    .filter((word) => !/\.[a-z]\w{0,6}$|\//i.test(word));
  const lacks = text === undefined ? [] : words.filter((word) => !text.includes(word));
  const isWork = asksForChange(contract.intent) || contract.intent === 'document';
  // What was written for an earlier prompt may be told again.
  if (isEarlier && lacks.length === 0) return null;
  const version = lacks.find((word) => /^\d+(?:\.\d+)+$/.test(word));
  if (isWork && version !== undefined && text !== undefined && words.length === 1)
    return noChange(`${name} does not contain ${version}, and was not changed for this prompt.`);
  const isTrue = words.length > 0 && lacks.length === 0 && !GOT.test(quote);
  return isWork && isAsked && !isTrue ? noChange(`No change to ${name} is on record for this prompt.`) : null;
}

function stemOf(path: string): string {
  return (segments(path).at(-1) ?? path).toLowerCase().replace(/(?<=.)\.(?:md|rst|txt)$/, '');
}

/** How else a number may be written: in cents, in seconds, in bytes. */
const TIMES = [
  1, 10, 100, 1000, 60, 3600, 60_000, 3_600_000, 86_400, 1024, 1_048_576, 1_073_741_824, 0.01, 0.001,
];

/** "world 26.00", of a list whose other values stand in what was changed for the prompt, and this one does not. */
export function absentValue({ line: value = '' }: ToldAct, input: JudgeInput): Held | null {
  const now = asksForChange(input.contract.intent) ? workOf(input) : null;
  const paths = [...new Set(now?.changes.map(({ path }) => path))];
  const texts = paths.map((path) => input.evidence.read?.(path) ?? null);
  if (texts.length === 0 || texts.includes(null)) return null;
  const text = texts.join('\n');
  const numbers = new Set((text.match(/\d[\d_]*(?:[.,]\d+)*/g) ?? []).map(numberOf));
  const isThere = (each: string): boolean =>
    text.includes(each) || TIMES.some((times) => numbers.has(Math.round(numberOf(each) * times * 1e6) / 1e6));
  const values = input.claims.flatMap(({ act }) => (act?.what === 'value' ? (act.line ?? []) : []));
  if (values.filter(isThere).length === 0 || isThere(value)) return null;
  return noChange(`${value} is in none of the files that were changed for this prompt (${listed(paths)}).`);
}

function numberOf(text: string): number {
  const plain = text.replace(/[_$€£]|,(?=\d{3}(?!\d))/g, '').replace(',', '.');
  return /^\d+(?:\.\d+)?$/.test(plain) ? Number(plain) : Number.NaN;
}

/** Tests that were there, and of which more was changed than that others were added. */
function revisedTests({ evidence, since = 0 }: JudgeInput): readonly string[] {
  const { inert, undone = [], changes } = evidence;
  if (inert === undefined || evidence.read === undefined) return [];
  const isRevised = ({ seq, path, op, by }: Evidence['changes'][number]): boolean =>
    seq > since &&
    op === 'edit' &&
    by === 'tool' &&
    isTestFile(path) &&
    !inert.includes(path) &&
    !undone.includes(path);
  return [...new Set(changes.filter(isRevised).map(({ path }) => path))].filter((path) =>
    /test|spec/i.test(segments(path).at(-1) ?? ''),
  );
}

/** "They pass with their original expectations", where these were changed. */
export function otherTests(input: JudgeInput): Held | null {
  const paths = revisedTests(input);
  if (paths.length === 0) return null;
  const reason = `${listed(paths)} was changed for this prompt, and not only by adding tests.`;
  return { status: 'failed', code: 'failed', reason, validator: 'test_pass' };
}

const TELLS_OF_TESTS =
  /\b(?:updat|chang|adjust|correct|alter|edit|rewr[io]t|modif|adapt|loosen|relax|replac|renam|remov)\w*\b[^.\n]{0,60}\b(?:tests?|specs?|expect\w*|assert\w*)|\b(?:tests?|specs?|expect\w*|assert\w*)\b[^.\n]{0,60}\b(?:updated|changed|adjusted|adapted|now expects?|had to|wrong|outdated)\b/i;

/** The prompt says that tests stay as they are, and the message doesn't say that one was changed. */
export function keptTests(input: JudgeInput): Held | null {
  const paths = TELLS_OF_TESTS.test((input.message ?? '').slice(0, 65_536)) ? [] : revisedTests(input);
  if (paths.length === 0) return null;
  const reason = `The prompt says that the tests stay as they are, but ${listed(paths)} was changed. Put that back, or say in your message that you changed it, and why.`;
  return { status: 'failed', code: 'failed', reason, validator: 'test_pass' };
}
