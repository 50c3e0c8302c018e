// What a session did to files, as far as git and the work tree still have their bytes: the text before and the text after of
// each. No entry holds it, so it is no proof of anything, unless a text has the hash that an entry recorded. A report may have
// it beside the parts of its bundle, as `changes.json`: see spec/report.md.
import {
  canonicalize,
  isHash,
  type Json,
  type JsonObject,
  ParseError,
  parseCanonicalJson,
} from '../core/index.ts';
import type { Entry } from './entry.ts';
import { asObject, count, exactly, oneOf, orNull, shortText } from './members.ts';

export const CHANGES_FILE = 'changes.json';

/**
 * How the ledger names a commit. `start`: HEAD when the session began. `commit`: an entry of that kind. `output`: what `git
 * commit` printed. `next`: HEAD when the next session in the same folder began.
 */
const NAMED = ['start', 'commit', 'output', 'next'] as const;
/** Where the text after was read: in the commit named as `after`, or in the work tree. */
const READ_FROM = ['commit', 'tree'] as const;

export interface NamedCommit {
  readonly commit: string;
  readonly how: (typeof NAMED)[number];
  /** The entry that names it. */
  readonly seq: number;
}

export interface FileChange {
  /** From the folder of the work. */
  readonly path: string;
  /** Null where there was no file. */
  readonly before: string | null;
  readonly after: string | null;
  readonly from: (typeof READ_FROM)[number];
  /** Opens the commitment to `after`, in hex; null where there is none, or it is plain SHA-256. */
  readonly key: string | null;
}

export interface Changes {
  readonly before: NamedCommit | null;
  readonly after: NamedCommit | null;
  readonly files: readonly FileChange[];
  /** Files that the session changed and whose text is not here, each with the reason in words. */
  readonly absent: readonly { readonly path: string; readonly why: string }[];
  /** More that are not listed. */
  readonly more: number;
}

export const MOST_CHANGED = 200;
/** Of one text, in UTF-16 units. */
export const LONGEST_CHANGED = 262_144;
const LONGEST_PATH = 4096;
const LONGEST_WHY = 300;

export function encodeChanges(changes: Changes): string {
  return canonicalize(changes as unknown as Json);
}

/** Throws ParseError for whatever `encodeChanges` would not have written. */
export function parseChanges(bytes: Uint8Array): Changes {
  const at = CHANGES_FILE;
  let value: Json;
  try {
    value = parseCanonicalJson(bytes);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new ParseError(error.code, error.message, at);
  }
  const changes = asObject(value, at);
  exactly(changes, ['before', 'after', 'files', 'absent', 'more'], at);
  return {
    before: orNull(changes, 'before', () => namedCommit(changes.before as Json, `${at}.before`)),
    after: orNull(changes, 'after', () => namedCommit(changes.after as Json, `${at}.after`)),
    files: list(changes, 'files').map((each, i) => fileChange(each, `${at}.files[${i}]`)),
    absent: list(changes, 'absent').map((each, i) => {
      const file = asObject(each, `${at}.absent[${i}]`);
      exactly(file, ['path', 'why'], `${at}.absent[${i}]`);
      return {
        path: shortText(file, 'path', LONGEST_PATH, at),
        why: shortText(file, 'why', LONGEST_WHY, at),
      };
    }),
    more: count(changes, 'more', at),
  };
}

/**
 * Which of the two commits the entries of the run don't name as it says, in words; null where they name both. The entry of the
 * next session is not among them.
 */
export function wronglyNamed({ before, after }: Changes, entries: readonly Entry[]): string | null {
  const last = entries.at(-1)?.seq ?? 0;
  const isNamed = ({ commit, how, seq }: NamedCommit): boolean => {
    if (how === 'next') return seq > last;
    const { kind, payload } = entries.find((entry) => entry.seq === seq) ?? {};
    if (how === 'output') return kind === 'tool.result';
    const named = how === 'start' ? ['session.start', payload?.base] : ['commit', payload?.commit];
    return kind === named[0] && commit === named[1];
  };
  for (const [name, named, isStart] of [
    ['before', before, true],
    ['after', after, false],
  ] as const)
    if (named !== null && ((named.how === 'start') !== isStart || !isNamed(named)))
      return `it says that entry ${named.seq} names the commit ${named.commit.slice(0, 12)} as the one ${name} the changes, and that entry doesn’t`;
  return null;
}

function list(changes: JsonObject, name: string): readonly Json[] {
  const value = changes[name];
  if (!Array.isArray(value) || value.length > MOST_CHANGED)
    throw new ParseError('BAD_MEMBER', `not a list of at most ${MOST_CHANGED}`, `${CHANGES_FILE}.${name}`);
  return value;
}

function namedCommit(value: Json, at: string): NamedCommit {
  const named = asObject(value, at);
  exactly(named, ['commit', 'how', 'seq'], at);
  const commit = shortText(named, 'commit', 64, at);
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit))
    throw new ParseError('BAD_MEMBER', 'not a commit', `${at}.commit`);
  return { commit, how: oneOf(named, 'how', NAMED, at), seq: count(named, 'seq', at) };
}

function fileChange(value: Json, at: string): FileChange {
  const file = asObject(value, at);
  exactly(file, ['path', 'before', 'after', 'from', 'key'], at);
  const key = orNull(file, 'key', () => shortText(file, 'key', 64, at));
  if (key !== null && !isHash(key)) throw new ParseError('BAD_MEMBER', 'not a key', `${at}.key`);
  return {
    path: shortText(file, 'path', LONGEST_PATH, at),
    before: orNull(file, 'before', () => shortText(file, 'before', LONGEST_CHANGED, at)),
    after: orNull(file, 'after', () => shortText(file, 'after', LONGEST_CHANGED, at)),
    from: oneOf(file, 'from', READ_FROM, at),
    key,
  };
}
