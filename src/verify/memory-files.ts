// Evidence that is already in memory: a ledger dropped onto a page, unpacked from an archive, or made by a test.
// Gunzipping uses DecompressionStream, which browsers and Node both have.
import { ParseError } from '../core/index.ts';
import type { FileInfo, Files } from './files.ts';

/** The files of a ledger by path (`ledger/0000000000000001.jsonl`). The map is read when asked, so it may grow. */
export function filesFromMap(files: ReadonlyMap<string, Uint8Array>): Files {
  return {
    list: async (directory) => list(files, directory),
    read: async (path, from = 0, to = Number.POSITIVE_INFINITY) => {
      const bytes = files.get(path);
      return bytes && new Uint8Array(bytes.subarray(from, to));
    },
    gunzip: (path) => gunzip(files.get(path) ?? new Uint8Array(0)),
  };
}

function list(files: ReadonlyMap<string, Uint8Array>, directory: string): FileInfo[] {
  const prefix = `${directory}/`;
  const found = new Map<string, FileInfo>();
  for (const [path, bytes] of files) {
    if (!path.startsWith(prefix)) continue;
    const [name = '', ...rest] = path.slice(prefix.length).split('/');
    const isDirectory = rest.length > 0;
    found.set(name, { name, size: isDirectory ? 0 : bytes.length, directory: isDirectory });
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function* gunzip(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const reader = new Blob([new Uint8Array(bytes)])
    .stream()
    .pipeThrough(new DecompressionStream('gzip'))
    .getReader();
  try {
    for (;;) {
      let piece: Awaited<ReturnType<typeof reader.read>>;
      try {
        piece = await reader.read();
      } catch {
        throw new ParseError('MALFORMED', 'not a whole gzip file');
      }
      if (piece.done) return;
      yield piece.value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
