// What sort of file a path names. Each line is one path and what must hold of it.
import { describe, expect, it } from 'vitest';
import {
  isCache,
  isCode,
  isData,
  isDocument,
  isGenerated,
  isTestConfig,
  isTestFile,
} from '../../src/ecosystems/file-kinds.ts';

describe('B6 documents, caches and build output are not code', () => {
  it.each([
    'README.md',
    'README',
    'docs/guide.mdx',
    'LICENSE',
    'CHANGELOG',
    'CHANGELOG.md',
    'NOTES.txt',
    'docs/a.rst',
    'logo.PNG',
    'assets/a.svg',
    'spec/ledger.md',
    '.gitignore',
    'docs\\guide.md',
    'notes.md.1',
  ])('document: %s', (path) => {
    expect([isDocument(path), isCode(path)]).toEqual([true, false]);
  });

  it.each([
    'node_modules/a/index.js',
    'pkg/__pycache__/a.cpython-312.pyc',
    '.pytest_cache/v/cache/lastfailed',
    '.git/index',
    'npm-debug.log',
    'a.py~',
  ])('cache: %s', (path) => {
    expect([isCache(path), isCode(path)]).toEqual([true, false]);
  });

  it.each([
    'dist/index.js',
    'packages/a/dist/index.js',
    'target/debug/app',
    'coverage/lcov.info',
    'c.out',
    'pkg/cover.out',
    'cpu.prof',
    'app.cpuprofile',
    'a/b.o',
    '.next/x.js',
  ])('build output: %s', (path) => {
    expect([isGenerated(path), isCode(path)]).toEqual([true, false]);
  });

  it.each([
    'src/a.ts',
    'src/profile.json',
    'testdata/want.out',
    'Makefile',
    'requirements.txt',
    'requirements-dev.txt',
    'CMakeLists.txt',
    'src/build/plan.ts',
    'lib/target/x.rb',
    'tests/fixtures/expected.txt',
    'test/__snapshots__/a.md',
    'package-lock.json',
    '.env',
    'Dockerfile',
    'a.md.ts',
    'readme.py',
    'src/readme/index.ts',
    'licenses.go',
  ])('code: %s', (path) => {
    expect(isCode(path)).toBe(true);
  });

  it('an empty path is nothing', () => {
    expect(isCode('')).toBe(false);
  });
});

describe('X13a tests and what configures them', () => {
  it.each([
    'src/a.test.ts',
    'a.spec.jsx',
    'pkg/parser_test.go',
    'tests/test_a.py',
    'test_a.py',
    'tests/helpers.py',
    'conftest.py',
    'spec/models/user_spec.rb',
    'src/test/java/org/ParserTest.java',
    'ParserTests.cs',
    'ParserIT.java',
    'TestParser.java',
    'app/tests.py',
    '__tests__/a.js',
    'test/a.bats',
    'a/__snapshots__/x.test.ts.snap',
    'cypress/e2e/a.cy.ts',
  ])('test: %s', (path) => {
    expect(isTestFile(path)).toBe(true);
  });

  it.each([
    'src/contest.ts',
    'src/latest.py',
    'attestation.go',
    'src/Latest.java',
    'docs/test.md',
    'tests/fixtures/a.py',
    'src/inspect.ts',
    'src/EXIT.java',
    'src/unit.ts',
  ])('no test: %s', (path) => {
    expect(isTestFile(path)).toBe(false);
  });

  it.each([
    'package.json',
    'jest.config.js',
    'vitest.config.ts',
    'vite.config.mts',
    'pytest.ini',
    'pyproject.toml',
    'setup.cfg',
    'tox.ini',
    'tests/conftest.py',
    '.mocharc.yml',
    'phpunit.xml.dist',
    'Cargo.toml',
    'pom.xml',
    'Makefile',
    '.rspec',
    'sub/package.json',
    'App.Tests.csproj',
  ])('test configuration: %s', (path) => {
    expect(isTestConfig(path)).toBe(true);
  });

  it.each(['config.json', 'src/jest.ts', 'mypackage.json', 'tsconfig.json'])(
    'no test configuration: %s',
    (path) => {
      expect(isTestConfig(path)).toBe(false);
    },
  );

  it('data is what has no comments and configures nothing', () => {
    expect(['data/a.json', 'b.csv', 'yarn.lock'].every(isData)).toBe(true);
    expect(['package.json', 'tsconfig.json', 'a.yaml', 'a.ts', 'tsconfig.base.json'].some(isData)).toBe(
      false,
    );
  });
});
