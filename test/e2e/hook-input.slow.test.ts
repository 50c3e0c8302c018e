// Hook input that no host should send, or that a later version of one might. It is recorded as what it was seen to be,
// it crashes nothing, and in guard it lets no call through that is not on record.
import { spawn } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/core/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { FOIL } from '../cli/foil.ts';
import { ClaudeSession } from './claude-host.ts';
import { HOSTS, type Host } from './hosts.ts';
import { finish, makeProject, newProject, type Project, post, type Serving } from './recorded-project.ts';

interface Odd {
  readonly what: string;
  readonly bytes: (host: Host) => Uint8Array;
  /** What it is recorded as: why it was not understood, or the kind of entry. */
  readonly problem: string | null;
  readonly kind?: string;
  /** For every host in guard too; the others go over HTTP alone. */
  readonly everywhere?: boolean;
  /** Does the entry say that something was lost? */
  readonly lossy?: boolean;
  /** Of the arguments' content, or of the observation's. */
  readonly keeps?: string;
}

const text = (value: string): Uint8Array => Buffer.from(value);
/** A call whose arguments hold this JSON text. */
const withArgs = (host: Host, json: string): string =>
  JSON.stringify({ ...host.call('odd', 'c1'), tool_input: '@' }).replace('"@"', () => json);
const call = (json: string) => (host: Host) => text(withArgs(host, json));
const deep = 100_000;

const ODD: readonly Odd[] = [
  { what: 'nothing', bytes: () => text(''), problem: 'empty', everywhere: true },
  { what: 'blanks', bytes: () => text(' \n\t '), problem: 'empty' },
  {
    what: 'no JSON',
    bytes: () => text('panic: oh no'),
    problem: 'not-json',
    keeps: 'panic: oh no',
    everywhere: true,
  },
  {
    what: 'JSON that was cut short',
    bytes: (host) => text(JSON.stringify(host.call('odd', 'c1')).slice(0, -3)),
    problem: 'not-json',
  },
  {
    what: 'two documents',
    bytes: (host) => text(`${JSON.stringify(host.call('odd', 'c1'))}{}`),
    problem: 'not-json',
  },
  { what: 'an array', bytes: () => text('[{"hook_event_name":"PreToolUse"}]'), problem: 'not-object' },
  { what: 'a text', bytes: () => text('"PreToolUse"'), problem: 'not-object' },
  { what: 'null', bytes: () => text('null'), problem: 'not-object' },
  { what: 'an endless array', bytes: () => text('['.repeat(deep) + ']'.repeat(deep)), problem: 'not-object' },
  { what: 'an array that is never closed', bytes: () => text('['.repeat(deep)), problem: 'not-json' },
  { what: 'an empty object', bytes: () => text('{}'), problem: 'bad-shape' },
  {
    what: 'a call without arguments',
    everywhere: true,
    bytes: (host) => text(JSON.stringify({ ...host.call('odd', 'c1'), tool_input: undefined })),
    problem: 'bad-shape',
  },
  {
    what: 'a call of a tool that has no name',
    bytes: (host) => text(JSON.stringify({ ...host.call('odd', 'c1'), tool_name: { id: 7 } })),
    problem: 'bad-shape',
  },
  {
    what: 'a session that is a number',
    bytes: (host) => text(JSON.stringify({ ...host.call('odd', 'c1'), session_id: 7, conversation_id: 7 })),
    problem: 'bad-shape',
  },
  {
    what: 'arguments nested a hundred thousand deep',
    bytes: call(`{"command":"ls","x":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}`),
    problem: null,
    lossy: true,
    everywhere: true,
  },
  {
    what: 'a directory that can not be',
    bytes: (host) =>
      text(JSON.stringify({ ...host.call('odd', 'c1'), cwd: '/a\u0000b', workspace_roots: ['/a\u0000b'] })),
    problem: null,
    keeps: 'echo c1',
  },
  {
    what: 'bytes that are no UTF-8',
    bytes: (host) => Buffer.from(withArgs(host, '{"command":"ls \u00ff\u00fe"}'), 'latin1'),
    problem: null,
    lossy: true,
    keeps: 'ls \ufffd\ufffd',
  },
  {
    what: 'half a character',
    bytes: call(String.raw`{"command":"ls \ud800 \udc00 \ud83d\ude00"}`),
    problem: null,
    lossy: true,
    keeps: 'ls \ufffd \ufffd 😀',
  },
  {
    what: 'numbers that no double holds',
    bytes: call('{"command":"ls","a":1e400,"b":12345678901234567890,"c":0.1,"d":-0}'),
    problem: null,
    lossy: true,
    keeps: '"12345678901234567890"',
  },
  {
    what: 'NULs',
    bytes: call(String.raw`{"command":"ls\u0000\u0000"}`),
    problem: null,
    keeps: String.raw`ls\u0000`,
  },
  { what: 'a member twice', bytes: call('{"command":"rm","command":"ls"}'), problem: null, lossy: true },
  {
    what: 'members that name the language’s own',
    bytes: call('{"__proto__":{"command":"evil"},"constructor":1,"command":"ls","toString":null}'),
    problem: null,
    keeps: '"__proto__":{"command":"evil"}',
  },
  {
    what: 'a byte order mark',
    bytes: (host) => text(`\ufeff${JSON.stringify(host.call('odd', 'c1'))}`),
    problem: null,
    keeps: 'echo c1',
  },
  { what: 'arguments that are a text', bytes: call('"ls -l"'), problem: null, keeps: 'ls -l' },
  { what: 'arguments that are null', bytes: call('null'), problem: null, keeps: 'null' },
  {
    what: 'an event that nobody knows',
    everywhere: true,
    bytes: (host) => text(JSON.stringify({ ...host.call('odd', 'c1'), hook_event_name: 'beforeThinking' })),
    problem: null,
    kind: 'observation',
    keeps: 'echo c1',
  },
  {
    what: 'names, ids and paths without end',
    bytes: (host) =>
      text(
        JSON.stringify({
          ...host.call('odd', '\u0001'.repeat(50_000)),
          tool_name: '\u0002'.repeat(50_000),
          cwd: `/${'ü'.repeat(50_000)}`,
          agent_id: '\u0003'.repeat(50_000),
          tool_input: { paths: Array.from({ length: 500 }, (_, i) => `${i}/${'語'.repeat(1000)}`) },
        }),
      ),
    problem: null,
    lossy: true,
  },
];

const isTool = ({ problem, kind = 'tool.call' }: Odd): boolean => problem === null && kind === 'tool.call';

async function expectRecorded(project: Project, odd: Odd, left: readonly Entry[]): Promise<void> {
  const { problem, kind = problem === null ? 'tool.call' : 'observation', lossy = false, keeps } = odd;
  const entry = left.find((each) => each.kind === kind);
  expect(
    left.map((each) => each.kind),
    odd.what,
  ).toContain(kind);
  if (kind === 'observation') expect(entry?.payload.problem).toBe(problem);
  if (lossy) expect(entry?.payload.lossy).toBeGreaterThan(0);
  if (keeps !== undefined)
    expect(await project.content(entry, kind === 'tool.call' ? 'args' : 'content')).toContain(keeps);
}

let project: Project;
let serving: Serving;
beforeAll(async () => {
  project = await makeProject();
  serving = await project.serve();
});
afterAll(async () => {
  await project.expectIntact();
  await project.remove();
});

describe.each(HOSTS)('$agent', (host) => {
  beforeAll(() => project.settings('observe'));
  /** The event's name from the command line, for hosts whose input may lack it. */
  const event = String(host.call('s', 'c').hook_event_name);

  // For each host one that is refused and one that passes are processes.
  const asProcess = ['no JSON', 'an event that nobody knows'];
  const told = ODD.filter(({ everywhere = false }) => everywhere || host.agent === 'claude-code').map(
    (odd) => ({ ...odd, how: asProcess.includes(odd.what) ? 'as a process' : 'as a call' }),
  );
  it.each(told)('K8 $how in guard: $what', async (odd) => {
    const before = project.recorded().length;
    const tell = odd.how === 'as a process' ? 'hook' : 'tell';
    const { code, stdout, stderr } = await project[tell](host.agent, odd.bytes(host), { mode: 'guard' });
    await expectRecorded(project, odd, project.recorded().slice(before));
    if (odd.problem === null) expect({ code, stdout }).toEqual({ code: 0, stdout: host.pass });
    else {
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/Counterfoil could not understand this hook's input \(/);
    }
  });

  it('the same over HTTP, in observe: it passes and is recorded', async () => {
    for (const odd of ODD) {
      const before = project.recorded().length;
      const { status } = await post(serving, host.agent, odd.bytes(host), event);
      expect(status, odd.what).toBe(200);
      await expectRecorded(project, odd, project.recorded().slice(before));
    }
  });

  it('K8 the same over HTTP, in guard: what was not understood is a failure that blocks', async () => {
    project.settings('guard');
    for (const odd of ODD) {
      const { status, body } = await post(serving, host.agent, odd.bytes(host), event);
      expect([odd.what, status]).toEqual([odd.what, odd.problem === null ? 200 : 500]);
      if (isTool(odd)) expect(body, odd.what).toBe(host.pass);
    }
  });
});

describe('much of it', () => {
  const host = new ClaudeSession('large');

  it('50 MB are a call like any other', async () => {
    const project = await newProject();
    const content = 'all work and no play makes jack a dull boy\n'.repeat(Math.ceil((50 * 2 ** 20) / 43));
    const input = host.call('c1', { file_path: '/home/dev/proj/a.txt', content }, 'Write');
    const answer = await project.hook('claude-code', input, { mode: 'guard' });
    expect(answer).toEqual({ code: 0, stdout: '', stderr: '' });
    const call = project.recorded().at(-1);
    expect(await project.json(call, 'args')).toMatchObject({ content: { content_bytes: content.length } });
  });

  it('K4 a patch of two thousand files is a call like any other', async () => {
    const project = await newProject();
    const files = Array.from(
      { length: 2000 },
      (_, i) => `*** Add File: src/${'deep/'.repeat(10)}file-${i}.ts\n+x`,
    );
    const args = { command: `*** Begin Patch\n${files.join('\n')}\n*** End Patch` };
    for (const event of [host.call('p', args, 'apply_patch'), host.result('p', args, 'apply_patch')])
      expect(await project.tell('codex', event, { mode: 'guard' })).toMatchObject({ code: 0, stdout: '' });
    const result = project.recorded().at(-1);
    const told = (result?.payload.files ?? []) as readonly Json[];
    expect(result?.kind).toBe('tool.result');
    expect(told.length).toBeGreaterThan(50);
    // The patch is not the file: what its content is, nobody told.
    const path = `src/${'deep/'.repeat(10)}file-0.ts`;
    expect(told[0]).toEqual({ path, op: 'write', hash: null, bytes: null });
    expect(result?.payload.lossy).toBeGreaterThanOrEqual(2000 - told.length);
    await project.expectIntact();
  });

  it('K3 a long list of rules of one’s own is no reason not to record', async () => {
    const project = await newProject();
    const digits = String.raw`\d`.repeat(90);
    const rules = Array.from({ length: 100 }, (_, i) => `    - {id: own-${i}, pattern: 'OWN${i}-${digits}'}`);
    const keys = Array.from({ length: 100 }, (_, i) => `      - ${'ü'.repeat(100)}${i}x`);
    const yaml = `redact:\n  add:\n${rules.join('\n')}\n  keys:\n    add:\n${keys.join('\n')}\n`;
    writeFileSync(join(project.work, 'counterfoil.yaml'), yaml);
    const own = new ClaudeSession('own', project.work);
    const text = `look: OWN7-${'4'.repeat(90)}`;
    const answer = await project.tell('claude-code', own.prompt(text), { mode: 'guard' });
    expect(answer).toEqual({ code: 0, stdout: '', stderr: '' });
    const prompt = project.recorded().findLast(({ kind }) => kind === 'prompt');
    expect(prompt).toMatchObject({ kind: 'prompt', payload: { redacted: { 'own-7': 1 } } });
  });

  it.each(['observe', 'guard'] as const)('K8 70 MB are recorded as too much, in %s', async (mode) => {
    const project = await newProject();
    const input = host.call('c1', { command: 'x'.repeat(70 * 2 ** 20) });
    const { code, stdout, stderr } = await project.hook('claude-code', input, { mode });
    expect({ code, stdout }).toEqual({ code: mode === 'guard' ? 2 : 0, stdout: '' });
    if (mode === 'guard') expect(stderr).toContain('too-large');
    const [entry] = project.recorded();
    expect(entry).toMatchObject({ kind: 'observation', session_id: null, payload: { problem: 'too-large' } });
    expect(entry?.payload.lossy).toBeGreaterThan(0);
    // Its beginning is kept, so that somebody can see what it was.
    expect(await project.content(entry, 'content')).toContain('"hook_event_name":"PreToolUse"');
  });

  it('K8 70 MB over HTTP are recorded, and in guard refused', async () => {
    const project = await newProject();
    const serving = await project.serve();
    const body = Buffer.alloc(70 * 2 ** 20, 'x');
    const answer = async (): Promise<number> => {
      try {
        return (await post(serving, 'claude-code', body)).status;
      } catch {
        return 0; // the connection was given up before all of it was sent
      }
    };
    expect([0, 413]).toContain(await answer());
    project.settings('guard');
    expect([0, 413, 500]).toContain(await answer());
    const problems = project.recorded().map(({ payload }) => payload.problem);
    expect(problems).toEqual(['too-large', 'too-large']);
  });
});

describe('standard input and output', () => {
  const host = new ClaudeSession('s');

  it.each([
    ['is closed', '<&-'],
    ['is empty at once', '</dev/null'],
    ['is a directory', '</'],
  ])(
    'K8 input that %s lets nothing through in guard, and holds nothing up in observe',
    async (_, redirection) => {
      const project = await newProject();
      const before = ['/bin/sh', '-c', `exec "$@" ${redirection}`, 'sh'];
      const guard = await project.hook('claude-code', '', { mode: 'guard', before });
      expect(guard).toMatchObject({ code: 2, stdout: '' });
      expect(guard.stderr).toMatch(/\S/);
      const observe = await project.hook('claude-code', '', { before });
      expect(observe.code).not.toBe(2);
      expect(observe.stdout).toBe('');
    },
  );

  it('input in many small pieces is one event', async () => {
    const project = await newProject();
    const child = project.start(project.hookWords('claude-code'));
    const bytes = Buffer.from(JSON.stringify(host.prompt('slowly – ein Schritt nach dem andern')));
    const ended = finish(child, Buffer.alloc(0));
    expect(await ended).toMatchObject({ code: 0 });
    const slow = project.start(project.hookWords('claude-code'));
    for (let at = 0; at < bytes.length; at += 7)
      await new Promise((resolve) => slow.stdin?.write(bytes.subarray(at, at + 7), resolve));
    expect(await finish(slow, Buffer.alloc(0))).toMatchObject({ code: 0, stdout: '' });
    const prompt = project.recorded().find(({ kind }) => kind === 'prompt');
    expect(await project.content(prompt, 'text')).toBe('slowly – ein Schritt nach dem andern');
  });

  it('K8 a refusal that nobody can read is an exit code', async () => {
    const project = await newProject();
    renameSync(join(project.directory, 'ledger'), join(project.directory, 'away'));
    writeFileSync(join(project.directory, 'ledger'), '');
    const words = project.hookWords('claude-code', { mode: 'guard' });
    const child = spawn(process.execPath, [FOIL, ...words], { cwd: project.work, env: project.env });
    child.stdout.destroy();
    expect(await finish(child, Buffer.from(JSON.stringify(host.call('c1'))))).toMatchObject({ code: 2 });
  });

  it('nobody to listen is no reason not to record', async () => {
    const project = await newProject();
    const words = project.hookWords('gemini');
    const child = spawn(process.execPath, [FOIL, ...words], { cwd: project.work, env: project.env });
    child.stdout.destroy();
    child.stderr.destroy();
    const event: JsonObject = { session_id: 's', hook_event_name: 'BeforeAgent', prompt: 'hi' };
    expect(await finish(child, Buffer.from(JSON.stringify(event)))).toMatchObject({ code: 0 });
    expect(project.recorded().map(({ kind }) => kind)).toEqual(['session.start', 'prompt']);
  });

  it('K8 a command line that can not be right refuses where it means guard', async () => {
    const project = await newProject();
    for (const words of [
      ['hook', 'nobody', '--mode', 'guard'],
      ['hook', '--mode=guard'],
      ['hook', 'claude-code', '--mode=locked'],
    ]) {
      const { code, stderr } = await project.spawn(words, { input: host.call('c1') });
      expect([words, code]).toEqual([words, 2]);
      expect(stderr).toMatch(/^foil: hook: /);
    }
    const { code } = await project.spawn(['hook', 'nobody'], { input: host.call('c1') });
    expect(code).toBe(1);
  });
});
