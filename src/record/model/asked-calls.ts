// The calls of tools that a session's models asked for, as the wire saw them, and what they were told of each. What a hook
// says of the same call can be held against it. Only what this process saw, and the newest of that: what is forgotten
// corroborates nothing.
import type { ModelToolResult, ModelToolUse } from '../../format/index.ts';

export interface AskedCall extends Omit<ModelToolUse, 'toolUseId' | 'inputBytes'> {
  /** Of its `model.tool_use`. */
  readonly seq: number;
  /** What the model was told of it, once. */
  readonly told: Omit<ModelToolResult, 'toolUseId'> | null;
}

const MOST = 1024;

export class AskedCalls {
  readonly #calls = new Map<string, AskedCall>();

  ask(id: string, call: Omit<AskedCall, 'told'>): void {
    this.#calls.delete(id);
    this.#calls.set(id, { ...call, told: null });
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MOST && oldest !== undefined) this.#calls.delete(oldest);
  }

  tell(id: string, told: Omit<ModelToolResult, 'toolUseId'>): void {
    const call = this.#calls.get(id);
    if (call !== undefined) this.#calls.set(id, { ...call, told });
  }

  find(id: string): AskedCall | undefined {
    return this.#calls.get(id);
  }
}
