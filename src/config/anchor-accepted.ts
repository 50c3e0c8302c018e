// Which sources of a project's `anchor` are asked. counterfoil.yaml lies in the work tree, so a clone or an agent can
// write it, and whoever chooses an address has this machine ask it, also one that only this machine can reach. So the
// public sources that we name ourselves count, and any other only if a person accepted it with `foil anchor accept`: its
// hash then stands in the ledger's settings. A change needs to be accepted anew.
import { sha256Hex } from '#platform';
import { canonicalize, type Json } from '../core/index.ts';
import { type Environment, readSettings } from '../ledger/index.ts';
import { type AnchorConfig, NO_ANCHOR } from '../session/index.ts';
import { DEFAULT_CALENDARS, DEFAULT_ESPLORA } from './anchor.ts';

/** For messages. */
export const ANCHOR_NOT_ACCEPTED =
  "counterfoil.yaml names block sources or calendars that you haven't accepted, so foil doesn't ask them. Check `anchor` in that file, then run `foil anchor accept`";

/** Of what is to be accepted: git asks nobody, and is not part of it. */
export function anchorHash({ blocks, stamps, network }: AnchorConfig): string {
  return sha256Hex(canonicalize({ blocks, network, stamps } as unknown as Json));
}

/** Are all of its sources such as this program names itself? */
export function isPublicAnchor({ blocks, stamps, network }: AnchorConfig): boolean {
  if (blocks.length === 0 && stamps.length === 0) return true;
  return (
    network === 'main' &&
    blocks.every((source) => 'esplora' in source && DEFAULT_ESPLORA.includes(source.esplora)) &&
    stamps.every((url) => DEFAULT_CALENDARS.includes(url))
  );
}

/** Settings that can't be read accept nothing. */
export function isAnchorAccepted(anchor: AnchorConfig, ledger: string, env?: Environment): boolean {
  if (isPublicAnchor(anchor)) return true;
  try {
    return readSettings(ledger, env).anchor === anchorHash(anchor);
  } catch {
    return false;
  }
}

/** What of it counts: all, or nothing but git. */
export function acceptedAnchor(anchor: AnchorConfig, ledger: string, env?: Environment): AnchorConfig {
  return isAnchorAccepted(anchor, ledger, env) ? anchor : { ...NO_ANCHOR, git: anchor.git };
}
