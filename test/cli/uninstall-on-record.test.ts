// After `foil uninstall` the ledger is silent. An entry says why.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepPlaces } from '../../src/app/settings-places.ts';
import { install } from '../../src/cli/commands/install.ts';
import { uninstall } from '../../src/cli/commands/uninstall.ts';
import { verify } from '../../src/cli/commands/verify.ts';
import { summarize } from '../../src/report/entry-summary.ts';
import { hookedLedger } from './hooked-ledger.ts';

it('`foil uninstall` is an entry, which is no violation; --dry-run is none', async () => {
  const ledger = await hookedLedger();
  keepPlaces(ledger.located, ledger.env);
  await ledger.run(install, 'claude-code', '--scope', 'project');
  const before = ledger.entries().length;
  await ledger.run(uninstall, '--dry-run');
  expect(ledger.entries()).toHaveLength(before);
  await ledger.run(uninstall);
  const [entry, ...more] = ledger.entries().slice(before);
  const path = join(ledger.work, '.claude/settings.json');
  expect(more).toEqual([]);
  expect(entry).toMatchObject({
    kind: 'config.change',
    source: 'cli',
    payload: { what: 'uninstall', hooks: [{ agent: 'claude-code', scope: 'project', path }] },
  });
  expect(entry && summarize(entry)).toBe('hooks were removed: claude-code (project)');
  expect((await ledger.run(verify)).json).toMatchObject({ verdict: 'INTACT' });
  expect((await ledger.run(uninstall)).text).toBe('There are no hooks to remove.\n');
  expect(ledger.entries()).toHaveLength(before + 1);
});

it('where the ledger can not be written, the hooks go all the same, and a note is left', async () => {
  const ledger = await hookedLedger();
  keepPlaces(ledger.located, ledger.env);
  await ledger.run(install, 'claude-code', '--scope', 'project');
  const folder = join(ledger.directory, 'ledger');
  renameSync(folder, `${folder}.away`);
  writeFileSync(folder, '');
  const { json } = await ledger.run(uninstall);
  expect(json).toMatchObject({ unrecorded: [expect.stringContaining('could not be recorded')] });
  expect(existsSync(join(ledger.work, '.claude/settings.json'))).toBe(false);
  expect(readFileSync(join(ledger.runtime, 'failed'), 'utf8')).toContain('"event":"uninstall"');
});
