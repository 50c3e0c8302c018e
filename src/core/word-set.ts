/** The words of a text, with white space between them, to be looked up. */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}
