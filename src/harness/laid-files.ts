// What an attester lays out for the tests: artifacts first, then the pack's own files over them, so that the pack's tests
// and settings win. Of the artifacts, tests and whatever steers a test runner are left out unless the pack has that file:
// otherwise the work would choose how it is judged.
import { isManifest, isTestConfig, isTestFile, shadowsPython } from '../ecosystems/index.ts';
import { PackError, sortedFiles, type TreeFile } from '../format/index.ts';

/** Folders of a pack that hold files of the project as they are, by their paths there. The last wins. */
const LAID = ['static/', 'template/', 'verification/'] as const;

/** Loaded by programs without being asked for. */
const UNASKED = /^(?:(?:site|user)customize\.py|setup\.py|.*\.pth|build\.rs|[jt]sconfig.*\.json)$/i;

/** Whatever lies there is the tests' own: an interpreter may load from there what has the name of a module. */
const TESTS: ReadonlySet<string> = new Set(['test', 'tests', '__test__', '__tests__', 'e2e']);

export interface LaidFiles {
  readonly files: readonly TreeFile[];
  /** Artifacts that the tests got, as they are. */
  readonly taken: readonly TreeFile[];
  /** Artifacts that the tests did not get. */
  readonly leftOut: number;
}

/** Throws PackError where both together could not lie in one folder. */
export function layFiles(pack: readonly TreeFile[], artifacts: readonly TreeFile[]): LaidFiles {
  const own = new Map<string, Uint8Array>();
  for (const folder of LAID)
    for (const { path, bytes } of pack)
      if (path.startsWith(folder)) own.set(path.slice(folder.length), bytes);
  const taken = artifacts.filter(({ path }) => !own.has(path) && !steers(path));
  const replaced = artifacts.filter(({ path }) => own.has(path)).length;
  try {
    return {
      files: sortedFiles([...taken, ...[...own].map(([path, bytes]) => ({ path, bytes }))]),
      taken,
      leftOut: artifacts.length - taken.length - replaced,
    };
  } catch (error) {
    if (!(error instanceof PackError)) throw error;
    throw new PackError(error.code, `the artifacts do not fit the pack's files: ${error.message}`);
  }
}

/** A test, its settings, or what a runner or an interpreter loads by itself. Hidden files are mostly settings. */
export function steers(path: string): boolean {
  const segments = path.split('/');
  const name = segments.at(-1) ?? '';
  const folders = segments.slice(0, -1).map((segment) => segment.toLowerCase());
  return (
    segments.some((segment) => segment.startsWith('.') || segment.toLowerCase() === 'node_modules') ||
    folders.some((folder) => TESTS.has(folder)) ||
    UNASKED.test(name) ||
    shadowsPython(path) ||
    isTestConfig(path) ||
    isTestFile(path) ||
    isManifest(path)
  );
}
