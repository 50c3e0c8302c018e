// What a patch makes of the state of a run: pure, from text to text, so that who proposes, audits and applies it, a recovery
// and a replay come to the same. A patch changes the agent's own state and nothing else: capabilities, memory with its
// provenance and the list of patches stay as they are, but for the patch's own id. spec/patch.md.
import { applyPatch, canonicalize, type JsonObject, ParseError, type PatchOperation } from '../core/index.ts';
import { type PatchChange, type PatchId, runEventId } from '../format/index.ts';

export interface StateChange {
  readonly id: PatchId;
  readonly change: PatchChange;
  /** It is taken back. */
  readonly undo: boolean;
}

/** An entry may nest 32 deep. */
export const DEEPEST_STATE = 24;
export const CANONICAL = { safeIntegers: true } as const;
const LARGEST_STATE = 16 * 1024 * 1024;
const UNTOUCHED = ['applied_patches', 'capabilities', 'memory'] as const;

/**
 * The canonical state behind the patch. Throws ParseError where it can't be carried out, changes what it may not, or could not
 * be taken back.
 */
export function changedState(text: string, change: StateChange): string {
  const changed = carriedOut(text, change);
  if (!change.undo && carriedBack(changed, change) !== canonicalize(JSON.parse(text)))
    throw new ParseError('BAD_MEMBER', 'its inverse leads to another state than the one before it');
  return changed;
}

function carriedBack(text: string, change: StateChange): string {
  try {
    return carriedOut(text, { ...change, undo: true });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new ParseError(error.code, `its inverse can't be carried out: ${error.message}`);
  }
}

function carriedOut(text: string, { id, change, undo }: StateChange): string {
  const before = JSON.parse(text) as JsonObject;
  const operations = change.target === 'state' ? (undo ? change.inverse : change.operations) : [];
  const after = operatedState(before, operations);
  const state = canonicalize(after.state, { ...CANONICAL, maxDepth: DEEPEST_STATE });
  const patches = patchesAfter(before.applied_patches, runEventId(id.run, id.number), undo);
  const changed = canonicalize({ ...before, applied_patches: patches, state: JSON.parse(state) });
  if (changed.length > LARGEST_STATE)
    throw new ParseError('TOO_LONG', `the state would be larger than ${LARGEST_STATE} bytes`);
  return changed;
}

/** All four members. Throws ParseError where it changes more than `/state`. */
export function operatedState(before: JsonObject, operations: readonly PatchOperation[]): JsonObject {
  const { document } = applyPatch(before, operations);
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new ParseError('BAD_MEMBER', 'the state would no longer be an object');
  const after = document as JsonObject;
  for (const name of UNTOUCHED)
    if (after[name] === undefined || canonicalize(after[name]) !== canonicalize(before[name]))
      throw new ParseError('BAD_MEMBER', `it changes ${name}, which no patch may`, `/${name}`);
  const extra = Object.keys(after).find((name) => !Object.hasOwn(before, name));
  if (extra !== undefined || after.state === undefined)
    throw new ParseError('BAD_MEMBER', 'it changes more than /state', `/${extra ?? 'state'}`);
  return after;
}

function patchesAfter(applied: unknown, id: string, undo: boolean): string[] {
  const ids = Array.isArray(applied) ? (applied as string[]) : [];
  if (!undo) return [...ids, id];
  if (ids.at(-1) !== id) throw new ParseError('BAD_MEMBER', 'it is not the newest patch of the state');
  return ids.slice(0, -1);
}
