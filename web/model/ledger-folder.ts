// Which files of a folder are a ledger's, by their names and sizes.

/** A larger ledger is for the command: a page would take minutes, or run out of memory. */
const MOST_BYTES = 250_000_000;
export const MOST_FILES = 50_000;
const SEGMENT = /(?:^|\/)ledger\/\d{16}(?:\.\d+)?\.jsonl(?:\.gz)?$/;

export type Found<F> = readonly [path: string, file: F];

const NO_LEDGER = 'There is no ledger in this folder. Choose the one that has the folder “ledger” in it.';

/** Throws, with words for the reader, where it is no ledger or too large a one. */
export function ledgerFiles<F extends { readonly size: number }>(
  found: readonly Found<F>[],
): ReadonlyMap<string, F> {
  const segments = found.flatMap(([path]) =>
    SEGMENT.test(path) ? path.slice(0, path.lastIndexOf('ledger/')) : [],
  );
  const root = segments.sort((a, b) => a.length - b.length)[0];
  if (root === undefined) throw new Error(NO_LEDGER);
  const own = found.filter(([path]) => path.startsWith(root));
  const bytes = own.reduce((sum, [path, { size }]) => sum + (SEGMENT.test(path) ? size : 0), 0);
  if (bytes > MOST_BYTES || own.length > MOST_FILES)
    throw new Error('This ledger is too large to check in a page. Run `foil verify --ledger FOLDER`.');
  return new Map(own.map(([path, file]) => [path.slice(root.length), file]));
}
