// foil append: one entry, or one for each line of standard input. Only kinds that anybody may write: the others mean
// something, and only their recorders may say it. An entry is acknowledged once it is durable, never before.
// foil.cjs runs it with the log alone; what is in append-more.ts it leaves to the whole command.
import { resolve } from 'node:path';
import { utf8Decode } from '#platform';
import { readBounded, readFile } from '../../app/index.ts';
import { isHash, type JsonObject, ParseError, StoreError, UsageError } from '../../core/index.ts';
import { contentRefs, isUserKind, MAX_LINE } from '../../format/index.ts';
import { encodeBlock, type NewEntry, type Store } from '../../ledger/index.ts';
import { parseSeq } from '../arguments.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';

/** What a plain append needs of a store. */
export type Log = Pick<Store, 'append' | 'close'>;

/** What --lines and --content do. */
export interface More {
  lines(context: Context, directory: string, draft: EntryDraft): Outcome;
  keepContent(context: Context, directory: string, session: string | null): Promise<JsonObject>;
}

/** Whether the options ask for more than a plain append. Generous: the whole command can do everything. */
export function wantsMore(words: readonly string[]): boolean {
  return words.some((word) => /^(-h|--help|--content|--type|--lines)/.test(word));
}

/** The command, on a log opened by `open`. Without `more`, what wantsMore says yes to must not get here. */
export const makeAppend = (open: (directory: string) => Log, more?: More): Command => ({
  name: 'append',
  summary: 'write your own entry (a note, or a kind that begins with x.)',
  usage: 'KIND [--payload JSON|@FILE|-] [options]',
  arguments: [1, 1],
  options: {
    payload: {
      type: 'string',
      value: 'JSON',
      help: 'a JSON object; @FILE reads a file, - reads standard input (default {})',
    },
    lines: {
      type: 'boolean',
      help: 'read one payload per line from standard input; each is acknowledged once it is durable',
    },
    session: { type: 'string', value: 'HEX', help: 'the session the entry belongs to, 64 hex digits' },
    cause: { type: 'string', value: 'SEQ', help: 'the earlier entry that this one answers' },
    source: { type: 'string', value: 'NAME', help: 'who saw it (default cli)' },
    content: { type: 'string', value: 'FILE', help: 'keep this file; payload.content commits to it' },
    type: { type: 'string', value: 'T', help: 'the media type of the content' },
  },
  examples: [
    `foil append note --payload '{"text":"deployed v2"}'`,
    'foil append x.build --payload @result.json --content build.log --type text/plain',
    'generate | foil append x.metric --lines',
  ],
  run: (context) => run(context, open, more),
});

async function run(
  context: Context,
  open: (directory: string) => Log,
  more: More | undefined,
): Promise<Outcome> {
  const draft = parseDraft(context);
  const { directory } = place(context);
  if (more !== undefined && context.values.flag('lines')) return more.lines(context, directory, draft);
  const payload = await readPayload(context);
  if (context.values.flag('content') && Object.hasOwn(payload, 'content')) {
    throw new UsageError('--content would replace payload.content. Give that member another name.');
  }
  const log = open(directory);
  // Ctrl-C waits for the write: whoever asked for an entry gets to know whether there is one.
  const undo = context.onInterrupt(() => undefined);
  try {
    const content = await more?.keepContent(context, directory, draft.session_id);
    const { seq, hash } = await writeEntry(
      log,
      { ...draft, payload: { ...payload, ...content } },
      context.now(),
    );
    return { json: { seq, hash }, text: `${seq} ${hash}\n` };
  } finally {
    await log.close();
    undo();
  }
}

/** Where an entry stands. */
export type Place = { readonly seq: number; readonly hash: string };

/** All of an entry but its payload. */
export type EntryDraft = Omit<NewEntry, 'payload'> & { readonly session_id: string | null };

function parseDraft({ arguments: [kind = ''], values }: Context): EntryDraft {
  if (!isUserKind(kind)) {
    throw new UsageError(
      `can't append an entry of kind ${JSON.stringify(kind)}. Use note, or a kind that begins with x. Only foil itself writes the other kinds.`,
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

/** Durable when it resolves. */
export async function writeEntry(log: Log, entry: NewEntry, now: number): Promise<Place> {
  try {
    const head = await log.append((at) => {
      if (at.seq === 0)
        throw new StoreError(
          'NOT_FOUND',
          'the ledger has no first entry, because making it was interrupted. Run `foil init` again.',
        );
      return encodeBlock([entry], at, now);
    });
    if (head === undefined) throw new TypeError('an entry was given');
    return { seq: head.seq, hash: head.hash };
  } catch (error) {
    // What can't be encoded is what we were given.
    if (error instanceof ParseError)
      throw new UsageError(`not an entry: ${error.message}.`, { cause: error });
    throw error;
  }
}

async function readPayload({ values, cwd, stdin }: Context): Promise<JsonObject> {
  const given = values.text('payload');
  if (given === undefined) return {};
  if (given === '-') return parsePayload(await readBounded(stdin(), MAX_LINE, '--payload -'), '--payload -');
  if (given.startsWith('@'))
    return parsePayload(readFile(resolve(cwd, given.slice(1)), MAX_LINE, '--payload'), given);
  return parsePayload(Buffer.from(given), '--payload');
}

export function parsePayload(bytes: Uint8Array, what: string): JsonObject {
  if (bytes.length > MAX_LINE)
    throw new UsageError(`${what}: more than ${MAX_LINE} bytes. Use --content for large data.`);
  let value: unknown;
  try {
    value = JSON.parse(utf8Decode(bytes));
  } catch (cause) {
    throw new UsageError(`${what}: not JSON (${(cause as Error).message}).`, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${what}: not a JSON object. Example: '{"text":"hi"}'.`);
  }
  return assertRefs(value as JsonObject, what);
}

/** What looks like a reference to content must be one: a verifier takes a malformed one for damage. */
function assertRefs(payload: JsonObject, what: string): JsonObject {
  try {
    contentRefs(payload);
    return payload;
  } catch (cause) {
    throw new UsageError(
      `${what}: ${(cause as Error).message}. The member name $content is reserved for references to content.`,
      {
        cause,
      },
    );
  }
}
