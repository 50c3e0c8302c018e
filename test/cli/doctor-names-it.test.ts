// What `foil doctor` must name: a configuration that can't be understood, and a place for notes that is not ours.
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { keepPlaces } from '../../src/app/settings-places.ts';
import { doctor } from '../../src/cli/commands/doctor.ts';
import { type HookedLedger, hookedLedger } from './hooked-ledger.ts';

async function check(ledger: HookedLedger, name: string): Promise<unknown> {
  const { json } = await ledger.run(doctor);
  const { checks } = json as { checks: { name: string }[] };
  return checks.find((each) => each.name === name);
}

it('a broken counterfoil.yaml', async () => {
  const ledger = await hookedLedger();
  expect(await check(ledger, 'config')).toMatchObject({ status: 'ok' });
  writeFileSync(join(ledger.work, 'counterfoil.yaml'), 'redact: [oops\n');
  expect(await check(ledger, 'config')).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('counterfoil.yaml'),
  });
});

it('a place for notes that others can write, or that is no directory, also where it lies above', async () => {
  const ledger = await hookedLedger();
  keepPlaces(ledger.located, ledger.env);
  expect(await check(ledger, 'notes')).toMatchObject({ status: 'ok' });
  const base = dirname(ledger.runtime);
  expect(base.startsWith(ledger.root)).toBe(true);
  mkdirSync(base, { mode: 0o700 });
  chmodSync(base, 0o777);
  const foreign = { status: 'fail', message: expect.stringContaining(base) };
  expect(await check(ledger, 'notes')).toMatchObject(foreign);
  chmodSync(base, 0o700);
  expect(await check(ledger, 'notes')).toMatchObject({ status: 'ok' });
  rmSync(base, { recursive: true });
  symlinkSync(ledger.work, base);
  expect(await check(ledger, 'notes')).toMatchObject(foreign);
});
