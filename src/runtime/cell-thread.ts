// The thread in which a tool's cell is. It runs one call and is ended from outside: a native function of the engine can't be
// interrupted from within. runtime/tool-cells.ts is its other side.
import { parentPort, workerData } from 'node:worker_threads';
import type { CellMessage, CellStart } from './cell-form.ts';
import { openEngine, runInEngine } from './quickjs.ts';

const { wasm, meter, ...work } = workerData as CellStart;
const engine = await openEngine(wasm);
const used = new BigInt64Array(meter);
const tell = (message: CellMessage): void => parentPort?.postMessage(message);
tell({ ready: true });
tell(runInEngine(engine, work, (fuel) => Atomics.store(used, 0, BigInt(fuel))));
