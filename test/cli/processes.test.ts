// Several processes at once, Ctrl-C and the doctor.
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ends, prints, Sandbox } from './foil.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

describe('K5a many processes', () => {
  it('append to one ledger without losing an entry and without forking the chain', async () => {
    const vkey = sandbox.ledger();
    const writers = Array.from({ length: 4 }, () => sandbox.start(['append', 'x.w', '--lines']));
    const singles = Array.from({ length: 6 }, () => ends(sandbox.start(['append', 'note', '--json'])));
    const outputs = writers.map(async (child, writer) => {
      let text = '';
      child.stdout.on('data', (piece) => {
        text += piece;
      });
      for (let i = 0; i < 200; i++) child.stdin.write(`{"w":${writer},"i":${i}}\n`);
      child.stdin.end();
      expect((await ends(child)).code).toBe(0);
      return text.trimEnd().split('\n');
    });
    const acknowledged = (await Promise.all(outputs)).flat();
    for (const { code } of await Promise.all(singles)) expect(code).toBe(0);
    const stored = sandbox
      .ok(['log', '--json'])
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(stored.length).toBe(1 + 4 * 200 + 6);
    const kept = new Set(stored.map(({ seq, entry_hash }) => `${seq} ${entry_hash}`));
    for (const line of acknowledged) expect(kept).toContain(line);
    for (let writer = 0; writer < 4; writer++) {
      const own = stored.filter(({ payload }) => payload.w === writer).map(({ payload }) => payload.i);
      expect(own).toEqual(Array.from({ length: 200 }, (_, i) => i));
    }
    sandbox.ok(['checkpoint']);
    sandbox.ok(['verify', '--key', vkey, '--require', 'signed']);
  });
});

describe('K5c a writer that is killed', () => {
  it('blocks nobody, and nothing it acknowledged is lost', async () => {
    sandbox.ledger();
    let acknowledged = '';
    for (let round = 0; round < 3; round++) {
      const child = sandbox.start(['append', 'x.w', '--lines']);
      child.stdin.on('error', () => undefined); // it goes away while we write
      child.stdout.on('data', (text) => {
        acknowledged += text;
      });
      const writing = prints(child, /\n/);
      for (let i = 0; i < 5000; i++) child.stdin.write(`{"round":${round},"i":${i}}\n`);
      await writing;
      child.kill('SIGKILL');
      expect(await ends(child)).toEqual({ code: null, signal: 'SIGKILL' });
      sandbox.ok(['append', 'note']);
    }
    const kept = new Set(
      sandbox
        .ok(['log', '--json'])
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map(({ seq, entry_hash }) => `${seq} ${entry_hash}`),
    );
    const whole = acknowledged.split('\n').filter((line) => /^\d+ [0-9a-f]{64}$/.test(line));
    expect(whole.length).toBeGreaterThan(0);
    for (const line of whole) expect(kept).toContain(line);
    expect(sandbox.json(['verify'])).toMatchObject({ verdict: 'INTACT' });
  });
});

describe('Ctrl-C', () => {
  it('ends append --lines after what it has acknowledged is durable', async () => {
    sandbox.ledger();
    const child = sandbox.start(['append', 'x.w', '--lines']);
    child.stdin.write('{"i":1}\n{"i":2}\n');
    const text = await prints(child, /^3 [0-9a-f]{64}$/m);
    child.kill('SIGINT');
    expect(await ends(child)).toEqual({ code: 130, signal: null });
    const lines = sandbox
      .ok(['log', '--from', '2', '--json'])
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ seq, entry_hash }) => `${seq} ${entry_hash}\n`).join('')).toBe(text);
  });
});

describe('doctor', () => {
  type Checks = { checks: { name: string; status: string; message: string }[] };
  const names = [
    'node',
    'ledger',
    'head',
    'writing',
    'checkpoint',
    'key',
    'leftovers',
    'start',
    'hooks',
    'settings',
    'config',
    'auth',
    'service',
    'notes',
    'file system',
    'space',
    'locks',
    'sync',
  ];

  it('says what this machine gives, and leaves nothing behind', () => {
    sandbox.ledger(3);
    const before = readdirSync(sandbox.path('.foil')).sort();
    const { checks } = sandbox.json(['doctor']) as Checks;
    expect(checks.map(({ name }) => name)).toEqual(names);
    expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
    expect(checks.find(({ name }) => name === 'locks')).toMatchObject({
      status: 'ok',
      message: 'work between processes',
    });
    expect(checks.find(({ name }) => name === 'checkpoint')?.message).toContain('3 unsealed');
    expect(readdirSync(sandbox.path('.foil')).sort()).toEqual(before);
    expect(sandbox.ok(['doctor'])).toMatch(/^ok {4}node {9}v\d+/);
  });

  it('exits 1 where something fails: a key that others can read, a log that was cut', () => {
    sandbox.ledger(3);
    sandbox.ok(['checkpoint']);
    const [file = ''] = readdirSync(sandbox.path('.foil/keys'));
    chmodSync(sandbox.path('.foil/keys', file), 0o644);
    writeFileSync(sandbox.path('.foil/tile/x.tmp'), '');
    const segment = '.foil/ledger/0000000000000001.jsonl';
    sandbox.write(segment, sandbox.read(segment).split('\n').slice(0, 2).join('\n'));
    const { code, stdout } = sandbox.run(['doctor', '--json']);
    expect(code).toBe(1);
    const status = Object.fromEntries(
      (JSON.parse(stdout) as Checks).checks.map((check) => [check.name, check.status]),
    );
    expect(status).toMatchObject({ head: 'fail', key: 'fail', leftovers: 'warn', node: 'ok' });
  });

  it('looks at hooks, the service and the place for notes', () => {
    const of = (name: string) =>
      (JSON.parse(sandbox.run(['doctor', '--json']).stdout) as Checks).checks.find(
        (check) => check.name === name,
      );
    sandbox.ok(['install', 'claude-code']);
    expect(of('hooks')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('claude-code (local); no event came from claude-code yet'),
    });
    expect(of('service')).toMatchObject({ status: 'ok' });
    expect(of('start')).toMatchObject({ status: 'ok', message: 'compiled for this Node' });
    expect(of('notes')).toMatchObject({ status: 'ok' });
    const event = { session_id: 'a', cwd: sandbox.work, hook_event_name: 'PreToolUse', tool_name: 'Bash' };
    const input = JSON.stringify({ ...event, tool_input: { command: 'true' }, tool_use_id: 'b' });
    sandbox.ok(['hook', 'claude-code'], { input });
    expect(of('hooks')).toMatchObject({ status: 'ok', message: 'claude-code (local)' });
    const { ledger } = sandbox.json(['status']) as { ledger: string };
    chmodSync(join(ledger, 'service/token'), 0o644);
    expect(of('service')).toMatchObject({ status: 'fail' });
    sandbox.ok(['install', 'claude-code', '--ledger', sandbox.path('other')]);
    expect(of('hooks')).toMatchObject({ status: 'warn', message: expect.stringContaining('another ledger') });
  });

  it('works before there is a ledger', () => {
    const { checks } = sandbox.json(['doctor']) as Checks;
    expect(checks.find(({ name }) => name === 'head')).toMatchObject({ status: 'warn' });
  });
});
