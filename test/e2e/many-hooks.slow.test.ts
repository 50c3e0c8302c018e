import { it } from 'vitest';
import { crowd } from './many-hooks.ts';

it.each([
  { calls: 200, sessions: 7, processes: 200 },
  { calls: 400, sessions: 11, processes: 64 },
])('K5a $processes hook processes at a time, and as many HTTP calls, lose nothing', (size) => crowd(size));
