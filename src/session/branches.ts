// Which branches a ledger's sessions began on so far: derived from the entries, and disposable. One that is lost makes a
// branch be told of twice, which is no harm.
import { utf8Decode, utf8Encode } from '#platform';

export interface Branches {
  readonly made: readonly string[];
  /** Of the newest session that had one. */
  readonly last: string | null;
}

/** The state of the store that holds it. */
export const BRANCHES_STATE = 'foil.branches';
const NONE: Branches = { made: [], last: null };
const BRANCH = /^branch-[0-7]$/;

export function encodeBranches({ made, last }: Branches): Uint8Array {
  return utf8Encode(JSON.stringify({ made, last }));
}

export function parseBranches(bytes: Uint8Array | undefined): Branches {
  if (bytes === undefined) return NONE;
  try {
    const { made, last } = JSON.parse(utf8Decode(bytes)) as Partial<Branches>;
    const isBranch = (name: unknown): boolean => typeof name === 'string' && BRANCH.test(name);
    if (!Array.isArray(made) || !made.every(isBranch) || !(last === null || isBranch(last))) return NONE;
    return { made, last: last ?? null };
  } catch {
    return NONE;
  }
}
