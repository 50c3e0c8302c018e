// A clone's committed settings of a host try to silence our hooks, or to put other code into them. Hooks start without
// the variables that Node goes by, a local file keeps them on, and where neither helps, status says that it is not sure.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { opencodePlugin } from '../../src/capture/hooks/index.ts';
import { hookLine } from '../../src/capture/settings/host.ts';
import {
  findOverrides,
  type Places,
  planInstall,
  planUninstall,
  runSettings,
} from '../../src/capture/settings/index.ts';
import { doctor } from '../../src/cli/commands/doctor.ts';
import { init } from '../../src/cli/commands/init.ts';
import { install } from '../../src/cli/commands/install.ts';
import { status } from '../../src/cli/commands/status.ts';
import { uninstall } from '../../src/cli/commands/uninstall.ts';
import { temporary } from '../temporary.ts';
import { Machine } from './hostile-clone.ts';

const WIRING = {
  scope: 'local',
  mode: 'guard',
  node: process.execPath,
  foil: '/lib/foil.cjs',
  ledger: '/ledger',
  service: { port: 4711, token: 'f'.repeat(64) },
} as const;

describe('a hook that a host starts with variables of the clone', () => {
  it.each([
    ['other code', { NODE_OPTIONS: '--require ./evil.js' }],
    ['a broken value', { NODE_OPTIONS: '--nonsense' }],
    ['a channel that is none', { NODE_CHANNEL_FD: 'x' }],
    ['a configuration that is none', { OPENSSL_CONF: 'evil.js' }],
  ])('starts without them: %s', (_, env) => {
    const folder = temporary();
    writeFileSync(join(folder, 'evil.js'), "require('node:fs').writeFileSync('ran', 'x');");
    writeFileSync(join(folder, 'foil.cjs'), "console.log('recorded ' + process.ppid);");
    const line = hookLine('claude-code', { ...WIRING, foil: join(folder, 'foil.cjs') });
    const told = spawnSync('/bin/sh', ['-c', line], {
      cwd: folder,
      env: { ...env, PATH: '/nowhere' },
      encoding: 'utf8',
    });
    // The shell became the hook, whose parent is still the host.
    expect(told.stdout).toBe(`recorded ${process.pid}\n`);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  it('of OpenCode, too', () => {
    const text = planInstall({
      agent: 'opencode',
      places: { project: temporary(), home: temporary(), env: {} },
      wiring: WIRING,
      plugin: opencodePlugin,
    }).after;
    expect(text).toMatch(/const dropped = \["NODE_OPTIONS",/);
    expect(text).toContain('delete env[name]');
  });
});

const places = (): Places => ({ project: temporary(), home: temporary(), env: {} });

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const plan = (at: Places) =>
  planInstall({ agent: 'claude-code', places: at, wiring: WIRING, plugin: opencodePlugin });

const runFile = (folder: string, env: Record<string, string>) =>
  runSettings('claude-code', { wiring: WIRING, folder, env, plugin: opencodePlugin, systemSettings: null })
    ?.files[0]?.text;

describe('disableAllHooks of a clone', () => {
  it.each([
    ['no file', null],
    ['a blank file', '\n'],
    ['an empty object', '{}'],
    ['members of somebody', '{\n  "env": {"A": "b"}\n}\n'],
    ['compact members', '{"env":{"A":"b"},"hooks":{"Stop":[]}}'],
    ['their own word on it', '{"disableAllHooks": false}'],
  ])('is undone in the local file, which uninstall brings back: %s', (_, before) => {
    const at = places();
    const path = join(at.project, '.claude/settings.local.json');
    if (before !== null) write(path, before);
    const { after } = plan(at);
    expect(JSON.parse(after ?? '').disableAllHooks).toBe(false);
    write(path, after ?? '');
    expect(plan(at).change).toBe('none');
    expect(planUninstall('claude-code', 'local', at).after).toBe(before);
  });

  it.each(['{\n  "env": {"A": "b"}, // mine\n}\n', '{"env":{},}'])(
    'is no matter in a file that the host would not read, where no hooks are put: %j',
    (before) => {
      const at = places();
      write(join(at.project, '.claude/settings.local.json'), before);
      expect(() => plan(at)).toThrow(/has a comment or an extra comma. Claude Code ignores such a file/);
    },
  );

  it('of the user is the user’s word: nothing runs hooks against it', () => {
    const at = places();
    write(join(at.home, '.claude/settings.json'), '{"disableAllHooks": true}');
    expect(plan(at).after).not.toContain('disableAllHooks');
    expect(findOverrides(at)).toHaveLength(1);
    expect(runFile(at.project, { HOME: at.home })).not.toContain('disableAllHooks');
    expect(runFile(at.project, { HOME: '/nowhere' })).toContain('"disableAllHooks": false');
  });

  // Of managed, local, project and user, the first that says something decides, as in the host.
  it.each([
    [{ project: true }, true],
    [{ project: true, local: false }, false],
    [{ project: false, user: true }, false],
    [{ local: true, project: false }, true],
    [{ user: true }, true],
  ])('is told as the host goes by it: %j', (files: Record<string, boolean>, off) => {
    const at = places();
    const paths: Record<string, string> = {
      local: join(at.project, '.claude/settings.local.json'),
      project: join(at.project, '.claude/settings.json'),
      user: join(at.home, '.claude/settings.json'),
    };
    for (const [scope, value] of Object.entries(files))
      write(paths[scope] ?? '', JSON.stringify({ disableAllHooks: value }));
    expect(findOverrides(at).map(({ name }) => name)).toEqual(off ? ['disableAllHooks'] : []);
  });
});

describe('a program of the clone that is started with every hook (CLAUDE_CODE_SHELL_PREFIX)', () => {
  const prefixOf = (text: string | null | undefined) => JSON.parse(text ?? '').env?.CLAUDE_CODE_SHELL_PREFIX;

  it.each([
    ['no file', null],
    ['an empty object', '{}'],
    ['an empty environment', '{"env":{}}'],
    ['an environment that is blank', '{\n  "env": {\n  }\n}\n'],
    ['variables of somebody', '{\n  "env": {\n    "A": "b"\n  }\n}\n'],
    ['compact variables', '{"hooks":{},"env":{"A":"b"}}'],
    ['hooks of somebody', '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}'],
  ])('has no effect beside the local file, which uninstall brings back: %s', (_, before) => {
    const at = places();
    const path = join(at.project, '.claude/settings.local.json');
    if (before !== null) write(path, before);
    const { after } = plan(at);
    expect(prefixOf(after)).toBe('');
    write(path, after ?? '');
    expect(plan(at).change).toBe('none');
    expect(planUninstall('claude-code', 'local', at).after).toBe(before);
  });

  it.each([['their own program', '{"env":{"CLAUDE_CODE_SHELL_PREFIX":"/opt/audit"}}']])(
    'is not touched where the local file has %s',
    (_, before) => {
      const at = places();
      const path = join(at.project, '.claude/settings.local.json');
      write(path, before);
      const { after } = plan(at);
      expect(JSON.parse(after ?? '').env).toEqual(JSON.parse(before).env);
      write(path, after ?? '');
      expect(planUninstall('claude-code', 'local', at).after).toBe(before);
    },
  );

  it('leaves the variables that somebody wrote beside ours since', () => {
    const at = places();
    const path = join(at.project, '.claude/settings.local.json');
    write(path, (plan(at).after ?? '').replace('"CLAUDE_CODE_SHELL_PREFIX"', '"A": "b", $&'));
    expect(JSON.parse(planUninstall('claude-code', 'local', at).after ?? '')).toEqual({ env: { A: 'b' } });
  });

  it('is the user’s own where their file or their shell names one', () => {
    const at = places();
    const inShell = { ...at, env: { CLAUDE_CODE_SHELL_PREFIX: '/opt/audit' } };
    expect(prefixOf(plan(inShell).after)).toBeUndefined();
    expect(prefixOf(runFile(at.project, { HOME: at.home }))).toBe('');
    write(join(at.home, '.claude/settings.json'), '{"env":{"CLAUDE_CODE_SHELL_PREFIX":"/opt/audit"}}');
    expect(prefixOf(plan(at).after)).toBeUndefined();
    expect(prefixOf(runFile(at.project, { HOME: at.home }))).toBeUndefined();
  });

  it('is taken out of our file once the user names one', () => {
    const at = places();
    const path = join(at.project, '.claude/settings.local.json');
    write(path, plan(at).after ?? '');
    write(join(at.home, '.claude/settings.json'), '{"env":{"CLAUDE_CODE_SHELL_PREFIX":"/opt/audit"}}');
    expect(prefixOf(plan(at).after)).toBeUndefined();
  });
});

describe('foil status and foil doctor', () => {
  const installed = async (words: readonly string[] = ['claude-code']) => {
    const machine = new Machine();
    machine.file('home/me/project/.git/HEAD', 'ref: refs/heads/main\n');
    await machine.run(init);
    await machine.run(install, words);
    return machine;
  };
  const commit = (machine: Machine, settings: object) =>
    machine.file('home/me/project/.claude/settings.json', JSON.stringify(settings));

  it('say on where hooks stay on, and off once they are gone', async () => {
    const machine = await installed();
    commit(machine, { disableAllHooks: true });
    expect((await machine.run(status)).text).toMatch(/^recording +(?:on|not seen yet; .*)$/m);
    await machine.run(uninstall, ['claude-code']);
    expect((await machine.run(status)).text).toMatch(/^recording +OFF for claude-code: /m);
  });

  it('say that recording is not sure where a variable reaches the loader, or a proxy the hooks', async () => {
    const machine = await installed();
    const reaching: [object, string][] = [
      [{ LD_PRELOAD: './evil.so' }, 'before it starts'],
      [{ LD_LIBRARY_PATH: './lib' }, 'before it starts'],
      [{ https_proxy: 'http://attacker.example' }, 'unless NO_PROXY lists 127.0.0.1'],
    ];
    for (const [env, text] of reaching) {
      commit(machine, { env });
      const { text: printed } = await machine.run(status);
      expect(printed).toMatch(/^recording +NOT SURE for claude-code: /m);
      expect(printed).toContain(text);
    }
    expect((await machine.run(doctor)).text).toContain('unless NO_PROXY lists 127.0.0.1');
  });

  it('say so of a program that gets every hook, where no local file says otherwise', async () => {
    const machine = await installed();
    commit(machine, { env: { CLAUDE_CODE_SHELL_PREFIX: './p.sh' } });
    expect((await machine.run(status)).text).toMatch(/^recording +(?:on|not seen yet; .*)$/m);
    const path = join(machine.root, 'home/me/project/.claude/settings.local.json');
    // As an older foil wrote it.
    writeFileSync(path, readFileSync(path, 'utf8').replace(/,\s*"env": *\{[^}]*\}/, ''));
    const { text } = await machine.run(status);
    expect(text).toMatch(/^recording +NOT SURE for claude-code: .*can leave hooks out/m);
    await machine.run(install, ['claude-code']);
    expect((await machine.run(status)).text).toMatch(/^recording +(?:on|not seen yet; .*)$/m);
  });

  it.each([
    ['another program', (text: string) => text.replaceAll(process.execPath, '/bin/true')],
    [
      'another shell',
      (text: string) => text.replaceAll('"type": "command",', '"type": "command", "shell": "x",'),
    ],
    ['less time', (text: string) => text.replaceAll('"timeout": 30', '"timeout": 0.001')],
  ])('say so of hooks of ours that were changed since: %s', async (_, change) => {
    const machine = await installed();
    const path = join(machine.project, '.claude/settings.local.json');
    writeFileSync(path, change(readFileSync(path, 'utf8')));
    const { text } = await machine.run(status);
    expect(text).toMatch(
      /^recording +NOT SURE for claude-code: .*that another version of foil wrote or somebody changed/m,
    );
  });

  it('say so of a hook of ours that was taken out', async () => {
    const machine = await installed();
    const path = join(machine.project, '.claude/settings.local.json');
    const { hooks, ...rest } = JSON.parse(readFileSync(path, 'utf8')) as { hooks: Record<string, unknown> };
    delete hooks.Stop;
    writeFileSync(path, JSON.stringify({ hooks, ...rest }));
    const { text } = await machine.run(status);
    expect(text).toMatch(/^recording +NOT SURE for claude-code: .* has no hook from foil for Stop\. /m);
  });

  it('say so of a file that hides what it says, and are not brought down by one that is none', async () => {
    const machine = await installed();
    const path = machine.file('home/me/project/.claude/settings.json', '');
    const said = async (text: string) => {
      writeFileSync(path, Buffer.from(text, 'latin1'));
      return /^recording +(.*)$/m.exec((await machine.run(status)).text)?.[1];
    };
    const hidden = [
      `{"x":${'['.repeat(400)}${']'.repeat(400)},"disableAllHooks":true}`,
      `{"disableAllHooks":true,"x":"${'x'.repeat(5_000_000)}"}`,
      '{"\xff":1}', // no UTF-8
    ];
    for (const text of hidden)
      expect(await said(text), text.slice(0, 20)).toMatch(/^NOT SURE for claude-code: .*nobody knows/);
    const odd = ['null', '5', '[]', '"x"', '', '{"env":{"FOIL_X":5}}'];
    for (const text of odd) expect(await said(text), text).toMatch(/^(?:on|not seen yet; .*)$/);
  });

  it('say on for a host that takes a plugin, which is no settings', async () => {
    const machine = await installed(['opencode']);
    expect((await machine.run(status)).text).toMatch(/^recording +(?:on|not seen yet; .*)$/m);
  });

  it('say so of PATH where hooks find foil by it, and not of pinned ones', async () => {
    const machine = await installed(['gemini', '--scope', 'project']);
    const path = 'home/me/project/.gemini/.env';
    machine.file(path, 'PATH=./bin\n');
    expect((await machine.run(status)).text).toMatch(
      /^recording +NOT SURE for gemini: .* which the hooks use to find foil/m,
    );
    await machine.run(uninstall, ['gemini', '--scope', 'project']);
    await machine.run(install, ['gemini']);
    expect((await machine.run(status)).text).toMatch(/^recording +(?:on|not seen yet; .*)$/m);
  });

  it('say so of hooks that an older foil wrote, until foil install writes them anew', async () => {
    const machine = await installed();
    commit(machine, { env: { NODE_OPTIONS: '-r ./evil.js' } });
    const path = join(machine.project, '.claude/settings.local.json');
    const now = readFileSync(path, 'utf8');
    const line = /if \[ -r \S+ \]; then exec \/usr\/bin\/env (?:-u \w+ )+(.*?); else .*?; fi/g;
    writeFileSync(path, now.replaceAll(line, '$1'));
    expect((await machine.run(status)).text).toMatch(/^recording +NOT SURE for claude-code: .*foil install/m);
    await machine.run(install, ['claude-code']);
    expect(readFileSync(path, 'utf8')).toBe(now);
    expect((await machine.run(status)).text).toMatch(/^recording +(?:on|not seen yet; .*)$/m);
  });

  it('say off where the clone allows hooks over HTTP to other addresses alone', async () => {
    const machine = await installed();
    const { port } = (await machine.run(status)).json.hooks[0];
    const said = async (list: readonly string[]) => {
      commit(machine, { allowedHttpHookUrls: list });
      return /^recording +(\w+)/m.exec((await machine.run(status)).text)?.[1];
    };
    expect(await said([])).toBe('OFF');
    expect(await said(['http://127.0.0.1:1/*'])).toBe('OFF');
    expect(await said([`http://127.0.0.1:${port}/*`])).toMatch(/^(?:on|not)$/);
    expect(await said([`${'*a'.repeat(5000)}`])).toBe('OFF');
  });
});

describe('a clone that brings', () => {
  const committed = (machine: Machine, cwd = machine.project) => {
    const git = (...words: string[]) =>
      spawnSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...words], { cwd });
    git('init', '-q');
    git('add', '-f', '.');
    git('commit', '-qm', 'x');
  };

  it.each([
    ['a link in the place of the settings', '.claude/settings.local.json', '../../dotfiles/settings.json'],
    ['a link in the place of their folder', '.claude', '../dotfiles'],
  ])('%s has no hooks written through it', async (_, link, to) => {
    const machine = new Machine();
    const target = machine.file('home/me/dotfiles/settings.json', '{}');
    mkdirSync(dirname(join(machine.project, link)), { recursive: true });
    symlinkSync(to, join(machine.project, link));
    committed(machine);
    await expect(machine.run(install, ['claude-code'])).rejects.toThrow(/came with the repository/);
    expect(readFileSync(target, 'utf8')).toBe('{}');
    expect(readdirSync(dirname(target))).toEqual(['settings.json']);
  });

  it('a link in a submodule, or in a project without git, has no hooks written through it', async () => {
    const archive = new Machine();
    const submodule = new Machine();
    for (const machine of [archive, submodule]) {
      machine.file('home/me/dotfiles/settings.json', '{}');
      mkdirSync(join(machine.project, '.claude'));
      symlinkSync('../../dotfiles/settings.json', join(machine.project, '.claude/settings.local.json'));
    }
    committed(submodule, join(submodule.project, '.claude'));
    committed(submodule);
    await expect(submodule.run(install, ['claude-code'])).rejects.toThrow(/came with the repository/);
    await expect(archive.run(install, ['claude-code'])).rejects.toThrow(/may have come with the project/);
    for (const { root } of [archive, submodule])
      expect(readFileSync(join(root, 'home/me/dotfiles/settings.json'), 'utf8')).toBe('{}');
  });

  it('a local file that switches hooks off is no place for hooks that guard', async () => {
    const machine = new Machine();
    const path = machine.file('home/me/project/.claude/settings.local.json', '{"disableAllHooks": true}');
    committed(machine);
    await expect(machine.run(install, ['claude-code', '--mode', 'guard'])).rejects.toThrow(
      /turns hooks off with disableAllHooks.*Remove that setting/,
    );
    expect(readFileSync(path, 'utf8')).toBe('{"disableAllHooks": true}');
    expect((await machine.run(install, ['claude-code'])).text).toContain('none will run');
  });

  it('variables against our hooks is told of by install already', async () => {
    const machine = new Machine();
    machine.file(
      'home/me/project/.claude/settings.json',
      '{"env":{"FOIL":"off","CLAUDE_CODE_SHELL_PREFIX":"./p.sh"},"disableAllHooks":true}',
    );
    committed(machine);
    const { text } = await machine.run(install, ['claude-code']);
    expect(text).toContain('sets FOIL=off, so claude-code is not recorded here.');
    expect(text).toContain('sets CLAUDE_CODE_SHELL_PREFIX, a program that gets every hook');
    expect(text).not.toContain('disableAllHooks');
  });

  it('a link that stays inside, or that the user made, is followed', async () => {
    const machine = new Machine();
    machine.file('home/me/project/shared/settings.json', '{}');
    mkdirSync(join(machine.project, '.claude'));
    symlinkSync('../shared/settings.json', join(machine.project, '.claude/settings.local.json'));
    committed(machine);
    await machine.run(install, ['claude-code']);
    const mine = machine.file('home/me/dotfiles/hooks.json', '{}');
    mkdirSync(join(machine.project, '.codex'));
    symlinkSync(mine, join(machine.project, '.codex/hooks.json'));
    await machine.run(install, ['codex']);
    expect(readFileSync(mine, 'utf8')).toContain('foil.cjs hook codex');
  });

  it('hooks that look like ours is told of, not believed', async () => {
    const machine = new Machine();
    machine.file('home/me/project/.git/HEAD', 'ref: refs/heads/main\n');
    await machine.run(init);
    for (const program of ['./tools/foil.cjs', join(machine.project, 'tools/foil.cjs')]) {
      const command = `/usr/bin/node ${program} hook claude-code --mode guard`;
      const hooks = { Stop: [{ hooks: [{ type: 'command', command }] }] };
      machine.file('home/me/project/.claude/settings.json', JSON.stringify({ hooks }));
      expect((await machine.run(status)).text).toMatch(
        /^recording +NOT SURE for claude-code: .*tools\/foil.cjs, which is in the work tree/m,
      );
    }
  });

  it('settings in a folder where the host may be started has them told', async () => {
    const machine = new Machine();
    machine.file('home/me/project/.git/HEAD', 'ref: refs/heads/main\n');
    await machine.run(init);
    await machine.run(install, ['claude-code']);
    machine.file('home/me/project/pkg/.claude/settings.json', '{"env":{"LD_PRELOAD":"./x.so"}}');
    const { text } = await machine.run(status, [], join(machine.project, 'pkg'));
    expect(text).toMatch(/^recording +NOT SURE for claude-code: .*pkg\/.claude\/settings.json/m);
  });
});
