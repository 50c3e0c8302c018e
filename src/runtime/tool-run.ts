// One call of a tool, within its limits. The tool is the program's own code and runs in its process: it may throw, never
// come back, give a gigabyte, or change its input. What it gives is measured before anything of it is copied.
import type { Json } from '../core/index.ts';
import { type AgentInit, type ResultOutcome, runEventId } from '../format/index.ts';
import type { CallContext, StandardSchema, Tool } from './define.ts';
import { messageOf } from './machine.ts';

export interface ToolEnd {
  readonly outcome: ResultOutcome;
  /** Not clean. Null unless the outcome is ok. */
  readonly output: unknown;
  readonly error: string | null;
  readonly ms: number;
  readonly outputBytes: number;
  /** Null where it is not measured. */
  readonly fuel: number | null;
}

/**
 * What a call is known by to whoever must not do it twice. A ledger that was restored from a copy gives the next run the id of
 * one that is lost, with other calls under the same ids of events: the nonce tells them apart.
 */
export function callKey(run: string, sequence: number, nonce: AgentInit['nonce']): string {
  const id = runEventId(run, sequence);
  return nonce === null ? id : `${id}:${nonce}`;
}

/** Of a call that may have been made, and of which nobody knows what came of it. */
export function inDoubt(error: string): ToolEnd {
  return { outcome: 'unknown', output: null, error, ms: 0, outputBytes: 0, fuel: null };
}

/** Never rejects. */
export async function runTool(tool: Tool, input: unknown, key: string): Promise<ToolEnd> {
  const started = performance.now();
  let stop: AbortController | undefined;
  const context: CallContext = {
    key,
    // Made for who asks for it: that takes longer than a small tool.
    get signal() {
      stop ??= new AbortController();
      return stop.signal;
    },
  };
  const ended = (end: Pick<ToolEnd, 'outcome' | 'error'> & Partial<ToolEnd>): ToolEnd => ({
    output: null,
    outputBytes: 0,
    fuel: null,
    ...end,
    ms: Math.round(performance.now() - started),
  });
  try {
    const given = tool.run(input, context);
    const first = isPromise(given) ? await within(given, tool.limits.ms) : { value: given };
    // One that blocks the thread keeps the timer from going off, and is late all the same.
    if (first === 'time' || performance.now() - started > tool.limits.ms) {
      stop?.abort();
      return ended({ outcome: 'time', error: `it took longer than ${tool.limits.ms} ms` });
    }
    const outputBytes = sizeWithin(first.value, tool.limits.outputBytes);
    if (outputBytes > tool.limits.outputBytes)
      return ended({ outcome: 'output', error: `its output has more than ${tool.limits.outputBytes} bytes` });
    return ended({ outcome: 'ok', output: first.value, error: null, outputBytes });
  } catch (error) {
    return ended({ outcome: 'error', error: messageOf(error) });
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/** What comes after the time is up is dropped. */
async function within(given: PromiseLike<unknown>, ms: number): Promise<{ value: unknown } | 'time'> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<'time'>((resolve) => {
    timer = setTimeout(() => resolve('time'), ms);
  });
  const running = Promise.resolve(given).then((value) => ({ value }));
  running.catch(() => undefined);
  try {
    return await Promise.race([running, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}

type CheckedInput = { readonly value: unknown } | { readonly refused: string };

/** The value as the schema gives it, or why it is refused. Never rejects. */
export function checkInput(schema: StandardSchema | null, input: Json): CheckedInput | Promise<CheckedInput> {
  return schema === null ? { value: input } : validated(schema, input);
}

async function validated(schema: StandardSchema, input: Json): Promise<CheckedInput> {
  try {
    const result = await schema['~standard'].validate(input);
    if (result.issues === undefined) return { value: result.value };
    return {
      refused: result.issues
        .map(({ message }) => message)
        .join('; ')
        .slice(0, 1000),
    };
  } catch (error) {
    return { refused: messageOf(error) };
  }
}

/** About how many bytes it has as JSON; counting ends soon after `most`. A member that can't be read counts as nothing. */
export function sizeWithin(value: unknown, most: number): number {
  let bytes = 0;
  const seen = new Set<object>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && bytes <= most) {
    const next = waiting.pop();
    if (typeof next === 'string') bytes += next.length + 2;
    else if (ArrayBuffer.isView(next)) bytes += next.byteLength;
    else if (typeof next === 'object' && next !== null && !seen.has(next)) {
      seen.add(next);
      try {
        for (const key of Object.keys(next)) {
          bytes += Array.isArray(next) ? 1 : key.length + 4;
          waiting.push((next as Record<string, unknown>)[key]);
          if (bytes > most) break;
        }
      } catch {
        // What it is told as, is decided when it is tidied.
      }
    } else bytes += 4;
  }
  return bytes;
}
