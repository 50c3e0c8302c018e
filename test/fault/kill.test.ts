import { join } from 'node:path';
import { it } from 'vitest';
import { diskDirectory, temporary } from '../temporary.ts';
import { killWriters, seeded } from './kill.ts';

it.each([1, 2])(
  'K1d, K5a, K5c writers that are killed lose nothing that was acknowledged, seed %i',
  async (seed) => {
    await killWriters(join(temporary(diskDirectory), 'ledger'), 3, seeded(seed));
  },
);
