// What a run started from, and what it left: `run.base` right after its start, `run.artifacts` before its end. An
// attester tests exactly the files that the second names. spec/recording.md.
import type { JsonObject } from '../core/index.ts';
import { count, exactly, gitHash, hash, hashB64u, orNull } from './members.ts';

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
  return {
    artifactHash: hashB64u(payload, 'artifact_hash_b64u'),
    files: count(payload, 'files'),
    bytes: count(payload, 'bytes'),
  };
}
