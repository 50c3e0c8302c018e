// A process that stays in the exclusive section (or keeps others from sealing) until it is told to leave. Run by
// lock.test.ts.
import { once } from 'node:events';
import { openFileStore } from '../../src/store/files/index.ts';

const [directory = '', what = ''] = process.argv.slice(2);
const store = openFileStore(directory);
const hold = async (): Promise<void> => {
  process.stdout.write('held\n');
  await once(process.stdin, 'data');
};
await (what === 'sealing' ? store.sealing(hold) : store.inSection(hold));
await store.close();
process.stdout.write('left\n');
process.exit();
