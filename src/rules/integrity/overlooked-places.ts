// Where no runner looks for tests: what was moved there is gone. Some folders and names no runner takes by itself; and a
// configuration may say where tests are, so that they are nowhere else. A pattern counts by the folder it begins with.
import type { Fact } from './command-facts.ts';

const NOWHERE =
  /(?:^|\/)(?:node_modules|vendor)\/|(?:^|\/)(?:testdata\/.*|[_.][^/]*|[_.][^/]+\/.*)\.go$|(?:^|\/)(?:build|dist|venv|\.[^/]+)\/.*\.py$/;
/** Go takes these on one system alone. */
const ONE_SYSTEM =
  /_((?:windows|plan9|js|wasip1|freebsd|netbsd|openbsd|dragonfly|solaris|illumos|aix|android|ios)(?:_\w+)?)_test\.go$/;
/** As the runners of a language want a file of tests to be named, unless they are told otherwise. */
const NAMED: readonly (readonly [language: RegExp, name: RegExp])[] = [
  [/\.py$/, /(?:^|\/)(?:test[^/]*|[^/]*_tests?)\.py$/],
  [/\.go$/, /_test\.go$/],
];
const SAYS_WHERE: readonly (readonly [config: RegExp, language: RegExp])[] = [
  [/\.(?:toml|ini|cfg)$/, /\.py$/],
  [/\.(?:json|[cm]?[jt]s)$/, /\.[cm]?[jt]sx?$/],
];
const PLACE = /^reach (?!(?:types|lint):).+ (\S+)$/;

export interface Configured {
  readonly path: string;
  readonly is: ReadonlyMap<string, Fact> | null;
}

/** `removed` are files of tests that are gone: by their names tests were found. `code` is what else was changed. */
export function overlooked(
  configs: readonly Configured[],
  removed: readonly string[],
  code: readonly string[] = [],
): (path: string) => boolean {
  const places = configs.flatMap(({ path, is }) => {
    const language = SAYS_WHERE.find(([config]) => config.test(path))?.[1];
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const named = [...(is?.keys() ?? [])].flatMap((words) => PLACE.exec(words)?.[1] ?? []);
    return language === undefined || named.length === 0 ? [] : [{ language, folder, named }];
  });
  const isMisnamed = (path: string): boolean =>
    NAMED.some(
      ([language, name]) =>
        language.test(path) &&
        !name.test(path) &&
        removed.every((was) => !language.test(was) || name.test(was)),
    );
  const isElsewhere = (path: string): boolean => {
    const system = ONE_SYSTEM.exec(path)?.[1];
    return system !== undefined && !code.some((each) => each.endsWith(`_${system}.go`));
  };
  return (path) =>
    NOWHERE.test(path) ||
    isElsewhere(path) ||
    isMisnamed(path) ||
    places.some(
      ({ language, folder, named }) =>
        language.test(path) &&
        path.startsWith(folder) &&
        !named.some((place) => isReached(path.slice(folder.length), place)),
    );
}

/** Does a setting that names this place look there? */
export function isReached(path: string, place: string): boolean {
  const start = place.replace(/^\.\/+/, '').replace(/[*?{[<(^$].*$/s, '');
  // `test/**/*.test.js`: what stands behind the last star, if that is plain.
  const end = /\*([\w.-]*\.\w+)$/.exec(place)?.[1] ?? '';
  if (/\.\w+$/.test(path) && !path.endsWith(end)) return false;
  return (
    start === '' ||
    start === '.' ||
    path === start ||
    path.startsWith(`${start.replace(/\/$/, '')}/`) ||
    (start !== place && path.startsWith(start))
  );
}
