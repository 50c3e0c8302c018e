// Runners of a project's own scripts and targets: npm and its kin, make, just, task, nx, turbo, bazel, rake, composer …
// What such a script does is not known here; its name says what it is meant to be, and test counts or their absence
// in the output say the rest.
import type { CheckKind } from '../../../format/index.ts';
import type { Found } from '../facts.ts';
import { firstBare, found, type Reader, readOptions, type Table, type Tool } from '../tool.ts';

const TYPES = /^(?:types?|typecheck|typechecking|typings|tsc|tsgo|mypy|pyright|dialyzer)$/;
const LINT =
  /^(?:lint|lints|linter|linting|eslint|stylelint|clippy|vet|ruff|flake8|rubocop|oxlint|biome|knip|style)$/;
const FORMAT = /^(?:fmt|format|formatting|prettier|black|gofmt)$/;
const TEST =
  /^(?:test|tests|testing|spec|specs|e2e|unit|integration|vitest|jest|mocha|pytest|playwright|cypress|coverage|cov|ci|verify|validate|smoke|rspec|phpunit|ava|karma|unittest|unittests|check-all)$/;
const BUILD = /^(?:build|builds|compile|bundle|dist|assemble|package|all|prod|webpack|rollup|binary|image)$/;
const SHIP = /^(?:deploy|publish|release|ship|migrate|migration|migrations|rollout|upload|push)$/;

/** What a script is meant to be, by the words of its name: `test:types` is types, `lint-tests` is lint. */
export function scriptKind(name: string): CheckKind {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const joined = words.join('');
  if (words.some((word) => TYPES.test(word)) || /typecheck|checktypes/.test(joined)) return 'types';
  if (words.some((word) => LINT.test(word))) return 'lint';
  if (words.some((word) => FORMAT.test(word))) return 'format';
  for (const word of words) {
    if (/^(?:dev|start|serve|watch|preview|clean|seed|generate|codegen)$/.test(word)) return 'run';
    if (TEST.test(word)) return 'test';
    if (BUILD.test(word)) return 'build';
    if (SHIP.test(word)) return 'ship';
  }
  return words.includes('check') || words.includes('checks') ? 'lint' : 'run';
}

/** What follows a script's name goes to a runner that is not known: paths narrow, so do the usual name options. */
const PASSED_ON: Omit<Tool, 'kind' | 'runner'> = {
  values:
    '-c --config --reporter --timeout --maxWorkers -w --workers -n --project-root --format -r --require --outputFile --browsers --env --retries --tb --durations',
  flags:
    '--watch --run --coverage --runInBand --ci --verbose --silent --bail -i -v -q -x -s -u --update --fix --write --no-watch --recursive --passWithNoTests',
  selectors:
    '-t --testNamePattern -g --grep --filter -k -m --tests --run --only --testPathPattern --testPathPatterns --project --shard',
  excludes: '--exclude --ignore --testPathIgnorePatterns --deselect --skip',
  narrowing: '--onlyChanged --changed --lf --last-failed',
  dry: '--listTests --collect-only --co --list --list-tests --showConfig --no-run',
  rewrites: '--fix --write -u --update --updateSnapshot',
};

function passedOn(kind: CheckKind, runner: string, args: readonly string[]): Found {
  const read = readOptions(
    { kind, runner, ...PASSED_ON },
    args.filter((arg) => arg !== '--'),
  );
  // What a program is given says nothing of what it covers.
  return kind === 'run' || kind === 'ship' ? { ...read, targets: [], selectors: [] } : read;
}

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

/** `make -C dir target VAR=value`. */
const make =
  (name: string): Reader =>
  (args) => {
    const read = readOptions(
      {
        kind: 'build',
        runner: name,
        values: '-j -f --file --makefile -l -o -W -I --jobs',
        flags: '-B -k -s -w --always-make --keep-going --silent',
        directory: '-C --directory',
        dry: '-n --just-print --recon -q --question -p -h -v',
      },
      args.filter((arg) => !/^-j\d*$/.test(arg) && !/^\w+[:?+]?=/.test(arg)),
    );
    return goals(name, read, 'build', /^check$/);
  };

/** The goals of one call; the most telling one names it. */
function goals(name: string, read: Found, otherwise: CheckKind, tests = /^$/): Found | null {
  const words = read.targets.filter(
    (goal) => !/^(?:clean|distclean|install|deps|setup|help|default)$/.test(goal),
  );
  if (words.length === 0 && read.targets.length > 0) return null;
  const kinds = words.map((goal): CheckKind => (tests.test(goal) ? 'test' : scriptKind(goal)));
  const kind =
    (['ship', 'test', 'build', 'types', 'lint', 'format'] as const).find((one) => kinds.includes(one)) ??
    (words.length === 0 || words.every((goal) => /\.\w{1,5}$/.test(goal)) ? otherwise : 'run');
  const goal = words[Math.max(0, kinds.indexOf(kind))];
  return { ...read, kind, runner: goal === undefined ? name : `${name} ${goal}`, targets: [] };
}

/** just, task, rake, composer, deno task …: the first bare word is the goal, the rest are its own. */
const goal =
  (name: string, more: Partial<Tool> = {}, skip = ''): Reader =>
  (args) => {
    const tool: Tool = { kind: 'run', runner: name, ...more };
    const at = firstBare(tool, args);
    const word = args[at];
    const before = readOptions({ ...tool, bare: 'nothing' }, args.slice(0, at));
    if (word === undefined || ` ${skip} `.includes(` ${word} `)) return null;
    const kind = scriptKind(word);
    const inner = passedOn(kind, `${name} ${word}`, args.slice(at + 1));
    return { ...inner, directory: before.directory, dry: before.dry ?? inner.dry };
  };

const JUST = {
  values: '-f --justfile --set --shell',
  directory: '-d --working-directory',
  dry: '-n -l --list --summary --show -s --evaluate',
};

/** `nx test app`, `nx run app:test`, `nx run-many -t test -p a,b`, `nx affected -t test`. */
const nx: Reader = (args) => {
  const [sub = '', ...rest] = args.filter((arg) => arg !== '--');
  const tool: Tool = {
    kind: 'run',
    runner: 'nx',
    values: '--configuration -c --parallel --base --head --output-style --runner --maxParallel',
    packages: '-p --projects --project',
    selectors: '-t --target --targets --testNamePattern --grep',
    targets: '--testFile --test-file --testPathPattern',
    excludes: '--exclude',
    dry: '--graph',
    rewrites: '--fix',
  };
  const read = readOptions(tool, rest);
  if (sub === 'run') {
    const [project = '', target = ''] = (read.targets[0] ?? '').split(':');
    return target === ''
      ? null
      : {
          ...read,
          kind: scriptKind(target),
          runner: `nx ${target}`,
          targets: read.targets.slice(1),
          packages: [project],
        };
  }
  if (sub === 'run-many' || sub === 'affected' || sub.startsWith('affected:')) {
    const target = sub.startsWith('affected:') ? sub.slice(9) : (read.selectors[0] ?? '');
    const narrowed = sub === 'run-many' ? [] : ['affected'];
    const packages = read.packages.flatMap((word) => word.split(',')).filter((word) => word !== '');
    return {
      ...read,
      kind: scriptKind(target),
      runner: `nx ${target}`,
      targets: [],
      packages,
      selectors: [...narrowed, ...read.selectors.slice(sub.startsWith('affected:') ? 0 : 1)],
    };
  }
  if (!/^(?:test|build|lint|e2e|serve|typecheck|type-check|vite:test|format|check)/.test(sub)) return null;
  if (sub.startsWith('format')) return found('format', `nx ${sub}`, { rewrites: sub !== 'format:check' });
  return {
    ...read,
    kind: scriptKind(sub),
    runner: `nx ${sub}`,
    targets: read.targets.slice(1),
    packages: read.targets.slice(0, 1),
  };
};

/** `turbo run test --filter=a`, `lerna run test --scope a`. */
const monorepo =
  (name: string): Reader =>
  (args) => {
    const end = args.indexOf('--');
    const mine = (end < 0 ? args : args.slice(0, end)).filter(
      (arg, at) => !(at === 0 && (arg === 'run' || arg === 'exec')),
    );
    const read = readOptions(
      {
        kind: 'run',
        runner: name,
        values: '--concurrency --cache-dir --output-logs --log-order --since',
        packages: '--filter -F --scope --to --from',
        excludes: '--ignore',
        narrowing: '--affected',
        dry: '--dry --graph --summarize_',
        directory: '--cwd',
        flags: '--force --parallel --continue --no-cache --stream',
      },
      mine,
    );
    if (args[0] === 'publish') return found('ship', `${name} publish`);
    const words = read.targets.filter(
      (word) =>
        !/^(?:bootstrap|prune|login|link|ls|list|init|gen|clean|changed|diff|version|watch)$/.test(word),
    );
    if (words.length === 0) return null;
    const picked = goals(name, { ...read, targets: words }, 'run');
    return (
      picked && {
        ...picked,
        ...(end < 0
          ? {}
          : { selectors: [...picked.selectors, ...passedOn(picked.kind, '', args.slice(end + 1)).targets] }),
      }
    );
  };

/** `bazel test //pkg/...`. */
const bazel: Reader = (args) => {
  const at = firstBare({ kind: 'run', runner: 'bazel', values: '' }, args);
  const sub = args[at] ?? '';
  const kind = ({ test: 'test', coverage: 'test', build: 'build', run: 'run' } as const)[sub as 'test'];
  if (kind === undefined) return null;
  const read = readOptions(
    {
      kind,
      runner: `bazel ${sub}`,
      values: '-c --config --test_output --jobs',
      selectors: '--test_filter --test_tag_filters',
      dry: '--nobuild',
      bare: 'targets',
    },
    args.slice(at + 1),
  );
  const labels = read.targets.map((label) =>
    label
      .replace(/^-?\/\//, '')
      .replace(/(?:\/?\.\.\.|:all|:\*)$/, '')
      .replace(/:.*$/, ''),
  );
  return { ...read, targets: labels.includes('') ? [] : labels };
};

/** `hatch run test`, `hatch run env:test`, `hatch test`. */
const hatch: Reader = (args) => {
  const [sub = '', ...rest] = args;
  if (sub === 'test') return passedOn('test', 'hatch test', rest);
  if (sub === 'build') return found('build', 'hatch build');
  if (sub === 'fmt') return found('lint', 'hatch fmt', { rewrites: !rest.includes('--check') });
  if (sub === 'publish') return found('ship', 'hatch publish');
  if (sub !== 'run') return null;
  const name = (rest[0] ?? '').replace(/^.*:/, '');
  return passedOn(scriptKind(name), `hatch run ${name}`, rest.slice(1));
};

/** `pixi run test`: only with `run` is it a script. */
const running =
  (name: string, values = ''): Reader =>
  (args) =>
    args[0] === 'run' ? goal(`${name} run`, { values })(args.slice(1), name) : null;

export const GENERIC: Table = {
  npm: scripts('npm'),
  pnpm: scripts('pnpm'),
  yarn: scripts('yarn'),
  'bun run': scripts('bun'),
  ni: () => null,
  nr: goal('nr'),
  'npm-run-all': (args) =>
    goals('npm-run-all', found('run', '', { targets: args.filter((arg) => !arg.startsWith('-')) }), 'run'),
  'run-s': (args) =>
    goals('run-s', found('run', '', { targets: args.filter((arg) => !arg.startsWith('-')) }), 'run'),
  'run-p': (args) =>
    goals('run-p', found('run', '', { targets: args.filter((arg) => !arg.startsWith('-')) }), 'run'),
  wireit: goal('wireit'),
  make: make('make'),
  gmake: make('make'),
  just: goal('just', JUST),
  task: goal('task', {
    values: '-t --taskfile -o -c --concurrency',
    directory: '-d --dir',
    dry: '-n --dry -l --list -a --list-all --status',
  }),
  mage: goal('mage', { directory: '-d -w', dry: '-l' }),
  rake: (args) => {
    const words = args.filter((arg) => !/^\w+=/.test(arg));
    if (words.some((arg) => /^-(?:T|P|n|D)$|^--(?:tasks|dry-run|prereqs)$/.test(arg)))
      return found('test', 'rake', { dry: words[0] ?? '' });
    const selectors = args.flatMap((arg) => /^TEST(?:OPTS)?=(.+)$/.exec(arg)?.[1] ?? []);
    const read = goals(
      'rake',
      found('test', 'rake', { targets: words.filter((arg) => !arg.startsWith('-')) }),
      'test',
    );
    return read && { ...read, selectors };
  },
  thor: goal('thor'),
  invoke: goal('invoke', { dry: '-l --list' }),
  inv: goal('invoke', { dry: '-l --list' }),
  doit: goal('doit'),
  poe: goal('poe'),
  poetry: running('poetry'),
  pipenv: running('pipenv'),
  pdm: running('pdm'),
  rye: running('rye'),
  pixi: running('pixi', '-e --environment --manifest-path'),
  hatch,
  composer: (args) => {
    const words = args.filter((arg, at) => !(at === 0 && (arg === 'run' || arg === 'run-script')));
    return goal(
      'composer',
      { directory: '-d --working-dir' },
      'install update require remove dump-autoload dumpautoload show outdated audit init create-project global config self-update validate exec why why-not clear-cache licenses search status suggests fund bump reinstall about archive browse check-platform-reqs depends diagnose',
    )(words, 'composer');
  },
  nx,
  turbo: monorepo('turbo'),
  lerna: monorepo('lerna'),
  rush: goal('rush', {}, 'install update add remove init purge change check list'),
  moon: (args) => {
    const name = (args.find((arg) => arg.includes(':')) ?? '').split(':')[1] ?? '';
    return name === '' ? null : found(scriptKind(name), `moon ${name}`);
  },
  bazel,
  bazelisk: bazel,
  buck2: bazel,
  pants: (args) => {
    const named = args.filter((arg) => /^(?:test|lint|check|fmt|package|run)$/.test(arg));
    const kinds = named.map((word) => (word === 'check' ? 'types' : scriptKind(word)));
    // Several goals are one run; the most telling one names it.
    const kind = (['test', 'build', 'types', 'lint', 'format', 'run'] as const).find((one) =>
      kinds.includes(one),
    );
    const goalWord = kind === undefined ? undefined : named[kinds.indexOf(kind)];
    if (kind === undefined || goalWord === undefined) return null;
    const targets = args
      .filter((arg) => !arg.startsWith('-') && !named.includes(arg))
      .map((arg) => arg.replace(/::?$/, ''));
    const dry = args.find((arg) => /^(?:--help|-h|help|list|peek|--list)$/.test(arg)) ?? null;
    return found(kind, `pants ${goalWord}`, { targets: targets.includes('') ? [] : targets, dry });
  },
  earthly: (args) => {
    const name = (args.find((arg) => arg.includes('+')) ?? '').split('+')[1] ?? '';
    return name === '' ? null : found(scriptKind(name), `earthly +${name}`);
  },
  mise: (args) => (args[0] === 'run' || args[0] === 'r' ? goal('mise run')(args.slice(1), 'mise') : null),
  'deno task': goal('deno task', { directory: '--cwd' }),
};
