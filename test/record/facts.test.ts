// What is known of a call without its content.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { factsOf, outputText, sizes } from '../../src/record/facts/facts.ts';
import { MAX_PATH, MAX_PATHS, pathsOf } from '../../src/record/facts/paths.ts';

const ROOT = '/home/dev/proj';

describe('pathsOf', () => {
  it.each<[string, Json, string[]]>([
    ['a path in the workspace', { file_path: '/home/dev/proj/src/a.ts', content: '/etc/x' }, ['src/a.ts']],
    ['the same file named in another way', { filePath: './src/../src//a.ts' }, ['src/a.ts']],
    ['the workspace', { path: '/home/dev/proj/' }, ['.']],
    ['a path outside', { path: '../other/a.ts' }, ['/home/dev/other/a.ts']],
    ['a neighbour with a longer name', { path: '/home/dev/project/a' }, ['/home/dev/project/a']],
    ['several', { paths: ['a', 'b', 'a'], notebook_path: 'c.ipynb' }, ['a', 'b', 'c.ipynb']],
    [
      'a list of edits',
      { edits: [{ file_path: 'a.ts', old_string: 'x' }, { filePath: 'b.ts' }] },
      ['a.ts', 'b.ts'],
    ],
    ['a move', { source: 'a/b.txt', destination: 'c/b.txt' }, ['a/b.txt', 'c/b.txt']],
    ['a URL of a file', { uri: 'file:///home/dev/proj/a%20b.ts' }, ['a b.ts']],
    ['a home directory', { path: '~/x' }, ['~/x']],
    ['more dots than directories', { path: '/../../a' }, ['/a']],
    ['no path but a command', { command: 'cat /etc/passwd', description: 'path: /x' }, []],
    ['no file but a word', { source: 'startup', files: ['all'] }, []],
    ['no file but a page', { uri: 'https://example.com/a', path: 'https://example.com' }, []],
    ['what can be no path', { path: 'a\nb', file_path: '', filename: 7, paths: [null, 'a\u0000b'] }, []],
    ['a name hidden in a URL', { uri: 'file:///a%0ab' }, []],
    ['an escape that is none', { uri: 'file:///a%zz' }, ['/a%zz']],
    ['no arguments', null, []],
    ['a list', ['a'], []],
  ])('finds %s', (_, args, expected) => {
    expect(pathsOf(args, ROOT)).toEqual(expected);
  });

  it('begins relative paths where the call ran, and writes them from the root', () => {
    expect(pathsOf({ path: 'a.ts' }, `${ROOT}/src`, ROOT)).toEqual(['src/a.ts']);
    expect(pathsOf({ path: '../b.ts' }, `${ROOT}/src`, ROOT)).toEqual(['b.ts']);
    expect(pathsOf({ path: 'a/../b.ts' }, null)).toEqual(['b.ts']);
    expect(pathsOf({ path: '../b.ts' }, null)).toEqual(['../b.ts']);
    expect(pathsOf({ path: '/a' }, null, '/')).toEqual(['a']);
  });

  it('writes the paths of Windows in one way', () => {
    const root = 'C:\\Users\\dev\\proj';
    expect(pathsOf({ path: 'c:/Users/dev/proj/src\\a.ts' }, root)).toEqual(['src/a.ts']);
    expect(pathsOf({ path: 'src/a.ts' }, root)).toEqual(['src/a.ts']);
    expect(pathsOf({ path: 'D:\\..\\..\\x' }, root)).toEqual(['d:/x']);
    expect(pathsOf({ path: '\\\\host\\share\\x' }, root)).toEqual(['//host/share/x']);
  });

  it('is bounded', () => {
    const many = Array.from({ length: 1000 }, (_, i) => `f${i}`);
    expect(pathsOf({ paths: many, file_path: 'last' }, ROOT)).toHaveLength(MAX_PATHS);
    expect(pathsOf({ path: 'x'.repeat(MAX_PATH + 1) }, ROOT)).toEqual([]);
  });

  it('never throws', () => {
    const args = fc.dictionary(fc.constantFrom('path', 'uri', 'files', 'edits', 'a'), fc.jsonValue());
    fc.assert(
      fc.property(args, fc.option(fc.string()), (given, cwd) => {
        for (const path of pathsOf(given as Json, cwd)) expect(path.length).toBeLessThanOrEqual(2 * MAX_PATH);
      }),
    );
  });
});

describe('factsOf', () => {
  it('G13 has what a judgement needs of a test run, without its output', () => {
    const output = {
      stdout: ' Test Files  1 passed (1)\n      Tests  3 passed (3)',
      stderr: '',
      interrupted: false,
    };
    const call = {
      tool: 'Bash',
      shell: true,
      outcome: 'ok' as const,
      args: { command: 'npx vitest run' },
      output,
    };
    expect(factsOf(call, 'claude-code', ROOT)).toEqual({
      exit_code: 0,
      exit_origin: 'inferred',
      tests: { runner: 'vitest', passed: 3, failed: 0, skipped: 0, total: 3 },
      paths: [],
    });
  });

  it('G13 takes no report out of a file that was read', () => {
    const call = {
      tool: 'Read',
      outcome: 'ok' as const,
      args: { file_path: `${ROOT}/log` },
      output: '5 passed in 0.1s\n',
    };
    expect(factsOf(call, 'claude-code', ROOT)).toMatchObject({
      exit_code: null,
      tests: null,
      paths: ['log'],
    });
  });

  it('G13 finds the report wherever the host puts the output', () => {
    const report = '5 passed in 0.10s';
    const outputs: Json[] = [
      report,
      { stdout: '', stderr: report },
      { stdout: 'warning', stderr: report },
      { llmContent: `<untrusted_context>\nOutput: ${report}\nProcess Group PGID: 1\n</untrusted_context>` },
      { text_result_for_llm: `${report}\n<shellId: 0 completed with exit code 0>` },
      { output: report, metadata: { exit: 0 } },
    ];
    for (const output of outputs) {
      const call = { tool: 'sh', shell: true, outcome: 'ok' as const, output };
      expect(factsOf(call, 'any', null).tests).toMatchObject({ runner: 'pytest', passed: 5 });
    }
    expect(outputText([1])).toBe('');
  });
});

describe('sizes', () => {
  it('G13 counts the bytes that would be kept', () => {
    expect(sizes({ b: 'ä', a: 1 }, 'ä')).toEqual({ args: 16, output: 2 });
  });
});
