// Go, Rust, C and C++, Zig, Haskell: what compiles before it runs.
import type { Found } from '../facts.ts';
import { testProgram } from '../test-programs.ts';
import { firstBare, found, own, type Reader, readOptions, type Table, type Tool } from '../tool.ts';

const GO_VALUES =
  '-count -timeout -parallel -cpu -bench -benchtime -covermode -coverprofile -coverpkg -tags -mod -modfile -ldflags -gcflags -asmflags -o -p -exec -outputdir -cpuprofile -memprofile -blockprofile -trace -vet -shuffle -fuzz -fuzztime -overlay -pkgdir -toolexec';

const GO_TEST: Tool = {
  kind: 'test',
  runner: 'go test',
  values: GO_VALUES,
  flags: '-v -race -short -json -cover -failfast -a -i -x -work -msan -trimpath -fullpath -benchmem',
  selectors: '-run -test.run',
  excludes: '-skip',
  directory: '-C',
  dry: '-list -c -n -h',
};

/** `./...` is all there is; no package at all is the one in this directory. What follows `-args` is the tests' own. */
function packagesOf(read: Found): Found {
  if (read.targets.some((path) => path === './...' || path === '...')) return { ...read, targets: [] };
  return { ...read, targets: read.targets.length === 0 ? ['.'] : read.targets };
}

const goTool =
  (kind: Found['kind'], runner: string): Reader =>
  (args) =>
    packagesOf(
      readOptions(
        {
          kind,
          runner,
          values: GO_VALUES,
          directory: '-C',
          dry: '-n',
          flags: '-v -race -a -x -json -work -trimpath',
        },
        args,
      ),
    );

const go: Reader = (args, name) => {
  const at = firstBare({ kind: 'run', runner: 'go', values: '-C' }, args);
  const inside = args[0] === '-C' ? (args[1] ?? null) : null;
  const rest = args.slice(at + 1);
  const read = goSub(args[at], rest, name);
  return read && { ...read, directory: read.directory ?? inside };
};

function goSub(sub: string | undefined, rest: readonly string[], name: string): Found | null {
  switch (sub) {
    case 'test': {
      const end = rest.findIndex((arg) => arg === '-args' || arg === '--args');
      const read = packagesOf(readOptions(GO_TEST, end < 0 ? rest : rest.slice(0, end)));
      // `-c` compiles the tests and runs none.
      if (rest.includes('-c')) return { ...read, kind: 'build', runner: 'go test -c', dry: null };
      // `-run '^$' -bench .` runs no test.
      return read.selectors.includes('^$') ? { ...read, kind: 'run', runner: 'go test -bench' } : read;
    }
    case 'build':
    case 'install':
      return goTool('build', `go ${sub}`)(rest, name);
    case 'vet':
      return goTool('lint', 'go vet')(rest, name);
    case 'fmt':
      return { ...packagesOf(found('format', 'go fmt', { targets: rest })), rewrites: true };
    case 'run': {
      const read = readOptions(
        { kind: 'run', runner: 'go run', values: GO_VALUES, flags: '-race -v -x -a' },
        rest,
      );
      return { ...read, targets: read.targets.slice(0, 1), dry: null };
    }
    case 'generate':
      return found('run', 'go generate', { rewrites: true });
    case 'tool':
      return rest[0] === 'vet' ? found('lint', 'go vet') : null;
    default:
      return null;
  }
}

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
  const at = rest.indexOf('--');
  const outer = readOptions(tool, at < 0 ? rest : rest.slice(0, at));
  if (at < 0) return manifest(outer, rest);
  const own = readOptions(inner, rest.slice(at + 1));
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
  const at = firstBare({ kind: 'run', runner: 'cargo', values: `${CARGO_VALUES} -C --manifest-path` }, args);
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
    case 'build':
    case 'b':
      return manifest(readOptions(cargoTool('build', 'cargo build'), rest), rest);
    case 'check':
    case 'c':
      return manifest(readOptions(cargoTool('types', 'cargo check'), rest), rest);
    case 'clippy': {
      const end = rest.indexOf('--');
      return manifest(
        readOptions(
          cargoTool('lint', 'cargo clippy', { rewrites: '--fix' }),
          end < 0 ? rest : rest.slice(0, end),
        ),
        rest,
      );
    }
    case 'fmt':
      return found('format', 'cargo fmt', { rewrites: !rest.includes('--check') });
    case 'doc':
      return readOptions(cargoTool('build', 'cargo doc'), rest);
    case 'bench':
      return found('run', 'cargo bench');
    case 'run':
    case 'r':
      return {
        ...manifest(
          readOptions(
            cargoTool('run', 'cargo run'),
            rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest,
          ),
          rest,
        ),
        dry: null,
      };
    case 'publish':
      return readOptions(
        {
          kind: 'ship',
          runner: 'cargo publish',
          packages: '-p --package',
          bare: 'nothing',
          dry: '-n --list',
        },
        rest,
      );
    default:
      return null;
  }
}

/** Compilers: a file that is compiled is built. */
const compiler = (runner: string): Tool => ({
  kind: 'build',
  runner,
  values:
    '-o -I -L -l -D -x -std -isystem -include -MF -MT -arch -framework -target --edition --crate-type --out-dir --crate-name --emit -d -cp -classpath',
  dry: '-v -E -M -MM -dumpversion -dumpmachine --print',
});

const ctest: Tool = {
  kind: 'test',
  runner: 'ctest',
  values:
    '-j --parallel -C --build-config --timeout -O --output-log -T -M -D --repeat --output-junit --schedule-random',
  flags: '-V -VV --output-on-failure -Q --verbose --stop-on-failure',
  selectors: '-R --tests-regex -L --label-regex -I --tests-information',
  excludes: '-E --exclude-regex -LE --label-exclude',
  directory: '--test-dir',
  narrowing: '--rerun-failed',
  dry: '-N --show-only --print-labels -H',
  bare: 'nothing',
};

const cmake: Reader = (args) => {
  const at = args.indexOf('--build');
  if (at < 0) return args.includes('--version') || args.length === 0 ? null : found('build', 'cmake');
  const target = args[args.findIndex((arg) => arg === '--target' || arg === '-t') + 1];
  const named = args.some((arg) => arg === '--target' || arg === '-t') ? target : undefined;
  if (named === 'test' || named === 'check') return found('test', `cmake --build --target ${named}`);
  if (named === 'clean') return null;
  return found('build', 'cmake --build');
};

const meson: Reader = (args) => {
  const [sub, ...rest] = args;
  if (sub === 'test')
    return readOptions(
      {
        kind: 'test',
        runner: 'meson test',
        values: '-t --timeout-multiplier --wrap --num-processes -j',
        selectors: '--suite',
        excludes: '--no-suite',
        dry: '--list',
        bare: 'selectors',
      },
      withoutPair(rest, '-C'),
    );
  return sub === 'compile' || sub === 'setup' ? found('build', `meson ${sub}`) : null;
};

function withoutPair(args: readonly string[], option: string): readonly string[] {
  const at = args.indexOf(option);
  return at < 0 ? args : [...args.slice(0, at), ...args.slice(at + 2)];
}

const zig: Reader = (args) => {
  const [sub, step] = args;
  if (sub === 'test')
    return readOptions(
      {
        kind: 'test',
        runner: 'zig test',
        selectors: '--test-filter',
        values: '-O -target --mod --dep -I -L',
        dry: '--test-no-exec',
      },
      args.slice(1),
    );
  if (sub === 'build')
    return step === 'test'
      ? found('test', 'zig build test')
      : found(step === 'run' ? 'run' : 'build', 'zig build');
  if (sub === 'fmt') return found('format', 'zig fmt', { rewrites: !args.includes('--check') });
  return sub === 'run' ? found('run', 'zig run', { targets: args.slice(1, 2) }) : null;
};

const lint = (runner: string, values = ''): Tool => ({ kind: 'lint', runner, values });

/** `x test`, `x build`, `x run` of stack, cabal, dune and the like; bare words are packages. */
const project =
  (name: string, more: Readonly<Record<string, Found['kind']>> = {}): Reader =>
  (args) => {
    const kinds: Readonly<Record<string, Found['kind']>> = {
      test: 'test',
      build: 'build',
      run: 'run',
      bench: 'run',
      ...more,
    };
    const at = firstBare({ kind: 'run', runner: name }, args);
    const kind = own(kinds, args[at] ?? '');
    if (kind === undefined) return null;
    return readOptions(
      {
        kind,
        runner: `${name} ${args[at]}`,
        bare: 'packages',
        values: '--test-arguments --ta --test-option --profile',
        selectors: '--match --match-contract --match-test --mc --mt',
        targets: '--match-path --mp',
        excludes: '--no-match-contract --no-match-test --no-match-path',
        dry: '--no-run-tests --list -l',
      },
      args.slice(at + 1),
    );
  };

/** What makes documents, firmware, images and code of other things. */
const BUILDERS =
  'latexmk pdflatex xelatex lualatex tectonic typst pandoc hugo jekyll sphinx-build mkdocs asciidoctor quarto protoc thrift flatc openapi-generator openapi-generator-cli swagger-codegen sqlc packer nix-build xmake scons b2 west idf.py arduino-cli pio electron-builder expo emcc solc';

/** `pio test`, `west test`: some of them run tests, too. */
const builder =
  (name: string): Reader =>
  (args) =>
    args.includes('test') ? testProgram(name, args) : readOptions(compiler(name), args);

/** `emacs --batch -f batch-byte-compile a.el`; without --batch it is an editor. */
const emacs: Reader = (args) => {
  if (!args.some((arg) => /^--?(?:batch|script)$/.test(arg))) return null;
  const text = args.join(' ');
  const files = args.filter((arg) => /\.el$/.test(arg)).slice(0, 8);
  if (/\bert-run-tests-batch|\bbuttercup-run/.test(text))
    return found('test', 'emacs ert', { targets: files });
  if (/\bbatch-byte-compile|byte-compile-file|package-lint|checkdoc/.test(text))
    return found('build', 'emacs byte-compile', { targets: files });
  return found('run', 'emacs --batch', { targets: files });
};

export const COMPILED: Table = {
  emacs,
  go,
  gotestsum: (args) => {
    const end = args.indexOf('--');
    return packagesOf({
      ...readOptions(GO_TEST, end < 0 ? [] : args.slice(end + 1)),
      runner: 'gotestsum',
      ...(end < 0 ? { targets: ['./...'] } : {}),
    });
  },
  ginkgo: {
    kind: 'test',
    runner: 'ginkgo',
    values: '-p --procs --timeout --output-dir',
    selectors: '--focus --label-filter --focus-file',
    excludes: '--skip --skip-file',
    flags: '-r -v -p',
    dry: '--dry-run',
  },
  'golangci-lint': {
    kind: 'lint',
    runner: 'golangci-lint',
    subs: {
      run: {
        kind: 'lint',
        runner: 'golangci-lint',
        values: '-c --config -E -D --timeout --enable --disable --out-format',
        rewrites: '--fix',
      },
      fmt: { kind: 'format', runner: 'golangci-lint fmt' },
      '*': null,
    },
  },
  staticcheck: lint('staticcheck', '-checks -f -go -tags'),
  govulncheck: lint('govulncheck'),
  revive: lint('revive', '-config'),
  gofmt: (args) =>
    found('format', 'gofmt', {
      targets: args.filter((arg) => !arg.startsWith('-')),
      rewrites: args.includes('-w'),
    }),
  goimports: (args) =>
    found('format', 'goimports', {
      targets: args.filter((arg) => !arg.startsWith('-')),
      rewrites: args.includes('-w'),
    }),
  cargo,
  cross: cargo,
  rustc: compiler('rustc'),
  rustfmt: (args) =>
    found('format', 'rustfmt', {
      targets: args.filter((arg) => !arg.startsWith('-')),
      rewrites: !args.includes('--check'),
    }),
  'wasm-pack': {
    kind: 'build',
    runner: 'wasm-pack',
    subs: {
      build: { kind: 'build', runner: 'wasm-pack build', values: '--target -t --out-dir -d' },
      test: { kind: 'test', runner: 'wasm-pack test' },
      '*': null,
    },
  },
  gcc: compiler('gcc'),
  'g++': compiler('g++'),
  cc: compiler('cc'),
  'c++': compiler('c++'),
  clang: compiler('clang'),
  'clang++': compiler('clang++'),
  ghc: compiler('ghc'),
  nvcc: compiler('nvcc'),
  ocamlfind: compiler('ocamlfind'),
  'clang-tidy': lint('clang-tidy', '-p --checks'),
  cppcheck: lint('cppcheck', '--enable --std -I --suppress'),
  'clang-format': (args) =>
    found('format', 'clang-format', {
      targets: args.filter((arg) => !arg.startsWith('-')),
      rewrites: args.includes('-i'),
    }),
  ...Object.fromEntries(BUILDERS.split(' ').map((name) => [name, builder(name)])),
  ctest,
  cmake,
  meson,
  ninja: (args) => {
    const words = readOptions(
      { kind: 'build', runner: 'ninja', values: '-j -l -k', directory: '-C', dry: '-n -t', flags: '-v' },
      args,
    );
    const [goal] = words.targets;
    const kind = goal === 'test' || goal === 'check' ? 'test' : 'build';
    return { ...words, kind, runner: goal === undefined ? 'ninja' : `ninja ${goal}`, targets: [] };
  },
  zig,
  stack: project('stack'),
  cabal: project('cabal', { 'new-test': 'test', 'new-build': 'build' }),
  dune: project('dune', { runtest: 'test', exec: 'run' }),
  forge: project('forge', { script: 'run', fmt: 'format' }),
  nimble: project('nimble'),
  v: (args) =>
    args[0] === 'test'
      ? found('test', 'v test', { targets: args.slice(1).filter((arg) => !/^-|^\.$/.test(arg)) })
      : null,
  // Without a window it runs what it is given; with one it is an editor.
  nvim: (args) =>
    args.includes('--headless') && /\b(?:Plenary(?:Busted|Test)\w*|MiniTest)\b/.test(args.join(' '))
      ? found('test', 'nvim --headless')
      : null,
  // What its file imports is compiled with it.
  elm: (args) => (args[0] === 'make' ? found('build', 'elm make') : null),
  gleam: project('gleam', { check: 'types', format: 'format' }),
  hlint: lint('hlint'),
};
