// What a pipeline says of the tests that it runs: whether some step runs them, whether their failure counts there, what
// they leave out. Read by lines and their indentation, not by the grammar of YAML. How often tests run, on which systems
// and in how many parts, is not compared.
import { sha256Hex } from '#platform';
import type { Check } from '../../format/index.ts';
import { PIPELINE } from './checker-facts.ts';
import { checksIn, type Fact, leftOut } from './command-facts.ts';

const MOST_LINES = 4000;
/** What stands behind them is not looked at. */
const MOST_COMMANDS = 300;
const MOST_TEXT = 64 * 1024;
const COMMAND = /^(?:- *)*(?:run|script|command|bash|pwsh):(?:\s+(.*))?$/;
const MEMBER = /^-?\s*[\w-]+:(?:\s|$)/;
/** A step, or what it stands in, that never runs. */
const OFF =
  /^(?:- *)*(?:(?:if|condition|enabled):\s*["']?(?:\$\{\{\s*)?false(?:\s*\}\})?["']?|when:\s*never)\s*$/;
/** Programs of the project, which may well run tests themselves. */
const OF_PROJECT =
  /[\w./-]+\.(?:sh|py|[cm]?[jt]s)\b|\b(?:make|just|task|nox|tox|docker|bazel|nx|turbo|(?:npm|pnpm|yarn|bun)(?: run)?) (?!(?:ci|i|install|add|publish)\b)[\w:.-]+|^uses: \.\//m;
const SAYS = /\b(?:echo|printf)\s[^&|;\n]*/g;
const IN_PARTS = /shard|split|group|\$\{\{|^\d+\/\d+$/i;

interface Step {
  readonly check: Check;
  readonly line: string;
  /** Its failure fails the pipeline. */
  readonly counts: boolean;
}

export function pipelineFacts(source: string): Fact[] {
  const lines = linesOf(source);
  const facts: Fact[] = [];
  const steps = new Map<string, Step[]>();
  let left = MOST_TEXT;
  for (const { at, text } of commandsIn(lines)) {
    left -= text.length;
    if (left < 0) break;
    const { text: line } = lines[at] as Line;
    const command = text.replace(/(?<!\|)\|(?![|&])[^|&;\n]*/g, ''); // `| tee log`
    const checks = checksIn(command, 'test');
    if (checks.length === 0 && OF_PROJECT.test(command.replace(SAYS, '')))
      facts.push({ kind: 'is', words: `is command ${sha256Hex(command).slice(0, 12)}`, line: '', value: 0 });
    for (const check of checks) {
      const isMasked =
        check.flaw?.code === 'masked' || check.flaw?.code === 'background' || isIgnored(command);
      const counts = !isOff(lines, at) && (!isMasked || /\bexit (?:1|\$)/.test(command));
      const shown = /[|>]?$/.exec(line)?.[0] === '' ? line : (text.trim().split('\n', 1)[0] ?? '');
      const name = check.runner.replaceAll(' ', '-');
      steps.set(name, [...(steps.get(name) ?? []), { check, line: shown, counts }]);
    }
  }
  for (const [name, all] of steps) {
    const [first] = all.filter(({ counts }) => counts);
    const line = (first ?? all[0])?.line ?? '';
    facts.push({ kind: 'threshold', words: `threshold ${PIPELINE}${name}`, line, value: first ? 1 : 0 });
    for (const words of leftOut(all.map(({ check }) => check)).filter((each) => !IN_PARTS.test(each)))
      facts.push({
        kind: 'deselect',
        words: `deselect ${PIPELINE}${name} ${words}`.slice(0, 200),
        line,
        value: 0,
      });
  }
  return facts;
}

interface Line {
  /** What stands behind the indentation. */
  readonly text: string;
  readonly indent: number;
  /** The first member of a list's item stands behind the dash. */
  readonly depth: number;
}

/** Blank ones and what is remarked left out. */
function linesOf(source: string): Line[] {
  return source
    .split('\n', MOST_LINES)
    .map((each) => each.slice(0, 1000).replace(/(?:^|\s)#.*$/, ''))
    .filter((line) => line.trim() !== '')
    .map((line) => ({ text: line.trim(), indent: line.search(/\S/), depth: line.search(/[^\s-]|$/) }));
}

interface Command {
  /** The line that begins it. */
  readonly at: number;
  readonly text: string;
}

/** What the members run: on a line, in a block below it, or in a list. */
function commandsIn(lines: readonly Line[]): Command[] {
  const found: Command[] = [];
  for (let at = 0; at < lines.length && found.length < MOST_COMMANDS; at++) {
    const { text, depth } = lines[at] as Line;
    const [whole, value = ''] = COMMAND.exec(text) ?? [];
    if (/^(?:- *)*uses: \.\//.test(text)) found.push({ at, text });
    else if (whole === undefined) continue;
    else if (!/^(?:[|>][-+\d]*)?$/.test(value))
      found.push({ at, text: value.replace(/^(["'])(.*)\1$/, '$2') });
    else {
      const next = lines.findIndex((each, i) => i > at && each.depth <= depth);
      const end = next < 0 ? lines.length : next;
      const below = lines.slice(at + 1, end).map((each) => each.text);
      if (value === '') found.push({ at, text: listed(below) });
      else {
        found.push({ at, text: below.join(value.startsWith('>') ? ' ' : '\n') });
        // What looks like a member in there is text.
        at = end - 1;
      }
    }
  }
  return found;
}

function listed(lines: readonly string[]): string {
  return lines
    .filter((each) => !MEMBER.test(each))
    .map((each) => each.replace(/^- (["']?)(.*)\1$/, '$2'))
    .join('\n');
}

/** After `set +e` only the last command tells how it ended. */
function isIgnored(command: string): boolean {
  const rest = /^\s*set \+\w*e\w*\s*(?:$|;)(.*)/ms.exec(command)?.[1];
  if (rest === undefined || rest.includes('$?') || /^\s*set -\w*e/m.test(rest)) return false;
  return checksIn(rest.trim().split('\n').at(-1) ?? '', 'test').length === 0;
}

/** Is the step at a line, or what it stands in, turned off? */
function isOff(lines: readonly Line[], at: number): boolean {
  const isItem = (text: string): boolean => text.startsWith('- ');
  let inside = lines[at]?.depth ?? 0;
  for (const { text, depth } of lines.slice(at + 1)) {
    if (depth < inside || (depth === inside && isItem(text))) break;
    if (depth === inside && OFF.test(text)) return true;
  }
  for (const { text, indent, depth } of lines.slice(0, at + 1).reverse()) {
    if (depth > inside) continue;
    if (OFF.test(text)) return true;
    inside = isItem(text) ? indent : Math.min(inside, depth);
  }
  return false;
}
