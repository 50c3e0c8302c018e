// foil mode, pause and status through the built file.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hereSettings } from '../../src/ledger/here.ts';
import { readPause, runtimeDirectory } from '../../src/record/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { ends, FOIL, prints, Sandbox } from './foil.ts';
import { openRecorded, recordEverything } from './recorded-ledger.ts';

/** A ledger of its own, whose notes lie in the sandbox too. */
function sandboxed(): Sandbox {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  sandbox.env.XDG_RUNTIME_DIR = join(sandbox.root, 'run');
  sandbox.ledger();
  return sandbox;
}

const changes = (sandbox: Sandbox): unknown[] =>
  sandbox
    .ok(['log', '--json', '--kind', 'config.change'])
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).payload);

const paused = (sandbox: Sandbox, locked = false): { until: string } | null =>
  readPause(sandbox.path('.foil'), { locked, env: sandbox.env });

/** Of a .foil/ they lie beside its record, not in the work tree. */
function settingsOf(sandbox: Sandbox): string {
  return hereSettings(sandbox.path('.foil'), sandbox.env);
}

function post(socketPath: string, path: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request(
      { socketPath, path, method: 'POST', headers: { 'content-type': 'application/json' } },
      (answer) => {
        answer.resume().on('end', resolve);
      },
    )
      .on('error', reject)
      .end(body);
  });
}

describe('mode', () => {
  it('is observe until it is set; setting it is on record and in the settings', () => {
    const sandbox = sandboxed();
    expect(sandbox.ok(['mode'])).toMatch(/^observe: /);
    expect(sandbox.ok(['mode', 'guard'])).toMatch(/^observe → guard: /);
    expect(JSON.parse(readFileSync(settingsOf(sandbox), 'utf8'))).toMatchObject({
      v: 1,
      mode: 'guard',
      port: null,
    });
    expect(sandbox.json(['mode'])).toEqual({ mode: 'guard' });
    expect(sandbox.json(['mode', 'locked'])).toEqual({ mode: 'locked', before: 'guard', files: [] });
    expect(changes(sandbox)).toEqual([
      { what: 'mode', from: 'observe', to: 'guard' },
      { what: 'mode', from: 'guard', to: 'locked' },
    ]);
    expect(sandbox.json(['verify'])).toMatchObject({ verdict: 'INTACT' });
  });

  it('keeps the port, and records nothing where nothing changes', () => {
    const sandbox = sandboxed();
    writeFileSync(settingsOf(sandbox), '{"v":1,"mode":"guard","port":4017}\n');
    expect(sandbox.ok(['mode', 'guard'])).toContain('The mode is already guard');
    expect(changes(sandbox)).toEqual([]);
    sandbox.ok(['mode', 'observe']);
    expect(JSON.parse(readFileSync(settingsOf(sandbox), 'utf8'))).toMatchObject({
      v: 1,
      mode: 'observe',
      port: 4017,
    });
  });

  it('writes settings anew that can not be understood', () => {
    const sandbox = sandboxed();
    writeFileSync(settingsOf(sandbox), 'nonsense');
    expect(sandbox.run(['mode']).code).toBe(1);
    expect(sandbox.ok(['status'])).toMatch(/^mode +unknown: .*not JSON/);
    sandbox.ok(['mode', 'guard']);
    expect(changes(sandbox)).toEqual([{ what: 'mode', from: null, to: 'guard' }]);
    expect(sandbox.json(['mode'])).toEqual({ mode: 'guard' });
  });

  it('is refused where it is none', () => {
    const { code, stderr } = sandboxed().run(['mode', 'gaurd']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean guard?')]);
  });
});

describe('pause', () => {
  it('is noted, recorded, and ended with off', () => {
    const sandbox = sandboxed();
    const { until } = sandbox.json(['pause']) as { until: string };
    expect(paused(sandbox)).toEqual({ until });
    expect(sandbox.ok(['status'])).toMatch(/^recording +paused until .* left\)/m);
    expect(sandbox.json(['status'])).toMatchObject({ paused_until: until });
    expect(sandbox.ok(['pause', 'off'])).toBe('Recording has resumed.\n');
    expect(paused(sandbox)).toBeNull();
    expect(sandbox.ok(['pause', 'off'])).toBe("Recording wasn't paused.\n");
    expect(changes(sandbox)).toEqual([
      { what: 'pause', until },
      { what: 'pause', until: null },
    ]);
  });

  it.each([
    ['2h', 7_200_000],
    ['24h', 86_400_000],
    ['90s', 90_000],
  ])('of %s lasts so long', (given, length) => {
    const sandbox = sandboxed();
    const before = Date.now();
    const { until } = sandbox.json(['pause', given]) as { until: string };
    expect(Date.parse(until) - length).toBeGreaterThanOrEqual(before);
    expect(Date.parse(until) - length).toBeLessThanOrEqual(Date.now());
  });

  it.each([['25h'], ['2d'], ['0m'], ['soon'], ['30']])('of %s is wrong usage', (given) => {
    const sandbox = sandboxed();
    expect(sandbox.run(['pause', given]).code).toBe(2);
    expect(paused(sandbox)).toBeNull();
  });

  it('works where the ledger is wedged, and says that it is not on record', async () => {
    const sandbox = sandboxed();
    const store = openFileStore(sandbox.path('.foil'));
    const result = await store.inSection(async () => sandbox.run(['pause', '1h']));
    await store.close();
    expect(result.code).toBe(0);
    expect(result.stdout).toMatch(/^Recording is paused until /);
    expect(result.stderr).toMatch(/^foil: this couldn't be recorded: /);
    expect(paused(sandbox)).not.toBeNull();
    expect(changes(sandbox)).toEqual([]);
  });

  it('works where the ledger is gone from its directory', () => {
    const sandbox = sandboxed();
    mkdirSync(sandbox.path('empty'));
    const { code, stdout } = sandbox.run(['pause', '--json', '--ledger', 'empty']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      recorded: false,
      problem: expect.stringContaining('no ledger'),
    });
    expect(sandbox.run(['pause', '--ledger', 'nowhere']).code).toBe(3);
  });

  it('lies in locked mode in the ledger itself', () => {
    const sandbox = sandboxed();
    sandbox.ok(['mode', 'locked']);
    sandbox.ok(['pause', '1h']);
    expect(readdirSync(sandbox.path('.foil'))).toContain('pause');
    expect(paused(sandbox, true)).not.toBeNull();
    expect(paused(sandbox, false)).toBeNull();
    expect(sandbox.ok(['status'])).toMatch(/^recording +paused until/m);
    expect(sandbox.json(['verify'])).toMatchObject({ verdict: 'INTACT' });
  });

  it.runIf(process.getuid?.() === 0)("is in locked mode the owner's alone", () => {
    const sandbox = sandboxed();
    // A .foil/ is another user's in any case; a ledger that is named is the one in question.
    sandbox.ok(['init', '--ledger', 'there']);
    sandbox.env.FOIL_LEDGER = sandbox.path('there');
    const paused = (): unknown => readPause(sandbox.path('there'), { locked: true });
    sandbox.ok(['mode', 'locked']);
    const [uid, gid] = [65_534, 65_534];
    for (const path of [sandbox.root, sandbox.work, sandbox.path('there'), sandbox.path('there/settings')])
      chmodSync(path, 0o755);
    mkdirSync(join(sandbox.root, 'run'), { recursive: true });
    chownSync(join(sandbox.root, 'run'), uid, gid);
    const run = (...words: string[]): { status: number | null; stderr: string } =>
      spawnSync(process.execPath, [FOIL, ...words], {
        cwd: sandbox.work,
        env: sandbox.env,
        encoding: 'utf8',
        uid,
        gid,
      });
    const pause = run('pause', '1h');
    expect(pause.stderr).toMatch(/^foil: in locked mode, only the owner of the ledger can pause recording/);
    expect(pause.status).toBe(1);
    const mode = run('mode', 'observe');
    expect([mode.status, mode.stderr]).toEqual([1, expect.stringMatching(/^foil: /)]);
    expect(paused()).toBeNull();
    expect(sandbox.json(['mode'])).toEqual({ mode: 'locked' });
    expect(changes(sandbox)).toHaveLength(1);
  });
});

describe('status', () => {
  it('says whether it records, what came of it today, and what it takes', async () => {
    const sandbox = sandboxed();
    const to = openRecorded(sandbox.path('.foil'));
    await recordEverything(to, 'a1'.repeat(32), { at: '2020-01-01T00:00:00.000Z' });
    const session = to.session('b2'.repeat(32), { at: new Date().toISOString() });
    await session.start();
    const call = await session.call('Bash', 't', { command: 'x' });
    await session.denied('Bash', 't', call);
    await session.entry('gate', { would_block: true });
    await to.close();
    sandbox.ok(['checkpoint']);
    sandbox.ok(['append', 'note', '--payload', '{"text":"late"}']);
    const found = sandbox.json(['status']) as Record<string, Record<string, unknown>>;
    expect(found).toMatchObject({
      ledger: sandbox.path('.foil'),
      mode: 'observe',
      paused_until: null,
      foil_off: false,
      hooks: [],
      service: null,
      latency: null,
      entries: 27,
      last: { seq: 27 },
      today: { sessions: 1, open: 1, prompts: 0, calls: 1, denied: 1, gaps: 0, would_block: 1 },
      unsealed: { count: 1 },
      disk: { complete: true },
    });
    expect(found.disk?.ledger_bytes).toBeGreaterThan(10_000);
    expect(found.disk?.content_bytes).toBeGreaterThan(100);
    const text = sandbox.ok(['status']);
    for (const line of [
      /^mode +observe$/m,
      /^recording +ready, but no hooks are installed here: foil install$/m,
      /^today +\d entries, 1 session, 0 prompts, 1 call, 1 denied$/m,
      /^blocked +1 would have been blocked \(observe\)$/m,
      /^last +entry 27, .* ago$/m,
      /^unsealed +1 entry, the oldest .* ago$/m,
      /^disk +\d+ kB ledger, .* content$/m,
    ])
      expect(text).toMatch(line);
  });

  it('counts all of today where that is more than it reads in one go', () => {
    const sandbox = sandboxed();
    const input = '{"text":"x"}\n'.repeat(3000);
    sandbox.ok(['append', 'note', '--lines'], { input });
    const { entries, today } = sandbox.json(['status']) as {
      entries: number;
      today: { entries: number; since: string };
    };
    expect(entries).toBe(3001);
    // Midnight may just have gone by.
    const lines = sandbox.ok(['log', '--json', '--since', today.since]).split('\n').length - 1;
    expect(today.entries).toBe(lines);
  });

  it('says what keeps it from recording: a typing error in the configuration, events that were lost', () => {
    const sandbox = sandboxed();
    writeFileSync(join(sandbox.work, 'counterfoil.yaml'), 'contents: none\n');
    expect(sandbox.ok(['status'])).toMatch(
      /^recording +without content, because of \S+counterfoil\.yaml, line 1: contents/m,
    );
    sandbox.ok(['mode', 'guard']);
    expect(sandbox.ok(['status'])).toMatch(
      /^recording +REFUSING, because of \S+counterfoil\.yaml, line 1: contents/m,
    );
    const runtime = runtimeDirectory(join(sandbox.work, '.foil'), sandbox.env);
    mkdirSync(runtime, { recursive: true, mode: 0o700 });
    const note = { at: Date.now(), agent: 'claude-code', event: 'PreToolUse', call: 'x', why: 'disk full' };
    writeFileSync(join(runtime, 'failed'), `${JSON.stringify(note)}\n`);
    expect(sandbox.ok(['status'])).toMatch(
      /^recording +FAILING since .*, 1 event refused or lost: disk full/m,
    );
  });

  it('says that FOIL=off stands here, and that locked mode ignores it', () => {
    const sandbox = sandboxed();
    expect(sandbox.ok(['status'], { env: { FOIL: 'off' } })).toMatch(/^recording +off in this environment/m);
    sandbox.ok(['mode', 'locked']);
    expect(sandbox.ok(['status'], { env: { FOIL: 'off' } })).toMatch(
      /^recording +on \(FOIL=off is set here/m,
    );
  });

  it('asks the service how it is and how long hooks took, and believes no note that one was killed over', async () => {
    const sandbox = sandboxed();
    const service = sandbox.start(['serve', '--json', '--port', '0', '--idle', 'never']);
    onTestFinished(() => void service.kill('SIGKILL'));
    const gone = ends(service);
    const { port, socket } = JSON.parse((await prints(service, /\n/)).split('\n')[0] ?? '');
    expect(sandbox.ok(['status'])).toContain(`running (pid ${service.pid}, port ${port}, version `);
    expect(sandbox.ok(['status'])).toMatch(/^latency +not measured yet$/m);
    const event = {
      session_id: 's',
      cwd: sandbox.work,
      hook_event_name: 'UserPromptSubmit',
      prompt: 'hello',
    };
    await post(socket, '/v1/hook/claude-code', JSON.stringify(event));
    expect(sandbox.json(['status'])).toMatchObject({ service: { alive: true, port }, latency: { count: 1 } });
    expect(sandbox.ok(['status'])).toMatch(/^latency +p50 [\d.]+ ms, p95 [\d.]+ ms, over 1 hook$/m);
    service.kill('SIGKILL');
    await gone;
    expect(sandbox.json(['status'])).toMatchObject({ service: { alive: false, port }, latency: null });
    expect(sandbox.ok(['status'])).toMatch(/^service +not running$/m);
  });

  it('is not held up by a service that hangs or talks nonsense', async () => {
    const sandbox = sandboxed();
    mkdirSync(sandbox.path('.foil/service'));
    const socket = join(sandbox.root, 's');
    const state = { v: 1, pid: process.pid, port: null, socket, version: '0', started: '', problem: null };
    sandbox.write('.foil/service/state', JSON.stringify(state));
    for (const answer of [
      '',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]',
      `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(100_000)}`,
    ]) {
      const server = createServer(
        (peer) =>
          void peer
            .on('error', () => undefined)
            .resume()
            .write(answer),
      );
      await new Promise<void>((resolve) => void server.listen(socket, resolve));
      // Not run(), which would keep this process from serving.
      const child = sandbox.start(['status', '--json']);
      expect(JSON.parse(await prints(child, /\n/))).toMatchObject({
        service: { alive: false, problem: expect.stringContaining("doesn't answer") },
        latency: null,
      });
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    }
    writeFileSync(sandbox.path('.foil/service/state'), '{"pid":"x"}');
    expect(sandbox.json(['status'])).toMatchObject({ service: null });
  });

  it('keeps its notes out of the way of other ledgers', () => {
    const [one, two] = [sandboxed(), sandboxed()];
    expect(runtimeDirectory(one.path('.foil'), one.env)).not.toBe(
      runtimeDirectory(two.path('.foil'), one.env),
    );
  });
});
