// foil show: everything about one entry, or a call by its host's id, or a session. Unverified: that is `foil verify`.
// What was recorded may be hostile, and reaches the terminal only as harmless text.

import { openToRead } from '../../app/index.ts';
import { isObject, StoreError, UsageError } from '../../core/index.ts';
import type { Entry } from '../../format/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import {
  type Content,
  contentReader,
  contentValue,
  type Details,
  findEntries,
  type ReadContent,
  type Related,
  readEntry,
  refsByPath,
  renderDetails,
  tellingContent,
} from '../../report/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';
import { showSession } from './session.ts';

export const show: Command = {
  name: 'show',
  summary: 'show an entry and its content, a tool call and its result, or a session',
  usage: 'ID [--full]',
  arguments: [1, 1],
  options: {
    full: { type: 'boolean', help: 'show all of the content, however long' },
  },
  examples: ['foil show 42', 'foil show toolu_01A2b3', 'foil show 3f9a --json'],
  run,
};

/** Content above this is not read unless all of it is asked for. */
const LARGEST = 1024 * 1024;
/** How far a chain of causes is followed, and how many answers are listed. */
const CHAIN = 32;
const ANSWERS = 1000;

async function run(context: Context): Promise<Outcome> {
  const located = place(context);
  const ledger = openToRead(located);
  const read = contentReader(ledger, located);
  try {
    const found = await find(ledger, context.arguments[0] ?? '');
    if (typeof found === 'string') return await showSession(ledger, context, found);
    const limit = context.values.flag('full') ? Number.MAX_SAFE_INTEGER : LARGEST;
    const details: Details[] = [];
    for (const entry of found) details.push(await detail(ledger, read, entry, limit));
    const [first, ...others] = details.map(encodeDetails);
    return {
      json: others.length === 0 ? first : { ...first, others },
      text: renderAll(details, context),
    };
  } finally {
    await ledger.close();
  }
}

/** A number is an entry's, if there is one; else the beginning of a session's id; else a host's id of a call. */
async function find({ store }: Ledger, id: string): Promise<readonly Entry[] | string> {
  const { seq: last } = await store.head();
  if (/^[1-9]\d{0,15}$/.test(id) && Number(id) <= last) {
    const entry = await readEntry(store, Number(id));
    if (entry === undefined)
      throw new StoreError('DAMAGED', `line ${id} of the ledger isn't an entry. Run \`foil verify\`.`);
    return [entry];
  }
  if (/^[0-9a-f]{1,64}$/.test(id))
    for await (const entry of findEntries(store, 1, last, `"session_id":"${id}`))
      if (entry.session_id?.startsWith(id) === true) return id;
  const found: Entry[] = [];
  // What is not ASCII has one form in canonical JSON, and its bytes are looked for one by one.
  const needle = Buffer.from(`"tool_use_id":${JSON.stringify(id)}`).toString('latin1');
  for await (const entry of findEntries(store, 1, last, needle)) {
    if (entry.payload.tool_use_id === id && found.length < CHAIN) found.push(entry);
  }
  if (found.length > 0) return found;
  if (/^\d+$/.test(id)) {
    if (Number(id) === 0) throw new UsageError('entries are numbered from 1.');
    throw new StoreError('NOT_FOUND', `there is no entry ${id}. The ledger has entries 1 to ${last}.`);
  }
  throw new StoreError(
    'NOT_FOUND',
    `${id} isn't an entry, a session or a tool call of this ledger. See \`foil log\` and \`foil session list\`.`,
  );
}

async function detail(ledger: Ledger, read: ReadContent, entry: Entry, limit: number): Promise<Details> {
  const { store } = ledger;
  const content = new Map<string, Content>();
  for (const [path, ref] of refsByPath(entry.payload)) {
    const found = await read(entry.session_id, ref, limit);
    const erased = found.state === 'gone' && (await isErased(ledger, entry));
    content.set(path, erased ? { state: 'erased', ref } : found);
  }
  const cause: Related[] = [];
  for (let at = entry.cause; at !== null && cause.length < CHAIN; ) {
    const found = await readEntry(store, at);
    if (found === undefined) break;
    cause.push({ entry: found, content: await tellingContent(read, found) });
    at = found.cause;
  }
  const answers: Related[] = [];
  const { seq: last } = await store.head();
  for await (const found of findEntries(store, entry.seq + 1, last, `{"cause":${entry.seq},`)) {
    if (found.cause !== entry.seq || found.session_id !== entry.session_id) continue;
    answers.push({ entry: found, content: await tellingContent(read, found) });
    if (answers.length === ANSWERS) break;
  }
  return { entry, content, cause, answers, sealed: await sealedBy(ledger, entry.seq) };
}

/** Does a tombstone behind the entry name its session? Unverified, like everything here. */
async function isErased({ store }: Ledger, { seq, session_id: session }: Entry): Promise<boolean> {
  const { seq: last } = await store.head();
  for await (const { kind, payload } of findEntries(store, seq + 1, last, `"session":"${session}"`)) {
    const { sessions } = payload;
    const names = Array.isArray(sessions) ? sessions : [];
    if (kind === 'erase' && names.some((each) => isObject(each) && each.session === session)) return true;
  }
  return false;
}

async function sealedBy(ledger: Ledger, seq: number): Promise<number | null | undefined> {
  try {
    const size = (await ledger.sealed())?.checkpoint.size ?? 0;
    return size >= seq ? size : null;
  } catch {
    return undefined;
  }
}

function* renderAll(
  details: readonly Details[],
  { values, paint, columns, now }: Context,
): Generator<string> {
  let first = true;
  for (const each of details) {
    if (!first) yield '\n';
    first = false;
    yield* renderDetails(each, { paint, columns }, values.flag('full'), now());
  }
}

function encodeDetails({ entry, content, cause, answers, sealed }: Details): Record<string, unknown> {
  return {
    entry,
    content: Object.fromEntries([...content].map(([path, each]) => [path, encodeContent(each)])),
    cause: cause.map((related) => related.entry),
    answers: answers.map((related) => related.entry),
    sealed: sealed === undefined ? null : sealed !== null,
  };
}

/** `value` is JSON or a string; where the bytes are neither, `base64`. */
function encodeContent(content: Content): Record<string, unknown> {
  const { state, ref } = content;
  const facts = { state, bytes: ref.bytes, type: ref.type ?? null };
  if (content.state !== 'kept') return facts;
  const value = contentValue(content.bytes, ref.type);
  return {
    ...facts,
    ...(value === undefined ? { base64: Buffer.from(content.bytes).toString('base64') } : { value }),
  };
}
