// What a run used, added up from its results, and whether its last event says the same. What nobody can have measured is a
// contradiction as well: fuel without a cell, or no bytes of a number.
import type { Json } from '../../core/index.ts';
import type { FinalUsage, ResultOutcome, RunToolFact } from '../../format/index.ts';

export interface JudgedResult {
  readonly outcome: ResultOutcome;
  readonly output: Json;
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
  return `says ${said} as usage.${member}, and the results on record come to ${is}`;
}

/** Fuel is looked at now and then: what ended for want of it, or of time, may have gone somewhat further. */
const ENDED: ReadonlySet<ResultOutcome> = new Set(['fuel', 'time']);

/** How a tool went past its fuel; null where it did not. */
export function fuelFlaw(
  { outcome, usage: { fuel } }: JudgedResult,
  tool: RunToolFact | undefined,
): string | null {
  const most = tool?.cell?.fuel;
  return fuel === null || most === undefined || fuel <= most || ENDED.has(outcome)
    ? null
    : `consumed ${fuel} of fuel, and may consume ${most}`;
}

/** What a result can't have used; null where it can. `tool` is undefined where what its code says is not on record. */
export function resultFlaw(
  { outcome, output, usage: { outputBytes, fuel } }: JudgedResult,
  tool: RunToolFact | undefined,
): string | null {
  if (fuel !== null && tool?.cell === null) return `consumed ${fuel} of fuel, and the tool runs in no cell`;
  if (outcome === 'ok' && fuel === null && tool !== undefined && tool.cell !== null)
    return 'ran in a cell, and says nothing of its fuel';
  if (outcome !== 'ok' && outputBytes > 0) return `gave nothing, and says ${outputBytes} bytes of output`;
  if (outputBytes === 0 && (typeof output === 'number' || typeof output === 'boolean'))
    return 'gave a value, and says 0 bytes of output';
  return null;
}
