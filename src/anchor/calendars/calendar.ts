// One question to one OpenTimestamps calendar. A calendar is a stranger: it may be slow, silent, redirect elsewhere, send
// a page or a megabyte. Whatever it does becomes a word, within seconds and 10,000 bytes; nothing here throws. Whether an
// answer proves anything is not decided here.
import { encodeHex, MAX_ANSWER_BYTES } from '../../core/index.ts';

export type CalendarProblem =
  | 'address' // not an address that a calendar can have
  | 'not-configured' // the proof names a calendar that nobody here chose
  | 'unreachable' // no connection, no such host, a certificate that is not right
  | 'time-out'
  | 'stopped' // we had to leave
  | 'redirect' // sends us elsewhere, and is not followed
  | 'refused' // an HTTP status that is no answer
  | 'too-large' // more than 10,000 bytes, or more than fits into the proof
  | 'not-a-proof' // HTML, cut short, of an unknown form, promises nothing
  | 'premature' // names a block for what was new a moment ago
  | 'no-header' // names a block whose header nobody could give
  | 'bad-header' // the header that was given is none of Bitcoin's
  | 'other-root'; // leads to something that is not the root of that block: an answer for another commitment

/** What became of asking a calendar. `pending`: it has nothing yet. */
export type CalendarReply =
  | { readonly calendar: string; readonly outcome: 'answer'; readonly bytes: Uint8Array }
  | { readonly calendar: string; readonly outcome: 'pending' }
  | CalendarFailure;

export interface CalendarFailure {
  readonly calendar: string;
  readonly outcome: 'problem';
  readonly problem: CalendarProblem;
  /** For people; may hold what a stranger sent, so it is shown with care. */
  readonly message: string;
}

export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for all of it: connecting, waiting, reading. */
  readonly timeout?: number | undefined;
}

const TIMEOUT = 5000;
const ACCEPT = 'application/vnd.opentimestamps.v1';
const LONGEST_ADDRESS = 1000;
const OPENTIMESTAMPS = [
  'https://alice.btc.calendar.opentimestamps.org',
  'https://bob.btc.calendar.opentimestamps.org',
];

/**
 * The address as it is asked and compared, or undefined: http or https as written, a host, perhaps a path; no user, no
 * query. Nothing is made up: an address without a scheme is none.
 */
export function calendarAddress(text: string): string | undefined {
  if (text.length > LONGEST_ADDRESS || !/^https?:\/\/[A-Za-z0-9._\-/:[\]]+$/.test(text)) return undefined;
  return URL.canParse(text) ? text.replace(/\/+$/, '') : undefined;
}

/** Who hands digests on, and to whom: whoever chooses a pool chooses these, which then keep its promises. */
const POOLS: Readonly<Record<string, readonly string[]>> = {
  'https://a.pool.opentimestamps.org': OPENTIMESTAMPS,
  'https://b.pool.opentimestamps.org': OPENTIMESTAMPS,
  'https://a.pool.eternitywall.com': ['https://finney.calendar.eternitywall.com'],
  'https://ots.btc.catallaxy.com': ['https://btc.calendar.catallaxy.com'],
};

/** The addresses that may be asked after a promise, by those that the user chose. */
export function chosenAddresses(calendars: readonly string[]): ReadonlySet<string> {
  const addresses = calendars.flatMap((calendar) => calendarAddress(calendar) ?? []);
  return new Set(addresses.flatMap((address) => [address, ...(POOLS[address] ?? [])]));
}

/** Sends 32 bytes that the calendar is to stamp. */
export function submitDigest(
  calendar: string,
  digest: Uint8Array,
  options?: AskOptions,
): Promise<CalendarReply> {
  return ask(calendar, '/digest', { method: 'POST', body: digest }, options);
}

/** What the calendar has by now for a message that it promised to stamp. */
export function fetchTimestamp(
  calendar: string,
  message: Uint8Array,
  options?: AskOptions,
): Promise<CalendarReply> {
  return ask(calendar, `/timestamp/${encodeHex(message)}`, { method: 'GET' }, options);
}

async function ask(
  calendar: string,
  path: string,
  { method, body }: { method: 'GET' | 'POST'; body?: Uint8Array },
  { signal, timeout = TIMEOUT }: AskOptions = {},
): Promise<CalendarReply> {
  const address = calendarAddress(calendar);
  if (address === undefined)
    return failure(calendar, 'address', "not a calendar's address; write https://HOST");
  const late = AbortSignal.timeout(timeout);
  try {
    const response = await fetch(`${address}${path}`, {
      method,
      // A redirect could send what is asked, and the answer's name, to somebody whom nobody chose.
      redirect: 'manual',
      headers: {
        accept: ACCEPT,
        'accept-encoding': 'identity',
        'user-agent': 'counterfoil',
        ...(body === undefined ? {} : { 'content-type': 'application/octet-stream' }),
      },
      ...(body === undefined ? {} : { body: Uint8Array.from(body) }),
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    });
    const { status } = response;
    if (status !== 200) await response.body?.cancel();
    if (status === 404 && method === 'GET') return { calendar, outcome: 'pending' };
    if (status >= 300 && status < 400)
      return failure(calendar, 'redirect', `answers with a redirect (${status})`);
    if (status !== 200) return failure(calendar, 'refused', `answers with HTTP ${status}`);
    const bytes = await readBounded(response);
    return bytes === undefined
      ? failure(calendar, 'too-large', `answers with more than ${MAX_ANSWER_BYTES} bytes`)
      : { calendar, outcome: 'answer', bytes };
  } catch (error) {
    if (signal?.aborted) return failure(calendar, 'stopped', 'took too long');
    if (late.aborted) return failure(calendar, 'time-out', `did not answer within ${timeout / 1000} s`);
    return failure(calendar, 'unreachable', `can't be reached (${reasonOf(error)})`);
  }
}

/** Undefined where there is more than an answer can have; then no more of it is read. */
async function readBounded({ body }: Response): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early ends the connection.
  for await (const piece of body ?? []) {
    length += piece.length;
    if (length > MAX_ANSWER_BYTES) return undefined;
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}

export function failure(calendar: string, problem: CalendarProblem, message: string): CalendarFailure {
  return { calendar, outcome: 'problem', problem, message };
}

/** fetch hides what happened in the cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: unknown; message?: unknown }; message?: unknown };
  return String(cause?.code ?? cause?.message ?? message).slice(0, 200);
}
