// `foil install` is an entry of the ledger that the hooks write to, as `foil uninstall` is; and its --dry-run promises nothing
// that the real one may not keep.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepPlaces } from '../../src/app/settings-places.ts';
import { install } from '../../src/cli/commands/install.ts';
import { verify } from '../../src/cli/commands/verify.ts';
import { summarize } from '../../src/report/entry-summary.ts';
import { hookedLedger } from './hooked-ledger.ts';

it('`foil install` is an entry; done again it changes nothing, and is none', async () => {
  const ledger = await hookedLedger();
  const before = ledger.entries().length;
  const dry = await ledger.run(install, 'codex', 'claude-code', '--dry-run');
  expect(ledger.entries()).toHaveLength(before);
  expect(dry.text).toContain('127.0.0.1:(a free port)');
  expect(dry.text).not.toMatch(/127\.0\.0\.1:\d/);
  expect(dry.json).toMatchObject({ port: null });
  const done = await ledger.run(install, 'codex', 'claude-code');
  const [entry, ...more] = ledger.entries().slice(before);
  expect(more).toEqual([]);
  expect(entry).toMatchObject({
    kind: 'config.change',
    source: 'cli',
    payload: {
      what: 'install',
      hooks: [
        { agent: 'claude-code', scope: 'local', path: join(ledger.work, '.claude/settings.local.json') },
        { agent: 'codex', scope: 'local', path: join(ledger.work, '.codex/hooks.json') },
      ],
    },
  });
  expect(entry && summarize(entry)).toBe('hooks were installed: claude-code (local), codex (local)');
  expect((await ledger.run(verify)).json).toMatchObject({ verdict: 'INTACT' });
  const { port } = done.json as { port: number };
  expect(port).toBeGreaterThan(0);
  await ledger.run(install, 'codex', 'claude-code');
  expect(ledger.entries()).toHaveLength(before + 1);
  // From now on the port is known.
  expect((await ledger.run(install, 'claude-code', '--dry-run')).json).toMatchObject({ port });
});

it('where the ledger can not be written, the hooks are put in all the same, and a note is left', async () => {
  const ledger = await hookedLedger();
  keepPlaces(ledger.located, ledger.env);
  await ledger.run(install, 'codex');
  const folder = join(ledger.directory, 'ledger');
  renameSync(folder, `${folder}.away`);
  writeFileSync(folder, '');
  const { json } = await ledger.run(install, 'gemini', '--scope', 'project');
  expect(json).toMatchObject({
    warnings: expect.arrayContaining([expect.stringContaining('could not be recorded')]),
  });
  expect(readFileSync(join(ledger.work, '.gemini/settings.json'), 'utf8')).toContain('foil');
  expect(readFileSync(join(ledger.runtime, 'failed'), 'utf8')).toContain('"event":"install"');
});
