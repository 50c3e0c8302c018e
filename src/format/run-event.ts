// `run.event`: one event of a run, with the members that every kind has. What stands in its payload is for run-payloads.ts.
// spec/run.md. Nothing here is believed: whether an event follows from the one before it is for rules/run/.
import { canonicalize, isHash, type JsonObject, ParseError } from '../core/index.ts';
import { asContentRef, assertContentRefs, type ContentRef, encodeContentRef } from './content.ts';
import { MAX_DEPTH, PayloadText } from './entry.ts';
import { count, exactly, hash, object, oneOf, orNull, shortText } from './members.ts';

/** The kind of entry. */
export const RUN_EVENT = 'run.event';
/** What the key of a run's hashes is derived for, from the session's salt. */
export const RUN_KEY = 'run';

export const RUN_EVENT_KINDS = [
  'AgentInit',
  'Observation',
  'Decision',
  'ToolCall',
  'ToolResult',
  'Denial',
  'MemoryWrite',
  'Snapshot',
  'Recovery',
  'Final',
] as const;
export type RunEventKind = (typeof RUN_EVENT_KINDS)[number];

export interface RunEvent {
  /** The id of the run, which is that of its session. */
  readonly run: string;
  readonly sequence: number;
  readonly parent: string | null;
  readonly kind: RunEventKind;
  /** As it stands in the entry; null where it is content, or is not kept. */
  readonly payload: JsonObject | null;
  readonly content: ContentRef | null;
  readonly payloadHash: string;
  readonly stateBefore: string | null;
  readonly stateAfter: string;
  readonly cause: string | null;
}

const MEMBERS = [
  'id',
  'parent_id',
  'timestamp',
  'kind',
  'payload',
  'payload_hash',
  'state_hash_before',
  'state_hash_after',
  'causal_event_id',
];
/** How the payload of an event is written: the entry and the event around it count as well. */
export const EVENT_CANONICAL = { maxDepth: MAX_DEPTH - 2, safeIntegers: true } as const;
/** 64 digits, a colon, and a safe integer. */
const LONGEST_ID = 81;

export function runEventId(run: string, sequence: number): string {
  return `${run}:${sequence}`;
}

/** Null for anything else than what runEventId gives. */
export function parseRunEventId(text: string): { readonly run: string; readonly sequence: number } | null {
  if (text.length > LONGEST_ID) return null;
  const colon = text.indexOf(':');
  const run = text.slice(0, colon);
  const digits = text.slice(colon + 1);
  const sequence = Number(digits);
  if (!isHash(run) || !Number.isSafeInteger(sequence) || sequence < 0) return null;
  return String(sequence) === digits ? { run, sequence } : null;
}

/** In the order of canonical JSON, which is quicker to write then. */
export function encodeRunEvent(event: RunEvent): JsonObject {
  const { run, sequence, content } = event;
  return {
    causal_event_id: event.cause,
    id: runEventId(run, sequence),
    kind: event.kind,
    parent_id: event.parent,
    payload: content === null ? event.payload : encodeContentRef(content),
    payload_hash: event.payloadHash,
    state_hash_after: event.stateAfter,
    state_hash_before: event.stateBefore,
    timestamp: { run_id: run, sequence },
  };
}

/**
 * The canonical JSON of what encodeRunEvent gives, from the text of the event's payload, which is hashed and so is there
 * already. `text` must be as EVENT_CANONICAL has it; null where it is content, or not kept. Throws ParseError where it
 * holds a malformed reference.
 */
export function encodeRunEventText(event: Omit<RunEvent, 'payload'>, text: string | null): PayloadText {
  const { run, sequence, content } = event;
  if (text?.includes('"$content"') === true) assertContentRefs(JSON.parse(text) as JsonObject);
  const inner = content === null ? text : canonicalize(encodeContentRef(content));
  return new PayloadText(
    `{"causal_event_id":${quoted(event.cause)},"id":"${runEventId(run, sequence)}","kind":"${event.kind}","parent_id":${quoted(event.parent)},"payload":${inner},"payload_hash":"${event.payloadHash}","state_hash_after":"${event.stateAfter}","state_hash_before":${quoted(event.stateBefore)},"timestamp":{"run_id":"${run}","sequence":${sequence}}}`,
  );
}

/** Of what stands behind the payload in an event, without hashes, ids and the sequence. */
const BEHIND_PAYLOAD =
  ',"payload_hash":"","state_hash_after":"","state_hash_before":,"timestamp":{"run_id":"","sequence":}}';

/**
 * The text that encodeRunEventText was given, from what it gave; null where there was none. `text` must be proven to be
 * canonical, as the payload of an entry is, and `event` parsed from it: then no word in the payload can be taken for a member.
 */
export function payloadTextOf({ payload, sequence, stateBefore }: RunEvent, text: string): string | null {
  if (payload === null) return null;
  const start = text.indexOf(PAYLOAD_NAME) + PAYLOAD_NAME.length;
  const behind = BEHIND_PAYLOAD.length + 3 * 64 + quoted(stateBefore).length + String(sequence).length;
  return text.slice(start, text.length - behind);
}

const PAYLOAD_NAME = '"payload":';

/** Ids and hashes need no escapes. */
function quoted(text: string | null): string {
  return text === null ? 'null' : `"${text}"`;
}

/** Throws ParseError. */
export function parseRunEvent(payload: JsonObject): RunEvent {
  exactly(payload, MEMBERS);
  const id = shortText(payload, 'id', LONGEST_ID);
  const path = 'payload.timestamp';
  const timestamp = object(payload, 'timestamp');
  exactly(timestamp, ['run_id', 'sequence'], path);
  const run = hash(timestamp, 'run_id', path);
  const sequence = count(timestamp, 'sequence', path);
  if (id !== runEventId(run, sequence))
    throw new ParseError('BAD_MEMBER', 'not the id that the timestamp gives', 'payload.id');
  const inner = orNull(payload, 'payload', () => object(payload, 'payload'));
  const content = inner === null ? null : (asContentRef(inner) ?? null);
  return {
    run,
    sequence,
    parent: orNull(payload, 'parent_id', () => eventId(payload, 'parent_id')),
    kind: oneOf(payload, 'kind', RUN_EVENT_KINDS),
    payload: content === null ? inner : null,
    content,
    payloadHash: hash(payload, 'payload_hash'),
    stateBefore: orNull(payload, 'state_hash_before', () => hash(payload, 'state_hash_before')),
    stateAfter: hash(payload, 'state_hash_after'),
    cause: orNull(payload, 'causal_event_id', () => eventId(payload, 'causal_event_id')),
  };
}

function eventId(payload: JsonObject, name: string): string {
  const value = shortText(payload, name, LONGEST_ID);
  if (parseRunEventId(value) === null)
    throw new ParseError('BAD_MEMBER', 'not the id of an event', `payload.${name}`);
  return value;
}
