import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createFileStore } from '../../src/store/files/index.ts';
import { diskDirectory, temporary } from '../temporary.ts';
import { storeContract } from './store.ts';

storeContract('the file store', async (options = {}) => {
  const store = await createFileStore(join(temporary(diskDirectory), 'ledger'), options);
  onTestFinished(() => store.close());
  return store;
});
