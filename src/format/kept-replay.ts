// The three documents that a replay needs, as they are kept: the command, the work tree at the start, and one answer
// of a model. Each is a line of JSON, followed by the bytes that it counts. They are kept compressed and encrypted.
// What comes back is as hostile as any file. spec/replay.md.
import { utf8Decode, utf8Encode } from '#platform';
import { type Json, type JsonObject, ParseError } from '../core/index.ts';
import { asObject, count, exactly, hash, list, objects, oneOf, shortText, shortTexts } from './members.ts';
import type { RequestDigest } from './replay-record.ts';

export interface KeptCommand {
  readonly argv: readonly string[];
  /** Which agent it is, as `foil run` knew it; null for a program that nobody knows. */
  readonly agent: string | null;
  readonly cwd: string;
}

export interface KeptFile {
  /** Relative, with `/`. */
  readonly path: string;
  /** A link's bytes are the path that it leads to. */
  readonly type: 'file' | 'program' | 'link';
  /** When it was changed last, in seconds. */
  readonly modified: number;
  readonly bytes: Uint8Array;
}

export interface KeptAnswer {
  readonly status: number;
  /** Name and value in turn, as they came, without those of the connection. */
  readonly headers: readonly string[];
  readonly chunks: readonly Uint8Array[];
  readonly parts: RequestDigest['parts'];
}

export const MOST_KEPT_FILES = 50_000;
export const MOST_KEPT_BYTES = 192 * 1024 * 1024;
export const MOST_ANSWER_BYTES = 32 * 1024 * 1024;
const MOST_WORDS = 4096;
const LONGEST_WORD = 1024 * 1024;
const LONGEST_PATH = 4096;
const MOST_HEADERS = 1000;
const MOST_CHUNKS = 1_000_000;
const MOST_PARTS = 200_000;
const LINE_FEED = 0x0a;

export function encodeKeptCommand({ argv, agent, cwd }: KeptCommand): Uint8Array {
  return document({ v: 1, argv: [...argv], agent, cwd }, []);
}

export function parseKeptCommand(bytes: Uint8Array): KeptCommand {
  const { head, body } = opened(bytes, ['v', 'argv', 'agent', 'cwd']);
  if (body.length > 0) throw new ParseError('MALFORMED', 'bytes after the end', 'command');
  const argv = shortTexts(head, 'argv', MOST_WORDS, LONGEST_WORD, 'command');
  if (argv.length === 0) throw new ParseError('BAD_MEMBER', 'names no program', 'command.argv');
  return {
    argv,
    agent: head.agent === null ? null : shortText(head, 'agent', LONGEST_PATH, 'command'),
    cwd: shortText(head, 'cwd', LONGEST_PATH, 'command'),
  };
}

export function encodeKeptTree(files: readonly KeptFile[]): Uint8Array {
  const listed = files.map(({ path, type, modified, bytes }) => ({
    ...{ path, type, modified },
    bytes: bytes.length,
  }));
  return document(
    { v: 1, files: listed },
    files.map(({ bytes }) => bytes),
  );
}

/** No path leaves the folder, and none lies below a file or a link. */
export function parseKeptTree(bytes: Uint8Array): KeptFile[] {
  const { head, body } = opened(bytes, ['v', 'files']);
  const listed = objects(head, 'files', MOST_KEPT_FILES, 'tree');
  const leaves = new Set<string>();
  const folders = new Set<string>();
  const next = pieces(body, 'tree');
  const files = listed.map((each, at): KeptFile => {
    const where = `tree.files[${at}]`;
    exactly(each, ['path', 'type', 'modified', 'bytes'], where);
    const path = shortText(each, 'path', LONGEST_PATH, where);
    claim(path, leaves, folders, where);
    return {
      path,
      type: oneOf(each, 'type', ['file', 'program', 'link'], where),
      modified: count(each, 'modified', where),
      bytes: next.take(count(each, 'bytes', where)),
    };
  });
  next.end();
  return files;
}

function claim(path: string, leaves: Set<string>, folders: Set<string>, where: string): void {
  const refuse = (why: string): never => {
    throw new ParseError('BAD_MEMBER', why, `${where}.path`);
  };
  const names = path.split('/');
  if (path.includes('\0') || names.some((name) => name === '' || name === '.' || name === '..'))
    refuse('not a path inside the folder');
  if (leaves.has(path) || folders.has(path)) refuse('there twice');
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
    if (leaves.has(path.slice(0, end))) refuse('below a file');
    folders.add(path.slice(0, end));
  }
  leaves.add(path);
}

export function encodeKeptAnswer({ status, headers, chunks, parts }: KeptAnswer): Uint8Array {
  return document(
    {
      ...{ v: 1, status, headers: [...headers] },
      chunks: chunks.map(({ length }) => length),
      parts: parts.map((part) => [...part]),
    },
    chunks,
  );
}

export function parseKeptAnswer(bytes: Uint8Array): KeptAnswer {
  const { head, body } = opened(bytes, ['v', 'status', 'headers', 'chunks', 'parts']);
  const next = pieces(body, 'answer');
  const status = count(head, 'status', 'answer');
  if (status < 100 || status > 999) throw new ParseError('BAD_MEMBER', 'no status of HTTP', 'answer.status');
  const headers = shortTexts(head, 'headers', MOST_HEADERS, LONGEST_WORD, 'answer');
  if (headers.length % 2 !== 0)
    throw new ParseError('BAD_MEMBER', 'a name without a value', 'answer.headers');
  const chunks = list(head, 'chunks', MOST_CHUNKS, 'answer').map((length, at) =>
    next.take(count({ length }, 'length', `answer.chunks[${at}]`)),
  );
  next.end();
  const parts = list(head, 'parts', MOST_PARTS, 'answer').map((part, at) =>
    partOf(part, `answer.parts[${at}]`),
  );
  return { status, headers, chunks, parts };
}

function partOf(part: Json, path: string): readonly [string, string] {
  if (!Array.isArray(part) || part.length !== 2)
    throw new ParseError('BAD_MEMBER', 'not a name and a digest', path);
  const [name = null, digest = null] = part as readonly Json[];
  return [shortText({ name }, 'name', LONGEST_PATH, path), hash({ digest }, 'digest', path)];
}

function document(head: JsonObject, bodies: readonly Uint8Array[]): Uint8Array {
  const line = utf8Encode(`${JSON.stringify(head)}\n`);
  const out = new Uint8Array(bodies.reduce((sum, { length }) => sum + length, line.length));
  out.set(line);
  let at = line.length;
  for (const body of bodies) {
    out.set(body, at);
    at += body.length;
  }
  return out;
}

function opened(bytes: Uint8Array, names: readonly string[]): { head: JsonObject; body: Uint8Array } {
  const end = bytes.indexOf(LINE_FEED);
  let value: Json;
  try {
    value = JSON.parse(utf8Decode(bytes.subarray(0, Math.max(0, end)))) as Json;
  } catch {
    throw new ParseError('MALFORMED', 'no line of JSON at its start', 'kept');
  }
  const head = asObject(value, 'kept');
  exactly(head, names, 'kept');
  if (head.v !== 1) throw new ParseError('BAD_MEMBER', 'a version that is not known here', 'kept.v');
  return { head, body: bytes.subarray(end + 1) };
}

function pieces(body: Uint8Array, path: string): { take(length: number): Uint8Array; end(): void } {
  let at = 0;
  return {
    take(length) {
      if (at + length > body.length) throw new ParseError('MALFORMED', 'shorter than it says', path);
      at += length;
      return body.subarray(at - length, at);
    },
    end() {
      if (at !== body.length) throw new ParseError('MALFORMED', 'bytes after the end', path);
    },
  };
}
