// Why content can't be shown: is it not here, or is it here and can't be checked, or is it not what was committed to?
// Asked only of what could not be read, by people who look at one entry; a verdict never rests on it.
import { ParseError } from '../core/index.ts';
import { blobPath, type ContentRef, packPath, parseSalt, saltPath } from '../format/index.ts';
import type { Files } from './files.ts';
import { scanPack } from './pack-scan.ts';

/** `unsalted`: its salt is gone or no salt, so that nothing can be said of it. */
export type ContentPresence = 'absent' | 'unsalted' | 'damaged';

/** Of content that the store did not give. `session` is 64 zeros for none. */
export async function contentPresence(
  files: Files,
  session: string,
  ref: ContentRef,
): Promise<ContentPresence> {
  const isSalted = ref.algorithm !== 'sha256';
  const salt = isSalted ? await readSalt(files, session) : undefined;
  const isHere =
    (await files.read(blobPath(session, ref), 0, 1)) !== undefined ||
    (await isInPack(files, packPath(session), salt, ref));
  if (!isHere) return 'absent';
  return isSalted && salt === undefined ? 'unsalted' : 'damaged';
}

async function isInPack(
  files: Files,
  path: string,
  salt: Uint8Array | undefined,
  { algorithm, hash }: ContentRef,
): Promise<boolean> {
  let isHere = false;
  const found = (): void => {
    isHere = true;
  };
  const look = (header: { readonly algorithm: string; readonly hash: string } | undefined): void => {
    if (header?.algorithm === algorithm && header.hash === hash) isHere = true;
  };
  await scanPack(files, path, 0, salt, {
    record: (header, good) => (good === false ? found() : look(header)),
    // What can't be read there may have been this.
    torn: (_bytes, isTail, header) => (isTail ? look(header) : found()),
    damaged: found,
  });
  return isHere;
}

async function readSalt(files: Files, session: string): Promise<Uint8Array | undefined> {
  const bytes = await files.read(saltPath(session), 0, 128);
  try {
    const salt = bytes === undefined ? undefined : parseSalt(bytes);
    // Zeros are a salt on its way to being erased.
    return salt?.some((byte) => byte !== 0) === true ? salt : undefined;
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}
