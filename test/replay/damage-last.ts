// Damage to what a session keeps for its replay.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Flips a byte of the ciphertext that was kept last; gives the way back. */
export function damageLast(ledger: string): () => void {
  const folder = join(ledger, 'blobs');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const kept = files
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .map((file) => ({ file, bytes: readFileSync(file) }))
    .find(({ bytes }) => bytes.includes('counterfoil-enc-1\n'));
  if (kept === undefined) throw new Error('nothing is encrypted');
  const { file, bytes } = kept;
  const changed = Buffer.from(bytes);
  const at = bytes.lastIndexOf('counterfoil-enc-1\n') + 40;
  changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
  writeFileSync(file, changed);
  return () => writeFileSync(file, bytes);
}
