// npm and its kin, which run the scripts of a package.
import type { TestConfig } from '../runner.ts';
import { goal, goals, passedOn, scriptKind } from '../tasks/scripts.ts';
import {
  each,
  type Found,
  firstBare,
  found,
  type Reader,
  readOptions,
  type Table,
  type Tool,
} from '../tool.ts';

const NPM: Tool = {
  kind: 'run',
  runner: 'npm',
  values:
    '--loglevel --registry --cache --userconfig --script-shell --reporter --workspace-concurrency --network-timeout',
  flags:
    '-s --silent --if-present --ignore-scripts -ws --workspaces --include-workspace-root -r --recursive --parallel --stream --aggregate-output --no-bail --foreground-scripts -w_ --bun',
  packages: '-w --workspace --filter -F --scope',
  directory: '--prefix -C --dir --cwd',
};

const BUILTIN_NONE =
  ' install i ci add remove rm uninstall un update up upgrade outdated ls list ll la why explain view info show v audit fund init create config cache link unlink pack prune dedupe rebuild root bin help help-search search whoami login logout adduser token team org owner doctor completion set get pkg query sbom set-script version import patch patch-commit store env setup self-update fetch approve-builds dlx exec x explore edit repo docs bugs home ping star diff access deprecate dist-tag hook profile unpublish licenses rebuild policies plugin constraints stage unplug workspace-tools plug npm ';

/** npm, pnpm, yarn, bun: `npm test`, `npm run x -- args`, `yarn x args`. */
const scripts =
  (name: string): Reader =>
  (args) => {
    const at = firstBare(NPM, args);
    const word = args[at];
    if (word === undefined) return null;
    const before = readOptions({ ...NPM, bare: 'nothing' }, args.slice(0, at));
    if (word === 'publish') {
      return found('ship', `${name} publish`, {
        dry: args.find((arg) => arg === '--dry-run' || arg === '-n') ?? null,
      });
    }
    if (name === 'yarn' && word === 'npm' && args[at + 1] === 'publish')
      return found('ship', 'yarn npm publish');
    if (name === 'yarn' && word === 'workspace') {
      const inner = scripts('yarn')(args.slice(at + 2), 'yarn');
      return inner && { ...inner, packages: [args[at + 1] ?? '', ...inner.packages] };
    }
    if (name === 'yarn' && (word === 'workspaces' || word === 'wsrun')) {
      const run = args.indexOf('run', at + 1);
      return run < 0 ? null : script('yarn', args[run + 1], args.slice(run + 2), before);
    }
    const tail = args.slice(at + 1);
    if (word === 'run' || word === 'run-script' || word === 'rum' || word === 'urn') {
      const next = firstBare(NPM, tail);
      const between = readOptions({ ...NPM, bare: 'nothing' }, tail.slice(0, next));
      return script(name, tail[next], tail.slice(next + 1), mixed(before, between));
    }
    if (/^(?:test|t|tst)$/.test(word)) return script(name, 'test', tail, before);
    if (name === 'npm' && (word === 'it' || word === 'install-test' || word === 'cit'))
      return script('npm', 'test', tail, before);
    if (word === 'start') return script(name, 'start', tail, before);
    if (name === 'npm' || BUILTIN_NONE.includes(` ${word} `)) return null;
    return script(name, word, tail, before);
  };

function mixed(a: Found, b: Found): Found {
  return {
    ...a,
    packages: [...a.packages, ...b.packages],
    directory: b.directory ?? a.directory,
    dry: a.dry ?? b.dry,
  };
}

function script(
  name: string,
  goal: string | undefined,
  args: readonly string[],
  before: Found,
): Found | null {
  if (goal === undefined) return null;
  const kind = scriptKind(goal);
  const runner = goal === 'test' ? `${name} test` : `${name} run ${goal}`;
  // npm takes its own options up to `--`; the others hand everything on, except the ones that choose a workspace.
  const end = args.indexOf('--');
  const taken = name === 'npm' ? (end < 0 ? args : args.slice(0, end)) : [];
  const given =
    name === 'npm' ? (end < 0 ? args.filter((arg) => !arg.startsWith('-')) : args.slice(end + 1)) : args;
  const mine = readOptions({ ...NPM, bare: 'nothing' }, taken);
  const bare =
    name === 'npm' && end < 0
      ? given.filter((arg) => !mine.packages.includes(arg) && arg !== mine.directory)
      : given;
  const inner = passedOn(kind, runner, bare);
  const all = mixed(before, mine);
  return {
    ...inner,
    packages: [...all.packages, ...inner.packages],
    directory: all.directory,
    dry: inner.dry ?? all.dry,
  };
}

/** Each bare word is a script. */
const allOf: Reader = (args, name) =>
  goals(name, found('run', '', { targets: args.filter((arg) => !arg.startsWith('-')) }), 'run');

export const programs = (): Table => ({
  ...each('npm pnpm yarn', scripts),
  'bun run': scripts('bun'),
  ni: () => null,
  ...each('nr wireit', (name) => goal(name)),
  ...each('npm-run-all run-s run-p', () => allOf),
  'deno task': goal('deno task', { directory: '--cwd' }),
});

export const config: TestConfig = {
  names: 'package\\.json|\\.npmrc',
  lines: [['deselect', /(^|\/)\.npmrc$/, /^(?:script-shell|node-options)\s*=/]],
};
