// Brackets in the text of a test, of which strings and comments are blank: where a block ends, and what stands in a list.

const OPENS = '([{';
const CLOSES = ')]}';

/** The line in which what opens behind a place is closed; behind the last where it never is. */
export function blockEnd(lines: readonly string[], at: number, from: number): number {
  if (/(?::|\bdo)\s*$/.test(lines[at] ?? '')) return indentedEnd(lines, at);
  let depth = 0;
  for (let each = at; each < lines.length; each++) {
    for (const sign of (lines[each] ?? '').slice(each === at ? from : 0)) {
      if (OPENS.includes(sign)) depth++;
      else if (CLOSES.includes(sign) && --depth === 0) return each;
    }
  }
  return lines.length;
}

/** The last line that is indented further than the one at a place. */
function indentedEnd(lines: readonly string[], at: number): number {
  const indent = (lines[at] ?? '').search(/\S/);
  const end = lines.findIndex((line, each) => {
    const own = line.search(/\S/);
    return each > at && own >= 0 && own <= indent;
  });
  return (end < 0 ? lines.length : end) - 1;
}

/** How many elements the list has with which a text begins, without those that are skipped; 0 where it has no end. */
export function countRows(text: string, skipped?: RegExp): number {
  let [depth, count, isOpen, from] = [0, 0, false, 0];
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (OPENS.includes(sign)) depth++;
    else if (CLOSES.includes(sign)) depth--;
    const isEnd = depth === 0 || (depth === 1 && sign === ',');
    if (isEnd && isOpen && skipped?.test(text.slice(from, at)) === true) count--;
    if (depth === 0) return count;
    if (isEnd) [isOpen, from] = [false, at];
    else if (!isOpen && (depth === 2 || !/[\s[{]/.test(sign))) {
      isOpen = true;
      count++;
    }
  }
  return 0;
}

/** What follows the block with which a text begins. */
export function behindBlock(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (OPENS.includes(text.charAt(at))) depth++;
    else if (CLOSES.includes(text.charAt(at)) && --depth === 0) return text.slice(at + 1);
  }
  return '';
}
