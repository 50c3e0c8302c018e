// What recorders noted about a session holds words of its prompts and answers. It goes with the session's content: it is
// derived, and a session that goes on after all is taken up anew.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { STATE_DIR } from '../../format/index.ts';
import { parseState } from '../../record/index.ts';
import { type FileStore, hasCode } from '../../store/files/index.ts';

/** `modified` is when something was last noted about it, in milliseconds since 1970. */
export async function removeStates(
  store: FileStore,
  isErased: (session: string, modified: number) => boolean,
): Promise<void> {
  const directory = join(store.directory, STATE_DIR);
  const found = statesIn(directory).filter(({ session, modified }) => isErased(session, modified));
  if (found.length === 0) return;
  // A recorder that is in the middle of an append has them open.
  await store.inSection(async () => {
    for (const { path, modified } of found)
      if (modifiedAt(path) === modified) await rm(path, { force: true });
  });
}

interface StateFile {
  readonly path: string;
  readonly session: string;
  readonly modified: number;
}

function statesIn(directory: string): StateFile[] {
  return namesIn(directory).flatMap((name) => {
    const path = join(directory, name);
    const modified = modifiedAt(path);
    const session = modified === undefined ? undefined : sessionOf(path);
    return modified === undefined || session === undefined ? [] : { path, session, modified };
  });
}

/** Undefined where it is no note of ours. */
function sessionOf(path: string): string | undefined {
  try {
    return parseState(readFileSync(path))?.session;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EISDIR', 'EACCES')) return undefined;
    throw error;
  }
}

function modifiedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}
