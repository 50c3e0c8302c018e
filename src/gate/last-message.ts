// The final message of a turn: the host's own word for it, or the last one in its transcript. The transcript is a file
// of the host's that the agent can write, and its form changes without notice: what can't be read as it should be is
// said to be so, never taken for silence.
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Json, JsonObject } from '../core/index.ts';

export type Extraction = 'ok' | 'unparseable' | 'schema_drift' | 'unreadable';

export interface LastMessage {
  readonly extraction: Extraction;
  readonly from: 'message' | 'transcript' | 'none';
  /** Empty where the turn ended without a word, which is harmless. */
  readonly text: string;
}

/** The end of a transcript is enough: one turn's last message. */
const MOST_BYTES = 4 * 1024 * 1024;

export function lastMessage(message: string | null, transcript: string | null): LastMessage {
  if (message !== null) return { extraction: 'ok', from: 'message', text: message };
  if (transcript === null || transcript === '') return { extraction: 'ok', from: 'none', text: '' };
  let lines: readonly string[];
  try {
    lines = readEnd(transcript);
  } catch {
    return { extraction: 'unreadable', from: 'transcript', text: '' };
  }
  return { ...messageIn(lines), from: 'transcript' };
}

/**
 * Does the transcript, or that of a subagent beside it, tell of a call with this id? Null where it can't be read.
 */
export function knowsCall(transcript: string, id: string): boolean | null {
  const quoted = JSON.stringify(id);
  const tells = (path: string): boolean =>
    readEnd(path, MOST_SEARCHED).some((line) => line.includes(quoted) && holdsCall(line, id));
  try {
    return tells(transcript) || besides(transcript).some((path) => tells(path));
  } catch {
    return null;
  }
}

/** As the call itself: an agent can have its id said in the words of another. */
function holdsCall(line: string, id: string): boolean {
  try {
    return holds(JSON.parse(line) as Json, id, DEEPEST);
  } catch {
    return false;
  }
}

function holds(value: Json, id: string, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth === 0) return false;
  if (Array.isArray(value)) return (value as readonly Json[]).some((each) => holds(each, id, depth - 1));
  const { type, id: own } = value as JsonObject;
  if (type === 'tool_use') return own === id;
  return Object.values(value as JsonObject).some((each) => holds(each, id, depth - 1));
}

/** Hosts wrap a message in what tells of its progress. */
const DEEPEST = 12;
const MOST_SEARCHED = 32 * 1024 * 1024;
const MOST_BESIDES = 64;

/** Subagents have transcripts of their own: `agent-….jsonl` beside it, or in a folder named after the session. */
function besides(transcript: string): string[] {
  const own = transcript.replace(/\.jsonl$/, '');
  const list = (directory: string): string[] => {
    try {
      return readdirSync(directory).map((name) => join(directory, name));
    } catch {
      return [];
    }
  };
  const nested = list(own).flatMap((path) => (path.endsWith('.jsonl') ? [path] : list(path)));
  return [...list(dirname(transcript)), ...nested]
    .filter((path) => /(?:^|\/)agent-[^/]*\.jsonl$/.test(path))
    .slice(-MOST_BESIDES);
}

function messageIn(lines: readonly string[]): { extraction: Extraction; text: string } {
  let parsed = 0;
  let known = 0;
  let text = '';
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] ?? '';
    if (line === '') continue;
    let value: Json;
    try {
      value = JSON.parse(line) as Json;
    } catch {
      continue;
    }
    parsed++;
    const turn = turnOf(value);
    if (turn === null) continue;
    known++;
    if (turn.role === 'user' && turn.text !== '') break;
    if (turn.role === 'assistant') {
      // One message is several lines where it has several parts.
      text = turn.text === '' ? text : turn.text;
      if (text !== '') break;
    }
  }
  if (parsed === 0) return { extraction: lines.some((line) => line !== '') ? 'unparseable' : 'ok', text: '' };
  return { extraction: known === 0 ? 'schema_drift' : 'ok', text };
}

interface TurnLine {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** Null for a line that is no turn of the conversation. */
function turnOf(value: Json): TurnLine | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { type, role, message, isSidechain, payload, data } = value as JsonObject;
  if (isSidechain === true) return null;
  // Copilot names what happened and puts the message beside it.
  const said = typeof type === 'string' ? /^(user|assistant)\.message$/.exec(type)?.[1] : undefined;
  if (said !== undefined && isObject(data)) return turnOf({ role: said, content: data.content ?? null });
  // Codex wraps its items once more.
  if (type === 'response_item' && payload !== undefined) return turnOf(payload);
  const inner = isObject(message) ? message : (value as JsonObject);
  const who = inner.role ?? role ?? type;
  if (who !== 'user' && who !== 'assistant' && who !== 'model' && who !== 'gemini') return null;
  const content = inner.content ?? inner.text;
  const text = textOf(content);
  return text === null ? null : { role: who === 'user' ? 'user' : 'assistant', text };
}

function textOf(content: Json | undefined): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  return (content as readonly Json[])
    .filter(isObject)
    .filter(({ type }) => type === undefined || type === 'text' || type === 'output_text')
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .filter((text) => text !== '')
    .join('\n\n');
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whole lines, the first of which may be cut off. */
function readEnd(path: string, most = MOST_BYTES): readonly string[] {
  // A host may name anything; a pipe that nobody writes to must not hold us up.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error('not a plain file');
    const start = Math.max(0, stat.size - most);
    const bytes = Buffer.alloc(stat.size - start);
    const lines = bytes
      .subarray(0, readSync(fd, bytes, 0, bytes.length, start))
      .toString('utf8')
      .split('\n');
    return start === 0 ? lines : lines.slice(1);
  } finally {
    closeSync(fd);
  }
}
