// A change that leaves what the code does as it was: tests that were only added, or comments and docstrings. Whole versions
// are compared; in doubt a change is none of these.
import { isTestFile, languageOf, type Syntax } from '../../ecosystems/index.ts';
import { sourceView } from './source-view.ts';
import { readMarks } from './test-marks.ts';

const LONGEST = 512 * 1024;
/** A comment that tools read, or that makes a difference to what is built. */
const DIRECTIVE =
  /^\s*#!|[@+]\w|\b\w+[:=]\S|\b(?:ignore|disable|enable|expect-error|no(?:lint|qa|sec|check)|pragma|type:|coding|import "C"|rubocop|istanbul|generated)\b/i;
const LOADS = /^\s*(?:import|from|use|using|require|const .*\brequire\(|[)}\]"'])/;
/** In code whose strings are blanked out: one that is a statement, unless it goes on with what stands before it. */
const DOCSTRING = /^[ \t]*[rRuU]?("""|''')\s*\1[ \t]*$/gm;
const GOES_ON = /[([{,=+\\%]\s*$/;
const NEAR = 40;

/** `before` is null where there was no such file. Never throws. */
export function isInert(path: string, before: string | null, now: string): boolean {
  if (now.length > LONGEST || (before?.length ?? 0) > LONGEST) return false;
  if (isTestFile(path)) return (readMarks(path, now)?.tests.length ?? 0) > 0 && isKept(before ?? '', now);
  const { syntax } = languageOf(path) ?? {};
  if (before === null || syntax === undefined) return false;
  const codeOf = (text: string): string => linesOf(codeIn(text, syntax).join('\n')).join('\n');
  const changed = changedLines(before, now);
  return (
    changed.length > 0 && codeOf(before) === codeOf(now) && !changed.some((line) => DIRECTIVE.test(line))
  );
}

/** Line by line, without comments and docstrings. */
export function codeIn(text: string, syntax: Syntax): string[] {
  const code = sourceView(text, syntax, true);
  if (!syntax.line.includes('#') || !syntax.long.includes('"""')) return code.split('\n');
  const out: string[] = [];
  let from = 0;
  for (const { 0: found, index } of sourceView(text, syntax).matchAll(DOCSTRING)) {
    if (GOES_ON.test(code.slice(Math.max(0, index - NEAR), index))) continue;
    out.push(code.slice(from, index), found.replace(/[^\n]/g, ' '));
    from = index + found.length;
  }
  return [...out, code.slice(from)].join('').split('\n');
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

/** Those that stand in one of the texts alone. */
function changedLines(before: string, now: string): string[] {
  const [old, other] = [linesOf(before), linesOf(now)];
  const [was, is] = [new Set(old), new Set(other)];
  return [...old.filter((line) => !is.has(line)), ...other.filter((line) => !was.has(line))];
}

/** All that was there is there still, in the same order; what is loaded may be more. */
function isKept(before: string, now: string): boolean {
  const lines = linesOf(now).map(plain);
  let at = 0;
  return linesOf(before).every((line) => {
    if (LOADS.test(line)) return true;
    const found = lines.indexOf(plain(line), at);
    at = found + 1;
    return found >= 0;
  });
}

/** The last element of a list gets a comma when another follows. */
function plain(line: string): string {
  return line.trim().replace(/,$/, '');
}
