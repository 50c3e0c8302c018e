import { expect, it } from 'vitest';
import { countCalls, failEach, READS, WRITES } from './each-call.ts';

it.each([...WRITES, ...READS])(
  'K1d, K5a loses nothing that was acknowledged, whenever it fails: %s',
  (call) => failEach(call),
);

it('leaves no call out that the scenario makes', async () => {
  expect([...(await countCalls()).keys()].filter((call) => ![...WRITES, ...READS].includes(call))).toEqual(
    [],
  );
});
