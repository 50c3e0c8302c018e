// A ledger's folder that was dropped or chosen: its files by their paths within it. Names only; nothing is read here.

/** A larger ledger is for the command: a page would take minutes, or run out of memory. */
const MOST_BYTES = 250_000_000;
const MOST_FILES = 50_000;
const SEGMENT = /(?:^|\/)ledger\/\d{16}(?:\.\d+)?\.jsonl(?:\.gz)?$/;

type Found = readonly [path: string, file: File];

export const NO_LEDGER =
  'There is no ledger in this folder. Choose the one that has the folder “ledger” in it.';

/** Throws, with words for the reader, where it is no ledger or too large a one. */
export function ledgerFiles(found: readonly Found[]): ReadonlyMap<string, File> {
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

/** Of a field in which a folder was chosen. */
export function chosenFiles(files: FileList): Found[] {
  return [...files].map((file) => [file.webkitRelativePath, file]);
}

/** Null where it is a file and not a folder. */
export async function droppedFiles(transfer: DataTransfer): Promise<Found[] | null> {
  const entry = transfer.items[0]?.webkitGetAsEntry() ?? null;
  if (entry === null || !entry.isDirectory) return null;
  const found: Found[] = [];
  const waiting = [entry as FileSystemDirectoryEntry];
  for (let folder = waiting.pop(); folder !== undefined && found.length <= MOST_FILES; folder = waiting.pop())
    for (const each of await entriesOf(folder)) {
      if (each.isDirectory) waiting.push(each as FileSystemDirectoryEntry);
      else found.push([each.fullPath.slice(1), await fileOf(each as FileSystemFileEntry)]);
    }
  return found;
}

/** A browser gives a hundred at a time. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}
