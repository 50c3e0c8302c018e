// A bundle that whoever has the ledger's key changed and signed again.
import { sha256Hex } from '#platform';
import { openLedger } from '../../src/entry/index.ts';
import type { Bundle } from '../../src/format/index.ts';
import { signBundle } from '../../src/harness/index.ts';
import type { Place } from '../runtime/run-ledger.ts';

/** The bundle with one part put in place of another, or left out, signed again by the ledger's own key. */
export async function resigned(
  place: Place,
  bundle: Bundle,
  path: string,
  bytes: Uint8Array | null,
): Promise<Uint8Array> {
  const parts = new Map(bundle.parts);
  if (bytes === null) parts.delete(path);
  else parts.set(path, bytes);
  const hashes = new Map([...parts].map(([name, part]) => [name, sha256Hex(part)]));
  const ledger = openLedger(place, { sealEvery: 0 });
  try {
    return await signBundle(ledger, { ...bundle, parts, payload: { ...bundle.payload, parts: hashes } });
  } finally {
    await ledger.close();
  }
}
