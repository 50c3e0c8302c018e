// Plays a session: from one step to the next, in the time that passed between them, with pauses made short. For whoever asks
// for less motion, the line does not glide: it goes from step to step.
import { useEffect, useRef, useState } from 'preact/hooks';
import { pauseBetween } from '../model/pace.ts';
import type { Step } from '../model/steps.ts';

export const SPEEDS = [1, 4, 16, 64] as const;

export interface Playback {
  readonly isOn: boolean;
  readonly speed: number;
  /** Where the line is; null where it does not glide. */
  readonly playhead: number | null;
  readonly toggle: () => void;
  readonly setSpeed: (speed: number) => void;
}

export function usePlayback(
  steps: readonly Step[],
  chosen: Step | undefined,
  choose: (seq: number) => void,
): Playback {
  const [isOn, setOn] = useState(false);
  const [speed, setSpeed] = useState<number>(4);
  const [playhead, setPlayhead] = useState<number | null>(null);
  const latest = useRef(choose);
  latest.current = choose;
  const index = chosen === undefined ? -1 : steps.indexOf(chosen);
  const next = steps[index + 1];
  useEffect(() => {
    if (!isOn) return;
    if (next === undefined) {
      setOn(false);
      return;
    }
    const from = chosen?.from ?? next.from;
    const pause = pauseBetween(from, next.from, speed);
    const glides = !matchMedia('(prefers-reduced-motion: reduce)').matches;
    const started = performance.now();
    let frame = 0;
    const glide = (): void => {
      const share = Math.min(1, (performance.now() - started) / pause);
      setPlayhead(from + share * (next.from - from));
      frame = requestAnimationFrame(glide);
    };
    if (glides) glide();
    const timer = setTimeout(() => latest.current(next.seq), pause);
    return () => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      setPlayhead(null);
    };
  }, [isOn, chosen, next, speed]);
  const toggle = (): void => {
    const [first] = steps;
    if (!isOn && next === undefined && first !== undefined) choose(first.seq);
    setOn(!isOn);
  };
  return { isOn, speed, playhead, toggle, setSpeed };
}
