// The systemd unit as systemd itself reads it, and the words in it as the command does.
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseCommandLine } from '../../src/cli/arguments.ts';
import { serve } from '../../src/cli/commands/serve.ts';
import { temporary } from '../temporary.ts';

const directory = join(import.meta.dirname, '../../docs/systemd');
const unit = readFileSync(join(directory, 'counterfoil@.service'), 'utf8');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

it('starts a command line that foil serve understands', () => {
  const [, line = ''] = /^ExecStart=\/usr\/bin\/env foil serve (.*)$/m.exec(unit) ?? [];
  const { values } = parseCommandLine(serve, line.split(' '));
  expect(values.text('socket')).toBe('/run/counterfoil/%i/socket');
  expect(values.text('socket-group')).toBe('counterfoil');
  expect(values.text('idle')).toBe('never');
  expect(unit).toContain('RuntimeDirectory=counterfoil/%i\n');
  expect(unit).toContain('SupplementaryGroups=counterfoil\n');
});

it.skipIf(!hasSystemd)('is a unit that systemd accepts (needs systemd-analyze)', () => {
  const there = temporary();
  cpSync(join(directory, 'counterfoil@.service'), join(there, 'counterfoil@project.service'));
  const good = spawnSync('systemd-analyze', ['verify', join(there, 'counterfoil@project.service')], {
    encoding: 'utf8',
  });
  const about = (text: string): string[] => text.split('\n').filter((one) => one.includes('counterfoil@'));
  expect(about(good.stderr)).toEqual([]);
  writeFileSync(join(there, 'counterfoil@bad.service'), unit.replace('NoNewPrivileges=', 'NoSuchSetting='));
  const bad = spawnSync('systemd-analyze', ['verify', join(there, 'counterfoil@bad.service')], {
    encoding: 'utf8',
  });
  expect(about(bad.stderr).join()).toContain('NoSuchSetting');
});
