// Who answers the tools of a run that ask a model: the program's clients, or the record of another run. From a record, a
// request is answered only where the same request was, each answer once; anything else is refused and never guessed.
import { canonicalize, type Json, type JsonObject } from '../core/index.ts';
import type { ModelPlace } from './define.ts';

export interface ModelRequest extends ModelPlace {
  readonly tool: string;
  readonly body: unknown;
}

export interface Models {
  /** The body of the answer. Rejects where there is none. */
  ask(request: ModelRequest, signal: AbortSignal): Promise<unknown>;
}

/** One exchange of a run: what a tool that asks a model was given, and what came of it. */
export interface Exchange {
  readonly tool: string;
  readonly input: Json;
  readonly output: Json;
}

/** Members that hold ids, which a provider makes anew each time. */
const IDS: ReadonlySet<string> = new Set([
  'id',
  'tool_use_id',
  'tool_call_id',
  'call_id',
  'item_id',
  'response_id',
  'previous_response_id',
]);

/** A request by its content: ids are told apart by the order in which they come, not by what they are. */
export function requestKey(tool: string, body: unknown): string {
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? `id ${names.size + 1}`;
    names.set(id, name);
    return name;
  };
  const normal = (value: Json): Json => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(normal);
    const members = Object.entries(value as JsonObject).map(([key, member]) => [
      key,
      IDS.has(key) && typeof member === 'string' ? nameOf(member) : normal(member),
    ]);
    return Object.fromEntries(members) as JsonObject;
  };
  return canonicalize([tool, normal(JSON.parse(canonicalize(body)) as Json)]);
}

/** Answers as they were given in another run. */
export class RecordedModels implements Models {
  readonly #answers = new Map<string, Json[]>();

  constructor(exchanges: Iterable<Exchange>) {
    for (const { tool, input, output } of exchanges) {
      const key = requestKey(tool, input);
      this.#answers.set(key, [...(this.#answers.get(key) ?? []), output]);
    }
  }

  async ask({ tool, body }: ModelRequest): Promise<Json> {
    const answer = this.#answers.get(requestKey(tool, body))?.shift();
    if (answer === undefined)
      throw new Error('the record has no answer to this request, and none is guessed');
    return answer;
  }
}
