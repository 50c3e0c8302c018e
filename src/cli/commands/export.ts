// foil export: a whole run, or any other session, as one JSON document for somebody else's tools. It proves nothing: `foil
// certify` and `foil bundle create` are for that. Content goes along as it was recorded, so redacted; what is not kept is named.

import { findSession, reading, withLedger } from '../../app/index.ts';
import { canonicalize, encodeBase64, type Json, type JsonObject, UsageError } from '../../core/index.ts';
import { contentRefs, type Entry, MAX_CONTENT } from '../../format/index.ts';
import type { Ledger, Located } from '../../ledger/index.ts';
import {
  type Content,
  contentReader,
  counted,
  parseLine,
  type ReadContent,
  scanLines,
} from '../../report/index.ts';
import { openKeyring } from '../../store/files/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { giveOut } from '../custody.ts';
import { place } from '../place.ts';

export const exportRun: Command = {
  name: 'export',
  summary: 'write a whole run as a single JSON document',
  usage: 'RUN [--format json] [--output FILE] [options]',
  arguments: [1, 1],
  options: {
    format: { type: 'string', value: 'NAME', help: 'json, the only format' },
    output: { type: 'string', value: 'FILE', help: 'where to write, instead of standard output' },
    for: { type: 'string', value: 'NAME', help: 'who gets the file, for the record' },
  },
  examples: [
    'foil export 9d5e --format json > run_export.json',
    'foil export 9d5e --output run.json --for "Auditors Ltd"',
  ],
  notes: [
    'The document has every entry of the run and the content that is kept. The ledger records that you gave it out, in an',
    "entry of kind custody, unless the ledger belongs to somebody else, so that its key isn't here.",
  ],
  run,
};

export const EXPORT_SCHEMA = 'run_export.v1';

async function run(context: Context): Promise<Outcome> {
  const { values, cwd } = context;
  const format = values.text('format') ?? 'json';
  if (format !== 'json')
    throw new UsageError(`--format: ${JSON.stringify(format)} is not a known format. Use json.`);
  const file = values.text('output') ?? '-';
  const located = place(context);
  const isOwn = await isOurs(located);
  return (isOwn ? withLedger : reading)(located, async (ledger) => {
    const session = await findSession(ledger, context, context.arguments[0]);
    const { document, entries } = await exported(
      ledger,
      located,
      session.id,
      new Date(context.now()).toISOString(),
    );
    const bytes = new TextEncoder().encode(`${canonicalize(document)}\n`);
    const given = {
      run: session.id,
      form: EXPORT_SCHEMA,
      bytes,
      file,
      recipient: values.text('for') ?? null,
    } as const;
    const custody = await giveOut(isOwn ? ledger : null, given, cwd);
    if (file === '-') return { text: bytes };
    const told =
      custody === null
        ? "This isn't recorded, because the ledger belongs to somebody else."
        : `Entry ${custody} records that it was given out.`;
    return {
      json: { run: session.id, file, bytes: bytes.length, entries, custody },
      text: `${file}: ${counted(entries, 'entry', 'entries')}, ${bytes.length} bytes\n${told}\n`,
    };
  });
}

/** Whether a key of the ledger is here. */
async function isOurs(located: Located): Promise<boolean> {
  const { origin } = await reading(located, (ledger) => ledger.identity());
  return (await openKeyring(located.keyDirectory).list(origin)).length > 0;
}

async function exported(
  ledger: Ledger,
  located: Located,
  run: string,
  at: string,
): Promise<{ document: JsonObject; entries: number }> {
  const { store } = ledger;
  const read = contentReader(ledger, located);
  const entries: Json[] = [];
  const content: Record<string, Json> = {};
  for await (const lines of scanLines(store, 1, (await store.head()).seq))
    for (const line of lines) {
      const entry = line.session === run ? parseLine(line) : undefined;
      if (entry === undefined) continue;
      entries.push({ ...entry });
      await addContent(content, entry, read);
    }
  const { origin } = await ledger.identity();
  return {
    document: { schema: EXPORT_SCHEMA, run_id: run, origin, exported: at, entries, content },
    entries: entries.length,
  };
}

async function addContent(content: Record<string, Json>, entry: Entry, read: ReadContent): Promise<void> {
  for (const ref of contentRefs(entry.payload)) {
    const name = `${ref.algorithm}:${ref.hash}`;
    if (!Object.hasOwn(content, name)) content[name] = shown(await read(entry.session_id, ref, MAX_CONTENT));
  }
}

/** Text as text; anything else in base64. */
function shown(found: Content): JsonObject {
  const type = found.ref.type ?? null;
  if (found.state !== 'kept') return { type, missing: found.state };
  try {
    return { type, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(found.bytes) };
  } catch {
    return { type, base64: encodeBase64(found.bytes) };
  }
}
