// What stands behind the names of a test: `const sum = total(items)` makes `assert.equal(sum, 5)` an assertion of
// `total(items)`. So an assertion is the same whether a value got a name first or not. Over text; a name is what it was given
// last, and the next test knows none of them.

/** A line that asserts, and the same with what its names stand for. */
export interface Asked {
  readonly line: string;
  readonly text: string;
}

export interface Source {
  readonly raw: readonly string[];
  /** The same lines without what is in strings and comments. */
  readonly bare: readonly string[];
}

const LONGEST = 400;
const MOST_LINES = 12;
const MOST_NAMES = 200;
/** `const a = …`, `let a: T = …`, `a = …`, `a := …`, `a, err := …`, `int a = …`. */
const GIVES =
  /^(?:(?:const|let|var|val|final|auto|mut)\s+)*(?:(?:int|long|double|float|bool|boolean|string|[A-Z][\w<>]*)\s+)?([A-Za-z_$][\w$]*)(?:,\s*(?:_|err|ok))?\s*(?::[^=,(]{1,80})?(?::=|=(?![=>]))\s*(?=\S)/;
/** `const { a, b: c } = …` */
const TAKES_APART = /^(?:const|let|var)\s*\{([^{}=]{1,200})\}\s*=\s*(?=\S)/;
const NAME = /(?<![\w$.])[A-Za-z_$][\w$]*(?![\w$(]|\s*:(?!=)|\s*=(?!=))/g;

export class GivenNames {
  readonly #source: Source;
  readonly #given = new Map<string, string>();

  constructor(source: Source) {
    this.#source = source;
  }

  forget(): void {
    this.#given.clear();
  }

  /** The line may give names. */
  take(at: number): void {
    const start = (this.#source.bare[at] ?? '').slice(0, LONGEST).trim();
    const parts = TAKES_APART.exec(start);
    const [head, name] = parts ?? GIVES.exec(start) ?? [];
    if (head === undefined || name === undefined || this.#given.size >= MOST_NAMES) return;
    const value = this.resolved(at).slice(head.length).trim();
    if (parts === null) this.#given.set(name, value);
    else
      for (const part of name.split(',')) {
        const [member = '', own = member] = part.split(':').map((each) => each.trim());
        this.#given.set(own, `${value}.${member}`);
      }
  }

  /** The statement that begins there, on one line, with what its names were given. */
  resolved(at: number): string {
    const [raw, bare] = this.#statement(at);
    let [text, from] = ['', 0];
    const start = (GIVES.exec(bare) ?? TAKES_APART.exec(bare))?.[0].length ?? 0;
    for (const { 0: name, index } of bare.matchAll(NAME)) {
      const value = index < start ? undefined : this.#given.get(name);
      if (value === undefined || text.length > LONGEST) continue;
      text += raw.slice(from, index) + value;
      from = index + name.length;
    }
    return (text + raw.slice(from)).replace(/;$/, '').slice(0, 2 * LONGEST);
  }

  /** Up to where its brackets are closed. */
  #statement(at: number): [raw: string, bare: string] {
    let [raw, bare, depth] = ['', '', 0];
    for (let line = at; line < at + MOST_LINES; line++) {
      const blank = this.#source.bare[line] ?? '';
      const indent = blank.length - blank.trimStart().length;
      const [text, view] = [this.#source.raw[line] ?? '', blank].map((each) =>
        each.slice(indent, indent + LONGEST),
      ) as [string, string];
      const width = view.trimEnd().length;
      const isClosing = /^[)\]}.]/.test(view);
      if (isClosing && bare.endsWith(',')) [raw, bare] = [raw.slice(0, -1), bare.slice(0, -1)];
      const gap = bare === '' || isClosing || /[([{]$/.test(bare) ? '' : ' ';
      raw += gap + text.slice(0, width);
      bare += gap + view.slice(0, width);
      for (const sign of view) depth += '([{'.includes(sign) ? 1 : ')]}'.includes(sign) ? -1 : 0;
      if (depth <= 0 || /^(?:if|for|while|else)\b/.test(bare) || bare.length > LONGEST) break;
    }
    return [raw, bare];
  }
}
