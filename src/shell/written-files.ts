// Which files a command writes, as far as its own words say: sed -i, mv, cp, rm, tee, git checkout and the like. Only
// names are told. What a script or a formatter changes is not in its words, and is not guessed.

import { each, firstBare, own } from '../ecosystems/index.ts';
import { basename, type Effect, UNNAMED } from './facts.ts';
import { programOf } from './programs.ts';

/** By one command; paths are as they were written. */
export function writtenBy(argv: readonly string[]): readonly Effect[] {
  const { name, args } = programOf(argv);
  switch (name) {
    case 'sed':
    case 'gsed':
    case 'perl':
    case 'ruby':
      return args.some((arg) => /^-(?![IMm])[a-zA-Z0-9]*i|^--in-place/.test(arg)) ? inPlace(args) : [];
    case 'tee':
    case 'sponge':
    case 'truncate':
      return bare(args, '-s --size -r').map((path) => ({ path, op: 'write' }));
    case 'rm':
    case 'unlink':
      return bare(args).map((path) => ({ path, op: 'delete' }));
    case 'mv':
      return moved(args, true);
    case 'cp':
      return moved(args, false);
    case 'patch': {
      const [path] = bare(args, '-p -d -i -o -r -B -F -D -Y -z --directory --input --output');
      return args.includes('--dry-run') ? [] : path === undefined ? [UNNAMED] : [{ path, op: 'edit' }];
    }
    case 'find':
      return args.includes('-delete') || /-exec\w* (?:sed -\w*i|rm|mv|perl -\w*i)/.test(args.join(' '))
        ? [UNNAMED]
        : [];
    case 'git':
      return byGit(args);
    default:
      return manifestOf(name, args);
  }
}

/** What adds a package to a project, or takes one from it, writes that down. */
const MANAGERS: Readonly<Record<string, readonly [verbs: RegExp, manifest: string]>> = {
  ...each('npm pnpm', () => [/^(?:install|i|add|uninstall|remove|rm|un)$/, 'package.json'] as const),
  yarn: [/^(?:add|remove)$/, 'package.json'],
  bun: [/^(?:install|i|add|remove|rm)$/, 'package.json'],
  ...each('uv poetry pdm', () => [/^(?:add|remove)$/, 'pyproject.toml'] as const),
  cargo: [/^(?:add|remove|rm)$/, 'Cargo.toml'],
  go: [/^get$/, 'go.mod'],
  composer: [/^(?:require|remove)$/, 'composer.json'],
  bundle: [/^(?:add|remove)$/, 'Gemfile'],
};

function manifestOf(name: string, args: readonly string[]): readonly Effect[] {
  const [verbs, path = ''] = own(MANAGERS, name) ?? [];
  const [verb = '', ...packages] = bare(args);
  const isElsewhere = args.some((arg) => /^(?:-g|--global|--dry-run|--no-save|--prefix|--cwd|-C)$/.test(arg));
  if (verbs?.test(verb) !== true || packages.length === 0 || isElsewhere) return [];
  return [{ path, op: 'edit' }];
}

/** The words that are no options; `values` names options that take the next word. */
function bare(args: readonly string[], values = ''): string[] {
  const found: string[] = [];
  const taking = ` ${values} `;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--') return [...found, ...args.slice(at + 1)];
    if (!arg.startsWith('-') || arg === '-') found.push(arg);
    else if (taking.includes(` ${arg} `)) at++;
  }
  return found.filter((word) => word !== '' && word !== '-');
}

/** The first word is the script, unless an option has brought one. */
function inPlace(args: readonly string[]): readonly Effect[] {
  const given = args.some((arg) => /^-[a-zA-Z]*[ef]$|^--(?:expression|file)/.test(arg));
  const words = bare(args, '-e -f --expression --file -ne -pe -pie -npe -ie -nie');
  const files = given ? words : words.slice(1);
  return files.length === 0 ? [UNNAMED] : files.map((path) => ({ path, op: 'edit' }));
}

function moved(args: readonly string[], isMove: boolean): readonly Effect[] {
  const at = args.findIndex((arg) => /^(?:-t|--target-directory)$/.test(arg));
  const words = bare(args, '-t --target-directory -S --suffix');
  const target = at < 0 ? words.pop() : args[at + 1];
  if (target === undefined || words.length === 0) return [];
  const isFolder = at >= 0 || words.length > 1 || /(?:^|\/)\.{0,2}$|\/$/.test(target);
  return words.flatMap((source): Effect[] => {
    const into = isFolder ? `${target.replace(/\/$/, '')}/${basename(source)}` : target;
    const made: Effect = { path: into, op: 'write' };
    return isMove ? [{ path: source, op: 'delete', to: into }, made] : [made];
  });
}

const GIT_VALUES = '-C -c --git-dir --work-tree';
/** These bring the work tree to another state, in files that nobody names. */
const WHOLE_TREE = /^(?:pull|merge|rebase|cherry-pick|revert|am|apply|clean)$/;

function byGit(args: readonly string[]): readonly Effect[] {
  const at = firstBare({ values: GIT_VALUES }, args);
  const verb = args[at] ?? '';
  const rest = args.slice(at + 1);
  const place = args.indexOf('-C');
  const inside = place >= 0 && place < at ? `${args[place + 1]}/` : '';
  const named = (paths: readonly string[], op: Effect['op']): Effect[] =>
    paths.map((path) => (path === '.' ? UNNAMED : { path: `${inside}${path}`, op }));
  const has = (pattern: RegExp): boolean => rest.some((arg) => pattern.test(arg));
  switch (verb) {
    case 'rm':
      return has(/^--cached$/) ? [] : named(bare(rest), 'delete');
    case 'mv':
      return moved(rest, true).map((each) => ({ ...each, path: `${inside}${each.path}` }));
    case 'restore':
      return has(/^(?:-S|--staged)$/) && !has(/^(?:-W|--worktree)$/)
        ? []
        : named(bare(rest, '-s --source'), 'edit');
    case 'checkout': {
      const dashes = rest.indexOf('--');
      if (dashes >= 0) return named(rest.slice(dashes + 1), 'edit');
      if (has(/^(?:-b|-B|--orphan|--help)$/)) return [];
      const words = bare(rest);
      const paths = words.filter((word) => word === '.' || /[^/]\.\w{1,8}$/.test(word));
      return words.length === 0 ? [] : paths.length === 0 ? [UNNAMED] : named(paths, 'edit');
    }
    case 'switch':
      return has(/^(?:-c|-C|--create|--orphan)$/) ? [] : [UNNAMED];
    case 'stash':
      return /^(?:list|show|drop|clear|branch|create|store)$/.test(bare(rest)[0] ?? '') ? [] : [UNNAMED];
    case 'reset':
      return has(/^--(?:hard|merge|keep)$/) ? [UNNAMED] : [];
    default:
      return WHOLE_TREE.test(verb) && !has(/^(?:-n|--dry-run|--check|--stat|--numstat|--no-commit-id)$/)
        ? [UNNAMED]
        : [];
  }
}
