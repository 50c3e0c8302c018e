// A message of a recorded call, as the ledger has it: redacted, and once for all the calls that send it again. It is what a
// replay shows beside the message that the agent sends instead; whether the two are the same is decided by digests.
import { canonicalize, isObject, type Json, type JsonObject } from '../core/index.ts';
import type { Entry } from '../format/index.ts';
import { contentValue, type ReadContent, refOf } from './content.ts';

const LARGEST = 16 * 1024 * 1024;
/** Calls that go on from one another. */
const LONGEST_CHAIN = 10_000;

/**
 * The message that stands so many places before the end of the list that the call numbered so sends: 1 for the last. Undefined
 * where it is not kept. `calls`: the entries of the session's calls.
 */
export async function recordedMessage(
  session: string,
  calls: readonly Entry[],
  { seq, fromEnd }: { readonly seq: number; readonly fromEnd: number },
  content: ReadContent,
): Promise<Json | undefined> {
  let at = seq;
  let place = Number.NaN;
  for (let steps = 0; steps < LONGEST_CHAIN; steps++) {
    const messages = calls.find((call) => call.seq === at)?.payload.messages;
    if (!isObject(messages)) return undefined;
    const { base, kept, count } = messages;
    if (Number.isNaN(place)) place = Number(count) - fromEnd;
    if (typeof base === 'number' && place < Number(kept)) {
      at = base;
      continue;
    }
    const added = await listOf(session, messages, content);
    const message = added[place - (typeof base === 'number' ? Number(kept) : 0)];
    return isObject(message) ? readAt(session, message.content, content) : undefined;
  }
  return undefined;
}

async function listOf(
  session: string,
  { added, more }: JsonObject,
  content: ReadContent,
): Promise<readonly Json[]> {
  const listed = added ?? (await readAt(session, more, content));
  return Array.isArray(listed) ? (listed as readonly Json[]) : [];
}

async function readAt(
  session: string,
  value: Json | undefined,
  content: ReadContent,
): Promise<Json | undefined> {
  const ref = refOf(value);
  if (ref === undefined) return undefined;
  const found = await content(session, ref, LARGEST);
  return found.state === 'kept' ? contentValue(found.bytes, found.ref.type) : undefined;
}

/** How much is shown before and behind the first character that differs. */
const BEFORE = 60;
const BEHIND = 240;

/** The two texts from shortly before they part. */
export function wherePart(
  recorded: string,
  now: string,
): { readonly recorded: string; readonly now: string } {
  let at = 0;
  while (at < recorded.length && recorded[at] === now[at]) at++;
  const cut = (text: string): string => {
    const [from, to] = [Math.max(0, at - BEFORE), at + BEHIND];
    return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`.toWellFormed();
  };
  return { recorded: cut(recorded), now: cut(now) };
}

/** In the form in which parts of a request are compared. */
export function comparable(value: Json, normal: (text: string) => string): string {
  return normal(canonicalize(value));
}
