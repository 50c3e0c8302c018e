// Sources that wait for a person's word are not "off".
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { anchor } from '../../src/cli/commands/anchor.ts';
import { hookedLedger } from './hooked-ledger.ts';

it('`foil anchor status` says that sources wait to be accepted', async () => {
  const ledger = await hookedLedger();
  const status = () => ledger.run(anchor, 'status');
  expect((await status()).text).toMatch(/blocks +off/);
  writeFileSync(
    join(ledger.work, 'counterfoil.yaml'),
    "anchor:\n  network: regtest\n  blocks: ['http://127.0.0.1:9/api']\n  stamps: ['http://127.0.0.1:9']\n",
  );
  const waiting = await status();
  expect(waiting.text).toMatch(/^sources +waiting: .*foil anchor accept/m);
  expect(waiting.text).not.toMatch(/blocks +off|by hand/);
  expect(waiting.json).toMatchObject({ waiting: true, blocks: [] });
});
