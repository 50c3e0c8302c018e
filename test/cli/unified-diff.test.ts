// The diff is right if `patch` makes the one text of the other with it.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from '../../src/report/unified-diff.ts';
import { temporary } from '../temporary.ts';

/** Applies a diff by its own words, as a reader would. */
function patch(before: string, diff: string): string {
  const lines = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const result: string[] = [];
  let at = 0;
  const body = diff.split(/(?<=\n)/).slice(2);
  for (const [index, line] of body.entries()) {
    const header = /^@@ -(\d+),(\d+) \+(\d+),\d+ @@\n$/.exec(line);
    if (header !== null) {
      const start = Number(header[1]) - (header[2] === '0' ? 0 : 1);
      result.push(...lines.slice(at, start));
      at = start;
      expect(result.length).toBe(Number(header[3]) - (line.includes(',0 @@') ? 0 : 1));
      continue;
    }
    if (line.startsWith('\\')) continue;
    const text = body[index + 1]?.startsWith('\\') ? line.slice(1, -1) : line.slice(1);
    if (line[0] !== '+') expect(lines[at++]).toBe(text);
    if (line[0] !== '-') result.push(text);
  }
  return [...result, ...lines.slice(at)].join('');
}

describe('a unified diff', () => {
  it('leads from the one to the other', () => {
    const text = fc
      .array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd\r\n'), { maxLength: 30 })
      .map((lines) => lines.join(''));
    const ending = fc.tuple(text, fc.constantFrom('', 'e')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(ending, ending, (before, after) => {
        const diff = unifiedDiff('file', before, after);
        expect(diff === '').toBe(before === after);
        if (diff !== '') expect(patch(before, diff)).toBe(after);
      }),
      { numRuns: 2000 },
    );
  });

  it('looks as people know it', () => {
    const before = Array.from({ length: 20 }, (_, i) => `${i + 1}\n`).join('');
    const after = before.replace('3\n', '3\nnew\n').replace('\n18\n', '\n');
    expect(unifiedDiff('f', before, after)).toBe(
      '--- f\n+++ f\n@@ -1,6 +1,7 @@\n 1\n 2\n 3\n+new\n 4\n 5\n 6\n@@ -15,6 +16,5 @@\n 15\n 16\n 17\n-18\n 19\n 20\n',
    );
    expect(unifiedDiff('f', null, 'a')).toBe(
      '--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n',
    );
    expect(unifiedDiff('f', 'a\n', null)).toBe('--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n');
  });

  const hasPatch = spawnSync('patch', ['--version']).status === 0;
  it.skipIf(!hasPatch)('is taken by patch', () => {
    const file = join(temporary(), 'file');
    writeFileSync(file, 'a\nb\nc\n');
    spawnSync('patch', [file], { input: unifiedDiff('file', 'a\nb\nc\n', 'a\nB\nc\nd') });
    expect(readFileSync(file, 'utf8')).toBe('a\nB\nc\nd');
  });
});
