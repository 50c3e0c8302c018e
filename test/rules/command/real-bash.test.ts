// The walk is held against bash itself: lines made at random, in which the run of pytest always fails. Where bash ends such
// a line with 0, nobody may say that the exit code is the run's own.
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readCommand } from '../../../src/rules/index.ts';

const simple = fc.constantFrom(
  'pytest',
  'pytest',
  'pytest',
  'jest',
  'true',
  'false',
  'echo x',
  'exit 0',
  'exit 1',
  'exit',
  'exit $?',
  'exit $rc',
  'return 0',
  'return 1',
  'pytest || exit 1',
  'pytest || return 1',
  'pytest || rc=$?',
  'pytest || rc=1',
  'pytest | cat',
  'pytest && echo ok',
  'return',
  'rc=$?',
  'rc=0',
  'rc=1',
  'rc=$(pytest)',
  'x=$(pytest; true)',
  'echo $(pytest)',
  'set -e',
  'set +e',
  'set -o pipefail',
  'set +o pipefail',
  'set -euo pipefail',
  '[ $? -eq 0 ]',
  '[ $? -ne 0 ]',
  'test "$rc" -eq 0',
  '[[ $? == 0 ]]',
  '(( rc == 0 ))',
  `[ \${PIPESTATUS[0]} -eq 0 ]`,
  `exit \${PIPESTATUS[1]}`,
  'wait',
  'wait $!',
  'break',
  "trap 'exit 0' EXIT",
  'trap true EXIT',
  'cd /',
  "eval 'pytest || true'",
  "eval 'pytest; rc=$?'",
  "bash -c 'exit 3'",
);

const { line } = fc.letrec<{ line: string; node: string }>((tie) => {
  const node = tie('node');
  const some = tie('line');
  return {
    node: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      simple,
      fc.tuple(node, fc.constantFrom(' && ', ' || ', ' | ', '; '), node).map((parts) => parts.join('')),
      fc.tuple(fc.constantFrom('', '! ', 'time '), node).map(([prefix, inner]) => `${prefix}{ ${inner}; }`),
      node.map((inner) => `! ${/^[a-z]+$/.test(inner) ? inner : `{ ${inner}; }`}`),
      some.map((inner) => `(${inner})`),
      some.map((inner) => `{ ${inner}; } &`).map((inner) => `{ ${inner} }`),
      fc.tuple(some, some, some).map(([a, b, c]) => `if ${a}; then ${b}; else ${c}; fi`),
      fc.tuple(some, some).map(([a, b]) => `if ${a}; then ${b}; fi`),
      fc
        .tuple(fc.constantFrom('1', '1 2', '$none'), some)
        .map(([words, a]) => `for i in ${words}; do ${a}; done`),
      fc.tuple(some, some).map(([a, b]) => `while ${a}; do ${b}; break; done`),
      fc
        .tuple(fc.constantFrom('x', 'y', '*'), some)
        .map(([pattern, a]) => `case x in ${pattern}) ${a};; esac`),
      // By its length, so that no function calls itself.
      some.map((inner) => `f${inner.length}() { ${inner}; }; f${inner.length}`),
    ),
    line: fc
      .array(node, { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('; ').replaceAll('&; ', '& ')),
  };
});

/** All lines in one bash, each in a subshell of its own; a line that bash can't parse says so. */
function bashEnds(lines: readonly string[]): number[] {
  const script = `pytest() { return 1; }\njest() { return 0; }\nexport -f pytest jest\nwhile IFS= read -r -d '' line; do (unset rc; eval "$line") >/dev/null 2>&1 </dev/null; echo $?; done`;
  const { stdout } = spawnSync('bash', ['-c', script], {
    input: lines.map((one) => `${one}\0`).join(''),
    encoding: 'utf8',
    timeout: 120_000,
  });
  return stdout.trim().split('\n').map(Number);
}

it('B4 never takes a line for the run’s own that bash ends with 0 although the run failed', () => {
  const lines = fc.sample(line, {
    numRuns: Number(process.env.FOIL_BASH_LINES ?? 400),
    seed: Number(process.env.FOIL_SEED ?? 7),
  });
  const ends = bashEnds(lines);
  expect(ends).toHaveLength(lines.length);
  const wrong: string[] = [];
  let clean = 0;
  for (const [at, one] of lines.entries()) {
    const { checks } = readCommand(one, { cwd: '/w', root: '/w' });
    const own = checks.some((check) => check.runner === 'pytest' && check.flaw === null);
    if (own) clean++;
    if (own && ends[at] === 0) wrong.push(one);
  }
  expect(wrong).toEqual([]);
  // Else the test would prove nothing.
  expect(clean).toBeGreaterThan(lines.length / 100);
});
