// What a test command of a configuration says of itself: whether it runs anything, whether its failure counts, and what
// it leaves out. By words, not by a shell's grammar: it is compared with an earlier version of itself.
import type { Check } from '../../format/index.ts';
import { readCommand } from '../command/read-command.ts';

export type FactKind = 'deselect' | 'loosen' | 'threshold' | 'runs' | 'reach' | 'is';

export interface Fact {
  readonly kind: FactKind;
  /** What two versions are compared by. At most 200 characters, and nothing of a command but its options. */
  readonly words: string;
  readonly line: string;
  /** Of a threshold. */
  readonly value: number;
}

const MASKED =
  /\|\|\s*(?:true|:|echo|exit\s+0|cd|\(exit 0\))(?:\s|;|&|\)|$)|[;\n]\s*(?:true|:|exit\s+0)\s*$|;\s*exit\s+0\b/;
const NOTHING = /^(?:@|-)*\s*(?:echo|printf|true|:|exit\s+0|cd|sleep|node\s+-e\s+(?:""|''|0))(?:\s|$)/;
const LEFT_OUT =
  /(?:^|\s)(--(?:ignore|ignore-glob|deselect|exclude|exclude-tests?|exclude-tags?|exclude-group|ignore-pattern|testPathIgnorePatterns|skip|grep-invert|invert)(?:[= ](?:"[^"\n]{0,120}"|'[^'\n]{0,120}'|[^\s"',]{1,120}))?)/g;
const LEFT_OUT_BY_NAME = /(?:^|\s)(-[km][ =]?(?:"[^"\n]{0,120}"|'[^'\n]{0,120}'|\\"[^"\n]{0,120}"))/g;
const RUNS_NOTHING =
  /(?:^|\s)--(?:passWithNoTests|pass-with-no-tests|collect-only|co|listTests|list-tests|dry-run|no-run|exit-zero|noCheck)(?=[\s"',\]]|$)/g;
const THRESHOLD =
  /--(?:cov-fail-under|coverage\.thresholds?\.\w+|lines|branches|functions|statements)[= ](\d{1,3})/g;
const USUAL = /node_modules|(?:^|[/=" '])(?:dist|build|vendor|\.git|\.venv|venv)(?:[/"']|$)/;

export type Sort = 'test' | 'types' | 'lint';

function isOf(sort: Sort, { kind }: Check): boolean {
  return kind === sort || (sort === 'types' && kind === 'build');
}

export function runsTests(text: string, sort: Sort = 'test'): boolean {
  const line = text.replace(/^[\t ]*[@-]+/gm, '');
  const { checks, unparsed } = readCommand(line, { cwd: null, root: null });
  return !unparsed && checks.some((check) => isOf(sort, check) && check.flaw?.code !== 'not-a-check');
}

/** Where it looks: `.` for everywhere. */
function placesOf(text: string, sort: Sort): readonly string[] {
  const { checks } = readCommand(text.replace(/^[\t ]*[@-]+/gm, ''), { cwd: '/w', root: '/w' });
  const targets = checks.filter((check) => isOf(sort, check)).map((check) => check.targets);
  return targets.some((each) => each.length === 0) ? ['.'] : [...new Set(targets.flat())];
}

export function commandFacts(member: string, command: string, line: string, sort: Sort = 'test'): Fact[] {
  const where = sort === 'test' ? member : `${sort}:${member}`;
  const text = command.slice(0, 4096);
  const facts: Fact[] = [];
  const add = (kind: FactKind, words: string, value = 0): void => {
    facts.push({ kind, words: `${kind} ${where} ${words}`.slice(0, 200).trimEnd(), line, value });
  };
  const parts = text.split(/&&|\|\||;|\n|(?<!\|)\|(?!\|)/).map((part) => part.trim());
  const runs = parts.some((part) => part !== '' && !NOTHING.test(part));
  const isPlaceholder = /no test(?:s)? specified/i.test(text);
  if (runs) add('runs', '');
  // A test command that ran a runner of tests and now runs something else prints whatever it likes.
  if (runs && runsTests(text, sort)) {
    add('runs', 'its tests');
    for (const place of placesOf(text, sort)) add('reach', place);
  } else if (!isPlaceholder) add('loosen', 'runs nothing');
  const ignoresFailure = /(?:^|\n)\s*@?-/.test(text) && member.startsWith('target');
  if (runs && (MASKED.test(text) || ignoresFailure)) add('loosen', 'failure does not count');
  for (const [, words = ''] of text.matchAll(LEFT_OUT)) if (!USUAL.test(words)) add('deselect', words);
  for (const [, words = ''] of text.matchAll(LEFT_OUT_BY_NAME))
    if (/\bnot\b/.test(words)) add('deselect', words);
  for (const [words] of text.matchAll(RUNS_NOTHING)) add('loosen', words.trim());
  for (const [words, number] of text.matchAll(THRESHOLD))
    add('threshold', words.replace(/[= ]\d+$/, ''), Number(number));
  return facts;
}
