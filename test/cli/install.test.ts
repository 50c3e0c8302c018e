// foil install and uninstall as people type them, through the built file, in a home and a project of their own.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ends, FOIL, Sandbox } from './foil.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
  // Nothing that happens to be installed on this machine.
  mkdirSync(join(sandbox.root, 'bin'));
  sandbox.env.PATH = `${join(sandbox.root, 'bin')}:${dirname(spawnSync('which', ['git'], { encoding: 'utf8' }).stdout.trim() || '/usr/bin/git')}`;
});
afterEach(() => sandbox.remove());

type Report = {
  mode: string;
  ledger: string | null;
  port: number | null;
  agents: { agent: string; path: string; change: string; next: string[]; seen: boolean; diff?: string }[];
  warnings: string[];
};
type Hook = {
  type: string;
  command?: string;
  args?: string[];
  url?: string;
  headers?: Record<string, string>;
  onFailure?: string;
};
type Settings = { hooks: Record<string, { hooks: Hook[] }[]> };

const install = (...words: string[]) => sandbox.json(['install', ...words]) as Report;
const settings = (name = '.claude/settings.local.json') => JSON.parse(sandbox.read(name)) as Settings;

function files(): string[] {
  return readdirSync(sandbox.work, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('.git/') && name !== '.git')
    .sort();
}

describe('foil install', () => {
  it('B15 claude-code makes the ledger, pins paths, ledger, port and token, and says to restart', () => {
    const text = sandbox.ok(['install', 'claude-code']);
    expect(text).toContain('Claude Code: ');
    expect(text).toContain('(new), mode observe');
    expect(text).toContain('Restart Claude Code');
    const names = readdirSync(join(sandbox.root, 'state/counterfoil'));
    const [name = ''] = names.filter((each) => each !== 'modes' && each !== 'sessions');
    const ledger = join(sandbox.root, 'state/counterfoil', name);
    const kept = JSON.parse(readFileSync(join(ledger, 'settings'), 'utf8'));
    expect(kept).toMatchObject({ v: 1, mode: 'observe', port: expect.any(Number) });
    const token = readFileSync(join(ledger, 'service/token'), 'utf8').trim();
    expect(statSync(join(ledger, 'service/token')).mode & 0o777).toBe(0o600);
    const { hooks } = settings();
    expect(hooks.Stop?.[0]?.hooks[0]?.command).toMatch(
      new RegExp(
        `then exec /usr/bin/env .* ${process.execPath} ${FOIL} hook claude-code --ledger ${ledger} --keeps disableAllHooks[+]env.CLAUDE_CODE_SHELL_PREFIX; else echo `,
      ),
    );
    expect(hooks.PreToolUse?.[0]?.hooks[0]).toMatchObject({
      url: `http://127.0.0.1:${kept.port}/v1/hook/claude-code`,
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(text).not.toContain(token);
    sandbox.ok(['verify']);
  });

  it('B15 keeps what is there, changes nothing the second time, and uninstall brings the file back', () => {
    const before =
      '{\n\t"permissions": {"allow": ["Bash(ls)"]},\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}\n}';
    mkdirSync(sandbox.path('.claude'));
    sandbox.write('.claude/settings.local.json', before);
    expect(install('claude-code').agents).toMatchObject([{ change: 'update' }]);
    const after = sandbox.read('.claude/settings.local.json');
    expect(after).toContain('mine');
    expect(install('claude-code').agents).toMatchObject([{ change: 'none' }]);
    expect(sandbox.ok(['install', 'claude-code'])).toContain('already has them');
    expect(sandbox.read('.claude/settings.local.json')).toBe(after);
    expect(sandbox.json(['uninstall'])).toMatchObject({
      agents: [{ agent: 'claude-code', change: 'update' }],
      problems: [],
    });
    expect(sandbox.read('.claude/settings.local.json')).toBe(before);
    expect(sandbox.ok(['uninstall'])).toBe('There are no hooks to remove.\n');
  });

  it('B15 leaves no trace in the project after uninstall, for any agent and scope', () => {
    for (const scope of ['local', 'project', 'user']) {
      const home = () => readdirSync(sandbox.root).filter((name) => name !== 'state' && name !== 'config');
      const before = home();
      install('claude-code', 'codex', 'gemini', 'copilot', 'cursor', 'opencode', '--scope', scope);
      expect(scope === 'user' ? home().length : files().length).toBeGreaterThan(5);
      sandbox.ok(['uninstall', '--scope', scope]);
      expect(files()).toEqual([]);
      expect(home()).toEqual(before);
    }
  });

  it('--dry-run shows what would change, without the token, and changes nothing', () => {
    mkdirSync(sandbox.path('.claude'));
    sandbox.write('.claude/settings.local.json', '{\n  "a": 1\n}\n');
    const text = sandbox.ok(['install', 'claude-code', '--dry-run']);
    expect(text).toContain('would change');
    expect(text).toMatch(/^ {3}"a": 1$|^-\s+"a": 1$/m);
    expect(text).toMatch(/^\+ {2}"hooks": \{$/m);
    expect(text).not.toMatch(/Bearer [0-9a-f]/);
    const { agents } = install('claude-code', '--dry-run');
    expect(agents[0]?.diff).toMatch(/^--- .*settings\.local\.json\n\+\+\+ /);
    expect(sandbox.read('.claude/settings.local.json')).toBe('{\n  "a": 1\n}\n');
    expect(existsSync(join(sandbox.root, 'state'))).toBe(false);
    sandbox.ok(['install', 'claude-code']);
    const back = sandbox.ok(['uninstall', '--dry-run']);
    expect(back).toContain('would be changed back');
    expect(back).not.toMatch(/Bearer [0-9a-f]/);
    expect(sandbox.read('.claude/settings.local.json')).toContain('hook');
  });

  it('finds the agents that are here, and says what it looked for where there is none', () => {
    const none = sandbox.run(['install']);
    expect(none.code).toBe(3);
    expect(none.stderr).toContain('found no agent on PATH');
    expect(none.stderr).toContain('foil install claude-code');
    mkdirSync(sandbox.path('.gemini'));
    mkdirSync(join(sandbox.root, '.codex'));
    writeFileSync(join(sandbox.root, 'bin/claude'), '');
    chmodSync(join(sandbox.root, 'bin/claude'), 0o755);
    const { agents } = install();
    expect(agents.map(({ agent, seen }) => [agent, seen])).toEqual([
      ['claude-code', true],
      ['codex', true],
      ['gemini', true],
    ]);
    expect(agents[1]?.next.join(' ')).toContain('/hooks');
  });

  it('keeps port and token when it is called again, and never lowers the mode', () => {
    const first = install('claude-code', '--mode', 'guard');
    const before = settings();
    expect(before.hooks.PreToolUse?.[0]?.hooks[0]?.onFailure).toBe('block');
    const second = install('claude-code');
    expect([second.mode, second.port]).toEqual(['guard', first.port]);
    expect(settings()).toEqual(before);
    expect(install('claude-code', '--mode', 'locked', '--socket', '/run/foil/s').port).toBe(null);
    const types = Object.values(settings().hooks).flatMap((groups) =>
      groups.flatMap(({ hooks }) => hooks.map(({ type }) => type)),
    );
    expect(new Set(types)).toEqual(new Set(['command']));
  });

  it('works from a folder inside the project, and names the ledger it is told', () => {
    mkdirSync(sandbox.path('.git'));
    mkdirSync(sandbox.path('deep/er'), { recursive: true });
    const { status } = spawnSync(process.execPath, [FOIL, 'install', 'codex', '--ledger', '../../own'], {
      cwd: sandbox.path('deep/er'),
      env: sandbox.env,
    });
    expect(status).toBe(0);
    expect(sandbox.read('.codex/hooks.json')).toContain(`--ledger ${sandbox.path('own')} --state `);
    expect(existsSync(sandbox.path('own/ledger'))).toBe(true);
  });

  it('pins no ledger in user scope and makes none', () => {
    const { ledger } = install('claude-code', '--scope', 'user');
    expect(ledger).toBe(null);
    const text = readFileSync(join(sandbox.root, '.claude/settings.json'), 'utf8');
    expect(text).toContain(FOIL);
    expect(text).not.toContain('--ledger');
    expect(existsSync(join(sandbox.root, 'state'))).toBe(false);
    const { warnings } = install('claude-code');
    expect(warnings.join()).toContain('foil uninstall claude-code --scope user');
  });

  it('warns of what git would commit', () => {
    const git = (...words: string[]) => spawnSync('git', words, { cwd: sandbox.work, env: sandbox.env });
    git('init', '-q');
    expect(install('claude-code').warnings.join()).toContain(
      "git doesn't ignore .claude/settings.local.json",
    );
    sandbox.write('.gitignore', '.claude/*.local.json\n');
    expect(install('claude-code').warnings).toEqual([]);
    mkdirSync(sandbox.path('.cursor'));
    sandbox.write('.cursor/hooks.json', '{"version":1,"hooks":{}}');
    git('add', '.cursor/hooks.json');
    expect(install('cursor').warnings.join()).toContain('git tracks .cursor/hooks.json');
    expect(install('gemini', '--scope', 'project').warnings).toEqual([]);
  });

  it('writes nothing at all where one file can’t be edited', () => {
    mkdirSync(sandbox.path('.gemini'));
    sandbox.write('.gemini/settings.json', '{"hooks": 1}');
    const { code, stderr } = sandbox.run(['install', 'claude-code', 'gemini']);
    expect(code).toBe(1);
    expect(stderr).toContain('.gemini/settings.json: hooks: not an object');
    expect(files()).toEqual(['.gemini', '.gemini/settings.json']);
    expect(existsSync(join(sandbox.root, 'state'))).toBe(false);
  });

  it('uninstalls the others where one file can’t be read, and says so', () => {
    install('claude-code', 'codex');
    sandbox.write('.codex/hooks.json', '{');
    const { code, stdout } = sandbox.run(['uninstall']);
    expect(code).toBe(1);
    expect(stdout).toContain('not changed: ');
    expect(files()).toEqual(['.codex', '.codex/hooks.json']);
  });

  it.each([
    [['install', 'claud-code'], 'Did you mean claude-code?'],
    [['install', 'claude-code', '--scope', 'team'], 'Unknown scope "team". Use one of local, project, user'],
    [
      ['install', 'claude-code', '--mode', 'strict'],
      'Unknown mode "strict". Use one of observe, guard, locked',
    ],
    [['uninstall', '--scope', 'x'], 'Unknown scope "x"'],
  ])('refuses %j', (words, message) => {
    const { code, stderr } = sandbox.run(words);
    expect([code, stderr.includes(message)]).toEqual([2, true]);
  });

  const NOBODY = 65_534;
  const as = (words: string[], uid: number) => {
    const { status, stderr } = spawnSync(process.execPath, [FOIL, ...words], {
      cwd: sandbox.work,
      env: sandbox.env,
      encoding: 'utf8',
      uid,
      gid: uid,
    });
    return { code: status, stderr };
  };

  it.skipIf(process.getuid?.() !== 0)('writes nothing where the folder is another’s', () => {
    chmodSync(sandbox.root, 0o755);
    mkdirSync(join(sandbox.root, 'state'));
    chmodSync(join(sandbox.root, 'state'), 0o777);
    const { code, stderr } = as(['install', 'claude-code'], NOBODY);
    expect([code, stderr]).toEqual([1, expect.stringContaining('permission denied')]);
    expect(files()).toEqual([]);
    expect(readdirSync(join(sandbox.root, 'state'))).toEqual([]);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'names another’s ledger in locked mode alone, without touching it',
    () => {
      const ledger = join(sandbox.root, 'theirs');
      chmodSync(sandbox.root, 0o755);
      sandbox.ok(['init', '--ledger', ledger]);
      chmodSync(ledger, 0o700);
      chmodSync(sandbox.work, 0o777);
      const refused = as(['install', 'claude-code', '--ledger', ledger], NOBODY);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--mode locked')]);
      expect(files()).toEqual([]);
      const words = [
        'install',
        'claude-code',
        '--ledger',
        ledger,
        '--mode',
        'locked',
        '--socket',
        '/run/foil/s',
      ];
      expect(as(words, NOBODY)).toEqual({ code: 0, stderr: '' });
      const line = settings().hooks.PreToolUse?.[0]?.hooks[0]?.command;
      expect(line).toMatch(/ hook claude-code --socket \/run\/foil\/s --mode locked --keeps \S+; else /);
      expect(sandbox.run(['install', 'codex', '--mode', 'locked']).stderr).toContain('--socket PATH');
    },
  );

  it('twenty at once leave one whole file, and all say so', async () => {
    const children = Array.from({ length: 20 }, () => sandbox.start(['install', 'claude-code', 'codex']));
    const codes = await Promise.all(children.map(async (child) => (await ends(child)).code));
    expect(codes).toEqual(children.map(() => 0));
    expect(install('claude-code', 'codex').agents).toMatchObject([{ change: 'none' }, { change: 'none' }]);
    expect(files()).toEqual(['.claude', '.claude/settings.local.json', '.codex', '.codex/hooks.json']);
    sandbox.ok(['uninstall']);
    expect(files()).toEqual([]);
  });
});
