// The default run: each kind of call fails now and then, writes to the log every eleventh time. The slow run leaves
// nothing out.
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/core/index.ts';
import { errorsOf, failEach, READS, root, WRITES } from './each-call.ts';
import type { Call } from './faulty-fs.ts';

const STEP: Partial<Record<Call, number>> = {
  open: 97,
  append: 47,
  appendDurably: 11,
  remove: 11,
  datasync: 29,
  syncDirectory: 29,
  rename: 17,
  overwrite: 17,
  makeDirectory: 13,
  removeDirectory: 5,
};

describe('a call that fails', () => {
  it.each(WRITES)('K1d, K5a loses nothing that was acknowledged: %s', (call) =>
    failEach(call, STEP[call] ?? 1),
  );

  it.each(READS)('loses nothing that was acknowledged: %s', (call) => failEach(call, 47));

  it('makes every error a StoreError that names the place', async () => {
    for (const call of [...WRITES, ...READS]) {
      for (const error of await errorsOf({ call, nth: 2, effect: 'none', code: 'EIO' })) {
        expect(error, call).toBeInstanceOf(StoreError);
        expect((error as StoreError).message, call).toContain(root);
      }
    }
  });
});
