// A test, or a block of one, that stands on one line, laid out as it would stand on several: there indentation tells what
// is in what. Source and its view are cut at the same places; what stands inside an expression stays there.

/** Cut at a block or the end of a statement; only if something follows. */
const FOLDED = /[;{]\s*[^\s;)}\]]|=>\s*(?:await\s+)?(?:assert|expect)\b/;
/** Before a brace: it opens a block, and no object. */
const BLOCK = /(?:=>|\)|\b(?:try|catch|finally|else|do))\s*$/;
const ASSERTION = /^\s*(?:(?:await|return)\s+)*(?:assert|expect)\b/;
/** What its semicolons divide is no statement. */
const HEAD = /^\s*(?:\}\s*else\s+)?(?:if|for|while|switch)\b/;
/** `try: assert x` in Python. */
const COLON = /^\s*(?:try|finally|except\b[^:]*|with\b[^:]*|def\b[^:]*\)[^:]*):(?=\s*\S)/;
const LONGEST = 4096;

/** The lines in the place of one, with the indentation they would have. */
export function unfolded(raw: string, bare: string): readonly (readonly [raw: string, bare: string])[] {
  const colon = COLON.exec(bare)?.[0].length;
  if (bare.length > LONGEST || (colon === undefined && !FOLDED.test(bare))) return [[raw, bare]];
  const indent = bare.length - bare.trimStart().length;
  const pieces: (readonly [string, string])[] = [];
  let [from, level, depth] = [0, 0, 0];
  /** How deep in brackets the statements of each block stand. */
  const open: number[] = [];
  const cut = (to: number): void => {
    const start = from + bare.slice(from, to).search(/\S|$/);
    const blanks = ' '.repeat(indent + 2 * level);
    if (start < to) pieces.push([blanks + raw.slice(start, to), blanks + bare.slice(start, to)]);
    from = to;
    level = open.length;
  };
  const enter = (to: number): void => {
    open.push(depth);
    cut(to);
  };
  if (colon !== undefined) enter(colon);
  for (let at = colon ?? 0; at < bare.length; at++) {
    const sign = bare.charAt(at);
    const isStatement = depth === (open.at(-1) ?? 0);
    const mayEnter = open.length === 0 ? !ASSERTION.test(bare.slice(from)) : isStatement;
    const before = bare.slice(Math.max(from, at - 16), at);
    if ('([{'.includes(sign)) {
      depth++;
      const isBlock = sign === '{' && mayEnter && BLOCK.test(before);
      if (isBlock && !/^\s*\}/.test(bare.slice(at + 1))) enter(at + 1);
    } else if (')]}'.includes(sign)) {
      // The end of a block, or of what holds an arrow without one.
      if (open.length > 0 && isStatement) {
        open.pop();
        cut(at);
        if (sign === '}' && /^\s*(?!else|catch|finally|while)\w/.test(bare.slice(at + 1))) cut(at + 1);
      }
      depth--;
    } else if (sign === ';' && isStatement && !HEAD.test(bare.slice(from))) cut(at + 1);
    else if (mayEnter && /=>\s*$/.test(before) && ASSERTION.test(bare.slice(at))) enter(at);
  }
  cut(bare.length);
  return pieces;
}
