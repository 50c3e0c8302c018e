// Several ledgers as if they were one, for `foil view --all`. One that is damaged or gone says so, and doesn't stop the
// others.
import type { Found, Prompts, Pulse, Sessions, ToolsUsed } from './answers.ts';
import type { ViewedLedger } from './viewed-ledger.ts';

const MOST_HITS = 100;

export class AllLedgers {
  readonly name = 'All ledgers';
  readonly ledgers: readonly ViewedLedger[];

  constructor(ledgers: readonly ViewedLedger[]) {
    this.ledgers = ledgers;
  }

  /** A number that grows with any of them. */
  async head(): Promise<number> {
    const heads = await this.#each((ledger) => ledger.head());
    return heads.reduce((sum, { value }) => sum + (value ?? 0), 0);
  }

  async pulse(): Promise<Pulse> {
    const all = await Promise.all(this.ledgers.map((ledger) => ledger.pulse()));
    return {
      head: all.reduce((sum, { head }) => sum + head, 0),
      notices: all.reduce((sum, { notices }) => sum + notices, 0),
      sealed: all.reduce((sum, { sealed }) => sum + sealed, 0),
    };
  }

  async sessions(): Promise<Sessions> {
    const all = await this.#each((ledger) => ledger.sessions());
    const counting = all.flatMap(({ value }) => value?.counting ?? []);
    return {
      head: all.reduce((sum, { value }) => sum + (value?.head ?? 0), 0),
      sessions: all
        .flatMap((asked) => (asked.value?.sessions ?? []).map((row) => ({ ...row, ...named(asked) })))
        .sort((a, b) => (a.start < b.start ? 1 : a.start > b.start ? -1 : 0)),
      counting:
        counting.length === 0
          ? null
          : {
              from: 0,
              read: counting.reduce((sum, { read }) => sum + read, 0),
              of: counting.reduce((sum, { of }) => sum + of, 0),
            },
      notices: noticesOf(all),
    };
  }

  /** Newest first, by the time that entries say. */
  async search(query: string): Promise<Found> {
    const all = await this.#each((ledger) => ledger.search(query));
    const cut = all.flatMap(({ value, name }) => (value !== undefined && isPart(value) ? [name] : []));
    const hits = all
      .flatMap((asked) => (asked.value?.hits ?? []).map((hit) => ({ ...hit, ...named(asked) })))
      .sort((a, b) => (a.ts < b.ts ? 1 : a.ts > b.ts ? -1 : 0))
      .slice(0, MOST_HITS);
    return {
      hits,
      isFull: hits.length === MOST_HITS || all.some(({ value }) => value?.isFull === true),
      // There may be older ones; which is the first that was looked at, each ledger has a number of its own for.
      from: hits.length < MOST_HITS ? 1 : 2,
      skipped: null,
      notices: [
        ...noticesOf(all),
        ...cut.map((name) => `${name} was not searched completely. Choose it above, and search it alone.`),
      ],
    };
  }

  /** A session is asked of its own ledger. */
  async run(): Promise<undefined> {
    return undefined;
  }

  async beginning(): Promise<undefined> {
    return undefined;
  }

  async whole(): Promise<undefined> {
    return undefined;
  }

  async changes(): Promise<undefined> {
    return undefined;
  }

  async download(): Promise<undefined> {
    return undefined;
  }

  async prompts(): Promise<Prompts> {
    return { prompts: [] };
  }

  async tools(): Promise<ToolsUsed> {
    const all = await this.#each((ledger) => ledger.tools());
    const isWhole = all.every(({ value }) => value?.from === 1);
    return { from: isWhole ? 1 : 2, sessions: all.flatMap(({ value }) => value?.sessions ?? []) };
  }

  #each<T>(ask: (ledger: ViewedLedger) => Promise<T>): Promise<Asked<T>[]> {
    return Promise.all(
      this.ledgers.map(async (ledger, index) => {
        // This one stands in front of them.
        const number = index + 1;
        const { name } = ledger;
        try {
          return { number, name, value: await ask(ledger), problem: null };
        } catch (error) {
          return {
            number,
            name,
            value: undefined,
            problem: error instanceof Error ? error.message : String(error),
          };
        }
      }),
    );
  }
}

interface Asked<T> {
  readonly number: number;
  readonly name: string;
  readonly value: T | undefined;
  readonly problem: string | null;
}

/** Not because enough was found. */
function isPart({ isFull, from, skipped }: Found): boolean {
  return (from > 1 && !isFull) || skipped !== null;
}

function named({ number, name }: Asked<unknown>): { readonly ledger: number; readonly ledger_name: string } {
  return { ledger: number, ledger_name: name };
}

function noticesOf(all: readonly Asked<Pick<Sessions, 'notices'>>[]): string[] {
  return all.flatMap(({ name, value, problem }) => [
    ...(value?.notices ?? []).map((notice) => `${name}: ${notice}`),
    ...(problem === null ? [] : [`${name} can't be read: ${problem}`]),
  ]);
}
