// A name with `*` in it, and whether another one matches. Both are hostile, so it takes no longer than they are long, which can't
// be said of a regular expression.

/** `parts` are what stands between the wildcards, in this order. */
export function matchesParts(parts: readonly string[], text: string): boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  let at = first.length;
  const end = text.length - last.length;
  for (let i = 1; i < parts.length - 1; i++) {
    const part = parts[i] as string;
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** A part of a path with wildcards: at least one. */
export class Wildcards {
  readonly #parts: readonly string[];

  constructor(parts: readonly string[]) {
    this.#parts = parts;
  }

  /** With `*` for each of them. */
  get text(): string {
    return this.#parts.join('*');
  }

  test(name: string): boolean {
    return matchesParts(this.#parts, name);
  }

  startsWith(text: string): boolean {
    return this.#parts[0]?.startsWith(text) === true;
  }
}

export const ANY_NAME = new Wildcards(['', '']);
