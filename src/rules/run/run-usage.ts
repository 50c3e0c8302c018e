// What a run used, added up from its results, and whether its last event says the same. What nobody can have measured is a
// contradiction as well: fuel without a cell, or no bytes of a number.
import type { Json } from '../../core/index.ts';
import type { FinalUsage, ResultOutcome, RunToolFact } from '../../format/index.ts';

export interface JudgedResult {
  readonly outcome: ResultOutcome;
  readonly output: Json;
  readonly error: string | null;
  readonly usage: { readonly ms: number; readonly outputBytes: number; readonly fuel: number | null };
}

export class RunUsage {
  calls = 0;
  denials = 0;
  #results = 0;
  #ms = 0;
  #outputBytes = 0;
  /** A result so far is content. */
  #hasContent = false;
  /** Whether all that was used could be added up, by us and by whoever wrote the last event. */
  #isWhole = true;

  /** `result` is null where it is not here; `isContent` where it does not stand in the entry itself. */
  result(result: JudgedResult | null, isContent: boolean): void {
    this.#results++;
    this.#hasContent ||= isContent;
    if (result === null) this.#isWhole = false;
    else {
      this.#ms += result.usage.ms;
      this.#outputBytes += result.usage.outputBytes;
    }
  }

  /** Whoever goes on with a run adds up what stands in its entries alone. */
  recovered(): void {
    if (this.#hasContent) this.#isWhole = false;
  }

  /** What the last event says otherwise than the results; null where it agrees. */
  flawOf({ calls, ms, outputBytes }: FinalUsage): string | null {
    if (calls !== this.#results) return otherwise('calls', calls, this.#results);
    if (!this.#isWhole) return null;
    if (ms !== this.#ms) return otherwise('ms', ms, this.#ms);
    return outputBytes === this.#outputBytes
      ? null
      : otherwise('output_bytes', outputBytes, this.#outputBytes);
  }
}

function otherwise(member: string, said: number, is: number): string {
  return `says ${said} as usage.${member}, but the results on record add up to ${is}`;
}

/** Fuel is looked at every so many steps. spec/run.md. */
const LOOK = 10_000;
/** What ended for want of fuel, or of time, may have gone on until the next look. */
const ENDED: ReadonlySet<ResultOutcome> = new Set(['fuel', 'time']);
/** A cell that comes to such an end has counted its fuel. */
const COUNTED: ReadonlySet<ResultOutcome> = new Set(['ok', 'output', 'fuel', 'time']);

/** How a tool went past its fuel; null where it did not. */
export function fuelFlaw(
  { outcome, usage: { fuel } }: JudgedResult,
  tool: RunToolFact | undefined,
): string | null {
  const most = tool?.cell?.fuel;
  if (fuel === null || most === undefined) return null;
  return fuel <= most || (ENDED.has(outcome) && fuel < most + LOOK)
    ? null
    : `consumed ${fuel} fuel, but may consume only ${most}`;
}

/** What a result can't have used; null where it can. `tool` is undefined where what its code says is not on record. */
export function resultFlaw(result: JudgedResult, tool: RunToolFact | undefined): string | null {
  const { outcome, output, usage } = result;
  const { ms, outputBytes, fuel } = usage;
  if (outcome === 'unknown' && (fuel !== null || ms > 0))
    return 'has an unknown outcome, but says what it used';
  if (tool !== undefined) {
    const flaw = countFlaw(result, tool) ?? wordFlaw(result, tool);
    if (flaw !== null) return flaw;
  }
  if (outcome !== 'ok' && outputBytes > 0) return `gave nothing, but claims ${outputBytes} bytes of output`;
  if (outputBytes === 0 && (typeof output === 'number' || typeof output === 'boolean'))
    return 'gave a value, but claims 0 bytes of output';
  return null;
}

function countFlaw(
  { outcome, usage: { ms, fuel } }: JudgedResult,
  { cell, limits }: RunToolFact,
): string | null {
  // A timer may go off somewhat early.
  if (outcome === 'time' && ms + 2 < limits.ms)
    return `took ${ms} ms, but is said to have taken longer than ${limits.ms}`;
  if (cell === null) {
    if (fuel !== null) return `consumed ${fuel} fuel, but the tool doesn't run in a cell`;
    return outcome === 'fuel' ? "is out of fuel, but the tool doesn't run in a cell" : null;
  }
  if (fuel === null) return COUNTED.has(outcome) ? 'ran in a cell, but says nothing about its fuel' : null;
  if (outcome === 'fuel' && fuel < cell.fuel)
    return `is out of fuel, but consumed only ${fuel} of ${cell.fuel}`;
  if (outcome === 'time' && fuel % LOOK !== 0)
    return `was ended from outside, but claims ${fuel} fuel, which is counted in steps of ${LOOK}`;
  return null;
}

/** Of a limit that ended it, the error tells which. */
function wordFlaw({ outcome, error }: JudgedResult, { cell, limits }: RunToolFact): string | null {
  const due: Partial<Record<ResultOutcome, string>> = {
    time: `it took longer than ${limits.ms} ms`,
    output: `its output has more than ${limits.outputBytes} bytes`,
    fuel: `it took more than ${cell?.fuel} steps`,
  };
  const word = due[outcome];
  return word === undefined || error === word
    ? null
    : `has the outcome ${outcome}, but gives '${error}' as its error`;
}
