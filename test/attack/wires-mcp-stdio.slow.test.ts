// The long form of a test of wires-mcp-stdio.test.ts.
import { describe, it } from 'vitest';
import { manyCalls } from './many-calls.ts';

describe('a client that', () => {
  it.skipIf(process.platform !== 'linux')(
    'says 60 MB of small calls at once: bounded, each on record or refused',
    () => manyCalls(2000),
  );
});
