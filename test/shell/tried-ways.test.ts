// How each attempt of a line ended: a failure is its own, was seen, or is not known.
import { describe, expect, it } from 'vitest';
import { completeChecks, readCommand, triedBy } from '../../src/shell/index.ts';

const U = 'http://127.0.0.1:9/doc';
const PYTHON = `python3 -c "import urllib.request as u; print(u.urlopen('${U}').read())"`;

/** What was tried to get at the page or file, and whether it is known to have failed. */
function ends(line: string, exit: number, output = ''): string[] {
  const read = readCommand(line, { root: '/w', cwd: '/w', changed: [] });
  const checks = completeChecks(read, { output, exit, tests: null });
  return triedBy(read.attempts, { line, output, exit, checks })
    .filter(({ capability }) => capability !== 'run')
    .map(({ way, ok }) => `${way} ${exit === 0 && ok !== false ? 'had' : 'failed'}`);
}

describe('B4b an attempt', () => {
  it.each([
    [`curl -s ${U}; false`, 1, ''],
    [`wget -q -O- ${U}; exit 7`, 7, ''],
    [`curl -s ${U} | grep -q nothere && true`, 1, ''],
    [`${PYTHON}; false`, 1, 'hello'],
    [`curl --bad-flag ${U}`, 2, 'curl: option --bad-flag: is unknown'],
    [`wget --bad-flag ${U}`, 2, "wget: unrecognized option '--bad-flag'"],
    [`curl --bad-flag ${U} 2>&1 | head`, 0, 'curl: option --bad-flag: is unknown'],
    [`python3 -c "import sys; sys.exit(1) # ${U}"`, 1, ''],
    [`python3 -c "import sys; sys.exit(1); '${U}'"`, 1, ''],
    [`nosuchtool ${U}`, 127, 'bash: nosuchtool: command not found'],
    [`lynx ${U}`, 127, ''],
    ['cat src/nope.js; false', 1, 'text'],
    ['cat src/nope.js 2>/dev/null; true', 0, ''],
  ])('is none, or of an end that nobody knows: %s', (line, exit, output) => {
    expect(ends(line, exit, output).filter((end) => !end.startsWith('grep'))).toEqual([]);
  });

  it.each([
    [`curl -sf ${U}`, 7, '', 'curl failed'],
    [`cd docs && curl -sf ${U}`, 7, '', 'curl failed'],
    [`timeout 9 wget -q ${U}`, 4, '', 'wget failed'],
    [`curl ${U}; wget -q ${U}`, 4, 'curl: (7) Failed to connect', 'curl failed,wget failed'],
    [`curl -sS ${U} | jq .`, 5, 'curl: (7) Failed to connect', 'curl failed'],
    [PYTHON, 1, 'Traceback (most recent call last):', 'python3 failed'],
    [`${PYTHON} || true`, 0, 'Traceback (most recent call last):', 'python3 failed'],
    ['cat src/nope.js; true', 0, 'cat: src/nope.js: No such file or directory', 'cat failed'],
    ['ls src/nope.js || true', 0, "ls: cannot access 'src/nope.js'", 'ls failed'],
    ['cat a.js; cat b.js; true', 0, 'cat: b.js: No such file or directory', 'cat had,cat failed'],
    [`curl -s ${U}`, 0, 'curl: command not found, explained', 'curl had'],
    // What is not installed, among others that are.
    [
      'cat a.py | head -1; /opt/bin/sqlite3 b.db .schema',
      0,
      'text\nbash: line 1: sqlite3: command not found\n',
      'cat had',
    ],
    // Nothing came out that has what was looked for.
    ['env | grep -i -E "database|pg"; ls -a', 0, '.\n.git\nREADME.md\n', 'grep failed'],
    ['env | grep -i -E "database|pg"; ls -a', 0, 'PGHOST=db\n.git\n', 'grep had'],
    ['env | grep -ciE "database|pg"; ls -a', 0, '1\n.git\n', 'grep had'],
    ['env | grep -i pg | wc -l; ls -a', 0, '1\n.git\n', 'grep had'],
    ['cat a.js | head -3', 0, 'text', 'cat had'],
  ])('fails by its own end, or by what it says: %s', (line, exit, output, expected) => {
    expect(ends(line, exit, output).join()).toBe(expected);
  });
});
