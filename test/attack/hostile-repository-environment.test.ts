// A committed settings file of a host sets the environment of its hooks. In guard nothing of that switches recording off,
// and in no mode does it choose the ledger of a pinned hook, its notes, its keys or its session.
import { mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { locateHook, runIn } from '../../src/app/hook/hook-ledger.ts';
import { adapterOf } from '../../src/capture/hooks/index.ts';
import { doctor } from '../../src/cli/commands/doctor.ts';
import { init } from '../../src/cli/commands/init.ts';
import { install } from '../../src/cli/commands/install.ts';
import { mode } from '../../src/cli/commands/mode.ts';
import { run } from '../../src/cli/commands/run.ts';
import { status } from '../../src/cli/commands/status.ts';
import { openRecorder } from '../../src/entry/index.ts';
import { locate, projectDirectory } from '../../src/ledger/index.ts';
import { answerHook, type HookPlace, runtimeDirectory, writePause } from '../../src/record/index.ts';
import { noteOff } from '../../src/record/missed/missed.ts';
import { authDirectory } from '../../src/session/index.ts';
import { ClaudeSession } from '../e2e/claude-host.ts';
import { newProject } from '../e2e/recorded-project.ts';
import { temporary } from '../temporary.ts';
import { Machine } from './hostile-clone.ts';

const OFF = { FOIL: 'off' };

describe('FOIL=off from a committed settings file', () => {
  it.each([
    ['its command line pins guard', { mode: 'guard' as const }],
    ['the settings of the ledger say guard', {}],
  ])('does not count where %s: the call is on record', async (_, words) => {
    const project = await newProject();
    if (!('mode' in words)) project.settings('guard');
    for (const value of ['off', '0', 'no', 'FALSE'])
      await project.hook('claude-code', new ClaudeSession('s').call(`c-${value}`), {
        ...words,
        env: { FOIL: value },
      });
    expect(project.recorded().map(({ kind }) => kind)).toEqual([
      'session.start',
      ...Array(4).fill('tool.call'),
    ]);
  });

  it('does not count where the settings can’t be understood', async () => {
    const project = await newProject();
    writeFileSync(join(project.directory, 'settings'), '{"v":1,"mode":"gua');
    await project.hook('claude-code', new ClaudeSession('s').call('c1'), { env: OFF });
    expect(project.recorded().map(({ kind }) => kind)).toContain('tool.call');
  });

  it('a note of it does not silence the service in guard', async () => {
    const runtime = join(realpathSync(temporary()), 'a/b');
    noteOff(runtime, 's', Date.now());
    const adapter = adapterOf('claude-code');
    if (adapter === undefined) throw new Error('no adapter');
    const answer = (how: 'observe' | 'guard', off = false) =>
      answerHook({
        adapter,
        body: Buffer.from(JSON.stringify(new ClaudeSession('s').call('c1'))),
        event: null,
        pinned: 'observe',
        remote: !off,
        off,
        place: (): HookPlace => ({
          mode: how,
          release: null,
          paused: false,
          runtime,
          clean: (text) => text,
          warning: null,
          broken: null,
          root: null,
          recorder: () => Promise.reject(new Error('it was to be recorded')),
        }),
      });
    expect((await answer('observe')).failure).toBeNull();
    expect((await answer('observe', true)).failure).toBeNull();
    expect((await answer('guard')).answer.stdout).toContain('it was to be recorded');
    expect((await answer('guard', true)).answer.stdout).toContain('it was to be recorded');
  });

  it('does not keep foil run from recording in guard, and does in observe', async () => {
    const machine = new Machine();
    const { directory } = (await machine.run(init)).json;
    machine.env.FOIL = 'off';
    const entries = () =>
      readdirSync(join(directory, 'ledger')).flatMap((name) =>
        readFileSync(join(directory, 'ledger', name), 'utf8')
          .trim()
          .split('\n'),
      );
    const before = entries().length;
    await machine.run(run, ['--', 'true']);
    expect(entries()).toHaveLength(before);
    await machine.run(mode, ['guard']);
    await machine.run(run, ['--', 'true']);
    expect(entries().some((line) => line.includes('"kind":"session.end"'))).toBe(true);
  });
});

describe('foil status and foil doctor', () => {
  const committed = async (settings: object, how = 'observe') => {
    const machine = new Machine();
    machine.file('home/me/project/.git/HEAD', 'ref: refs/heads/main\n');
    await machine.run(init);
    await machine.run(mode, [how]);
    await machine.run(install, ['claude-code']);
    const path = machine.file('home/me/project/.claude/settings.json', JSON.stringify(settings));
    return { machine, path };
  };

  it.each([
    [{ env: OFF }, 'sets FOIL=off, so claude-code is not recorded here'],
    [{ allowedHttpHookUrls: ['https://example.org/*'] }, "doesn't allow hooks over HTTP to foil's service"],
  ])('say that recording is off where a committed file says %j', async (settings, text) => {
    const { machine, path } = await committed(settings);
    const { text: printed } = await machine.run(status);
    expect(printed).toMatch(/^recording +OFF for claude-code: /m);
    expect(printed).toContain(`${path} ${text}`);
    expect((await machine.run(doctor)).text).toContain(`${path} ${text}`);
  });

  it('say in guard that such a file is there and does not count', async () => {
    const { machine, path } = await committed(
      { env: { FOIL: 'off', XDG_STATE_HOME: '/x', NODE_OPTIONS: '-r x' } },
      'guard',
    );
    const { text } = await machine.run(status);
    expect(text).toMatch(/^recording +(?:on|not seen yet; .*)$/m);
    expect(text).toContain(`${path} sets FOIL=off, which has no effect in guard mode`);
    expect(text).toContain(`${path} sets XDG_STATE_HOME, which doesn't affect hooks`);
    expect(text).toContain(`${path} sets NODE_OPTIONS, which is removed before hooks start`);
  });

  it('see the .env files that Gemini CLI reads', async () => {
    const { machine } = await committed({});
    const path = machine.file('home/me/project/.gemini/.env', '# x\nexport FOIL="off"\nOTHER=1\n');
    expect((await machine.run(status)).text).toContain(`${path} sets FOIL=off`);
  });
});

describe('variables in the environment of a hook', () => {
  const hostile = (root: string): NodeJS.ProcessEnv => ({
    HOME: root,
    XDG_STATE_HOME: join(root, 'state'),
    XDG_CONFIG_HOME: join(root, 'config'),
    XDG_RUNTIME_DIR: join(root, 'run'),
    TMPDIR: root,
    FOIL_LEDGER: join(root, 'ledger'),
    FOIL_SESSION: 'a'.repeat(64),
  });

  it('choose neither ledger nor keys, auth keys or notes of one that is pinned', async () => {
    const machine = new Machine();
    const { directory, key_directory } = (await machine.run(init)).json;
    const env = hostile(machine.project);
    const { located } = locateHook({ ledger: directory, cwd: machine.project, env });
    expect(located).toMatchObject({ directory, keyDirectory: key_directory });
    expect(authDirectory(located)).toBe(authDirectory(locate({ ledger: directory, env: machine.env })));
    const runtime = runtimeDirectory(directory, machine.env);
    expect(runtime.startsWith(join(machine.root, 'run'))).toBe(true);
    expect(runtimeDirectory(directory, env)).toBe(runtime);
    expect(runIn(directory, { ...env, FOIL_LEDGER: directory })).toBeUndefined();
  });

  it('a pause that the repository brings pauses nothing', async () => {
    const project = await newProject();
    project.settings('guard');
    // As it would lie in a clone: owned by the user, and where the variable points.
    const clone = realpathSync(project.work);
    const brought = join(clone, 'run/counterfoil', encodeURIComponent(project.directory).slice(-200));
    mkdirSync(brought, { recursive: true, mode: 0o700 });
    writePause(project.directory, new Date(Date.now() + 3_600_000).toISOString(), {
      locked: false,
      runtime: brought,
    });
    const env = { XDG_RUNTIME_DIR: join(clone, 'run'), TMPDIR: clone };
    await project.hook('claude-code', new ClaudeSession('s').call('c1'), { env });
    expect(project.recorded().map(({ kind }) => kind)).toContain('tool.call');
  });

  it('do not lead a hook that is not pinned to a ledger of the repository’s', async () => {
    const machine = new Machine();
    machine.file('home/me/project/.git/HEAD', 'ref: refs/heads/main\n');
    const cwd = machine.project;
    const { directory } = (await machine.run(init)).json;
    const ask = (env: NodeJS.ProcessEnv) => locateHook({ ledger: undefined, cwd, env }).located.directory;
    expect(ask(machine.env)).toBe(directory);
    expect(ask({ ...machine.env, FOIL_LEDGER: join(cwd, 'ledger') })).toBe(directory);
    // One that the clone has ready, at the very place where the variable leads.
    const state = join(cwd, 'state');
    const evil = projectDirectory(cwd, { XDG_STATE_HOME: state });
    await machine.run(init, ['--ledger', evil]);
    for (const env of [
      { ...machine.env, XDG_STATE_HOME: state },
      { ...machine.env, XDG_STATE_HOME: join(machine.root, 'nowhere') },
    ])
      expect(() => ask(env)).toThrow(/A repository can set such variables/);
  });

  it('a ledger of the login’s own counts before one that variables would have made', () => {
    const cwd = realpathSync(temporary());
    const ask = (env: NodeJS.ProcessEnv) => locateHook({ ledger: undefined, cwd, env, login }).located;
    const login = { XDG_STATE_HOME: join(cwd, 'me/state'), XDG_CONFIG_HOME: join(cwd, 'me/config') };
    // There is none: the first event makes one where the system says that the user's is, and nowhere else.
    expect(ask(login)).toMatchObject({
      directory: projectDirectory(cwd, login),
      keyDirectory: join(cwd, 'me/config/counterfoil/keys'),
    });
    for (const env of [
      { ...login, XDG_STATE_HOME: join(cwd, 'state') },
      { ...login, XDG_CONFIG_HOME: join(cwd, 'config') },
    ])
      expect(() => ask(env)).toThrow(/doesn't name a ledger/);
  });

  it('name the session of foil run only where the ledger knows it', async () => {
    const project = await newProject();
    const recorder = await openRecorder({ place: project.located, cwd: project.work });
    onTestFinished(() => recorder.close());
    const session = await recorder.session();
    const named = { FOIL_SESSION: session.id, FOIL_LEDGER: project.directory };
    expect(runIn(project.directory, { ...named, FOIL_SESSION: 'b'.repeat(64) })).toBeUndefined();
    expect(runIn(project.directory, { ...named, FOIL_LEDGER: project.work })).toBeUndefined();
    const env = { ...project.env, FOIL_SESSION: 'b'.repeat(64), FOIL_LEDGER: project.directory };
    await project.hook('claude-code', new ClaudeSession('s').call('c1'), { env });
    expect(project.recorded().some(({ session_id }) => session_id === 'b'.repeat(64))).toBe(false);
  });

  it('do not have a hook write into the installation', async () => {
    const project = await newProject();
    const dist = join(import.meta.dirname, '../../dist');
    const caches = () =>
      readdirSync(dist, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.includes('.cache'))
        .map((name) => [name, statSync(join(dist, name)).mtimeMs]);
    const before = caches();
    for (const name of ['start', 'gate', 'relay', '../evil'])
      await project.hook('claude-code', new ClaudeSession('s').call(`c-${name}`), {
        env: { FOIL_COMPILE: name },
      });
    expect(caches()).toEqual(before);
  });
});
