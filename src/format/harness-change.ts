// The payload of `harness.change`: files of the harness are no longer as in the pack that the session began with.
import type { JsonObject } from '../core/index.ts';
import { cut } from './members.ts';

/** A file of a pack, by its path there. */
export interface PackChange {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
}

export interface HarnessChange {
  /** The root that the session names. */
  readonly pack: string;
  /** The root of the harness as it was found; null where no pack could be made of it. */
  readonly found: string | null;
  readonly changes: readonly PackChange[];
  /** There are more than are listed. */
  readonly more: boolean;
}

const MOST = 100;
const LONGEST = 256;

export function encodeHarnessChange({ pack, found, changes, more }: HarnessChange): JsonObject {
  return {
    pack,
    found,
    changes: changes.slice(0, MOST).map(({ path, change }) => ({ path: cut(path, LONGEST), change })),
    more: more || changes.length > MOST,
  };
}
