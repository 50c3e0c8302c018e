// The files that our hooks stand in, and whether they are still what they were when they were last looked at. Told by
// what the system says of a file, which costs next to nothing: what stands in it is read only where that changed.
import { statSync } from 'node:fs';

export interface HooksSeen {
  /**
   * The events that hooks of ours stand under, each with `@` and its scope behind it. One that does not stand as we would
   * write it also has `#` and a hash of what stands there.
   */
  readonly events: readonly string[];
  /** The events that no hook tells us of if a session begins now, though hooks of ours are installed. */
  readonly blind: readonly string[];
  /** Every file that has a say in it. */
  readonly files: readonly string[];
}

export function eventOf(hook: string): string {
  return hook.replace(/[@#].*$/s, '');
}

/** The same hook, standing as we would write it. */
export function soundOf(hook: string): string {
  return hook.replace(/#.*$/s, '');
}

/** Of a file that is not there, the same word each time. Never throws. */
export function stampOf(path: string): string {
  try {
    const { mtimeMs, ctimeMs, size, ino } = statSync(path);
    return `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
  } catch {
    return 'none';
  }
}

export function stampsOf(files: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(files.map((path) => [path, stampOf(path)]));
}
