// The line of a configuration file that has a fault, for whoever has to fix it. It is found by the names of members,
// one after the other, without a parser: close enough for a person, and no more is claimed. Pure; one pass over the
// lines.

/** `member` is like `gate.claims.done[0]`. Null where none of its names stands at the start of a line. */
export function lineOf(text: string, member: string): number | null {
  const names = member.split('.').map((name) => name.replace(/(?:\[\d+\])+$/, ''));
  let at = 0;
  let found: number | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const key = line.trim().replace(/^-\s+/, '');
    const name = names[at];
    if (name === undefined) break;
    if (name === '' || !isKey(key, name)) continue;
    found = index + 1;
    at++;
  }
  return found;
}

function isKey(line: string, name: string): boolean {
  for (const written of [name, `"${name}"`, `'${name}'`])
    if (line.startsWith(written) && line.slice(written.length).trimStart().startsWith(':')) return true;
  return false;
}
