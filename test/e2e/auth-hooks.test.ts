// Auth keys as agents' hooks meet them: each event a call of the hook's function, a process where a host is refused, or a
// request to the real service; and the key revoked between two of them by the real command.
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { ClaudeSession } from './claude-host.ts';
import { forModel, HOSTS, type Host } from './hosts.ts';
import { newProject, type Project, post } from './recorded-project.ts';

const ZEROS = '0'.repeat(64);

interface Key {
  readonly id: string;
  readonly key: string;
}

async function auth(project: Project, ...words: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await project.foil([
    'auth',
    ...words,
    '--ledger',
    project.directory,
    '--json',
  ]);
  if (code !== 0) throw new Error(stdout + stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const addKey = async (project: Project, name = 'laptop', ...more: string[]): Promise<Key> =>
  (await auth(project, 'add', name, ...more)) as unknown as Key;

/** In guard, with a key that is presented. */
async function guarded(mode: 'guard' | 'observe' = 'guard'): Promise<Project & { readonly key: Key }> {
  const project = await newProject();
  project.settings(mode);
  return Object.assign(project, { key: await addKey(project, 'laptop', '--present') });
}

const authDirectory = (project: Project): string => join(project.root, 'config/counterfoil/auth');
const kinds = (entries: readonly Entry[]): string[] => entries.map(({ kind }) => kind);

/** No file of the project holds the key, but the one that presents it. */
function expectNowhere(project: Project, { key }: Key): void {
  const letters = key.slice('foilkey_'.length);
  const found = [...project.files()].filter(({ bytes }) => bytes.includes(letters)).map(({ path }) => path);
  expect(found.filter((path) => path !== join(authDirectory(project), 'presented'))).toEqual([]);
}

type Tell = (agent: string, event: JsonObject) => Promise<string>;
const telling =
  (project: Project, how: 'tell' | 'hook'): Tell =>
  async (agent, event) => {
    const { code, stdout, stderr } = await project[how](agent, event, { mode: 'guard' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
const byCall = (project: Project): Tell => telling(project, 'tell');
const byProcess = (project: Project): Tell => telling(project, 'hook');

/** Prompt, revoke, prompt, call: what the host hears of the last two, and what is on record. */
async function expectRevoked(
  project: Project & { readonly key: Key },
  host: Host,
  tell: Tell,
  before = tell,
): Promise<void> {
  const { agent } = host;
  expect(await before(agent, host.prompt('s', 'the first'))).toBe(host.pass);
  expect(await before(agent, host.call('s', 'one'))).toBe(host.pass);
  expect(await before(agent, host.result('s', 'one'))).toBe(host.pass);
  await auth(project, 'revoke', 'laptop');
  const second = JSON.parse(await tell(agent, host.prompt('s', 'the second'))) as JsonObject;
  const third = forModel(JSON.parse(await tell(agent, host.call('s', 'two'))) as JsonObject);
  const reason = String(host.reason(third));
  expect(reason).toMatch(/laptop was revoked on .* A person has to put this right\.$/);
  expect(third).toEqual(host.deny(reason));
  // Copilot can't be told to refuse a prompt: it hears of it, and the call is refused.
  const told = /laptop was revoked on /;
  if (host.denyPrompt === null)
    expect(second).toEqual(host.tell?.(expect.stringMatching(told) as unknown as string));
  else expect(forModel(second)).toEqual(host.denyPrompt(expect.stringMatching(told) as unknown as string));
  const entries = project.recorded();
  const own = entries.filter(({ kind }) => !['contract', 'model.call'].includes(kind));
  expect(kinds(own)).toEqual([
    'session.start',
    'auth.ok',
    'prompt',
    'tool.call',
    'tool.result',
    'prompt',
    'auth.fail',
    'tool.call',
    'tool.denied',
  ]);
  const [start, ok, , , , prompt, fail, call, denied] = own;
  expect(start?.payload.auth_key).toBe(project.key.id);
  expect(ok).toMatchObject({
    cause: start?.seq,
    payload: { key: project.key.id, name: 'laptop', at: 'start' },
  });
  expect(ok?.seq).toBe((start?.seq ?? 0) + 1);
  expect(fail).toMatchObject({
    cause: prompt?.seq,
    session_id: start?.session_id,
    payload: { key: project.key.id, reason: 'revoked', at: 'prompt' },
  });
  expect(denied).toMatchObject({ cause: call?.seq, payload: { by: 'foil' } });
  expectNowhere(project, project.key);
  await project.expectIntact();
}

describe('a key that is revoked between two prompts', () => {
  it.each(HOSTS)('G2b refuses the second to $agent as a process, or its next call', async (host) => {
    const project = await guarded();
    await expectRevoked(project, host, byProcess(project), byCall(project));
  });

  it.each(HOSTS.filter(({ agent }) => ['claude-code', 'copilot'].includes(agent)))(
    'G2b the same over HTTP for $agent',
    async (host) => {
      const project = await guarded();
      const serving = await project.serve();
      await expectRevoked(project, host, async (agent, event) => {
        const { status, body } = await post(serving, agent, event);
        expect(status).toBe(200);
        return body;
      });
    },
  );

  it('G2b a call is refused as well where no prompt came between', async () => {
    const project = await guarded();
    const host = new ClaudeSession('s', project.work);
    const tell = byCall(project);
    expect(await tell('claude-code', host.prompt('go on for an hour'))).toBe('');
    await auth(project, 'revoke', 'laptop');
    expect(await tell('claude-code', host.call('one'))).toContain('revoked');
    expect(await tell('claude-code', host.call('two'))).toContain('revoked');
    const fails = project.recorded().filter(({ kind }) => kind === 'auth.fail');
    const [call] = project.recorded().filter(({ kind }) => kind === 'tool.call');
    expect(fails).toMatchObject([{ cause: call?.seq, payload: { reason: 'revoked', at: 'call' } }]);
    // The batch that tells of them tells nothing new.
    await tell('claude-code', host.batch('one', 'two'));
    expect(kinds(project.recorded()).filter((kind) => kind === 'tool.denied').length).toBe(2);
  });

  it('G2c in observe it is told of, and nothing is refused', async () => {
    const project = await guarded('observe');
    const host = new ClaudeSession('s', project.work);
    const say = async (event: JsonObject) =>
      (await project.tell('claude-code', event, { mode: 'observe' })).stdout;
    expect(await say(host.prompt('one'))).toBe('');
    await auth(project, 'revoke', 'laptop');
    expect(JSON.parse(await say(host.prompt('two')))).toEqual({
      systemMessage: expect.stringMatching(/records this session as unauthenticated: .*revoked/),
    });
    expect(await say(host.call('a'))).toBe('');
    expect(kinds(project.recorded())).toEqual([
      'session.start',
      'auth.ok',
      'prompt',
      'prompt',
      'auth.fail',
      'tool.call',
    ]);
  });

  it('G2d the session begins anew with the prompt at which another key is presented', async () => {
    const project = await guarded();
    const host = new ClaudeSession('s', project.work);
    const tell = byCall(project);
    await tell('claude-code', host.prompt('one'));
    await auth(project, 'revoke', 'laptop');
    expect(await tell('claude-code', host.prompt('two'))).toContain('revoked');
    const { id } = await addKey(project, 'second', '--present');
    expect(await tell('claude-code', host.prompt('three'))).toBe('');
    expect(await tell('claude-code', host.call('a'))).toBe('');
    const [first, second, ...more] = project.recorded().filter(({ kind }) => kind === 'session.start');
    expect(more).toEqual([]);
    expect(second?.payload).toMatchObject({ auth_key: id, resumes: first?.session_id });
    expect(project.recorded().at(-1)?.session_id).toBe(second?.session_id);
    await project.expectIntact();
  });

  it('many prompts against one revocation: none that began after it passes', async () => {
    const project = await guarded();
    const host = new ClaudeSession('s', project.work);
    const serving = await project.serve();
    const prompt = (i: number) => post(serving, 'claude-code', host.prompt(`prompt ${i}`));
    await prompt(0);
    const before = Array.from({ length: 8 }, (_, i) => prompt(i));
    await auth(project, 'revoke', 'laptop');
    const after = await Promise.all(Array.from({ length: 8 }, (_, i) => prompt(i)));
    await Promise.all(before);
    for (const { body } of after) expect(JSON.parse(body)).toMatchObject({ decision: 'block' });
    const entries = project.recorded();
    const refused = entries.filter(({ kind }) => kind === 'auth.fail').map(({ cause }) => cause);
    // Each refusal names its own prompt, which is on record.
    expect(new Set(refused).size).toBe(refused.length);
    for (const cause of refused) expect(entries.find(({ seq }) => seq === cause)?.kind).toBe('prompt');
    expect(refused.length).toBeGreaterThanOrEqual(8);
    await project.expectIntact();
  });
});

describe('a session that presents no good key', () => {
  it('G2a is refused in guard from its first prompt on, and says so when it begins', async () => {
    const project = await newProject();
    project.settings('guard');
    await addKey(project);
    const host = new ClaudeSession('s', project.work);
    const tell = byCall(project);
    expect(JSON.parse(await tell('claude-code', host.start()))).toEqual({
      systemMessage: expect.stringContaining('foil auth present'),
    });
    expect(JSON.parse(await tell('claude-code', host.prompt('go')))).toEqual({
      decision: 'block',
      reason: expect.stringContaining('A person has to put this right'),
      systemMessage: expect.stringContaining('foil auth present'),
    });
    expect(await tell('claude-code', host.call('a'))).toContain('"permissionDecision":"deny"');
    const entries = project.recorded();
    expect(kinds(entries)).toEqual([
      'session.start',
      'auth.fail',
      'prompt',
      'auth.fail',
      'tool.call',
      'tool.denied',
    ]);
    expect(entries[0]?.payload.auth_key).toBe(ZEROS);
    expect(entries[1]).toMatchObject({
      cause: entries[0]?.seq,
      payload: { reason: 'none-presented', key: null, at: 'start' },
    });
  });

  it('G2c is recorded in observe as unauthenticated, with a warning', async () => {
    const project = await newProject();
    await addKey(project);
    const host = new ClaudeSession('s', project.work);
    const { stdout } = await project.tell('claude-code', host.prompt('go'));
    expect(JSON.parse(stdout).systemMessage).toContain('unauthenticated');
    expect((await project.tell('claude-code', host.call('a'))).stdout).toBe('');
    const [start, fail] = project.recorded();
    expect(start?.payload.auth_key).toBe(ZEROS);
    expect(fail).toMatchObject({ kind: 'auth.fail', payload: { reason: 'none-presented', at: 'start' } });
  });

  it('G2a goes on where one is presented before its next prompt', async () => {
    const project = await newProject();
    project.settings('guard');
    const { id, key } = await addKey(project);
    const host = new ClaudeSession('s', project.work);
    const tell = byCall(project);
    expect(await tell('claude-code', host.prompt('go'))).toContain('block');
    const presented = await project.foil(['auth', 'present', '-', '--ledger', project.directory], {
      input: `${key}\n`,
    });
    expect(presented.code).toBe(0);
    expect(await tell('claude-code', host.prompt('go'))).toBe('');
    expect(project.recorded().findLast(({ kind }) => kind === 'session.start')?.payload.auth_key).toBe(id);
    expectNowhere(project, { id, key });
  });

  it('G2a one that began before a key was asked for does not go on without', async () => {
    const project = await newProject();
    project.settings('guard');
    const host = new ClaudeSession('s', project.work);
    const tell = byCall(project);
    expect(await tell('claude-code', host.prompt('one'))).toBe('');
    await addKey(project);
    expect(await tell('claude-code', host.prompt('two'))).toContain('block');
  });

  it.each<[string, string, (directory: string, key: Key) => void]>([
    ['whose file is a copy of a good one', 'unreadable', swap],
    [
      'whose file others can read',
      'unreadable',
      (directory, { id }) => chmodSync(join(directory, id), 0o644),
    ],
    ['in a store that others can read', 'unreadable', (directory) => chmodSync(directory, 0o755)],
    ['whose file is gone', 'unknown-key', (directory, { id }) => rmSync(join(directory, id))],
    ['whose store is gone', 'unknown-key', (directory) => renameSync(directory, `${directory}-away`)],
  ])('G2b a key %s is not good', async (_, reason, touch) => {
    const project = await guarded();
    const other = await addKey(project, 'other');
    const host = new ClaudeSession('s', project.work);
    const tell = byCall(project);
    expect(await tell('claude-code', host.prompt('one'))).toBe('');
    touch(authDirectory(project), { ...project.key, key: other.id });
    expect(await tell('claude-code', host.prompt('two'))).toContain('"decision":"block"');
    expect(project.recorded().at(-1)).toMatchObject({ kind: 'auth.fail', payload: { reason } });
  });

  /** A revoked key does not come back in the clothes of a good one. */
  function swap(directory: string, { id, key: other }: Key): void {
    const good = readFileSync(join(directory, other));
    writeFileSync(join(directory, id), good);
  }

  it('G1e wrong keys in what is presented are limited, too', async () => {
    const project = await guarded();
    const file = join(authDirectory(project), 'presented');
    const right = readFileSync(file, 'utf8');
    const tell = byCall(project);
    for (let i = 0; i < 5; i++) {
      writeFileSync(file, `foilkey_${String(i).repeat(42)}A\n`);
      await tell('claude-code', new ClaudeSession(`s${i}`, project.work).start());
    }
    writeFileSync(file, right);
    expect(await tell('claude-code', new ClaudeSession('s', project.work).start())).toContain(
      'too many wrong',
    );
    const reasons = project.recorded().filter(({ kind }) => kind === 'auth.fail');
    expect(reasons.map(({ payload }) => payload.reason)).toEqual([
      ...Array.from({ length: 5 }, () => 'unknown-key'),
      'too-many-attempts',
    ]);
    for (const { payload } of reasons) expect(payload.key).toBeNull();
  });
});

describe('a ledger without keys', () => {
  it('G1f says so in 64 zeros and in its verdict, and nothing else is as with keys', async () => {
    const project = await newProject();
    project.settings('guard');
    const host = new ClaudeSession('s', project.work);
    const tell = byCall(project);
    for (const event of [host.start(), host.prompt('go'), host.call('a'), host.result('a')])
      expect(await tell('claude-code', event)).toBe('');
    expect(kinds(project.recorded())).toEqual(['session.start', 'prompt', 'tool.call', 'tool.result']);
    expect(project.recorded()[0]?.payload.auth_key).toBe(ZEROS);
    const { stdout } = await project.foil(['verify', project.directory]);
    expect(stdout).toContain('1 session, unauthenticated');
    expect(readdirSync(join(project.root, 'config/counterfoil'))).not.toContain('auth');
    for (const name of readdirSync(join(project.directory, 'sessions')))
      expect(readFileSync(join(project.directory, 'sessions', name), 'utf8')).not.toContain('auth');
  });
});

describe('what the ledger holds of a key', () => {
  it('G1b its id: a key that is said in a prompt, a command or an output is redacted', async () => {
    const project = await guarded();
    const { key } = project.key;
    const host = new ClaudeSession('s', project.work);
    const tell = byCall(project);
    await tell('claude-code', host.prompt(`my key is ${key}, use it`));
    await tell('claude-code', host.call('a', { command: `echo ${key} | foil auth present -` }));
    await tell('claude-code', host.result('a', { command: `echo ${key} | foil auth present -` }));
    await tell('claude-code', host.event('Nonsense', { deep: [{ note: `x${key}y` }, key.slice(0, 30)] }));
    expectNowhere(project, project.key);
    expectNowhere(project, { id: '', key: key.slice(0, 30) });
    expect(await project.content(project.recorded()[2], 'text')).toBe('my key is [REDACTED:token], use it');
  });
});
