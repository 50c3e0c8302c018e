// pytest.
import type { Mark } from '../language.ts';
import type { TestConfig } from '../test-config.ts';

export const marks: readonly Mark[] = [
  ['skip-next', /^\s*@(?:pytest\.)?mark\.(?:skip|skipif|xfail)\b/],
  [
    'skip-file',
    /^pytestmark\b[^#]*\b(?:skip|skipif|xfail)\b|^(?:pytest\.(?:skip|xfail)\s*\(|__test__\s*=\s*False)/,
  ],
  ['skip-here', /^\s+(?:pytest\.(?:skip|xfail)\s*\(|__test__\s*=\s*False)/],
  ['assert', /^\s*assert\b|\bpytest\.(?:raises|warns|fail)\b/],
  ['table', /@pytest\.mark\.parametrize\b/],
];

export const config: TestConfig = {
  names: 'pytest\\.ini|\\.pytest\\.ini|setup\\.cfg|pyproject\\.toml|conftest\\.py|\\.coveragerc',
  members: [
    [/^/, /^addopts$/, 'options'],
    [/^/, /^fail_under$/, 'threshold'],
    [/^/, /^(?:norecursedirs|collect_ignore)$/, 'leaves-out'],
  ],
  lines: [
    ['deselect', /(^|\/)conftest\.py$/, /\bcollect_ignore(?:_glob)?\b|\bdef\s+pytest_ignore_collect\b/],
    [
      'deselect',
      /(^|\/)conftest\.py$/,
      /\badd_marker\(.{0,40}\b(?:skip|xfail)\b|\bitems(?:\[:\]\s*=|\.(?:remove|clear|pop)\()/,
    ],
  ],
};
