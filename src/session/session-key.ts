// The auth key of a session that others join by its id, as an agent under `foil run` does: kept by the store for as long as
// the session lasts, and not by the environment, where anybody could put the id of a key that is not theirs. Disposable:
// where it is lost, who joins has no key.
import { utf8Decode, utf8Encode } from '#platform';
import { isHash } from '../core/index.ts';

/** The state of the store that holds it. */
export function keyState(session: string): string {
  return `foil.key.${session.slice(0, 32)}`;
}

/** `authKey` null once the session has ended: nobody joins it any more. */
export function encodeKeyState(session: string, authKey: string | null): Uint8Array {
  return utf8Encode(JSON.stringify({ session, authKey }));
}

/** The key's id; null where there is none, or the session has ended. */
export function parseKeyState(bytes: Uint8Array | undefined, session: string): string | null {
  if (bytes === undefined) return null;
  try {
    const { session: own, authKey } = JSON.parse(utf8Decode(bytes)) as Record<string, unknown>;
    return own === session && isHash(authKey) ? authKey : null;
  } catch {
    return null;
  }
}
