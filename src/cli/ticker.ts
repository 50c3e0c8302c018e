// The line on a terminal that says how long something has been going on, and when it is ended at the latest.

import { lasted } from '../report/index.ts';
import { REPLAY_TIMEOUT } from '../runtime/index.ts';
import type { Context } from './command.ts';

export interface Ticker {
  /** The line is gone afterwards. */
  stop(): void;
}

const EVERY = 1000;

export function startTicker(
  progress: Context['progress'],
  what: string,
  timeoutMs: number = REPLAY_TIMEOUT,
): Ticker {
  const began = performance.now();
  const tick = (): void =>
    progress(
      `${what} for ${lasted(performance.now() - began)}; foil stops code that takes longer than ${lasted(timeoutMs)}`,
    );
  tick();
  const timer = setInterval(tick, EVERY);
  return {
    stop() {
      clearInterval(timer);
      progress('');
    },
  };
}
