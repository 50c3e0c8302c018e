// The whole ledger, for what the gate seldom does: the first policy, the first key, a count of overrides. Hooks load it
// only then.
import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../../core/index.ts';
import type { ValidationSigner } from '../../gate/index.ts';
import {
  type Environment,
  grantsInForce,
  type Located,
  openValidator,
  type PolicyInForce,
  type PolicyStanding,
  type PolicyTrail,
  policyStanding,
  type RecordedGrants,
  readGrants,
  readPolicyTrail,
  recordFirstPolicy,
  type Store,
} from '../../ledger/index.ts';
import { openFileStore, openKeyring } from '../../store/files/index.ts';
import { trustedOperators } from '../keys/trust.ts';

export interface WholeLedger {
  withStore<T>(located: Located, work: (store: Store) => Promise<T>): Promise<T>;
  /** Reads the log for the key of the validators, and makes it where there is none yet. */
  openValidator(located: Located): Promise<ValidationSigner>;
  /** Reads the log for the grants in force, and notes them. */
  grantsInForce(located: Located): Promise<RecordedGrants | null>;
  readGrants(located: Located): Promise<readonly RecordedGrants[]>;
  /** By whom the user of `env` knows as an operator. Reads the log, or on from where it was read before. */
  policyStanding(located: Located, env: Environment): Promise<PolicyStanding>;
  /** Likewise: notes the policy in force, and records this one where there is none. */
  recordFirstPolicy(
    located: Located,
    policy: JsonObject | null,
    env: Environment,
  ): Promise<PolicyInForce | null>;
}

/** What a service has read of its ledger's policies. */
const trails = new Map<string, PolicyTrail>();

export const wholeLedger: WholeLedger = {
  withStore,
  grantsInForce: (located) => withStore(located, grantsInForce),
  readGrants: (located) => withStore(located, readGrants),
  policyStanding: (located, env) =>
    withStore(located, async (store) => {
      const trail = await readPolicyTrail(store, trails.get(located.directory));
      trails.set(located.directory, trail);
      return policyStanding(trail, () => trustedOperators(env));
    }),
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

async function withStore<T>({ directory }: Located, work: (store: Store) => Promise<T>): Promise<T> {
  const store = openFileStore(directory);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
