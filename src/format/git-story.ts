// The commits that a ledger's git repository must hold, told by its entries alone: one for each interaction on the
// branch of its session, one at the end of a session, and then its merge into main or a name in the archive. Whoever
// has the entries can make the repository anew, byte by byte, or hold one against them. spec/git.md.
//
// One pass, in the order of the ledger. What must be known is the sessions that are open and where each ref stands.
// Entries that can't be read make no commit: that they can't is for the verifier to say.
import { ParseError } from '../core/index.ts';
import type { Entry } from './entry.ts';
import { branchOf, parseInteraction, parseSessionEnd, parseSessionStart } from './session.ts';

/** What becomes of a session's commits at its end. One choice a repository. */
export type GitEnd = 'merge' | 'archive';

export const GIT_MAIN = 'refs/heads/main';
const HEADS = 'refs/heads/';
const ARCHIVE = 'refs/archive/';
const BRANCH = /^branch-[0-7]$/;
const ZEROS = '0'.repeat(64);

/** Of what the story is made; it need not be shown anything else. */
export const GIT_KINDS: ReadonlySet<string> = new Set([
  'session.start',
  'session.end',
  'session.cut',
  'response',
  'model.result',
]);

export interface GitCommit {
  /** Its place among all commits of the story, from 0. */
  readonly index: number;
  readonly kind: 'interaction' | 'session_end' | 'merge';
  /** The branch that it goes on. */
  readonly ref: string;
  /** Another name that it gets, in the archive. */
  readonly archive: string | null;
  /** Of the entry that it tells of, of its session, and of the interaction in it. */
  readonly seq: number;
  readonly session: string;
  readonly sequence: number | null;
  /** Without the newline at its end. */
  readonly message: string;
  /** Author and committer: 16 hex digits. */
  readonly author: string;
  /** Seconds since 1970. */
  readonly time: number;
  /** One line each, without its newline, in the order of their names. */
  readonly files: Readonly<Record<string, string>>;
  /** By index, the first one first. */
  readonly parents: readonly number[];
}

/** All that must be kept to go on later. */
export interface GitStoryState {
  readonly count: number;
  /** The newest commit's index, by ref. */
  readonly tips: Readonly<Record<string, number>>;
  /** Open sessions with their branch, the oldest first. */
  readonly sessions: readonly (readonly [session: string, ref: string])[];
}

/** Past these the oldest counts as cut: a ledger in which no session ends must not fill the memory. */
const MOST_SESSIONS = 65_536;

export class GitStory {
  readonly #end: GitEnd;
  readonly #tips: Map<string, number>;
  readonly #sessions: Map<string, string>;
  #count: number;

  constructor(end: GitEnd, state: GitStoryState = { count: 0, tips: {}, sessions: [] }) {
    this.#end = end;
    this.#count = state.count;
    this.#tips = new Map(Object.entries(state.tips));
    this.#sessions = new Map(state.sessions);
  }

  get state(): GitStoryState {
    return {
      count: this.#count,
      tips: Object.fromEntries(this.#tips),
      sessions: [...this.#sessions],
    };
  }

  /** The commits that an entry makes: none, one, or two. */
  add(entry: Entry): readonly GitCommit[] {
    const { session_id: session } = entry;
    if (session === null || !GIT_KINDS.has(entry.kind)) return [];
    try {
      if (entry.kind === 'session.start') return this.#begin(session, entry);
      const ref = this.#sessions.get(session);
      if (ref === undefined) return [];
      if (entry.kind === 'session.end') return this.#close(session, ref, entry);
      if (entry.kind === 'session.cut') this.#sessions.delete(session);
      else return this.#interaction(session, ref, entry);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
    }
    return [];
  }

  #begin(session: string, { payload }: Entry): readonly GitCommit[] {
    const { branch } = parseSessionStart(payload);
    const name = branch !== null && BRANCH.test(branch) ? branch : branchOf(null);
    this.#sessions.delete(session);
    this.#sessions.set(session, HEADS + name);
    if (this.#sessions.size > MOST_SESSIONS) {
      const [oldest] = this.#sessions.keys();
      if (oldest !== undefined) this.#sessions.delete(oldest);
    }
    return [];
  }

  #interaction(session: string, ref: string, entry: Entry): readonly GitCommit[] {
    const interaction = parseInteraction(entry.payload);
    if (interaction === null) return [];
    const { sequence, chainHash, promptHash, responseHash } = interaction;
    const commit = this.#commit(entry, {
      kind: 'interaction',
      ref,
      archive: null,
      session,
      sequence,
      message: `interaction-${sequence}`,
      files: {
        chain_entry: chainHash,
        prompt_hash: promptHash ?? ZEROS,
        response_hash: responseHash ?? ZEROS,
        session,
      },
      parents: this.#tip(ref),
    });
    return [commit];
  }

  /** One of before sessions were closed with a hash ends the session and makes no commit. */
  #close(session: string, ref: string, entry: Entry): readonly GitCommit[] {
    this.#sessions.delete(session);
    const closing = parseSessionEnd(entry.payload);
    if (closing === null) return [];
    const { block, chainHash, finalHash } = closing;
    const short = finalHash.slice(0, 16);
    const told = { session, sequence: null };
    const files = { chain_entry: chainHash ?? ZEROS, final_hash: finalHash, session };
    const end = this.#commit(entry, {
      ...told,
      kind: 'session_end',
      ref,
      archive: this.#end === 'archive' ? ARCHIVE + session.slice(0, 16) : null,
      message: `session_end:${short}:btc-${block?.height ?? 'none'}`,
      files,
      parents: this.#tip(ref),
    });
    if (this.#end === 'archive') return [end];
    const merge = this.#commit(entry, {
      ...told,
      kind: 'merge',
      ref: GIT_MAIN,
      archive: null,
      message: `merge:${short}:${ref.slice(HEADS.length)}`,
      files,
      parents: [...this.#tip(GIT_MAIN), end.index],
    });
    return [end, merge];
  }

  #tip(ref: string): readonly number[] {
    const tip = this.#tips.get(ref);
    return tip === undefined ? [] : [tip];
  }

  #commit({ seq, ts }: Entry, told: Omit<GitCommit, 'index' | 'seq' | 'author' | 'time'>): GitCommit {
    const index = this.#count++;
    this.#tips.set(told.ref, index);
    // Git knows no time before 1970.
    const time = Math.max(0, Math.floor(Date.parse(ts) / 1000));
    return { ...told, index, seq, author: told.session.slice(0, 16), time };
  }
}

/** Is it a name that the story gives, and nobody else should? */
export function isGitStoryRef(name: string): boolean {
  if (name === GIT_MAIN) return true;
  return name.startsWith(HEADS)
    ? BRANCH.test(name.slice(HEADS.length))
    : name.startsWith(ARCHIVE) && /^[0-9a-f]{16}$/.test(name.slice(ARCHIVE.length));
}
