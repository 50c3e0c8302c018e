// Commands that are checks for one thing only: a look at files that ends with its own exit code (`diff`, `cmp`,
// `grep -q`, `jq -e`, `sha256sum -c`, `git diff --exit-code`), and an install, which shows that dependencies resolve.
// Neither shows that anything works: what they are good for is for the validators to say.

import { each, found, type Reader, type Table } from '../../ecosystems/index.ts';
import type { Found } from '../facts.ts';

const words = (args: readonly string[]): string[] => args.filter((arg) => !arg.startsWith('-'));
const has = (args: readonly string[], options: RegExp): boolean => args.some((arg) => options.test(arg));

/** With an option that makes its exit code tell, and without one that takes that away; its files are its words from here on. */
const look =
  (tells: RegExp, unless: RegExp, from: number): Reader =>
  (args, name) =>
    has(args, tells) && !has(args, unless)
      ? found('run', name, { targets: words(args).slice(from, from + 8) })
      : null;

const compare: Reader = (args, name) =>
  words(args).length === 2 && !has(args, /^--(?:help|version)$/)
    ? found('run', name, { targets: words(args) })
    : null;

/** Without -q it prints what it finds, and most of the time is only asked. */
const search = look(/^(?:-[a-zA-Z]*q[a-zA-Z]*|--quiet|--silent)$/, /(?!)/, 1);
const sums = look(/^(?:-[a-z]*c[a-z]*|--check)$/, /^--ignore-missing$/, 0);
const query = look(/^(?:-[a-zA-Z]*e[a-zA-Z]*|--exit-status)$/, /^(?:-[a-zA-Z]*n[a-zA-Z]*|--null-input)$/, 1);

const LOOKS =
  /^(?:git diff(?: --check)?|diff|cmp|grep|egrep|fgrep|rg|jq|yq|(?:md5|sha(?:1|224|256|384|512)?|b2|ck?)sum|shasum)$/;

export function isLook(runner: string): boolean {
  return LOOKS.test(runner);
}

const INSTALLS: Readonly<Record<string, RegExp>> = {
  npm: /^(?:install|i|ci|update|dedupe)$/,
  pnpm: /^(?:install|i|update|up|dedupe)$/,
  yarn: /^(?:install|up|upgrade|dedupe)$/,
  bun: /^(?:install|i|update)$/,
  composer: /^(?:install|i|update|u|validate)$/,
  bundle: /^(?:install|update|lock)$/,
  poetry: /^(?:install|lock|update|check)$/,
  pdm: /^(?:install|lock|update|sync)$/,
  uv: /^(?:sync|lock)$/,
  pipenv: /^(?:install|lock|sync|update)$/,
  ...each('pip pip3', () => /^(?:install|check)$/),
  go: /^mod (?:tidy|download|verify)$/,
  cargo: /^(?:fetch|update|generate-lockfile)$/,
  ...each('flutter dart', () => /^pub (?:get|upgrade)$/),
  mix: /^deps\.(?:get|update)$/,
  dotnet: /^restore$/,
  pod: /^(?:install|update)$/,
  conan: /^install$/,
};

/** `npm install`: dependencies were resolved, and no more. */
export function isInstall(runner: string): boolean {
  const space = runner.indexOf(' ');
  const name = runner.slice(0, space);
  return space > 0 && Object.hasOwn(INSTALLS, name) && INSTALLS[name]?.test(runner.slice(space + 1)) === true;
}

/** Null where it is no install of what the manifests say: one that names packages changes them itself. */
export function readInstall(name: string, args: readonly string[]): Found | null {
  const bare = words(args);
  const verb = /^(?:go|flutter|dart)$/.test(name) ? bare.slice(0, 2).join(' ') : (bare[0] ?? '');
  const runner = `${name} ${verb === '' && name === 'yarn' ? 'install' : verb}`;
  if (!isInstall(runner)) return null;
  // `npm install x` writes the manifest itself: that says nothing of what was written there.
  const names = bare.length > (/^(?:go|flutter|dart)$/.test(name) ? 2 : 1);
  if (names && /^(?:npm|pnpm|bun|yarn)$/.test(name)) return null;
  if (/^pip3?$/.test(name) && verb === 'install' && !has(args, /^(?:-r|--requirement|-e|--editable|\.)$/))
    return null;
  const dry =
    args.find((arg) =>
      /^--(?:dry-run|help|version|ignore-platform-reqs?|force|legacy-peer-deps)$/.test(arg),
    ) ?? null;
  return found('run', runner, { dry, rewrites: true });
}

/** What is named here is asked for before the tables that know the same programs for more. */
export const ASIDE: Table = {
  ...each('diff cmp', () => compare),
  ...each('grep egrep fgrep rg', () => search),
  ...each('jq yq', () => query),
  ...each('md5sum sha1sum sha256sum sha512sum b2sum shasum', () => sums),
};
