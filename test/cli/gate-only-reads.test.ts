// foil gate only reads: it answers where the ledger has no lock file any more, and nothing can be written.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gate } from '../../src/cli/commands/gate.ts';
import { hookedLedger } from './hooked-ledger.ts';

it('B12 judges the last turn while the ledger can’t be written', async () => {
  const ledger = await hookedLedger();
  const members = { session_id: 'host-1' };
  await ledger.hook({ ...members, hook_event_name: 'UserPromptSubmit', prompt: 'fix it' });
  const path = join(ledger.work, 'host-1.jsonl');
  const lines = [
    { type: 'user', sessionId: 'host-1', message: { role: 'user', content: 'fix it' } },
    {
      type: 'assistant',
      sessionId: 'host-1',
      message: { role: 'assistant', content: [{ type: 'text', text: 'All tests pass.' }] },
    },
  ];
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  rmSync(join(ledger.directory, 'lock'));
  const { exit, json } = await ledger.run(gate, '--transcript', path);
  expect([exit, json]).toMatchObject([5, { verdict: 'block', session: expect.any(String) }]);
});
