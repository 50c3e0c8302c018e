// How often a wrong key may be tried. Five wrong ones, each within a minute of the one before, bring a pause, and each
// further one a longer pause; whoever comes during it is not even looked at, with a right key either. The moments are lines in a small file that
// processes append to; a right key removes it. Of several tries at once each may be looked at once.
import { appendPrivate, readPrivate, removePrivate, writePrivate } from './private-file.ts';

const WINDOW = 60_000;
const FREE = 5;
const FIRST_PAUSE = 30_000;
const LONGEST_PAUSE = 3_600_000;
const MOST_LINES = 32;
const LIMIT = 16_384;

/** Milliseconds that are left of a pause; 0 where there is none. */
export function pauseLeft(file: string, now: number): number | { readonly problem: string } {
  const read = readPrivate(file, LIMIT);
  if (read === null) return 0;
  if ('problem' in read) return read;
  const { wrong, last } = countUp(momentsIn(read.text));
  const left = last + pauseAfter(wrong) - now;
  // A clock that was set back must not make a pause of an hour one of a year.
  return left > 0 && left <= LONGEST_PAUSE ? left : 0;
}

/** One more. Never throws: the key was refused already. */
export function noteWrong(file: string, now: number): void {
  try {
    const read = readPrivate(file, LIMIT);
    const moments = read !== null && 'text' in read ? momentsIn(read.text) : [];
    if (moments.length >= 2 * MOST_LINES)
      writePrivate(file, [...moments.slice(-MOST_LINES), now].map((moment) => `${moment}\n`).join(''));
    else appendPrivate(file, `${now}\n`);
  } catch {
    // Nothing can be written here, so no key can be added either.
  }
}

export function forgetWrong(file: string): void {
  try {
    removePrivate(file);
  } catch {
    // Then the next wrong one is counted with the old.
  }
}

function momentsIn(text: string): number[] {
  return text
    .split('\n')
    .filter((line) => /^\d{1,15}$/.test(line))
    .map(Number);
}

/** Wrong ones in a row: a minute without one, after the pause, begins a new row. */
function countUp(moments: readonly number[]): { readonly wrong: number; readonly last: number } {
  let wrong = 0;
  let last = 0;
  for (const moment of moments) {
    wrong = moment - last > WINDOW + pauseAfter(wrong) ? 1 : wrong + 1;
    last = moment;
  }
  return { wrong, last };
}

function pauseAfter(wrong: number): number {
  return wrong < FREE ? 0 : Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (wrong - FREE));
}
