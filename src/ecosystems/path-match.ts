// When two paths mean the same file, one holds the other, or a test belongs to a source by its name. Compared by whole
// segments, never by substring: `parser.ts` is not `my-parser.ts`.

import { wordSet } from '../core/index.ts';
import { isTestFile } from './file-kinds.ts';

/** Folders that say "tests" or "source" and nothing of what they hold. */
const EMPTY_PARTS = wordSet(
  'test tests __tests__ spec specs testing src lib app source main java kotlin python unit integration e2e functional test_data',
);
const TEST_FOLDERS = new Set(['test', 'tests', '__tests__', 'spec', 'specs', 't']);
/** Files that are named after their folder. */
const FOLDER_FILES = new Set(['index', 'main', 'mod', 'lib', '__init__', '__main__']);
const TEST_WORDS = new Set(['test', 'tests', 'spec', 'specs', 'it', 'e2e', 'should', 'cy', 'bench']);

/** Segments without `.`; what a selector of tests adds after `::` is cut off. */
export function segments(path: string): string[] {
  return path
    .replace(/::.*$/s, '')
    .split(/[/\\]/)
    .filter((part) => part !== '' && part !== '.' && part !== '~');
}

/** The same, or the shorter is the end of the longer. */
export function samePath(a: string, b: string): boolean {
  const [left, right] = [segments(a), segments(b)];
  const count = Math.min(left.length, right.length);
  return count > 0 && left.slice(-count).join('/') === right.slice(-count).join('/');
}

/**
 * Is the file meant by the name? A name may leave folders out, and has none but those that lead to the file, the ones
 * above the workspace (`root`) among them. `whole`: none below it is left out.
 */
export function isFileOf(
  name: string,
  path: string,
  root: string | null | undefined,
  whole = false,
): boolean {
  const isAbsolute = name.startsWith('/');
  if (isAbsolute && typeof root !== 'string') return samePath(name, path);
  const said = segments(name.replace(/^(?:\.\.\/)+/, ''));
  const real = segments(path);
  const all = path.startsWith('/') ? real : [...segments(root ?? ''), ...real];
  const least = isAbsolute ? all.length : whole ? real.length : 1;
  return said.length >= least && said.join('/') === all.slice(-said.length).join('/');
}

/** Does `folder` hold `path`? Both may be written from the root or from the workspace. */
export function holds(folder: string, path: string): boolean {
  const outer = segments(folder).join('/');
  if (outer === '') return true;
  const inner = `/${segments(path).join('/')}/`;
  return folder.startsWith('/') || path.startsWith('/')
    ? inner.includes(`/${outer}/`)
    : inner.startsWith(`/${outer}/`);
}

/** `parserEdge-cases` → parser, edge, cases. */
export function nameWords(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** The words of a file's own name: without its ending, and without what makes it a test. */
export function stemWords(path: string): string[] {
  const parts = segments(path);
  const name = parts.at(-1) ?? '';
  const dot = name.indexOf('.', 1);
  const stem = dot < 0 ? name : name.slice(0, dot);
  const own = nameWords(FOLDER_FILES.has(stem) ? (parts.at(-2) ?? stem) : stem);
  const inner = dot < 0 ? [] : nameWords(name.slice(dot, name.lastIndexOf('.')));
  return [...own, ...inner].filter((word) => !TEST_WORDS.has(word));
}

function isRun(words: readonly string[], within: readonly string[]): boolean {
  return words.length > 0 && ` ${within.join(' ')} `.includes(` ${words.join(' ')} `);
}

/** `parser.test.ts`, `test_parser_edges.py` belong to `parser.*`; `test/parser/` to `src/parser/` and `src/parser.ts`. */
export function belongsTo(test: string, source: string): boolean {
  const parts = segments(test);
  const own = stemWords(source);
  const folders = parts.filter((part) => !EMPTY_PARTS.has(part.toLowerCase()));
  // The folder of all tests belongs to all there is.
  if (TEST_FOLDERS.has(parts[0]?.toLowerCase() ?? '') && (folders.length === 0 || parts.length === 1))
    return true;
  // `tests/Ledger.Tests` is a project, and that of `src/Ledger`.
  const project = /^([\w.]{1,100}?)\.(?:Unit|Integration|Functional)?Tests?$/.exec(parts.at(-1) ?? '')?.[1];
  if (project !== undefined && segments(source).slice(0, -1).includes(project)) return true;
  if (!/\.[A-Za-z0-9]+$/.test(parts.at(-1) ?? '')) {
    const home = segments(source).filter((part) => !EMPTY_PARTS.has(part.toLowerCase()));
    const last = home.pop() ?? '';
    if (isRun(folders, [...home, last.replace(/\..*$/s, '')])) return true;
  }
  const words = stemWords(test);
  if (own.length > 0 && words.slice(0, own.length).join(' ') === own.join(' ')) return true;
  return isTestFile(test) && folders.slice(0, -1).some((part) => nameWords(part).join(' ') === own.join(' '));
}

/** `tests`, `^$`: a name that says nothing of what is tested. */
export function isEmptyName(selector: string): boolean {
  return nameWords(selector).every((word) => TEST_WORDS.has(word) || word === 'unit' || word === 'all');
}

/** Does the name of a test say the name of a source? */
export function selects(selector: string, source: string): boolean {
  const words = nameWords(selector).filter((word) => !TEST_WORDS.has(word));
  const own = stemWords(source);
  return isRun(own, words) || (words.length > 0 && isRun(words, own) && words.join('').length > 3);
}
