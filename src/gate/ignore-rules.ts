// What a work tree's rules leave out, as they were when the session began, in one list that git reads in place of the
// rules themselves: a rule that is added later hides nothing. A pattern of `a/.gitignore` means the same in the list
// once it is anchored below `a/`.
import { readText } from './file-content.ts';

const MOST_BYTES = 256 * 1024;
const MOST_FILES = 512;

/** Never code, and too large to be looked through. Only what is never a folder of source. */
const ALWAYS = [
  'node_modules',
  '.git',
  '.foil',
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.tox',
  '.nox',
  '.venv',
  '.gradle',
  '.terraform',
  '.pnpm-store',
];

/** Lines for `--exclude-from`. `files` are paths of `.gitignore` below `root`; `above` rules of its parents. */
export function ignoreRules(
  root: string,
  {
    files,
    above,
    excluded,
  }: {
    readonly files: readonly string[];
    /** Whole files of rules that hold everywhere: `.git/info/exclude`, `.gitignore` of directories above. */
    readonly above: readonly string[];
    /** Directories that are left out as it is, whatever rule says so. */
    readonly excluded: readonly string[];
  },
): string {
  const lines: string[] = [];
  for (const path of above) {
    for (const rule of rulesOf(readText(path, MOST_BYTES))) {
      // One that is anchored somewhere above can't be put here; one without a slash holds at any depth.
      if (!rule.replace(/\/$/, '').includes('/') || path.endsWith('exclude')) lines.push(rule);
    }
  }
  const shallowFirst = [...files].sort(
    (a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1),
  );
  for (const file of shallowFirst.slice(0, MOST_FILES)) {
    const directory = file.slice(0, -'.gitignore'.length);
    for (const rule of rulesOf(readText(`${root}/${file}`, MOST_BYTES)))
      lines.push(anchored(rule, directory));
  }
  for (const directory of excluded.slice(0, MOST_FILES)) lines.push(`/${escaped(directory)}`);
  let text = '';
  for (const line of [...lines, ...ALWAYS.map((name) => `${name}/`)]) {
    if (text.length + line.length < MOST_BYTES) text += `${line}\n`;
  }
  return text;
}

function rulesOf(text: string | null): string[] {
  return (text ?? '')
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.replace(/\r$/, ''))
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
}

/** `directory` ends in a slash, or is empty. */
function anchored(rule: string, directory: string): string {
  if (directory === '') return rule;
  const negated = rule.startsWith('!');
  const pattern = negated ? rule.slice(1) : rule.replace(/^\\([!#])/, '$1');
  const bare = pattern.replace(/ +$/, '');
  const isAnchored = bare.slice(0, -1).includes('/');
  const below = isAnchored ? pattern.replace(/^\//, '') : `**/${pattern}`;
  return `${negated ? '!' : ''}/${escaped(directory)}${below}`;
}

function escaped(path: string): string {
  return path.replace(/[\\*?[\]]/g, '\\$&').replace(/ $/, '\\ ');
}
