// Keys in memory, for tests and for trying things out. A destroyed seed is overwritten, as far as a garbage collected
// memory allows.
import { encodeHex, makeSigner } from '../../core/index.ts';
import type { Keyring } from '../../ledger/index.ts';

export function memoryKeyring(): Keyring {
  const keys = new Map<string, Map<string, Uint8Array>>();
  const contentKeys = new Map<string, Uint8Array>();
  return {
    async load(origin, publicKey) {
      const seed = keys.get(origin)?.get(publicKey);
      return seed === undefined ? undefined : makeSigner(origin, seed);
    },
    async save(origin, seed) {
      const own = keys.get(origin) ?? new Map<string, Uint8Array>();
      keys.set(origin, own.set(encodeHex(makeSigner(origin, seed).publicKey), seed.slice()));
    },
    async destroy(origin, publicKey) {
      keys.get(origin)?.get(publicKey)?.fill(0);
      keys.get(origin)?.delete(publicKey);
    },
    holds: (origin, publicKey) => keys.get(origin)?.has(publicKey) ?? false,
    async list(origin) {
      return [...(keys.get(origin)?.keys() ?? [])];
    },
    async contentKey(origin, random) {
      const key = contentKeys.get(origin) ?? random?.(32).slice();
      if (key !== undefined) contentKeys.set(origin, key);
      return key?.slice();
    },
  };
}
