// What a test command of a configuration says of itself: whether it runs anything, whether its failure counts, and what
// it leaves out, as the command line says. It is compared with an earlier version of itself.
import type { Check } from '../../format/index.ts';
import { readCommand } from '../../shell/index.ts';

export type FactKind = 'deselect' | 'loosen' | 'threshold' | 'runs' | 'reach' | 'is';

export interface Fact {
  readonly kind: FactKind;
  /** What two versions are compared by. At most 200 characters, and nothing of a command but its options. */
  readonly words: string;
  readonly line: string;
  /** Of a threshold. */
  readonly value: number;
}

const NOTHING = /^(?:@|-)*\s*(?:echo|printf|true|:|exit\s+0|cd|sleep|node\s+-e\s+(?:""|''|0))(?:\s|$)/;
/** Of checkers too, whose tables take no note of it. */
const LEFT_OUT =
  /(?:^|\s)(--(?:ignore|ignore-glob|deselect|exclude|exclude-tests?|exclude-tags?|exclude-group|ignore-pattern|testPathIgnorePatterns|skip|grep-invert|invert)(?:[= ](?:"[^"\n]{0,120}"|'[^'\n]{0,120}'|[^\s"',]{1,120}))?)/g;
const RUNS_NOTHING =
  /(?:^|\s)--(?:passWithNoTests|pass-with-no-tests|collect-only|co|listTests|list-tests|dry-run|no-run|exit-zero|noCheck)(?=[\s"',\]]|$)/g;
const THRESHOLD =
  /--(?:cov-fail-under|coverage\.thresholds?\.\w+|lines|branches|functions|statements)[= ](\d{1,3})/g;
const USUAL = /node_modules|(?:^|[/=" '!])(?:dist|build|vendor|\.git|\.venv|venv)(?:[/"']|$)/;

export type Sort = 'test' | 'types' | 'lint';

function isOf(sort: Sort, { kind }: Check): boolean {
  return kind === sort || (sort === 'types' && kind === 'build');
}

/** The checks of that sort in it. Each line of a recipe must go well, as if `&&` stood between them. */
export function checksIn(text: string, sort: Sort): readonly Check[] {
  const lines = text.replace(/^[\t ]*[@-]+/gm, '').split('\n');
  const { checks, unparsed } = readCommand(lines.join(' && '), { cwd: '/w', root: '/w' });
  return unparsed ? [] : checks.filter((check) => isOf(sort, check) && check.flaw?.code !== 'not-a-check');
}

export function runsTests(text: string): boolean {
  return checksIn(text, 'test').length > 0;
}

/** Where they look: `.` for everywhere. */
function placesOf(checks: readonly Check[]): readonly string[] {
  const targets = checks.map((check) => check.targets);
  return targets.some((each) => each.length === 0) ? ['.'] : [...new Set(targets.flat())];
}

/** What they leave out. Several that choose differently may well be everything together. */
export function leftOut(checks: readonly Check[]): readonly string[] {
  const words = checks[0]?.selectors ?? [];
  if (checks.some(({ selectors }) => selectors.join(' ') !== words.join(' '))) return [];
  const only = words.filter((word) => !word.startsWith('!')).join(' ');
  const out = words.filter((word) => word.startsWith('!') && !USUAL.test(word));
  return only === '' ? out : [`only ${only}`, ...out];
}

export function commandFacts(member: string, command: string, line: string, sort: Sort = 'test'): Fact[] {
  const where = sort === 'test' ? member : `${sort}:${member}`;
  const text = command.slice(0, 4096).replace(/\\\n/g, ' ');
  const facts: Fact[] = [];
  const add = (kind: FactKind, words: string, value = 0): void => {
    facts.push({ kind, words: `${kind} ${where} ${words}`.slice(0, 200).trimEnd(), line, value });
  };
  const parts = text.split(/&&|\|\||;|\n|(?<!\|)\|(?!\|)/).map((part) => part.trim());
  const runs = parts.some((part) => part !== '' && !NOTHING.test(part));
  const checks = runs ? checksIn(text, sort) : [];
  const isPlaceholder = /no test(?:s)? specified/i.test(text);
  if (runs && !isPlaceholder) add('runs', '');
  // A test command that ran a runner of tests and now runs something else prints whatever it likes.
  if (checks.length > 0) {
    add('runs', 'its tests');
    for (const place of placesOf(checks)) add('reach', place);
  } else if (!isPlaceholder) add('loosen', 'runs nothing');
  const isMasked = checks.some(({ flaw }) => flaw?.code === 'masked' || flaw?.code === 'background');
  const ignoresFailure =
    (/(?:^|\n)\s*@?-/.test(text) && member.startsWith('target')) ||
    (/(?:^|\n)- ?\S*(?:test|python)/.test(text) && member.endsWith('commands'));
  if (isMasked || (runs && ignoresFailure)) add('loosen', 'failure does not count');
  for (const words of leftOut(checks)) add('deselect', words);
  for (const [, words = ''] of text.matchAll(LEFT_OUT)) if (!USUAL.test(words)) add('deselect', words);
  for (const [words] of text.matchAll(RUNS_NOTHING)) add('loosen', words.trim());
  for (const [words, number] of text.matchAll(THRESHOLD))
    add('threshold', words.replace(/[= ]\d+$/, ''), Number(number));
  return facts;
}
