// A commit of git, signed into a run: the entry `commit` names it and its tree, and its object shows that the name is right.
// The object is what git stores, without its header. spec/bundle.md.
import { type JsonObject, ParseError } from '../core/index.ts';
import { gitObjectHash } from './git-tree.ts';
import { exactly, gitHash, isGitHash, shortTexts } from './members.ts';

export interface CommitProof {
  readonly commit: string;
  readonly tree: string;
  readonly parents: readonly string[];
}

const MOST_PARENTS = 64;
/** More than any message has. */
export const MOST_COMMIT_BYTES = 1 << 20;

export function encodeCommitProof({ commit, tree, parents }: CommitProof): JsonObject {
  return { commit, tree, parents: [...parents] };
}

export function parseCommitProof(payload: JsonObject): CommitProof {
  exactly(payload, ['commit', 'tree', 'parents']);
  const parents = shortTexts(payload, 'parents', MOST_PARENTS, 64);
  if (!parents.every(isGitHash)) throw new ParseError('BAD_MEMBER', "not hashes of git's", 'payload.parents');
  return { commit: gitHash(payload, 'commit'), tree: gitHash(payload, 'tree'), parents };
}

/** What the object says. Throws ParseError where it is no commit. `commit` tells which hash git uses there. */
export function readCommit(commit: string, object: Uint8Array): CommitProof {
  if (object.length > MOST_COMMIT_BYTES) throw new ParseError('TOO_LONG', 'too large for a commit', commit);
  if (gitObjectHash('commit', object, commit) !== commit)
    throw new ParseError('MALFORMED', 'the object is not the one of that name', commit);
  const head: string[] = [];
  for (let start = 0; start < object.length; ) {
    const end = object.indexOf(0x0a, start);
    if (end <= start) break; // the message begins, or the object ends
    head.push(String.fromCharCode(...object.subarray(start, Math.min(end, start + 80))));
    start = end + 1;
    if (!/^(?:tree|parent) /.test(head.at(-1) ?? '')) break;
  }
  const tree = /^tree ([0-9a-f]+)$/.exec(head[0] ?? '')?.[1];
  if (tree === undefined) throw new ParseError('MALFORMED', 'the object names no tree', commit);
  const parents = head.flatMap((line) => /^parent ([0-9a-f]+)$/.exec(line)?.[1] ?? []);
  return { commit, tree, parents };
}
