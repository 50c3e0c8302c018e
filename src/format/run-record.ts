// What a run started from, and what it left behind: `run.base` right behind its start, `run.artifacts` before its end. An
// attester tests the very files that the second names. spec/recording.md.
import { type JsonObject, ParseError, parseBase64Url } from '../core/index.ts';
import { count, exactly, hash, orNull, shortText } from './members.ts';

export interface RunBase {
  /** Of git, where the work tree is a repository's: the commit that was checked out, and its tree. */
  readonly commit: string | null;
  readonly tree: string | null;
  /** Files that differ from that commit, or that git does not know. Null where there is no repository. */
  readonly dirty: number | null;
  /** The Merkle root over [path, SHA-256] of those; null where there are none, or too many. */
  readonly dirtyRoot: string | null;
}

export interface RunArtifacts {
  /** The Merkle root over [path, SHA-256] of the files that the pack's `outputs` name, in base64url. */
  readonly artifactHash: string;
  readonly files: number;
  readonly bytes: number;
}

export function encodeRunBase({ commit, tree, dirty, dirtyRoot }: RunBase): JsonObject {
  return { commit, tree, dirty, dirty_root: dirtyRoot };
}

export function parseRunBase(payload: JsonObject): RunBase {
  exactly(payload, ['commit', 'tree', 'dirty', 'dirty_root']);
  return {
    commit: orNull(payload, 'commit', () => gitHash(payload, 'commit')),
    tree: orNull(payload, 'tree', () => gitHash(payload, 'tree')),
    dirty: orNull(payload, 'dirty', () => count(payload, 'dirty')),
    dirtyRoot: orNull(payload, 'dirty_root', () => hash(payload, 'dirty_root')),
  };
}

export function encodeRunArtifacts({ artifactHash, files, bytes }: RunArtifacts): JsonObject {
  return { artifact_hash_b64u: artifactHash, files, bytes };
}

export function parseRunArtifacts(payload: JsonObject): RunArtifacts {
  exactly(payload, ['artifact_hash_b64u', 'files', 'bytes']);
  const artifactHash = shortText(payload, 'artifact_hash_b64u', 43);
  if (parseBase64Url(artifactHash).length !== 32)
    throw new ParseError('BAD_MEMBER', 'not 32 bytes in base64url', 'payload.artifact_hash_b64u');
  return { artifactHash, files: count(payload, 'files'), bytes: count(payload, 'bytes') };
}

/** SHA-1 or SHA-256. */
function gitHash(payload: JsonObject, name: string): string {
  const text = shortText(payload, name, 64);
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text))
    throw new ParseError('BAD_MEMBER', "not a hash of git's", `payload.${name}`);
  return text;
}
