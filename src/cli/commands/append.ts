// foil append: one entry, or one for each line of standard input. Only kinds that anybody may write: the others mean
// something, and only their recorders may say it. An entry is acknowledged once it is durable, never before.
// foil.cjs runs it on the log alone, cli.cjs on the whole store: content needs that.
import { resolve } from 'node:path';
import { isHash, type JsonObject, ParseError, StoreError } from '../../core/index.ts';
import { encodeContentRef, GENESIS, isUserKind, LineWriter, MAX_CONTENT, MAX_LINE } from '../../format/index.ts';
import type { NewEntry, Store } from '../../ledger/index.ts';
import { utf8Decode } from '#platform';
import { parseSeq } from '../arguments.ts';
import { type Command, type Context, EXIT, type Outcome, UsageError } from '../command.ts';
import { readBounded, readFile, readLines } from '../input.ts';
import { place } from '../place.ts';

/** Lines written together with --lines: enough to share a sync, few enough to answer soon. */
const BATCH = 1000;
const EPOCH = '1970-01-01T00:00:00.000Z';

/** What it writes to. Without `putContent`, --content must not get here. */
export type Target = Pick<Store, 'append' | 'close'> & Partial<Pick<Store, 'putContent'>>;

/** The command, on a store opened by `open`. */
export const makeAppend = (open: (directory: string) => Target): Command => ({
  name: 'append',
  summary: 'write an entry of your own (note, or a kind that begins with x.)',
  usage: 'KIND [--payload JSON|@FILE|-] [options]',
  arguments: [1, 1],
  options: {
    payload: { type: 'string', value: 'JSON', help: 'an object; @FILE reads a file, - standard input (default {})' },
    lines: { type: 'boolean', help: 'one payload a line from standard input, each acknowledged when it is durable' },
    session: { type: 'string', value: 'HEX', help: 'the session it belongs to, 64 hex digits' },
    cause: { type: 'string', value: 'SEQ', help: 'the earlier entry that it answers' },
    source: { type: 'string', value: 'NAME', help: 'who saw it (default cli)' },
    content: { type: 'string', value: 'FILE', help: 'keep a file; payload.content commits to it' },
    type: { type: 'string', value: 'T', help: 'media type of the content' },
  },
  examples: [
    `foil append note --payload '{"text":"deployed v2"}'`,
    'foil append x.build --payload @result.json --content build.log --type text/plain',
    'generate | foil append x.metric --lines',
  ],
  run: (context) => run(context, () => open(place(context).directory)),
});

async function run(context: Context, open: () => Target): Promise<Outcome> {
  const { values } = context;
  const draft = parseDraft(context);
  if (values.flag('lines')) {
    for (const name of ['payload', 'content']) {
      if (values.text(name) !== undefined) throw new UsageError(`--lines reads payloads itself: leave --${name} out.`);
    }
    return appendLines(context, open(), draft);
  }
  const payload = await readPayload(context);
  const ledger = open();
  // Ctrl-C waits for the write: whoever asked for an entry gets to know whether there is one.
  const undo = context.onInterrupt(() => undefined);
  try {
    const content = await keepContent(context, ledger, draft.session_id);
    const { seq, hash } = await write(ledger, { ...draft, payload: { ...payload, ...content } }, context.now());
    return { json: { seq, hash }, text: `${seq} ${hash}\n` };
  } finally {
    await ledger.close();
    undo();
  }
}

type Draft = Omit<NewEntry, 'payload'> & { readonly session_id: string | null };

function parseDraft({ arguments: [kind = ''], values }: Context): Draft {
  if (!isUserKind(kind)) {
    throw new UsageError(
      `append writes only note and kinds that begin with x., not ${JSON.stringify(kind)}: the other kinds mean something, and only their recorders may write them.`,
    );
  }
  const session = values.text('session');
  if (session !== undefined && !isHash(session)) throw new UsageError('--session: not 64 hex digits.');
  const cause = values.text('cause');
  return {
    kind,
    source: values.text('source') ?? 'cli',
    session_id: session ?? null,
    cause: cause === undefined ? null : parseSeq(cause, '--cause'),
  };
}

const writer = new LineWriter();

async function write(ledger: Target, entry: NewEntry, now: number): Promise<Place> {
  try {
    const head = await ledger.append((at) => {
      if (at.seq === 0) throw new StoreError('NOT_FOUND', 'the ledger was not finished: it has no first entry. Run `foil init`.');
      const seq = at.seq + 1;
      const hash = writer.write({ ...entry, ts: new Date(now).toISOString() }, seq, at.hash);
      return { lines: writer.take(), head: { seq, hash } };
    });
    if (head === undefined) throw new TypeError('an entry was given');
    return { seq: head.seq, hash: head.hash };
  } catch (error) {
    // What can't be encoded is what we were given.
    if (error instanceof ParseError) throw new UsageError(`not an entry: ${error.message}.`, { cause: error });
    throw error;
  }
}

/** One payload a line, in batches; each line is acknowledged by its seq and hash. A bad line ends it. */
function appendLines(context: Context, ledger: Target, draft: Draft): Outcome {
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
          const { done, failure } = await writeBatch(ledger, draft, payloads, context.now());
          yield done.map((place) => (json ? `${JSON.stringify(place)}\n` : `${place.seq} ${place.hash}\n`)).join('');
          if (failure ?? problem) throw failure ?? problem;
        }
      }
    } finally {
      undo();
      await ledger.close();
    }
  }
  return { text: acknowledged(), exit: () => (interrupted ? EXIT.INTERRUPTED : EXIT.FINE) };
}

type Place = { readonly seq: number; readonly hash: string };

/** One call an entry, so that each knows its own place; they share one write and one sync. */
async function writeBatch(
  ledger: Target,
  draft: Draft,
  payloads: readonly JsonObject[],
  now: number,
): Promise<{ done: readonly Place[]; failure: unknown }> {
  const places = await Promise.allSettled(payloads.map((payload) => write(ledger, { ...draft, payload }, now)));
  return {
    done: places.flatMap((place) => (place.status === 'fulfilled' ? [place.value] : [])),
    failure: places.find((place) => place.status === 'rejected')?.reason,
  };
}

/** The payloads before the first bad line, and what is wrong with that one. */
function parsePayloads(
  lines: readonly Uint8Array[],
  before: number,
  draft: Draft,
): { payloads: readonly JsonObject[]; problem: UsageError | undefined } {
  const payloads: JsonObject[] = [];
  for (const [index, line] of lines.entries()) {
    const what = `line ${before + index + 1}`;
    try {
      const payload = parsePayload(line, what);
      // At the longest possible seq, so that nothing that passes here can fail behind others that were written.
      new LineWriter().write({ ...draft, payload, ts: EPOCH }, Number.MAX_SAFE_INTEGER, GENESIS);
      payloads.push(payload);
    } catch (error) {
      if (error instanceof UsageError) return { payloads, problem: error };
      return { payloads, problem: new UsageError(`${what}: ${(error as Error).message}.`, { cause: error }) };
    }
  }
  return { payloads, problem: undefined };
}

async function readPayload({ values, cwd, stdin }: Context): Promise<JsonObject> {
  const given = values.text('payload');
  if (given === undefined) return {};
  if (given === '-') return parsePayload(await readBounded(stdin(), MAX_LINE, '--payload -'), '--payload -');
  if (given.startsWith('@')) return parsePayload(readFile(resolve(cwd, given.slice(1)), MAX_LINE, '--payload'), given);
  return parsePayload(Buffer.from(given), '--payload');
}

function parsePayload(bytes: Uint8Array, what: string): JsonObject {
  if (bytes.length > MAX_LINE) throw new UsageError(`${what}: more than ${MAX_LINE} bytes. Keep large things with --content.`);
  let value: unknown;
  try {
    value = JSON.parse(utf8Decode(bytes));
  } catch (cause) {
    throw new UsageError(`${what}: not JSON (${(cause as Error).message}).`, { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new UsageError(`${what}: not an object. Write for example '{"text":"hi"}'.`);
}

/** Durable before the entry that names it. */
async function keepContent({ values, cwd }: Context, ledger: Target, session: string | null): Promise<JsonObject> {
  const file = values.text('content');
  const type = values.text('type');
  if (file === undefined) {
    if (type !== undefined) throw new UsageError('--type is the type of --content, which is missing.');
    return {};
  }
  const bytes = readFile(resolve(cwd, file), MAX_CONTENT, '--content');
  if (ledger.putContent === undefined) throw new TypeError('opened without content');
  const content = encodeContentRef(await ledger.putContent(session, bytes, type === undefined ? {} : { type }));
  return { content };
}
