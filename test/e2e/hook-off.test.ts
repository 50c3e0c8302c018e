// Recording that is off, paused, or loses the ground under it: FOIL=off, `foil pause`, a work tree that is deleted, two
// agents at once, a service that is killed.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ensureLedger } from '../../src/cli/hook-more.ts';
import type { JsonObject } from '../../src/core/index.ts';
import { locate } from '../../src/ledger/index.ts';
import { readState, serviceFiles } from '../../src/service/index.ts';
import { isOurService } from '../../src/service/revive.ts';
import { ClaudeSession } from './claude-host.ts';
import { HOSTS } from './hosts.ts';
import { newProject, type Project, post, type Serving } from './recorded-project.ts';

const OFF = { env: { FOIL: 'off' } };
const kinds = (project: Project): string[] => project.recorded().map(({ kind }) => kind);
const gaps = (project: Project): JsonObject[] =>
  project
    .recorded()
    .filter(({ kind }) => kind === 'gap')
    .map(({ payload }) => payload);

describe('FOIL=off', () => {
  it.each(HOSTS)(
    '$agent: nothing is printed, refused or recorded, and the next event says so',
    async (host) => {
      const project = await newProject();
      const since = Date.now();
      for (const event of [host.prompt('s', 'go'), host.call('s', 'c1')]) {
        const answer = await project.hook(host.agent, event, OFF);
        expect(answer).toEqual({ code: 0, stdout: '', stderr: '' });
      }
      const until = Date.now();
      expect(kinds(project)).toEqual([]);
      await project.tell(host.agent, host.call('s', 'c2'));
      await project.tell(host.agent, host.result('s', 'c2'));
      expect(kinds(project)).toEqual(['session.start', 'gap', 'tool.call', 'tool.result']);
      const [gap] = gaps(project);
      expect(gap).toMatchObject({
        reason: 'off',
        events: null,
        calls: [],
        why: expect.stringContaining('FOIL=off'),
      });
      expect(Date.parse(String(gap?.since))).toBeGreaterThanOrEqual(since - 1);
      expect(Date.parse(String(gap?.until))).toBeLessThanOrEqual(until + 1);
      await project.expectIntact();
    },
  );

  it('works where the ledger is damaged, gone or full of nonsense, and for input that is none', async () => {
    const project = await newProject();
    rmSync(project.directory, { recursive: true });
    for (const input of ['', 'nonsense', '{"session_id":', JSON.stringify({ session_id: '../../x' })]) {
      const answer = await project.hook('claude-code', input, { ...OFF, mode: 'observe' });
      expect(answer).toEqual({ code: 0, stdout: '', stderr: '' });
    }
    const shut = ['/bin/sh', '-c', 'exec "$@" <&-', 'sh'];
    expect(await project.hook('claude-code', '', { ...OFF, mode: 'observe', before: shut })).toMatchObject({
      code: 0,
      stdout: '',
    });
    const names = readdirSync(join(project.root, 'run'), { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => name.includes('x'))).toEqual([]);
  });

  it.each([['--mode', 'locked'], ['--mode=locked']])('is nothing to locked mode (%s)', async (...mode) => {
    const project = await newProject();
    const socket = join(project.root, 'no-such-socket');
    const words = ['hook', 'claude-code', '--ledger', project.directory, ...mode, '--socket', socket];
    const { stdout } = await project.spawn(words, { input: new ClaudeSession('s').call('c1'), ...OFF });
    expect(stdout).toContain('"permissionDecision":"deny"');
  });

  it('is known to the service from the hooks that see the environment, for that session alone', async () => {
    const project = await newProject();
    const serving = await project.serve();
    const off = new ClaudeSession('session-off');
    const on = new ClaudeSession('session-on');
    await project.hook('claude-code', off.start(), OFF);
    await project.hook('claude-code', off.prompt('quietly'), OFF);
    for (const event of [off.call('c1'), off.result('c1'), off.batch('c1')])
      expect(await post(serving, 'claude-code', event)).toMatchObject({ status: 200, body: '' });
    expect(kinds(project)).toEqual([]);
    // Another session is recorded all the while, and it is the first that can tell.
    await post(serving, 'claude-code', on.call('c2'));
    expect(kinds(project)).toEqual(['session.start', 'gap', 'tool.call']);
    await post(serving, 'claude-code', off.call('c3'));
    expect(kinds(project)).toHaveLength(3);
    // The next prompt without FOIL=off switches it on again, told once.
    await project.tell('claude-code', off.prompt('aloud'));
    await post(serving, 'claude-code', off.call('c4'));
    expect(kinds(project).slice(3)).toEqual(['session.start', 'prompt', 'tool.call']);
    expect(gaps(project)).toHaveLength(1);
  });

  it('switched off in the middle of a session: the calls before are not lost, those after not claimed', async () => {
    const project = await newProject();
    const serving = await project.serve();
    const host = new ClaudeSession('s');
    await project.tell('claude-code', host.prompt('one'));
    await post(serving, 'claude-code', host.call('c1'));
    await project.hook('claude-code', host.prompt('two'), OFF);
    await post(serving, 'claude-code', host.result('c1'));
    await post(serving, 'claude-code', host.call('c2'));
    await project.tell('claude-code', host.prompt('three'));
    expect(kinds(project)).toEqual(['session.start', 'prompt', 'tool.call', 'gap', 'prompt']);
    expect(gaps(project)[0]).toMatchObject({ reason: 'off' });
  });
});

describe('foil pause', () => {
  const host = new ClaudeSession('s');

  it('nothing is recorded or refused while it lasts, it is on record, and it ends by itself', async () => {
    const project = await newProject();
    const serving = await project.serve();
    const paused = await project.foil(['pause', '30m', '--ledger', project.directory]);
    expect(paused.code).toBe(0);
    expect(project.recorded()).toMatchObject([{ kind: 'config.change', payload: { what: 'pause' } }]);
    const note = join(project.runtime, 'pause');
    const { until } = JSON.parse(readFileSync(note, 'utf8')) as { until: string };
    expect(project.recorded()[0]?.payload.until).toBe(until);
    project.settings('guard');
    expect(await project.hook('claude-code', host.call('c1'), { mode: 'guard' })).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect(await project.tell('claude-code', 'nonsense', { mode: 'guard' })).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect(await post(serving, 'claude-code', host.call('c2'))).toMatchObject({ status: 200, body: '' });
    expect(kinds(project)).toEqual(['config.change']);
    writeFileSync(note, JSON.stringify({ until: new Date(Date.now() - 1).toISOString() }));
    await project.tell('claude-code', host.call('c3'));
    await post(serving, 'claude-code', host.call('c4'));
    expect(kinds(project)).toEqual(['config.change', 'session.start', 'gap', 'tool.call', 'tool.call']);
  });

  it('also where the ledger is wedged, and that it was paused is told afterwards', async () => {
    const project = await newProject();
    const ledger = join(project.directory, 'ledger');
    const away = join(project.root, 'away');
    expect((await project.foil(['pause', '--ledger', project.directory])).code).toBe(0);
    renameSync(ledger, away);
    expect(await project.tell('claude-code', host.call('c1'), { mode: 'guard' })).toMatchObject({
      code: 0,
      stdout: '',
    });
    const again = await project.foil(['pause', '1h', '--ledger', project.directory, '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ recorded: false });
    renameSync(away, ledger);
    rmSync(join(project.runtime, 'pause'));
    await project.tell('claude-code', host.call('c2'));
    expect(gaps(project)).toMatchObject([
      { reason: 'unrecorded', why: expect.stringContaining('pause') },
      { reason: 'off', why: 'recording was paused', calls: ['c1'] },
    ]);
  });

  it('in locked mode the owner’s pause holds, and a note of the agent’s does not', async () => {
    const project = await newProject();
    project.settings('locked');
    const note = JSON.stringify({ until: new Date(Date.now() + 60_000).toISOString() });
    mkdirSync(project.runtime, { recursive: true, mode: 0o700 });
    writeFileSync(join(project.runtime, 'pause'), note);
    const event = host.call('c1');
    const words = ['hook', 'claude-code', '--ledger', project.directory];
    await project.spawn(words, { input: event });
    expect(kinds(project)).toEqual(['session.start', 'tool.call']);
    writeFileSync(join(project.directory, 'pause'), note);
    await project.spawn(words, { input: host.call('c2') });
    expect(kinds(project)).toEqual(['session.start', 'tool.call']);
  });
});

describe('the ground under it', () => {
  it('a work tree that was deleted under the host is recorded where its ledger was pinned', async () => {
    const project = await newProject();
    const tree = join(project.root, 'tree');
    mkdirSync(tree);
    const host = new ClaudeSession('s', tree);
    // The shell deletes the directory it stands in, then becomes the hook.
    const before = ['/bin/sh', '-c', `rmdir ${tree} && exec "$@"`, 'sh'];
    const answer = await project.hook('claude-code', host.call('c1'), { mode: 'guard', cwd: tree, before });
    expect(answer).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(kinds(project)).toEqual(['session.start', 'tool.call']);
    const serving = await project.serve();
    await post(serving, 'claude-code', host.result('c1'));
    expect(project.recorded().at(-1)).toMatchObject({
      kind: 'tool.result',
      payload: { workspace_root: tree },
    });
  });

  it('K8 where no ledger was pinned and the work tree is gone, guard refuses and observe goes on', async () => {
    const project = await newProject();
    const tree = join(project.root, 'tree');
    for (const mode of ['guard', 'observe'] as const) {
      mkdirSync(tree);
      const before = ['/bin/sh', '-c', `rmdir ${tree} && exec "$@"`, 'sh'];
      const options = { mode, cwd: tree, before, pinned: false };
      const { code, stdout } = await project.hook(
        'claude-code',
        new ClaudeSession('s', tree).call('c1'),
        options,
      );
      expect(code).toBe(0);
      if (mode === 'guard') expect(stdout).toContain('"permissionDecision":"deny"');
      else expect(stdout).toBe('');
    }
  });

  it('X7 the project’s own ledger is made by the first hook, once, though many come first', async () => {
    const project = await newProject();
    const host = new ClaudeSession('s', project.work);
    const ids = Array.from({ length: 8 }, (_, i) => `c${i}`);
    // By hand: a hook makes none where only variables lead, and here they must lead away from the user who runs this.
    const { FOIL_LEDGER: _, ...env } = project.env;
    const located = locate({ cwd: project.work, env });
    await Promise.all(ids.map(() => ensureLedger(located, env)));
    await Promise.all(ids.map((id) => project.hook('claude-code', host.call(id), { pinned: false })));
    // It stays there, in whatever repository the agent goes on.
    const nested = join(project.work, 'src/nested');
    mkdirSync(join(nested, '.git'), { recursive: true });
    ids.push('c8');
    await project.hook('claude-code', { ...host.call('c8'), cwd: nested }, { pinned: false, cwd: nested });
    const folders = readdirSync(join(project.root, 'state', 'counterfoil'));
    expect(folders.filter((name) => name !== 'modes' && name !== 'sessions')).toHaveLength(1);
    const log = await project.foil(['log', '--json', '--kind', 'tool.call']);
    const calls = log.stdout.split('\n').slice(0, -1);
    expect(
      calls.map((line) => (JSON.parse(line) as { payload: JsonObject }).payload.tool_use_id).sort(),
    ).toEqual(ids);
    const starts = await project.foil(['log', '--json', '--kind', 'session.start']);
    expect(starts.stdout.split('\n')).toHaveLength(2);
    expect((await project.foil(['verify'])).stdout).toContain('INTACT');
  });

  it('K5a two agents in one project keep to themselves', async () => {
    const project = await newProject();
    const events = HOSTS.map((host) => [
      host.prompt('same-id', `I am ${host.agent}`),
      host.call('same-id', 'c1'),
      host.result('same-id', 'c1'),
    ]);
    await Promise.all(
      HOSTS.map(async ({ agent }, at) => {
        const [prompt = {}, call = {}, result = {}] = events[at] ?? [];
        await project.tell(agent, prompt);
        await project.hook(agent, call);
        await project.tell(agent, result);
      }),
    );
    for (const { agent } of HOSTS) {
      const own = project.recorded().filter(({ source }) => source === `hook:${agent}`);
      expect(own.map(({ kind }) => kind)).toEqual(['session.start', 'prompt', 'tool.call', 'tool.result']);
      expect(new Set(own.map(({ session_id }) => session_id)).size).toBe(1);
      expect(own[2]?.cause).toBe(own[1]?.seq);
      expect(own[3]?.cause).toBe(own[2]?.seq);
    }
    await project.expectIntact();
  });
});

describe('a service that is killed', () => {
  /** A port that is free now, and stays in the settings. */
  async function withPort(project: Project): Promise<Serving> {
    const first = await project.serve();
    project.settings('observe', first.port);
    return first;
  }

  it('in the middle of calls: what it acknowledged is there, and the next prompt brings it back', async () => {
    const project = await newProject();
    const host = new ClaudeSession('s');
    const first = await withPort(project);
    await post(first, 'claude-code', host.prompt('go'));
    const ids = Array.from({ length: 30 }, (_, i) => `c${i}`);
    const calls = ids.map(async (id, at) => {
      if (at === 15) process.kill(first.pid, 'SIGKILL');
      try {
        return (await post(first, 'claude-code', host.call(id))).status === 200 ? id : null;
      } catch {
        return null; // refused, or cut off
      }
    });
    const acknowledged = (await Promise.all(calls)).filter((id) => id !== null);
    onTestFinished(() => {
      const pid = readState(project.directory)?.pid;
      if (pid !== undefined && isOurService(pid, serviceFiles(project.directory)))
        process.kill(pid, 'SIGKILL');
    });
    // The command that starts a turn finds it gone, records the prompt itself, and starts another on the same port.
    expect(await project.hook('claude-code', host.prompt('still there?'))).toMatchObject({
      code: 0,
      stdout: '',
    });
    const state = readState(project.directory);
    expect(state).toMatchObject({ port: first.port });
    expect(state?.pid).not.toBe(first.pid);
    const again = await post(first, 'claude-code', host.call('after'));
    expect(again).toMatchObject({ status: 200, body: '' });
    const recorded = project.recorded().map(({ payload }) => payload.tool_use_id);
    for (const id of [...acknowledged, 'after']) expect(recorded.filter((each) => each === id)).toEqual([id]);
    await project.expectIntact();
  });
});
