// An administrator's settings of Claude Code can keep our hooks from running: in one file, and in files of a folder beside
// it. What each says was seen with 2.1.325. And a linked work tree, where the main checkout's local file counts as well.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hostOverrides } from '../../src/app/hosts/host-overrides.ts';
import { opencodePlugin } from '../../src/capture/hooks/index.ts';
import { claudeCode } from '../../src/capture/settings/claude-code.ts';
import {
  applyPlan,
  findOverrides,
  hooksAsWritten,
  type Places,
  planInstall,
} from '../../src/capture/settings/index.ts';
import type { Mode } from '../../src/ledger/index.ts';
import { temporary } from '../temporary.ts';

const FILE = claudeCode.managed ?? '';
const folderOf = (name: string) => FILE.replace(/\.json$/, `.d/${name}`);

function write(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
}

function machine(files: Record<string, unknown>): Places & { system: string } {
  const at = { project: temporary(), home: temporary(), env: {}, system: temporary() };
  for (const [path, value] of Object.entries(files)) write(`${at.system}${path}`, value);
  return at;
}

const wiring = (mode: Mode) =>
  ({
    scope: 'local',
    mode,
    node: process.execPath,
    foil: '/lib/foil.cjs',
    ledger: '/ledger',
    service: null,
  }) as const;

const plan = (places: Places, mode: Mode) =>
  planInstall({ agent: 'claude-code', places, wiring: wiring(mode), plugin: opencodePlugin });

const SILENT: [Record<string, unknown>, string, string][] = [
  [{ [FILE]: { disableAllHooks: true } }, FILE, 'disableAllHooks'],
  [{ [FILE]: { disableAllHooks: true, permissions: 5 } }, FILE, 'disableAllHooks'],
  [{ [FILE]: { allowManagedHooksOnly: true } }, FILE, 'allowManagedHooksOnly'],
  [{ [FILE]: { allowManagedHooksOnly: 'x' } }, FILE, 'allowManagedHooksOnly'],
  [{ [FILE]: { strictPluginOnlyCustomization: true } }, FILE, 'strictPluginOnlyCustomization'],
  [{ [FILE]: { strictPluginOnlyCustomization: 'x' } }, FILE, 'strictPluginOnlyCustomization'],
  [{ [FILE]: { strictPluginOnlyCustomization: ['hooks'] } }, FILE, 'strictPluginOnlyCustomization'],
  [
    {
      [FILE]: { strictPluginOnlyCustomization: ['hooks'] },
      [folderOf('a.json')]: { strictPluginOnlyCustomization: ['skills'] },
    },
    FILE,
    'strictPluginOnlyCustomization',
  ],
  [{ [folderOf('10.json')]: { disableAllHooks: true } }, folderOf('10.json'), 'disableAllHooks'],
  [
    { [FILE]: { allowManagedHooksOnly: false }, [folderOf('10.json')]: { allowManagedHooksOnly: true } },
    folderOf('10.json'),
    'allowManagedHooksOnly',
  ],
];

const HEARD: Record<string, unknown>[] = [
  { [FILE]: { disableAllHooks: false, allowManagedHooksOnly: 'false' } },
  { [FILE]: { disableAllHooks: 'true' } },
  { [FILE]: { strictPluginOnlyCustomization: ['skills'] } },
  {
    [FILE]: { strictPluginOnlyCustomization: true },
    [folderOf('a.json')]: { strictPluginOnlyCustomization: ['skills'] },
  },
  { [FILE]: { allowManagedHooksOnly: true }, [folderOf('10.json')]: { allowManagedHooksOnly: false } },
  { [folderOf('10.json')]: { disableAllHooks: true }, [folderOf('20.json')]: { disableAllHooks: false } },
  { [folderOf('.10.json')]: { disableAllHooks: true }, [folderOf('10.txt')]: { disableAllHooks: true } },
  { [folderOf('sub/10.json')]: { disableAllHooks: true } },
];

describe('an administrator who silences hooks', () => {
  it.each(SILENT)('is told of by foil status, with the file: %j', (files, path, name) => {
    const at = machine(files);
    applyPlan(plan({ ...at, system: temporary() }, 'guard'));
    const told = hostOverrides({ cwd: at.project, env: at.env }, 'guard', at).filter((each) => each.silences);
    expect(told.map(({ text }) => text)).toEqual([
      `${at.system}${path} turns off the hooks of claude-code (${name})`,
    ]);
    const expected = { agent: 'claude-code', isOurs: () => true, wiring: wiring('guard') };
    const { events, files: looked } = hooksAsWritten(at, expected);
    expect(events).toEqual(['environment']);
    expect(looked).toContain(`${at.system}${path}`);
  });

  it.each(SILENT)('has foil install refuse in guard, and warn in observe: %j', (files, path, name) => {
    const at = machine(files);
    const said = `${at.system}${path} prevents foil's hooks from running with ${name}`;
    expect(() => plan(at, 'guard')).toThrow(said);
    expect(plan(at, 'observe').warnings).toEqual([`${said}, so none will run.`]);
  });

  it.each(HEARD)('is not one who says: %j', (files) => {
    const at = machine(files);
    expect(plan(at, 'guard').warnings).toEqual([]);
    expect(findOverrides(at)).toEqual([]);
  });

  it('may have written what can’t be read, of which status is not sure', () => {
    const at = machine({ [FILE]: '{"disableAllHooks":true} // x' });
    expect(findOverrides(at)).toMatchObject([{ path: `${at.system}${FILE}`, name: 'unread' }]);
    if (process.getuid?.() === 0) return;
    const shut = machine({ [folderOf('10.json')]: {} });
    const folder = dirname(`${shut.system}${folderOf('10.json')}`);
    chmodSync(folder, 0);
    expect(findOverrides(shut)).toMatchObject([{ path: folder, name: 'unread' }]);
    chmodSync(folder, 0o700);
  });

  it('decides alone: what the project says of these members is passed over', () => {
    const at = machine({});
    const settings = { allowManagedHooksOnly: true, strictPluginOnlyCustomization: true };
    write(join(at.project, '.claude/settings.json'), settings);
    expect(findOverrides(at)).toEqual([]);
  });
});

describe('in a linked work tree, the main checkout’s local file', () => {
  function linked(): { main: string; at: Places } {
    const root = temporary();
    const main = join(root, 'main');
    const git = (...words: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.t', ...words], { cwd: root });
    git('init', '-q', main);
    git('-C', main, 'commit', '-q', '--allow-empty', '-m', 'first');
    git('-C', main, 'worktree', 'add', '-q', join(root, 'linked'));
    return { main, at: { project: join(root, 'linked'), home: temporary(), env: {}, system: temporary() } };
  }

  it('switches hooks off, sets variables and is told of where it can’t be used', () => {
    const { main, at } = linked();
    const path = join(main, '.claude/settings.local.json');
    const own = join(at.project, '.claude/settings.local.json');
    write(join(main, '.claude/settings.json'), { disableAllHooks: true });
    expect(findOverrides(at)).toEqual([]);
    // Seen: it counts more than the work tree's own.
    write(path, { disableAllHooks: true, env: { LD_PRELOAD: './x.so' } });
    write(own, { disableAllHooks: false, env: { LD_PRELOAD: './y.so' } });
    expect(findOverrides(at)).toMatchObject([
      { path, name: 'disableAllHooks', value: null },
      { path, name: 'LD_PRELOAD', value: './x.so' },
    ]);
    write(path, { disableAllHooks: false });
    write(own, { disableAllHooks: true });
    expect(findOverrides(at)).toEqual([]);
    write(path, { env: [] });
    expect(findOverrides(at)).toMatchObject([
      { path: own, name: 'disableAllHooks' },
      { path, name: 'unread' },
    ]);
  });

  it('has hooks over HTTP that the work tree’s own file may keep from being sent', () => {
    const { main, at } = linked();
    const service = { port: 4711, token: 'f'.repeat(64) };
    applyPlan(
      planInstall({
        agent: 'claude-code',
        places: { ...at, project: main },
        wiring: { ...wiring('guard'), service },
        plugin: opencodePlugin,
      }),
    );
    expect(readFileSync(join(main, '.claude/settings.local.json'), 'utf8')).toContain('4711');
    write(join(at.project, '.claude/settings.json'), { allowedHttpHookUrls: [] });
    expect(findOverrides(at).map(({ name }) => name)).toContain('allowedHttpHookUrls');
  });
});

it('a local file in a folder below the project, where the host may be started, has a say', () => {
  const at = { ...machine({}), cwd: '' };
  const cwd = join(at.project, 'pkg');
  write(join(cwd, '.claude/settings.local.json'), { env: { LD_PRELOAD: './x.so' }, disableAllHooks: true });
  write(join(at.project, '.claude/settings.local.json'), { disableAllHooks: false });
  expect(findOverrides({ ...at, cwd }).map(({ name }) => name)).toEqual(['LD_PRELOAD']);
});
