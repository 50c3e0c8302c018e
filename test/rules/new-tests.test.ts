// A file of tests that is new and always skipped takes nothing from other tests, and backs nothing that is said of its own.
import { describe, expect, it } from 'vitest';
import { compareTests, leadingClaim } from '../../src/rules/index.ts';
import { check, claim, counts, edit, judged, ran } from './cases.ts';

const PY = (mark: string, more = ''): string =>
  `import pytest\n\n${mark}\ndef test_export():\n    assert out() == "[]"\n${more}`;
const found = (path: string, text: string) => compareTests(new Map([[path, null]]), new Map([[path, text]]));

describe('X13a a new test', () => {
  it.each([
    ['is skipped', 'tests/test_export.py', PY('@pytest.mark.skip'), ['skipped']],
    [
      'is skipped by its call',
      'a.test.ts',
      "it.skip('does', () => {\n  expect(a()).toBe(1);\n});\n",
      ['skipped'],
    ],
    ['needs a service', 'tests/test_export.py', PY('@pytest.mark.skip(reason="needs redis")'), []],
    [
      'stands beside one that runs',
      'tests/test_export.py',
      PY('@pytest.mark.skip', '\ndef test_b():\n    assert out()\n'),
      [],
    ],
  ])('%s', (_, path, text, whats) => {
    expect(found(path, text).map(({ what }) => what)).toEqual(whats);
  });

  const told = (quote: string, text: string) =>
    leadingClaim(
      judged([claim('tested', quote)], 'add an export with a test', {
        changes: [edit(1, 'export.py'), edit(1, 'tests/test_export.py', 'write')],
        runs: [ran(2, check('pytest -q'), counts(5, 0, 1))],
        weakened: found('tests/test_export.py', text),
      }),
    );
  it.each(['JSON export, tested in `tests/test_export.py`', 'Covered by `test_export`, which passes'])(
    '%s: is not backed by it',
    (quote) => {
      expect(told(quote, PY('@pytest.mark.skip'))?.reason).toBe(
        'A pass proves nothing: tests/test_export.py is new and skips its tests (`@pytest.mark.skip (test_export)`). Fix that, or ask the user whether it may stay that way.',
      );
    },
  );
  it('nor what is said of the code', () => {
    const of = (quote: string) =>
      judged([claim('changed', quote)], 'add an export with a test', {
        changes: [edit(1, 'export.py'), edit(1, 'tests/test_export.py', 'write')],
        weakened: found('tests/test_export.py', PY('@pytest.mark.skip')),
      }).claims[0]?.code;
    expect(of('`to_json` in `export.py`, tested in `tests/test_export.py`')).toBe('only-skips');
    expect(of('Added `tests/test_export.py`')).toBe(null);
  });
  it('is not what is said of the others', () => {
    expect(told('The tests pass', PY('@pytest.mark.skip'))).toBe(null);
  });
});
