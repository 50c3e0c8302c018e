// A session from its beginning to its end, for every recorder alike: the id that follows from key, block and place; the
// chain of its interactions; what its end seals. Pure: it runs inside the store's exclusive section.
import { chainHashOf, finalHashOf, sessionIdOf } from '../core/index.ts';
import {
  type Binding,
  type BlockFact,
  branchOf,
  type Closing,
  encodeAuthFail,
  encodeAuthOk,
  encodeBlockFact,
  encodeBranchCreate,
  encodeBranchSwitch,
  encodeSessionStart,
  type Head,
  type Interaction,
  type SessionStart,
} from '../format/index.ts';
import type { NewEntry } from '../ledger/index.ts';
import type { Authenticated } from './authenticate.ts';
import { BRANCHES_STATE, encodeBranches, parseBranches } from './branches.ts';

/** How far a session's interactions have come. */
export interface Chain {
  readonly session: string;
  /** Of the last interaction; 0 before the first. */
  readonly sequence: number;
  /** Its chain hash; before the first, the session's id. */
  readonly hash: string;
}

export function newChain(session: string): Chain {
  return { session, sequence: 0, hash: session };
}

/** One interaction more. A hash is null where it is not known. */
export function advance(
  chain: Chain,
  promptHash: string | null,
  responseHash: string | null,
): { readonly chain: Chain; readonly interaction: Interaction } {
  const sequence = chain.sequence + 1;
  const chainHash = chainHashOf(chain.hash, promptHash, responseHash);
  return {
    chain: { session: chain.session, sequence, hash: chainHash },
    interaction: { sequence, promptHash, chainHash },
  };
}

/** The block that a session begins at, and the branch that follows. `asked`: were blocks to be had at all? */
export function bindBlock(block: BlockFact | null, asked: boolean): Pick<Binding, 'block' | 'branch'> {
  return { block, branch: asked ? branchOf(block?.height ?? null) : null };
}

export interface Begun {
  readonly session: string;
  readonly drafts: readonly NewEntry[];
  /** What is known of branches after it, for the block that it is written with. */
  readonly states: { readonly shared?: Uint8Array };
}

/** What an append that begins a session is about besides: nothing where it is on no branch. */
export function branchState({ branch }: Pick<Binding, 'branch'>): { readonly shared?: string } {
  return branch === null ? {} : { shared: BRANCHES_STATE };
}

/**
 * The entries that begin a session: its start, whether its key was good, and what is new about its branch. `finish` adds
 * members that only some recorders have.
 */
export function beginEntries(
  head: Head,
  options: {
    readonly source: string;
    readonly start: SessionStart;
    /** Its key is that of `auth`. */
    readonly bound: Omit<Binding, 'authKey'>;
    /** The state that `branchState` names. */
    readonly shared: Uint8Array | undefined;
    readonly auth?: Authenticated | undefined;
    readonly finish: (payload: NewEntry['payload']) => NewEntry['payload'];
  },
): Begun {
  const { source, start, shared, finish, auth } = options;
  const { block, branch } = options.bound;
  const authKey = auth?.key?.id ?? null;
  const bound = { authKey, block, branch };
  const session = sessionIdOf({ authKey, blockHash: block?.hash ?? null, prevHash: head.hash });
  const drafts: NewEntry[] = [
    { kind: 'session.start', source, session_id: session, payload: finish(encodeSessionStart(start, bound)) },
  ];
  const cause = head.seq + 1;
  const also = (kind: string, payload: NewEntry['payload']): void => {
    drafts.push({ kind, source, session_id: session, cause, payload });
  };
  if (auth?.key) also('auth.ok', encodeAuthOk({ key: auth.key.id, name: auth.key.name, at: 'start' }));
  if (auth?.failure) also('auth.fail', encodeAuthFail({ ...auth.failure, at: 'start' }));
  if (branch === null) return { session, drafts, states: {} };
  const { made, last } = parseBranches(shared);
  if (!made.includes(branch)) also('branch.create', encodeBranchCreate(branch));
  if (last !== null && last !== branch) also('branch.switch', encodeBranchSwitch({ from: last, to: branch }));
  const after = { made: made.includes(branch) ? made : [...made, branch], last: branch };
  return { session, drafts, states: { shared: encodeBranches(after) } };
}

export function closingOf(chain: Chain, block: BlockFact | null): Closing {
  const chainHash = chain.sequence === 0 ? null : chain.hash;
  return {
    block,
    interactions: chain.sequence,
    chainHash,
    finalHash: finalHashOf(chain.session, block?.hash ?? null, chainHash),
  };
}

/** For a session that began before a block could be had: what follows it is not older than this one. */
export function anchorEntry(source: string, session: string, block: BlockFact): NewEntry {
  return { kind: 'anchor.block', source, session_id: session, payload: encodeBlockFact(block) };
}
