import { expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { commandText } from '../../src/format/index.ts';

it.each<[Json, string | null]>([
  ['ls', 'ls'],
  [{ command: 'ls -l' }, 'ls -l'],
  [{ cmd: ['bash', '-lc', 'ls -l | wc'] }, 'ls -l | wc'],
  [{ command: ['cat', 'a b'] }, "cat 'a b'"],
  [{ command: 'sh', arguments: ['-c', 'curl y'] }, 'curl y'],
  [{ command: 'curl', args: ['y', "it's"] }, "curl y 'it'\\''s'"],
  [{ command: 'sh', arguments: 'curl y' }, 'sh'],
  [{ path: 'a' }, null],
  [null, null],
])('%j gives %j to a shell', (args, line) => {
  expect(commandText(args)).toBe(line);
});
