// Each catching up leaves a pack, and git slows down when it must look into hundreds. Once in a while git itself makes
// fewer of them. Nothing depends on it: where there is no git, or it fails, the packs stay as they are.
import { dirname, join } from 'node:path';
import { callGit, gitProgram } from './git-process.ts';
import { namesIn } from './repository.ts';

const MOST_PACKS = 40;
const MOST_LOOSE_REFS = 500;
const TIMEOUT = 120_000;

/** For whoever holds the lock. Never rejects. */
export async function tidyRepository(directory: string): Promise<void> {
  const packs = namesIn(join(directory, 'objects', 'pack')).filter((name) => name.endsWith('.pack')).length;
  const refs = namesIn(join(directory, 'refs', 'archive')).length;
  if (packs <= MOST_PACKS && refs <= MOST_LOOSE_REFS) return;
  try {
    const git = gitProgram(dirname(directory));
    const run = (...args: readonly string[]): ReturnType<typeof callGit> =>
      callGit(git, { args: [`--git-dir=${directory}`, ...args], timeoutMs: TIMEOUT });
    if (refs > MOST_LOOSE_REFS) await run('pack-refs', '--all');
    if (packs <= MOST_PACKS) return;
    // By size, so that what is large already is not written again each time. Old versions know only all or nothing.
    const { code } = await run('repack', '-d', '-q', '--geometric=2');
    if (code !== 0) await run('repack', '-a', '-d', '-q');
  } catch {
    // Another time.
  }
}
