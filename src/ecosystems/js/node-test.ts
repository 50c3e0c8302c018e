// node:test, the runner of Node itself, and Node as the program that runs a file.
import { add, type LineReader, n, type Output, type Report, take, wait } from '../report.ts';
import type { Mark, Traits } from '../runner.ts';
import { each, type Found, found, type Reader, readOptions, type Table, type Tool } from '../tool.ts';

const NODE_VALUES =
  '-r --require --import --loader --experimental-loader --env-file --env-file-if-exists --conditions -C --max-old-space-size --test-reporter --test-reporter-destination --test-concurrency --test-timeout --test-coverage-include --test-coverage-exclude --test-coverage-lines --test-isolation --stack-trace-limit --title --input-type --watch-path --inspect-port --icu-data-dir --tsconfig --test-global-setup --unhandled-rejections';

const NODE_TEST: Tool = {
  kind: 'test',
  runner: 'node:test',
  values: NODE_VALUES,
  flags:
    '--test --test-only --test-force-exit --watch --experimental-test-coverage --enable-source-maps --experimental-strip-types --experimental-vm-modules --inspect --test-update-snapshots --trace-warnings --experimental-test-module-mocks --experimental-test-snapshots',
  selectors: '--test-name-pattern --test-shard',
  excludes: '--test-skip-pattern',
  narrowing: '--test-only --test-rerun-failures',
  rewrites: '--test-update-snapshots',
  dry: '-h -v',
};

/** `node` and the programs that stand for it. `node test/a.test.js` runs a test. */
const node: Reader = (args, name) => {
  const read = readNode(args, name);
  const [target] = read?.targets ?? [];
  if (read?.kind !== 'run' || target === undefined) return read;
  return /(?:[._-](?:test|spec)|(?:^|\/)(?:run[-_]?)?tests?)\.[cm]?[jt]sx?$/i.test(target)
    ? { ...read, kind: 'test' }
    : read;
};

function readNode(args: readonly string[], name: string): Found | null {
  if (args.includes('--test')) return readOptions(NODE_TEST, args);
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (/^(?:-v|--version|-h|--help|--v8-options)$/.test(arg)) return found('run', name, { dry: arg });
    if (/^(?:-e|--eval|-p|--print|-pe)$/.test(arg)) return found('run', `${name} -e`);
    if (arg === '-c' || arg === '--check')
      return found('build', `${name} --check`, { targets: args.slice(at + 1, at + 2) });
    if (arg === 'watch' && name === 'tsx') continue;
    if (!arg.startsWith('-')) return found('run', name, { targets: [arg] });
    if (` ${NODE_VALUES} `.includes(` ${arg} `)) at++;
  }
  return null;
}

/** Asked before the tables: a word that names one names no check. */
export const interpreters: Table = /* @__PURE__ */ each(
  'node nodejs tsx ts-node ts-node-esm babel-node',
  () => node,
);

// node:test in both its forms, and other writers of TAP:
// # tests 5, # suites 1, # pass 4, # fail 1, # cancelled 0, # skipped 0, # todo 0, a line each; or with ℹ
const read: LineReader = (line, report) => {
  const match = /^(\u2139|#) (tests|suites|pass|fail|cancelled|skipped|todo)\s+(\d{1,9})$/.exec(line);
  if (!match) return false;
  // Behind `| tail -6` the summary begins with its passes.
  const isCut = match[2] === 'pass' && !report.waiting.has('tap tests');
  if (match[2] === 'tests' || isCut) flushNode(report);
  else if (!report.waiting.has('tap tests') && !report.waiting.has('tap pass')) return false;
  if (match[2] === 'suites' || match[2] === 'cancelled') report.waiting.set('tap node', 1);
  return wait(report, `tap ${match[2]}`, n(match[3]));
};

function flushNode(report: Report): void {
  const isWhole = report.waiting.has('tap tests');
  if (!isWhole && !report.waiting.has('tap fail')) {
    take(report, 'tap pass');
    return;
  }
  const runner = take(report, 'tap node') === 1 ? 'node:test' : 'tap';
  take(report, 'tap suites');
  const failed = take(report, 'tap fail') + take(report, 'tap cancelled');
  const skipped = take(report, 'tap skipped') + take(report, 'tap todo');
  const [passed, total] = [take(report, 'tap pass'), take(report, 'tap tests')];
  add(report, runner, passed, failed, skipped, isWhole ? total : null);
}

export const outputs: readonly Output[] = [
  { signs: ['# tests ', '# pass ', 'ℹ tests ', 'ℹ pass '], read, flush: flushNode },
];

/** Passes and failures must be in view, in the form that the reporter gives them. */
const END = {
  failing: ['# fail 1'],
  first: /^[#\u2139] fail \d/m,
  once: /^[#\u2139] pass \d/,
  mark: /^\u2139(?= fail )/m,
};

export const traits: readonly Traits[] = [
  { name: 'node:test', finds: true, sums: true, ...END },
  // Points without a sum are counted where their plan is in view.
  {
    name: 'tap',
    sums: true,
    ...END,
    failing: [['# fail 1', 'not ok 1 - adds']],
    bad: /^not ok\b(?!.*#\s*(?:todo|skip))/im,
  },
];

/** `test('name', { skip: true }, …)`, `if (process.env.CI) test('name', …)`, and an end whatever was found. */
export const marks: readonly Mark[] = [
  [
    'skip-here',
    /(?<![\w$.])(?:it|test|describe|suite)\s*\(.*\{[^{}]{0,40}\b(?:skip|todo)\s*:\s*(?!false\b|undefined\b)\S/,
  ],
  ['skip-next', /^\s*if\s*\(.{1,80}\)\s*(?:it|test|describe|suite)\s*\(/],
  ['skip-file', /\bprocess\.exit(?:\(\s*0?\s*\)|Code\s*=\s*0)/],
];
