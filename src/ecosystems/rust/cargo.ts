// cargo test and cargo nextest.
import { add, countOf, type LineReader, type Output, oneLine } from '../report.ts';
import { type Checker, type Language, type Mark, RUST, type TestConfig, type Traits } from '../runner.ts';
import {
  build,
  each,
  type Found,
  firstBare,
  formatter,
  found,
  own,
  plainTest,
  type Reader,
  readOptions,
  type Table,
  type Tool,
  until,
  withVerbs,
} from '../tool.ts';

const CARGO_VALUES =
  '-F --features -j --jobs --target --target-dir --profile --color --config -Z --message-format --lockfile-path --test-threads --format --cargo-profile';

const CARGO: Tool = {
  kind: 'test',
  runner: 'cargo test',
  values: CARGO_VALUES,
  flags:
    '-q --quiet -v --verbose -r --release --all-features --no-default-features --workspace --all --lib --bins --tests --examples --benches --all-targets --doc --no-fail-fast --locked --offline --frozen --keep-going --future-incompat-report',
  packages: '-p --package',
  selectors: '--test --bin --example --bench',
  narrowing: '--lib --bins --doc --examples',
  directory: '-C',
  dry: '--no-run -h -V',
  bare: 'selectors',
};

/** After `--`, the options of the test program itself. */
const LIBTEST: Tool = {
  kind: 'test',
  runner: 'cargo test',
  values: '--test-threads --format --color --logfile -Z --shuffle-seed',
  flags:
    '--nocapture --no-capture --show-output -q --quiet --exact --include-ignored --report-time --shuffle',
  excludes: '--skip',
  narrowing: '--ignored',
  dry: '--list --bench -h',
  bare: 'selectors',
};

function cargoTest(tool: Tool, rest: readonly string[], inner: Tool): Found {
  const mine = until(rest, '--');
  const outer = readOptions(tool, mine);
  const own = readOptions(inner, rest.slice(mine.length + 1));
  return manifest(
    { ...outer, selectors: [...outer.selectors, ...own.selectors], dry: outer.dry ?? own.dry },
    rest,
  );
}

/** `--manifest-path crates/a/Cargo.toml` says where. */
function manifest(read: Found, args: readonly string[]): Found {
  const at = args.findIndex((arg) => arg.startsWith('--manifest-path'));
  const arg = args[at] ?? '';
  const path = at < 0 ? null : arg.includes('=') ? arg.slice(arg.indexOf('=') + 1) : (args[at + 1] ?? null);
  if (path === null) return read;
  const directory = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
  return { ...read, directory, selectors: read.selectors.filter((word) => word !== path) };
}

const cargoTool = (kind: Found['kind'], runner: string, more: Partial<Tool> = {}): Tool => ({
  ...CARGO,
  kind,
  runner,
  selectors: '--test --bin --example --bench',
  values: `${CARGO_VALUES} --manifest-path`,
  narrowing: '',
  bare: 'nothing',
  dry: '-h -V',
  ...more,
});

const cargo: Reader = (args) => {
  const at = firstBare({ values: `${CARGO_VALUES} -C --manifest-path` }, args);
  const outer = args.slice(0, at).some((arg) => arg === '-C') ? (args[args.indexOf('-C') + 1] ?? null) : null;
  const read = cargoSub(args[at], args.slice(at + 1));
  return read && { ...read, directory: read.directory ?? outer };
};

function cargoSub(sub: string | undefined, rest: readonly string[]): Found | null {
  switch (sub) {
    case 'test':
    case 't':
      return cargoTest({ ...CARGO, values: `${CARGO_VALUES} --manifest-path` }, rest, LIBTEST);
    case 'nextest': {
      const [verb, ...more] = rest;
      const runner = 'cargo nextest';
      const nextest: Tool = {
        ...CARGO,
        runner,
        values: `${CARGO_VALUES} --manifest-path --retries --partition --status-level --final-status-level --failure-output --success-output --run-ignored -P --cargo-message-format --show-progress`,
        selectors: '-E --filter-expr --filterset --test --bin',
      };
      if (verb === 'list') return { ...cargoTest(nextest, more, LIBTEST), dry: 'nextest list' };
      return verb === 'run' || verb === 'r' ? cargoTest(nextest, more, LIBTEST) : null;
    }
    case 'llvm-cov':
    case 'tarpaulin':
      return cargoTest(
        {
          ...CARGO,
          runner: `cargo ${sub}`,
          bare: 'nothing',
          values: `${CARGO_VALUES} --manifest-path --out -o --output-path --output-dir`,
        },
        rest.filter((arg) => arg !== 'nextest' && arg !== 'test'),
        LIBTEST,
      );
    case 'miri':
      return rest[0] === 'test' ? cargoTest(CARGO, rest.slice(1), LIBTEST) : null;
    case 'fmt':
      return found('format', 'cargo fmt', { rewrites: !rest.includes('--check') });
    case 'bench':
      return found('run', 'cargo bench');
    case 'publish':
      return readOptions(cargoTool('ship', 'cargo publish', { dry: '-n --list' }), rest);
    default: {
      const [kind, name] = own(compiles(), sub ?? '') ?? [];
      if (kind === undefined) return null;
      const tool = cargoTool(kind, `cargo ${name}`, name === 'clippy' ? { rewrites: '--fix' } : {});
      const read = manifest(readOptions(tool, until(rest, '--')), rest);
      return kind === 'run' ? { ...read, dry: null } : read;
    }
  }
}

const compiles = (): Readonly<Record<string, readonly [kind: Found['kind'], name: string]>> => ({
  ...each('build b', () => ['build', 'build'] as const),
  ...each('check c', () => ['types', 'check'] as const),
  ...each('run r', () => ['run', 'run'] as const),
  clippy: ['lint', 'clippy'],
  doc: ['build', 'doc'],
});

export const programs = (): Table => ({
  ...each('cargo cross', () => cargo),
  rustfmt: formatter('rustfmt', { checks: '--check' }),
  'wasm-pack': withVerbs('build', 'wasm-pack', {
    build: build('wasm-pack build', '--target -t --out-dir -d'),
    test: plainTest('wasm-pack test'),
  }),
});

// cargo test:     test result: FAILED. 4 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s
// cargo nextest:  Summary [   0.1s] 5 tests run: 4 passed, 1 failed, 2 skipped
const nextest: LineReader = (line, report) => {
  const next = /^\s*Summary \[[^\]]*\]\s+[\d/]{1,20} tests? run: (.*)$/.exec(line);
  if (!next) return false;
  const text = (next[1] ?? '').replace(/ \([^)]*\)/g, '');
  const failed = countOf(text, 'failed', 'timed out', 'exec failed');
  return add(report, 'cargo nextest', countOf(text, 'passed'), failed, countOf(text, 'skipped'));
};

export const outputs: readonly Output[] = [
  oneLine(
    'cargo test',
    'test result: ',
    /^test result: (?:ok|(?<bad>FAILED))\. <passed> passed; <failed> failed; <skipped> ignored;/,
  ),
  { signs: ['Summary ['], read: nextest },
];

export const traits: readonly Traits[] = [
  {
    name: 'cargo test',
    once: /^test result: /,
    // The second stands last, and cargo runs nothing after it.
    failing: [
      [
        'test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out',
        'error: test failed, to rerun pass `--lib`',
      ],
    ],
  },
  {
    name: 'cargo nextest',
    failing: [
      ['     Summary [   0.123s] 3 tests run: 2 passed, 1 failed, 0 skipped', 'error: test run failed'],
    ],
    bad: /^error: test run failed$/m,
  },
  {
    name: 'cargo',
    good: /^ *Finished `?[\w-]+/m,
    failing: [
      ['error: could not compile `a` (lib) due to 1 previous error', 'error[E0308]: mismatched types'],
    ],
  },
  { name: 'cargo fmt', silent: /^Diff in |^error\b|: command not found/m },
];

const marks: readonly Mark[] = [
  ['attribute', /#\[\s*(?:\w+::)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test)\b/],
  ['declaration', /\bfn\s+(?<name>\w+)/],
  ['suite', /\bmod\s+(?<name>\w+)/],
  [
    'skip-next',
    /#\[\s*(?:ignore\b|should_panic\s*\])|#\[\s*cfg_attr\([^\]]{0,120}\bignore\b|#\[\s*cfg\([^\]]{0,80}\bfeature\b|#\[\s*cfg\(\s*(?:any\(\s*\)|FALSE|false|not\(\s*(?:test|all\(\s*\))\s*\))\s*\)/,
  ],
  ['skip-file', /#!\[\s*cfg\(\s*(?:any\(\s*\)|FALSE|false|not\(\s*(?:test|all\(\s*\))\s*\))\s*\)/],
  ['assert', /\b(?:debug_|prop_)?assert\w*!|#\[\s*should_panic\b|\bpanic!/],
  ['table', /#\[\s*(?:case|values|test_case)\b/],
];

export const language: Language = {
  syntax: RUST,
  marks: [marks],
  trivial: /\bassert!\(\s*true\s*[,)]|\bassert_eq!\(\s*(?:true\s*,\s*true|1\s*,\s*1)\s*[,)]/,
  knowsTests: [/\bif\s+cfg!\(test\)\s*\{\s*return\s+[^\s;]|#\[cfg\(test\)\]\s*(?:\{\s*)?return\s+[^\s;]/],
};

export const config: TestConfig = {
  projects: [['Cargo.toml', 'cargo test', 'cargo build']],
  names: 'cargo\\.toml|nextest\\.toml',
  members: [[/^(?:test|lib|bin|package)$/, /^(?:test|doctest|autotests|harness)$/, 'runs-tests']],
};

export const checkers: readonly Checker[] = [
  {
    of: 'lint',
    names: 'cargo\\.toml',
    settings: [[/^(?:workspace\.)?lints\.(?:clippy|rust|rustdoc)\.[\w-]+$/, 'holds']],
    takesOut: [[/\.rs$/, /^#!\[allow\((?<rules>[^)\n]*)\)/m]],
  },
];
