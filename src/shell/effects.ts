// What a simple command does besides checking: whether it may change files, what it tries to get at, and whether it
// talks to our own hooks. Unknown programs may do anything.

import { firstBare, isCode, isLeftBehind } from '../ecosystems/index.ts';
import type { Found, Way } from './facts.ts';
import { isLineCode } from './inline-code.ts';
import { actingCode } from './loaded-code.ts';
import { HARMLESS, programName, programOf } from './programs.ts';
import { isLook } from './runners/aside.ts';

const READERS = ' cat less more head tail bat nl tac xxd od hexdump strings view wc jq yq sed awk ';
const SEARCHERS =
  ' grep egrep fgrep rg ag ack find fd ls tree locate stat file du which whereis type command ';
const FETCHERS =
  ' lynx w3m links aria2c ftp sftp scp rsync nc telnet ping dig host nslookup ssh git gh glab npm pnpm yarn pip pip3 docker go cargo gem svn hg ';
const SELF =
  ' cd pushd popd echo printf true false : test [ set export unset alias hash trap exit return wait shift local declare typeset readonly shopt ulimit umask break continue sleep kill jobs type which command read pwd source . eval ';

export function writesFiles(argv: readonly string[], found: Found | null): boolean {
  const { name, args } = programOf(argv);
  if (found !== null) {
    if (found.rewrites) return true;
    if (isLook(found.runner)) return false;
    if (found.kind === 'http')
      return args.some((arg) => /^(?:-[a-zA-Z]*[oO]|--output(?:-document)?|--remote-name|-P)$/.test(arg))
        ? !args.includes('/dev/null')
        : name === 'wget' && !args.includes('-O-') && !args.includes('--spider');
    if (found.kind === 'ship') return !/^git (?:commit|push|tag)$/.test(found.runner);
    if (found.kind === 'format' || found.kind === 'lint' || found.kind === 'types' || found.kind === 'test')
      return false;
    return found.dry === null;
  }
  switch (name) {
    case 'sed':
      return args.some((arg) => /^-[a-zA-Z]*i|^--in-place/.test(arg));
    case 'find':
      return args.some((arg) => /^-(?:delete|exec|execdir|ok|okdir|fprint\w*|fls)$/.test(arg));
    case 'git':
      return !/^(?:status|diff|log|show|blame|branch|remote|rev-parse|ls-files|ls-tree|ls-remote|grep|describe|config|fetch|shortlog|reflog|cat-file|add|tag|commit|push|help|version|for-each-ref|merge-base|name-rev|show-ref|count-objects|--version|whatchanged|diff-tree|rev-list|check-ignore|var)$/.test(
        gitVerb(args),
      );
    case 'tar':
      return !/^-?[a-zA-Z]*t/.test(args[0] ?? '');
    case 'rm':
      // An archive or a log that goes again was no code.
      return !args.every(
        (arg) => arg.startsWith('-') || isLeftBehind(arg) || (/\.\w+$/.test(arg) && !isCode(arg)),
      );
    case 'sort':
    case 'yq':
      return args.some((arg) => /^(?:-o|--output|-i|--inplace)$/.test(arg));
    case 'awk':
    case 'gawk':
      return args.includes('-i') || args.some((arg) => arg.includes('>'));
    case 'npm':
    case 'pnpm':
    case 'yarn':
      return !/^(?:ls|list|view|info|show|outdated|why|explain|audit|config|help|whoami|ping|root|bin|-v|--version)$/.test(
        args[0] ?? '',
      );
    default:
      return name !== '' && !HARMLESS.includes(` ${name} `);
  }
}

function gitVerb(args: readonly string[]): string {
  return args[firstBare({ values: '-C -c --git-dir --work-tree' }, args)] ?? args[0] ?? '';
}

/** What was tried, with the words it was tried on. */
export function waysOf(argv: readonly string[], text: string, found: Found | null): Way[] {
  const { name, args } = programOf(argv);
  if (name === '') return [];
  const words = args.filter((arg) => !arg.startsWith('-'));
  const isCode = found !== null && isLineCode({ ...found, command: text });
  const urls = args
    .map((arg) => (isCode ? actingCode(arg, found.runner) : arg))
    .flatMap((arg) => /\b(?!file:)[a-z][a-z+]{2,11}:\/\/[^\s'"`<>)]+/i.exec(arg)?.[0] ?? []);
  const ways = (capability: Way['capability'], targets: readonly string[], way = name): Way[] =>
    targets.map((target) => ({ capability, way, target }));
  if (found?.kind === 'http') return ways('fetch', [found.url ?? '']);
  if (READERS.includes(` ${name} `)) return ways('read', paths(words, name));
  if (SEARCHERS.includes(` ${name} `)) return ways('search', searched(name, args, words));
  const named = words.slice(1);
  if (name === 'git' && gitVerb(args) === 'grep') return ways('search', named, 'git grep');
  if (name === 'git' && gitVerb(args) === 'show') {
    const files = named.map((word) => word.replace(/^[^:]*:/, ''));
    return ways('read', files, 'git show');
  }
  const fetched = fetches(name, args, words);
  if (SELF.includes(` ${name} `)) return fetched;
  return [...(urls.length > 0 ? ways('fetch', urls) : fetched), ...ways('run', [text])];
}

/** Programs that fetch by some of their verbs only. */
const ASKS: readonly (readonly [programs: RegExp, verbs: RegExp])[] = [
  [/^git$/, /^(?:clone|fetch|pull|ls-remote)$/],
  [/^(?:npm|pnpm|yarn)$/, /^(?:view|info|show|pack|install|i|add)$/],
  [/^pip3?$/, /^(?:download|install|index|show)$/],
  [/^(?:docker|go|cargo|gem)$/, /^(?:pull|get|install|add|fetch)$/],
];

/** Things of the network that are not named by a URL: `gh api repos/a/b`, `npm view x`, `git clone host:a/b`. */
function fetches(name: string, args: readonly string[], words: readonly string[]): Way[] {
  if (!FETCHERS.includes(` ${name} `)) return [];
  const [verb = '', ...rest] = words;
  const asks = ASKS.find(([programs]) => programs.test(name))?.[1];
  const isAsked = asks?.test(name === 'git' ? gitVerb(args) : verb) === true;
  const thing = name === 'git' ? (rest[0] ?? 'origin') : /^pip3?$/.test(name) ? rest.at(-1) : rest[0];
  const given = /^(?:gh|glab)$/.test(name) ? rest.join(' ') : words[0];
  const target = (asks === undefined ? given : isAsked ? thing : '') ?? '';
  return target === '' ? [] : [{ capability: 'fetch', way: name, target }];
}

/** What was looked through, or for. A name that `find` seeks in some folders is sought there and nowhere else. */
function searched(name: string, args: readonly string[], words: readonly string[]): readonly string[] {
  const end = name === 'find' ? args.findIndex((arg) => /^[-(!]/.test(arg)) : -1;
  const folders = args.slice(0, Math.max(0, end));
  const isHere = folders.length === 0 || folders.some((folder) => /^(?:\.\.?\/?$|[/~$])/.test(folder));
  return isHere ? words : folders;
}

/** The files among a reader's words: the first word of sed, awk and jq is a program. */
function paths(words: readonly string[], name: string): readonly string[] {
  if (/^(?:sed|awk|jq|yq)$/.test(name)) return words.slice(1);
  return name === 'head' || name === 'tail' ? words.filter((word) => !/^\d+$/.test(word)) : words;
}

/** It runs `foil hook`, or posts to the service's hooks: whoever does that can make up events. */
export function talksToHooks(argv: readonly string[]): boolean {
  for (const [at, word] of argv.entries()) {
    if (/\/v1\/hook(?:\/|$)/.test(word)) return true;
    if (
      /^(?:foil|counterfoil|foil\.[cm]?js)$/.test(programName(word)) &&
      argv.slice(at + 1, at + 4).includes('hook')
    )
      return true;
  }
  return false;
}
