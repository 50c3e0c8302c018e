// The hash of commands goes over from one implementation to another while they run: nobody may see where.
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import * as node from '../../src/core/platform/node.ts';

const load = async () => {
  vi.resetModules();
  return import('../../src/core/platform/command.ts');
};

it('exports the same names', async () => {
  expect(Object.keys(await load()).sort()).toEqual(Object.keys(node).sort());
});

it('gives what node gives, for whatever is hashed in a process from its start on', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 1500 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(pieces, fc.string({ unit: 'grapheme' }), async (list, text) => {
      const command = await load();
      for (const data of list) {
        expect(command.sha256(data)).toEqual(node.sha256(data));
        expect(command.sha256Hex(data)).toBe(node.sha256Hex(data));
        expect(command.sha256Hex(text)).toBe(node.sha256Hex(text));
        const key = data.subarray(0, 40);
        expect(command.hmacSha256(key, data)).toEqual(node.hmacSha256(key, data));
        const [a, b] = [new Uint8Array(40), new Uint8Array(40)];
        command.sha256Into(data, a, 4);
        node.sha256Into(data, b, 4);
        expect(a).toEqual(b);
      }
    }),
    { numRuns: 30 },
  );
});
