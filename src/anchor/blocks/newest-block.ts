// The newest block, for sessions that begin and end: from memory, from what another process of this ledger was given
// a moment ago, or from the sources in the configuration. Nobody waits longer than two seconds, nothing throws, and a
// process that wants to end is not held up. Neither the sources nor the file that processes share are trusted.
import { MAINNET, parseHex, REGTEST } from '../../core/index.ts';
import type { BlockFact } from '../../format/index.ts';
import type { AnchorConfig, BlockSourceConfig, Blocks } from '../../session/index.ts';
import { type Asked, askSources, isOld, type Question, verifyClaim } from './ask.ts';
import { bitcoindSource } from './bitcoind.ts';
import { esploraSource } from './esplora.ts';
import { headersFile } from './headers-file.ts';
import { type BlockProblem, type BlockSource, mergeProblems, SourceError } from './source.ts';
import { readTip, type Seen, TIP_FILE, writeTip } from './tip-file.ts';

const SECOND = 1000;
/** All sources together; what is left to two seconds is for a machine that has other things to do. */
export const NEWEST_BUDGET = 1.8 * SECOND;
/** So long an answer is as good as a new one. */
const FRESH = 60 * SECOND;
/** So long for a process that is gone in a moment, and for all where no source has anything. */
const USABLE = 10 * 60 * SECOND;
/** So long sources that had nothing are left alone. */
const PAUSE = 15 * SECOND;
/** For who has time: one block by its height, or what each source has to say. */
const PATIENT_BUDGET = 10 * SECOND;

export interface OpenBlocksOptions {
  /** The ledger's, for the block that processes share; null keeps nothing. */
  readonly directory: string | null;
  /** A process that is gone in a moment, as a hook's: takes what others were given, and asks nothing in the background. */
  readonly brief?: boolean;
  readonly now?: () => number;
  readonly budgetMs?: number;
}

export interface SourceReport {
  readonly source: string;
  readonly block: BlockFact | null;
  readonly problems: readonly BlockProblem[];
}

export interface BlockSources extends Blocks {
  /** The block at a height, for a proof that ends there; sources are asked in their order. Null where none has it. */
  at(height: number): Promise<BlockFact | null>;
  /** What each source has to say now, for people. */
  survey(): Promise<readonly SourceReport[]>;
  /** What sources did wrong in the last day, oldest first; of each the newest of its kind. */
  problems(): readonly BlockProblem[];
}

/** The configuration is one that was parsed. */
export function openBlocks(config: AnchorConfig, options: OpenBlocksOptions): BlockSources {
  const { directory, brief = false, now = Date.now, budgetMs = NEWEST_BUDGET } = options;
  const { network } = config;
  const chain = network === 'regtest' ? REGTEST : MAINNET;
  let made: readonly BlockSource[] | undefined;
  const sources = (): readonly BlockSource[] => {
    made ??= config.blocks.map((source) => openSource(source));
    return made;
  };
  const openSource = (source: BlockSourceConfig): BlockSource =>
    'esplora' in source
      ? esploraSource(source.esplora)
      : 'rpc' in source
        ? bitcoindSource(source.rpc, source.cookie)
        : headersFile(source.file, chain);
  const asOf: Pick<Question, 'chain' | 'network' | 'now'> = { chain, network, now };

  let seen: Seen | null = null;
  let failed: number | null = null;
  let problems: readonly BlockProblem[] = [];
  let flight: Promise<Asked> | undefined;

  const age = (since: number): number => {
    const passed = now() - since;
    return passed < 0 ? Number.POSITIVE_INFINITY : passed; // the clock was put back, or somebody wrote it
  };
  const remember = (more: readonly BlockProblem[]): void => {
    problems = mergeProblems([...problems, ...more], now());
  };
  /** What another process was given or not, where that is newer than what is known here. */
  const adopt = (): void => {
    const tip = directory === null ? null : readTip(directory);
    if (tip === null || tip.network !== network) return;
    remember(tip.problems);
    if (
      tip.seen !== null &&
      age(tip.seen.asked) <= USABLE &&
      (seen === null || age(tip.seen.asked) < age(seen.asked))
    )
      try {
        const { block: told, asked, source } = tip.seen;
        const block = verifyClaim({ ...told, header: parseHex(told.header) }, chain);
        // An old one is for who asked all sources: anybody can write an old one there.
        if (!isOld(block, now(), network)) seen = { block, asked, source };
      } catch (error) {
        const code = error instanceof SourceError ? error.code : 'MALFORMED';
        remember([{ source: TIP_FILE, code, message: 'held an invalid block', at: now() }]);
        return;
      }
    if (tip.failed !== null && (failed === null || age(tip.failed) < age(failed))) failed = tip.failed;
  };
  /** The block at hand, if it was given no longer ago than that. */
  const within = (most: number): BlockFact | null =>
    seen !== null && age(seen.asked) <= most ? seen.block : null;
  const isResting = (): boolean => failed !== null && age(failed) < PAUSE;

  const ask = (): Promise<Asked> => {
    flight ??= askSources(sources(), {
      ...asOf,
      budgetMs,
      wantsNew: true,
      ask: (source, signal) => source.newest(signal),
    }).then((asked) => {
      flight = undefined;
      adopt();
      const { found } = asked;
      if (found !== null) seen = { block: found.block, asked: now(), source: found.source };
      failed = found === null ? now() : null;
      remember(asked.problems);
      if (directory !== null) writeTip(directory, { network, failed, seen, problems });
      return asked;
    });
    return flight;
  };

  return {
    async newest() {
      if (config.blocks.length === 0) return null;
      const atHand = (): BlockFact | null => within(brief ? USABLE : FRESH);
      if (atHand() === null) adopt();
      const block = atHand();
      if (block !== null) return block;
      if (!isResting()) await held(ask(), budgetMs);
      return within(USABLE);
    },
    async latest() {
      if (config.blocks.length === 0) return null;
      // Neither what is at hand nor what the shared file says keeps it from asking: a block that is older than the end
      // would leave time to change what is bound to it. Sessions that end together share one question.
      await held(ask(), budgetMs);
      return within(USABLE);
    },
    known() {
      if (config.blocks.length === 0) return null;
      if (within(FRESH) === null) adopt();
      if (!brief && within(FRESH) === null && !isResting()) void ask();
      return within(USABLE);
    },
    async at(height) {
      const question: Question = {
        ...asOf,
        budgetMs: PATIENT_BUDGET,
        wantsNew: false,
        ask: (source, signal) => source.at(height, signal),
      };
      const asked = await held(askSources(sources(), question), PATIENT_BUDGET);
      remember(asked.problems);
      return asked.found?.block ?? null;
    },
    survey: () =>
      Promise.all(
        sources().map(async (source) => {
          const question: Question = {
            ...asOf,
            budgetMs: PATIENT_BUDGET,
            wantsNew: true,
            ask: (one, signal) => one.newest(signal),
          };
          const { found, problems } = await held(askSources([source], question), PATIENT_BUDGET);
          return { source: source.name, block: found?.block ?? null, problems };
        }),
      ),
    problems() {
      adopt();
      return problems;
    },
  };
}

/** The sockets of sources keep no process alive; who waits for them does, for as long as that takes. */
async function held<T>(work: Promise<T>, mostMs: number): Promise<T> {
  const hold = setTimeout(() => {}, 2 * mostMs);
  try {
    return await work;
  } finally {
    clearTimeout(hold);
  }
}
