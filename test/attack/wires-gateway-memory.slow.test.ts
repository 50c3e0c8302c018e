// What floods the gateway: the memory of the service stays bounded.
import { describe } from 'vitest';
import { floods } from './gateway-floods.ts';

describe.runIf(process.platform === 'linux')(
  'the memory of the service process is bounded where the upstream',
  () => floods(1),
);
