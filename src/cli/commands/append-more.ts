// foil append with all its parts; a plain one does without these: many payloads from standard input, and content.
import { resolve } from 'node:path';
import { readFile, readLines } from '../../app/index.ts';
import type { JsonObject } from '../../core/index.ts';
import { UsageError } from '../../core/index.ts';
import { encodeContentRef, GENESIS, MAX_CONTENT, MAX_LINE } from '../../format/index.ts';
import { encodeBlock } from '../../ledger/index.ts';
import { openFileStore } from '../../store/files/index.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';
import {
  type EntryDraft,
  type Log,
  type More,
  makeAppend,
  type Place,
  parsePayload,
  writeEntry,
} from './append.ts';

/** Lines written together: enough to share a sync, few enough to answer soon. */
const BATCH = 1000;
/** The last entry but one that there can be. */
const LAST = { seq: Number.MAX_SAFE_INTEGER - 1, hash: GENESIS };

const more: More = { lines: appendLines, keepContent };

export const append: Command = makeAppend(openFileStore, more);

/** One payload a line, in batches; each line is acknowledged by its seq and hash. A bad line ends it. */
function appendLines(context: Context, directory: string, draft: EntryDraft): Outcome {
  for (const name of ['payload', 'content']) {
    if (context.values.text(name) !== undefined)
      throw new UsageError(`--lines reads the payloads from standard input. Leave out --${name}.`);
  }
  const log = openFileStore(directory);
  const json = context.values.flag('json');
  let interrupted = false;
  async function* acknowledged(): AsyncGenerator<string> {
    let stop = (): void => undefined;
    const stopped = new Promise<undefined>((resolve) => {
      stop = () => resolve(undefined);
    });
    const undo = context.onInterrupt(() => {
      interrupted = true;
      stop();
    });
    let line = 0;
    try {
      const batches = readLines(context.stdin(), MAX_LINE);
      for (;;) {
        const next = await Promise.race([batches.next(), stopped]);
        if (next === undefined || next.done) return;
        for (let from = 0; from < next.value.length; from += BATCH) {
          const given = next.value.slice(from, from + BATCH);
          const { payloads, problem } = parsePayloads(given, line, draft);
          line += given.length;
          const { done, failure } = await writeBatch(log, draft, payloads, context.now());
          yield done
            .map((place) => (json ? `${JSON.stringify(place)}\n` : `${place.seq} ${place.hash}\n`))
            .join('');
          if (failure ?? problem) throw failure ?? problem;
        }
      }
    } finally {
      undo();
      await log.close();
    }
  }
  return { text: acknowledged(), exit: () => (interrupted ? EXIT.INTERRUPTED : EXIT.FINE) };
}

/** One call an entry, so that each knows its own place; they share one write and one sync. */
async function writeBatch(
  log: Log,
  draft: EntryDraft,
  payloads: readonly JsonObject[],
  now: number,
): Promise<{ done: readonly Place[]; failure: unknown }> {
  const places = await Promise.allSettled(
    payloads.map((payload) => writeEntry(log, { ...draft, payload }, now)),
  );
  return {
    done: places.flatMap((place) => (place.status === 'fulfilled' ? [place.value] : [])),
    failure: places.find((place) => place.status === 'rejected')?.reason,
  };
}

/** The payloads before the first bad line, and what is wrong with that one. */
function parsePayloads(
  lines: readonly Uint8Array[],
  before: number,
  draft: EntryDraft,
): { payloads: readonly JsonObject[]; problem: UsageError | undefined } {
  const payloads: JsonObject[] = [];
  for (const [index, line] of lines.entries()) {
    const what = `line ${before + index + 1}`;
    try {
      const payload = parsePayload(line, what);
      // At the longest possible seq, so that nothing that passes here can fail behind others that were written.
      encodeBlock([{ ...draft, payload }], LAST, 0);
      payloads.push(payload);
    } catch (error) {
      if (error instanceof UsageError) return { payloads, problem: error };
      return { payloads, problem: new UsageError(`${what}: ${(error as Error).message}.`, { cause: error }) };
    }
  }
  return { payloads, problem: undefined };
}

/** Durable before the entry that names it. */
async function keepContent(
  { values, cwd }: Context,
  directory: string,
  session: string | null,
): Promise<JsonObject> {
  const file = values.text('content');
  const type = values.text('type');
  if (file === undefined) {
    if (type !== undefined) throw new UsageError('--type needs --content FILE.');
    return {};
  }
  const bytes = readFile(resolve(cwd, file), MAX_CONTENT, '--content');
  const store = openFileStore(directory);
  try {
    return {
      content: encodeContentRef(await store.putContent(session, bytes, type === undefined ? {} : { type })),
    };
  } finally {
    await store.close();
  }
}
