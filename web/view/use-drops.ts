// What is dropped anywhere on the page. A browser opens what is dropped beside a place for it, and would run the unchecked
// code of a report.
import { useEffect, useRef, useState } from 'preact/hooks';

/** Tells whether something is being held over the page. */
export function useDrops(take: (transfer: DataTransfer) => void): boolean {
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
      if (event.dataTransfer !== null) latest.current(event.dataTransfer);
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
