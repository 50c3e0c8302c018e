// The hashes of one session, made again from what its entries or lines say: its id, its branch, the chain of its
// interactions, what its end seals. Given in the order of the log; memory does not grow with it. What a crash explains is
// unknown, never a fail: a recorder whose memory was put back counts on from there.
import { chainHashOf, finalHashOf, sessionIdOf } from '../core/index.ts';
import { branchOf } from '../format/index.ts';
import type { Code } from './codes.ts';

export type SessionCode = Extract<
  Code,
  | 'SESSION_ID_WRONG'
  | 'BRANCH_WRONG'
  | 'INTERACTION_MISSING'
  | 'INTERACTION_CHAIN_BROKEN'
  | 'FINAL_HASH_WRONG'
  | 'INTERACTION_REPEATED'
  | 'SESSION_LATE'
>;

export interface SessionProblem {
  readonly code: SessionCode;
  /** Behind `line 7 ` or `entry 7 `. */
  readonly message: string;
}

export interface StartFacts {
  readonly authKey: string | null;
  readonly blockHash: string | null;
  readonly height: number | null;
  readonly branch: string | null;
  readonly prevHash: string;
}

export interface InteractionFacts {
  readonly sequence: number;
  readonly promptHash: string | null;
  readonly responseHash: string | null;
  readonly chainHash: string;
}

export interface EndFacts {
  readonly blockHash: string | null;
  /** Null in a log of before they were counted: then nothing is held against it. */
  readonly interactions: number | null;
  readonly chainHash: string | null;
  /** Null where nobody sealed the session: it was cut off. */
  readonly finalHash: string | null;
}

const REMEMBERED = 64;

export class SessionChain {
  readonly session: string;
  /** That it began on; undefined where its beginning is not here. */
  branch: string | null | undefined;
  ended = false;
  /** Chain hashes that could not be made again, because the one before is not known. */
  unfounded = 0;
  /** Of the last interaction; undefined where it can't be known, because lines before it are not here. */
  #last: number | undefined;
  readonly #remembered: number;
  /** By sequence, those that came last. */
  readonly #hashes = new Map<number, string>();

  /** `remembered` is how many chain hashes, for a recorder that a crash puts back. */
  constructor(session: string, remembered = REMEMBERED) {
    this.session = session;
    this.#remembered = remembered;
  }

  /** How many interactions it has so far, by number; undefined where that can't be known. */
  get interactions(): number | undefined {
    return this.#last;
  }

  start(facts: StartFacts): SessionProblem[] {
    const { authKey, blockHash, height, branch, prevHash } = facts;
    this.#last = 0;
    this.branch = branch;
    const problems: SessionProblem[] = [];
    const due = sessionIdOf({ authKey, blockHash, prevHash });
    if (due !== this.session)
      problems.push({
        code: 'SESSION_ID_WRONG',
        message: `begins a session whose id should be ${due.slice(0, 16)}…`,
      });
    // Without a branch no block was asked for; one that is there all the same has one.
    const dueBranch = branch === null && height === null ? null : branchOf(height);
    if (branch !== dueBranch)
      problems.push({
        code: 'BRANCH_WRONG',
        message: `begins a session on ${branch ?? 'no branch'}, but ${dueBranch} was expected`,
      });
    return problems;
  }

  /** One of before sessions were bound: of its id nothing is said. */
  startUnbound(): void {
    this.#last = 0;
  }

  /** What comes next can't be held against what was before: something in between could not be read. */
  lost(): void {
    this.#last = undefined;
    this.#hashes.clear();
  }

  /** A prompt that begins interaction `sequence`. */
  prompt(sequence: number): SessionProblem[] {
    const problems = this.#went();
    if (this.#last === undefined) return problems;
    const due = this.#last + 1;
    if (sequence > due)
      problems.push({
        code: 'INTERACTION_MISSING',
        message: `begins interaction ${sequence}, but ${due} was expected`,
      });
    else if (sequence < due)
      problems.push({
        code: 'INTERACTION_REPEATED',
        message: `begins interaction ${sequence} a second time`,
      });
    return problems;
  }

  interaction(facts: InteractionFacts): SessionProblem[] {
    const { sequence, promptHash, responseHash, chainHash } = facts;
    const problems = this.#went();
    if (this.#last !== undefined && sequence > this.#last + 1)
      problems.push({
        code: 'INTERACTION_MISSING',
        message: `is interaction ${sequence}, but ${this.#last + 1} was expected`,
      });
    else if (this.#last !== undefined && sequence <= this.#last)
      problems.push({ code: 'INTERACTION_REPEATED', message: `is interaction ${sequence} a second time` });
    const prev = sequence === 1 ? this.session : this.#hashes.get(sequence - 1);
    if (prev === undefined) this.unfounded++;
    else if (chainHashOf(prev, promptHash, responseHash) !== chainHash)
      problems.push({
        code: 'INTERACTION_CHAIN_BROKEN',
        message: `has a chain hash for interaction ${sequence} that doesn't follow from what it names`,
      });
    this.#last = sequence;
    this.#remember(sequence, chainHash);
    return problems;
  }

  end({ blockHash, interactions, chainHash, finalHash }: EndFacts): SessionProblem[] {
    const problems = this.#went();
    this.ended = true;
    if (interactions !== null) problems.push(...this.#counted(interactions, chainHash));
    if (finalHash !== null && finalHashOf(this.session, blockHash, chainHash) !== finalHash)
      problems.push({
        code: 'FINAL_HASH_WRONG',
        message: "ends its session with a final hash that doesn't follow from what it names",
      });
    return problems;
  }

  #counted(interactions: number, chainHash: string | null): SessionProblem[] {
    const last = this.#last;
    const many = `counts ${interactions} interactions`;
    if (last !== undefined && interactions > last)
      return [{ code: 'INTERACTION_MISSING', message: `${many}, but ${last} are here` }];
    if (last !== undefined && interactions < last)
      return [{ code: 'INTERACTION_REPEATED', message: `${many}, but ${last} are here` }];
    const kept = interactions === 0 ? null : this.#hashes.get(interactions);
    if (kept !== undefined && kept !== chainHash)
      return [
        { code: 'INTERACTION_CHAIN_BROKEN', message: `${many}, but the last of them has a different hash` },
      ];
    return [];
  }

  #remember(sequence: number, chainHash: string): void {
    this.#hashes.delete(sequence);
    this.#hashes.set(sequence, chainHash);
    const [oldest] = this.#hashes.size > this.#remembered ? this.#hashes.keys() : [];
    if (oldest !== undefined) this.#hashes.delete(oldest);
  }

  #went(): SessionProblem[] {
    return this.ended ? [{ code: 'SESSION_LATE', message: 'continues after the end of its session' }] : [];
  }
}
