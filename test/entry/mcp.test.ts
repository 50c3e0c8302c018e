// Servers made with the official SDK, v1 and v2, audited in two lines.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as ClientV2, InMemoryTransport as PipeV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as PipeV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as ServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as ServerV2 } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AuditOptions, auditServer, auditTransport, closeAudits } from '../../src/entry/mcp.ts';
import type { Entry } from '../../src/format/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { connect } from '../e2e/mcp-script.ts';
import { expectIntact } from '../file-ledger.ts';
import { readEntries } from '../read-log.ts';
import { fastDirectory, temporary } from '../temporary.ts';

const INFO = { name: 'adder', version: '1.0.0' };

interface Caller {
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
  listTools(): Promise<unknown>;
  close(): Promise<void>;
}

interface Stage {
  readonly client: Caller;
  readonly ran: number[];
}

type Make = (options: AuditOptions, during: () => void) => Promise<Stage>;

const VERSIONS: readonly [string, Make][] = [
  [
    'v1',
    async (options, during) => {
      const ran: number[] = [];
      const server = new ServerV1(INFO);
      server.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => {
        ran.push(a);
        during();
        return { content: [{ type: 'text', text: String(a + b) }] };
      });
      auditServer(server, options);
      const [near, far] = PipeV1.createLinkedPair();
      const client = new ClientV1(INFO);
      await Promise.all([server.connect(far), client.connect(near)]);
      return { client: client as Caller, ran };
    },
  ],
  [
    'v2',
    async (options, during) => {
      const ran: number[] = [];
      const server = new ServerV2(INFO);
      const inputSchema = z.object({ a: z.number(), b: z.number() });
      server.registerTool('add', { inputSchema }, ({ a, b }) => {
        ran.push(a);
        during();
        return { content: [{ type: 'text', text: String(a + b) }] };
      });
      auditServer(server, options);
      const [near, far] = PipeV2.createLinkedPair();
      const client = new ClientV2(INFO);
      await Promise.all([server.connect(far), client.connect(near)]);
      return { client: client as Caller, ran };
    },
  ],
];

function newPlace(): { options: AuditOptions; directory: string; entries: () => Promise<Entry[]> } {
  const root = temporary(fastDirectory);
  const cwd = join(root, 'work');
  mkdirSync(cwd);
  const directory = join(root, 'ledger');
  return {
    directory,
    options: { place: { directory, keyDirectory: join(root, 'keys') }, cwd, name: 'adder', role: 'executor' },
    async entries() {
      const store = openFileStore(directory);
      try {
        return await readEntries(store);
      } finally {
        await store.close();
      }
    },
  };
}

describe.each(VERSIONS)('a server of the SDK %s', (_, make) => {
  it('K10, K2: is audited in two lines', async () => {
    const { options, entries, directory } = newPlace();
    const { client } = await make(options, () => undefined);
    await client.listTools();
    const sums = await Promise.all(
      [1, 2, 3].map((a) => client.callTool({ name: 'add', arguments: { a, b: 1 } })),
    );
    expect(sums).toMatchObject([2, 3, 4].map((sum) => ({ content: [{ text: String(sum) }] })));
    await client.callTool({ name: 'none' }).catch(() => undefined);
    await client.close();
    await closeAudits();
    const all = await entries();
    const kinds = all.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'tool.call')).toHaveLength(4);
    expect(kinds.filter((kind) => kind === 'tool.result')).toHaveLength(4);
    expect(kinds.at(-1)).toBe('session.end');
    expect(all.find(({ kind }) => kind === 'tool.call')?.payload).toMatchObject({
      tool: 'add',
      role: 'executor',
      mcp: { server: 'adder', method: 'tools/call' },
    });
    expect(all.find(({ payload }) => payload.event === 'tools/list')?.payload.tools_hash).toMatch(
      /^[0-9a-f]{64}$/,
    );
    await expectIntact(directory);
  });

  it('K10, K8a: runs no tool whose call can not be recorded', async () => {
    const { options, directory } = newPlace();
    const { client, ran } = await make(options, () => undefined);
    await client.callTool({ name: 'add', arguments: { a: 1, b: 1 } });
    rmSync(directory, { recursive: true });
    await expect(client.callTool({ name: 'add', arguments: { a: 2, b: 1 } })).rejects.toThrow(
      /AUDIT_APPEND_FAILED/,
    );
    expect(ran).toEqual([1]);
    await client.close();
    await closeAudits().catch(() => undefined);
  });

  it('K10, K8b: sends no result that can not be recorded', async () => {
    const { options, directory } = newPlace();
    const { client, ran } = await make(options, () => rmSync(directory, { recursive: true }));
    await expect(client.callTool({ name: 'add', arguments: { a: 1, b: 1 } })).rejects.toThrow(
      /AUDIT_APPEND_FAILED/,
    );
    expect(ran).toEqual([1]);
    await client.close();
    await closeAudits().catch(() => undefined);
  });
});

describe('a transport', () => {
  it('K10 of a client can be audited as well, and keeps handlers that were there before', async () => {
    const { options, entries } = newPlace();
    const server = new ServerV1(INFO);
    server.registerTool('add', { inputSchema: {} }, () => ({ content: [] }));
    const [near, far] = PipeV1.createLinkedPair();
    const heard: unknown[] = [];
    let closed = 0;
    near.onmessage = (message) => void heard.push(message);
    near.onclose = () => void closed++;
    const client = new ClientV1(INFO);
    await Promise.all([
      server.connect(far),
      client.connect(auditTransport(near, { ...options, side: 'client' })),
    ]);
    await client.callTool({ name: 'add' });
    expect(heard).toHaveLength(2);
    await client.close();
    // The pair closes each other, so it is told twice, with or without us.
    expect(closed).toBeGreaterThan(0);
    await closeAudits();
    expect((await entries()).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['tool.call', 'tool.result', 'session.end']),
    );
  });

  it('K10 of a process over standard input and output ends its session by itself', async () => {
    const root = temporary();
    const script = join(root, 'server.mjs');
    const dist = join(import.meta.dirname, '../../dist/mcp.js');
    const sdk = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/sdk/dist/esm/server');
    writeFileSync(
      script,
      `import { auditServer } from ${JSON.stringify(dist)};
      import { McpServer } from ${JSON.stringify(join(sdk, 'mcp.js'))};
      import { StdioServerTransport } from ${JSON.stringify(join(sdk, 'stdio.js'))};
      const server = auditServer(new McpServer({ name: 'hi', version: '1.0.0' }));
      server.registerTool('hi', {}, () => ({ content: [{ type: 'text', text: 'hi' }] }));
      const transport = new StdioServerTransport();
      process.stdin.on('end', () => transport.close());
      await server.connect(transport);`,
    );
    const env = { PATH: String(process.env.PATH), HOME: root, XDG_STATE_HOME: root, XDG_CONFIG_HOME: root };
    const client = await connect('v2', { words: [process.execPath, script], cwd: root, env });
    expect(await client.callTool({ name: 'hi' })).toMatchObject({ content: [{ text: 'hi' }] });
    await client.close();
    const foil = join(import.meta.dirname, '../../dist/foil.cjs');
    const { stdout } = spawnSync(process.execPath, [foil, 'log'], { cwd: root, env, encoding: 'utf8' });
    expect(stdout).toMatch(/tool\.result .*hi {2}ok/);
    expect(stdout).toMatch(/session\.end/);
  });
});
