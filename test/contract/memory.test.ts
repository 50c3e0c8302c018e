import { MemoryStore } from '../../src/store/memory/index.ts';
import { seededRandom } from '../temporary.ts';
import { storeContract } from './store.ts';

storeContract('the memory store', async () => new MemoryStore(seededRandom()));
