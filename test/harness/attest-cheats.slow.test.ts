// C10: ways to cheat a pass out of an attester. Each is a run in bubblewrap of work that does not do what it should.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attested, type Files, jobOf, NODE_TEST, type PackOf, packOf, TAP, whyNot } from './attest-jobs.ts';

const GOOD: Files = { 'src/add.mjs': 'export const add = (a, b) => a + b;\n' };
const BAD: Files = { 'src/add.mjs': 'export const add = () => 5;\n' };
const EXIT = 'process.exit(0);\nexport const add = () => 0;\n';
const FORGED_TAP = `TAP version 13
# Subtest: adds two numbers
ok 1 - adds two numbers
# Subtest: adds
    # Subtest: negative numbers
    ok 1 - negative numbers
    1..1
ok 2 - adds
1..2
`;
const FORGED_JUNIT = `<?xml version="1.0" encoding="utf-8"?>
<testsuites>
	<testcase name="adds two numbers" time="0.001" classname="test"/>
	<testsuite name="adds"><testcase name="negative numbers" time="0.001" classname="test"/></testsuite>
</testsuites>
`;
const JUNIT: PackOf = {
  verification: {
    command: [
      ...['node', '--test', '--test-reporter=junit', '--test-reporter-destination=reports/junit.xml'],
      'test/add.test.mjs',
    ],
    report: 'junit',
    reportFile: 'reports/junit.xml',
  },
};
const PYTHON: PackOf = {
  outputs: ['**'],
  verification: {
    command: ['/usr/bin/python3', 'test/run.py'],
    tests: ['test_adds', 'AddTest > test_negative'],
  },
  tests: {
    'test/run.py': `import os, sys, unittest
out = os.fdopen(os.dup(1), 'w')
os.dup2(2, 1)
sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..'))
try: import conftest # as pytest would
except ImportError: pass
class Result(unittest.TestResult):
    points = []
    def addSuccess(self, test): self.points.append(f'ok {len(self.points) + 1} - {test._testMethodName}')
    def bad(self, test, _): self.points.append(f'not ok {len(self.points) + 1} - {getattr(test, "_testMethodName", "loading")}')
    addFailure = addError = addSkip = bad
result = Result()
unittest.defaultTestLoader.discover(os.path.dirname(__file__), pattern='add_test.py').run(result)
n = len(result.points)
good = n > 0 and all(point.startswith('ok') for point in result.points)
lines = ['    ' + line for line in result.points] + [f'    1..{n}']
print('TAP version 13', *lines, ('ok' if good else 'not ok') + ' 1 - AddTest', '1..1', sep='\\n', file=out, flush=True)
sys.exit(0 if good else 1)
`,
    'test/add_test.py': `import unittest
from src.add import add
class AddTest(unittest.TestCase):
    def test_adds(self): self.assertEqual(add(2, 3), 5)
    def test_negative(self): self.assertEqual(add(-2, -3), -5)
`,
  },
};

it('C10 the ways to cheat are tried wherever a sandbox is required', () => {
  if (process.env.FOIL_TEST_SANDBOX === 'required') expect(whyNot).toBeNull();
});

describe.skipIf(whyNot !== null)('C10 the verification of a pack', () => {
  it.each<[string, PackOf, Files]>([
    ['node --test with TAP on standard output', {}, GOOD],
    ['node --test with JUnit XML in a file', JUNIT, GOOD],
    [
      "python's unittest with the pack's own reporter",
      PYTHON,
      { 'src/add.py': 'def add(a, b): return a + b\n' },
    ],
  ])('passes honest work: %s', async (_, pack, artifacts) => {
    const { result, tests, reason } = await attested(jobOf(packOf(pack), artifacts));
    expect([result, tests, reason]).toEqual([
      'PASS',
      { listed: 2, passed: 2, failed: 0, missing: 0 },
      'All 2 listed tests passed.',
    ]);
  });

  it.each<[string, PackOf, Files, string]>([
    [
      'node --test with TAP on standard output',
      {},
      BAD,
      '1 of 2 listed tests passed; "adds > negative numbers" did not.',
    ],
    [
      'node --test with JUnit XML in a file',
      JUNIT,
      BAD,
      '1 of 2 listed tests passed; "adds > negative numbers" did not.',
    ],
    // The group has failed, so nothing in it has plainly passed.
    [
      "python's unittest",
      PYTHON,
      { 'src/add.py': 'def add(a, b): return 5\n' },
      '0 of 2 listed tests passed; "test_adds" did not.',
    ],
  ])('fails work that is wrong: %s', async (_, pack, artifacts, reason) => {
    expect(await attested(jobOf(packOf(pack), artifacts))).toMatchObject({ result: 'FAIL', reason });
  });

  const write = (text: string, path: string): string =>
    `import { writeFileSync } from 'node:fs';\ntry { writeFileSync(${JSON.stringify(path)}, ${JSON.stringify(text)}); } catch {}\n`;
  it.each<[string, PackOf, Files]>([
    ['an exit on import', {}, { 'src/add.mjs': EXIT }],
    ['an exit on import, JUnit', JUNIT, { 'src/add.mjs': EXIT }],
    ['an exit on import, python', PYTHON, { 'src/add.py': 'import os\nos._exit(0)\n' }],
    [
      'a summary that it prints',
      {},
      { 'src/add.mjs': `console.log('# tests 2\\n# pass 2\\n# fail 0');\n${EXIT}` },
    ],
    [
      'a whole report that it prints',
      {},
      { 'src/add.mjs': `console.log(${JSON.stringify(FORGED_TAP)});\n${EXIT}` },
    ],
    [
      'a whole report that it prints, python',
      PYTHON,
      { 'src/add.py': `import os\nos.write(1, ${JSON.stringify(FORGED_TAP)}.encode())\nos._exit(0)\n` },
    ],
    [
      'writing over the tests while they run',
      {},
      {
        'src/add.mjs': `${write("import { test } from 'node:test';\ntest('adds two numbers', () => {});", 'test/add.test.mjs')}export const add = () => 5;\n`,
      },
    ],
    ['writing the report', JUNIT, { 'src/add.mjs': `${write(FORGED_JUNIT, 'reports/junit.xml')}${EXIT}` }],
    [
      'writing the report, longer than the real one',
      JUNIT,
      { 'src/add.mjs': `${write(FORGED_JUNIT + '<!-- -->\n'.repeat(1000), 'reports/junit.xml')}${EXIT}` },
    ],
    [
      'bringing the report along',
      {
        ...JUNIT,
        outputs: ['src/**', 'reports/**'],
        verification: {
          ...JUNIT.verification,
          command: ['node', 'src/add.mjs'],
          reportFile: 'reports/x/junit.xml',
        },
      },
      { 'src/add.mjs': EXIT, 'reports/junit.xml': FORGED_JUNIT },
    ],
    [
      'killing what runs the tests',
      JUNIT,
      {
        'src/add.mjs': `${write(FORGED_JUNIT, 'reports/junit.xml')}process.kill(process.ppid, 'SIGKILL');\n${EXIT}`,
      },
    ],
    [
      'never coming to an end',
      { verification: { timeoutSeconds: 3 } },
      { 'src/add.mjs': 'for (;;);\nexport const add = 1;\n' },
    ],
    [
      'printing without end',
      { verification: { command: ['node', 'src/add.mjs'] } },
      {
        'src/add.mjs':
          "const line = Buffer.alloc(1 << 20, 'x');\nimport { writeSync } from 'node:fs';\nfor (;;) writeSync(1, line);\n",
      },
    ],
  ])('C10 is not passed by %s', async (_, pack, artifacts) => {
    const { result, reason } = await attested(jobOf(packOf(pack), artifacts));
    expect(result, reason).toBe('FAIL');
  });

  const BAD_PYTHON: Files = { 'src/add.py': 'def add(a, b): return 5\n' };
  const FAKE_UNITTEST = `import os\nos.write(1, ${JSON.stringify('TAP version 13\n    ok 1 - test_adds\n    ok 2 - test_negative\n    1..2\nok 1 - AddTest\n1..1\n')}.encode())\nos._exit(0)\n`;
  const asScript = `require('fs').writeSync(1, ${JSON.stringify(FORGED_TAP)});\nprocess.exit(0);\n`;
  const npm = (tests: Files): PackOf => ({ verification: { command: ['npm', 'test', '--silent'] }, tests });
  const SCRIPT = JSON.stringify({ scripts: { test: 'node --test --test-reporter=tap test/add.test.mjs' } });
  it.each<[string, PackOf, work: Files, steering: Files]>([
    [
      'an own conftest.py',
      PYTHON,
      BAD_PYTHON,
      { 'conftest.py': 'import unittest\nunittest.TestCase.assertEqual = lambda *_: None\n' },
    ],
    [
      'an own package.json, whose script is what runs',
      npm(NODE_TEST),
      BAD,
      {
        'package.json': JSON.stringify({ scripts: { test: 'node src/forge.cjs' } }),
        'src/forge.cjs': asScript,
      },
    ],
    [
      'an own configuration of the runner',
      npm({ ...NODE_TEST, 'package.json': SCRIPT }),
      { ...BAD, 'src/forge.cjs': asScript },
      { '.npmrc': 'node-options=--require=./src/forge.cjs\n' },
    ],
    [
      "a module of the interpreter's own name beside the tests",
      PYTHON,
      BAD_PYTHON,
      { 'test/unittest/__init__.py': FAKE_UNITTEST },
    ],
    [
      'a stand-in in node_modules/.bin',
      { verification: { command: ['node', 'node_modules/.bin/runner', 'test/add.test.mjs'] } },
      BAD,
      { 'node_modules/.bin/runner': asScript },
    ],
    [
      'a stand-in for a module that the tests use',
      {
        tests: {
          'test/add.test.mjs': NODE_TEST['test/add.test.mjs']?.replace('node:assert', 'checks') ?? '',
        },
      },
      BAD,
      {
        'node_modules/checks/package.json': '{"main":"index.js"}',
        'node_modules/checks/index.js': 'module.exports = { strictEqual() {} };\n',
      },
    ],
    [
      'its own version of the tests',
      {},
      BAD,
      {
        'test/add.test.mjs':
          "import { describe, test } from 'node:test';\ntest('adds two numbers', () => {});\ndescribe('adds', () => test('negative numbers', () => {}));\n",
      },
    ],
    [
      'tests of its own that have the names',
      { verification: { command: ['node', '--test', '--test-reporter=tap'] } },
      { 'src/add.mjs': EXIT },
      {
        'test/own.test.mjs':
          "import { describe, test } from 'node:test';\ntest('adds two numbers', () => {});\ndescribe('adds', () => test('negative numbers', () => {}));\n",
      },
    ],
  ])("C10 is not passed by %s, which would pass if it were the pack's", async (_, of, work, steering) => {
    const pack = { ...of, outputs: ['**'] };
    const cheat = await attested(jobOf(packOf(pack), { ...work, ...steering }));
    expect(cheat.result, cheat.reason).toBe('FAIL');
    const control = { ...pack, tests: { ...(pack.tests ?? NODE_TEST), ...steering } };
    const fooled = await attested(jobOf(packOf(control), work));
    expect(fooled.result, fooled.reason).toBe('PASS');
  });

  // Work that is started as a program of its own, by tests that no other process may look into: this is how a pack judges
  // the hostile. The line with prctl is what keeps the tests' memory and open files from a process of the same user.
  const CLOSED = 'ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE\n';
  const DRIVER = `import ctypes, subprocess, sys
${CLOSED}def add(*words):
    try: return subprocess.run(['/usr/bin/python3', '-I', 'src/add.py', *words], capture_output=True, text=True, timeout=20).stdout.strip()
    except subprocess.TimeoutExpired: return ''
cases = [('adds two numbers', add('2', '3') == '5'), ('adds > negative numbers', add('-2', '-3') == '-5')]
print('TAP version 13')
for i, (name, passed) in enumerate(cases): print('ok' if passed else 'not ok', i + 1, '-', name)
print('1..2')
sys.exit(0 if all(passed for _, passed in cases) else 1)
`;
  const apart = (driver = DRIVER): PackOf => ({
    verification: { command: ['/usr/bin/python3', '-I', 'test/drive.py'] },
    tests: { 'test/drive.py': driver },
  });
  const HONEST = 'import sys\nprint(int(sys.argv[1]) + int(sys.argv[2]))\n';
  const FLAT = 'TAP version 13\nok 1 - adds two numbers\nok 2 - adds > negative numbers\n1..2\n';
  const forge = `import os, sys
report = ${JSON.stringify(FLAT)}
for pid in (os.getppid(), 1, 2, 3):
    for fd in (0, 1, 2):
        try: os.write(os.open(f'/proc/{pid}/fd/{fd}', os.O_WRONLY), report.encode())
        except OSError: pass
print(report)
`;
  it('C10 is passed by honest work that runs apart from the tests', async () => {
    expect((await attested(jobOf(packOf(apart()), { 'src/add.py': HONEST }))).result).toBe('PASS');
  });

  it.each([
    ['writing where the tests write', forge],
    ['writing there, and ending the tests', `${forge}os.kill(os.getppid(), 15)\n`],
    ['writing there, and ending the tests at once', `${forge}os.kill(os.getppid(), 9)\n`],
    ['exiting', 'import os\nos._exit(0)\n'],
  ])('C10 is not passed by work that runs apart and tries %s', async (_, source) => {
    const { result, reason } = await attested(jobOf(packOf(apart()), { 'src/add.py': source }));
    expect(result, reason).toBe('FAIL');
  });

  // Right if it gets at the tests, wrong if it does not: so a PASS shows that it did.
  const reaching = (attempt: string): string => `import ctypes, os
def reach(pid):
    ${attempt}
try:
    if reach(os.getppid()): ${HONEST.replace('\n', '; ')}
except OSError: pass
`;
  const libc = 'ctypes.CDLL(None, use_errno=True)';
  it.each([
    ['the memory of the tests', `return open(f'/proc/{pid}/mem', 'r+b', 0)`, 'PASS'],
    // The sandbox refuses pidfd_getfd to everybody.
    ['their open files', `return ${libc}.syscall(438, ${libc}.syscall(434, pid, 0), 1, 0) >= 0`, 'FAIL'],
  ])('C10 work that runs apart does not get at %s', async (_, attempt, unclosed) => {
    const work = { 'src/add.py': reaching(attempt) };
    expect((await attested(jobOf(packOf(apart()), work))).result).toBe('FAIL');
    const isOpen = !existsSync('/proc/sys/kernel/yama/ptrace_scope');
    if (isOpen)
      expect((await attested(jobOf(packOf(apart(DRIVER.replace(CLOSED, ''))), work))).result).toBe(unclosed);
  });

  it('is passed by work that replaces the assertions of tests which import it, as the specification says', async () => {
    const work =
      "import assert from 'node:assert';\nassert.strictEqual = () => {};\nexport const add = () => 0;\n";
    expect((await attested(jobOf(packOf(), { 'src/add.mjs': work }))).result).toBe('PASS');
    const page = readFileSync(join(import.meta.dirname, '../../spec/attestation.md'), 'utf8');
    expect(page).toContain('Work in the process of the tests can do whatever the tests can.');
  });

  it('C10 is not passed where a listed test is missing, or there twice', async () => {
    const missing = packOf({ verification: { tests: [...TAP.tests, 'is fast'] } });
    expect(await attested(jobOf(missing, GOOD))).toMatchObject({
      result: 'FAIL',
      tests: { listed: 3, passed: 2, failed: 0, missing: 1 },
      reason: '2 of 3 listed tests passed; "is fast" is not in the report.',
    });
    const again = `${NODE_TEST['test/add.test.mjs']}test('adds two numbers', () => {});\n`;
    expect(await attested(jobOf(packOf({ tests: { 'test/add.test.mjs': again } }), GOOD))).toMatchObject({
      result: 'FAIL',
      reason: '1 of 2 listed tests passed; "adds two numbers" is in the report more than once.',
    });
  });

  it('C10 is not passed where all listed tests passed and the runner was not content', async () => {
    const more = `${NODE_TEST['test/add.test.mjs']}test('is not listed', () => assert.fail());\n`;
    expect(await attested(jobOf(packOf({ tests: { 'test/add.test.mjs': more } }), GOOD))).toMatchObject({
      result: 'FAIL',
      reason: 'All 2 listed tests passed, but the command ended with 1.',
    });
  });

  it('C10 is not passed by skipped tests', async () => {
    const skips = NODE_TEST['test/add.test.mjs']?.replace(
      "test('adds two numbers',",
      "test.skip('adds two numbers',",
    );
    for (const pack of [{}, JUNIT])
      expect(
        await attested(jobOf(packOf({ ...pack, tests: { 'test/add.test.mjs': skips ?? '' } }), GOOD)),
      ).toMatchObject({ result: 'FAIL', tests: { passed: 1, failed: 1 } });
  });
});
