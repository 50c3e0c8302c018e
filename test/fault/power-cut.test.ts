import { it } from 'vitest';
import { fastDirectory, temporary } from '../temporary.ts';
import { countCalls, cutPower } from './power-cut.ts';

it('K1d, K5a a power cut loses nothing that was acknowledged', async () => {
  const root = temporary(fastDirectory);
  const calls = await countCalls(root);
  for (let cutAt = 1; cutAt <= calls + 1; cutAt += 11) {
    await cutPower(root, cutAt);
    if (cutAt % 4 === 0) await cutPower(root, cutAt, 1);
  }
});
