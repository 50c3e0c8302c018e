// How long playback stays at a step.

/** Milliseconds on the reader's clock from one step to the next: long enough to be seen, short enough to wait for. */
const SHORTEST = 80;
const LONGEST = 1500;

export function pauseBetween(from: number, to: number, speed: number): number {
  return Math.min(LONGEST, Math.max(SHORTEST, (to - from) / speed));
}
