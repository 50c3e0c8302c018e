// Tools in cells: each call is one QuickJS engine in a thread of its own, which is ended when its time is up, whatever it
// does. What comes back is a text of bounded length.
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { CellCode, CellEnd, CellMessage, CellStart, CompiledEngine } from './cell-form.ts';
import { messageOf } from './machine.ts';
import type { ToolEnd } from './tool-run.ts';

/** Paths of what was built: the thread, the engine, and counterfoil/runtime as modules in a cell import it. */
export interface CellFiles {
  readonly thread: string;
  readonly wasm: string;
  readonly define: string;
}

export interface CellLimits {
  readonly ms: number;
  readonly outputBytes: number;
}

/** The thread may take so long until the tool's own time begins. */
const START_MS = 30_000;
const STACK_MB = 16;
const HEAP_MB = 256;

declare const WebAssembly: { compile(bytes: Uint8Array): Promise<CompiledEngine> };

type Ended = CellEnd | { readonly outcome: 'time' };

export class ToolCells {
  readonly #files: CellFiles;
  #parts: Promise<Pick<CellStart, 'wasm' | 'define'>> | undefined;

  constructor(files: CellFiles) {
    this.#files = files;
  }

  /** Never rejects. */
  async run(code: CellCode, tool: string, input: unknown, limits: CellLimits): Promise<ToolEnd> {
    const started = performance.now();
    const ended = (end: Pick<ToolEnd, 'outcome' | 'error'> & Partial<ToolEnd>): ToolEnd => ({
      output: null,
      outputBytes: 0,
      fuel: null,
      ...end,
      ms: Math.round(performance.now() - started),
    });
    try {
      this.#parts ??= readParts(this.#files);
      const meter = new SharedArrayBuffer(8);
      const { outputBytes } = limits;
      const text = JSON.stringify(input) ?? 'null';
      const start: CellStart = { ...(await this.#parts), code, tool, input: text, outputBytes, meter };
      const end = await inThread(this.#files.thread, start, limits.ms);
      if (end.outcome === 'time')
        return ended({
          outcome: 'time',
          error: `it took longer than ${limits.ms} ms`,
          fuel: Number(new BigInt64Array(meter)[0]),
        });
      const { outcome, output, error, fuel } = end;
      if (output === null) return ended({ outcome, error, fuel });
      return ended({
        outcome,
        error,
        fuel,
        output: JSON.parse(output),
        outputBytes: Buffer.byteLength(output),
      });
    } catch (error) {
      return ended({ outcome: 'error', error: messageOf(error) });
    }
  }
}

async function readParts({ wasm, define }: CellFiles): Promise<Pick<CellStart, 'wasm' | 'define'>> {
  const bytes = await readFile(wasm);
  return { wasm: await WebAssembly.compile(bytes), define: await readFile(define, 'utf8') };
}

async function inThread(path: string, start: CellStart, ms: number): Promise<Ended> {
  const worker = new Worker(path, {
    workerData: start,
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, stackSizeMb: STACK_MB },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Ended>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error('its cell could not be started in time')), START_MS);
      worker.on('message', (message: CellMessage) => {
        if (!('ready' in message)) return resolve(message);
        clearTimeout(timer);
        timer = setTimeout(() => resolve({ outcome: 'time' }), ms);
      });
      worker.on('error', reject);
      worker.on('exit', () => reject(new Error('its cell ended without an answer')));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
