// `release`: what was released under a name, file by file, and the tools that it was made with, each by its hash. spec/entry.md.
import { type JsonObject, ParseError } from '../core/index.ts';
import { count, exactly, hash, objects, oneOf, shortText } from './members.ts';

export const RELEASE = 'release';
const ROLES = ['artifact', 'tool'] as const;

export interface ReleasedFile {
  /** Relative to where the release was recorded, with `/`. */
  readonly path: string;
  readonly role: (typeof ROLES)[number];
  readonly sha256: string;
  readonly bytes: number;
}

export interface Release {
  readonly name: string;
  /** Sorted by path; each once. */
  readonly files: readonly ReleasedFile[];
  /** The user of the machine who ran the command. */
  readonly by: string;
}

/** An entry is one line: so many files of such names fit into it. */
export const MOST_RELEASED = 150;
export const LONGEST_RELEASED = 256;

export function encodeRelease({ name, files, by }: Release): JsonObject {
  return { name, files: files.map((file) => ({ ...file })), by };
}

/** Throws ParseError. */
export function parseRelease(payload: JsonObject): Release {
  exactly(payload, ['name', 'files', 'by']);
  const files = objects(payload, 'files', MOST_RELEASED).map(parseFile);
  if (!files.some(({ role }) => role === 'artifact'))
    throw new ParseError('BAD_MEMBER', 'no artifact', 'payload.files');
  for (const [i, { path }] of files.entries())
    if (i > 0 && path <= (files[i - 1]?.path ?? ''))
      throw new ParseError('BAD_MEMBER', 'not sorted, or twice', `payload.files[${i}].path`);
  return {
    name: shortText(payload, 'name', LONGEST_RELEASED),
    files,
    by: shortText(payload, 'by', LONGEST_RELEASED),
  };
}

function parseFile(file: JsonObject, at: number): ReleasedFile {
  const place = `payload.files[${at}]`;
  exactly(file, ['path', 'role', 'sha256', 'bytes'], place);
  return {
    path: shortText(file, 'path', LONGEST_RELEASED, place),
    role: oneOf(file, 'role', ROLES, place),
    sha256: hash(file, 'sha256', place),
    bytes: count(file, 'bytes', place),
  };
}
