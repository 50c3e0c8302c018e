// Scripts and targets of a project by their names. What such a script does is not known here; its name says what it is
// meant to be, and test counts or their absence in the output say the rest.
import type { CheckKind } from '../../format/index.ts';
import { type Found, firstBare, type Reader, readOptions, type Tool } from '../tool.ts';

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
  // A program in the words of the line is no name.
  if (/[\s;(){}=<>"'`]/.test(name)) return 'run';
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
    '-t --testNamePattern -g --grep --filter -k -m --tests --run --only --testPathPattern --testPathPatterns --test-name-pattern --project --shard',
  excludes: '--exclude --ignore --testPathIgnorePatterns --test-skip-pattern --deselect --skip',
  narrowing: '--onlyChanged --changed --lf --last-failed',
  dry: '--listTests --collect-only --co --list --list-tests --showConfig --no-run',
  rewrites: '--fix --write -u --update --updateSnapshot',
};

export function passedOn(kind: CheckKind, runner: string, args: readonly string[]): Found {
  const read = readOptions(
    { kind, runner, ...PASSED_ON },
    args.filter((arg) => arg !== '--'),
  );
  // What a program is given says nothing of what it covers.
  return kind === 'run' || kind === 'ship' ? { ...read, targets: [], selectors: [] } : read;
}

/** The goals of one call; the most telling one names it. */
export function goals(name: string, read: Found, otherwise: CheckKind, tests = /^$/): Found | null {
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
export const goal =
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
