// A process that appends through the package as it is installed: many callers at once, each entry said on standard
// output once it is durable. Run by many-writers.test.ts and by the tests of faults.
import { writeSync } from 'node:fs';
import { openLedger } from '../../dist/index.js';

const { directory, callers, each, sealEvery = 0, timeout } = JSON.parse(process.argv[2] ?? '{}');
const ledger = openLedger({ directory, keyDirectory: `${directory}/keys` }, { sealEvery });

function say(...words) {
  for (;;) {
    try {
      return writeSync(1, `${words.join(' ')}\n`);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error; // the pipe is full: its reader is slow
    }
  }
}

say('ready');
const failed = [];
await Promise.all(
  Array.from({ length: callers }, async (_, caller) => {
    for (let i = 0; i < each; i++) {
      try {
        const options = timeout === undefined ? {} : { timeout };
        const payload = { text: `${process.pid} ${caller} ${i}` };
        const { last, hash } = await ledger.append({ kind: 'note', payload, source: 'test' }, options);
        say('entry', last, hash, `${process.pid} ${caller} ${i}`);
      } catch (error) {
        failed.push(error);
        say('error', error.code ?? error.name, JSON.stringify(error.message));
      }
    }
  }),
);
await ledger.close();
say('done');
