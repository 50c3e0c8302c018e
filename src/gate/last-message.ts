// The final message of a turn: the host's own word for it, or the last one in its transcript. The transcript is a file
// of the host's that the agent can write, and its form changes without notice: what can't be read as it should be is
// said to be so, never taken for silence.
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject, type Json, type JsonObject } from '../core/index.ts';
import type { TranscriptMark } from '../record/index.ts';

export type Extraction = 'ok' | 'unparseable' | 'schema_drift' | 'unreadable';

export interface LastMessage {
  readonly extraction: Extraction;
  readonly from: 'message' | 'transcript' | 'none';
  /** Empty where the host says that the turn ended without a word, which is harmless. */
  readonly text: string;
}

/** The end of a transcript is enough: one turn's last message. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * `mark`: where the turn begins in the transcript, and how long that was since. An agent that empties the file, or puts an
 * older copy in its place, must not pass for one that said nothing.
 */
export function lastMessage(
  message: string | null,
  transcript: string | null,
  mark: Pick<TranscriptMark, 'from' | 'longest'> = { from: 0, longest: 0 },
): LastMessage {
  if (message !== null) return { extraction: 'ok', from: 'message', text: message };
  if (transcript === null || transcript === '') return { extraction: 'unreadable', from: 'none', text: '' };
  try {
    const { extraction, text } = messageIn(readEnd(transcript, mark));
    if (extraction !== 'unreadable' || mark.from === 0) return { extraction, text, from: 'transcript' };
    // Nothing came since. What is wrong with the file as a whole says more.
    const { extraction: all } = messageIn(readEnd(transcript));
    return { extraction: all === 'ok' ? 'unreadable' : all, text, from: 'transcript' };
  } catch {
    return { extraction: 'unreadable', from: 'transcript', text: '' };
  }
}

export interface TranscriptEnd {
  readonly extraction: Extraction;
  readonly text: string;
  /** It can be read, and its last turn goes on: a prompt or a call is the last that it tells. */
  readonly unended: boolean;
  /** The host's id of the session in the last line that names it, whatever the file is called. */
  readonly session: string | null;
}

/** The end of a transcript that nobody says has ended: for who asks later. Never throws. */
export function transcriptEnd(path: string): TranscriptEnd {
  try {
    return messageIn(messagesOf(path) ?? readEnd(path));
  } catch {
    return { extraction: 'unreadable', text: '', unended: false, session: null };
  }
}

/** The messages of a transcript that is one document, a line each; null where it is none. */
function messagesOf(path: string): readonly string[] | null {
  if (!path.endsWith('.json')) return null;
  const text = readEnd(path, { most: MOST_SEARCHED }).join('\n');
  try {
    const { messages } = JSON.parse(text) as JsonObject;
    return Array.isArray(messages) ? (messages as readonly Json[]).map((each) => JSON.stringify(each)) : null;
  } catch {
    return null;
  }
}

/**
 * Does the transcript, or that of a subagent beside it, tell of a call with this id? Null where it can't be read.
 */
export function knowsCall(transcript: string, id: string): boolean | null {
  const quoted = JSON.stringify(id);
  const tells = (path: string): boolean =>
    readEnd(path, { most: MOST_SEARCHED }).some((line) => line.includes(quoted) && holdsCall(line, id));
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

function messageIn(lines: readonly string[]): TranscriptEnd {
  let parsed = 0;
  let known = 0;
  let ended = false;
  let drifted = false;
  let unended = false;
  let session: string | null = null;
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
    session ??= sessionIn(value);
    const turn = turnOf(value);
    if (turn === null) continue;
    known++;
    // A turn ends with a message that calls no tool. One that does was followed by another, which is not here.
    unended = turn.calls || (turn.role === 'user' && turn.text !== '');
    if (unended) break;
    if (turn.role === 'user') continue;
    // One message is several lines where it has several parts.
    if (turn.text !== '') return { extraction: 'ok', text: turn.text, unended, session };
    ended = true;
    drifted ||= turn.unknown;
  }
  const nothing = { text: '', unended: unended && !ended, session };
  if (ended) return { ...nothing, extraction: drifted ? 'schema_drift' : 'ok' };
  if (known > 0 || lines.every((line) => line === '')) return { ...nothing, extraction: 'unreadable' };
  return { ...nothing, extraction: parsed === 0 ? 'unparseable' : 'schema_drift' };
}

function sessionIn(value: Json): string | null {
  const { sessionId } = isObject(value) ? value : {};
  return typeof sessionId === 'string' && sessionId !== '' ? sessionId : null;
}

interface TurnLine {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** It calls tools. */
  readonly calls: boolean;
  /** A part of it may hold words in a form that nobody here knows. */
  readonly unknown: boolean;
}

/** Codex has a line of its own for each call. */
const CALLS: ReadonlySet<Json | undefined> = new Set([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
]);

/** Null for a line that is no turn of the conversation. */
function turnOf(value: Json): TurnLine | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { type, role, message, isSidechain, payload, data } = value as JsonObject;
  if (isSidechain === true) return null;
  // Copilot names what happened and puts the message beside it.
  const said = typeof type === 'string' ? /^(user|assistant)\.message$/.exec(type)?.[1] : undefined;
  if (said !== undefined && isObject(data)) return turnOf(ofCopilot(said, data));
  // Codex wraps its items once more.
  if (type === 'response_item' && payload !== undefined) return turnOf(payload);
  if (CALLS.has(type)) return { role: 'assistant', text: '', calls: true, unknown: false };
  const inner = isObject(message) ? message : (value as JsonObject);
  const who = inner.role ?? role ?? type;
  if (who !== 'user' && who !== 'assistant' && who !== 'model' && who !== 'gemini') return null;
  const content = inner.content ?? inner.text;
  const text = textOf(content, who === 'user' ? isPrompt : isSaid);
  if (text === null) return null;
  return who === 'user'
    ? { role: 'user', text, calls: false, unknown: false }
    : { role: 'assistant', text, calls: calls(inner), unknown: hasUnknown(content) };
}

/** In its autopilot the last message is a call, `task_complete`, with a summary: that is what it says at the end. */
function ofCopilot(role: string, { content = null, toolRequests = null }: JsonObject): JsonObject {
  const requests = Array.isArray(toolRequests) ? (toolRequests as readonly Json[]).filter(isObject) : [];
  const ends = requests.filter(({ name }) => name === 'task_complete');
  if (ends.length === 0) return { role, content, toolCalls: toolRequests };
  const summaries = ends.map(({ arguments: args }) => (isObject(args) ? args.summary : undefined));
  const texts = [content, ...summaries].filter((each) => typeof each === 'string');
  return { role, content: texts.map((text) => ({ type: 'text', text })) };
}

function calls({ content, toolCalls }: JsonObject): boolean {
  if (Array.isArray(toolCalls) && toolCalls.length > 0) return true;
  return (
    Array.isArray(content) &&
    (content as readonly Json[]).some((each) => isObject(each) && each.type === 'tool_use')
  );
}

/** Parts of a message that are no words to the user. */
const WORDLESS = /^(?:redacted_)?thinking$|^reasoning|tool_use$|_result$|^(?:image|document)$/;

function hasUnknown(content: Json | undefined): boolean {
  return (
    Array.isArray(content) &&
    (content as readonly Json[]).some((part) =>
      isObject(part)
        ? !WORDLESS.test(String(part.type)) && !(isSaid(part) && typeof part.text === 'string')
        : true,
    )
  );
}

function isSaid({ type }: JsonObject): boolean {
  return type === undefined || type === 'text' || type === 'output_text';
}

/** Codex also tells of what is around it in the user's name: in tags. */
function isPrompt(part: JsonObject): boolean {
  return isSaid(part) || (part.type === 'input_text' && !String(part.text).startsWith('<'));
}

function textOf(content: Json | undefined, isText: (part: JsonObject) => boolean): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  return (content as readonly Json[])
    .filter(isObject)
    .filter(isText)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .filter((text) => text !== '')
    .join('\n\n');
}

interface End {
  readonly most?: number;
  readonly from?: number;
  readonly longest?: number;
}

/** Lines, the first of which may be cut off. Throws where the file is shorter than it was. */
function readEnd(path: string, { most = MOST_BYTES, from = 0, longest = 0 }: End = {}): readonly string[] {
  // A host may name anything; a pipe that nobody writes to must not hold us up.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    const { size } = stat;
    if (!stat.isFile()) throw new Error('not a plain file');
    if (size < longest) throw new Error('shorter than it was');
    const start = Math.max(from, size - most);
    const bytes = Buffer.alloc(Math.max(0, size - start));
    const lines = bytes
      .subarray(0, readSync(fd, bytes, 0, bytes.length, start))
      .toString('utf8')
      .split('\n');
    return start === from ? lines : lines.slice(1);
  } finally {
    closeSync(fd);
  }
}
