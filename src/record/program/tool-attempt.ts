// One run of a tool, to an end of some kind: what it gave, what it threw, that it was aborted, that it took too long.
// The tool is trusted for nothing: it may ignore its signal, never end, or throw what can't be looked at.
import type { Exit } from '../../format/index.ts';
import type { Outcome } from '../host/host-event.ts';

/** Does the work. `seq` is that of its call's entry. */
export type Tool<T> = (context: { readonly signal: AbortSignal; readonly seq: number }) => T | Promise<T>;

export interface Limits {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface Ended {
  readonly outcome: Outcome;
  /** What it gave or threw. */
  readonly value: unknown;
}

/** The longest that a timer takes; it would take a longer one for none at all. */
const LONGEST = 2 ** 31 - 1;

/** Throws TypeError or RangeError: a mistake in them must not show only once the call is on record. */
export function assertLimits({ signal, timeoutMs }: Limits): void {
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw new TypeError('signal must be an AbortSignal');
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs >= 0))
    throw new RangeError('timeoutMs must be a number of milliseconds, 0 or more');
}

/** Never rejects. One that ends after it was cut off has ended all the same; what it says then is not heard. */
export function attempt<T>(run: Tool<T>, seq: number, { signal, timeoutMs }: Limits): Promise<Ended> {
  return new Promise((resolve) => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = (outcome: Outcome, value: unknown): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
      resolve({ outcome, value });
    };
    const cut = (outcome: Outcome, reason: unknown): void => {
      end(outcome, reason);
      controller.abort(reason);
    };
    const aborted = (): void => {
      const reason: unknown = signal?.reason;
      cut(memberOf(reason, 'name') === 'TimeoutError' ? 'timeout' : 'aborted', reason);
    };
    if (signal?.aborted === true) {
      aborted();
      return;
    }
    signal?.addEventListener('abort', aborted);
    if (timeoutMs !== undefined) {
      const late = (): void =>
        cut('timeout', new DOMException(`it took longer than ${timeoutMs} ms`, 'TimeoutError'));
      timer = setTimeout(late, Math.min(timeoutMs, LONGEST));
    }
    // Within a promise's own job, so that a `then` that throws, of a result that has one, is an error of the tool.
    const running = new Promise<T>((settle) => settle(run({ signal: controller.signal, seq })));
    running.then(
      (value) => end('ok', value),
      (error: unknown) => end('error', error),
    );
  });
}

/** A short word for what went wrong: the error's own code, where it has one. */
export function errorCode({ outcome, value }: Ended): string | null {
  if (outcome === 'ok') return null;
  if (outcome === 'aborted') return 'ABORTED';
  if (outcome === 'timeout') return 'TIMEOUT';
  const code = memberOf(value, 'code');
  return typeof code === 'string' && code !== '' ? code : 'TOOL_ERROR';
}

/** Asked only where the tool gave something. What `exitCode` does not tell for certain is unknown, never success. */
export function exitOf(
  { outcome, value }: Ended,
  exitCode: ((result: unknown) => number | null) | undefined,
): Exit {
  let code: unknown = null;
  try {
    if (outcome === 'ok') code = exitCode?.(value);
  } catch {
    // It did not expect such a result.
  }
  return Number.isSafeInteger(code)
    ? { code: code as number, origin: 'host' }
    : { code: null, origin: 'unknown' };
}

/** Undefined also where looking at it throws. */
function memberOf(value: unknown, name: string): unknown {
  try {
    return (value as Record<string, unknown> | null | undefined)?.[name];
  } catch {
    return undefined;
  }
}
