// What a service does by itself while it serves: it seals, and it tidies up. One of each at a time; what goes wrong is for
// the log alone, once for each problem.
import type { Recording } from './recording.ts';
import { type Log, nameOf } from './service-log.ts';

export interface ChoresOptions {
  /** Undefined until it is open. */
  readonly recording: () => Recording | undefined;
  readonly isLeaving: () => boolean;
  readonly sealSoonMs: number;
  readonly log: Log;
}

export class Chores {
  readonly #options: ChoresOptions;
  readonly #log: Log;
  #sealing: Promise<void> | undefined;
  #soon: NodeJS.Timeout | undefined;
  #sealAgain = false;
  #sealProblem = '';
  #upkeep: Promise<void> | undefined;
  #upkeepProblem = '';

  constructor(options: ChoresOptions) {
    this.#options = options;
    this.#log = options.log;
  }

  /** No more seals are due; resolves when what is under way has ended. */
  async end(): Promise<void> {
    clearTimeout(this.#soon);
    await this.#sealing;
    await this.#upkeep;
  }

  sealSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.seal();
    }, this.#options.sealSoonMs);
  }

  /** One at a time; asked while one runs, another follows. */
  seal(): void {
    if (this.#sealing !== undefined) {
      this.#sealAgain = true;
      return;
    }
    this.#sealing = this.sealNow().finally(() => {
      this.#sealing = undefined;
      if (!this.#sealAgain) return;
      this.#sealAgain = false;
      this.seal();
    });
  }

  async sealNow(): Promise<void> {
    try {
      await this.#options.recording()?.seal();
      this.#sealProblem = '';
    } catch (error) {
      const problem = nameOf(error);
      if (problem !== this.#sealProblem) this.#log(`sealing: ${problem}`);
      this.#sealProblem = problem;
    }
  }

  /** One at a time. Hooks go on being served; what it runs into is for the log alone. */
  keepUp(): void {
    if (this.#upkeep !== undefined || this.#options.isLeaving()) return;
    const run = async (): Promise<void> => {
      try {
        const told = await this.#options.recording()?.upkeep(this.#options.isLeaving);
        if (typeof told === 'string') this.#log(`upkeep: ${told}`);
        this.#upkeepProblem = '';
      } catch (error) {
        const problem = nameOf(error);
        if (problem !== this.#upkeepProblem) this.#log(`upkeep: ${problem}`);
        this.#upkeepProblem = problem;
      }
    };
    this.#upkeep = run().finally(() => {
      this.#upkeep = undefined;
    });
  }
}
