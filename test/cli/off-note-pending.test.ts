// A session that ran with FOIL=off is told by `foil status` and `foil verify` before the next session tells it.
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { keepPlaces } from '../../src/app/settings-places.ts';
import { status } from '../../src/cli/commands/status.ts';
import { verify } from '../../src/cli/commands/verify.ts';
import { noteOff } from '../../src/record/index.ts';
import { hookedLedger } from './hooked-ledger.ts';

it('a note that recording was off is shown until an entry tells of it', async () => {
  const ledger = await hookedLedger();
  keepPlaces(ledger.located, ledger.env);
  expect((await ledger.run(status)).json).toMatchObject({ pending: [] });
  expect((await ledger.run(verify)).json).not.toHaveProperty('pending');
  noteOff(ledger.runtime, 'host-session', ledger.now);
  const names = readdirSync(ledger.runtime);
  for (const command of [status, verify]) {
    const { text, json } = await ledger.run(command);
    expect(json).toMatchObject({ pending: [{ reason: 'off', why: expect.stringContaining('FOIL=off') }] });
    expect(text).toMatch(/recording was off .*FOIL=off/);
  }
  expect(readdirSync(ledger.runtime)).toEqual(names);
  await ledger.hook(ledger.prompt('go on'));
  expect(ledger.entries().some(({ kind }) => kind === 'gap')).toBe(true);
  expect((await ledger.run(status)).json).toMatchObject({ pending: [] });
});
