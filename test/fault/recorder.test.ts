// K8 under faults, on a disk that forgets: writes of a recorded call fail at many of the times they are made, other calls
// at some. The slow suite fails them all, each time.
import { expect, it } from 'vitest';
import { CALLS, failEach, live } from './recorder-faults.ts';

it('the scenario runs, gives and throws what it should when nothing fails', async () => {
  const { seen } = await live();
  expect(seen).toEqual({ ran: 6, given: 5, thrown: 1, refused: [] });
});

it.each(CALLS)(
  'K8a, K8b no durable call, no run; no durable result, no result, also no error of the tool: %s fails',
  (call) => failEach(call, call === 'appendDurably' ? 9 : 4, ['EIO']),
);
