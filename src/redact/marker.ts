// What stands in the place of a secret: `[REDACTED:github-token]`. The scanner steps over a marker and never looks
// through one, so that redacting twice gives what redacting once gave. A marker in the input is taken at its word:
// whoever can write one could as well have left the secret out.

const OPEN = '[REDACTED:';
const MARKER = /\[REDACTED:[a-z][a-z0-9-]{0,63}\]/y;
const WHOLE = /^\[REDACTED:[a-z][a-z0-9-]{0,63}\](?:#\d{1,9})?$/;

export function encodeMarker(id: string): string {
  return `${OPEN}${id}]`;
}

/** Where the marker that begins at `start` ends; 0 if none begins there. */
export function markerEnd(text: string, start: number): number {
  MARKER.lastIndex = start;
  return MARKER.test(text) ? MARKER.lastIndex : 0;
}

/** Is the text a marker and nothing else? `#2` tells two redacted member names of one object apart. */
export function isMarker(text: string): boolean {
  return text.length < 96 && WHOLE.test(text);
}

export function hasMarker(text: string): boolean {
  return text.includes(OPEN);
}

export function withoutMarkers(text: string): string {
  return text.replace(/\[REDACTED:[a-z][a-z0-9-]{0,63}\](?:#\d{1,9})?/g, ' ');
}
