// When a command that ran is the one that was named. Word by word from the start: `npm test` names `npm test -- -u`,
// not `npm testing` and not `echo npm test`.

function words(command: string): string[] {
  return command
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '' && !/^[A-Za-z_]\w*=/.test(word));
}

/** Does `command` begin with all the words of `named`? */
export function isNamedBy(command: string, named: string): boolean {
  const [ran, said] = [words(command), words(named)];
  return said.length > 0 && said.every((word, i) => word === ran[i]);
}

/** The same URL, but for a slash at its end and its scheme where one has none. */
export function sameUrl(a: string, b: string): boolean {
  return plainUrl(a) === plainUrl(b);
}

/** Below it on the same host, by whole segments of the path. */
export function isBelow(url: string, above: string): boolean {
  return plainUrl(url).startsWith(`${plainUrl(above)}/`);
}

function plainUrl(url: string): string {
  const at = url.search(/[#]/);
  const text = (at < 0 ? url : url.slice(0, at)).slice(0, 256).replace(/^[a-z]+:\/\//i, '');
  const slash = text.indexOf('/');
  const host = (slash < 0 ? text : text.slice(0, slash)).toLowerCase();
  return `${host}${slash < 0 ? '' : text.slice(slash)}`.replace(/\/$/, '');
}
