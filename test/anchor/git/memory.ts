// A ledger in memory, begun, for sessions to be written to.
import { createLedger, type Store } from '../../../src/ledger/index.ts';
import { MemoryStore, memoryKeyring } from '../../../src/store/memory/index.ts';
import { seededRandom } from '../../temporary.ts';

export async function memoryLedger(): Promise<Store> {
  const store = new MemoryStore(seededRandom('store'));
  await createLedger({ store, keyring: memoryKeyring(), random: seededRandom('git') });
  return store;
}
