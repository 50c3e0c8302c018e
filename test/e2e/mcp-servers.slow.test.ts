// The real servers behave the same behind the proxy: the bytes on its two sides are compared, and what the official
// clients make of them is compared with what they get from the servers themselves.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/format/index.ts';
import { FOIL } from '../cli/foil.ts';
import { type AnyClient, connect, runEverything, runFilesystem, runTask, timeless } from './mcp-script.ts';
import { newProject, type Project } from './recorded-project.ts';

const servers = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol');
const EVERYTHING = [process.execPath, join(servers, 'server-everything/dist/index.js')];
const TAP = [process.execPath, join(import.meta.dirname, 'mcp-tap.mjs')];

function envOf(project: Project): Record<string, string> {
  return Object.fromEntries(Object.entries(project.env).map(([name, value]) => [name, String(value)]));
}

/** client → tap → proxy → tap → server. */
function tapped(project: Project, server: readonly string[], how: 'whole' | 'split'): string[] {
  const outer = [...TAP, join(project.root, 'outer'), how];
  const wrap = [process.execPath, FOIL, 'mcp', 'wrap', '--ledger', project.directory, '--'];
  return [...outer, ...wrap, ...TAP, join(project.root, 'inner'), how, ...server];
}

async function scripted<T>(
  version: 'v1' | 'v2',
  project: Project,
  words: readonly string[],
  script: (client: AnyClient) => Promise<T>,
): Promise<T> {
  const client = await connect(version, { words, cwd: project.work, env: envOf(project) });
  try {
    return await script(client);
  } finally {
    await client.close();
  }
}

function expectSameBytes({ root }: Project): void {
  for (const name of ['in', 'out']) {
    const [outer, inner] = ['outer', 'inner'].map((side) => readFileSync(join(root, `${side}.${name}`)));
    if (outer === undefined || inner === undefined) throw new Error('nothing was written down');
    expect(outer.length).toBeGreaterThan(300);
    expect(outer.equals(inner), name).toBe(true);
  }
}

const ofKind = (entries: readonly Entry[], kind: string): Entry[] =>
  entries.filter((entry) => entry.kind === kind);

describe.each(['v1', 'v2'] as const)('under the SDK client %s', (version) => {
  it('K9a, K9b, K9c: server-everything does through the proxy what it does without it', async () => {
    const project = await newProject();
    const expected = await scripted(version, project, EVERYTHING, runEverything);
    const seen = await scripted(version, project, tapped(project, EVERYTHING, 'whole'), runEverything);
    expect(timeless(seen)).toEqual(timeless(expected));
    expectSameBytes(project);
    const entries = project.entries();
    const calls = ofKind(entries, 'tool.call');
    const results = ofKind(entries, 'tool.result');
    expect(results).toHaveLength(calls.length);
    expect(calls.find(({ payload }) => payload.tool === 'get-sum')?.payload.tool_use_id).toBe(
      'toolu_get-sum',
    );
    expect(calls.map(({ payload }) => payload.tool)).toEqual(
      expect.arrayContaining(['echo', 'get-tiny-image', 'resources/read', 'prompts/get', 'no-such-tool']),
    );
    const observed = ofKind(entries, 'observation').map(({ payload }) => payload.event);
    expect(observed).toEqual(
      expect.arrayContaining([
        'initialize',
        'tools/list',
        'sampling/createMessage',
        'elicitation/create',
        'roots/list',
        'notifications/cancelled',
      ]),
    );
    const progressed = results.filter(({ payload }) => payload.progress !== undefined);
    expect(progressed.map(({ payload }) => payload.progress)).toContain(5);
    expect(results.filter(({ payload }) => payload.cancelled === true)).toHaveLength(1);
    await project.expectIntact();
  });

  it('K9a the bytes are the same when all of them come in small pieces', async () => {
    const project = await newProject();
    await scripted(version, project, tapped(project, EVERYTHING, 'split'), async (client) => {
      await client.listTools();
      await client.callTool({ name: 'echo', arguments: { message: 'é \u2028 \ud83d\ude00'.repeat(200) } });
      await client.callTool({ name: 'get-tiny-image' });
      await client.listPrompts();
      await client.readResource({ uri: 'demo://resource/dynamic/blob/2' });
    });
    expectSameBytes(project);
    await project.expectIntact();
  });

  it('K9a, K4: server-filesystem does, too, and no content of a file it writes is kept', async () => {
    const project = await newProject();
    const directory = join(project.work, 'files');
    const server = [process.execPath, join(servers, 'server-filesystem/dist/index.js'), directory];
    const script = async (words: readonly string[]): Promise<unknown> => {
      mkdirSync(directory);
      const results = await scripted(version, project, words, (client) => runFilesystem(client, directory));
      rmSync(directory, { recursive: true });
      return results;
    };
    const expected = await script(server);
    const seen = await script(tapped(project, server, 'split'));
    expect(timeless(seen)).toEqual(timeless(expected));
    expectSameBytes(project);
    const [written] = ofKind(project.entries(), 'tool.result').filter(
      ({ payload }) => payload.tool === 'write_file',
    );
    expect(written?.payload.files).toEqual([
      {
        path: join(directory, 'a.txt'),
        op: 'write',
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        bytes: 17,
      },
    ]);
    const [call] = ofKind(project.entries(), 'tool.call').filter(
      ({ payload }) => payload.tool === 'write_file',
    );
    expect(await project.content(call, 'args')).not.toContain('three');
    await project.expectIntact();
  });
});

it('K9b tasks of the revision of 2025-11-25 pass', async () => {
  const project = await newProject();
  const expected = await scripted('v1', project, EVERYTHING, runTask);
  const seen = await scripted('v1', project, tapped(project, EVERYTHING, 'whole'), runTask);
  expect(seen).toEqual(expected);
  expectSameBytes(project);
});

it('K9b the stateless revision of 2026-07-28 passes, and Claude Code’s probe for it', async () => {
  const project = await newProject();
  const script = join(project.root, 'server.mjs');
  writeFileSync(
    script,
    `import { McpServer } from ${JSON.stringify(join(servers, 'server/dist/index.mjs'))};
    import { serveStdio } from ${JSON.stringify(join(servers, 'server/dist/stdio.mjs'))};
    serveStdio(() => {
      const server = new McpServer({ name: 'new', version: '1.0.0' });
      server.registerTool('hi', { description: 'says hi' }, () => ({ content: [{ type: 'text', text: 'hi' }] }));
      return server;
    });`,
  );
  const [command = '', ...args] = tapped(project, [process.execPath, script], 'split');
  const client = new Client(
    { name: 'c', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const env = envOf(project);
  await client.connect(new StdioClientTransport({ command, args, cwd: project.work, env, stderr: 'ignore' }));
  expect(await client.callTool({ name: 'hi' })).toMatchObject({ content: [{ text: 'hi' }] });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['hi']);
  await client.close();
  expectSameBytes(project);
  const entries = project.entries();
  // The client asks in a process of its own first.
  expect(ofKind(entries, 'observation').map(({ payload }) => payload.event)).toContain('server/discover');
  expect(ofKind(entries, 'tool.result').map(({ payload }) => payload.result)).toEqual(['ok']);
});
