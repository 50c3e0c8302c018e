// A patch takes effect, or is taken back: the state behind it is computed from the state before it, and stands in the ledger
// together with its snapshot. A process that has the run open is refused from then on, until it recovers it.
import { type Blake3, canonicalize, type JsonObject, ParseError } from '../core/index.ts';
import { type PatchId, type RunEvent, runEventId } from '../format/index.ts';
import type { KnownPatch, PatchStep } from '../policy/index.ts';
import type { Intake } from '../record/index.ts';
import { PatchError } from './patch-error.ts';
import { changedState } from './patched-state.ts';
import { isClean } from './run.ts';
import type { Surveyed } from './survey-run.ts';
import { type NewStep, type StepPlace, type TakenStep, takeStep } from './take-step.ts';

export interface InForceParts {
  readonly place: StepPlace;
  readonly intake: Intake;
  readonly found: Surveyed;
  readonly id: PatchId;
  /** Of the run's hashes. */
  readonly hash: Blake3;
  /** The state of the run now, as canonical JSON: asked for once everything else is in order. */
  readonly state: () => Promise<string>;
}

/** The patch, if it may take this step now. PatchError with the verifier's code where it may not. */
export function dueFor(
  found: Pick<Surveyed, 'patches'>,
  id: PatchId,
  step: Exclude<PatchStep['step'], 'created'>,
): KnownPatch {
  const { course } = found.patches.judge;
  const problem = course.outOfOrder(id, step);
  const known = course.patch(id);
  if (problem !== undefined || known === undefined)
    throw new PatchError(problem?.code ?? 'PATCH_MISPLACED', problem?.message ?? 'nobody proposed it');
  return known;
}

/** Applies a patch that was approved. */
export async function applyPatch(parts: InForceParts): Promise<TakenStep> {
  const { id, found } = parts;
  const { proposal, hash } = dueFor(found, id, 'applied');
  assertKnown(found, id);
  assertState(found, proposal.base, 'the run has continued since the patch was proposed. Propose it again');
  const { event, before, after } = await changed(parts, proposal.change, false);
  const payload = {
    id: runEventId(id.run, id.number),
    patch_hash: hash,
    state_hash_before: before,
    state_hash_after: after,
  };
  return takeStep(parts.place, { kind: 'patch.applied', payload: () => payload, behind: { event, found } });
}

/** Takes back a patch that was applied, in the state that it left. */
export async function revertPatch(
  parts: InForceParts,
  signed: NonNullable<NewStep['signed']>,
): Promise<TakenStep> {
  const { id, found } = parts;
  const { proposal, hash, stateAfter } = dueFor(found, id, 'reverted');
  assertState(
    found,
    stateAfter,
    `the run has continued since the patch was applied. Propose its reversal as a separate patch: foil patch propose ${id.run.slice(0, 16)} --reverse ${id.run.slice(0, 16)}:${id.number}`,
  );
  const { event, after } = await changed(parts, proposal.change, true);
  if (after !== proposal.base)
    throw new PatchError(
      'RUN_PATCH',
      `its stored inverse leads to a different state than the one before it. Propose a patch that corrects the state: foil patch propose ${id.run.slice(0, 16)} --operations FILE.`,
    );
  const payload = { id: runEventId(id.run, id.number), patch_hash: hash };
  const step = { kind: 'patch.reverted', payload: () => payload, signed, behind: { event, found } };
  return takeStep(parts.place, step);
}

/** Whoever applies a patch answers for it: an approval by somebody that they don't know is none. */
function assertKnown({ patches }: Pick<Surveyed, 'patches'>, id: PatchId): void {
  const approval = patches.steps.find(
    ({ step }) => step?.step === 'approved' && step.word.id.number === id.number,
  );
  const problem = approval?.problem ?? null;
  if (problem !== null) throw new PatchError(problem.code, `${problem.message}.`);
}

function assertState({ judge, isClosed, sessionEnded }: Surveyed, due: string | null, why: string): void {
  if (isClosed || sessionEnded)
    throw new PatchError('RUN_PATCH', "the run has ended, so its state can't be patched any more.");
  if (judge.state !== due) throw new PatchError('PATCH_ALTERED', `${why}.`);
}

async function changed(
  { found, id, hash, state, intake }: InForceParts,
  change: KnownPatch['proposal']['change'],
  undo: boolean,
): Promise<{ event: RunEvent; before: string; after: string }> {
  const before = found.last.stateAfter;
  const text = patchedText(await state(), { id, change, undo });
  const after = hash(text);
  return { before, after, event: await snapshotEvent(found, intake, hash, id.run, text, after) };
}

function patchedText(text: string, change: Parameters<typeof changedState>[1]): string {
  try {
    return changedState(text, change);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new PatchError('RUN_PATCH', `it can't be carried out: ${error.message}.`);
  }
}

async function snapshotEvent(
  { last, initSeq }: Surveyed,
  intake: Intake,
  hash: Blake3,
  run: string,
  text: string,
  stateHash: string,
): Promise<RunEvent> {
  const document: JsonObject = {
    run_id: run,
    sequence: last.sequence,
    state_hash: stateHash,
    ...(JSON.parse(text) as JsonObject),
  };
  const kept = isClean(intake, document) ? await intake.keep(run, document) : null;
  const payload: JsonObject = {
    reason: 'patch',
    state_hash: stateHash,
    init_seq: initSeq,
    bytes: kept?.bytes ?? 0,
    snapshot: kept?.ref ?? null,
  };
  const behind = runEventId(run, last.sequence);
  return {
    run,
    sequence: last.sequence + 1,
    parent: behind,
    kind: 'Snapshot',
    payload,
    content: null,
    payloadHash: hash(canonicalize(payload)),
    stateBefore: stateHash,
    stateAfter: stateHash,
    cause: behind,
  };
}
