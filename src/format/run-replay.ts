// `run.replay`: what a replay of a run came to. It has an id of its own, and a tool that gave another output than is on record
// is marked impure by it, so that later replays take that tool's outputs from the record. spec/run.md.
import { type JsonObject, ParseError } from '../core/index.ts';
import { LONGEST_TOOL } from './agent-init.ts';
import { count, exactly, flag, hash, object, oneOf, orNull, shortText, shortTexts } from './members.ts';

/** The kind of entry. */
export const RUN_REPLAY = 'run.replay';

/** The replays of a run that make no run of their own. */
export const REPLAY_NAMES = ['forensic', 'debug'] as const;
export type ReplayName = (typeof REPLAY_NAMES)[number];
export const REPLAY_OUTCOMES = ['matches', 'diverges', 'unknown'] as const;
export type ReplayOutcome = (typeof REPLAY_OUTCOMES)[number];
export const DIVERGING = ['state_hash', 'decision', 'output', 'memory', 'declaration'] as const;

export interface RecordedDivergence {
  readonly event: number;
  /** The patch that it is about, behind the event; null for the event itself. */
  readonly patch: string | null;
  readonly what: (typeof DIVERGING)[number];
  readonly expected: string;
  readonly got: string;
  readonly why: string | null;
}

export interface RunReplay {
  /** 64 hex digits. */
  readonly id: string;
  readonly run: string;
  readonly replay: ReplayName;
  /** The snapshot that it began at; null for the beginning. */
  readonly from: number | null;
  /** The event that it stopped behind; null for the end. */
  readonly to: number | null;
  /** Whether pure tools ran again. */
  readonly execute: boolean;
  readonly events: number;
  /** The root of the code. */
  readonly code: string;
  readonly node: string;
  readonly sandbox: string;
  readonly outcome: ReplayOutcome;
  readonly finalStateHash: string | null;
  readonly divergence: RecordedDivergence | null;
  /** What the judge said of the events. */
  readonly flaw: string | null;
  /** Tools of this code that are said to be pure and gave another output. */
  readonly impure: readonly string[];
}

const MEMBERS = [
  'id',
  'run',
  'replay',
  'from',
  'to',
  'execute',
  'events',
  'code',
  'node',
  'sandbox',
  'outcome',
  'final_state_hash',
  'divergence',
  'flaw',
  'impure',
];
const LONGEST_TEXT = 1024;
const MOST_TOOLS = 256;
const ROOT = 'payload';

export function encodeRunReplay(replay: RunReplay): JsonObject {
  const { divergence, finalStateHash } = replay;
  return {
    id: replay.id,
    run: replay.run,
    replay: replay.replay,
    from: replay.from,
    to: replay.to,
    execute: replay.execute,
    events: replay.events,
    code: replay.code,
    node: replay.node,
    sandbox: replay.sandbox,
    outcome: replay.outcome,
    final_state_hash: finalStateHash,
    divergence: divergence === null ? null : { ...divergence, why: cutTo(divergence.why) },
    flaw: cutTo(replay.flaw),
    impure: replay.impure,
  };
}

/** Throws ParseError. */
export function parseRunReplay(payload: JsonObject): RunReplay {
  exactly(payload, MEMBERS);
  const outcome = oneOf(payload, 'outcome', REPLAY_OUTCOMES);
  const divergence = orNull(payload, 'divergence', () => parseDivergence(object(payload, 'divergence')));
  if ((divergence !== null) !== (outcome === 'diverges'))
    throw new ParseError('BAD_MEMBER', 'not what the outcome says', `${ROOT}.divergence`);
  return {
    id: hash(payload, 'id'),
    run: hash(payload, 'run'),
    replay: oneOf(payload, 'replay', REPLAY_NAMES),
    from: orNull(payload, 'from', () => count(payload, 'from')),
    to: orNull(payload, 'to', () => count(payload, 'to')),
    execute: flag(payload, 'execute'),
    events: count(payload, 'events'),
    code: hash(payload, 'code'),
    node: shortText(payload, 'node', LONGEST_TOOL),
    sandbox: shortText(payload, 'sandbox', LONGEST_TOOL),
    outcome,
    finalStateHash: orNull(payload, 'final_state_hash', () => hash(payload, 'final_state_hash')),
    divergence,
    flaw: orNull(payload, 'flaw', () => shortText(payload, 'flaw', LONGEST_TEXT)),
    impure: shortTexts(payload, 'impure', MOST_TOOLS, LONGEST_TOOL),
  };
}

function parseDivergence(value: JsonObject): RecordedDivergence {
  const path = `${ROOT}.divergence`;
  exactly(value, ['event', 'patch', 'what', 'expected', 'got', 'why'], path);
  return {
    event: count(value, 'event', path),
    patch: orNull(value, 'patch', () => shortText(value, 'patch', LONGEST_TOOL, path)),
    what: oneOf(value, 'what', DIVERGING, path),
    expected: shortText(value, 'expected', LONGEST_TOOL, path),
    got: shortText(value, 'got', LONGEST_TOOL, path),
    why: orNull(value, 'why', () => shortText(value, 'why', LONGEST_TEXT, path)),
  };
}

function cutTo(text: string | null): string | null {
  return text === null ? null : text.slice(0, LONGEST_TEXT).toWellFormed();
}
