// Lays a kept work tree out as it was, in a folder of our own that nobody else knows of yet. Links come last, so that no
// file is written through one. Modes are those that the user's mask leaves, as when git laid it out.
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { KeptFile } from '../../format/index.ts';
import { copyTree } from '../../gate/index.ts';

const OBJECTS = '.git/objects';

/** `root`: where the repository's objects still are, if it had one. `folders`: those that must be there besides. */
export async function layTree(
  to: string,
  files: readonly KeptFile[],
  { root, folders }: { readonly root: string; readonly folders: readonly string[] },
): Promise<void> {
  mkdirSync(to);
  for (const folder of folders) mkdirSync(join(to, folder), { recursive: true });
  for (const { path, type, modified, bytes } of files) {
    if (type === 'link') continue;
    const at = join(to, path);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, bytes, { flag: 'wx', mode: type === 'program' ? 0o777 : 0o666 });
    utimesSync(at, modified, modified);
  }
  if (files.some(({ path }) => path === '.git/HEAD')) {
    const from = { root: join(root, OBJECTS), to: join(to, OBJECTS), hidden: [], notOwnedBy: null };
    // Without them git knows nothing, and what the agent asks then will differ.
    await copyTree(from).catch(() => undefined);
  }
  for (const { path, type, bytes } of files) {
    if (type !== 'link') continue;
    mkdirSync(dirname(join(to, path)), { recursive: true });
    symlinkSync(Buffer.from(bytes).toString('utf8'), join(to, path));
  }
}
