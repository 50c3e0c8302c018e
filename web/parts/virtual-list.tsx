// A list of rows that all have one height, of which only those in view are drawn.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { whenIdle } from '../when-idle.ts';

interface Props<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly height: number;
  /** The index of the one that must be in view; -1 for none. */
  readonly chosen: number;
  readonly keyOf: (row: T) => string | number;
  readonly children: (row: T, isChosen: boolean) => ComponentChildren;
}

const BEYOND = 10;
/** Until nobody waits for the first of them any more. */
const FIRST_BEYOND = 2;
/** Before the list is there to be measured: what its style allows. */
const heightAtMost = (): number => Math.min(560, 0.7 * innerHeight);

export function VirtualList<T>({ label, rows, height, chosen, keyOf, children }: Props<T>) {
  const [scrolled, setScrolled] = useState(0);
  const box = useRef<HTMLElement>(null);
  const [beyond, setBeyond] = useState(FIRST_BEYOND);
  const seen = box.current?.clientHeight ?? heightAtMost();
  const first = Math.max(0, Math.floor(scrolled / height) - beyond);
  const last = Math.min(rows.length, Math.ceil((scrolled + seen) / height) + beyond);
  useEffect(() => void whenIdle().then(() => setBeyond(BEYOND)), []);
  useEffect(() => {
    const { current } = box;
    if (current === null || chosen < 0) return;
    const top = chosen * height;
    if (top < current.scrollTop || top + height > current.scrollTop + current.clientHeight)
      current.scrollTop = top - current.clientHeight / 2;
  }, [chosen, height]);
  return (
    <section
      class="list"
      ref={box}
      onScroll={(event) => setScrolled(event.currentTarget.scrollTop)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
    >
      <div style={{ height: `${rows.length * height}px`, position: 'relative' }}>
        {rows.slice(first, last).map((row, index) => (
          <div
            key={keyOf(row)}
            class="place"
            style={{ top: `${(first + index) * height}px`, height: `${height}px` }}
          >
            {children(row, first + index === chosen)}
          </div>
        ))}
      </div>
    </section>
  );
}
