// Hands a throw-away copy to the user that will run in it. Only root can; links are not followed. Nothing of that user
// runs yet, so that nobody can swap one thing for another meanwhile.
import { lchown, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export async function giveTree(directory: string, uid: number): Promise<void> {
  await lchown(directory, uid, uid);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await giveTree(path, uid);
    else await lchown(path, uid, uid);
  }
}
