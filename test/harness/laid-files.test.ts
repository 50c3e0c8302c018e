// C10: what of the artifacts the tests get, and that the pack's own files win.
import { describe, expect, it } from 'vitest';
import { layFiles, steers } from '../../src/harness/laid-files.ts';
import { treeFiles } from './attest-jobs.ts';

describe('C10 files for the tests', () => {
  it.each(
    [
      ...[
        'package.json',
        'src/package.json',
        'tsconfig.json',
        'jsconfig.base.json',
        'vitest.config.ts',
        'Makefile',
      ],
      ...[
        'conftest.py',
        'src/conftest.py',
        'pytest.ini',
        'tox.ini',
        'setup.cfg',
        'pyproject.toml',
        'setup.py',
      ],
      ...['sitecustomize.py', 'usercustomize.py', 'x.pth', 'build.rs', 'Cargo.toml', 'go.mod', 'pom.xml'],
      ...['.npmrc', '.mocharc.json', '.env', '.cargo/config.toml', 'src/.babelrc', '.github/x'],
      ...['node_modules/x/index.js', 'src/Node_Modules/.bin/x', 'node_modules/.bin/jest'],
      ...['src/add.test.mjs', 'test_add.py', 'add_test.go', 'AddTest.java', 'src/__tests__/a.js'],
      ...['pytest.py', 'json.py', 'unittest/__init__.py', 'Subprocess.PY', '_pytest/x.py'],
      ...['test/ctypes.pyc', 'tests/data.json', 'pkg/Test/unittest.so', 'e2e/x.wasm'],
    ].map((path) => [path]),
  )('leave out %s', (path) => {
    expect(steers(path)).toBe(true);
  });

  it.each([
    ['src/add.mjs'],
    ['src/json.py'],
    ['json/data.json'],
    ['shop/unittest_helpers.py'],
    ['lib/latest.py'],
    ['README.md'],
    ['src/contest.js'],
    ['src/attest/run.ts'],
    ['dist/main.js'],
    ['data/protest.csv'],
  ])('take %s', (path) => {
    expect(steers(path)).toBe(false);
  });

  it('are artifacts, then the project files of the pack over them, verification last', () => {
    const pack = treeFiles({
      'manifest.json': '{}',
      'config/tool-policy.json': '{}',
      'env/variables.json': '{}',
      'static/AGENTS.md': 'pack',
      'static/both.txt': 'static',
      'verification/both.txt': 'verification',
      'verification/test/a.test.js': 'pack',
      'verification/package.json': 'pack',
    });
    const artifacts = treeFiles({
      'AGENTS.md': 'work',
      'package.json': 'work',
      'src/a.js': 'work',
      'src/package.json': 'work',
      'test/a.test.js': 'work',
      'test/b.test.js': 'work',
    });
    const { files, leftOut } = layFiles(pack, artifacts);
    expect(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()])).toEqual([
      ['AGENTS.md', 'pack'],
      ['both.txt', 'verification'],
      ['package.json', 'pack'],
      ['src/a.js', 'work'],
      ['test/a.test.js', 'pack'],
    ]);
    expect(leftOut).toBe(2);
  });

  it('are refused where both could not lie in one folder', () => {
    const pack = treeFiles({ 'verification/checks/a.js': '' });
    for (const path of ['checks', 'Checks/b.js', 'checks/A.js'])
      expect(() => layFiles(pack, treeFiles({ [path]: '' }))).toThrow(
        /^the artifacts do not fit the pack's files/,
      );
  });
});
