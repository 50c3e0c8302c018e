// What entries of a ledger keep, read back from its files.
import type { Json, JsonObject } from '../../src/core/index.ts';
import { type Entry, parseContentRef } from '../../src/format/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';

/** What a reference leads to, parsed where it is JSON. */
export async function contentAt(directory: string, session: string | null, given: unknown): Promise<Json> {
  const ref = parseContentRef(given as JsonObject);
  const store = openFileStore(directory);
  try {
    const text = Buffer.from((await store.getContent(session, ref)) ?? []).toString();
    return ref.type === 'application/json' ? (JSON.parse(text) as Json) : text;
  } finally {
    await store.close();
  }
}

/** Of each observation: what happened, and what is kept of it. */
export async function observed(
  directory: string,
  entries: readonly Entry[],
): Promise<{ event: Json; problem: Json; wire: JsonObject; content: Json }[]> {
  const all = [];
  for (const { kind, payload, session_id } of entries) {
    if (kind !== 'observation') continue;
    const { event = null, problem = null, wire = {}, content } = payload;
    const kept = content === null ? null : await contentAt(directory, session_id, content);
    all.push({ event, problem, wire: wire as JsonObject, content: kept });
  }
  return all;
}

/** Messages that a model.call adds, with what is kept of them. */
export async function messagesIn(directory: string, call: Entry | undefined): Promise<[string, Json][]> {
  if (call === undefined) throw new Error('no call');
  const { added } = call.payload.messages as { added: { role: string; content: JsonObject }[] };
  const all: [string, Json][] = [];
  for (const { role, content } of added)
    all.push([role, await contentAt(directory, call.session_id, content)]);
  return all;
}
