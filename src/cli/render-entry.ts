// An entry as one line for a person: number, time, kind, session, and what its payload says, in short.
import type { Json, JsonObject } from '../core/index.ts';
import { type Entry, originOf } from '../format/index.ts';
import type { Paint } from './command.ts';
import { counted, harmless, shorten } from './text.ts';

const SEQ_WIDTH = 7;
const KIND_WIDTH = 13;
/** Of a summary where there is no terminal to fit. */
const DEFAULT_WIDTH = 100;
const LEAST_WIDTH = 20;

export function renderEntry(entry: Entry, paint: Paint, columns?: number): string {
  const seq = String(entry.seq).padStart(SEQ_WIDTH);
  const time = `${entry.ts.slice(0, 10)} ${entry.ts.slice(11, 19)}Z`;
  const session = entry.session_id === null ? '-'.padEnd(8) : entry.session_id.slice(0, 8);
  const kind = entry.kind.padEnd(KIND_WIDTH);
  const used = seq.length + time.length + session.length + kind.length + 8;
  const width = columns === undefined ? DEFAULT_WIDTH : Math.max(LEAST_WIDTH, columns - used);
  const summary = shorten(harmless(summarize(entry)), width);
  return `${paint.bold(seq)}  ${paint.dim(time)}  ${kind}  ${paint.dim(session)}  ${summary}`.trimEnd();
}

export function renderUnreadable(seq: number, bytes: number, paint: Paint): string {
  return `${String(seq).padStart(SEQ_WIDTH)}  ${paint.red(`not an entry (${counted(bytes, 'byte')}): run foil verify`)}`;
}

/** Not yet harmless. */
function summarize({ kind, payload, entry_hash }: Entry): string {
  switch (kind) {
    case 'ledger.open':
      return `${originOf(entry_hash)}, key ${short(payload.public_key)}`;
    case 'key.rotate':
      return `new key ${short(payload.public_key)}`;
    case 'gap':
      if (payload.reason === 'off' || payload.reason === 'unrecorded') {
        const events = typeof payload.events === 'number' ? counted(payload.events, 'event') : 'events';
        return `${payload.reason === 'off' ? 'recording was off' : `${events} not recorded`}: ${payload.why}`;
      }
      return payload.reason === 'lost'
        ? payload.from === payload.to
          ? `entry ${payload.from} lost`
          : `entries ${payload.from} to ${payload.to} lost`
        : `${payload.bytes} torn bytes in ${payload.file}`;
    case 'archive':
      return Array.isArray(payload.files)
        ? `${counted(payload.files.length, 'segment')} gzipped`
        : members(payload);
    default:
      return members(payload);
  }
}

/** The text where there is one, then the other members as name=value. */
function members(payload: JsonObject): string {
  const { text, ...rest } = payload;
  const others = Object.entries(typeof text === 'string' ? rest : payload).map(
    ([name, value]) => `${name}=${brief(value)}`,
  );
  return [...(typeof text === 'string' ? [text] : []), ...others].join(' ');
}

function brief(value: Json): string {
  if (typeof value === 'object' && value !== null && '$content' in value) {
    return `<${counted(Number(value.bytes), 'byte')}${typeof value.type === 'string' ? ` ${value.type}` : ''}>`;
  }
  return typeof value === 'string' && /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value);
}

function short(value: Json | undefined): string {
  return typeof value === 'string' ? value.slice(0, 16) : '?';
}
