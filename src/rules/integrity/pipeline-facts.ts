// What a pipeline says of the tests that it runs: whether some step runs them, whether their failure counts there, what
// they leave out. Read by lines and their indentation, not by the grammar of YAML. How often tests run, on which systems
// and in how many parts, is not compared.
import { sha256Hex } from '#platform';
import type { Check } from '../../format/index.ts';
import { PIPELINE } from './checker-facts.ts';
import { checksIn, type Fact, leftOut } from './command-facts.ts';

const MOST_LINES = 4000;
const COMMAND = /^[\s-]*(?:run|script|command|bash|pwsh):(?:\s+(.*))?$/;
const MEMBER = /^-?\s*[\w-]+:(?:\s|$)/;
/** A step, or what it stands in, that never runs. */
const OFF =
  /^[\s-]*(?:(?:if|condition|enabled):\s*["']?(?:\$\{\{\s*)?false(?:\s*\}\})?["']?|when:\s*never)\s*$/;
/** Programs of the project, which may well run tests themselves. */
const OF_PROJECT =
  /[\w./-]+\.(?:sh|py|[cm]?[jt]s)\b|\b(?:make|just|task|nox|tox|docker|bazel|nx|turbo|(?:npm|pnpm|yarn|bun)(?: run)?) (?!(?:ci|i|install|add|publish)\b)[\w:.-]+|^uses: \.\//m;
const IN_PARTS = /shard|split|group|\$\{\{|^\d+\/\d+$/i;

interface Step {
  readonly check: Check;
  readonly line: string;
  /** Its failure fails the pipeline. */
  readonly counts: boolean;
}

export function pipelineFacts(source: string): Fact[] {
  const lines = source.split('\n', MOST_LINES).map((line) => line.slice(0, 1000).replace(/(?:^|\s)#.*$/, ''));
  const facts: Fact[] = [];
  const steps = new Map<string, Step[]>();
  for (const [at, line] of lines.entries()) {
    const text = /^[\s-]*uses: \.\//.test(line) ? line.trim() : commandAt(lines, at);
    if (text === null) continue;
    const command = text.replace(/(?<!\|)\|(?![|&])[^|&;\n]*/g, ''); // `| tee log`
    const checks = checksIn(command, 'test');
    if (checks.length === 0 && OF_PROJECT.test(command))
      facts.push({ kind: 'is', words: `is command ${sha256Hex(command).slice(0, 12)}`, line: '', value: 0 });
    for (const check of checks) {
      const isMasked =
        check.flaw?.code === 'masked' || check.flaw?.code === 'background' || isIgnored(command);
      const counts = !isOff(lines, at) && (!isMasked || /\bexit (?:1|\$)/.test(command));
      const shown =
        /[|>]?$/.exec(line.trim())?.[0] === '' ? line.trim() : (text.trim().split('\n', 1)[0] ?? '');
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

/** The first member of a list's item stands behind the dash. */
function depthOf(line: string): number {
  return /^[\s-]*/.exec(line)?.[0].length ?? 0;
}

/** What the member at a line runs: on that line, in a block below it, or in a list. */
function commandAt(lines: readonly string[], at: number): string | null {
  const line = lines[at] ?? '';
  const [found, value = ''] = COMMAND.exec(line) ?? [];
  if (found === undefined) return null;
  if (!/^(?:[|>][-+\d]*)?\s*$/.test(value)) return value.trim().replace(/^(["'])(.*)\1$/, '$2');
  const end = lines.findIndex((each, i) => i > at && each.trim() !== '' && depthOf(each) <= depthOf(line));
  const below = lines
    .slice(at + 1, end < 0 ? undefined : end)
    .map((each) => each.trim())
    .filter((each) => each !== '');
  if (value.trim() !== '') return below.join(value.startsWith('>') ? ' ' : '\n');
  return below
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
function isOff(lines: readonly string[], at: number): boolean {
  const isItem = (line: string): boolean => /^\s*- /.test(line);
  let inside = depthOf(lines[at] ?? '');
  for (let each = at + 1; each < lines.length; each++) {
    const line = lines[each] ?? '';
    if (line.trim() === '') continue;
    if (depthOf(line) < inside || (depthOf(line) === inside && isItem(line))) break;
    if (depthOf(line) === inside && OFF.test(line)) return true;
  }
  for (let each = at; each >= 0; each--) {
    const line = lines[each] ?? '';
    if (line.trim() === '' || depthOf(line) > inside) continue;
    if (OFF.test(line)) return true;
    inside = isItem(line) ? line.search(/\S/) : Math.min(inside, depthOf(line));
  }
  return false;
}
