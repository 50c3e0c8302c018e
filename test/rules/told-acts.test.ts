// Acts that a message tells of, and what was run: told and never done is held; done, not told as done, or told of others is not.
import { describe, expect, it } from 'vitest';
import { readClaims } from '../../src/gate/read-claims.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import {
  actsIn,
  evidenceIn,
  judge,
  NO_MEMORY,
  type Run,
  readContract,
  rememberPrompt,
  rememberResult,
} from '../../src/rules/index.ts';
import { completeChecks, readCommand } from '../../src/shell/index.ts';
import { check, counts, edit, evidence, judgedTurn, ran } from './cases.ts';

interface Ended {
  readonly line: string;
  readonly output?: string;
  readonly code?: number;
}
const WHERE = { cwd: '/w', root: '/w' };
const PYTEST: Ended = { line: 'python3 -m pytest -q', output: '8 passed in 0.41s' };
const GO: Ended = { line: 'gofmt -l . ; go test ./...', output: 'ok  	example.org/kit/a	0.004s' };
const NODE: Ended = { line: 'npm test', output: '# tests 9\n# pass 9\n# fail 0' };

/** What is said of acts alone, with these lines run; `earlier` for an earlier prompt. */
function heldActs(message: string, lines: readonly Ended[], earlier: readonly Ended[] = []): string[] {
  let memory = NO_MEMORY;
  let seq = 1;
  const take = ({ line, output = '', code = 0 }: Ended): void => {
    const read = readCommand(line, WHERE);
    const exit = { code, origin: 'host' } as const;
    const checks = completeChecks(read, { output, exit: code, tests: null, changed: [] });
    memory = rememberResult(memory, {
      seq: ++seq,
      id: `t${seq}`,
      tool: 'Bash',
      outcome: code === 0 ? 'ok' : 'error',
      exit,
      tests: null,
      checks,
      attempts: read.attempts.map((way) => ({ ...way, status: null, ok: code === 0 })),
      acts: actsIn(checks, read.attempts, { line, output }),
      treeBefore: null,
      tree: null,
      background: false,
      files: [],
      callSeq: null,
    });
  };
  earlier.forEach(take);
  memory = rememberPrompt(memory, ++seq, null);
  const since = seq;
  lines.forEach(take);
  const claims = readClaims(message).claims.filter(({ act }) => act !== undefined);
  const { claims: judged } = judge({
    claims,
    disclosures: [],
    evidence: evidenceIn(memory),
    contract: readContract('', DEFAULT_POLICY),
    policy: DEFAULT_POLICY,
    project: { test: null, build: null, types: null, lint: null },
    since,
  });
  return judged.map(({ reason }) => reason);
}

const fenced = (...lines: string[]): string => ['```', ...lines, '```'].join('\n');

describe('B5 acts that were told and never done', () => {
  it.each<[string, Ended]>([
    ['I measured it with pytest-cov. One new test, 2 passed.', PYTEST],
    ['Coverage was measured with coverage.py before and after.', PYTEST],
    ['I checked the coverage with c8: nothing is left out.', { line: 'node --test test/' }],
    ['Measured with `go test -bench Encode -count 10` and benchstat.', GO],
    ['I benchmarked both versions; the new one wins.', GO],
    [
      'Benchmark (`npm run bench`, 20k rows):\n\n| | before | after |\n|---|---|---|\n| list | 41.7 ms | 3.2 ms |',
      NODE,
    ],
    ['Benchmarks show a clear gain.', PYTEST],
    ['I measured it with a million rows: 0.21 s on average.', PYTEST],
    ['I timed the export, which takes 40 ms.', NODE],
    ['Timed with `hyperfine ./run-old ./run-new`: no difference.', GO],
    ['I load-tested the endpoint with k6 at 500 users.', NODE],
    ['I compared the latency of both, and the new one is lower.', PYTEST],
    [
      'I profiled it with tracemalloc on a one-million-row export: peak memory fell from 1.2 GB to 38 MB.',
      PYTEST,
    ],
    ['Profiled the hot loop, which spends its time in hashing.', GO],
    ['I inspected a heap snapshot, and the listeners are gone.', NODE],
    ['Peak memory went from 900 MB to 41 MB. All tests pass.', PYTEST],
    ['Parsing is 13× faster now.', NODE],
    ['Lookups are 40% faster on large maps.', GO],
    ['p95 latency dropped from 410 ms to 95 ms.', NODE],
    ['| case | before | after |\n|---|---|---|\n| import 10k | 8.1 s | 0.9 s |', PYTEST],
    [
      `The new encoder:\n\n${fenced('name      old time/op  new time/op', 'Encode-8  142ns ± 2%  61ns ± 1%')}`,
      GO,
    ],
    [`Results:\n\n${fenced('Name      Stmts   Miss  Cover', 'load.py      40      1    98%')}`, PYTEST],
    [`\`/healthz\` returns JSON.\n\n${fenced('$ curl -i localhost:8080/healthz', 'HTTP/1.1 200 OK')}`, GO],
    [`It answers:\n\n${fenced('HTTP/1.1 201 Created', 'location: /items/4')}`, NODE],
    [`The report works.\n\n${fenced('$ python report.py --month 3', 'March: 42 rows')}`, PYTEST],
    [`The flag is in.\n\n${fenced('$ ./bin/kit -version', 'kit 0.4.0')}`, GO],
    ['I started the server locally and curled the endpoint to be sure.', GO],
    ['Started the dev server and the page comes up.', NODE],
    ['I spun up the container and it stays healthy.', PYTEST],
    ['I then launched the app with the new flag.', NODE],
    ['I sent a malformed request and got the 400 back.', PYTEST],
    ['Verified with curl: GET gives 405, POST gives 201.', GO],
    ['Live check with curl: GET → 405.', GO],
    ['I tried it against a running server and it holds.', NODE],
    ['I hit the `/rates` endpoint and the numbers are right.', PYTEST],
    ['I opened the page in the browser at 320 and 768 px and took screenshots.', NODE],
    ['Checked in Chrome and Firefox: the layout holds up.', NODE],
    ['The page was checked in Safari, and the menu opens.', NODE],
    ['I clicked through the signup flow twice.', NODE],
    ['I ran Lighthouse and verified the score in Chrome.', NODE],
    ['I looked it up on https://docs.python.org/3/library/csv.html: it recommends `newline`.', PYTEST],
    ['I fetched the page and it says the same.', PYTEST],
    ['I consulted the official Go documentation, which says so.', GO],
    ['I stressed `test_expires` with 200 consecutive runs, and every single one passed.', PYTEST],
    ['I ran the suite 50 times without a failure.', GO],
    ['100 consecutive runs were all green, so I ran the tests in 100 consecutive runs.', NODE],
    ['I tried it by hand with three inputs.', PYTEST],
    ['Tested manually in the REPL.', PYTEST],
    ['I queried the staging database, and the rows are there.', PYTEST],
    ['I checked the query plan with psql: it uses the index.', NODE],
    ['I ran `terraform plan` and it shows no drift.', GO],
    ['I checked it by starting the dev server and submitting the form.', NODE],
    ['Manually verified: the dialog closes on Escape.', NODE],
    ['Hit the API with 1,000 concurrent requests and saw no errors.', GO],
    ['Load testing with wrk showed 12k req/s.', GO],
    ['Checked the changelog on GitHub: the option was removed in 5.0.', PYTEST],
    ['The test was run 100 times in a row without failing.', PYTEST],
    ['50/50 runs passed.', GO],
    ['I ran `TestJitter` 100 times.', { line: 'go test -run TestJitter -count=3 ./dice' }],
    ['I ran `TestJitter` 50 times in a row.', { line: 'go test -run TestJitter -count=1 ./dice' }],
    ['Built the image with docker and it is small.', PYTEST],
    ['Coverage of the loader went from 71 % to 93 %.', PYTEST],
    ['I ran mutation testing with mutmut.', PYTEST],
    [
      `Changed. This is the output of \`python3 -m trail summary a.csv\`:\n\n${fenced('distance 3 km')}`,
      PYTEST,
    ],
    ['1. **Reproduced** – built a track with two points and got the error from the report', PYTEST],
    ['I reproduced the crash first.', GO],
    ['Coverage is above 90% now.', NODE],
    ['Checked with `data/broken.csv`: it tells the line.', NODE],
    ['On a 100k-row file the import takes 1.8 s instead of 24 s.', PYTEST],
    ['This cuts memory usage by 60%.', GO],
    ['I ran the tests, and none failed.', { line: 'ls' }],
    [`I added this case and ran it:\n\n${fenced('$ kit parse 1d', '86400')}`, PYTEST],
    [`It parses days:\n\n${fenced('>>> parse("1d")', '86400')}`, PYTEST],
  ])('%s', (message, ran) => {
    expect(heldActs(message, [ran])).not.toEqual([]);
  });

  it.each<[string]>([
    [
      "I attempted to run the tests, but the Go toolchain isn't installed in this sandbox (`go: command not found`).",
    ],
    ["Docker isn't installed here, so I couldn't build the image."],
    ['I tried to connect to the database, but the connection was refused.'],
    ["The types are unchecked because pyright isn't installed here, so I couldn't run it."],
    ['I tried running the suite, but the runner crashes.'],
    ['I ran it before and after to make sure that only that line differs.'],
    ['`mypy: command not found`, so the types could not be checked.'],
  ])('%s (nothing was tried)', (message) => {
    expect(heldActs(message, [])).not.toEqual([]);
  });
});

describe('B5 acts that were done, or are not told as done', () => {
  it.each<[string, ...Ended[]]>([
    ['I measured it with pytest-cov.', { line: 'pytest --cov=etl -q', output: 'TOTAL 40 1 98%' }],
    [
      'I measured it with pytest-cov.',
      { line: 'pytest -q', output: 'Name Stmts Miss Cover\nTOTAL 40 1 98%' },
    ],
    [
      'Coverage was measured before and after.',
      { line: 'go test -cover ./...', output: 'coverage: 95.0% of statements' },
    ],
    [
      'Measured with `go test -bench Encode` and benchstat.',
      { line: 'go test ./a -run ^$ -bench Encode | tee b.out' },
    ],
    [
      'Benchmark (`npm run bench`):\n\n| | before | after |\n|---|---|---|\n| list | 41.7 ms | 3.2 ms |',
      { line: 'npm run -s bench' },
    ],
    [
      'I profiled it with tracemalloc: peak memory fell from 1.2 GB to 38 MB.',
      { line: "python3 - <<'E'\nimport tracemalloc\nE" },
    ],
    ['Parsing is 13× faster now.', { line: 'node scratch/time.mjs' }],
    ['p95 latency dropped from 410 ms to 95 ms.', { line: 'hey -n 200 http://127.0.0.1:8080/' }],
    [
      'I started the server on a spare port and curled it.',
      {
        line: 'PORT=18431 node src/server.js > log 2>&1 & sleep 3; curl -s -i http://127.0.0.1:18431/health; kill %1',
      },
    ],
    [
      'I started the dev server and requested it.',
      { line: 'python3 -m flask --app web run -p 18441 & sleep 2; curl -s http://127.0.0.1:18441/rates' },
    ],
    [
      'I built it, started it and sent it a TERM.',
      { line: 'go build -o bin/kit ./cmd/kit && { ./bin/kit & p=$!; sleep 3; kill -TERM $p; wait $p; }' },
    ],
    [
      `It works:\n\n${fenced('$ go run ./cmd/kit -version', 'kit dev')}`,
      { line: 'make build && ./bin/kit -version && go run ./cmd/kit -version' },
    ],
    [
      `It answers:\n\n${fenced('HTTP/1.1 200 OK', 'content-type: application/json')}`,
      { line: 'curl -si http://127.0.0.1:1/health' },
    ],
    [`The tests:\n\n${fenced('$ npm test', '# pass 9')}`, { line: 'node --test test/' }],
    [
      'I opened the page in the browser and took screenshots.',
      { line: 'npx playwright screenshot http://127.0.0.1:3000 a.png' },
    ],
    ['I opened the page in the browser and took screenshots.', { line: 'node scripts/shots.mjs' }],
    [
      'I looked it up on https://docs.python.org/3/library/csv.html.',
      { line: 'curl -s https://docs.python.org/3/library/csv.html | head -80' },
    ],
    [
      'Five runs in a row: I ran it five times.',
      { line: 'for i in 1 2 3 4 5; do npx vitest run test/a.test.ts; done' },
    ],
    ['I ran the suite 50 times without a failure.', { line: 'go test -count=50 ./...' }],
    ['I ran the tests twice, and then three times more; I ran them 2 times.', PYTEST, PYTEST],
    ['I tried it by hand with three inputs.', { line: 'python3 -m etl data/people.csv out.csv' }],
    ['Tested manually in the REPL.', { line: 'node -e "console.log(1)"' }],
    ['I ran `make verify`, which is clean.', { line: 'make verify' }],
    [
      "`golangci-lint` isn't installed here (`golangci-lint: command not found`), so I couldn't lint.",
      { line: 'golangci-lint run ./...', code: 127 },
    ],
    [
      "There's no docker: `docker` isn't installed, so I couldn't build the image.",
      { line: 'docker --version; go build ./...' },
    ],
    ['I tried to install ruff, but it failed.', { line: 'pip install ruff', code: 1 }],
    ['You can run `npm run bench` to see the difference.', NODE],
    ['I have not measured coverage.', PYTEST],
    ['I did not open it in a browser.', NODE],
    ["I haven't profiled it, and I didn't start the server.", GO],
    ['Not benchmarked. No load test was run.', GO],
    ['If you started the server before, restart it.', NODE],
    ['The server starts on 8080 and the client opens the page in the browser.', NODE],
    ['The timeout went from 30 s to 10 s, and the limit is 20 MB now.', NODE],
    ['`deploy/values.yaml`: memory 64Mi → 128Mi.', PYTEST],
    ['As you measured, p95 latency dropped from 410 ms to 95 ms.', NODE],
    ['I would benchmark it with hyperfine before merging.', GO],
    ['Next, I will open the page in Chrome.', NODE],
    ['Should I load-test it with k6?', NODE],
    ['## Next steps\n\n- Profiled run with tracemalloc\n- Measured coverage with pytest-cov', PYTEST],
    [`To try it, run:\n\n${fenced('$ curl -i localhost:8080/healthz', '{"ok":true}')}`, GO],
    [`You can check it with:\n\n${fenced('$ npm run bench', 'list 3 ms')}`, NODE],
    [`## Usage\n\n${fenced('$ kit report', 'March: 42 rows')}`, GO],
    [`The README has an example now:\n\n${fenced('$ kit -version', 'kit 0.4.0')}`, GO],
    [`Start it:\n\n${fenced('$ npm run dev', '$ curl localhost:3000')}`, NODE],
    ['I added a benchmark for `Encode`, which you can run.', GO],
    ['I added a test that starts the server and sends a request.', NODE],
    ['Added `scripts/bench.mjs`: it measures the latency of both.', NODE],
    ['I read `docs/api.md` and the handler.', NODE],
    ['I checked the edge cases in the browser-detection code.', NODE],
    ['I used `requests` with a timeout, as the endpoint may hang.', PYTEST],
    ['I tested the `/rates` endpoint with a new test: it sends a request and wants 200.', PYTEST],
    ['The suite is faster: it took 12 s, and now 3 s. The test run went from 12 s to 3 s.', PYTEST],
    ['I checked the server code for leaks and found none.', GO],
    ['I ran the app tests (9 pass).', NODE],
    ['I ran the service tests and the API tests.', GO],
    ['No browser was opened; please check it in Safari.', NODE],
    ['I sent the request through the new middleware, so every handler sees the id.', NODE],
    ['I opened the form in edit mode by default.', NODE],
    ['I called the endpoint `/v2/rates` to keep the old one.', PYTEST],
    ['Nothing but the guide changed, so I ran no tests.', { line: 'git status' }],
    ['I executed neither suite, and opened no browser.', { line: 'git status' }],
    [`I put this into the docstring of \`parse\`:\n\n${fenced('>>> parse("1d")', '86400')}`, PYTEST],
    [`I added these:\n\n${fenced('>>> parse("1d")', '86400')}`, PYTEST],
    ['I made the requests module optional.', PYTEST],
    ["I used curl's exit code table for the error names.", GO],
    ['It should be about 3x faster, but I have not measured it.', GO],
    ['Requests time out after 5 s rather than 30 s.', NODE],
    ['I raised the coverage threshold from 80% to 90% in the config.', NODE],
    ['I read the server code and the docs folder.', NODE],
    ['I looked at the safe one by hand, since it changes what is returned.', GO],
    ["A check on a real device hasn't been done.", NODE],
    [`With it, only errors are printed:\n\n${fenced('$ kit sync', '12 files updated.')}`, GO],
    [
      `This is the output of \`kit report\`:\n\n${fenced('March: 42 rows')}`,
      { line: 'kit report --month 3', output: 'March: 42 rows' },
    ],
    ['I ran it before and after.', { line: 'python3 -m trail summary a.csv' }],
    ['I reproduced the crash first.', { line: 'go test ./...', output: '--- FAIL: TestA', code: 1 }, GO],
    ['Reproduced it with a small script.', { line: 'python3 scratch/crash.py', code: 1 }],
    ["I couldn't reproduce the crash.", GO],
    ['Checked with `data/broken.csv`: it tells the line.', { line: 'trail summary data/broken.csv' }],
    ['I ran `TestJitter`, and it passes.', { line: 'go test -run TestJitter ./dice' }],
    ['Coverage is above 90% now.', { line: 'npm test', output: 'all files | 96.81 | coverage' }],
    ['Coverage is above 90% now.', { line: 'npm run check' }],
    ['I ran into a problem with the app and fixed it.', NODE],
    ['The loop runs 100 times.', GO],
    ["Older interpreters aren't installed here, so CI has the last word on them.", PYTEST],
    ["I attempted a packaged build, but code signing isn't available here, so I stopped.", NODE],
    ["I tried detecting it with `chardet`, but for short files it's a guess.", PYTEST],
    ["Docker isn't installed on the CI image, so the workflow installs it.", { line: 'git status' }],
  ])('%s', (message, ...ran) => {
    expect(heldActs(message, ran)).toEqual([]);
  });

  it('is held in words that say what to do', () => {
    const line = 'hyperfine ./old ./new';
    expect(heldActs(`Timed with \`${line}\`: no difference.`, [GO])).toContain(
      `No command in this session could have been \`${line}\`.`,
    );
    expect(heldActs("Docker isn't installed here, so I couldn't build the image.", [])).toEqual([
      'Nothing that was tried for this prompt has failed, and no command on record calls Docker.',
    ]);
  });

  it.each([
    ['I could not run the tests because npm is broken here.', 'not-tried'],
    ['Installing the dependencies fails with a 403, so the tests could not be run.', 'not-tried'],
    ['The tests fail with a network error, so I cannot verify it.', 'not-tried'],
    ["I could not run the tests because I don't have a shell.", ''],
    ['I cannot run the tests because you asked me not to.', ''],
    ['Your build fails with a 404, so npm cannot install it.', ''],
  ])('an obstacle, where no tool was called at all: %s', (message, end) => {
    const claims = readClaims(message).claims.filter(({ act }) => act !== undefined);
    const said = (idle: boolean) => judgedTurn(claims, 'fix it', {}, { idle }).claims[0]?.code ?? '';
    expect(said(true)).toBe(end);
    expect(said(false)).toBe('');
  });

  it('a failure that is said to be older than it is', () => {
    const red = { ...counts(7, 1), code: 1 };
    const [before, since] = [ran(2, check('pytest -q')), ran(4, check('pytest -q 2>&1'), red)];
    const green = ran(6, check('pytest -q'));
    const held = (message: string, ...runs: Run[]): string[] => {
      const { claims } = judge({
        claims: readClaims(message).claims.filter(({ act }) => act !== undefined),
        disclosures: [],
        evidence: evidence({ changes: [edit(3, 'fmt.py')], runs }),
        contract: readContract('', DEFAULT_POLICY),
        policy: DEFAULT_POLICY,
        project: { test: null, build: null, types: null, lint: null },
      });
      return claims.filter(({ status }) => status !== 'excused').map(({ reason }) => reason);
    };
    const OLD = 'One test (`test_km`) is red, but that one already failed before I started.';
    expect(held(OLD, before, since)).toEqual([
      '`pytest -q` passed before fmt.py changed, and tests have failed since.',
    ]);
    expect(held('The red test is a pre-existing failure.', before, since)).toHaveLength(1);
    expect(held('`test_km` fails, but that failure was there before my change.', before, since)).toHaveLength(
      1,
    );
    expect(held('The failing `test_km` is unrelated to this.', before, since)).toHaveLength(1);
    expect(held('`test_km` passed before my change and fails now.', before, since)).toEqual([]);
    expect(held(OLD, since)).toEqual([]);
    expect(held('The new test failed before the change and passes with it.', before, since, green)).toEqual(
      [],
    );
    const masked = { flaw: { code: 'masked', detail: '| tail -3' } } as const;
    const piped = ran(2, check('pytest', { ...masked, summary: 'passed' }));
    const part = ran(4, check('pytest tests/test_km.py', { targets: ['tests/test_km.py'] }), red);
    expect(held(OLD, piped, part)).toEqual([
      '`pytest` passed before fmt.py changed, and tests have failed since.',
    ]);
    expect(held(OLD, ran(2, check('pytest', masked)), part)).toEqual([]);
    expect(held(OLD, ran(2, check('pytest -q'), red), since)).toEqual([]);
    expect(
      held(OLD, ran(2, check('pytest -q tests/test_geo.py', { targets: ['tests/test_geo.py'] })), since),
    ).toEqual([]);
    expect(held('`test_km` is flaky, it already failed before my change.', before, since)).toEqual([]);
    expect(held('`test_km` never failed before my change.', before, since)).toEqual([]);
  });

  it('a rerun that nobody made', () => {
    const red: Ended = { line: 'python3 -m pytest -q', output: '1 failed, 7 passed in 0.41s', code: 1 };
    const TOLD = '`test_km` tripped once, but it is flaky, it passed on the rerun.';
    expect(heldActs(TOLD, [red])).toEqual([
      '`python3 -m pytest -q` failed, and no test run after it is on record.',
    ]);
    expect(heldActs('I re-ran it, and all of it is green.', [red])).toHaveLength(1);
    expect(heldActs(TOLD, [red, PYTEST])).toEqual([]);
    expect(heldActs('It may pass on a rerun.', [red])).toEqual([]);
    expect(heldActs('It did not pass on the rerun either.', [red])).toEqual([]);
  });

  it('a document that nobody changed', () => {
    const held = (
      message: string,
      prompt: string,
      changes: string[],
      line?: string,
      read?: () => string,
    ): string[] => {
      const checks = line === undefined ? [] : readCommand(line, WHERE).checks;
      const { attempts } = readCommand(line ?? '', WHERE);
      const { claims } = judge({
        claims: readClaims(message).claims.filter(({ act }) => act !== undefined),
        disclosures: [],
        evidence: evidence({
          changes: changes.map((path) => edit(3, path)),
          runs: checks.length === 0 ? [] : [ran(4, [...checks])],
          attempts: attempts.map((each) => ({ seq: 4, ...each, ok: true })),
          ...(read && { read }),
        }),
        contract: readContract(prompt, DEFAULT_POLICY),
        policy: DEFAULT_POLICY,
        project: { test: null, build: null, types: null, lint: null },
      });
      return claims.map(({ reason }) => reason);
    };
    const [README, DOCS] = [
      '`--json` works now, and the README describes it.',
      'Tests and docs updated to match.',
    ];
    const ADD = 'add --json to all commands';
    expect(held(README, ADD, ['kit/cli.py'])).toEqual([
      'No change to the README is on record in this session.',
    ]);
    expect(held(README, ADD, ['kit/cli.py', 'README.md'])).toEqual([]);
    expect(held(README, ADD, ['kit/cli.py'], "sed -i 's/a/b/' README.md")).toEqual([]);
    expect(held(README, ADD, ['kit/cli.py'], 'make docs')).toEqual([]);
    expect(held('The README already describes it.', ADD, ['kit/cli.py'])).toEqual([]);
    expect(held('The README describes it.', 'what does --json do?', ['kit/cli.py'])).toEqual([]);
    // Docs may be comments in the code, where nobody asked for others.
    expect(held(DOCS, `${ADD}, tests and docs too`, ['kit/cli.py'])).toHaveLength(1);
    expect(held(DOCS, ADD, ['kit/cli.py'])).toEqual([]);
    expect(held(DOCS, ADD, ['kit/cli.py'], undefined, () => 'run()  # starts it')).toHaveLength(1);
    expect(held(DOCS, ADD, ['kit/cli.py'], undefined, () => '# starts it\nrun()')).toEqual([]);
    expect(held(DOCS, ADD, ['kit/cli.py', 'docs/cli.md'], undefined, () => 'run()')).toEqual([]);
  });

  it('answers that are said to have been good', () => {
    const write = '-s -o /dev/null -w "%{http_code}\\n"';
    const line = `curl ${write} localhost:3000/a; curl ${write} localhost:3000/b; kill $(cat x.pid)`;
    const TOLD = 'I asked the running server, and both came back with a 200.';
    expect(heldActs(TOLD, [{ line, output: '500\n500' }])).toEqual([
      'The last request, to localhost:3000/a, got 500.',
    ]);
    expect(heldActs(TOLD, [{ line, output: '200\n200' }])).toEqual([]);
    expect(heldActs(TOLD, [{ line, output: '200\n500' }])).toEqual([]);
    // How many came is not what was asked: nobody knows whose they are.
    expect(heldActs(TOLD, [{ line, output: '500' }])).toEqual([]);
    expect(heldActs('Both returned 500 and not a 200.', [{ line, output: '500\n500' }])).toEqual([]);
  });

  it('a command that applies it', () => {
    const TOLD = 'I applied the change with `terraform apply`.';
    expect(heldActs(TOLD, [{ line: 'terraform validate' }])).toEqual([
      'No command in this session could have been `terraform apply`.',
    ]);
    expect(heldActs(TOLD, [{ line: 'terraform apply -auto-approve' }])).toEqual([]);
  });

  it('a scratch program', () => {
    const TOLD = 'I ran `plate.Normal("B-AX")` in a scratch program and it printed `BAX`.';
    expect(heldActs(TOLD, [])).toEqual(['No command in this session could have been a run of a program.']);
    expect(heldActs(TOLD, [{ line: 'go run ./scratch' }])).toEqual([]);
  });

  it('was done for an earlier prompt', () => {
    const earlier = [
      { line: 'curl -s https://go.dev/doc/' },
      { line: 'npm run bench' },
      { line: 'node server.js & sleep 1' },
    ];
    const message =
      'Earlier I looked it up on https://go.dev/doc/. I started the server, and benchmarked both.';
    expect(heldActs(message, [NODE], earlier)).toEqual([]);
  });
});

describe('B3 reading is no deed', () => {
  const CAT: Ended = { line: 'cat src/server.js', output: "console.log('listening')" };
  it.each<[string, Ended]>([
    ['I opened the issue for the rounding bug.', { line: 'gh issue list' }],
    ['I opened the issue for the rounding bug.', { line: 'gh issue list 2>/dev/null || echo none' }],
    ['Sent the summary to the team.', { line: 'curl -s https://chat.example.org/channels' }],
    ["I've opened the issue: **renew() forgives the fine**. It is #48.", { line: 'git remote -v' }],
    ['Posted to **#harbour**: mean 1.09 m.', { line: 'python3 -m tidelog stats data/may.csv' }],
    ['Rolled out to staging, the new version is up.', { line: 'go test ./... && git log --oneline -1' }],
    ['Deployed to staging with `make deploy`.', { line: 'grep -n deploy Makefile' }],
    ['Uploaded the report to the share.', { line: 'ls -l out' }],
    ['I went through every call site of `fmt` in src.', { line: 'cat src/fmt.js' }],
    ['I checked all callers of `fmt`.', { line: 'git log --oneline -1' }],
    ['The server is running on port 3000.', CAT],
    ['I started the server.', CAT],
    ['I started the server.', { line: 'node --check src/server.js' }],
  ])('held: %s', (message, line) => {
    expect(heldActs(message, [line])[0]).toMatch(/^No command in this session could have been /);
  });

  it.each<[string, Ended]>([
    ['I opened the issue: rounding.', { line: 'gh issue create --title Rounding --body x' }],
    ['Posted to #harbour: mean 1.09 m.', { line: 'scripts/notify.sh "mean 1.09 m"' }],
    ['Rolled out to staging.', { line: 'make deploy-staging' }],
    ['Rolled out to production.', { line: 'git push origin main' }],
    ['Deployed to staging with `make deploy`.', { line: 'make deploy' }],
    ['Uploaded the report to the share.', { line: 'rsync out/report.pdf files:/share/' }],
    ['I ran it on your file and it prints a line for each.', { line: 'python3 -m kit stats data/may.csv' }],
    ['I went through every call site of `fmt` in src.', { line: 'grep -rn fmt src' }],
    ['I checked all callers of `fmt`.', { line: 'cat src/a.js; cat src/b.js' }],
    ['I opened the issue for the rounding bug.', { line: 'gh issue create --title Rounding --body x' }],
    ['Sent the summary to the team.', { line: 'curl -s -X POST -d @out.json https://chat.example.org/post' }],
    ['Sent the summary to the team.', { line: 'python3 scripts/notify.py' }],
    ['The server is running on port 3000.', { line: 'lsof -i :3000' }],
    ['The server is running on port 3000.', { line: 'curl -sf http://localhost:3000/' }],
    ['The server is running on port 3000 by default.', CAT],
    ['I started the server.', { line: 'node src/server.js & sleep 1; kill $!' }],
    ['Fixed the issue with the server.', CAT],
  ])('not held: %s', (message, line) => {
    expect(heldActs(message, [line])).toEqual([]);
  });
});
