// K8 under faults, each and every one.
import { it } from 'vitest';
import { CALLS, failEach } from './recorder-faults.ts';

it.each(CALLS)(
  'K8a, K8b no durable call, no run; no durable result, no result: %s fails, each time it is made',
  (call) => failEach(call, 1000, ['EIO', 'ENOSPC']),
  600_000,
);
