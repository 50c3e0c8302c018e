// A fork of a run, from its first event to its end: what the process that foil starts for it does. The agent's code runs in
// here as it does in a program of its own, so it is given no more than a program has.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StoreError } from '../core/index.ts';
import { RUN_KEY } from '../format/index.ts';
import {
  codeAt,
  type Forked,
  type ForkOptions,
  forkRun,
  loadCode,
  loadKept,
  readForkPoint,
  unlessContinued,
} from '../runtime/index.ts';
import { modelsOf } from './run-models.ts';
import { contentOf, grantedNow, loadAgent, moduleOf, openRecorder } from './runtime-place.ts';
import { openToolCells } from './tool-cells.ts';

/** RunError where it can't begin; RecordError where the ledger can't be written. */
export async function fork(options: ForkOptions): Promise<Forked> {
  const { place, cwd, run: parent, first, at, replay, agent, folder } = options;
  const recorder = await openRecorder({ place, cwd });
  try {
    const { store } = recorder;
    const read = contentOf(recorder, { place, cwd }, parent);
    const isLast = replay === 'recovery';
    const unless = isLast ? await unlessContinued(store, parent) : undefined;
    const key = await store.deriveKey(parent, RUN_KEY);
    const point = await readForkPoint({ log: store, run: parent, first, at, read, key, isLast });
    const code = await codeAt({ log: store, run: parent, first, at, read });
    const laid = join(folder, 'code');
    const kept = pathToFileURL(join(laid, code.entry));
    const module = agent === null ? kept : moduleOf(agent);
    const loaded =
      agent === null
        ? await loadKept(code, laid, await loadAgent(kept))
        : await loadCode({ module, load: () => loadAgent(module), recorder });
    const inputs = options.inputs ?? point.observations;
    if (inputs === null)
      throw new Error(`an observation after event ${at} is missing. Give the fork its input with --input.`);
    const { parameters } = options;
    const run = await forkRun({
      ...options,
      recorder,
      cells: openToolCells(),
      models: (session) => modelsOf({}, session),
      loaded,
      run: parent,
      point,
      granted: await grantedNow(recorder),
      limits: point.init.limits,
      parameters: parameters === null ? undefined : { ...point.init.parameters, ...parameters },
      hasOwnInputs: options.inputs !== null,
      impure: new Set(options.impure),
      unless,
    });
    if (isLast) return { run: run.id, status: null, isComplete: false, observed: 0, inputs: 0 };
    let status = await run.resume();
    let observed = 0;
    for (; observed < inputs.length && status.status === 'waiting'; observed++)
      status = await run.observe(inputs[observed]);
    const isComplete = status.status === 'finished' || status.status === 'waiting';
    if (status.status === 'waiting') status = await run.stop('there was nothing more to observe');
    return { run: run.id, status, isComplete, observed, inputs: inputs.length };
  } finally {
    // A run is recovered in a ledger that may be damaged, and such a ledger can't be sealed. `foil verify` says so.
    await recorder.close().catch((error) => {
      if (replay !== 'recovery' || !(error instanceof StoreError && error.code === 'DAMAGED')) throw error;
    });
  }
}
