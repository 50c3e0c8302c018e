// The words by which tools' ends are known, on output that is made to keep a pattern busy.
import { expect, it } from 'vitest';
import { ends, traitsOf } from '../../src/ecosystems/index.ts';

const PIECES =
  'a| |\t|1|1 |[|[1/1|: |:1:|: error |. |.|-|- |=|(|✖ 1/|NX Ran target |Script |Found 1 of |* |  1 skipped\n    \n| \n|\n|    a\n  1 flaky\n|1 file inspected, 1 offense detected, 1 offenses |Tasks: 1 |FAIL ...|not ok # |webpack |: Executed 1 of 1 |1 specs, '.split(
    '|',
  );

it('B4a the patterns of ends are linear', () => {
  const names = ['playwright', 'swift test', 'pants test', 'uvu', 'meson test', 'automake', 'tap', 'karma'];
  const all = [...ends(), ...names.flatMap((name) => traitsOf(name) ?? [])];
  const patterns = all.flatMap(({ good, bad, first, silent }) =>
    [good, bad, first, silent].flatMap((each) => each ?? []),
  );
  expect(patterns.length).toBeGreaterThan(60);
  // What takes the square of this length would not end in time.
  for (const piece of PIECES) {
    const text = piece.repeat(Math.ceil(40_000 / piece.length));
    for (const pattern of patterns) expect(pattern.test(`${text}\u0000`)).toBeTypeOf('boolean');
  }
});
