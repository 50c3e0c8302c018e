import { it } from 'vitest';
import { crowd } from './many-hooks.ts';

it('K5a, K5b, K2: 200 hook processes and 200 HTTP calls at once lose nothing, and each result finds its call', () =>
  crowd({ calls: 200, sessions: 7, processes: 48 }));

// Guard refuses what can't be recorded in 20 s. Two cores don't start many more than these in that time.
it.each([
  { calls: 200, sessions: 7, processes: 56 },
  { calls: 240, sessions: 11, processes: 32 },
])('K5a $processes hook processes at a time, and as many HTTP calls, lose nothing', (size) => crowd(size));
