// What a held turn is told: why, in words that are true, and the command that its reason speaks of. A script that was
// changed and run is the work, whatever its name.
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import {
  gateMessage,
  leadingClaim,
  limitMet,
  NO_MEMORY,
  rememberBlock,
  rememberPrompt,
} from '../../src/rules/index.ts';
import { readCommand } from '../../src/shell/index.ts';
import { ask, check, claim, counts, edit, judged, ran, tried } from './cases.ts';

const statusOf = (...args: Parameters<typeof judged>) => leadingClaim(judged(...args))?.status ?? 'backed';

describe('B3b a script that was changed and run', () => {
  const FIXED = claim('done', 'Fixed it');
  const DEPLOYED = claim('shipped', 'Deployed', { about: 'deploy' });
  it.each([
    ['bash deploy.sh', FIXED, 'backed'],
    ['./deploy.sh staging', FIXED, 'backed'],
    ['bash -n deploy.sh', FIXED, 'backed'],
    ['bash deploy.sh || true', FIXED, 'unbacked'],
    ['bash other/release.sh', FIXED, 'unbacked'],
    ['bash deploy.sh', DEPLOYED, 'trick'],
    ['bash deploy.sh || true', DEPLOYED, 'trick'],
  ])('%s: %o is %s', (command, said, status) => {
    const { checks } = readCommand(command, { cwd: '/w', root: '/w', changed: ['deploy.sh'] });
    const found = { changes: [edit(1, 'deploy.sh')], runs: [ran(2, [...checks], { tests: null })] };
    expect(statusOf([said], 'fix deploy.sh', found)).toBe(status);
  });
});

describe('B3b the command is the one that the reason speaks of', () => {
  const URL = 'http://localhost:3000/x';
  const WORKS = claim('done', 'The page works now');
  const TESTED = claim('tested', 'Tests pass');
  const get = (command: string, status: number | null) =>
    ran(2, check(command, { kind: 'http', url: URL, status }), { tests: null });
  const e2e = ran(1, check('make e2e', { runner: 'make e2e' }), counts(3));
  const part = check('go test ./run', { runner: 'go test', targets: ['run'] });
  const told = (...args: Parameters<typeof judged>) => {
    const leading = leadingClaim(judged(...args));
    return [leading?.reason, leading?.suggestion?.command];
  };

  it('for a request, the request', () => {
    const changes = [edit(1, 'server.js')];
    const got = (run: ReturnType<typeof get>) => told([WORKS], 'fix it', { changes, runs: [run] });
    expect(got(get(`curl -i ${URL}`, 500))).toEqual([`The request to ${URL} got 500.`, `curl -i ${URL}`]);
    expect(got(get(`curl -si -X POST ${URL}`, 404))[1]).toBe(`curl -si -X POST ${URL}`);
    expect(got(get(`curl -s ${URL}`, null))[1]).toBe(`curl -i ${URL}`);
    expect(got(get(`curl -i -H "[REDACTED:token]" ${URL}`, 500))[1]).toBe(`curl -i ${URL}`);
    const attempts = [tried(2, 'fetch', 'WebFetch', URL, false, 500)];
    expect(told([WORKS], 'fix it', { changes, attempts })[1]).toBe(`curl -i ${URL}`);
  });

  it('for what is to be run again, that', () => {
    const stale = { changes: [edit(3, 'run/a.go')], runs: [e2e, ran(2, part, counts(3))] };
    expect(told([TESTED], 'fix it', stale)).toEqual([
      '`go test ./run` passed, but then run/a.go changed. Run it again.',
      'go test ./run',
    ]);
    const failing = {
      changes: [edit(0, 'run/a.go')],
      runs: [e2e, ran(2, part, { code: 1, ...counts(2, 1) })],
    };
    expect(told([TESTED], 'fix it', failing)[1]).toBe('go test ./run');
    const whole = claim('tested', 'All tests pass', { whole: true });
    expect(told([whole], 'fix it', failing)[1]).toBe('npm test');
    const built = {
      changes: [edit(3, 'a.c')],
      runs: [ran(2, check('make', { kind: 'build' }), { tests: null })],
    };
    expect(told([claim('done', 'Fixed')], 'fix it', built)[1]).toBe('make');
  });

  it('X13c for tests that went, names them once and does not say that their file went', () => {
    const lines = ['def test_a():'];
    const weakened = [{ path: 'test_a.py', what: 'deleted', lines } as const];
    const runs = [ran(1, check('pytest'))];
    expect(told([TESTED], 'fix it', { runs, weakened })[0]).toContain(
      'test_a.py lost tests in this session (`def test_a():`).',
    );
    expect(
      told([TESTED], 'fix it', { runs, weakened: [{ path: 'test_a.py', what: 'deleted', lines: [] }] })[0],
    ).toContain('test_a.py was deleted in this session.');
  });

  it('for a run without tests, a wider one', () => {
    const src = check('pytest -q src', { runner: 'pytest', targets: ['src'] });
    const found = { changes: [edit(1, 'src/a.py')], runs: [ran(2, src, { code: 5, ...counts(0) })] };
    expect(told([TESTED], 'fix it', found)).toEqual(['`pytest -q src` ran no tests at all.', 'pytest -q']);
  });

  it('for a part of the packages, all of them, if the project says how', () => {
    const found = { changes: [edit(1, 'store/a.go')], runs: [ran(2, part)] };
    const project = { test: 'go test ./...', build: null, types: null, lint: null };
    expect(told([TESTED], 'fix it', found, [], DEFAULT_POLICY, false, project)[1]).toBe('go test ./...');
  });

  it('for a formatter that the claim names, that one, told to look', () => {
    const clean = (name: string) => claim('checked', `\`${name}\` is clean`, { about: 'format' });
    const changes = [edit(1, 'a.go')];
    expect(told([clean('gofmt')], 'fix it', { changes })[1]).toBe('gofmt -l .');
    expect(told([clean('prettier')], 'fix it', { changes })[1]).toBe('prettier --check .');
    expect(told([clean('nothing')], 'fix it', { changes })[1]).toBeNull();
  });

  it('speaks of no page where an installer was to fetch a package', () => {
    const attempts = [tried(2, 'fetch', 'python', 'http://127.0.0.1:9/', false, null)];
    const verified = claim('checked', 'verified that it imports fine');
    expect(told([verified], 'bump it', { attempts, changes: [edit(1, 'a.py')] })[0]).not.toContain(
      'request to',
    );
  });

  it('for what hid its end, that alone; a script that hides it is named', () => {
    const changes = [edit(1, 'src/a.js')];
    const lint = check('npm run lint', {
      kind: 'lint',
      runner: 'npm run lint',
      flaw: { code: 'masked', detail: '|| echo findings' },
    });
    const clean = claim('checked', 'No `var` is left in `src`');
    expect(told([clean], 'fix it', { changes, runs: [ran(2, lint, { tests: null })] })).toEqual([
      '`|| echo findings` replaces the exit code of `npm run lint`, so nobody knows how it ended.',
      'npm run lint',
    ]);
    const flaw = { code: 'masked', detail: 'node --test || exit 0' } as const;
    const script = ran(2, check('npm test', { runner: 'npm test', flaw }), counts(3));
    expect(told([TESTED], 'fix it', { changes, runs: [script] })[0]).toBe(
      'The script behind `npm test`, `node --test || exit 0`, hides a failure. Fix the script, then run it again.',
    );
  });

  it('says of no run of tests that it runs none', () => {
    const runs = [ran(2, check('node --test a.test.js', { runner: 'node:test', targets: ['a.test.js'] }))];
    const changes = [edit(1, 'b.js')];
    expect(ask('test_pass', TESTED, 'fix it', { changes, runs }, { target: 'b.js' })).toMatchObject({
      reason: 'No test run of b.js is on record: `node --test a.test.js` does not cover it.',
    });
    const later = {
      changes: [edit(3, 'b.js')],
      runs: [ran(2, check('npm test', { flaw: { code: 'masked', detail: '| cat' } }))],
    };
    expect(ask('test_pass', claim('done'), 'fix it', later)).toMatchObject({
      reason: 'No test run is on record: `npm test` ran before the last change.',
    });
    const ls = { changes, runs: [ran(2, check('node b.js', { kind: 'run' }), { tests: null })] };
    expect(ask('test_pass', TESTED, 'fix it', ls)).toMatchObject({
      reason: 'No test run is on record: `node b.js` runs no tests.',
    });
  });
});

describe('B3b advice that can be followed', () => {
  const adviceOn = (...args: Parameters<typeof judged>) => {
    const { suggestion } = leadingClaim(judged(...args)) ?? {};
    return [suggestion?.command ?? null, suggestion?.args];
  };
  const changes = [edit(1, 'stats/core.py')];
  it('runs no test for what CI or a manual says', () => {
    const ci = claim('checked', 'CI is green for this commit', { about: 'ci' });
    expect(adviceOn([ci], 'Is CI green?', { changes })[0]).toBeNull();
    const read = claim('checked', 'I looked it up in the Node documentation: it is supported');
    expect(adviceOn([read], 'Look it up', { changes })[0]).toBeNull();
  });

  it('names the tests that failed by their own count, though the command ended with 0', () => {
    const failed = ran(2, check('make test', { runner: 'make test' }), counts(0, 1));
    const found = { changes, runs: [failed] };
    expect(adviceOn([claim('tested', 'make test passes')], 'fix it', found)[0]).toBe('make test');
  });

  it('does not name a part again that holds no tests', () => {
    const none = check('pytest tests -k none', {
      runner: 'pytest',
      targets: ['tests'],
      selectors: ['none'],
      flaw: { code: 'masked', detail: '; true' },
    });
    const found = { changes, runs: [ran(2, none, counts(0))] };
    expect(adviceOn([claim('tested', 'the tests pass')], 'fix it', found)[0]).toBe('pytest');
  });

  it('commits what was edited and not staged', () => {
    const said = claim('shipped', 'I committed it', { about: 'commit' });
    expect(adviceOn([said], 'fix it and commit', { changes })).toEqual([
      'git commit -am "…"',
      { command: 'git commit' },
    ]);
  });

  it('names all ways to a file that is said to be out of reach in one line, which ends as the read ends', () => {
    const said = claim('blocked', "I can't read data/rates.csv");
    const prompt = 'Sum up data/rates.csv';
    expect(adviceOn([said], prompt, {})[0]).toBe('find . -name rates.csv; cat data/rates.csv');
    const attempts = [tried(1, 'read', 'cat', 'data/rates.csv', false, null)];
    expect(adviceOn([said], prompt, { attempts })[0]).not.toContain('cat ');
  });

  it('takes no address for a path', () => {
    const said = claim('changed', 'https://api.example.com/health returns 200 now');
    expect(adviceOn([said], 'Make it return 200', {}, [], DEFAULT_POLICY, true)[1]).toEqual({});
  });

  it('asks for a change where one is missing, whatever the claim is', () => {
    const readme = { what: 'document', quote: 'The README is updated', line: 'README' } as const;
    const said = { ...claim('checked', 'The README is updated'), act: readme };
    const message = gateMessage(judged([said], 'Update the README and the code', { changes }));
    expect(message).toContain('Make the change, or say that it was not made.');
    const lint = claim('checked', 'Lint is clean', { about: 'lint' });
    // Nobody can run a question whose arguments are not known.
    expect(gateMessage(judged([lint], 'fix it', { changes }))).not.toContain('foil validate');
  });
});

it('B10b a gate that lets go knows which limit was met', () => {
  const minute = 60_000;
  /** `of` blocks, each for a prompt of its own, so long apart. */
  const blocked = (of: number, apart: number) => {
    let memory = NO_MEMORY;
    for (let at = 0; at < of; at++)
      memory = rememberBlock(rememberPrompt(memory, at, null), 'held', at * apart);
    return { memory, now: of * apart };
  };
  const met = (of: number, apart: number, most: number) => {
    const { memory, now } = blocked(of, apart);
    return limitMet(memory, most, now);
  };
  expect(met(1, 1, 2)).toBeNull();
  expect(met(1, 1, 1)).toBe('prompt');
  expect(met(5, 1, 8)).toBeNull();
  expect(met(6, 1, 8)).toBe('minute');
  expect(met(6, minute, 8)).toBeNull();
  expect(met(99, minute, 8)).toBeNull();
  expect(met(100, minute, 8)).toBe('session');
});
