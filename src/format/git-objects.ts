// A commit of the story as git stores it: a blob for each file, a tree of them, and the commit itself, each named by the
// SHA-1 of its bytes. There is one form: modes 100644, names in order, author and committer the same, UTC, no other
// header. Git's ids are no proof of ours: what they lead to is compared with the entries.
import { sha1 } from '@noble/hashes/legacy.js';
import { utf8Encode, utf8Into } from '#platform';
import { encodeHex } from '../core/index.ts';
import type { GitCommit } from './git-story.ts';

export interface GitObject {
  readonly type: 'blob' | 'tree' | 'commit';
  readonly bytes: Uint8Array;
  /** 40 hex digits, and the same as bytes. */
  readonly id: string;
  readonly hash: Uint8Array;
}

export interface GitCommitObjects {
  readonly id: string;
  readonly tree: string;
  /** What each needs comes before it. */
  readonly objects: readonly GitObject[];
}

/** SHA-1(type ‖ " " ‖ length ‖ 0 ‖ bytes). */
export function gitObject(type: GitObject['type'], bytes: Uint8Array): GitObject {
  const input = new Uint8Array(LONGEST_HEADER + bytes.length);
  const start = utf8Into(`${type} ${bytes.length}\0`, input, 0);
  input.set(bytes, start);
  const hash = sha1(input.subarray(0, start + bytes.length));
  return { type, bytes, id: encodeHex(hash), hash };
}

/** `commit`, a blank, 16 digits and a zero, three bytes each as utf8Into wants room for them. */
const LONGEST_HEADER = 75;

export type CommitForm = Pick<GitCommit, 'author' | 'time' | 'message' | 'files'>;

/** `parents` by id, 40 hex digits each. */
export function gitCommitObjects(commit: CommitForm, parents: readonly string[]): GitCommitObjects {
  const blobs = Object.entries(commit.files).map(
    ([name, line]) => [name, gitObject('blob', utf8Encode(`${line}\n`))] as const,
  );
  const tree = gitObject('tree', encodeTree(blobs.map(([name, { hash }]) => [name, hash])));
  const text = encodeGitCommit(commit, tree.id, parents);
  const object = gitObject('commit', utf8Encode(text));
  return { id: object.id, tree: tree.id, objects: [...blobs.map(([, blob]) => blob), tree, object] };
}

/** The commit's own bytes, as text. */
export function encodeGitCommit(
  { author, time, message }: Omit<CommitForm, 'files'>,
  tree: string,
  parents: readonly string[],
): string {
  const who = `${author} <${author}@counterfoil> ${time} +0000`;
  const before = parents.map((id) => `parent ${id}\n`).join('');
  return `tree ${tree}\n${before}author ${who}\ncommitter ${who}\n\n${message}\n`;
}

/** Names are in order, and none is a directory: git's order of names is then that of their bytes. */
function encodeTree(files: readonly (readonly [name: string, hash: Uint8Array])[]): Uint8Array {
  const tree = new Uint8Array(files.reduce((sum, [name]) => sum + 3 * name.length + 28, 0));
  let at = 0;
  for (const [name, hash] of files) {
    at += utf8Into(`100644 ${name}\0`, tree, at);
    tree.set(hash, at);
    at += hash.length;
  }
  return tree.subarray(0, at);
}

/** The ids of a story's commits, one after the other. Parents are always where a ref stands, so no more is kept. */
export class GitIds {
  readonly #tips = new Map<string, { readonly index: number; readonly id: string }>();
  readonly #byIndex = new Map<number, string>();

  /** Where each ref stands: its commit's place in the story, and its id. */
  constructor(tips: Readonly<Record<string, number>> = {}, ids: Readonly<Record<string, string>> = {}) {
    for (const [ref, index] of Object.entries(tips)) this.#set(ref, index, ids[ref] ?? '');
  }

  /** In the order of the story. */
  add(commit: GitCommit): GitCommitObjects {
    const parents = commit.parents.map((index) => this.#byIndex.get(index) ?? '');
    const made = gitCommitObjects(commit, parents);
    this.#set(commit.ref, commit.index, made.id);
    return made;
  }

  get ids(): Record<string, string> {
    return Object.fromEntries([...this.#tips].map(([ref, { id }]) => [ref, id]));
  }

  #set(ref: string, index: number, id: string): void {
    const before = this.#tips.get(ref);
    if (before !== undefined) this.#byIndex.delete(before.index);
    this.#tips.set(ref, { index, id });
    this.#byIndex.set(index, id);
  }
}
