// An attester as a process, for tests to kill: argv is its state directory, and how many jobs it may finish; all others
// hang. It says when it is ready and when a job begins.
import { setTimeout as sleep } from 'node:timers/promises';
import { startAttester } from '../../src/service/index.ts';
import { standIn } from './stand-in.ts';

const [, , state = '', most = 'Infinity'] = process.argv;
let left = Number(most);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
let count = 0;
const running = await startAttester({
  state,
  listen: { host: '127.0.0.1', port: 0, tls: null },
  // However often it is killed, no job is given up here.
  limits: { jobs: 2, tries: 1000 },
  log: () => undefined,
  attest: (identity) => {
    const work = standIn(identity, () => ++count);
    return async (job, signal) => {
      say('begins');
      if (--left < 0) await new Promise(() => undefined);
      const answer = await work(job, signal);
      // As long as a check may take, so that it can be killed in between.
      await sleep(5);
      return answer;
    };
  },
});
process.on('SIGTERM', () => running.stop());
say(`ready ${new URL(running.url).port}`);
await running.ended;
say('left');
