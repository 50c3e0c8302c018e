// How a fork calls tools: one that is pure runs again, and any other is answered from the parent's record as long as the call
// is the same. Nothing is guessed: a call that the record does not have is refused, or really made where somebody asked for
// that. spec/run.md.
import { canonicalize, type Json } from '../core/index.ts';
import type { Tool } from './define.ts';
import type { Answers } from './run-parts.ts';
import type { ToolEnd } from './tool-run.ts';

/** A call of the parent's behind the event at which the fork begins. */
export interface RecordedCall {
  readonly tool: string;
  readonly input: Json;
  readonly end: ToolEnd;
}

/** Each recorded call answers once, equal calls in their order. */
export class RecordedCalls implements Answers {
  readonly #answers = new Map<string, ToolEnd[]>();
  readonly #live: boolean;
  readonly #impure: ReadonlySet<string>;

  constructor(
    calls: readonly RecordedCall[],
    { live, impure }: { readonly live: boolean; readonly impure: ReadonlySet<string> },
  ) {
    this.#live = live;
    this.#impure = impure;
    for (const { tool, input, end } of calls) {
      const name = nameOf(tool, input);
      const equal = this.#answers.get(name);
      if (equal === undefined) this.#answers.set(name, [end]);
      else equal.push(end);
    }
  }

  refuses(tool: Tool, input: Json): boolean {
    return !this.#runsAgain(tool) && !this.#live && !this.#answers.has(nameOf(tool.name, input));
  }

  take(tool: Tool, input: Json): ToolEnd | undefined {
    if (this.#runsAgain(tool)) return undefined;
    const name = nameOf(tool.name, input);
    const equal = this.#answers.get(name);
    const first = equal?.shift();
    if (equal?.length === 0) this.#answers.delete(name);
    return first;
  }

  #runsAgain({ pure, name }: Tool): boolean {
    return pure && !this.#impure.has(name);
  }
}

function nameOf(tool: string, input: Json): string {
  return canonicalize([tool, input]);
}
