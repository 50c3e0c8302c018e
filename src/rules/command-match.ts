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

const COMPILED =
  /\b(?:gradlew?|mvnw?|cargo|go|dotnet|swift|sbt|bazel|xcodebuild|ctest|make|zig|mix)\b|(?:^|\s)(?:cabal|stack|dune|nimble|crystal|fpm|forge|gleam|flutter|pio|elm-test|scala-cli|alr)\s/;

/** Its tests are built first: a pass of them is a build, too. */
export function isBuiltFirst(command: string): boolean {
  return COMPILED.test(command);
}

/** The same URL, but for a slash at its end and its scheme where one has none. */
export function sameUrl(a: string, b: string): boolean {
  return plainUrl(a) === plainUrl(b);
}

/** Not where both have one, and another. */
export function sameScheme(a: string, b: string): boolean {
  const [left, right] = [a, b].map((url) => /^[a-z+]+(?=:\/\/)/i.exec(url)?.[0].toLowerCase());
  return left === undefined || right === undefined || left === right;
}

export function sameHost(a: string, b: string): boolean {
  return plainUrl(a).split('/', 1).join() === plainUrl(b).split('/', 1).join();
}

/** Another page for the same thing: below it, or on its host with the last part of its path. */
export function isPageOf(url: string, target: string): boolean {
  const [page, wanted] = [plainUrl(url), plainUrl(target)];
  const parts = wanted.split('/');
  const last = parts.at(-1) ?? '';
  return (
    page.startsWith(`${wanted}/`) ||
    (parts.length > 1 && last.length > 2 && page.startsWith(`${parts[0]}/`) && page.split('/').includes(last))
  );
}

function plainUrl(url: string): string {
  const at = url.search(/[#]/);
  const text = (at < 0 ? url : url.slice(0, at)).slice(0, 256).replace(/^[a-z+]+:\/\//i, '');
  const slash = text.indexOf('/');
  const host = (slash < 0 ? text : text.slice(0, slash)).toLowerCase();
  return `${host}${slash < 0 ? '' : text.slice(slash)}`.replace(/\/$/, '');
}
