import { it } from 'vitest';
import { fastDirectory, temporary } from '../temporary.ts';
import { countCalls, cutPower } from './power-cut.ts';

it.each([undefined, 1, 2, 3, 4, 5, 6])(
  'K1d, K5a a power cut at any call loses nothing that was acknowledged, seed %s',
  async (seed) => {
    const root = temporary(fastDirectory);
    const calls = await countCalls(root);
    for (let cutAt = 1; cutAt <= calls + 1; cutAt++) await cutPower(root, cutAt, seed);
  },
);
