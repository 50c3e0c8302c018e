// What the tests do with the real MCP servers: everything these offer, through the official SDK's client, v1 or v2.
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js';

export interface Spawned {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
}

/** What both versions of the client have in common, as far as the scripts need it. */
export interface AnyClient {
  callTool(
    params: { name: string; arguments?: Record<string, unknown>; _meta?: Record<string, unknown> },
    options?: { signal?: AbortSignal; onprogress?: (progress: unknown) => void },
  ): Promise<unknown>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  ping(): Promise<unknown>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  listResourceTemplates(): Promise<unknown>;
  readResource(params: { uri: string }): Promise<unknown>;
  subscribeResource(params: { uri: string }): Promise<unknown>;
  unsubscribeResource(params: { uri: string }): Promise<unknown>;
  listPrompts(): Promise<unknown>;
  getPrompt(params: { name: string; arguments?: Record<string, string> }): Promise<unknown>;
  complete(params: unknown): Promise<unknown>;
  setLoggingLevel(level: 'debug'): Promise<unknown>;
  close(): Promise<void>;
}

const INFO = { name: 'test', version: '1.0.0' };
const CAPABILITIES = { sampling: {}, elicitation: {}, roots: { listChanged: true } };

/** Connected to a process, with answers to whatever a server asks its client. */
export function connect(version: 'v1' | 'v2', { words, cwd, env }: Spawned): Promise<AnyClient> {
  const [command = '', ...args] = words;
  const spawned = { command, args, cwd, env, stderr: 'ignore' as const };
  return connectTo(version, cwd, { v1: () => new StdioV1(spawned), v2: () => new StdioV2(spawned) });
}

/** The same over HTTP. */
export function connectHttp(version: 'v1' | 'v2', url: string, cwd: string): Promise<AnyClient> {
  return connectTo(version, cwd, {
    v1: () => new HttpV1(new URL(url)) as unknown as StdioV1,
    v2: () => new HttpV2(new URL(url)) as unknown as StdioV2,
  });
}

async function connectTo(
  version: 'v1' | 'v2',
  cwd: string,
  transports: { readonly v1: () => StdioV1; readonly v2: () => StdioV2 },
): Promise<AnyClient> {
  const sampled = { model: 'none', role: 'assistant', content: { type: 'text', text: 'sampled' } } as const;
  const elicited = { action: 'accept', content: { name: 'x', check: true } } as const;
  const roots = { roots: [{ uri: `file://${cwd}`, name: 'work' }] };
  if (version === 'v1') {
    const client = new ClientV1(INFO, { capabilities: CAPABILITIES });
    client.setRequestHandler(CreateMessageRequestSchema, () => sampled);
    client.setRequestHandler(ElicitRequestSchema, () => elicited);
    client.setRequestHandler(ListRootsRequestSchema, () => roots);
    await client.connect(transports.v1());
    const callTool: AnyClient['callTool'] = (params, options) => client.callTool(params, undefined, options);
    return Object.assign(Object.create(client), { callTool }) as AnyClient;
  }
  const client = new ClientV2(INFO, { capabilities: CAPABILITIES });
  client.setRequestHandler('sampling/createMessage', () => sampled);
  client.setRequestHandler('elicitation/create', () => elicited);
  client.setRequestHandler('roots/list', () => roots);
  await client.connect(transports.v2());
  return client as unknown as AnyClient;
}

type Results = [string, unknown][];

/** Without what is of the moment: times, and ids of sessions. */
export function timeless(results: unknown): unknown {
  const text = JSON.stringify(results)
    .replaceAll(/"blob":"[^"]*"/g, '"blob":""')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\d{1,2}:\d{2}:\d{2}(?:\.\d+)?(?: [AP]M|Z)?/g, 'TIME')
    .replaceAll(/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} \d{2} \d{4}/g, 'DAY')
    .replaceAll(/\d{4}-\d{2}-\d{2}T/g, '');
  return JSON.parse(text);
}

/** Every method of server-everything, and every tool. */
export async function runEverything(client: AnyClient): Promise<Results> {
  const results: Results = [];
  const keep = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      results.push([name, await work()]);
    } catch (error) {
      results.push([name, { threw: (error as Error).message }]);
    }
  };
  const tool = (name: string, args: Record<string, unknown> = {}): Promise<void> =>
    keep(name, () =>
      client.callTool({ name, arguments: args, _meta: { 'claudecode/toolUseId': `toolu_${name}` } }),
    );
  await keep('ping', () => client.ping());
  await keep('tools/list', () => client.listTools());
  await tool('echo', { message: 'é \u2028 \ud83d\ude00 "quoted" \\ \n' });
  await tool('echo', { message: 'x'.repeat(300_000) });
  await tool('echo', {});
  await tool('get-annotated-message', { messageType: 'error', includeImage: true });
  await tool('get-env');
  await tool('get-resource-links', { count: 3 });
  await tool('get-resource-reference', { resourceType: 'Text', resourceId: 1 });
  await tool('get-structured-content', { location: 'Chicago' });
  await tool('get-sum', { a: 1, b: 2.5 });
  await tool('get-tiny-image');
  await tool('gzip-file-as-resource', {
    name: 'a.gz',
    data: 'data:text/plain,hello',
    outputType: 'resource',
  });
  await tool('get-roots-list');
  await tool('trigger-sampling-request', { prompt: 'hello', maxTokens: 10 });
  await tool('trigger-elicitation-request');
  await tool('no-such-tool');
  const steps: unknown[] = [];
  const long = { name: 'trigger-long-running-operation', arguments: { duration: 0.05, steps: 5 } };
  await keep('progress', () => client.callTool(long, { onprogress: (step) => void steps.push(step) }));
  // The clients may let go of the last ones, which come together with the answer.
  results.push(['steps', steps.slice(0, 2)]);
  const aborting = new AbortController();
  const slow = { ...long, arguments: { duration: 60, steps: 600 } };
  const cancelled = client
    .callTool(slow, { signal: aborting.signal, onprogress: () => aborting.abort('enough') })
    .catch((error: unknown) => ({ threw: (error as Error).message }));
  results.push(['cancelled', await cancelled]);
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => client.callTool({ name: 'get-sum', arguments: { a: i, b: i } })),
  ).then((sums) => results.push(['parallel', sums]));
  await keep('resources/list', () => client.listResources());
  await keep('resources/templates/list', () => client.listResourceTemplates());
  const { resources } = await client.listResources();
  for (const { uri } of resources.slice(0, 3)) await keep(uri, () => client.readResource({ uri }));
  await keep('text', () => client.readResource({ uri: 'demo://resource/dynamic/text/1' }));
  await keep('blob', () => client.readResource({ uri: 'demo://resource/dynamic/blob/2' }));
  await keep('none', () => client.readResource({ uri: 'demo://none' }));
  await keep('subscribe', () => client.subscribeResource({ uri: 'demo://resource/dynamic/text/1' }));
  await keep('unsubscribe', () => client.unsubscribeResource({ uri: 'demo://resource/dynamic/text/1' }));
  await keep('prompts/list', () => client.listPrompts());
  await keep('simple', () => client.getPrompt({ name: 'simple-prompt' }));
  await keep('args', () => client.getPrompt({ name: 'args-prompt', arguments: { city: 'Rome' } }));
  await keep('resource', () =>
    client.getPrompt({ name: 'resource-prompt', arguments: { resourceType: 'Text', resourceId: '1' } }),
  );
  await keep('complete', () =>
    client.complete({
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'department', value: 'E' },
    }),
  );
  await keep('logging', () => client.setLoggingLevel('debug'));
  await tool('toggle-simulated-logging');
  await tool('toggle-simulated-logging');
  await tool('toggle-subscriber-updates');
  await tool('toggle-subscriber-updates');
  return results;
}

/** Tasks, of the revision of 2025-11-25, which the client of v1 can send by hand. */
export async function runTask(client: AnyClient): Promise<Results> {
  const raw = Object.getPrototypeOf(client) as ClientV1;
  const send = (method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> =>
    raw.request({ method, params } as never, ResultSchema) as Promise<Record<string, unknown>>;
  const made = await send('tools/call', {
    name: 'simulate-research-query',
    arguments: { topic: 'x' },
    task: { ttl: 60_000 },
  });
  const { taskId } = made.task as { taskId: string };
  const got = await send('tasks/get', { taskId });
  const cancelled = await send('tasks/cancel', { taskId });
  return [
    ['made', Object.keys(made)],
    ['got', Object.keys(got)],
    ['cancelled', cancelled.status],
  ];
}

/** Every tool of server-filesystem, in `directory`. */
export async function runFilesystem(client: AnyClient, directory: string): Promise<Results> {
  const results: Results = [];
  const tool = async (name: string, args: Record<string, unknown>): Promise<void> => {
    results.push([name, await client.callTool({ name, arguments: args })]);
  };
  results.push(['tools/list', await client.listTools()]);
  const file = `${directory}/a.txt`;
  await tool('list_allowed_directories', {});
  await tool('create_directory', { path: `${directory}/sub` });
  await tool('write_file', { path: file, content: 'one\ntwo é\nthree\n' });
  await tool('read_text_file', { path: file, head: 1 });
  await tool('read_file', { path: file });
  await tool('edit_file', { path: file, edits: [{ oldText: 'two é', newText: 'second' }], dryRun: true });
  await tool('edit_file', { path: file, edits: [{ oldText: 'two é', newText: 'second' }] });
  await tool('read_multiple_files', { paths: [file, `${directory}/none`] });
  await tool('read_media_file', { path: file });
  await tool('list_directory', { path: directory });
  await tool('list_directory_with_sizes', { path: directory, sortBy: 'size' });
  await tool('directory_tree', { path: directory });
  await tool('move_file', { source: file, destination: `${directory}/sub/b.txt` });
  await tool('search_files', { path: directory, pattern: '**/*.txt' });
  await tool('get_file_info', { path: `${directory}/sub/b.txt` });
  await tool('read_text_file', { path: '/etc/passwd' });
  return results;
}
