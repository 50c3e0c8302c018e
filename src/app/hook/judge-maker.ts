// The gate for a ledger, with what opens the rest of that ledger when the gate first asks for it.

import { type HostJudgeOptions, makeHostJudge } from '../../gate/index.ts';
import type { Environment, Located } from '../../ledger/index.ts';
import type { Judge } from '../../record/index.ts';
import { openSigner } from './open-signer.ts';
import type { WholeLedger } from './whole-ledger.ts';

export type JudgeMaker = (
  located: Located,
  options: Omit<HostJudgeOptions, 'signer' | 'trees' | 'withLedger' | 'records' | 'strangers' | 'socket'>,
  /** Says where the user's trust.yaml is. */
  env: Environment,
) => Judge;

/** `whole` is called when something is first asked of the whole ledger. `socket` is the service's. */
export const judgeMaker =
  (whole: () => WholeLedger, socket?: string): JudgeMaker =>
  (located, options, env) =>
    makeHostJudge({
      ...options,
      socket,
      trees: `${located.directory}/trees`,
      signer: ({ again = false } = {}) =>
        openSigner(located, {
          again,
          notes: options.store,
          whole: { openValidator: (from) => whole().openValidator(from) },
        }),
      records: {
        standing: () => whole().policyStanding(located, env),
        recordFirst: (policy) => whole().recordFirstPolicy(located, policy, env),
      },
      strangers: () => whole().strangers(located, env),
      withLedger: (work) => whole().withStore(located, work),
    });
