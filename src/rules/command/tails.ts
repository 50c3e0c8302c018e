// What stands behind a check in its line and takes its exit code away without hiding anything: `; rm -rf "$dir"`, `; kill $pid`
// only tidy up, `; echo "exit $?"` prints the code, and what `&& echo built` prints shows that all before it went well.
import type { Check } from '../../format/index.ts';

const TIDIES =
  /^(?:rm|rmdir|kill|wait|unset|popd|cd|sleep)(?: [^|&;<>`(]*)?(?: (?:2|&)?>[> ]?\/dev\/null(?: 2>&1)?)?$/;
const TELLS = /^echo (?:"([^"$`\\]*)\$\?([^"$`\\]*)"|([^"'$`\\|&;<>()*]*)\$\?([^"'$`\\|&;<>()*]*))$/;

const SAYS = /^echo (["']?)([^"'$`\\|&;<>()*?]*[a-z][^"'$`\\|&;<>()*?]*)\1$/i;
/** Parts that are joined by `&&` alone, the last of which prints a line whatever it does else; none before it shows a text. */
const REACHES =
  /^(?!.*\b(?:cat|head|tail|less|grep|sed|awk|printf|echo)\b.* && )(?:[^|;<>()#]|\$\([^()|;<>#]*\))* && (?:\([^()|<>#]*; (echo [^;)]*)\)|(echo [^;)]*))$/;

/** A redirection of what a statement prints, other than of its errors; what only makes a file hides nothing. */
const LED = /(?<!(?:^|\s)2|>)>/;
const MAKES_FILE = /^\(*(?:echo|printf)\b[^(){};]*$/;

/**
 * The first of the statements that come next, where it tells the exit code of the one before, or all of them tidy up behind one
 * whose output is in view; where that one ends in a line that it prints behind `&&`, what prints it; else null.
 */
export function tailOf(before: string, next: readonly string[], isFirst: boolean): string | null {
  const [first = ''] = next;
  // A number without words can be anybody's, unless it is the last that is printed.
  if (tellsCode(first)) return wordsIn(first).join('') !== '' || next.length === 1 ? first : null;
  if (!next.every((text) => TIDIES.test(text))) return null;
  const [, inside, last = inside] = isFirst ? (REACHES.exec(before) ?? []) : [];
  if (last !== undefined && (SAYS.test(last) || tellsCode(last))) return `&& ${last}`;
  const isLed = before.split(' && ').some((part) => LED.test(part) && !MAKES_FILE.test(part));
  return isLed ? null : first;
}

export function tellsCode(tail: string): boolean {
  return TELLS.test(tail);
}

/** How a check ended by the code that its tail printed; null where that can't be told. */
export function toldEnd(
  check: Check,
  tails: ReadonlyMap<Check, string>,
  output: string,
): 'passed' | 'failed' | null {
  const tail = tails.get(check) ?? '';
  if (tail.startsWith('&& ')) return isPrinted(tail.slice(3), output) ? 'passed' : null;
  if (!tellsCode(tail)) return null;
  const [before, after] = wordsIn(tail);
  const lines = output.trimEnd().split('\n', 10_000);
  const codes = (before + after === '' ? lines.slice(-1) : lines).flatMap((line) => {
    const code = /\d{1,3}$/.exec(line.endsWith(after) ? line.slice(0, line.length - after.length) : '');
    if (code === null || !line.slice(0, code.index).endsWith(before)) return [];
    // Behind what was printed without an end of its line, nobody knows where the code begins.
    return [code.index === before.length ? Number(code[0]) : null];
  });
  // Whoever else prints such a line makes it nobody's.
  const told = [...tails].filter(([, text]) => text === tail).map(([each]) => each);
  const code = codes[told.indexOf(check)] ?? null;
  if (codes.length !== told.length || codes.includes(null) || code === null) return null;
  return code === 0 ? 'passed' : 'failed';
}

/** Once, as a line of its own, with words: a number alone can be anybody's. */
function isPrinted(echo: string, output: string): boolean {
  const [before, after] = tellsCode(echo) ? wordsIn(echo) : [SAYS.exec(echo)?.[2] ?? '', ''];
  const number = tellsCode(echo) ? /^\d{1,3}$/ : /^$/;
  const isIt = (line: string): boolean =>
    line.startsWith(before) &&
    line.endsWith(after) &&
    number.test(line.slice(before.length, line.length - after.length));
  return /[a-z]/i.test(before + after) && output.split('\n', 10_000).filter(isIt).length === 1;
}

/** What a tail prints before the code and behind it. */
function wordsIn(tail: string): [before: string, after: string] {
  const [, quoted, behind, bare, last] = TELLS.exec(tail) ?? [];
  return [quoted ?? bare ?? '', behind ?? last ?? ''];
}
