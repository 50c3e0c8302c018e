// Payloads of patches: `patch.created`, `patch.tested`, `patch.audited`, `patch.approved`, `patch.applied`, `patch.rejected`
// and `patch.reverted`, each an entry of the run that is patched. spec/patch.md specifies them.
import { type JsonObject, ParseError, type PatchOperation, parsePatchOperations } from '../core/index.ts';
import { type ContentRef, parseContentRef } from './content.ts';
import { exactly, hash, object, objects, oneOf, shortText, shortTexts, signature, text } from './members.ts';
import { parseRunEventId } from './run-event.ts';
import { verifierKey } from './validator-key.ts';

/** `run:n`: the session's id, and which of its patches it is, from 0. */
export interface PatchId {
  readonly run: string;
  readonly number: number;
}

/** What it changes: the state of the run, or the code of the agent. */
export type PatchChange =
  | {
      readonly target: 'state';
      readonly operations: readonly PatchOperation[];
      /** What leads back. */
      readonly inverse: readonly PatchOperation[];
    }
  | {
      readonly target: 'module';
      /** As the run names it. */
      readonly path: string;
      /** SHA-256 of its content before. */
      readonly from: string;
      /** Its content after: plain content, by its SHA-256. */
      readonly to: ContentRef;
    };

export interface PatchTest {
  readonly name: string;
  readonly command: readonly string[];
}

/** `patch.created`. */
export interface PatchProposal {
  readonly id: PatchId;
  /** The state hash that it was made for: it applies to that state and no other. */
  readonly base: string;
  readonly change: PatchChange;
  readonly tests: readonly PatchTest[];
  readonly reason: string;
  readonly signed: SignedBy;
}

export interface SignedBy {
  /** A verifier key. */
  readonly by: string;
  /** By that key, over patchMessage, in base64. */
  readonly signature: string;
}

/** `patch.tested`. */
export interface PatchTested {
  readonly id: PatchId;
  readonly result: GateResult;
  readonly tests: readonly { readonly name: string; readonly result: GateResult }[];
  /** Where they ran. */
  readonly sandbox: string;
}

/** `patch.audited`. */
export interface PatchAudited {
  readonly id: PatchId;
  readonly result: GateResult;
  /** What it violates, in words. */
  readonly violations: readonly string[];
}

/** `patch.approved`, `patch.reverted`: an operator's word. */
export interface PatchWord {
  readonly id: PatchId;
  /** SHA-256 of the canonical payload of `patch.created`. */
  readonly patchHash: string;
  readonly signed: SignedBy;
}

/** `patch.applied`. */
export interface PatchApplied {
  readonly id: PatchId;
  readonly patchHash: string;
  readonly stateHashBefore: string;
  readonly stateHashAfter: string;
}

/** `patch.rejected`: somebody says no. A gate that fails rejects a patch by itself. */
export interface PatchRejected {
  readonly id: PatchId;
  readonly reason: string;
}

export type GateResult = 'pass' | 'fail';

const RESULTS: readonly GateResult[] = ['pass', 'fail'];
const LONGEST_REASON = 1024;
const LONGEST_PATH = 1024;
const LONGEST_NAME = 256;
const MOST_TESTS = 100;
const MOST_WORDS = 64;
const MOST_VIOLATIONS = 100;

export function parsePatchProposal(payload: JsonObject): PatchProposal {
  exactly(payload, ['id', 'base', 'change', 'tests', 'reason', 'proposed_by', 'signature']);
  return {
    id: idOf(payload),
    base: hash(payload, 'base'),
    change: parseChange(object(payload, 'change')),
    tests: objects(payload, 'tests', MOST_TESTS).map((test, i) => {
      const path = `payload.tests[${i}]`;
      exactly(test, ['name', 'command'], path);
      const command = shortTexts(test, 'command', MOST_WORDS, LONGEST_PATH, path);
      if (command.length === 0) throw new ParseError('BAD_MEMBER', 'empty', `${path}.command`);
      return { name: shortText(test, 'name', LONGEST_NAME, path), command };
    }),
    reason: shortText(payload, 'reason', LONGEST_REASON),
    signed: signedBy(payload, 'proposed_by'),
  };
}

function parseChange(change: JsonObject): PatchChange {
  const path = 'payload.change';
  if (oneOf(change, 'target', ['state', 'module'], path) === 'state') {
    exactly(change, ['target', 'operations', 'inverse'], path);
    return {
      target: 'state',
      operations: parsePatchOperations(change.operations, `${path}.operations`),
      inverse: parsePatchOperations(change.inverse, `${path}.inverse`),
    };
  }
  exactly(change, ['target', 'path', 'from', 'to'], path);
  return {
    target: 'module',
    path: shortText(change, 'path', LONGEST_PATH, path),
    from: hash(change, 'from', path),
    to: moduleRef(object(change, 'to', path), `${path}.to`),
  };
}

function moduleRef(value: JsonObject, path: string): ContentRef {
  const ref = parseContentRef(value, path);
  if (ref.algorithm !== 'sha256') throw new ParseError('BAD_MEMBER', 'not plain content', path);
  return ref;
}

export function parsePatchTested(payload: JsonObject): PatchTested {
  exactly(payload, ['id', 'result', 'tests', 'sandbox']);
  return {
    id: idOf(payload),
    result: oneOf(payload, 'result', RESULTS),
    tests: objects(payload, 'tests', MOST_TESTS).map((test, i) => {
      const path = `payload.tests[${i}]`;
      exactly(test, ['name', 'result'], path);
      return {
        name: shortText(test, 'name', LONGEST_NAME, path),
        result: oneOf(test, 'result', RESULTS, path),
      };
    }),
    sandbox: shortText(payload, 'sandbox', LONGEST_NAME),
  };
}

export function parsePatchAudited(payload: JsonObject): PatchAudited {
  exactly(payload, ['id', 'result', 'violations']);
  return {
    id: idOf(payload),
    result: oneOf(payload, 'result', RESULTS),
    violations: shortTexts(payload, 'violations', MOST_VIOLATIONS, LONGEST_REASON),
  };
}

export function parsePatchWord(payload: JsonObject): PatchWord {
  exactly(payload, ['id', 'patch_hash', 'by', 'signature']);
  return { id: idOf(payload), patchHash: hash(payload, 'patch_hash'), signed: signedBy(payload, 'by') };
}

export function parsePatchApplied(payload: JsonObject): PatchApplied {
  exactly(payload, ['id', 'patch_hash', 'state_hash_before', 'state_hash_after']);
  return {
    id: idOf(payload),
    patchHash: hash(payload, 'patch_hash'),
    stateHashBefore: hash(payload, 'state_hash_before'),
    stateHashAfter: hash(payload, 'state_hash_after'),
  };
}

export function parsePatchRejected(payload: JsonObject): PatchRejected {
  exactly(payload, ['id', 'reason']);
  return { id: idOf(payload), reason: shortText(payload, 'reason', LONGEST_REASON) };
}

/** Patches are named as events are. */
function idOf(payload: JsonObject): PatchId {
  const id = parseRunEventId(text(payload, 'id'));
  if (id === null) throw new ParseError('BAD_MEMBER', 'not of the form run:n', 'payload.id');
  return { run: id.run, number: id.sequence };
}

function signedBy(payload: JsonObject, name: string): SignedBy {
  return { by: verifierKey(payload, name), signature: signature(payload, 'signature') };
}
