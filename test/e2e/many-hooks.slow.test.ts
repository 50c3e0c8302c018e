import { it } from 'vitest';
import { crowd } from './many-hooks.ts';

it.each([1, 2, 3, 4, 5])('K5a 400 hook processes and 400 HTTP calls at once lose nothing (%i)', () =>
  crowd({ calls: 400, sessions: 11, processes: 96 }),
);
