// What hooks need when there is something to judge: gate.script, loaded by start.script then and not before.

import { type HostJudgeOptions, makeHostJudge } from '../gate/index.ts';
import type { Located } from '../ledger/index.ts';
import type { Judge } from '../record/index.ts';
import { openFileStore } from '../store/files/index.ts';
import { openSigner } from './open-signer.ts';

export { hooksOf } from './hooks-seen.ts';

export type JudgeMaker = (
  located: Located,
  options: Omit<HostJudgeOptions, 'signer' | 'trees' | 'withLedger'>,
) => Judge;

export const makeJudge: JudgeMaker = (located, options) =>
  makeHostJudge({
    ...options,
    trees: `${located.directory}/trees`,
    signer: (options) => openSigner(located, options),
    async withLedger(work) {
      const store = openFileStore(located.directory);
      try {
        return await work(store);
      } finally {
        await store.close();
      }
    },
  });
