// A process that records sessions and keeps the git repository up with them, until somebody kills it or it is done. It
// says which interactions are durable.
import { catchUp } from '../../../src/anchor/git/index.ts';
import { gitLock, openFileStore } from '../../../src/store/files/index.ts';
import { Sessions } from './sessions.ts';

export interface GitWriterOptions {
  readonly directory: string;
  readonly height: number;
  /** Sessions, each of some interactions; Infinity is 0. */
  readonly sessions: number;
  readonly interactions: number;
  readonly end: 'merge' | 'archive';
}

const { directory, height, sessions, interactions, end } = JSON.parse(
  process.argv[2] ?? '{}',
) as GitWriterOptions;
const store = openFileStore(directory);
const recorder = new Sessions(store);
const options = {
  directory,
  store,
  lock: gitLock(directory),
  end,
  settle: () => store.append(() => undefined),
};
process.stdout.write('up\n');
for (let made = 0; sessions === 0 || made < sessions; made++) {
  const session = await recorder.begin(height);
  for (let each = 0; each < interactions; each++) {
    const sequence = await recorder.interact(session, `prompt ${each}`, `response ${process.pid}`);
    process.stdout.write(`${session} ${sequence}\n`);
    const result = await catchUp(options);
    if ('problem' in result && result.problem !== 'BUSY') process.stdout.write(`problem ${result.message}\n`);
  }
  await recorder.end(session, height + 1);
  await catchUp(options);
}
await store.close();
