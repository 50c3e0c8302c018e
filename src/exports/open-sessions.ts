// The sessions of a log while it is read, each with its chain, within bounds: a log may tell of any number of them. Those
// that are over are remembered apart, so that they never take the place of one that is open.
import { SessionChain, type SessionCode } from '../verify/index.ts';

export interface SessionLogProblem {
  readonly code: SessionCode | 'BEGINNING_MISSING';
  /** Behind `line 7 `. */
  readonly message: string;
}

/** Of those that are open, and of those that are over; of what is older nothing more is said. */
export const MOST_SESSIONS = 10_000;

interface Known {
  readonly chain: SessionChain;
  /** How much was lost by the time it was last heard of. */
  losses: number;
}

export class OpenSessions {
  readonly #open = new Map<string, Known>();
  /** Those that are over, in case they go on. */
  readonly #ended = new Map<string, Known>();
  #losses = 0;
  /** Of those that were open, because there were too many. */
  forgotten = 0;

  get open(): readonly string[] {
    return [...this.#open.keys()];
  }

  begin(session: string): { readonly chain: SessionChain; readonly isTwice: boolean } {
    const isTwice = this.#open.delete(session) || this.#ended.delete(session);
    return { chain: this.#add(session), isTwice };
  }

  get(session: string): { readonly chain: SessionChain; readonly problems: readonly SessionLogProblem[] } {
    const known = this.#open.get(session) ?? this.#ended.get(session);
    if (known === undefined)
      return {
        chain: this.#add(session),
        problems: [
          { code: 'BEGINNING_MISSING', message: 'belongs to a session whose beginning is not here' },
        ],
      };
    if (known.losses < this.#losses) known.chain.lost();
    known.losses = this.#losses;
    return { chain: known.chain, problems: [] };
  }

  ended(session: string): void {
    const known = this.#open.get(session);
    if (known === undefined) return;
    this.#open.delete(session);
    this.#ended.set(session, known);
    letGo(this.#ended);
  }

  /** Something could not be read, and may have been of any of them. */
  lost(): void {
    this.#losses++;
  }

  #add(session: string): SessionChain {
    const chain = new SessionChain(session);
    this.#open.set(session, { chain, losses: this.#losses });
    if (letGo(this.#open)) this.forgotten++;
    return chain;
  }
}

/** The oldest, where there are too many. */
function letGo(sessions: Map<string, Known>): boolean {
  const [oldest] = sessions.size > MOST_SESSIONS ? sessions.keys() : [];
  return oldest !== undefined && sessions.delete(oldest);
}
