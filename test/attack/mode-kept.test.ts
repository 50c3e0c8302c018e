// How strict recording is stands in the ledger's settings and once more beside the ledger, and in no hook. Taking one of
// them away, or changing it past the command, loosens nothing; and `foil mode` leaves alone a hook that Codex trusts by its
// words.
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modeHere, parseHookLine } from '../../src/app/hook/hook-line.ts';
import { init } from '../../src/cli/commands/init.ts';
import { install } from '../../src/cli/commands/install.ts';
import { mode } from '../../src/cli/commands/mode.ts';
import { readSettings, writeSettings } from '../../src/ledger/index.ts';
import { keepMode, readKeptMode } from '../../src/ledger/kept-mode.ts';
import { temporary } from '../temporary.ts';
import { Machine } from './hostile-clone.ts';

async function installed(agent: string, ...words: readonly string[]) {
  const machine = new Machine();
  machine.file('home/me/project/.git/HEAD', 'ref: refs/heads/main\n');
  await machine.run(init);
  await machine.run(install, [agent, ...words]);
  return machine;
}

const hooksOf = (machine: Machine): string =>
  readFileSync(join(machine.project, '.codex/hooks.json'), 'utf8');

const ledgerOf = (text: string): string => / --ledger (\S+?)["' ;]/.exec(text)?.[1] ?? '';

/** As a hook of this ledger would find it. */
function modeOf(machine: Machine, ledger: string): string {
  const line = parseHookLine(['codex', '--ledger', ledger]);
  return typeof line === 'string' ? line : modeHere(ledger, line, machine.env);
}

describe('a guarded ledger', () => {
  const settings = (ledger: string): string => join(ledger, 'settings');

  it.each([
    ['settings that are gone', (ledger: string) => rmSync(settings(ledger))],
    [
      'settings that say observe',
      (ledger: string) => {
        const text = readFileSync(settings(ledger), 'utf8');
        writeFileSync(settings(ledger), text.replace('"guard"', '"observe"'));
      },
    ],
    ['a ledger that is gone', (ledger: string) => rmSync(ledger, { recursive: true })],
    [
      'a link in its place, to a copy that says observe',
      (ledger: string) => {
        cpSync(ledger, `${ledger}-copy`, { recursive: true });
        const text = readFileSync(settings(ledger), 'utf8');
        writeFileSync(settings(`${ledger}-copy`), text.replace('"guard"', '"observe"'));
        rmSync(ledger, { recursive: true });
        symlinkSync(`${ledger}-copy`, ledger);
      },
    ],
    [
      'neither settings nor what is kept beside it',
      (ledger: string) => {
        rmSync(settings(ledger));
        rmSync(join(ledger, '../modes'), { recursive: true });
      },
    ],
    [
      'a kept mode that is damaged',
      (ledger: string, machine: Machine) => {
        keepMode(ledger, 'observe', machine.env);
        rmSync(settings(ledger));
        const [name = ''] = readdirSync(join(ledger, '../modes'));
        writeFileSync(join(ledger, '../modes', name), '{');
      },
    ],
  ])('K8 stays guarded with %s', async (_, attack) => {
    const machine = await installed('codex', '--mode', 'guard');
    const ledger = ledgerOf(hooksOf(machine));
    expect(modeOf(machine, ledger)).toBe('guard');
    attack(ledger, machine);
    expect(modeOf(machine, ledger)).toBe('guard');
  });

  it('is loosened by foil mode, in both places', async () => {
    const machine = await installed('codex', '--mode', 'guard');
    const ledger = ledgerOf(hooksOf(machine));
    await machine.run(mode, ['observe']);
    expect(readKeptMode(ledger, machine.env)).toBe('observe');
    expect(modeOf(machine, ledger)).toBe('observe');
    rmSync(settings(ledger));
    expect(readSettings(ledger, machine.env).mode).toBe('observe');
  });
});

it('foil mode leaves every byte of a hook that Codex trusts', async () => {
  const machine = await installed('codex');
  const before = hooksOf(machine);
  for (const to of ['guard', 'observe', 'guard']) {
    await machine.run(mode, [to]);
    expect(hooksOf(machine)).toBe(before);
  }
});

it('a hook of an earlier version, with its mode in its words, is as strict as they say', () => {
  const ledger = temporary();
  const env = { XDG_STATE_HOME: temporary() };
  const found = (...words: readonly string[]): string => {
    const line = parseHookLine(['codex', '--ledger', ledger, ...words]);
    return typeof line === 'string' ? line : modeHere(ledger, line, env);
  };
  expect(found('--mode', 'observe')).toBe('observe');
  expect(found('--mode', 'guard')).toBe('guard');
  writeSettings(ledger, { mode: 'observe', port: null }, env);
  expect(found('--mode', 'guard')).toBe('guard');
  expect(found()).toBe('observe');
});
