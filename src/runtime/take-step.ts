// How a step of a patch gets into the ledger: judged in the exclusive section, at the very place that it is signed for, by the
// judge that a verifier asks. What does not count is refused before anything is written.
import {
  encodeBase64,
  encodeVerifierKey,
  type JsonObject,
  patchMessage,
  type Signer,
  type VerifierKey,
} from '../core/index.ts';
import { encodeRunEvent, RUN_EVENT, type RunEvent } from '../format/index.ts';
import { type Clock, type EntryLog, encodeBlock, type NewEntry } from '../ledger/index.ts';
import { type PatchEffect, type PatchStep, type Standing, standingOf } from '../policy/index.ts';
import { PatchError } from './patch-error.ts';
import { aboutRun, encodeLast } from './run-log.ts';
import { type RunPatches, readPatches } from './run-patches.ts';
import type { Surveyed } from './survey-run.ts';

export interface StepPlace {
  readonly store: Pick<EntryLog, 'append' | 'head' | 'read'>;
  readonly source: string;
  readonly run: string;
  /** Operators whom the caller trusts. Without any, nobody's approval is written. */
  readonly pinned: readonly VerifierKey[];
  readonly now?: Clock | undefined;
}

export interface NewStep {
  readonly kind: string;
  /** Without what the signer adds. */
  readonly payload: (patches: RunPatches) => JsonObject;
  /** Who signs, and the member that names the key. */
  readonly signed?: { readonly member: 'by' | 'proposed_by'; readonly signer: Signer };
  /** The snapshot behind a patch that takes effect, and the run as it was looked at. */
  readonly behind?: { readonly event: RunEvent; readonly found: Surveyed };
}

export interface TakenStep {
  readonly seq: number;
  readonly step: PatchStep;
  readonly payload: JsonObject;
}

const TRIES = 5;

/** Durable when it resolves. PatchError, and nothing written, where it would not count. */
export async function takeStep(place: StepPlace, step: NewStep): Promise<TakenStep> {
  for (let tries = 1; ; tries++) {
    const taken = await tryToTake(place, step);
    if (taken !== undefined) return taken;
    if (tries >= TRIES || step.behind !== undefined)
      throw new PatchError(
        'BUSY',
        'another process is working on the run or its patches right now. Try again.',
      );
  }
}

async function tryToTake(place: StepPlace, step: NewStep): Promise<TakenStep | undefined> {
  const { store, source, run, pinned, now = Date.now } = place;
  const { kind, behind } = step;
  const since = behind?.found.to ?? (await store.head()).seq;
  const patches = await readPatches(store, run, since, pinned);
  let taken: TakenStep | undefined;
  await store.append(
    (head, _, __, lines) => {
      if (lines === undefined || concerns(lines, run, behind !== undefined)) return undefined;
      const seq = head.seq + 1;
      const payload = signedPayload(step, patches, { run, seq, prevHash: head.hash });
      const judged = patches.judge.judge({ kind, seq, prev_hash: head.hash, payload }, (vkey) =>
        standingNow(patches, vkey),
      );
      if (judged.problem !== null || judged.step === null)
        throw new PatchError(judged.problem?.code ?? 'PATCH_INVALID', judged.problem?.message ?? kind);
      if (judged.effect !== null) assertFits(judged.effect, behind?.found);
      taken = { seq, step: judged.step, payload };
      const entries: NewEntry[] = [
        { kind, source, session_id: run, payload },
        ...(behind === undefined
          ? []
          : [{ kind: RUN_EVENT, source, session_id: run, payload: encodeRunEvent(behind.event) }]),
      ];
      const block = encodeBlock(entries, head, now());
      return behind === undefined ? block : { ...block, state: encodeLast(behind.event.sequence) };
    },
    { since, ...(behind === undefined ? {} : aboutRun(run)) },
  );
  return taken;
}

function signedPayload(
  { kind, payload: make, signed }: NewStep,
  patches: RunPatches,
  { run, seq, prevHash }: { readonly run: string; readonly seq: number; readonly prevHash: string },
): JsonObject {
  const payload = make(patches);
  if (signed === undefined) return payload;
  const named = { ...payload, [signed.member]: encodeVerifierKey(signed.signer as VerifierKey) };
  const message = patchMessage({
    origin: patches.origin,
    sessionId: run,
    seq,
    prevHash,
    kind,
    payload: named,
  });
  return { ...named, signature: encodeBase64(signed.signer.sign(message)) };
}

/** Where nobody is trusted, nobody is known to be an operator. */
function standingNow({ operators }: RunPatches, vkey: string): Standing {
  const standing = standingOf(operators, vkey);
  return standing === 'operator' && operators.pinned === null ? 'unknown' : standing;
}

function assertFits(effect: PatchEffect, found: Surveyed | undefined): void {
  const [flaw] = found?.judge.patch(effect) ?? [];
  if (found === undefined || flaw !== undefined)
    throw new PatchError('RUN_PATCH', flaw?.message ?? 'nobody looked at the run');
}

/** May one of these lines change what was read? One that only looks so is refused as well: try again. */
function concerns(lines: Uint8Array, run: string, isEffect: boolean): boolean {
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
  if (bytes.includes('"kind":"operator.')) return true;
  const isOfRun = bytes.includes(`"session_id":"${run}"`);
  return isOfRun && (isEffect || bytes.includes('"kind":"patch.'));
}
