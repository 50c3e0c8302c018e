// Which project a test file belongs to follows from what it reaches, so no list of files can go stale. A file is of
// `process` if it, or a module that it imports, starts a process or a thread, needs what is built in dist/, or changes
// the process that it runs in. All other files are of `unit`: they need no build and share threads.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** In test/. Code under test may start git from a thread, too. */
const IN_TESTS =
  /node:child_process|node:worker_threads|\bdist\/(?:\w+\.(?:c?js|html)|\$)|process\.(?:env\.\w+ = |umask|chdir|argv)|stubEnv|vi\.mock/;
/** In src/: the thread that is built, and what a thread is not allowed to do. */
const IN_SOURCES = /\bworker\.cjs\b|\btool-cell\.mjs\b|process\.umask\(\w|process\.chdir/;
const IMPORTS = /(?:from|import)\s*\(?'(\.[^']+)'/g;

export interface Projects {
  readonly unit: readonly string[];
  readonly process: readonly string[];
}

/** Real agents, with a run of their own: `npm run test:hosts`. */
const isOfHosts = (name: string): boolean => name.startsWith('hosts/');

/** Paths from `root`. Files whose names end in .slow.test.ts, and those of test/hosts/, are in neither. */
export function divideTests(root: string): Projects {
  const reached = new Map<string, { readonly marked: boolean; readonly imports: readonly string[] }>();
  const read = (path: string) => {
    const known = reached.get(path);
    if (known !== undefined) return known;
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const marked = (path.startsWith(join(root, 'test')) ? IN_TESTS : IN_SOURCES).test(text);
    const imports = [...text.matchAll(IMPORTS)].map(([, to = '']) => join(dirname(path), to));
    const found = { marked, imports };
    reached.set(path, found);
    return found;
  };
  const needsProcess = (file: string): boolean => {
    const seen = new Set([file]);
    for (const path of seen) {
      const { marked, imports } = read(path);
      if (marked) return true;
      for (const to of imports) seen.add(to);
    }
    return false;
  };
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.endsWith('.slow.test.ts') && !isOfHosts(name))
    .map((name) => join(root, 'test', name))
    .sort();
  const isProcess = new Set(files.filter(needsProcess));
  const named = (wanted: boolean) =>
    files.filter((file) => isProcess.has(file) === wanted).map((file) => relative(root, file));
  return { unit: named(false), process: named(true) };
}
