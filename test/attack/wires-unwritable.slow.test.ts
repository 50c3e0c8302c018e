// The ledger becomes unwritable with calls in flight, for real: a file size limit set on the running process, a disk that
// is full, a directory that is gone. On neither wire does anything reach the other side that is not on record, nobody
// gets a clean end that is not, nothing hangs, and afterwards the ledger says what happened.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLedger, verifyDirectory } from '../../src/entry/index.ts';
import { FOIL } from '../cli/foil.ts';
import { RawClient } from '../e2e/mcp-client.ts';
import { newProject, Project } from '../e2e/recorded-project.ts';
import { type Arrived, ask, entriesIn, type Reply, sse, upstream } from '../service/gateway/stage.ts';

interface Fault {
  readonly name: string;
  /** Some entries may still fit: then they count. */
  readonly leaky?: boolean;
  /** Before anything is in it. */
  prepare?(project: Project): void;
  apply(project: Project, pid: number): void;
  /** Null where there is no way back. */
  readonly mend: ((project: Project, pid: number) => void) | null;
}

function limit(pid: number, bytes: number | 'unlimited'): void {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
  expect(status, String(stderr)).toBe(0);
}

const diskOf = (project: Project): string => join(project.root, 'state');

const FAULTS: readonly Fault[] = [
  {
    name: 'nothing can be written any more',
    apply: (_, pid) => limit(pid, 1),
    mend: (_, pid) => limit(pid, 'unlimited'),
  },
  {
    name: 'half an entry fits',
    leaky: true,
    apply({ directory }, pid) {
      const folder = join(directory, 'ledger');
      const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
      limit(pid, Math.max(...sizes) + 100);
    },
    mend: (_, pid) => limit(pid, 'unlimited'),
  },
  {
    name: 'the disk is full',
    leaky: true,
    prepare: (project) => mountSmall(diskOf(project)),
    apply(project) {
      // To the last byte: dd goes on until there is no room.
      spawnSync('dd', ['if=/dev/zero', `of=${join(diskOf(project), 'fill')}`, 'bs=4096']);
    },
    mend: (project) => rmSync(join(diskOf(project), 'fill')),
  },
  {
    name: 'the directory is gone',
    apply: ({ directory }) => rmSync(directory, { recursive: true, force: true }),
    mend: null,
  },
];

function canMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  const place = mkdtempSync('/tmp/foil-mount-');
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'foil', place]);
  if (status === 0) spawnSync('umount', [place]);
  rmdirSync(place);
  return status === 0;
}

function mountSmall(place: string): void {
  expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'foil', place]).status).toBe(0);
}

const possible = FAULTS.filter(({ name }) =>
  name === 'the disk is full'
    ? canMount()
    : name === 'the directory is gone' || spawnSync('prlimit', ['--version']).status === 0,
);

async function projectFor(fault: Fault): Promise<Project> {
  if (fault.prepare === undefined) return newProject();
  const project = new Project();
  fault.prepare(project);
  onTestFinished(async () => {
    await project.remove().catch(() => undefined);
    spawnSync('umount', ['-l', diskOf(project)]);
    rmSync(project.root, { recursive: true, force: true });
  });
  await (await createLedger(project.located)).close();
  return project;
}

const kinds = (project: Project, kind: string) =>
  entriesIn(project.directory).filter((entry) => entry.kind === kind);

/** It may say that calls have no end, never that something was tampered with. */
async function expectTruthful(project: Project): Promise<void> {
  const report = await verifyDirectory(project.directory, { content: true, threads: 0 });
  expect(report.failures).toEqual([]);
  expect(['INTACT', 'UNPROVEN', 'INCOMPLETE']).toContain(report.verdict);
}

const event = (data: Record<string, unknown>): [string, unknown] => [String(data.type), data];
const BEGIN = sse(
  event({ type: 'message_start', message: { id: 'msg_1', type: 'message', content: [] } }),
  event({
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'rm', input: {} },
  }),
);
const STOP = sse(event({ type: 'content_block_stop', index: 0 }));
const END = sse(event({ type: 'message_stop' }));
const JSON_ANSWER = JSON.stringify({ id: 'msg_1', type: 'message', role: 'assistant', content: [] });

describe.each(possible)('$name, under the gateway', (fault) => {
  it('G15d no call goes upstream without its entry, no answer ends clean, nothing hangs', async () => {
    const project = await projectFor(fault);
    const held = new Map<string, ServerResponse>();
    let arrivals = (): void => undefined;
    const to = await upstream((arrived: Arrived, response: ServerResponse) => {
      const { model } = JSON.parse(arrived.body.toString()) as { model: string };
      held.set(model, response);
      if (model !== 'body') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(model === 'tool' || model === 'late' ? BEGIN : ': hi\n\n');
      }
      if (model === 'late') response.write(STOP);
      arrivals();
    });
    const { pid, port, child } = await project.serve(['--port', '0', '--upstream', `anthropic=${to.url}`]);
    let errors = '';
    child.stderr?.on('data', (piece: Buffer) => {
      errors += piece.toString();
    });
    const call = (model: string): Promise<Reply> =>
      ask(
        `http://127.0.0.1:${port}/anthropic/v1/messages`,
        JSON.stringify({ model, stream: model !== 'body', messages: [{ role: 'user', content: model }] }),
      ).catch((error: Error) => ({ status: 0, error, body: Buffer.of() }) as unknown as Reply);
    const open = ['body', 'stream', 'tool', 'late'];
    const asked = open.map(call);
    while (held.size < open.length)
      await new Promise<void>((resolve) => {
        arrivals = resolve;
      });
    // The tool of this one is on record, and the client has it.
    while (kinds(project, 'model.tool_use').length === 0) await new Promise(setImmediate);
    fault.apply(project, pid);
    const asking = ['after', 'then'].map(call);
    const ended = asking.map(async (reply) => (await reply).status);
    // Each was refused, or went on because it could be recorded.
    let refused = 0;
    for (const each of ended)
      void each.then(() => {
        refused += 1;
      });
    while (refused + Number(held.has('after')) + Number(held.has('then')) < 2)
      await new Promise(setImmediate);
    for (const [model, rest] of [
      ['stream', BEGIN + STOP + END],
      ['tool', STOP + END],
      ['late', END],
      ['after', BEGIN + STOP + END],
      ['then', BEGIN + STOP + END],
    ] as const)
      held.get(model)?.end(rest);
    held.get('body')?.writeHead(200, { 'content-type': 'application/json' }).end(JSON_ANSWER);
    const replies = await Promise.all([...asked, ...asking]);
    const [body] = replies;
    if (fault.leaky !== true) {
      expect((await Promise.all(ended)).every((status) => status === 503 || status === 0)).toBe(true);
      expect([body?.status, body?.body.toString().includes('msg_1')]).not.toEqual([200, true]);
      for (const { error, body: bytes } of replies.slice(1)) {
        if (bytes.length > 0) expect(error !== null || bytes.includes('AUDIT_APPEND_FAILED')).toBe(true);
        expect(bytes.toString()).not.toContain('message_stop');
      }
      expect(to.arrived.length).toBe(open.length);
    }
    const clean = replies.filter(
      ({ status, error, body: bytes }) =>
        status === 200 && error === null && /message_stop|msg_1/.test(bytes.toString()),
    ).length;
    if (fault.mend === null) {
      // A service whose ledger is gone leaves by itself.
      if (child.exitCode === null) await once(child, 'exit');
      expect(existsSync(project.directory)).toBe(false);
      return;
    }
    fault.mend(project, pid);
    held.clear();
    arrivals = () =>
      held.get('body')?.writeHead(200, { 'content-type': 'application/json' }).end(JSON_ANSWER);
    const again = await call('body');
    expect([again.status, again.error, again.body.toString()]).toEqual([200, null, JSON_ANSWER]);
    expect(kinds(project, 'model.call')).toHaveLength(to.arrived.length);
    // The other way round is no lie: what was recorded need not have arrived.
    const recorded = kinds(project, 'model.result').filter(({ payload }) => payload.result === 'ok').length;
    expect(recorded).toBeGreaterThanOrEqual(clean + 1);
    child.kill('SIGTERM');
    await once(child, 'exit');
    expect(errors).not.toMatch(/unhandled|at .*\.js:\d+/i);
    await expectTruthful(project);
  });
});

describe.each(possible)('$name, under a wrapped MCP server', (fault) => {
  it('K8a, K8b: no call reaches the server without its entry, no answer the client, nothing hangs', async () => {
    const project = await projectFor(fault);
    const marks = join(project.root, 'marks');
    const server = [process.execPath, join(import.meta.dirname, 'held-server.mjs')];
    const words = [
      process.execPath,
      FOIL,
      'mcp',
      'wrap',
      '--ledger',
      project.directory,
      '--name',
      'test',
      '--',
    ];
    const client = new RawClient(project, { words: [...words, ...server], env: { MARKS: marks } });
    client.call(1, 'hold');
    client.call('two', 'hold');
    await client.until(() => client.stderr.includes('made "two"'));
    fault.apply(project, client.child.pid ?? 0);
    client.call(3, 'now');
    await client.answer(3);
    client.send({ jsonrpc: '2.0', id: 'go', method: 'ping' });
    const answers = [await client.answer(1), await client.answer('two'), await client.answer(3)];
    const failed = answers.filter((answer) => JSON.stringify(answer).includes('AUDIT_APPEND_FAILED')).length;
    const made = answers.filter(({ result }) => result !== undefined).length;
    expect(failed + made).toBe(3);
    if (fault.leaky !== true) expect(failed).toBe(3);
    client.send({ jsonrpc: '2.0', id: 4, method: 'ping' });
    expect(await client.answer(4)).toMatchObject({ result: {} });
    if (fault.mend === null) {
      expect(await client.end()).toMatchObject({ signal: null });
      expect(readFileSync(marks, 'utf8')).toBe('1\n"two"\n');
      return;
    }
    fault.mend(project, client.child.pid ?? 0);
    client.call(5, 'now');
    expect(await client.answer(5)).toMatchObject({ result: {} });
    expect(await client.end()).toEqual({ code: 0, signal: null });
    const idOf = ({ payload }: { payload: Record<string, unknown> }): unknown =>
      (payload.mcp as { request_id?: string }).request_id;
    const calls = kinds(project, 'tool.call').map(idOf);
    for (const id of readFileSync(marks, 'utf8').split('\n').filter(Boolean)) expect(calls).toContain(id);
    const results = kinds(project, 'tool.result').map(({ payload }) => [payload.result, payload.error_code]);
    expect(results).toHaveLength(calls.length);
    expect(results.filter(([result]) => result === 'ok')).toHaveLength(made + 1);
    for (const [result, code] of results) if (result !== 'ok') expect(code).toBe('AUDIT_APPEND_FAILED');
    const gaps = kinds(project, 'gap').some(({ payload }) => payload.reason === 'unrecorded');
    expect(gaps).toBe(failed > 0);
    await expectTruthful(project);
  });

  it('K9f the same over HTTP', async () => {
    const project = await projectFor(fault);
    const held = new Map<number, ServerResponse>();
    let arrivals = (): void => undefined;
    const answer = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`;
    const to = await upstream((arrived: Arrived, response: ServerResponse) => {
      const { id } = JSON.parse(arrived.body.toString()) as { id: number };
      held.set(id, response);
      if (id === 2) response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      if (id > 2) response.writeHead(200, { 'content-type': 'application/json' }).end(answer(id));
      arrivals();
    });
    const words = ['mcp', 'wrap', '--http', `${to.url}/mcp`, '--ledger', project.directory, '--json'];
    const child = project.start(words);
    const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
    const { url } = JSON.parse(line.toString()) as { url: string };
    const call = (id: number): Promise<Reply> =>
      ask(url, JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'x' } }), {
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      });
    const asked = [call(1), call(2)];
    while (held.size < 2)
      await new Promise<void>((resolve) => {
        arrivals = resolve;
      });
    fault.apply(project, child.pid ?? 0);
    const third = await call(3);
    held.get(1)?.writeHead(200, { 'content-type': 'application/json' }).end(answer(1));
    held.get(2)?.end(`data: ${answer(2)}\n\n`);
    const replies = [...(await Promise.all(asked)), third].map(({ body }) => body.toString());
    const failed = replies.filter((text) => text.includes('AUDIT_APPEND_FAILED')).length;
    expect(failed + replies.filter((text) => text.includes('"result"')).length).toBe(3);
    if (fault.leaky !== true) expect([failed, to.arrived.length]).toEqual([3, 2]);
    fault.mend?.(project, child.pid ?? 0);
    if (fault.mend !== null) expect((await call(4)).body.toString()).toBe(answer(4));
    child.kill('SIGTERM');
    await once(child, 'exit');
    if (fault.mend === null) return;
    expect(kinds(project, 'tool.call').length).toBeGreaterThanOrEqual(to.arrived.length);
    const results = kinds(project, 'tool.result').map(({ payload }) => payload.result);
    expect(results.filter((result) => result === 'ok')).toHaveLength(4 - failed);
    // What has no result, because that could not be written in its time, is told as a gap.
    const gaps = kinds(project, 'gap').some(({ payload }) => payload.reason === 'unrecorded');
    expect(gaps).toBe(failed > 0);
    await expectTruthful(project);
  });
});
