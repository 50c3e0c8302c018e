// Auth keys at the other recorders: the gateway, a program, an audited client, a wrapped MCP server and a whole run. The
// key is revoked between two prompts or calls, and the second is refused, on record, before anything of it is done.
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLedger, openRecorder, type RecorderPlace } from '../../src/entry/index.ts';
import { audited } from '../../src/entry/llm.ts';
import type { Entry } from '../../src/format/index.ts';
import { RecordError } from '../../src/record/index.ts';
import { addKey, authDirectory, encodeAuthKey, presentKey, revokeKey } from '../../src/session/index.ts';
import { FOIL } from '../cli/foil.ts';
import { expectIntact } from '../file-ledger.ts';
import { ask, entriesIn, type Stage, stage, upstream } from '../service/gateway/stage.ts';
import { fastDirectory, temporary } from '../temporary.ts';
import { wrapped, wrappedHere } from './mcp-client.ts';
import { newProject, type Project } from './recorded-project.ts';

type Place = NonNullable<RecorderPlace['place']>;
const kinds = (entries: readonly Entry[]): string[] => entries.map(({ kind }) => kind);
const setMode = (directory: string, mode: string): void =>
  writeFileSync(join(directory, 'settings'), `${JSON.stringify({ v: 1, mode, port: null })}\n`);

/** A ledger in guard, and a key of it. */
function made(place: Place, { mode = 'guard', present = true } = {}) {
  const directory = authDirectory(place);
  setMode(place.directory, mode);
  const key = addKey(directory, 'laptop', { random: randomBytes, now: Date.now() });
  if (present) presentKey(directory, key.key, Date.now());
  return { ...key, revoke: () => void revokeKey(directory, 'laptop', Date.now()) };
}

const refused = (promise: Promise<unknown>) =>
  expect(promise).rejects.toMatchObject({ name: 'RecordError', code: 'AUTH_REFUSED' });

async function program(options: { mode?: string; present?: boolean } & RecorderPlace = {}) {
  const root = temporary(fastDirectory);
  const place = { directory: join(root, 'ledger'), keyDirectory: join(root, 'keys') };
  await (await createLedger(place)).close();
  const { mode, present, ...rest } = options;
  const key = made(place, {
    ...(mode === undefined ? {} : { mode }),
    ...(present === undefined ? {} : { present }),
  });
  const recorder = await openRecorder({ place, cwd: root, ...rest });
  onTestFinished(() => recorder.close().catch(() => undefined));
  return { place, root, key, recorder, entries: () => entriesIn(place.directory).slice(1) };
}

describe('a program', () => {
  it('G2b its second prompt is refused, and so is every call of a tool or a model after it', async () => {
    const { key, recorder, entries, place } = await program();
    const session = await recorder.session();
    expect(session.authKey).toBe(key.id);
    await session.prompt('one');
    expect(await session.tool('add', {}, () => 3)).toBe(3);
    key.revoke();
    let ran = false;
    await refused(session.prompt('two'));
    await refused(
      session.tool('add', {}, () => {
        ran = true;
      }),
    );
    const sent = {
      provider: 'p',
      api: 'a',
      upstream: 'u',
      method: 'POST',
      path: '/',
      request: null,
      bytes: 0,
    };
    await refused(session.model(sent));
    expect(ran).toBe(false);
    await session.end();
    const all = entries();
    expect(kinds(all)).toEqual([
      'session.start',
      'auth.ok',
      'prompt',
      'tool.call',
      'tool.result',
      'prompt',
      'auth.fail',
      'tool.call',
      'tool.denied',
      'session.end',
    ]);
    expect(all[0]?.payload.auth_key).toBe(key.id);
    expect(all[6]).toMatchObject({
      cause: all[5]?.seq,
      payload: { reason: 'revoked', key: key.id, at: 'prompt' },
    });
    expect(all[8]).toMatchObject({ cause: all[7]?.seq, payload: { by: 'foil' } });
    await expectIntact(place.directory, ['UNSEALED']);
  });

  it('G2b a call or a model without a prompt before it, too', async () => {
    const { key, recorder, entries } = await program();
    const session = await recorder.session();
    key.revoke();
    const sent = {
      provider: 'p',
      api: 'a',
      upstream: 'u',
      method: 'POST',
      path: '/',
      request: null,
      bytes: 0,
    };
    await refused(session.model(sent));
    await refused(session.tool('add', {}, () => 3));
    expect(kinds(entries())).toEqual(['session.start', 'auth.ok', 'auth.fail', 'tool.call', 'tool.denied']);
  });

  it('G2a a session without a good key does not begin, and what waited for it is refused', async () => {
    const { key, place, recorder, entries } = await program({ present: false });
    const waiting = recorder.tool('add', {}, () => 3);
    const expected = refused(waiting);
    await refused(recorder.session());
    await expected;
    expect(kinds(entries())).toEqual(['session.start', 'auth.fail', 'session.end']);
    expect(entries()[2]?.payload.reason).toBe('refused');
    presentKey(authDirectory(place), key.key, Date.now());
    expect((await recorder.session()).authKey).toBe(key.id);
  });

  it('G1c a key given in code is presented in place of the user’s, and one that is not good is an error in every mode', async () => {
    const first = await program({ present: false });
    const given = await openRecorder({ place: first.place, cwd: first.root, authKey: first.key.key });
    expect((await given.session()).authKey).toBe(first.key.id);
    await given.close();
    const wrong = encodeAuthKey(randomBytes(32));
    setMode(first.place.directory, 'observe');
    const other = await openRecorder({ place: first.place, cwd: first.root, authKey: wrong });
    const error = await other.session().catch((thrown: unknown) => thrown);
    await other.close();
    expect(error).toBeInstanceOf(RecordError);
    expect(String((error as Error).stack)).not.toContain(wrong.slice(8));
    expect(first.entries().at(-2)).toMatchObject({
      kind: 'auth.fail',
      payload: { reason: 'unknown-key', key: null },
    });
    for (const secret of [wrong, first.key.key])
      expect(JSON.stringify(first.entries())).not.toContain(secret.slice(8));
  });

  it('G2c in observe it goes on, unauthenticated, and says so', async () => {
    const { recorder, entries } = await program({ present: false, mode: 'observe' });
    const session = await recorder.session();
    expect(session.unauthenticated).toContain('foil auth present');
    await session.prompt('one');
    expect(await session.tool('add', {}, () => 3)).toBe(3);
    expect(kinds(entries())).toEqual([
      'session.start',
      'auth.fail',
      'prompt',
      'auth.fail',
      'tool.call',
      'tool.result',
    ]);
  });

  it('G15k an audited client sends nothing once the key is revoked', async () => {
    const to = await upstream((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"id":"msg_1","type":"message","role":"assistant","content":[]}');
    });
    const { key, recorder, entries } = await program();
    const session = await recorder.session({ interactionKind: 'model.result' });
    const client = audited(new Anthropic({ apiKey: 'none', baseURL: to.url, maxRetries: 0 }), { session });
    const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'Hi' }] };
    await client.messages.create(body);
    key.revoke();
    await expect(client.messages.create(body)).rejects.toThrow();
    expect(to.arrived.length).toBe(1);
    expect(kinds(entries())).toEqual(['session.start', 'auth.ok', 'model.call', 'model.result', 'auth.fail']);
  });
});

describe('the gateway', () => {
  const BODY = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
  const JSON_TYPE = { 'content-type': 'application/json' };

  async function guarded(
    options: { mode?: string; present?: boolean; wait?: (call: number) => Promise<void> } = {},
  ): Promise<
    Stage & {
      readonly key: ReturnType<typeof made>;
      call(name?: string): Promise<{ status: number; text: string }>;
    }
  > {
    let calls = 0;
    const on = await stage({
      upstream: await upstream(async (_, response) => {
        await options.wait?.(++calls);
        response.writeHead(200, JSON_TYPE);
        response.end('{"id":"msg_1","type":"message","content":[]}');
      }),
    });
    const key = made({ directory: on.directory, keyDirectory: join(on.directory, 'keys') }, options);
    return Object.assign(on, {
      key,
      async call(name?: string) {
        const headers = { ...JSON_TYPE, ...(name === undefined ? {} : { 'x-counterfoil-session': name }) };
        const { status, body } = await ask(`${on.url}/anthropic/v1/messages`, BODY, { headers });
        return { status, text: body.toString() };
      },
    });
  }

  it('G2b, G15k: the second call of a session is refused before anything goes upstream', async () => {
    const on = await guarded();
    expect((await on.call('mine')).status).toBe(200);
    on.key.revoke();
    const { status, text } = await on.call('mine');
    expect(status).toBe(403);
    expect(text).toMatch(/AUTH_REFUSED|laptop was revoked/);
    expect(on.upstream.arrived.length).toBe(1);
    const [start] = on.entries('session.start');
    expect(start?.payload.auth_key).toBe(on.key.id);
    expect(on.entries('auth.ok').length).toBe(1);
    expect(on.entries('auth.fail')).toMatchObject([
      { session_id: start?.session_id, payload: { reason: 'revoked', key: on.key.id, at: 'call' } },
    ]);
    // It is told once, and refused every time.
    expect((await on.call('mine')).status).toBe(403);
    expect(on.entries('auth.fail').length).toBe(1);
  });

  it('G2d a session that a client named begins anew once another key is presented', async () => {
    const on = await guarded();
    const store = authDirectory({ keyDirectory: join(on.directory, 'keys') });
    await on.call('mine');
    on.key.revoke();
    expect((await on.call('mine')).status).toBe(403);
    const next = addKey(store, 'next', { random: randomBytes, now: Date.now() });
    presentKey(store, next.key, Date.now());
    const both = await Promise.all([on.call('mine'), on.call('mine')]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    const [first, second, ...more] = on.entries('session.start');
    expect(more).toEqual([]);
    expect(second?.payload).toMatchObject({ auth_key: next.id, resumes: first?.session_id });
  });

  it('G2d it begins anew while an answer of the old one is still under way, which ends with that', async () => {
    let answer = (): void => undefined;
    const first = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const on = await guarded({ wait: (call) => (call === 1 ? first : Promise.resolve()) });
    const under = on.call('mine');
    await expect.poll(() => on.upstream.arrived.length).toBe(1);
    on.key.revoke();
    const store = authDirectory({ keyDirectory: join(on.directory, 'keys') });
    const next = addKey(store, 'next', { random: randomBytes, now: Date.now() });
    presentKey(store, next.key, Date.now());
    expect((await on.call('mine')).status).toBe(200);
    expect(on.entries('session.end')).toEqual([]);
    answer();
    expect((await under).status).toBe(200);
    const [old, fresh] = on.entries('session.start');
    expect(fresh?.payload).toMatchObject({ auth_key: next.id, resumes: old?.session_id });
    await expect
      .poll(() => on.entries('session.end').map(({ session_id: id }) => id))
      .toEqual([old?.session_id]);
    const [of] = on.entries('model.result').filter(({ session_id: id }) => id === old?.session_id);
    expect(of?.seq).toBeLessThan(on.entries('session.end')[0]?.seq ?? 0);
    await on.stop();
    expect(on.entries('session.end').map(({ session_id: id }) => id)).toEqual([
      old?.session_id,
      fresh?.session_id,
    ]);
  });

  it('G2a a connection without a good key is refused in guard, and recorded in observe', async () => {
    const on = await guarded({ present: false });
    expect((await on.call()).status).toBe(403);
    expect(on.entries('auth.fail')).toMatchObject([{ payload: { reason: 'none-presented', at: 'start' } }]);
    setMode(on.directory, 'observe');
    expect((await on.call()).status).toBe(200);
    expect(on.upstream.arrived.length).toBe(1);
  });

  it('G2a the id of somebody’s session is no key once that has ended', async () => {
    const on = await guarded({ present: false });
    const place = { directory: on.directory, keyDirectory: join(on.directory, 'keys') };
    const recorder = await openRecorder({ place, cwd: on.directory, authKey: on.key.key });
    const session = await recorder.session();
    expect((await on.call(session.id)).status).toBe(200);
    await session.end();
    expect((await on.call(session.id)).status).toBe(403);
    await recorder.close();
  });
});

describe('a wrapped MCP server', () => {
  const guarded = async (options: { mode?: string; present?: boolean } = {}) => {
    const project = await newProject();
    return { project, key: made(project.located, options) };
  };
  const of = (project: Project, kind: string) => project.entries().filter((entry) => entry.kind === kind);

  it('G2b the second call is refused and does not reach the server', async () => {
    const { project, key } = await guarded();
    const marks = join(project.root, 'marks');
    const client = wrappedHere(project, { MARKS: marks });
    client.call(1, 'echo', { text: 'a' });
    expect(await client.answer(1)).toMatchObject({ result: expect.anything() });
    key.revoke();
    client.call(2, 'echo', { text: 'b' });
    expect(await client.answer(2)).toMatchObject({
      error: { message: expect.stringContaining('laptop was revoked'), data: { code: 'AUTH_REFUSED' } },
    });
    client.call(3, 'echo', { text: 'c' });
    expect(await client.answer(3)).toMatchObject({ error: { data: { code: 'AUTH_REFUSED' } } });
    await client.end();
    expect(readFileSync(marks, 'utf8')).toBe('1\n');
    const [start] = of(project, 'session.start');
    expect(start?.payload.auth_key).toBe(key.id);
    const calls = of(project, 'tool.call');
    expect(of(project, 'auth.fail')).toMatchObject([
      { cause: calls[1]?.seq, payload: { reason: 'revoked', at: 'call' } },
    ]);
    expect(of(project, 'tool.denied').map(({ cause }) => cause)).toEqual([calls[1]?.seq, calls[2]?.seq]);
    // What was refused is on record: nothing is missing.
    expect(of(project, 'gap')).toEqual([]);
    await project.expectIntact();
  });

  it('G2a without a good key nothing is called in guard; in observe it is warned of', async () => {
    const { project } = await guarded({ present: false });
    const client = wrapped(project);
    client.call(1, 'echo', { text: 'a' });
    expect(await client.answer(1)).toMatchObject({ error: { data: { code: 'AUTH_REFUSED' } } });
    await client.end();
    expect(client.stderr).toContain('no valid auth key');
    setMode(project.directory, 'observe');
    const other = wrappedHere(project);
    other.call(1, 'echo', { text: 'a' });
    expect(await other.answer(1)).toMatchObject({ result: expect.anything() });
    await other.end();
    expect(other.stderr).toContain('no valid auth key');
  });

  it('G2b the same for a server that the service of another user records', async () => {
    const { project, key } = await guarded();
    const serving = await project.serve();
    const { socket } = JSON.parse(readFileSync(join(project.directory, 'service/state'), 'utf8')) as {
      socket: string;
    };
    expect(serving.pid).toBeGreaterThan(0);
    const client = wrapped(
      project,
      {},
      [process.execPath, join(import.meta.dirname, 'mcp-server.mjs')],
      ['--socket', socket],
    );
    client.call(1, 'echo', { text: 'a' });
    expect(await client.answer(1)).toMatchObject({ result: expect.anything() });
    key.revoke();
    client.call(2, 'echo', { text: 'b' });
    expect(await client.answer(2)).toMatchObject({ error: { data: { code: 'AUTH_REFUSED' } } });
    await client.end();
  });
});

describe('foil run', () => {
  /** The agent: a prompt, the key revoked from outside, a prompt and a call, each told to the hook as a host would. */
  const AGENT = `
    import { spawnSync } from 'node:child_process';
    import { existsSync, writeFileSync } from 'node:fs';
    const [foil, ledger] = process.argv.slice(2);
    const run = (words, input) => spawnSync(process.execPath, [foil, ...words, '--ledger', ledger], { input, encoding: 'utf8' }).stdout;
    const base = { session_id: 's', cwd: process.cwd() };
    const hook = (event) => run(['hook', 'claude-code', '--mode', 'guard'], JSON.stringify({ ...base, ...event }));
    const call = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' };
    const told = [hook({ hook_event_name: 'UserPromptSubmit', prompt: 'one' })];
    writeFileSync('asked', '');
    while (!existsSync('revoked')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    told.push(hook({ hook_event_name: 'UserPromptSubmit', prompt: 'two' }), hook({ hook_event_name: 'PreToolUse', ...call }));
    console.log(JSON.stringify({ told, env: process.env }));`;
  /** One that tells nobody of anything. */
  const QUIET = 'console.log(JSON.stringify({ env: process.env }));';

  async function running(options: {
    present?: boolean;
    file?: boolean;
    mode?: string;
    env?: NodeJS.ProcessEnv;
    program?: string;
  }) {
    const project = await newProject();
    const { file = false, env = {}, program = QUIET, ...rest } = options;
    const key = made(project.located, rest);
    const agent = join(project.root, 'agent.mjs');
    writeFileSync(agent, program);
    const path = join(project.root, 'key');
    writeFileSync(path, `${key.key}\n`);
    chmodSync(path, 0o600);
    const running = project.foil(
      [
        'run',
        '--ledger',
        project.directory,
        ...(file ? ['--auth-key-file', path] : []),
        '--',
        process.execPath,
        agent,
        FOIL,
        project.directory,
      ],
      { env: typeof env.SECRET === 'string' ? { SECRET: `a ${key.key}` } : env },
    );
    if (program === AGENT) {
      await vi.waitUntil(() => existsSync(join(project.work, 'asked')), 30_000);
      key.revoke();
      writeFileSync(join(project.work, 'revoked'), '');
    }
    return { project, key, result: await running };
  }

  it.each([
    ['in a file', { present: false, file: true }],
    ['by the user', { present: true }],
  ])(
    'G2b a key presented %s is the agent’s, and its revocation refuses the next prompt',
    async (_, options) => {
      const { project, key, result } = await running({ ...options, program: AGENT });
      const { told } = JSON.parse(result.stdout.split('\n')[0] ?? '') as { told: string[] };
      expect(told[0]).toBe('');
      expect(JSON.parse(told[1] ?? '')).toMatchObject({
        decision: 'block',
        reason: expect.stringContaining('revoked'),
      });
      expect(told[2]).toContain('"permissionDecision":"deny"');
      const [start, ...more] = project.entries().filter(({ kind }) => kind === 'session.start');
      expect(more).toEqual([]);
      expect(start?.payload.auth_key).toBe(key.id);
      const fails = project.entries().filter(({ kind }) => kind === 'auth.fail');
      expect(fails).toMatchObject([{ session_id: start?.session_id, source: 'hook:claude-code' }]);
      await project.expectIntact();
    },
  );

  it('G1c the agent’s environment holds no key, whatever ours holds', async () => {
    const { key, result } = await running({ present: false, file: true, env: { SECRET: '' } });
    expect(result.stdout).not.toContain(key.key.slice(8));
    const { env } = JSON.parse(result.stdout.split('\n')[0] ?? '') as { env: NodeJS.ProcessEnv };
    expect(env.SECRET).toBeUndefined();
    expect(env.FOIL_SESSION).toMatch(/^[0-9a-f]{64}$/);
    expect(result.stderr).toContain('SECRET held an auth key');
    expect(result.stderr).not.toContain(key.key.slice(8));
  });

  it('G2a without a good key the agent is not started in guard', async () => {
    const { project, result } = await running({ present: false });
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain('foil auth present');
    expect(kinds(project.recorded())).toEqual(['session.start', 'auth.fail', 'session.end']);
  });

  it('G2c in observe it is, and the summary says that it was unauthenticated', async () => {
    const { result } = await running({ present: false, mode: 'observe' });
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('unauthenticated: ');
  });

  it('G2a the id of another’s session in the environment is no key', async () => {
    const { project, key } = await running({ present: false, file: true });
    const [start] = project.entries().filter(({ kind }) => kind === 'session.start');
    const store = authDirectory(project.located);
    const next = addKey(store, 'next', { random: randomBytes, now: Date.now() });
    expect(next.id).not.toBe(key.id);
    const { stdout } = await project.tell(
      'claude-code',
      { session_id: 'other', cwd: project.work, hook_event_name: 'UserPromptSubmit', prompt: 'x' },
      { mode: 'guard', env: { FOIL_SESSION: start?.session_id ?? '', FOIL_LEDGER: project.directory } },
    );
    expect(JSON.parse(stdout)).toMatchObject({ decision: 'block' });
  });
});

describe('a session begun by hand', () => {
  const prompt = (project: Project, session: string, id: string) =>
    project.tell(
      'claude-code',
      { session_id: session, cwd: project.work, hook_event_name: 'UserPromptSubmit', prompt: 'x' },
      { mode: 'guard', env: { FOIL_SESSION: id, FOIL_LEDGER: project.directory } },
    );

  it('G2a who joins it has its key until it ends', async () => {
    const project = await newProject();
    const key = made(project.located);
    const words = ['--ledger', project.directory, '--json'];
    const { session } = JSON.parse((await project.foil(['session', 'start', ...words])).stdout) as {
      session: string;
    };
    // The user's own is not needed any more.
    expect((await project.foil(['auth', 'withdraw', ...words])).code).toBe(0);
    expect((await prompt(project, 'one', session)).stdout).toBe('');
    expect((await project.foil(['session', 'end', session, ...words])).code).toBe(0);
    expect((await prompt(project, 'two', session)).stdout).toContain('"decision":"block"');
    const [start] = project.entries().filter(({ kind }) => kind === 'session.start');
    expect(start?.payload.auth_key).toBe(key.id);
  });

  it('G2a is refused without a good key, and what was begun is ended', async () => {
    const project = await newProject();
    made(project.located, { present: false });
    const { code, stderr } = await project.foil(['session', 'start', '--ledger', project.directory]);
    expect(code).toBe(1);
    expect(stderr).toContain('foil auth present');
    expect(kinds(project.recorded())).toEqual(['session.start', 'auth.fail', 'session.end']);
  });
});
