// unittest, and Python's own words for a test.
import { add, behind, keep, type LineReader, n, type Output, take } from '../report.ts';
import { type Language, type Mark, PYTHON, type Traits } from '../runner.ts';
import { type Found, type Reader, readOptions, type Table, type Tool } from '../tool.ts';
import * as pytest from './pytest.ts';

const UNITTEST: Tool = {
  kind: 'test',
  runner: 'unittest',
  values: '-t --top-level-directory --durations',
  flags: '-v -q -f -b -c --verbose --quiet --failfast --buffer --catch --locals',
  selectors: '-k',
  targets: '-s --start-directory',
};

/** `tests.test_a.TestX.test_b`: modules are files; what begins with a capital or `test_` after them is a name. */
const unittest: Reader = (args) => {
  const discovers = args.includes('discover');
  const pattern: Tool = { ...UNITTEST, selectors: '-k -p --pattern' };
  const read = readOptions(
    pattern,
    args.filter((arg) => arg !== 'discover'),
  );
  const wide = read.selectors.filter((word) => word !== 'test*.py' && word !== 'test_*.py');
  if (discovers) return { ...read, selectors: wide, targets: read.targets.filter((path) => path !== '.') };
  return withModules({ ...read, selectors: wide });
};

export function withModules(read: Found): Found {
  const targets: string[] = [];
  const selectors = [...read.selectors];
  for (const word of read.targets) {
    const { path, name } = moduleOf(word);
    if (path !== '') targets.push(path);
    if (name !== '') selectors.push(name);
  }
  return { ...read, targets: [...new Set(targets)], selectors };
}

function moduleOf(word: string): { path: string; name: string } {
  if (word.includes('/') || word.endsWith('.py')) return { path: word, name: '' };
  const parts = word.split('.');
  const at = parts.findIndex(
    (part, index) =>
      /^[A-Z]/.test(part) ||
      (index > 0 &&
        index === parts.length - 1 &&
        /^test_/.test(part) &&
        /^[A-Z]/.test(parts[index - 1] ?? '')),
  );
  const modules = at < 0 ? parts : parts.slice(0, at);
  return { path: modules.join('/'), name: at < 0 ? '' : parts.slice(at).join('.') };
}

export const programs = (): Table => ({ unittest });

// Ran 5 tests in 0.001s
// FAILED (failures=1, errors=1, skipped=1)
const read: LineReader = (line, report) => {
  const ran = /^Ran (\d{1,9}) tests? in [\d.]+s$/.exec(line);
  if (ran) return keep(report, 'unittest', n(ran[1]));
  const status = /^(OK|FAILED|NO TESTS RAN)(?: \(([a-z= ,\d]*)\))?$/.exec(line);
  if (!status || !report.waiting.has('unittest')) return false;
  const total = take(report, 'unittest');
  const text = status[2] ?? '';
  const bad = behind(text, 'failures') + behind(text, 'errors') + behind(text, 'unexpected successes');
  const failed = status[1] === 'FAILED' ? Math.max(1, bad) : 0;
  const skipped = behind(text, 'skipped') + behind(text, 'expected failures');
  return add(report, 'unittest', total - failed - skipped, failed, skipped, total);
};

export const outputs: readonly Output[] = [{ signs: ['Ran '], read }];

export const traits: readonly Traits[] = [
  {
    name: 'unittest',
    finds: true,
    module: 'unittest',
    failing: ['FAILED (failures=1)'],
    once: /^Ran \d+ tests? in /,
    depth: 3,
  },
];

const marks: readonly Mark[] = [
  ['suite', /^\s*class\s+(?<name>\w+)/],
  // No runner takes a class of another name, unless it is one of unittest's.
  ['skip-own', /^\s*class\s+(?!Test)\w+(?=\s*:)/],
  ['test', /^\s*(?:async\s+)?def\s+(?<name>test\w*)\s*\(/],
  ['declaration', /^\s*(?:async\s+)?def\s+(?<name>(?!test)\w+)\s*\(/],
  ['skip-next', /^\s*@(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b/],
  ['skip-file', /^raise\s+(?:unittest\.)?SkipTest/],
  ['skip-here', /^\s+(?:self\.skipTest\s*\(|raise\s+(?:unittest\.)?SkipTest)/],
  ['assert', /\bself\.(?:assert|fail)\w*\s*\(|\.assert_\w+\s*\(|\bassert_\w+\s*\(/],
  ['table', /\bsubTest\s*\(|@parameterized\b/],
];

export const language: Language = {
  syntax: PYTHON,
  marks: [marks, pytest.marks],
  defeats: pytest.defeats,
  knowsTests: [
    /^([ \t]*)if\s[^\n]{0,80}(?:["'](?:pytest|unittest)["'] in sys\.modules|PYTEST_CURRENT_TEST)[^\n]{0,80}:(?:[ \t]*|\n(?:\1[ \t]+[^\n]{1,200}\n){0,4}\1[ \t]+)return\s+(?!None\b)\S/m,
    /\breturn\s[^\n]{1,80}\bif\s[^\n]{0,60}(?:["'](?:pytest|unittest)["'] in sys\.modules|PYTEST_CURRENT_TEST)/,
    /^[ \t]*if\s[^\n]{0,80}(?:sys\.argv\[0\]|inspect\.stack\(|_getframe\(|traceback\.)[^\n]{0,60}test/m,
  ],
  replaces: [
    /\bsys\.modules\[\s*["']([\w.]+)["']\s*\]\s*=(?!=)/,
    /\b(?:monkeypatch\.setattr|patch\.object)\(\s*(\w+),\s*["'](\w+)["']/,
    /\b(?:monkeypatch\.setattr|patch)\(\s*["'](?:\w+\.)*(\w+)\.(\w+)["']/,
    /^[ \t]*(?!self\.|cls\.)(?:\w+\.)*(\w+)\.(\w+)\s*=\s*(?:lambda\b|(?:mock\.)?(?:Magic)?Mock\b)/m,
    // Another module's function is called by that name; a constant is a setting.
    /^[ \t]*(?!self\.|cls\.)(?:\w+\.)*(\w+)\.((?![A-Z\d_]+\b)\w+)[ \t]*=[ \t]*(?:\w+\.)+[a-z]\w*[ \t]*$/m,
    /^[ \t]+(?<made>\w+)\s*=\s*(?:lambda\b|(?:mock\.)?(?:Magic)?Mock\b)/m,
    /^[ \t]+def\s+(?<made>\w+)\((?!self|cls)/m,
    /(?:\bmonkeypatch\.setitem\(\s*globals\(\)\s*,\s*|\bglobals\(\)\[\s*)["'](?<made>\w+)["']/,
  ],
  skippedCase: /\bmarks\s*=[^=]*\b(?:skip|skipif|xfail)\b/,
  trivial:
    /^\s*assert\s*\(?\s*(?:True|1|not False|1\s*==\s*1|True\s*(?:==|is)\s*True)\s*\)?\s*(?:,.*)?$|\bself\.assertTrue\(\s*True\s*[,)]/,
};
