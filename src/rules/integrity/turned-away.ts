// A test that turned away from the code it asked, while that code was changed: what it loaded from there it now makes for
// itself, or loads from a file among the tests. Then it passes whatever became of the code.
import { isTestFile, stemWords } from '../../ecosystems/index.ts';
import type { Marks } from './test-marks.ts';

const MODULE = /(?:\bfrom|\brequire\(|\bimport\()\s*["'`]([\w@./-]+)["'`]|^from\s+([\w.]+)\s+import\b/;
/** It makes the name itself. */
const ITSELF = 2;

function moduleOf(line: string | undefined): string | undefined {
  const [, place, name] = MODULE.exec(line ?? '') ?? [];
  return place ?? name?.replaceAll(/(?<=\w)\./g, '/');
}

/** The lines of the test at `path` that do so. `code` is what else was changed. */
export function turnedAway(
  path: string,
  old: Marks,
  { origins, asserts }: Marks,
  code: readonly string[],
): string[] {
  const changed = new Set(code.map((each) => stemWords(each).join()));
  const ending = path.slice(path.lastIndexOf('.'));
  return [...origins].flatMap(([name, { own, line }]) => {
    const from = moduleOf(old.origins.get(name)?.line);
    const now = moduleOf(line);
    if (from === undefined || from === now || !changed.has(stemWords(from).join())) return [];
    const place = /\.\w+$/.test(now ?? '') ? now : `${now}${ending}`;
    const isHere =
      own === ITSELF || (now !== undefined && isTestFile(new URL(place ?? '', `file:///${path}`).pathname));
    return isHere && asserts.some((each) => each.includes(`${name}(`)) ? [line] : [];
  });
}
