// What follows from a run's entries, for whoever makes a bundle and whoever checks one.
import { CompactRange, encodeHex, isHash, type JsonObject, ParseError } from '../core/index.ts';
import { type BundlePayload, parseRunArtifacts, parseRunBase } from '../format/index.ts';
import { type BundledEntries, leafOf } from './bundle-entries.ts';

type Run = BundledEntries['run'];

/** What the run's recorder said of its work tree, at its beginning and before its end. */
export interface RunRecords {
  readonly commit: string | null;
  readonly tree: string | null;
  readonly artifactHash: string | null;
  /** How many files they are. */
  readonly artifacts: number | null;
}

export function recordsOf(run: Run): RunRecords {
  const base = recordOf(run, 'run.base', parseRunBase);
  const made = recordOf(run, 'run.artifacts', parseRunArtifacts);
  return {
    commit: base?.commit ?? null,
    tree: base?.tree ?? null,
    artifactHash: made?.artifactHash ?? null,
    artifacts: made?.files ?? null,
  };
}

export function factsOf(
  run: Run,
): Pick<BundlePayload, 'eventChainRoot' | 'receipts' | 'receiptsRoot'> &
  RunRecords & { readonly prompts: readonly string[] } {
  const [chain, receipts] = [new CompactRange(), new CompactRange()];
  const prompts: string[] = [];
  for (const bundled of run) {
    const { entry } = bundled;
    const leaf = leafOf(bundled);
    chain.push(leaf);
    if (entry.kind === 'receipt') receipts.push(leaf);
    const { prompt_hash: hash } = entry.payload;
    if (entry.kind === 'prompt' && isHash(hash)) prompts.push(hash);
  }
  return {
    eventChainRoot: encodeHex(chain.root()),
    receipts: receipts.size,
    receiptsRoot: encodeHex(receipts.root()),
    prompts,
    ...recordsOf(run),
  };
}

/**
 * Undefined unless there is exactly one, in order, before the run's end: of two nobody could say which counts, and what
 * comes behind the end is no word of the run's recorder.
 */
function recordOf<T>(run: Run, kind: string, parse: (payload: JsonObject) => T): T | undefined {
  const [only, ...more] = run.filter(({ entry }) => entry.kind === kind);
  const end = run.find(({ entry }) => entry.kind === 'session.end')?.entry.seq ?? Number.POSITIVE_INFINITY;
  if (only === undefined || more.length > 0 || only.entry.seq > end) return undefined;
  try {
    return parse(only.entry.payload);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}
