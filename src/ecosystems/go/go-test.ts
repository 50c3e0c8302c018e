// go test, with testify and the like.
import { add, countOf, type LineReader, n, type Output, type Report, take, wait } from '../report.ts';
import { GO, type Language, type Mark, type TestConfig, type Traits } from '../runner.ts';
import { type Found, firstBare, found, type Reader, readOptions, type Table, type Tool } from '../tool.ts';

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
      readOptions({ kind, runner, values: GO_VALUES, directory: '-C', dry: '-n', flags: GO_FLAGS }, args),
    );

const GO_FLAGS = '-v -race -a -x -json -work -trimpath';

const go: Reader = (args, name) => {
  const at = firstBare({ values: '-C' }, args);
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

export const programs = (): Table => ({
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
});

// --- FAIL: TestA (0.00s)       with -v or -json also PASS and SKIP
// ok  	example.com/a	0.01s    else this alone: then packages are counted, and there is no total
const read: LineReader = (line, report) => {
  if (line.startsWith('{"Time":') || line.startsWith('{"Action":')) return goJson(line, report);
  const test = /^\s*--- (PASS|FAIL|SKIP): \S+ \([\d.]+s\)$/.exec(line);
  if (test) return wait(report, `go ${test[1]?.toLowerCase()}`, 1);
  // A package without tests was not tested.
  if (/^\? {3}\t\S+\t\[no test files\]$/.test(line)) return add(report, 'go test', 0, 0, 0, null);
  // gotestsum: DONE 6 tests, 1 skipped, 1 failure in 0.3s
  const sum = /^DONE (?:\d{1,9} runs?, )?(\d{1,9}) tests?((?:, \d{1,9} [a-z]+)*) in [\d.]+s$/.exec(line);
  if (sum) return gotestsum(n(sum[1]), sum[2] ?? '', report);
  const found = /^(ok {2}|FAIL)\t\S+(.*)$/.exec(line);
  if (!found) return false;
  const { listed, failed } = flushGo(report);
  if (found[1] === 'FAIL') return failed > 0 || add(report, 'go test', 0, 1, 0, null);
  if (listed > 0) return true;
  if (found[2]?.includes('[no tests to run]')) return add(report, 'go test', 0, 0, 0, null);
  return add(report, 'go test', 1, 0, 0, null);
};

function gotestsum(total: number, text: string, report: Report): boolean {
  const [failed, skipped] = [
    countOf(text, 'failure', 'failures', 'error', 'errors'),
    countOf(text, 'skipped'),
  ];
  for (const word of ['pass', 'fail', 'skip']) take(report, `go ${word}`);
  return add(report, 'gotestsum', total - failed - skipped, failed, skipped, total);
}

function goJson(line: string, report: Report): boolean {
  // In the output of a test these quotes would be escaped.
  const action = /"Action":"(pass|fail|skip)"/.exec(line)?.[1];
  if (action === undefined) return true;
  if (line.includes('"Test":"')) return wait(report, `go ${action}`, 1);
  const { failed } = flushGo(report);
  return action !== 'fail' || failed > 0 || add(report, 'go test', 0, 1, 0, null);
}

/** The tests listed since the last package. */
function flushGo(report: Report): { listed: number; failed: number } {
  const [passed, failed] = [take(report, 'go pass'), take(report, 'go fail')];
  const skipped = take(report, 'go skip');
  const listed = passed + failed + skipped;
  // Without -v only failures are listed, and the total is not known.
  if (listed > 0) add(report, 'go test', passed, failed, skipped, listed > failed ? listed : null);
  return { listed, failed };
}

export const outputs: readonly Output[] = [
  { signs: ['--- ', 'ok  \t', 'FAIL\t', '"Action":"', '[no test files]', 'DONE '], read, flush: flushGo },
];

/** A package's errors below its name, a place in a file, or what keeps it from building at all. */
const COMPLAINS =
  /^(?:# \S|\S+\.go:\d|(?:go|vet|link|stat|pattern|package|directory|cannot|can't)[: ]|no Go files)|\bgo: command not found/m;

export const traits: readonly Traits[] = [
  {
    name: 'go test',
    options: 'GOFLAGS',
    failing: ['FAIL\texample.org/pack\t0.012s', 'FAIL'],
    lines:
      /^(?:(?<good>ok {2}\t\S+\t.*)|\?? *\t\S+\t.*\[no test files\]|=== RUN .*| *--- (?:PASS|SKIP): .*|PASS|)$/,
  },
  { name: 'gotestsum', failing: ['DONE 3 tests, 1 failure in 0.348s', 'DONE 3 tests, 1 error in 0.348s'] },
  ...['go build', 'go vet', 'go install'].map((name) => ({ name, silent: COMPLAINS })),
];

const marks: readonly Mark[] = [
  ['test', /^func\s+(?:\([^)]{0,120}\)\s*)?(?<name>(?:Test|Fuzz|Example)\w*)\s*\(/],
  ['declaration', /^func\s+(?:\([^)]{0,120}\)\s*)?(?<name>(?!Test|Fuzz|Example)\w+)\s*\(/],
  ['skip-here', /\b\w{1,8}\.(?:Skip|Skipf|SkipNow)\s*\(/],
  ['skip-file', /\bos\.Exit\(0\)/],
  [
    'assert',
    /\b\w{1,3}\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|\b(?:assert|require|is|must|qt)\.\w+\s*\(|\bExpect\s*\(/,
  ],
  ['table', /\b\w{1,3}\.Run\s*\(/],
  // The rows follow the type that they are of.
  ['rows', /(?:\[\]|map\[string\])struct(?=\s*\{)/],
  ['cases', /\brange (?:\[\]|map\[\w+\])\w+(?=\{)/],
];

export const language: Language = {
  syntax: GO,
  marks: [marks],
  trivial: /\b(?:assert|require)\.(?:True|Equal)\(\s*\w+,\s*(?:true\s*[,)]|1\s*,\s*1\s*[,)])/,
  // The end of `TestMain` is that of the tests, unless it says another; one that does not use what it is given runs none.
  defeats: [
    /\bfunc TestMain\((\w+) \*testing\.M\)\s*\{(?:\s*\}|(?:(?!\n\}|\b\1\b|os\.Exit\(0).){0,800}\n\})/s,
    /\bfunc TestMain\((\w+) \*testing\.M\)(?:(?!\n\}).){0,800}?(?:[{;\n]\s*|_ = )\1\.Run\(\)(?:(?!\n\}).){0,400}?\bos\.Exit\(0\)/s,
  ],
  onDemand: /testing\.Short\(\)/,
  knowsTests: [
    /\bif [^\n]{0,80}testing\.Testing\(\)[^\n]{0,80}\{\s*return\s+\S/,
    // How a test's own program is called, or what it is given.
    /\bflag\.Lookup\("test\.|\bos\.Args\[0\][^\n]{0,40}["`][^\s"`]{0,20}test/,
  ],
  rawFile: /^\/\/go:build\s|^\/\/ \+build\s/,
};

export const config: TestConfig = { projects: [['go.mod', 'go test ./...', 'go build ./...']] };
