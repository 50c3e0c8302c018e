// What floods the gateway, in a tenth of the size where that takes long to read; wires-gateway-memory.slow.test.ts has all
// of it.
import { describe } from 'vitest';
import { floods } from './gateway-floods.ts';

describe.runIf(process.platform === 'linux')(
  'the memory of the service process is bounded where the upstream',
  () => floods(0.1),
);
