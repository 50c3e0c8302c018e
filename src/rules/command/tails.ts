// What stands behind a check in its line and takes its exit code away without hiding anything: `; rm -rf "$dir"`, `; kill $pid`
// only tidy up, and `; echo "exit $?"` prints the code.
import type { Check } from '../../format/index.ts';

const TIDIES =
  /^(?:rm|rmdir|kill|wait|unset|popd|cd|sleep)(?: [^|&;<>`(]*)?(?: (?:2|&)?>[> ]?\/dev\/null(?: 2>&1)?)?$/;
const TELLS = /^echo (?:"([^"$`\\]*)\$\?([^"$`\\]*)"|([^"'$`\\|&;<>()*]*)\$\?([^"'$`\\|&;<>()*]*))$/;

/** The first of the statements that come next, where it tells the exit code, or all of them tidy up; else null. */
export function tailOf(next: readonly string[]): string | null {
  const [first = ''] = next;
  return TELLS.test(first) || next.every((text) => TIDIES.test(text)) ? first : null;
}

/** How a check ended by the code that its tail printed; null where that can't be told. */
export function toldEnd(
  check: Check,
  tails: ReadonlyMap<Check, string>,
  output: string,
): 'passed' | 'failed' | null {
  const tail = tails.get(check) ?? '';
  const [, quoted, behind, bare, last] = TELLS.exec(tail) ?? [];
  const before = quoted ?? bare;
  if (before === undefined) return null;
  const after = behind ?? last ?? '';
  const codes = output.split('\n', 10_000).flatMap((line) => {
    const code = line.slice(before.length, line.length - after.length);
    return line.startsWith(before) && line.endsWith(after) && /^\d{1,3}$/.test(code) ? [Number(code)] : [];
  });
  // Whoever else prints such a line makes it nobody's.
  const told = [...tails].filter(([, text]) => text === tail).map(([each]) => each);
  if (codes.length !== told.length) return null;
  return codes[told.indexOf(check)] === 0 ? 'passed' : 'failed';
}
