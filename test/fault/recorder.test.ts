// K8 under faults, on a disk that forgets: each write of a recorded call fails, other calls at some of the times they are
// made. The slow suite fails them all.
import { expect, it } from 'vitest';
import { CALLS, failEach, live } from './recorder-faults.ts';

it('the scenario runs, gives and throws what it should when nothing fails', async () => {
  const { seen } = await live();
  expect(seen).toEqual({ ran: 6, given: 5, thrown: 1, refused: [] });
});

it.each(CALLS)(
  'K8a, K8b no durable call, no run; no durable result, no result, also no error of the tool: %s fails',
  (call) => failEach(call, call === 'appendDurably' ? 1000 : 5, ['EIO']),
);
