// The walk is held against bash itself: lines made at random, in which the run of pytest always fails. Where bash ends such
// a line with 0, nobody may say that the exit code is the run's own.
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readCommand } from '../../src/shell/index.ts';

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

/** What can write to a variable, to the options or to the course of the line without looking like it. */
const sly = fc.constantFrom(
  'unset rc',
  'read rc <<< 0',
  'read -r a rc <<< "1 0"',
  'echo 0 | read rc',
  'mapfile -t rc <<< 0',
  "mapfile -C 'rc=0;:' -c 1 x <<< a",
  '((rc=0))',
  '((rc--))',
  'let rc=0',
  ': $((rc=0))',
  'echo $[rc=0]',
  "x='rc=0'",
  ': $((x))',
  '[[ x -eq 0 ]]',
  '[[ rc=0 -eq 0 ]]',
  ': $' + '{a[rc=0]}',
  'a[rc=0]=1',
  'printf -v rc 0',
  'rc=(0)',
  'rc+=0',
  'rc=256',
  'rc=-1',
  '[ $rc -gt 0 ]',
  'x=$rc',
  'rc=$x',
  'exit $x',
  'for rc in 0; do :; done',
  'for ((rc=0;rc<0;rc++)); do :; done',
  'select rc in 0; do break; done <<< 1',
  'coproc rc { :; }',
  'local rc',
  'local rc=$?',
  'declare rc=0',
  'declare -i x',
  'declare -n x=rc',
  'readonly rc',
  'x=0',
  'IFS=1',
  'eval "$(echo rc=0)"',
  'eval "$(echo exit 0)"',
  '$(echo unset) rc',
  '. /dev/stdin <<< rc=0',
  'builtin exit 0',
  'command unset rc',
  'enable -n exit',
  'shopt -uo pipefail',
  'shopt -uo errexit',
  "trap 'rc=0' DEBUG",
  "trap 'exit 0' ERR",
  'trap done EXIT; done() { exit 0; }',
  "trap 'rc=$?; exit $rc' EXIT",
  'g() { rc=0; }',
  'g() { pytest; }',
  'g',
  'unset -f g',
  'bash -c g',
);

const { line } = fc.letrec<{ line: string; node: string }>((tie) => {
  const node = tie('node');
  const some = tie('line');
  return {
    node: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      { weight: 3, arbitrary: simple },
      sly,
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

/** An exit code that is kept in a variable while something sly happens. */
const short = fc
  .tuple(
    fc.array(sly, { maxLength: 2 }),
    fc.constantFrom(
      'pytest; rc=$?',
      'rc=0; pytest || rc=$?',
      'rc=0; pytest || rc=1',
      'pytest',
      'pytest | cat',
    ),
    fc.array(
      fc.oneof(
        sly,
        fc.tuple(sly, sly).map(([a, b]) => `for i in 1 2; do ${a}; ${b}; done`),
      ),
      {
        maxLength: 2,
      },
    ),
    fc.constantFrom('exit $rc', 'exit "$rc"', '[ $rc -eq 0 ]', 'exit $?', '[ $rc -ne 0 ] && exit 1; true'),
  )
  .map(([before, run, between, end]) => [...before, run, ...between, end].join('; '));

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
  const lines = fc.sample(fc.oneof(line, short), {
    numRuns: Number(process.env.FOIL_BASH_LINES ?? 300),
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
