// What a run shows though it settles no claim: the other tests of a run in which one failed, and what a server sent.
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { judge, readContract } from '../../src/rules/index.ts';
import { completeChecks, readCommand } from '../../src/shell/index.ts';
import { check, claim, counts, edit, evidence, ran } from './cases.ts';

function verdict(
  message: string,
  quote: string,
  run = ran(5, check('pytest'), { ...counts(3, 1), code: 1 }),
) {
  return judge({
    claims: [claim('tested', quote)],
    message,
    disclosures: [],
    evidence: evidence({ changes: [edit(3, 'tests/test_a.py')], runs: [run] }),
    contract: readContract('start with the alerts', DEFAULT_POLICY),
    policy: DEFAULT_POLICY,
    project: { test: 'pytest', build: null, types: null, lint: null },
    since: 2,
  }).verdict;
}

describe('B4 the other tests of a run in which one failed', () => {
  it.each([
    ['`test_once` fails, as it should at this point. The other test passes.', 'The other test passes'],
    ['The new test is red for now. The remaining 3 tests pass.', 'The remaining 3 tests pass'],
    ['One test fails: `test_b`. All others pass.', 'All others pass'],
  ])('passed, where the message tells which one did not: %s', (message, quote) => {
    expect(verdict(message, quote)).toBe('pass');
  });

  it.each([
    ['no failure is told', 'Added the alert. The other tests pass.', 'The other tests pass'],
    ['none is said to fail', 'Nothing fails any more. The other tests pass.', 'The other tests pass'],
    ['more are said to pass than did', '`test_b` fails. The other 9 tests pass.', 'The other 9 tests pass'],
    ['all are said to pass', '`test_b` fails without the fix. All tests pass.', 'All tests pass'],
  ])('is held where %s', (_, message, quote) => expect(verdict(message, quote)).toBe('block'));

  it('is held where none passed', () => {
    const run = ran(5, check('pytest'), { ...counts(0, 1), code: 1 });
    expect(verdict('`test_b` fails. The other test passes.', 'The other test passes', run)).toBe('block');
  });
});

describe('B4 what a server of the line sent', () => {
  const URL = 'http://127.0.0.1:8080/no';
  const START = 'node server.js & pid=$!; sleep 1; ';
  const ends = (line: string, output: string) =>
    completeChecks(readCommand(line, { cwd: '/w', root: '/w' }), {
      output,
      exit: 0,
      tests: null,
      changed: [],
    });
  const statuses = (line: string, output: string) =>
    ends(line, output)
      .filter(({ kind }) => kind === 'http')
      .map(({ status }) => status);
  const CODE = `curl -s -o /dev/null -w '%{http_code}\\n' ${URL}`;

  it('the request that writes its status has it, and the one that shows the body has none', () => {
    const line = `${START}${CODE}; curl -s ${URL}; echo; kill $pid`;
    expect(statuses(line, '404\nnot found\n')).toEqual([404, null]);
    expect(statuses(line, '404\n200\n')).toEqual([null, null]);
    expect(statuses(line, 'not found\n')).toEqual([null, null]);
  });

  it('is told by who only asked, and not by who changed the code', () => {
    const end = (changes: string[]) =>
      judge({
        claims: [claim('checked', 'It sends `not found`')],
        message: 'It sends `not found`.',
        disclosures: [],
        evidence: evidence({
          changes: changes.map((path) => edit(3, path)),
          runs: [ran(5, ends(`${START}curl -s ${URL}; echo; kill $pid`, 'not found\n'), { tests: null })],
        }),
        contract: readContract('what does the server send for an unknown path?', DEFAULT_POLICY),
        policy: DEFAULT_POLICY,
        project: { test: null, build: null, types: null, lint: null },
        since: 2,
      }).verdict;
    expect(end([])).toBe('pass');
    expect(end(['server.js'])).toBe('block');
  });
});
