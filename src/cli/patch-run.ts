// A run that is to be patched, opened: its patches, what is needed to take a step, and on demand the run itself. The agent's
// code runs in the sandbox only.

import { openToRead, reading } from '../app/index.ts';
import { trustedOperators } from '../config/index.ts';
import type { Blake3, JsonObject } from '../core/index.ts';
import { UsageError } from '../core/index.ts';
import { openRecording, type Recording } from '../entry/index.ts';
import type { PatchId } from '../format/index.ts';
import type { Located } from '../ledger/index.ts';
import type { KnownPatch } from '../policy/index.ts';
import { harmless, parseSessionPrefix } from '../report/index.ts';
import {
  changedState,
  codeVersions,
  hashOfRun,
  type KeptCode,
  moduleText,
  PatchError,
  type PatchedRun,
  type ReadContent,
  type ReplayParts,
  RunError,
  type RunPatches,
  readPatches,
  type StepPlace,
  type Surveyed,
  stateOfRun,
  surveyRun,
} from '../runtime/index.ts';
import { type Context, EXIT, type Outcome } from './command.ts';
import { findRun } from './find-run.ts';
import { place } from './place.ts';
import { replayTools, runPlace } from './run-place.ts';
import { startTicker, type Ticker } from './ticker.ts';

/** The patches of a run, whatever its events are like. */
export interface PatchRun {
  readonly run: string;
  readonly located: Located;
  readonly patches: RunPatches;
  readonly recording: Recording;
  readonly step: StepPlace;
  readonly read: ReadContent;
  /** Looks at the run itself. RunError where its events do not follow from one another. */
  look(): Promise<LookedAt>;
}

/** The run itself. */
export interface LookedAt {
  readonly found: Surveyed;
  readonly hash: Blake3;
  readonly replay: ReplayParts;
  /** The state now, as canonical JSON, rebuilt in the sandbox. */
  state(): Promise<string>;
  /** The code in force. */
  code(): Promise<KeptCode>;
}

/** Only reads: no lock is taken. */
export async function readingPatches(
  context: Context,
  prefix: string,
  work: (run: string, patches: RunPatches) => Outcome,
): Promise<Outcome> {
  const pinned = await trustedOperators(context.env);
  return reading(place(context), async ({ store }) => {
    const { run } = await findRun(store, parseSessionPrefix(prefix));
    return work(run, await readPatches(store, run, (await store.head()).seq, pinned));
  });
}

/** Opens the run whose id begins like this. PatchError and RunError become an outcome. */
export async function onRun(
  context: Context,
  prefix: string,
  work: (run: PatchRun) => Promise<Outcome>,
): Promise<Outcome> {
  const { env, cwd, now, onInterrupt, progress } = context;
  const located = place(context);
  const ledger = openToRead(located);
  const stop = new AbortController();
  const undo = onInterrupt(() => stop.abort());
  let recording: Recording | undefined;
  let ticker: Ticker | undefined;
  try {
    const { run } = await findRun(ledger.store, parseSessionPrefix(prefix));
    const { read, key } = await runPlace(ledger, located, { run, first: 1 });
    const { sandbox, cell, timeoutMs } = replayTools(context, located);
    const pinned = await trustedOperators(env);
    recording = await openRecording({ source: 'runtime', place: located, cwd });
    const { store, source } = recording;
    const patches = await readPatches(store, run, (await store.head()).seq, pinned);
    const parts = {
      log: store,
      run,
      first: 1,
      read,
      sandbox,
      cell,
      key,
      timeoutMs,
      signal: stop.signal,
    };
    ticker = startTicker(progress, 'working on the run', timeoutMs);
    return await work({
      run,
      located,
      patches,
      recording,
      read,
      step: { store, source, run, pinned, now },
      look: async () => lookAt(parts, await surveyRun(store, run, pinned)),
    });
  } catch (error) {
    return refusal(error);
  } finally {
    ticker?.stop();
    undo();
    await recording?.close();
    await ledger.close();
  }
}

function lookAt(parts: ReplayParts, found: Surveyed): LookedAt {
  const replay: ReplayParts = { ...parts, first: found.first };
  let state: Promise<string> | undefined;
  let code: Promise<KeptCode> | undefined;
  return {
    found,
    replay,
    hash: hashOfRun(found.init, parts.key),
    state: () => {
      state ??= stateOfRun(replay, found);
      return state;
    },
    code: () => {
      code ??= codeNow(found, parts.read);
      return code;
    },
  };
}

async function codeNow({ init, patches }: Surveyed, read: ReadContent): Promise<KeptCode> {
  const versions = await codeVersions(init, [...patches.effects.values()], read);
  const newest = versions.at(-1);
  if (newest === undefined) throw new RunError('CONTENT_GONE', 'the code of the run is missing.');
  return newest.code;
}

/** What the patch would leave, as its tests see it. PatchError where the run has gone on since it was proposed. */
export async function patchedRun(looked: LookedAt, known: KnownPatch): Promise<PatchedRun> {
  const { found, replay, hash } = looked;
  const { proposal } = known;
  const { change, id } = proposal;
  assertBase(looked, known);
  const [base, code] = [await looked.state(), await looked.code()];
  const text = change.target === 'module' ? await moduleText(change, replay.read) : undefined;
  const files =
    change.target === 'module' && text !== undefined ? { ...code.files, [change.path]: text } : code.files;
  return {
    ...replay,
    first: found.first,
    hash,
    patch: payloadOf(found.patches, id),
    base,
    state: stateBehind(base, known),
    code: { ...code, files },
    define: replay.cell.define,
  };
}

export function assertBase({ found }: LookedAt, { proposal }: KnownPatch): void {
  if (found.judge.state !== proposal.base)
    throw new PatchError(
      'PATCH_ALTERED',
      'the run has continued since the patch was proposed, and the patch only fits the earlier state. Propose it again.',
    );
}

/** The state as it is where the patch can't be carried out: that is for the audit to say. */
function stateBehind(base: string, { proposal: { id, change } }: KnownPatch): string {
  try {
    return changedState(base, { id, change, undo: false });
  } catch {
    return base;
  }
}

/** Of `patch.created`, as it is on record. */
export function payloadOf({ steps }: RunPatches, { number }: PatchId): JsonObject {
  const created = steps.find(({ step }) => step?.step === 'created' && step.patch.id.number === number);
  return created?.entry.payload ?? {};
}

/** `RUN:N`, with as much of the run's id as tells it from others. */
export function parsePatchName(text: string): { readonly prefix: string; readonly number: number } {
  const match = /^([0-9a-f]{1,64}):(0|[1-9][0-9]{0,4})$/.exec(text);
  if (match === null)
    throw new UsageError(
      `${JSON.stringify(text)} isn't a patch. Write RUN:N, as \`foil patch list RUN\` shows it.`,
    );
  return { prefix: match[1] ?? '', number: Number(match[2]) };
}

/** For a person, and for scripts with the code that a verifier has for it. */
function refusal(error: unknown): Outcome {
  if (!(error instanceof PatchError || error instanceof RunError)) throw error;
  const { code, message } = error;
  return {
    exit: code === 'NOT_A_RUN' || code === 'PATCH_MISPLACED' ? EXIT.NOT_FOUND : EXIT.FAILED,
    json: { error: { code, message } },
    text: `✗ Nothing was written: ${harmless(message)} (${code})\n`,
  };
}
