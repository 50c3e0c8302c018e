// The ledger's entries as a watchdog's events, JSON lines: the life of sessions, what should have stopped somebody
// (Alert), and what is not as it should be (Anomaly). Each names its entry by seq and hash, so that who acts on it can
// have it proven. docs/formats.md lists them. Words that people or agents chose are left out, names of tools and
// models aside.
import { type Json, type JsonObject, ParseError } from '../core/index.ts';
import type { Entry } from '../format/index.ts';
import { cut } from '../format/index.ts';
import type { GentlyEvent } from './gently.ts';
import type { EventExport } from './gently-export.ts';
import { type SessionEvent, sessionEventReader } from './session-events.ts';

const CODES = {
  Alert: 0x01,
  Anomaly: 0x02,
  SessionStart: 0x10,
  SessionEnd: 0x11,
  PromptSubmit: 0x12,
  ResponseReceive: 0x13,
  AuthValidate: 0x14,
  BtcAnchor: 0x15,
} as const;

type Name = keyof typeof CODES;

interface Noticed {
  readonly name: Name;
  readonly details: JsonObject;
}

/** Branches have no code of their own: the session's start names them. */
const NAMES: Readonly<Partial<Record<GentlyEvent, Name>>> = {
  session_start: 'SessionStart',
  session_end: 'SessionEnd',
  prompt: 'PromptSubmit',
  response: 'ResponseReceive',
  auth_validate: 'AuthValidate',
  auth_fail: 'Alert',
  btc_anchor: 'BtcAnchor',
};

const alert = (details: JsonObject): Noticed => ({ name: 'Alert', details });
const anomaly = (details: JsonObject): Noticed => ({ name: 'Anomaly', details });

/** The verdicts of the gate that are no pass; in observe it warns where it would have blocked. */
const STOPPED = ['block', 'warn', 'unproven'];

const READERS: Readonly<Record<string, (payload: JsonObject) => Noticed | null>> = {
  gate: ({ verdict, blocks }) => {
    const details = only({ verdict, blocks });
    if (verdict === 'ungated') return anomaly(details);
    return typeof verdict === 'string' && STOPPED.includes(verdict) ? alert(details) : null;
  },
  'tool.denied': ({ tool, by }) => (by === 'foil' ? alert(only({ tool, by })) : null),
  override: ({ phrase }) => alert(only({ phrase })),
  'session.cut': ({ reason, interactions }) => anomaly(only({ reason, interactions })),
  gap: ({ reason, events }) => anomaly(only({ reason, events })),
  crash: ({ hook, event }) => anomaly(only({ hook, event })),
  // A host's notices are everyday; of ours, that somebody has seen what was told is good news.
  notice: ({ origin, notice, count }) =>
    origin === 'foil' && typeof notice === 'string' && !notice.endsWith('.ack')
      ? anomaly(only({ notice, count }))
      : null,
  observation: ({ event, problem }) =>
    typeof problem === 'string' ? anomaly(only({ event, problem })) : null,
  'tool.result': ({ tool, repeated }) => (repeated === true ? anomaly(only({ tool, repeated })) : null),
};

export function exportWatchdog(): EventExport {
  let malformed = 0;
  const read = sessionEventReader();
  return {
    add(entry) {
      try {
        const noticed = noticedIn(entry, read);
        return noticed === null ? '' : `${quiet(JSON.stringify(eventOf(entry, noticed)))}\n`;
      } catch (error) {
        if (!(error instanceof ParseError)) throw error;
        malformed++;
        return '';
      }
    },
    get malformed() {
      return malformed;
    },
  };
}

/** The same JSON, without what a terminal would act on: JSON itself escapes only the older half of the controls. */
function quiet(json: string): string {
  return json.replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    Array.from(
      { length: found.length },
      (_, i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

function noticedIn(entry: Entry, read: (entry: Entry) => SessionEvent | null): Noticed | null {
  const { kind, payload } = entry;
  const found = read(entry);
  if (Object.hasOwn(READERS, kind)) return READERS[kind]?.(payload) ?? null;
  const name = found === null ? undefined : NAMES[found.event];
  return found === null || name === undefined ? null : { name, details: { ...found.details } };
}

function eventOf({ ts, session_id, seq, entry_hash, kind }: Entry, { name, details }: Noticed): JsonObject {
  const code = `0x${CODES[name].toString(16).padStart(2, '0')}`;
  return { code, name, time: ts, session: session_id, seq, entry_hash, kind, details };
}

const LONGEST = 256;

/** Words and numbers as they are; what is neither has no place in an event. */
function only(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const said: { [name: string]: Json } = {};
  for (const [name, value] of Object.entries(members))
    said[name] =
      typeof value === 'string'
        ? cut(value, LONGEST)
        : typeof value === 'number' || typeof value === 'boolean'
          ? value
          : null;
  return said;
}
