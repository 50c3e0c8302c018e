// A recorded session as far as a replay needs it: what it began with, its calls with the answers that were kept, and how it
// ended. Nothing of it is believed before its hash is.
import { ParseError } from '../../core/index.ts';
import {
  type ContentRef,
  type Entry,
  type KeptAnswer,
  type KeptCommand,
  type KeptFile,
  parseKeptAnswer,
  parseKeptCommand,
  parseKeptTree,
  parseReplayAnswer,
  parseReplayStart,
  type ReplayAnswer,
  type ReplayStart,
} from '../../format/index.ts';
import { unpackKept } from '../../record/index.ts';
import { CONTENT_WORDS, type ReadContent } from '../../report/index.ts';
import type { PlayableCall } from '../../service/index.ts';

export interface KeptSession {
  readonly start: ReplayStart;
  readonly command: KeptCommand;
  readonly files: readonly KeptFile[];
  readonly calls: readonly SessionCall[];
  /** Of the command; null where it is not on record. */
  readonly exitCode: number | null;
}

export interface SessionCall extends PlayableCall {
  readonly seq: number;
  /** What its model asked for. */
  readonly tools: readonly string[];
  /** Why its answer is not here, in words; null where it is. */
  readonly missing: string | null;
}

/** What keeps a session from being replayed. `changed`: something that was kept is not what was recorded. */
export class Unreplayable extends Error {
  override readonly name = 'Unreplayable';
  readonly changed: boolean;

  constructor(message: string, changed = false) {
    super(message);
    this.changed = changed;
  }
}

export const SWITCH_ON =
  'write `replay: keep` into counterfoil.yaml, run `foil keep accept`, and record the session with `foil run --gateway -- COMMAND`';
const LARGEST = 256 * 1024 * 1024;

/** The kinds of entry that `readKeptSession` wants. */
export const KEPT_KINDS: ReadonlySet<string> = new Set([
  'session.end',
  'replay.start',
  'replay.answer',
  'model.call',
  'model.tool_use',
]);

/** `entries`: those of one session, in order. Throws Unreplayable. */
export async function readKeptSession(
  session: string,
  entries: readonly Entry[],
  content: ReadContent,
): Promise<KeptSession> {
  const first = entries.find(({ kind }) => kind === 'replay.start');
  if (first === undefined)
    throw new Unreplayable(`it wasn't kept for replay. To keep a session, ${SWITCH_ON}.`);
  const start = parsed('what the session began with', () => parseReplayStart(first.payload));
  const read = async <T>(what: string, ref: ContentRef, parse: (bytes: Uint8Array) => T): Promise<T> => {
    const found = await content(session, ref, LARGEST);
    if (found.state === 'kept') return parsed(what, () => parse(unpacked(found.bytes, what)));
    if (found.state === 'damaged') throw new Unreplayable(`${what} differs from what was recorded`, true);
    throw new Unreplayable(
      `${what} is ${found.state === 'large' ? 'too large' : CONTENT_WORDS[found.state]}`,
    );
  };
  const end = entries.findLast(({ kind }) => kind === 'session.end')?.payload.exit_code;
  return {
    start,
    command: await read('the command', start.command, parseKeptCommand),
    files: await read('the work tree at the start', start.tree, parseKeptTree),
    calls: await callsIn(entries, (what, ref) => read(what, ref, parseKeptAnswer)),
    exitCode: typeof end === 'number' ? end : null,
  };
}

async function callsIn(
  entries: readonly Entry[],
  read: (what: string, ref: ContentRef) => Promise<KeptAnswer>,
): Promise<SessionCall[]> {
  const answers = new Map<number, ReplayAnswer>();
  const tools = new Map<number, string[]>();
  for (const { kind, cause, payload } of entries) {
    if (cause === null) continue;
    if (kind === 'replay.answer')
      answers.set(
        cause,
        parsed('a kept answer', () => parseReplayAnswer(payload)),
      );
    if (kind === 'model.tool_use') tools.set(cause, [...(tools.get(cause) ?? []), String(payload.tool)]);
  }
  const calls: SessionCall[] = [];
  let count = 0;
  for (const { kind, seq, payload } of entries) {
    if (kind !== 'model.call') continue;
    const isModel = payload.api !== 'other';
    const number = isModel ? ++count : null;
    const found = answers.get(seq);
    const name = number === null ? `the answer of entry ${seq}` : `the answer of call ${number}`;
    const kept = found?.kept ?? null;
    calls.push({
      number,
      seq,
      requestHash: found?.requestHash ?? '',
      answer: kept === null ? null : await read(name, kept),
      tools: tools.get(seq) ?? [],
      missing: kept === null ? WHY[found?.problem ?? 'unrecorded'] : null,
    });
  }
  return calls;
}

const WHY = {
  'broken-off': 'its answer broke off',
  'too-large': 'its answer was too large to be kept',
  unrecorded: 'its answer was not kept: it came over a WebSocket, or the gateway could not write it',
} as const;

function unpacked(bytes: Uint8Array, what: string): Uint8Array {
  try {
    return unpackKept(bytes);
  } catch {
    throw new Unreplayable(`${what} can't be unpacked`);
  }
}

function parsed<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new Unreplayable(`${what} can't be read: ${error.message}`);
  }
}
