import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createLedger } from '../../src/ledger/index.ts';
import { MemoryStore, memoryKeyring } from '../../src/store/memory/index.ts';
import { newFileLedger } from '../file-ledger.ts';
import { seededRandom, temporary } from '../temporary.ts';
import { sessionSumContract } from './session-sum.ts';

sessionSumContract('memory', async () => {
  const store = new MemoryStore(seededRandom());
  await createLedger({ store, keyring: memoryKeyring(), random: randomBytes });
  return store;
});

sessionSumContract('files', async () => {
  const { store } = await newFileLedger(join(temporary(), 'ledger'), { segmentLimit: 2_000_000 });
  return store;
});
