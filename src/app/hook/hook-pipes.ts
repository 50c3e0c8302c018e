// What a host writes to a hook, and what the hook says to it: standard input read to its end, within a bound, and an
// answer written whole.
import { fstatSync, readSync, writeSync } from 'node:fs';
import type { Answer } from '../../record/index.ts';

/** More is read by nobody. One byte above what is understood, so that too much is known as such. */
const MOST = 64 * 1024 * 1024 + 1;

/** `pieces` are what was read already. */
export async function readInput(pieces: Uint8Array[]): Promise<Uint8Array> {
  if (pieces.length === 0 && fstatSync(0).isCharacterDevice() && process.stdin.isTTY)
    writeSync(
      2,
      'foil: `foil hook` reads one event as JSON from standard input. Agents start it by themselves.\n',
    );
  let length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  let size = 65_536;
  try {
    while (length < MOST) {
      const piece = Buffer.allocUnsafe(Math.min(size, MOST - length));
      const count = readSync(0, piece, 0, piece.length, null);
      if (count === 0) return joined(pieces);
      pieces.push(piece.subarray(0, count));
      length += count;
      if (count === piece.length) size = Math.min(2 * size, 8 * 1024 * 1024);
    }
    return joined(pieces);
  } catch (error) {
    const { code } = error as { code?: unknown };
    // What can't be read is recorded as far as it came, and in guard refused: the settings may say so, not our command line.
    if (code !== 'EAGAIN') return joined(pieces);
  }
  for await (const piece of process.stdin) {
    pieces.push(piece as Uint8Array);
    length += (piece as Uint8Array).length;
    if (length >= MOST) break;
  }
  return joined(pieces);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
}

/** The exit code. A host that can't be told still sees it, and 2 is a refusal at every one. */
export function say({ exit, stdout, stderr }: Answer, strict: boolean): number {
  const told = writeAll(1, stdout);
  writeAll(2, stderr);
  return told || !strict ? exit : 2;
}

/** False where nobody listens. */
function writeAll(fd: number, text: string): boolean {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EAGAIN') return false;
    }
  }
  return true;
}
