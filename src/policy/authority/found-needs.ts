// What was found of a call so far, and where it happens: the parts of a reader share it.
import type { FileView } from './files.ts';
import { ALL_BELOW, type Need } from './need.ts';

export interface ShellPlace {
  readonly cwd: string;
  /** Null where it is not sure which one the shell takes. */
  readonly home: string | null;
  readonly view: FileView;
}

export interface CallNeeds {
  readonly needs: readonly Need[];
  /** Why the call needs leave to run anything; null where it does not. */
  readonly unread: string | null;
  /** Programs that act on their own: what they touch is not known. */
  readonly ambient: readonly string[];
}

const MOST_NEEDS = 4096;
const ANY_PROGRAM: Need = { domain: 'process', action: 'exec', segments: [ALL_BELOW] };

export class FoundNeeds {
  readonly place: ShellPlace;
  readonly #needs: Need[] = [];
  readonly #ambient = new Set<string>();
  #unread: string | null = null;

  constructor(place: ShellPlace) {
    this.place = place;
  }

  get isLost(): boolean {
    return this.#unread !== null;
  }

  /** The call can't be read: it needs leave to run anything. The first reason is told. */
  lose(why: string): void {
    this.#unread ??= why;
  }

  need(need: Need): void {
    if (this.#needs.length < MOST_NEEDS) this.#needs.push(need);
    else this.lose('it needs too much to be listed');
  }

  actsAlone(program: string): void {
    this.#ambient.add(program);
  }

  all(): CallNeeds {
    return {
      needs: this.isLost ? [...this.#needs, ANY_PROGRAM] : this.#needs,
      unread: this.#unread,
      ambient: [...this.#ambient],
    };
  }
}
