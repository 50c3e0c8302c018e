// `foil mcp serve`, asked for what it does not do, too early, or with its disk full: each call is an entry all the same,
// and none of those that waited for a session is lost.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveTools, type ToolFailure } from '../../src/capture/mcp/index.ts';
import type { Json } from '../../src/core/index.ts';
import { createLedger } from '../../src/entry/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { FOIL } from '../cli/foil.ts';
import { connect } from '../e2e/mcp-script.ts';
import { newProject, type Project } from '../e2e/recorded-project.ts';
import { expectIntact } from '../file-ledger.ts';
import { entriesIn } from '../service/gateway/stage.ts';
import { temporary } from '../temporary.ts';

type Called = { structuredContent?: { error?: { code: string } } };

async function serve(project: Pick<Project, 'env' | 'work'>, directory: string) {
  const env = Object.fromEntries(Object.entries(project.env).map(([name, value]) => [name, String(value)]));
  const words = [process.execPath, FOIL, 'mcp', 'serve', '--ledger', directory];
  const client = await connect('v1', { words, cwd: project.work, env });
  onTestFinished(() => client.close().catch(() => undefined));
  /** The code that it was refused with, or null. */
  const code = async (name: string, args: Record<string, unknown> = {}): Promise<string | null> => {
    try {
      const { structuredContent } = (await client.callTool({ name, arguments: args })) as Called;
      return structuredContent?.error?.code ?? null;
    } catch (error) {
      return /[A-Z]+_[A-Z_]+/.exec((error as Error).message)?.[0] ?? 'error';
    }
  };
  return { client, code };
}

const callsIn = (entries: readonly Entry[]): [unknown, unknown][] =>
  entries.flatMap(({ kind, payload }) =>
    kind === 'tool.call' ? [[payload.tool, payload.buffered === true]] : [],
  );
const endsIn = (entries: readonly Entry[]): [unknown, unknown][] =>
  entries.flatMap(({ kind, payload }) =>
    kind === 'tool.result' ? [[payload.tool, payload.error_code]] : [],
  );

describe('foil mcp serve', () => {
  it('K2 has an entry for each call: refused, of a tool that does not exist, early and late', async () => {
    const project = await newProject();
    const { client, code } = await serve(project, project.directory);
    await code('no_such_tool', { a: 1 });
    await code('begin_session', { workspace_root: 'here', role: 'planner' });
    await code('begin_session', { workspace_root: project.work });
    await code('begin_session', { workspace_root: project.work, role: 'planner' });
    await code('another_tool');
    await code('begin_session', { workspace_root: project.work, role: 'executor' });
    await client.readResource({ uri: 'file:///etc/passwd' }).catch(() => undefined);
    await client.close();
    expect(callsIn(project.entries())).toEqual([
      ['no_such_tool', true],
      ['begin_session', true],
      ['begin_session', true],
      ['begin_session', false],
      ['another_tool', false],
      ['begin_session', false],
      ['resources/read', false],
    ]);
    expect(endsIn(project.entries())).toEqual([
      ['no_such_tool', 'UNKNOWN_TOOL'],
      ['begin_session', 'INVALID_PATH'],
      ['begin_session', 'INVALID_ARGUMENT'],
      ['begin_session', null],
      ['another_tool', 'UNKNOWN_TOOL'],
      ['begin_session', 'SESSION_LOCKED'],
      ['resources/read', 'METHOD_NOT_FOUND'],
    ]);
    await project.expectIntact();
  });

  it('K2, K7: has them also where no session ever began', async () => {
    const project = await newProject();
    const { client, code } = await serve(project, project.directory);
    await code('read_file', { path: 'a' });
    await code('no_such_tool');
    await client.close();
    expect(callsIn(project.entries())).toEqual([
      ['read_file', true],
      ['no_such_tool', true],
    ]);
    await project.expectIntact();
  });

  const canMount = process.getuid?.() === 0 && process.platform === 'linux';
  if (!canMount) console.warn('passed over: a disk that is really full needs root, to mount one');

  it.runIf(canMount)(
    'K7 loses no call that waited, where the disk is full when the session begins',
    async () => {
      const project = await newProject();
      const disk = join(temporary(), 'disk');
      mkdirSync(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
      onTestFinished(() => void execFileSync('umount', ['-l', disk]));
      const directory = join(disk, 'ledger');
      await (await createLedger({ directory, keyDirectory: join(disk, 'keys') })).close();
      const { client, code } = await serve(project, directory);
      expect(await code('read_file', { path: 'early' })).toBe('SESSION_NOT_BEGUN');
      expect(await code('no_such_tool')).not.toBe(null);
      const filler = join(disk, 'filler');
      try {
        for (;;) writeFileSync(filler, Buffer.alloc(4096), { flag: 'a' });
      } catch {
        // It is full now.
      }
      const begin = { workspace_root: project.work, role: 'planner' };
      expect(await code('begin_session', begin)).toBe('AUDIT_APPEND_FAILED');
      expect(await code('begin_session', begin)).toBe('AUDIT_APPEND_FAILED');
      expect(await code('list_plans')).toBe('SESSION_NOT_BEGUN');
      rmSync(filler);
      expect(await code('begin_session', begin)).toBe(null);
      await client.close();
      const entries = entriesIn(directory);
      const made = callsIn(entries);
      for (const tool of ['read_file', 'no_such_tool', 'list_plans'])
        expect(made.filter(([name]) => name === tool)).toEqual([[tool, true]]);
      expect(made.filter(([name]) => name === 'begin_session').length).toBeGreaterThanOrEqual(3);
      expect(endsIn(entries)).toContainEqual(['read_file', 'SESSION_NOT_BEGUN']);
      // Each with its own time, not that of the session that could begin at last.
      const [first] = entries.filter(({ payload }) => payload.tool === 'read_file');
      const last = entries.filter(({ kind }) => kind === 'session.start').at(-1);
      expect(Date.parse(first?.ts ?? '')).toBeLessThan(Date.parse(last?.ts ?? ''));
      // The server has no key of this ledger.
      await expectIntact(directory, ['UNSEALED']);
    },
  );
});

describe('a small MCP server', () => {
  async function answers(
    ...lines: unknown[]
  ): Promise<{ refused: [string, Json, string][]; said: string[] }> {
    const input = new PassThrough();
    const refused: [string, Json, string][] = [];
    const said: string[] = [];
    for (const line of lines) input.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
    input.end();
    const run = () => Promise.resolve('ran');
    await serveTools({
      name: 's',
      version: '1',
      instructions: '',
      tools: [{ name: 't', description: '', inputSchema: {}, readOnly: true, run }],
      refused: async (name, args, why: ToolFailure) => void refused.push([name, args, why.code]),
      input,
      write: (line) => said.push(line),
    });
    return { refused, said };
  }

  it.each<[string, object, [string, Json, string]]>([
    [
      'a tool that does not exist',
      { id: 1, method: 'tools/call', params: { name: 'x', arguments: { a: 1 } } },
      ['x', { a: 1 }, 'UNKNOWN_TOOL'],
    ],
    [
      'a tool without a name',
      { id: 1, method: 'tools/call', params: { arguments: { a: 1 } } },
      ['tools/call', { a: 1 }, 'UNKNOWN_TOOL'],
    ],
    ['no params at all', { id: 1, method: 'tools/call' }, ['tools/call', {}, 'UNKNOWN_TOOL']],
    [
      'arguments that are none',
      { id: 1, method: 'tools/call', params: { name: 't', arguments: [1] } },
      ['t', [1], 'INVALID_ARGUMENT'],
    ],
    [
      'a method of nobody',
      { id: 1, method: 'resources/read', params: { uri: 'u' } },
      ['resources/read', { uri: 'u' }, 'METHOD_NOT_FOUND'],
    ],
    [
      'a call that wants no answer',
      { method: 'tools/call', params: { name: 't', arguments: {} } },
      ['t', {}, 'NOT_ANSWERABLE'],
    ],
    [
      'a call with null for an id',
      { id: null, method: 'tools/call', params: { name: 't' } },
      ['t', {}, 'NOT_ANSWERABLE'],
    ],
  ])('tells of %s, and does nothing', async (_, asked, told) => {
    const { refused, said } = await answers({ jsonrpc: '2.0', ...asked });
    expect(refused).toEqual([told]);
    expect(said.join('')).not.toContain('ran');
  });
});
