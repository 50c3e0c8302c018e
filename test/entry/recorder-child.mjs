// A program that records itself, as one of many: `recorder-child.mjs ROOT NAME CALLS`. Prints its session's id.
import { join } from 'node:path';
import { openRecorder } from '../../dist/index.js';

const [root = '', name = '', calls = '0'] = process.argv.slice(2);
const place = { directory: join(root, 'ledger'), keyDirectory: join(root, 'keys') };
const recorder = await openRecorder({ place, cwd: root, agent: name });
const session = await recorder.session();
await session.prompt(`from ${name}`);
await Promise.all(
  Array.from({ length: Number(calls) }, (_, i) => session.tool(name, { i }, async () => `${name} ${i}`)),
);
await session.end();
await recorder.close();
process.stdout.write(session.id);
