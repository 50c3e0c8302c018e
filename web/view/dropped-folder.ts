// A ledger's folder that was dropped or chosen: its files by their paths within it. Names only; nothing is read here.

import { type Found, MOST_FILES } from '../model/ledger-folder.ts';

/** Of a field in which a folder was chosen. */
export function chosenFiles(files: FileList): Found<File>[] {
  return [...files].map((file) => [file.webkitRelativePath, file]);
}

/** Null where it is a file and not a folder. */
export async function droppedFiles(transfer: DataTransfer): Promise<Found<File>[] | null> {
  const entry = transfer.items[0]?.webkitGetAsEntry() ?? null;
  if (entry === null || !entry.isDirectory) return null;
  const found: Found<File>[] = [];
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
