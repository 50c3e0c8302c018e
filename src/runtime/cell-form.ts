// What passes between a run and the thread in which a tool's cell is.
import type { ResultOutcome, RunCellFact } from '../format/index.ts';

export interface CellCode extends RunCellFact {
  /** Texts by the names that the bundle has for them. */
  readonly files: Readonly<Record<string, string>>;
}

export interface CellWork {
  readonly code: CellCode;
  readonly tool: string;
  /** As JSON. */
  readonly input: string;
  readonly outputBytes: number;
  /** The text of counterfoil/runtime, as modules in a cell import it. */
  readonly define: string;
}

export interface CellEnd {
  readonly outcome: Extract<ResultOutcome, 'ok' | 'error' | 'output' | 'fuel'>;
  /** As JSON; null unless the outcome is ok. */
  readonly output: string | null;
  readonly error: string | null;
  readonly fuel: number;
}

/** The compiled engine, which Node's types have no name for. */
export type CompiledEngine = object;

/** What the thread is started with. */
export interface CellStart extends CellWork {
  readonly wasm: CompiledEngine;
  /** One number: the fuel that is used, as far as it is known while the code runs. */
  readonly meter: SharedArrayBuffer;
}

export type CellMessage = { readonly ready: true } | CellEnd;

/** Steps between two looks at the meter: fixed by the engine. */
export const STEPS_EACH = 10_000;

/** What a replay and a cell bring along themselves. */
export const OWN_MODULE = 'counterfoil/runtime';

/** Null for what is no relative path. */
export function resolveInCell(from: string, name: string): string | null {
  if (!/^\.{1,2}\//.test(name)) return null;
  return new URL(name, `file:///${from.split('/').map(encodeURIComponent).join('/')}`).pathname
    .slice(1)
    .split('/')
    .map(decodeURIComponent)
    .join('/');
}
