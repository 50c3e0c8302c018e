import { it } from 'vitest';
import { crowd } from './many-hooks.ts';

it('K5a, K5b, K2: 40 hook processes and 40 HTTP calls at once lose nothing, and each result finds its call', () =>
  crowd({ calls: 40, sessions: 7, processes: 10 }));
