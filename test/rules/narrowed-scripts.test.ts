// Scripts and targets that run fewer tests than before, or whose failure no longer counts, by runner.
import { describe, expect, it } from 'vitest';
import { compareTests } from '../../src/rules/index.ts';

function told(path: string, before: string, after: string): string[] {
  return compareTests(new Map([[path, before]]), new Map([[path, after]])).map(({ what }) => what);
}

const withScripts = (scripts: Readonly<Record<string, string>>): string =>
  JSON.stringify({ scripts }, null, 2);
const script = (before: string, after: string): string[] =>
  told('package.json', withScripts({ test: before }), withScripts({ test: after }));

describe('X13a a test script that was narrowed', () => {
  it.each([
    ['node --test', 'node --test --test-name-pattern=adds'],
    ['node --test', 'node --test --test-skip-pattern adds'],
    ['node --test', 'node --test --test-only'],
    ['node --test', 'node --test test/a.test.js'],
    ['vitest run', 'vitest run -t adds'],
    ['vitest run', 'tsc && cross-env CI=1 vitest run -t adds'],
    ['vitest run', 'vitest run --shard=1/2'],
    ['jest', 'jest -t adds'],
    ['jest', 'jest --onlyChanged'],
    ['jest', 'jest test/a.test.js'],
    ['mocha', 'mocha -g adds'],
    ['mocha', 'mocha --grep adds --invert'],
    ['pytest', 'pytest -k adds'],
    ['go test ./...', 'go test -run TestAdd ./...'],
  ])('%s → %s', (before, after) => {
    expect(script(before, after)).toEqual(['deselected']);
  });

  it.each([
    ['node --test', 'node --test test/'],
    ['node --test', "node --test 'test/**/*.test.js'"],
    ['vitest run -t adds', 'vitest run'],
    ['vitest run --project unit', 'vitest run --project unit --project e2e'],
    ['vitest run', 'vitest run --project unit && vitest run --project e2e'],
    ['pytest', 'pytest -m slow && pytest -m "not slow"'],
    ['jest', 'jest --ci --runInBand --testTimeout 5000'],
    ['mocha', 'mocha -R spec --timeout 5000'],
    ['vitest run', "vitest run --exclude 'dist/**'"],
  ])('but not %s → %s', (before, after) => {
    expect(script(before, after)).toEqual([]);
  });

  it('but not a new script beside it', () => {
    const before = withScripts({ test: 'vitest run' });
    const after = withScripts({ test: 'vitest run', 'test:fast': 'vitest run -t fast --exclude slow' });
    expect(told('package.json', before, after)).toEqual([]);
  });

  it('and a target, over several lines too', () => {
    expect(told('Makefile', 'test:\n\tpytest\n', 'test:\n\tpytest \\\n\t  -k fast\n')).toEqual([
      'deselected',
    ]);
    expect(told('Makefile', 'test:\n\tpytest\n', 'test:\n\truff check\n\tpytest\n\t@echo done\n')).toEqual(
      [],
    );
  });
});

describe('X13a a test script whose failure does not count', () => {
  it.each([
    'node --test | cat',
    'node --test & wait',
    'node --test || node -e 0',
    'node --test; true',
    'if node --test; then :; fi',
  ])('%s', (after) => {
    expect(script('node --test', after)).toEqual(['loosened']);
  });

  it.each(['node --test || exit 1', 'node --test && echo ok', 'tsc; node --test'])('but not %s', (after) => {
    expect(script('node --test', after)).toEqual([]);
  });
});
