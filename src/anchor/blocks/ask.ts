// Asks several sources for a block. The next one is asked as soon as one fails, or when it takes a little too long, so
// that a source which hangs costs a moment and not the session's whole patience. The first good answer counts. What a
// source gives is held against the rules of the chain here; only what passes is a block.
import { type BitcoinChain, encodeHex, parseHeader, verifyHeader } from '../../core/index.ts';
import type { BlockFact } from '../../format/index.ts';
import type { AnchorConfig } from '../../session/index.ts';
import {
  type BlockProblem,
  type BlockSource,
  type ClaimedBlock,
  type ProblemCode,
  SourceError,
} from './source.ts';

/** Ten minutes are usual between two blocks, an hour is seen every week; six have not been since the first years. */
const STALE_SECONDS = 6 * 3600;
/** By so much a miner's clock may be ahead of the others'. */
const AHEAD_SECONDS = 2 * 3600;
const LONGEST_STAGGER = 400;

type Network = AnchorConfig['network'];

export interface Question {
  readonly chain: BitcoinChain;
  readonly network: Network;
  readonly budgetMs: number;
  readonly now: () => number;
  /** Does only a new one do? Then an old one counts where no source has a newer. */
  readonly wantsNew: boolean;
  ask(source: BlockSource, signal: AbortSignal): Promise<ClaimedBlock>;
}

export interface Found {
  readonly block: BlockFact;
  readonly source: string;
  readonly isStale: boolean;
}

export interface Asked {
  readonly found: Found | null;
  readonly problems: readonly BlockProblem[];
}

/** Never rejects, and takes no longer than the budget. Nothing is left open when it is done. */
export function askSources(sources: readonly BlockSource[], question: Question): Promise<Asked> {
  const { budgetMs, network, now, wantsNew } = question;
  const stagger = Math.min(LONGEST_STAGGER, (budgetMs * 0.6) / Math.max(1, sources.length));
  const problems: BlockProblem[] = [];
  return new Promise((resolve) => {
    const running = new Map<BlockSource, AbortController>();
    let next = 0;
    let late: NodeJS.Timeout | undefined;
    let old: Found | null = null;
    let isDone = false;

    const note = (source: string, code: ProblemCode, message: string): void => {
      problems.push({ source, code, message, at: now() });
    };
    const finish = (found: Found | null): void => {
      if (isDone) return;
      isDone = true;
      clearTimeout(end);
      clearTimeout(late);
      for (const asking of running.values()) asking.abort();
      resolve({ found, problems: [...problems] });
    };
    const end = setTimeout(() => {
      for (const { name } of running.keys()) note(name, 'NO_ANSWER', 'no answer in time');
      finish(old);
    }, budgetMs).unref();

    const take = (found: Found): void => {
      const { block, source, isStale } = found;
      const hours = (seconds: number): string => `${Math.floor(seconds / 3600)} hours`;
      const age = Math.floor(now() / 1000) - block.time;
      if (age < -AHEAD_SECONDS)
        note(source, 'CLOCK_BEHIND', `its newest block is ${hours(-age)} ahead of this machine's clock`);
      if (isStale) {
        note(source, 'STALE', `its newest block is ${hours(age)} old`);
        if (old === null || old.block.time < block.time) old = found;
      } else finish(found);
    };
    const askNext = (): void => {
      clearTimeout(late);
      const source = sources[next++];
      if (source === undefined) {
        if (running.size === 0) finish(old);
        return;
      }
      const asking = new AbortController();
      running.set(source, asking);
      late = setTimeout(askNext, stagger).unref();
      question
        .ask(source, asking.signal)
        .then((claimed) => {
          if (isDone) return;
          const block = verifyClaim(claimed, question.chain);
          take({ block, source: source.name, isStale: wantsNew && isOld(block, now(), network) });
        })
        .catch((error: unknown) => {
          if (isDone) return;
          if (error instanceof SourceError) note(source.name, error.code, error.message);
          else note(source.name, 'UNREACHABLE', 'could not be asked');
        })
        .finally(() => {
          running.delete(source);
          if (!isDone) askNext();
        });
    };
    askNext();
  });
}

/** Blocks of regtest are as old as somebody let them become. */
export function isOld(block: BlockFact, now: number, network: Network): boolean {
  return network === 'main' && now / 1000 - block.time > STALE_SECONDS;
}

/** Throws SourceError for what is no block, as far as its header tells. */
export function verifyClaim({ header, hash, height }: ClaimedBlock, chain: BitcoinChain): BlockFact {
  const { status, reason } = verifyHeader(header, { hash, height }, { chain });
  if (status !== 'pass')
    throw new SourceError(reason === 'OK' ? 'MALFORMED' : reason, `gave an invalid block: ${reason}`);
  return { height, hash, time: parseHeader(header).time, header: encodeHex(header) };
}
