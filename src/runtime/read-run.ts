// The events of a run as the ledger has them, in order. Every line is proven to be an entry with its hash before it counts,
// every payload to be the one that its event names; whatever else is wrong with a run, the judge says.
import { type Blake3, canonicalize, type Json, type JsonObject, ParseError } from '../core/index.ts';
import {
  type AgentInit,
  type ContentRef,
  EntryScan,
  parseRunEvent,
  parseRunPayload,
  payloadTextOf,
  RUN_EVENT,
  type RunEvent,
} from '../format/index.ts';
import type { LogReader } from '../ledger/index.ts';
import { RunError } from './run-error.ts';

export interface ReadEvent {
  readonly seq: number;
  readonly event: RunEvent;
  /** The canonical JSON of the payload, where that stands in the entry. */
  readonly text: string | null;
}

/** An event, or an entry that is a step of a patch. */
export type ReadStep = ReadEvent | { readonly seq: number; readonly patch: true };

/** Content of the run's session, opened; undefined where it is not here. */
export type ReadContent = (ref: ContentRef) => Promise<Uint8Array | undefined>;

type Log = LogReader;
const LINE_FEED = 0x0a;

/** Events in entries `from` to `to`. Throws ParseError for one that is malformed. */
export async function* readEvents(
  log: Log,
  run: string,
  from: number,
  to: number,
): AsyncGenerator<ReadEvent[]> {
  for await (const steps of readSteps(log, run, from, to)) {
    const events = steps.filter((step) => 'event' in step);
    if (events.length > 0) yield events;
  }
}

/** As readEvents, with the places of patches among them. A ParseError goes to `bad`, and is thrown where nobody asks. */
export async function* readSteps(
  log: Log,
  run: string,
  from: number,
  to: number,
  bad: ((error: ParseError) => void) | null = null,
): AsyncGenerator<ReadStep[]> {
  if (from > to) return;
  const scan = new EntryScan();
  const needle = `"session_id":"${run}"`;
  for await (const bytes of log.read(from, to)) {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    let found: ReadStep[] = [];
    for (let at = piece.indexOf(needle, 0, 'latin1'); at >= 0; ) {
      const start = at === 0 ? 0 : piece.lastIndexOf(LINE_FEED, at - 1) + 1;
      const lineEnd = piece.indexOf(LINE_FEED, at);
      const end = lineEnd < 0 ? piece.length : lineEnd;
      const isOurs = scan.scan(piece, start, end) && scan.sameText(scan.sessionStart, run);
      const { seq, kind } = scan;
      if (isOurs && kind.startsWith('patch.')) found.push({ seq, patch: true });
      else if (isOurs && kind === RUN_EVENT) {
        try {
          if (!scan.hashMatches(start)) throw new ParseError('MALFORMED', "it doesn't match its hash");
          const text = piece.toString('utf8', scan.payloadStart, scan.payloadEnd);
          const event = parseRunEvent(JSON.parse(text) as JsonObject);
          found.push({ seq, event, text: payloadTextOf(event, text) });
        } catch (error) {
          if (!(error instanceof ParseError)) throw error;
          if (found.length > 0) yield found;
          found = [];
          const told = new ParseError(error.code, `entry ${seq}: ${error.message}`);
          if (bad === null) throw told;
          bad(told);
        }
      }
      at = end >= piece.length ? -1 : piece.indexOf(needle, end + 1, 'latin1');
    }
    if (found.length > 0) yield found;
  }
}

/** The first event of a run that begins at or behind entry `from`. */
export async function readInit(
  log: Log,
  run: string,
  from: number,
): Promise<{ init: AgentInit; seq: number }> {
  const { seq: to } = await log.head();
  for await (const [first] of readEvents(log, run, from, to)) {
    if (first === undefined) continue;
    const { event, seq } = first;
    const parsed = event.payload === null ? null : parseRunPayload(event.kind, event.payload);
    if (parsed?.kind === 'AgentInit' && event.sequence === 0) return { init: parsed.init, seq };
    break;
  }
  throw new RunError(
    'NOT_A_RUN',
    `session ${run.slice(0, 16)} is not a run of an agent made with counterfoil/runtime.`,
  );
}

/** Null where it is not here. RunError DIVERGED for one that is not what its event names. */
export async function payloadOf(
  event: RunEvent,
  read: ReadContent,
  hash: Blake3,
): Promise<JsonObject | null> {
  const { payload, content } = event;
  let value: Json = payload;
  if (content !== null) {
    const bytes = await read(content);
    if (bytes === undefined) return null;
    value = JSON.parse(new TextDecoder().decode(bytes)) as Json;
  }
  if (value === null) return null;
  assertHash(event, hash(canonicalize(value)));
  return value as JsonObject;
}

/** The same of a payload that stands in its entry, by the text that it has there. Null for any other. */
export function payloadInEntry({ event, text }: ReadEvent, hash: Blake3): JsonObject | null {
  if (text !== null) assertHash(event, hash(text));
  return event.payload;
}

function assertHash({ run, sequence, payloadHash }: RunEvent, found: string): void {
  if (found !== payloadHash)
    throw new RunError(
      'DIVERGED',
      `the payload of event ${sequence} doesn't match its hash. Run \`foil recover ${run.slice(0, 16)}\` to see what is damaged.`,
    );
}

/** The state that a fork begins with; null for any other run. RunError where it is not here. */
export async function startOf({ parent }: AgentInit, read: ReadContent): Promise<JsonObject | null> {
  if (parent === null) return null;
  const bytes = await read(parent.start);
  if (bytes === undefined)
    throw new RunError('CONTENT_GONE', 'the state that the fork started with is missing.');
  return JSON.parse(new TextDecoder().decode(bytes)) as JsonObject;
}
