// `foil mcp wrap`, mostly as a process, between a client of raw lines and a server that misbehaves: what the client sees of the
// one it would have seen of the other, and the ledger tells what happened.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FOIL } from '../cli/foil.ts';
import { direct, RawClient, wrapped, wrappedHere } from './mcp-client.ts';
import { newProject, type Project } from './recorded-project.ts';

const of = (project: Project, kind: string) => project.entries().filter((entry) => entry.kind === kind);

describe('foil mcp wrap', () => {
  it('K9a, K9d: gives the client the same bytes, the same standard error and the same exit code', async () => {
    const project = await newProject();
    const script = (client: RawClient) => async () => {
      client.send('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\r\n');
      await client.answer(0);
      client.call(1, 'echo', { text: 'é \u2028 "' });
      await client.answer(1);
      client.call('1', 'junk');
      await client.answer('1');
      client.call(2, 'twice');
      await client.answer('nobody');
      client.send('\n \nnot json\n{"jsonrpc":"2.0","id":3,"method":"ping"}');
      const ended = await client.end();
      return { bytes: client.bytes.toString('latin1'), stderr: client.stderr, ended };
    };
    const env = { EXIT: '7' };
    const [expected, seen] = [await script(direct(project, env))(), await script(wrapped(project, env))()];
    expect(seen).toEqual(expected);
    expect(seen.ended).toEqual({ code: 7, signal: null });
    expect(of(project, 'observation').map(({ payload }) => [payload.event, payload.problem])).toEqual(
      expect.arrayContaining([
        ['initialize', null],
        ['stdout', 'not-json'],
        ['response', 'answered-twice'],
        ['response', 'unknown-id'],
        ['stdin', 'not-json'],
      ]),
    );
    expect(of(project, 'session.start')).toMatchObject([
      { source: 'mcp', payload: { agent: 'test', trigger: 'mcp' } },
    ]);
    expect(of(project, 'session.end')).toMatchObject([
      { payload: { exit_code: 7, counts: { calls: 3, results: 3 } } },
    ]);
    await project.expectIntact();
  });

  it.each(['SIGTERM', 'SIGUSR2'] as const)('K9d passes %s on', async (signal) => {
    const project = await newProject();
    const client = wrapped(project);
    await client.until(() => client.stderr.includes('ready'));
    client.child.kill(signal);
    if (signal === 'SIGUSR2') {
      await client.until(() => client.stderr.includes('got SIGUSR2'));
      expect(await client.end()).toEqual({ code: 0, signal: null });
    } else expect(await client.ended).toEqual({ code: null, signal });
    expect(of(project, 'session.end')).toMatchObject([
      { payload: { reason: signal === 'SIGTERM' ? signal : 'exit' } },
    ]);
  });

  it('K9d ends as the server does, by exit code or signal, and what was open is on record as aborted', async () => {
    const project = await newProject();
    const first = wrapped(project);
    first.call(1, 'never');
    first.call(2, 'exit', { code: 9 });
    expect(await first.ended).toEqual({ code: 9, signal: null });
    const second = wrapped(project);
    second.call(1, 'die', { signal: 'SIGKILL' });
    expect(await second.ended).toEqual({ code: null, signal: 'SIGKILL' });
    expect(
      of(project, 'tool.result').map(({ payload }) => [payload.tool, payload.result, payload.error_code]),
    ).toEqual([
      ['never', 'aborted', 'SERVER_EXITED'],
      ['exit', 'aborted', 'SERVER_EXITED'],
      ['die', 'aborted', 'SERVER_EXITED'],
    ]);
    await project.expectIntact();
  });

  it('says that a server can not be started, with the exit code that a shell has for it', async () => {
    const project = await newProject();
    const client = wrapped(project, {}, ['/no/such/server']);
    expect(await client.ended).toEqual({ code: 127, signal: null });
    expect(client.stdout).toBe('');
    expect(client.stderr).toMatch(/can't start /);
  });

  it('records nothing with FOIL=off, and passes everything', async () => {
    const project = await newProject();
    const client = wrapped(project, { FOIL: 'off' });
    client.call(1, 'echo', { text: 'hi' });
    await client.answer(1);
    expect(await client.end()).toEqual({ code: 0, signal: null });
    expect(project.recorded()).toEqual([]);
  });

  it('K8a starts the server where the ledger can not be used, and refuses its calls until it can', async () => {
    const project = await newProject();
    const marks = join(project.root, 'marks');
    renameSync(join(project.directory, 'ledger'), join(project.directory, 'away'));
    writeFileSync(join(project.directory, 'ledger'), '');
    const client = wrappedHere(project, { MARKS: marks });
    client.send({ jsonrpc: '2.0', id: 0, method: 'initialize' });
    expect(await client.answer(0)).toMatchObject({ result: { method: 'initialize' } });
    client.call(1, 'echo', { text: 'a' });
    expect(await client.answer(1)).toMatchObject({ error: { data: { code: 'AUDIT_APPEND_FAILED' } } });
    rmSync(join(project.directory, 'ledger'));
    renameSync(join(project.directory, 'away'), join(project.directory, 'ledger'));
    client.call(2, 'echo', { text: 'b' });
    expect(await client.answer(2)).toMatchObject({ result: {} });
    await client.end();
    expect(readFileSync(marks, 'utf8')).toBe('2\n');
    expect(of(project, 'gap')).toMatchObject([{ payload: { reason: 'unrecorded' } }]);
  });

  it('K8b, K8c: withholds results when the ledger goes away with calls in flight, and runs no more calls', async () => {
    const project = await newProject();
    const marks = join(project.root, 'marks');
    const client = wrappedHere(project, { MARKS: marks });
    client.call(1, 'echo', { text: 'a' });
    await client.answer(1);
    rmSync(project.directory, { recursive: true });
    client.call(2, 'echo', { text: 'b' });
    expect(await client.answer(2)).toMatchObject({ error: { data: { code: 'AUDIT_APPEND_FAILED' } } });
    client.send({ jsonrpc: '2.0', id: 3, method: 'ping' });
    expect(await client.answer(3)).toMatchObject({ result: {} });
    const { code } = await client.end();
    expect(code).toBe(1);
    expect(readFileSync(marks, 'utf8')).toBe('1\n');
  });

  it('K3 keeps no secret of what passes by, and passes it all the same', async () => {
    const project = await newProject();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const client = wrappedHere(project);
    client.call(1, 'echo', { text: `token ${secret}` });
    expect(JSON.stringify(await client.answer(1))).toContain(secret);
    await client.end();
    for (const { path, bytes } of project.files()) expect(bytes.includes(secret), path).toBe(false);
    expect(of(project, 'tool.call')[0]?.payload.redacted).toBeDefined();
  });

  it('joins the session that foil run began', async () => {
    const project = await newProject();
    const words = [
      process.execPath,
      FOIL,
      'run',
      '--ledger',
      project.directory,
      '--',
      process.execPath,
      FOIL,
      'mcp',
    ];
    const client = new RawClient(project, {
      words: [
        ...words,
        'wrap',
        '--name',
        'test',
        '--',
        process.execPath,
        join(import.meta.dirname, 'mcp-server.mjs'),
      ],
    });
    client.call(1, 'echo', { text: 'a' });
    await client.answer(1);
    await client.end();
    const sessions = new Set(
      project
        .entries()
        .map(({ session_id }) => session_id)
        .filter((id) => id !== null),
    );
    expect(sessions.size).toBe(1);
    expect(of(project, 'agent.start')).toMatchObject([{ source: 'mcp', payload: { agent: 'test' } }]);
    expect(of(project, 'tool.call').map(({ payload }) => payload.tool)).toEqual(['run', 'echo']);
  });

  it('K9e passes messages of 40 MB both ways in bounded memory, each on record before it is complete', async () => {
    const project = await newProject();
    const client = wrapped(project);
    client.call(0, 'echo', { text: 'a' });
    await client.answer(0);
    const before = peakOf(client.child.pid);
    const size = 40_000_000;
    client.call(1, 'length', { text: 'x'.repeat(size) });
    expect(await client.answer(1)).toMatchObject({ result: { content: [{ text: String(size) }] } });
    client.call(2, 'large', { length: size });
    await client.until(() => client.length > size && client.last === 0x0a);
    if (before !== null) expect((peakOf(client.child.pid) ?? 0) - before).toBeLessThan(size * 1.5);
    await client.end();
    const large = of(project, 'tool.call').find(({ payload }) => payload.tool === 'length');
    expect(large?.payload).toMatchObject({
      args: null,
      oversized: true,
      args_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const result = of(project, 'tool.result').find(({ payload }) => payload.tool === 'large');
    expect(result?.payload).toMatchObject({ output: null, oversized: true, result: 'ok' });
    expect(Number(result?.payload.output_bytes)).toBeGreaterThan(size);
    await project.expectIntact();
  });
});

/** Bytes; null where the system does not tell. */
function peakOf(pid: number | undefined): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  } catch {
    return null;
  }
}
