// Configuration that has tests load another file than the code they name, and configuration that only gives folders names.
import { describe, expect, it } from 'vitest';
import { compareTests } from '../../src/rules/index.ts';

function told(path: string, before: string | null, after: string): string[] {
  return compareTests(new Map([[path, before]]), new Map([[path, after]])).map(
    ({ what, lines }) => `${what}: ${lines.join(' | ')}`,
  );
}
const vitest = (alias: string): string =>
  `export default defineConfig({\n  test: {\n    ${alias}\n  },\n});\n`;
const jest = (members: string): string => `module.exports = {\n  ${members}\n};\n`;

describe('X13a a module that is redirected', () => {
  it.each([
    ['vitest.config.ts', vitest("alias: { '../src/sum.js': './test/fake-sum.js' },")],
    [
      'vitest.config.ts',
      vitest("alias: { '../src/sum.js': new URL('./other.js', import.meta.url).pathname },"),
    ],
    ['vite.config.ts', vitest("resolve: { alias: { '@/sum': path.resolve(__dirname, 'stubs/sum.ts') } },")],
    ['vitest.config.ts', vitest("alias: [{ find: /.*\\/sum\\.js$/, replacement: '/w/other.js' }],")],
    ['vitest.config.ts', vitest("alias: [{ find: '../src/sum.js', replacement: './other.js' }],")],
    ['jest.config.js', jest("moduleNameMapper: { '^\\\\.\\\\./src/sum$': '<rootDir>/test/sum-stub.js' },")],
    ['jest.config.js', jest("moduleNameMapper: { '^@/(.*)$': '<rootDir>/stubs/$1' },")],
    ['jest.config.js', jest("transform: { 'src/sum\\\\.js$': './other.js' },")],
    ['package.json', '{\n"imports": {\n"#sum": "./test/sum.js"\n}\n}'],
    ['package.json', '{\n"imports": {\n"#sum": {\n"test": "./src/sum.stub.js"\n}\n}\n}'],
    ['package.json', '{\n"jest": {\n"moduleNameMapper": {\n"./sum.js": "<rootDir>/other.js"\n}\n}\n}'],
    ['tsconfig.json', '{\n"compilerOptions": {\n"paths": {\n"@app/sum": ["./stubs/sum.ts"]\n}\n}\n}'],
  ])('%s: %s', (path, after) => {
    expect(told(path, '{}', after)).toEqual([expect.stringMatching(/^loosened: .*(?:\.js|\.ts|stubs)/)]);
    expect(told(path, null, after)).toHaveLength(1);
    expect(told(path, after, after)).toEqual([]);
  });

  it.each([
    ['vitest.config.ts', vitest("alias: { '@': path.resolve(__dirname, './src') },")],
    ['vitest.config.ts', vitest("alias: { '@/': new URL('./src/', import.meta.url).pathname },")],
    ['vitest.config.ts', vitest("alias: { 'server-only': './test/stubs/server-only.ts' },")],
    ['vitest.config.ts', vitest("alias: { vscode: './test/mocks/vscode.ts' },")],
    ['vitest.config.ts', vitest("alias: { './runtimeConfig': './runtimeConfig.browser' },")],
    ['vitest.config.ts', vitest("alias: { '@test': './test', '#fixtures': './test/fixtures/index.ts' },")],
    ['vitest.config.ts', vitest("setupFiles: ['./test/setup.ts'],")],
    ['vitest.config.ts', vitest("alias: [{ find: '@', replacement: '/w/src' }],")],
    ['jest.config.js', jest("moduleNameMapper: { '^@/(.*)$': '<rootDir>/src/$1' },")],
    ['jest.config.js', jest("moduleNameMapper: { '\\\\.(css|less)$': '<rootDir>/test/style-mock.js' },")],
    ['jest.config.js', jest("moduleNameMapper: { '^(\\\\.{1,2}/.*)\\\\.js$': '$1' },")],
    ['jest.config.js', jest("moduleNameMapper: { '^lodash-es$': 'lodash' },")],
    ['jest.config.js', jest("transform: { '^.+\\\\.tsx?$': 'ts-jest' },")],
    ['jest.config.js', jest("transform: { '^.+\\\\.js$': '<rootDir>/config/babel-transform.js' },")],
    ['package.json', '{\n"imports": {\n"#sum": "./src/math/sum.js",\n"#test-utils": "./test/utils.js"\n}\n}'],
    [
      'package.json',
      '{\n"imports": {\n"#db": {\n"node": "./src/db-node.js",\n"default": "./src/db.js"\n}\n}\n}',
    ],
    [
      'tsconfig.json',
      '{\n"compilerOptions": {\n"paths": {\n"@/*": ["./src/*"],\n"x": ["./stubs/x.d.ts"]\n}\n}\n}',
    ],
    ['package.json', '{\n"dependencies": {\n"fake": "./test/fake.js"\n}\n}'],
  ])('but not %s: %s', (path, after) => {
    expect(told(path, '{}', after)).toEqual([]);
    expect(told(path, null, after)).toEqual([]);
  });
});
