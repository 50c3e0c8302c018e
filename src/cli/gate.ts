// What hooks need when there is something to judge: gate.script, loaded by start.script then and not before.

import { type HostJudgeOptions, makeHostJudge } from '../gate/index.ts';
import type { Located } from '../ledger/index.ts';
import type { Judge } from '../record/index.ts';
import { openSigner } from './open-signer.ts';
import type { WholeLedger } from './whole-ledger.ts';

export type JudgeMaker = (
  located: Located,
  options: Omit<HostJudgeOptions, 'signer' | 'trees' | 'withLedger'>,
) => Judge;

/** `whole` is called when something is first asked of the whole ledger. */
export const judgeMaker =
  (whole: () => WholeLedger): JudgeMaker =>
  (located, options) =>
    makeHostJudge({
      ...options,
      trees: `${located.directory}/trees`,
      signer: ({ again = false } = {}) =>
        openSigner(located, {
          again,
          notes: options.store,
          whole: { openValidator: (from) => whole().openValidator(from) },
        }),
      withLedger: (work) => whole().withStore(located, work),
    });
