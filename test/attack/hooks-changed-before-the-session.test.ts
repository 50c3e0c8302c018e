// Hooks that were taken away or changed before a session began. They are what the session is held against from then on, so
// its first look holds them against what `foil install` writes. Hooks of an earlier version see as much, and are not blind.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localWiring } from '../../src/app/hosts/installed.ts';
import { opencodePlugin } from '../../src/capture/hooks/index.ts';
import { applyPlan, hooksAsWritten, planInstall, type Wiring } from '../../src/capture/settings/index.ts';
import { ClaudeSession } from '../e2e/claude-host.ts';
import { fastDirectory, removeDirectory } from '../temporary.ts';
import { codes, guardedProject } from './guarded-project.ts';

type Hook = Record<string, unknown>;
interface Group extends Hook {
  matcher?: string;
  hooks: Hook[];
}
interface Settings extends Hook {
  hooks: Record<string, Group[]>;
}
type Change = (settings: Settings) => void;

const stop = (change: (hook: Hook) => void): Change => {
  return ({ hooks }) => {
    for (const group of hooks.Stop ?? []) for (const hook of group.hooks) change(hook);
  };
};
const command = (from: string | RegExp, to: string): Change =>
  stop((hook) => void Object.assign(hook, { command: String(hook.command).replace(from, to) }));

const SERVICE = { port: 47_123, token: 'a-token' };
let root: string;
let places: { project: string; home: string; env: NodeJS.ProcessEnv };

beforeAll(() => {
  root = mkdtempSync(join(fastDirectory, 'foil-hooks-'));
  places = { project: join(root, 'work'), home: join(root, 'home'), env: {} };
  for (const each of [places.project, places.home]) mkdirSync(each);
});

afterAll(() => removeDirectory(root));

const wiringFor = (mode: 'observe' | 'guard' = 'guard'): Omit<Wiring, 'scope'> => ({
  mode,
  node: '/usr/bin/node',
  foil: '/opt/counterfoil/dist/foil.cjs',
  ledger: join(root, 'ledger'),
  service: SERVICE,
});

/** What a session that begins with these settings would be told to be blind for. */
function blind(
  agent: string,
  path: string,
  change: Change,
  mode: 'observe' | 'guard' = 'guard',
): readonly string[] {
  const wiring = wiringFor(mode);
  const file = join(places.project, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '{}');
  applyPlan(planInstall({ agent, places, wiring: { ...wiring, scope: 'local' }, plugin: opencodePlugin }));
  const settings = JSON.parse(readFileSync(file, 'utf8')) as Settings;
  change(settings);
  writeFileSync(file, JSON.stringify(settings));
  return hooksAsWritten(places, { agent, isOurs: () => true, wiring }).blind;
}

const CLAUDE = '.claude/settings.local.json';

describe('a session is blind for the end of a turn if its hook', () => {
  it.each<[string, Change]>([
    ['is gone', ({ hooks }) => void delete hooks.Stop],
    ['runs another program', command('/usr/bin/node', '/bin/true')],
    ['runs another foil', command(/(?<=node )\S+foil\.cjs/, '/tmp/x/foil.cjs')],
    ['writes to another ledger', command(/--ledger \S+/, '--ledger /tmp/other')],
    ['tests for a file that is not there', command(/(?<=-r )\S+/, '/nowhere')],
    [
      'runs only where foil is on the PATH',
      command(/^if .*? then/, 'if command -v foil >/dev/null 2>&1; then'),
    ],
    ['runs in the background', command(/$/, ' &')],
    ['starts without another variable', command('-u NODE_PATH', '-u NODE_PATH -u HOME')],
    ['says that it is another event', command(/hook claude-code/, 'hook claude-code --event Notification')],
    ['is async', stop((hook) => void Object.assign(hook, { async: true }))],
    ['has a condition', stop((hook) => void Object.assign(hook, { if: 'Bash(never)' }))],
    ['has another shell', stop((hook) => void Object.assign(hook, { shell: 'powershell' }))],
    ['is of another type', stop((hook) => void Object.assign(hook, { type: 'prompt' }))],
    [
      'has its words where the host does not look',
      stop((hook) => void Object.assign(hook, { bash: hook.command, command: 'true' })),
    ],
    ['has a millisecond', stop((hook) => void Object.assign(hook, { timeout: 0.001 }))],
    ['has a matcher', ({ hooks }) => void Object.assign(hooks.Stop?.[0] ?? {}, { matcher: 'never' })],
  ])('%s', (_, change) => {
    expect(blind('claude-code', CLAUDE, change)).toEqual(['Stop']);
  });
});

describe('a session is blind for tools if their hook', () => {
  const call = (change: (group: Group) => void): Change => {
    return ({ hooks }) => hooks.PreToolUse?.forEach(change);
  };
  it.each<[string, Change]>([
    ['is for some tools alone', call((group) => void Object.assign(group, { matcher: 'Read' }))],
    ['does not block in guard', call(({ hooks }) => void delete hooks[0]?.onFailure)],
    [
      'goes to another port',
      call(
        ({ hooks }) => void Object.assign(hooks[0] ?? {}, { url: 'http://127.0.0.1:9/v1/hook/claude-code' }),
      ),
    ],
    ['has another token', call(({ hooks }) => void Object.assign(hooks[0] ?? {}, { headers: {} }))],
  ])('%s', (_, change) => {
    expect(blind('claude-code', CLAUDE, change)).toEqual(['PreToolUse']);
  });

  it('may not be sent where it goes', () => {
    const events = blind('claude-code', CLAUDE, (settings) => {
      settings.allowedHttpHookUrls = [];
    });
    expect(events).toContain('PreToolUse');
    expect(events).not.toContain('Stop');
  });
});

describe('in other hosts, too', () => {
  const first = (event: string, change: Hook): Change => {
    return ({ hooks }) =>
      void Object.assign(hooks[event]?.[0]?.hooks?.[0] ?? hooks[event]?.[0] ?? {}, change);
  };
  it.each<[string, string, string, Change]>([
    ['codex', '.codex/hooks.json', 'Stop', ({ hooks }) => void delete hooks.Stop],
    ['gemini', '.gemini/settings.json', 'BeforeTool', first('BeforeTool', { timeout: 30 })],
    ['gemini', '.gemini/settings.json', 'AfterAgent', first('AfterAgent', { name: 'another' })],
    ['copilot', '.github/copilot/settings.local.json', 'Stop', first('Stop', { timeoutSec: 1 })],
    ['copilot', '.github/copilot/settings.local.json', 'Stop', first('Stop', { bash: 'true' })],
    ['cursor', '.cursor/hooks.json', 'preToolUse', first('preToolUse', { failClosed: false })],
    ['cursor', '.cursor/hooks.json', 'stop', first('stop', { matcher: 'never' })],
  ])('%s: %s, %s', (agent, path, event, change) => {
    expect(blind(agent, path, () => {})).toEqual([]);
    expect(blind(agent, path, change)).toEqual([event]);
  });
});

describe('a session is not blind with', () => {
  const commands = (change: (hook: Hook) => void): Change => {
    return ({ hooks }) => {
      for (const hook of Object.values(hooks).flatMap((groups) => groups.flatMap((group) => group.hooks)))
        if (hook.type === 'command') change(hook);
    };
  };
  const line = (mode: string): string =>
    `/usr/bin/node /opt/counterfoil/dist/foil.cjs hook claude-code --ledger ${join(root, 'ledger')}${mode}`;

  it.each<[string, Change]>([
    ['hooks as they are written', () => {}],
    [
      'a program and its arguments, as the first version wrote them',
      commands((hook) => {
        const [program = '', ...args] = line(' --mode guard').split(' ');
        Object.assign(hook, { command: program, args });
      }),
    ],
    ['the command alone', commands((hook) => void Object.assign(hook, { command: line('') }))],
    [
      'exec before it',
      commands((hook) => void Object.assign(hook, { command: `exec ${line(' --mode guard')}` })),
    ],
    [
      'hooks of others beside ours',
      ({ hooks }) => void hooks.Stop?.[0]?.hooks.push({ type: 'command', command: 'say done', async: true }),
    ],
  ])('%s', (_, change) => {
    for (const mode of ['observe', 'guard'] as const)
      expect(blind('claude-code', CLAUDE, change, mode)).toEqual([]);
  });

  it('the hooks of Codex from before it had an end of a session', () => {
    expect(blind('codex', '.codex/hooks.json', ({ hooks }) => void delete hooks.SessionEnd)).toEqual([]);
  });

  it('no hooks in any file, because they were given on the command line', () => {
    expect(blind('claude-code', CLAUDE, (settings) => void Object.assign(settings, { hooks: {} }))).toEqual(
      [],
    );
  });
});

describe('the ledger of a session that began without its last hook', () => {
  it('says so, and verify calls it BLIND', async () => {
    const { project, tell, verify } = await guardedProject();
    mkdirSync(join(project.work, '.git'));
    writeFileSync(join(project.work, '.git/HEAD'), 'ref: refs/heads/main\n');
    const here = { project: project.work, home: project.env.HOME ?? '', env: project.env };
    const wiring = localWiring('guard', project.directory, project.env);
    applyPlan(planInstall({ agent: 'claude-code', places: here, wiring, plugin: opencodePlugin }));
    const whole = new ClaudeSession('s-whole', project.work);
    for (const event of [whole.start(), whole.prompt('Hello'), whole.stop('Hello.'), whole.end()])
      await tell(event);
    expect(codes(await verify(), 'completeness')).toEqual([]);

    const path = join(project.work, CLAUDE);
    const settings = JSON.parse(readFileSync(path, 'utf8')) as Settings;
    delete settings.hooks.Stop;
    settings.env = { CLAUDE_CODE_SHELL_PREFIX: '/tmp/drop' };
    writeFileSync(path, JSON.stringify(settings));
    const agent = new ClaudeSession('s-blind', project.work);
    for (const event of [agent.start(), agent.prompt('Hello'), agent.end()]) await tell(event);
    const told = project.recorded().filter(({ payload }) => payload.what === 'hooks');
    expect(told.map(({ payload }) => payload)).toEqual([
      { what: 'hooks', missing: ['Stop', 'environment'], start: true },
    ]);
    const report = await verify();
    expect(codes(report, 'completeness')).toEqual(['HOOKS_MISSING']);
    expect(report.sentence).toContain('when the session began, hooks were missing');
    expect(report.sentence).toContain('BLIND');
  });
});

describe('hooks as `foil install` writes them', () => {
  it.each([
    ['claude-code', CLAUDE],
    ['codex', '.codex/hooks.json'],
    ['gemini', '.gemini/settings.json'],
    ['copilot', '.github/hooks/counterfoil.json'],
    ['cursor', '.cursor/hooks.json'],
  ])('of %s are blind for nothing', (agent, path) => {
    expect(blind(agent, path, () => undefined)).toEqual([]);
    expect(blind(agent, path, () => undefined, 'observe')).toEqual([]);
  });
});
