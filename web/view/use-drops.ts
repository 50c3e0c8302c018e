// What is dropped anywhere on the page. A browser opens what is dropped beside a place for it, and would run the unchecked
// code of a report.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Found } from '../model/ledger-folder.ts';
import { droppedFiles } from './dropped-folder.ts';

/** What was dropped, by what can be asked of it while it is. */
export interface Drop {
  readonly file: File | undefined;
  readonly name: string;
  /** Of a folder; null where it is none. */
  readonly folder: Promise<Found<File>[] | null>;
  /** How many more were dropped with it. */
  readonly others: number;
  isTaken: boolean;
}

/** Tells whether something is being held over the page. */
export function useDrops(take: (drop: Drop) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const over = (event: DragEvent): void => {
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      // Nothing is entered instead: it has left the window.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      setOver(false);
      // A word or a picture of the page itself is nothing to check.
      if (event.dataTransfer?.types.includes('Files')) latest.current(dropOf(event.dataTransfer));
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  return isOver;
}

function dropOf(transfer: DataTransfer): Drop {
  const [file] = transfer.files;
  const others = transfer.items.length - 1;
  return {
    file,
    name: file?.name ?? 'This folder',
    folder: droppedFiles(transfer),
    others,
    isTaken: false,
  };
}
