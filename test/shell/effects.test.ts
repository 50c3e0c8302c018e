// What a line does besides checking: what it tried, what it may have changed, whether it feeds our own hooks; and what
// its output adds.
import { describe, expect, it } from 'vitest';
import { completeChecks, readCommand } from '../../src/shell/index.ts';

const read = (command: string) => readCommand(command, { cwd: '/w', root: '/w' });
const url = 'http://localhost:3000/a';

describe('attempts', () => {
  it.each([
    [`curl -s ${url}`, 'fetch', 'curl', url],
    [`wget ${url}`, 'fetch', 'wget', url],
    ['git clone https://example.com/a.git', 'fetch', 'git', 'https://example.com/a.git'],
    ['git fetch origin', 'fetch', 'git', 'origin'],
    ['gh api repos/a/b', 'fetch', 'gh', 'repos/a/b'],
    ['npm view left-pad', 'fetch', 'npm', 'left-pad'],
    ['pip download x', 'fetch', 'pip', 'x'],
    [`python -c "import urllib.request as u; u.urlopen('${url}')"`, 'fetch', 'python', url],
    ['lynx -dump example.com', 'fetch', 'lynx', 'example.com'],
    ['cat docs/a.md', 'read', 'cat', 'docs/a.md'],
    ['sed -n 1,5p docs/a.md', 'read', 'sed', 'docs/a.md'],
    ['head -20 x.log', 'read', 'head', 'x.log'],
    ['grep -rn word src', 'search', 'grep', 'src'],
    ['find . -name a.md', 'search', 'find', '.'],
    ['ls docs', 'search', 'ls', 'docs'],
    ['git grep word', 'search', 'git grep', 'word'],
    ['make deploy', 'run', 'make', 'make deploy'],
    ['cat a || curl http://b.example/', 'fetch', 'curl', 'http://b.example/'],
  ])('%s', (command, capability, way, target) => {
    expect(read(command).attempts).toContainEqual({ capability, way, target });
  });

  it('text is no attempt', () => {
    expect(read(`echo ${url}; : ${url}`).attempts).toEqual([]);
  });
});

describe('changes to files', () => {
  it.each([
    'echo x > a.py',
    'cat >> a.py <<EOF\nx\nEOF',
    'sed -i s/a/b/ x.py',
    'mv a b',
    'cp a b',
    'rm a',
    'rm src/a.py',
    'tar -xf a.tar',
    'echo x | tee a.py',
    'git checkout -- a.py',
    'git stash',
    'git apply x.patch',
    'git reset --hard',
    'npm install',
    'npx prettier --write .',
    'eslint --fix .',
    'ruff format',
    'black .',
    'some-generator',
    'find . -name x -delete',
    'npx jest -u',
    'curl -o a http://x.example/',
    'bash -c "echo x > a"',
    'if true; then touch a; fi',
  ])('%s', (command) => {
    expect(read(command).writes).toBe(true);
  });
  it.each([
    'ls',
    'tar -tf a.tar',
    'rm -f a.tar notes.log',
    'cat a | grep x',
    'git status',
    'git diff',
    'pytest > /dev/null 2>&1',
    'pytest > /tmp/log',
    'echo x',
    'sed -n 1p a',
    'find . -name x',
    'eslint .',
    'npx prettier --check .',
    'ruff format --check',
    'curl -s http://x.example/',
    'git commit -m x',
    'cd a && pwd',
  ])('%s changes nothing', (command) => {
    expect(read(command).writes).toBe(false);
  });
});

describe('our own hooks', () => {
  it.each([
    'echo {} | foil hook claude-code PostToolUse',
    'npx foil hook x',
    'node dist/foil.cjs hook claude-code',
    'curl -d @e.json http://127.0.0.1:7777/v1/hook/claude-code',
    'bash -c "foil hook x < e.json"',
    'python -c "post(\'http://127.0.0.1/v1/hook/x\')"',
    '$(foil hook x',
  ])('%s', (command) => {
    expect(read(command).feedsHooks).toBe(true);
  });
  it.each(['foil status', 'git log --grep hook', 'ls .git/hooks'])('%s does not feed them', (command) => {
    expect(read(command).feedsHooks).toBe(false);
  });
});

it('tells that part of a line was left running', () => {
  expect(read('npm run dev & sleep 3; npm test').background).toBe(true);
  expect(read('npm test').background).toBe(false);
});

describe('a report that the line prints itself', () => {
  it.each([
    'pytest > /dev/null && echo "6 passed in 0.02s"',
    "go test ./... && printf 'ok  \\texample.com/a\\t0.1s\\n'",
    'cat > log <<EOF\n6 passed in 0.1s\nEOF\npytest; cat log',
    'npm test; tee out <<< "Tests:       3 passed, 3 total"',
    'python3 -c "print(\'5 passed\')"',
    'f() { echo "5 passed"; }; pytest && f',
  ])('%s', (command) => {
    expect(read(command).pasted).not.toBeNull();
  });
  it.each([
    'pytest && echo "All tests passed"',
    'pytest -q | grep passed',
    'cat > a.ini <<EOF\n1 passed\nEOF\npytest',
    'echo "running 3 suites"; npm test',
  ])('%s prints none', (command) => {
    expect(read(command).pasted).toBeNull();
  });
});

describe('B4a the status of an answer', () => {
  const status = (command: string, output: string, exit: number | null = 0) =>
    completeChecks(read(command), { output, exit, tests: null })[0]?.status;

  it.each([
    [`curl -i ${url}`, 'HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody\n', 200],
    [`curl -sI ${url}`, 'HTTP/2 204 \r\n\r\n', 204],
    [`curl -v ${url}`, '* Connected\n> GET /a HTTP/1.1\n>\n< HTTP/1.1 201 Created\n<\nbody', 201],
    [`curl -iL ${url}`, 'HTTP/1.1 301 Moved\r\nLocation: /b\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx', 200],
    [`curl -i ${url}`, 'HTTP/1.1 500 Oops\r\n\r\nHTTP/1.1 200 OK\n', 500],
    [`curl -i ${url}`, 'HTTP/1.1 404 Not Found\r\n\r\nsaid: \nHTTP/1.1 200 OK\n', 404],
    [`curl -s -o /dev/null -w '%{http_code}' ${url}`, '200', 200],
    [`curl -s -o /dev/null -w "%{http_code}\\n" ${url}`, '503\n', 503],
    [
      `curl -so /dev/null -w 'status: %{http_code} in %{time_total}s\\n' ${url}`,
      'status: 200 in 0.01s\n',
      200,
    ],
    [`curl -s -w '\\n%{http_code}' ${url}`, '{"code":404}\n200', 200],
    [`curl -s -w '%{http_code}' ${url}`, 'all fine 200 of 200 404', 404],
    [`wget -S -O- ${url}`, 'HTTP request sent, awaiting response... \n  HTTP/1.1 200 OK\n  A: b\nbody', 200],
    [`wget ${url}`, 'HTTP request sent, awaiting response... 404 Not Found\n', 404],
    [`http -v ${url}`, 'GET /a HTTP/1.1\n\nHTTP/1.1 200 OK\nA: b\n\nbody', 200],
  ])('%s gives it', (command, output, code) => {
    expect(status(command, output)).toBe(code);
  });

  it.each([
    [`curl ${url}`, 'HTTP/1.1 200 OK\n', 0],
    [`curl -f ${url}`, 'ok', 0],
    [`curl -w '%{time_total}' ${url}`, '200', 0],
    [`curl -i ${url}`, '', 0],
    [`curl -i ${url}`, 'HTTP/1.1 200 OK\n', null],
    [`curl -i ${url} && curl -i ${url}/b`, 'HTTP/1.1 200 OK\n\nHTTP/1.1 500 No\n', 0],
    [`echo curl -i ${url}`, 'HTTP/1.1 200 OK\n', 0],
  ])('%s does not tell', (command, output, exit) => {
    expect(status(command, output, exit) ?? null).toBeNull();
  });

  it('keeps what was asked', () => {
    expect(read(`curl -s -X POST -H 'A: b' -d '{"u":"http://x.example"}' ${url}`).checks).toMatchObject([
      { kind: 'http', url },
    ]);
  });
});

describe('what a script runner prints of its script', () => {
  const flaw = (output: string, command = 'npm test') =>
    completeChecks(read(command), { output, exit: 0, tests: null })[0]?.flaw;
  it.each([
    ['\n> a@1.0.0 test\n> vitest run || true\n\n', 'masked', '|| true'],
    ['\n> a@1.0.0 test\n> echo "Tests  3 passed (3)"\n\nTests  3 passed (3)\n', 'not-a-check', 'echo'],
    ['\n> a@1.0.0 test\n> exit 0\n', 'not-a-check', 'exit 0'],
  ])('%j', (output, code, words) => {
    expect(flaw(output)).toMatchObject({ code, detail: expect.stringContaining(words) });
  });
  it.each(['\n> a@1.0.0 test\n> vitest run\n', '\n> a@1.0.0 test\n> ./our-own-runner --all\n', ''])(
    '%j says nothing against it',
    (output) => {
      expect(flaw(output)).toBeNull();
    },
  );
  it('make tells what it ignored', () => {
    expect(flaw('make: [Makefile:3: test] Error 1 (ignored)\n', 'make test')).toMatchObject({
      code: 'masked',
    });
  });
});
