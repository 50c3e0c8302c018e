// unittest, and Python's own words for a test.
import { type Language, type Mark, SYNTAXES } from '../language.ts';
import * as pytest from './pytest.ts';

const marks: readonly Mark[] = [
  ['suite', /^\s*class\s+(?<name>\w+)/],
  ['test', /^\s*(?:async\s+)?def\s+(?<name>test\w*)\s*\(/],
  ['declaration', /^\s*(?:async\s+)?def\s+(?<name>(?!test)\w+)\s*\(/],
  ['skip-next', /^\s*@(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b/],
  ['skip-file', /^raise\s+(?:unittest\.)?SkipTest/],
  ['skip-here', /^\s+(?:self\.skipTest\s*\(|raise\s+(?:unittest\.)?SkipTest)/],
  ['assert', /\bself\.(?:assert|fail)\w*\s*\(|\.assert_\w+\s*\(|\bassert_\w+\s*\(/],
  ['table', /\bsubTest\s*\(|@parameterized\b/],
];

export const language: Language = {
  syntax: SYNTAXES.python,
  marks: [...marks, ...pytest.marks],
  trivial:
    /^\s*assert\s*\(?\s*(?:True|1|not False|1\s*==\s*1|True\s*(?:==|is)\s*True)\s*\)?\s*(?:,.*)?$|\bself\.assertTrue\(\s*True\s*[,)]/,
};
