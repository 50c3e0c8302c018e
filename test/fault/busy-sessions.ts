// A process that appends to a session of its own, several calls at a time, until its standard input ends.
import { encodeBlock } from '../../src/ledger/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';

const [directory = '', session = ''] = process.argv.slice(2);
const store = openFileStore(directory);
let isOver = false;
process.stdin.resume().on('end', () => {
  isOver = true;
});

async function write(worker: number): Promise<void> {
  for (let i = 0; !isOver; i++) {
    const payload = { worker, i };
    const entry = { kind: 'x.step', source: 'test', session_id: session, payload };
    await store.append((head) => encodeBlock([entry], head, Date.now()));
    if (worker === 0 && i === 0) console.log('up');
    // Others read and lock in between; a process that never waits would not see its standard input end.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

await Promise.all([0, 1, 2].map(write));
await store.close();
