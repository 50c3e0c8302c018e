// Mouse, pen and fingers on a canvas: a click, a drag, a pinch of two fingers or a wheel with Ctrl. A finger that goes up or
// down scrolls the page.
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface Drag {
  readonly start?: (x: number) => void;
  readonly move: (by: number) => void;
  readonly click: (x: number, y: number) => void;
  /** Grown by that factor, around there. */
  readonly pinch: (factor: number, x: number) => void;
}

/** A pointer that moves less is still a click. */
const STILL = 4;

export function useDrag(canvas: RefObject<HTMLCanvasElement | null>, drag: Drag): void {
  const latest = useRef(drag);
  latest.current = drag;
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const pointers = new Map<number, { x: number; y: number }>();
    let moved = 0;
    const placeOf = ({ clientX, clientY }: MouseEvent): { x: number; y: number } => {
      const box = element.getBoundingClientRect();
      return { x: clientX - box.left, y: clientY - box.top };
    };
    const apart = (): number => {
      const [a, b] = [...pointers.values()];
      return a === undefined || b === undefined ? 0 : Math.max(1, Math.abs(a.x - b.x));
    };
    const down = (event: PointerEvent): void => {
      const place = placeOf(event);
      pointers.set(event.pointerId, place);
      element.setPointerCapture(event.pointerId);
      if (pointers.size > 1) return;
      moved = 0;
      latest.current.start?.(place.x);
    };
    const move = (event: PointerEvent): void => {
      const before = pointers.get(event.pointerId);
      if (before === undefined) return;
      const place = placeOf(event);
      const wide = apart();
      pointers.set(event.pointerId, place);
      moved += Math.abs(place.x - before.x);
      if (pointers.size === 2) latest.current.pinch(apart() / wide, place.x);
      else if (moved > STILL) latest.current.move(place.x - before.x);
    };
    const up = (event: PointerEvent): void => {
      const place = placeOf(event);
      const isClick = pointers.size === 1 && moved <= STILL && event.type === 'pointerup';
      pointers.delete(event.pointerId);
      if (isClick) latest.current.click(place.x, place.y);
    };
    const wheel = (event: WheelEvent): void => {
      if (event.ctrlKey || event.metaKey) latest.current.pinch(2 ** (-event.deltaY / 200), placeOf(event).x);
      else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) latest.current.move(-event.deltaX);
      else return;
      event.preventDefault();
    };
    element.addEventListener('pointerdown', down);
    element.addEventListener('pointermove', move);
    element.addEventListener('pointerup', up);
    element.addEventListener('pointercancel', up);
    element.addEventListener('wheel', wheel, { passive: false });
    return () => {
      element.removeEventListener('pointerdown', down);
      element.removeEventListener('pointermove', move);
      element.removeEventListener('pointerup', up);
      element.removeEventListener('pointercancel', up);
      element.removeEventListener('wheel', wheel);
    };
  }, []);
}
