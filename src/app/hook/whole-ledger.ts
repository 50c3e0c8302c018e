// The whole ledger, for what the gate seldom does: the first policy, the first key, a count of overrides. Hooks load it
// only then.

import { randomBytes } from 'node:crypto';
import { trustedOperators } from '../../config/index.ts';
import type { JsonObject } from '../../core/index.ts';
import type { FoilNotice } from '../../format/index.ts';
import type { ValidationSigner } from '../../gate/index.ts';
import {
  type Environment,
  type GrantsStanding,
  grantsStanding,
  type Located,
  noteGrants,
  type OperatorTrail,
  openValidator,
  type PolicyInForce,
  type PolicyStanding,
  policyStanding,
  type RecordedGrants,
  readOperatorTrail,
  recordFirstPolicy,
  type Store,
} from '../../ledger/index.ts';
import { openFileStore, openKeyring } from '../../store/files/index.ts';

export interface WholeLedger {
  withStore<T>(located: Located, work: (store: Store) => Promise<T>): Promise<T>;
  /** Reads the log for the key of the validators, and makes it where there is none yet. */
  openValidator(located: Located): Promise<ValidationSigner>;
  /** By whom the user of `env` knows as an operator. Reads the log, or on from where it was read before. */
  policyStanding(located: Located, env: Environment): Promise<PolicyStanding>;
  grantsStanding(located: Located, env: Environment): Promise<GrantsStanding>;
  /** Likewise, and notes them. */
  grantsInForce(located: Located, env: Environment): Promise<RecordedGrants | null>;
  /** What there is to tell of policies and grants that somebody accepted whom this user does not know as an operator. */
  strangers(located: Located, env: Environment): Promise<readonly FoilNotice[]>;
  /** Likewise: notes the policy in force, and records this one where there is none. */
  recordFirstPolicy(
    located: Located,
    policy: JsonObject | null,
    env: Environment,
  ): Promise<PolicyInForce | null>;
}

/** What a service has read of what was accepted in its ledger. */
const trails = new Map<string, OperatorTrail>();

export const wholeLedger: WholeLedger = {
  withStore,
  policyStanding: (located, env) =>
    withStore(located, async (store) =>
      policyStanding(await trailOf(located, store), () => trustedOperators(env)),
    ),
  grantsStanding: (located, env) =>
    withStore(located, async (store) =>
      grantsStanding(await trailOf(located, store), () => trustedOperators(env)),
    ),
  grantsInForce: (located, env) =>
    withStore(located, async (store) => {
      const { inForce } = await grantsStanding(await trailOf(located, store), () => trustedOperators(env));
      if (inForce !== null) await noteGrants(store, inForce);
      return inForce;
    }),
  async strangers(located, env) {
    const standings = {
      'policy.unknown': await wholeLedger.policyStanding(located, env),
      'grants.unknown': await wholeLedger.grantsStanding(located, env),
    } as const;
    return Object.entries(standings).flatMap(([notice, { unknown }]) => {
      const about = unknown.at(-1)?.accepted?.by;
      if (about === undefined) return [];
      return [{ notice: notice as keyof typeof standings, about, count: null, since: null }];
    });
  },
  recordFirstPolicy: (located, policy, env) =>
    withStore(located, (store) => recordFirstPolicy({ store }, policy, () => trustedOperators(env))),
  openValidator: (located) =>
    withStore(located, (store) =>
      openValidator({
        store,
        keyring: openKeyring(located.keyDirectory),
        random: (length) => randomBytes(length),
      }),
    ),
};

async function trailOf({ directory }: Located, store: Store): Promise<OperatorTrail> {
  const trail = await readOperatorTrail(store, trails.get(directory));
  trails.set(directory, trail);
  return trail;
}

async function withStore<T>({ directory }: Located, work: (store: Store) => Promise<T>): Promise<T> {
  const store = openFileStore(directory);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
