// The demo's fourth act: the two wires. A model is asked through the gateway, an MCP server through the proxy, and hooks tell
// what the agent does. Service, proxy and server are real processes; the model is a script that answers what it must. What
// the three saw is compared, and then one of them is kept in the dark.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { verifyDirectory } from '../../src/entry/index.ts';
import { locate } from '../../src/ledger/index.ts';
import { hostMembers } from './scripted-agent.ts';
import { foilWords, runProgram, type Stage } from './stage.ts';

const SESSION = '7c1e6a52-90b4-4f0e-b3a6-2d5f8e41c9aa';
const TOOL = 'mcp__prices__price';

/** An MCP server with one tool, as small as one can be. */
const SERVER = `
import { createInterface } from 'node:readline';
const told = { price: (id) => ({ content: [{ type: 'text', text: id === 'apple' ? '3.20' : 'unknown' }] }) };
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const result = method === 'initialize'
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'prices', version: '1' } }
    : method === 'tools/call' ? told.price(params.arguments.item) : {};
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
`;

export async function* wiresAct({ base, paint, told }: Stage): AsyncGenerator<string> {
  const project = join(base, 'prices');
  for (const name of [project, join(base, 'wire-home'), join(base, 'wire-run')])
    mkdirSync(name, { mode: 0o700 });
  writeFileSync(join(project, 'server.mjs'), SERVER);
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: join(base, 'wire-home'),
    XDG_STATE_HOME: join(base, 'wire-state'),
    XDG_CONFIG_HOME: join(base, 'wire-config'),
    XDG_RUNTIME_DIR: join(base, 'wire-run'),
    TMPDIR: base,
  };
  const { directory } = locate({ cwd: project, env });
  const foil = (...words: string[]) => runProgram([...foilWords(), ...words], { cwd: project, env });
  await foil('init', '--ledger', directory);
  const model = await startModel();
  const children: Wire[] = [];
  try {
    const start = (...words: string[]): Wire => {
      const wire = new Wire([...foilWords(), ...words], project, env);
      children.push(wire);
      return wire;
    };
    const upstream = `anthropic=${model.url}`;
    const service = start('serve', '--ledger', directory, '--port', '0', '--upstream', upstream, '--json');
    const { port } = JSON.parse(await service.line()) as { port: number };
    const wrap = ['mcp', 'wrap', '--ledger', directory, '--name', 'prices'];
    const server = start(...wrap, '--', process.execPath, 'server.mjs');
    const agent = new Agent({ port, server, tell: hooksOf(directory, project, env) });
    await server.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} });

    yield `${paint.bold('The two wires.')} An agent asks a model through the gateway, and an MCP server through the proxy.\n`;
    await agent.begin();
    const answer = await agent.ask('What is an apple?', model.say(toolUse('toolu_1', 'apple')));
    yield told(
      {
        name: 'gateway',
        verdict: answer.same ? 'the same bytes' : 'other bytes',
        held: answer.same && answer.receipt !== null,
      },
      [`The model's answer came through byte for byte, with the receipt ${answer.receipt}.`],
    );
    const price = await agent.use('toolu_1', 'apple');
    yield told({ name: 'mcp proxy', verdict: price, held: price === '3.20' }, [
      `The server got the call once it was on record, and answered ${price}.`,
    ]);
    await agent.ask(result('toolu_1', price), model.say({ type: 'text', text: 'An apple is 3.20.' }));
    const receipt = await foil('receipt', 'verify', String(answer.receipt), '--ledger', directory);
    yield told(
      {
        name: 'receipt',
        verdict: receipt.exit === 0 ? 'holds' : 'does not hold',
        held: receipt.exit === 0,
      },
      ['The receipt is valid: signed by the gateway, and bound to this session and these entries.'],
    );

    yield `${paint.bold('Hooks, gateway and proxy saw the same call.')} The ledger is verified.\n`;
    const agreed = (await verifyDirectory(directory)).facets.completeness;
    yield told({ name: 'three views', verdict: agreed.status, held: agreed.status === 'pass' }, [
      agreed.message,
    ]);

    yield `${paint.bold('Now the agent hides a call from its hooks.')}\n`;
    await agent.ask('And a pear?', model.say(toolUse('toolu_2', 'pear')));
    const hidden = await agent.use('toolu_2', 'pear', { hooked: false });
    await agent.ask(result('toolu_2', hidden), model.say({ type: 'text', text: 'I do not know.' }));
    const { verdict, facets } = await verifyDirectory(directory);
    const [found] = facets.completeness.findings;
    yield told(
      {
        name: 'a call kept from the hooks',
        verdict,
        held: verdict === 'VIOLATION' && found?.code === 'CALL_MISSED' && found.message.includes('toolu_2'),
      },
      [`${verdict}: ${found?.message ?? 'nothing was found'}`],
    );
    await agent.end();
  } finally {
    await Promise.all(children.toReversed().map((child) => child.end()));
    model.close();
  }
}

function toolUse(id: string, item: string): JsonObject {
  return { type: 'tool_use', id, name: TOOL, input: { item } };
}

function result(id: string, text: string): Json {
  return [{ type: 'tool_result', tool_use_id: id, content: text }];
}

type Tell = (event: string, members: JsonObject) => Promise<unknown>;

function hooksOf(directory: string, cwd: string, env: NodeJS.ProcessEnv): Tell {
  const words = [...foilWords(), 'hook', 'claude-code', '--ledger', directory];
  return (event, members) => {
    const input = { ...hostMembers(SESSION, cwd), transcript_path: '', hook_event_name: event, ...members };
    return runProgram(words, { cwd, env, input: JSON.stringify(input) });
  };
}

interface AgentPlace {
  readonly port: number;
  readonly server: Wire;
  readonly tell: Tell;
}

/** Does what the model says, and tells its hooks. */
class Agent {
  readonly #place: AgentPlace;
  readonly #messages: Json[] = [];

  constructor(place: AgentPlace) {
    this.#place = place;
  }

  async begin(): Promise<void> {
    await this.#place.tell('SessionStart', { source: 'startup' });
    await this.#place.tell('UserPromptSubmit', { prompt: 'What is an apple?' });
  }

  async end(): Promise<void> {
    await this.#place.tell('SessionEnd', { reason: 'other' });
  }

  /** `due` is what the model will answer. */
  async ask(
    content: Json,
    due: string,
  ): Promise<{ readonly same: boolean; readonly receipt: string | null }> {
    this.#messages.push({ role: 'user', content });
    const response = await fetch(`http://127.0.0.1:${this.#place.port}/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-claude-code-session-id': SESSION },
      body: JSON.stringify({ model: 'm', max_tokens: 64, messages: this.#messages }),
    });
    const text = await response.text();
    this.#messages.push({ role: 'assistant', content: (JSON.parse(text) as { content: Json }).content });
    return { same: text === due, receipt: response.headers.get('x-counterfoil-receipt-id') };
  }

  /** A call of the tool. Gives what the server answered. */
  async use(id: string, item: string, { hooked = true } = {}): Promise<string> {
    const { server, tell } = this.#place;
    const call = { tool_name: TOOL, tool_input: { item }, tool_use_id: id };
    if (hooked) await tell('PreToolUse', call);
    const params = { name: 'price', arguments: { item }, _meta: { 'claudecode/toolUseId': id } };
    const { content } = (await server.ask('tools/call', params)) as { content: { text: string }[] };
    if (hooked) await tell('PostToolUse', { ...call, tool_response: content });
    return content[0]?.text ?? '';
  }
}

/** A process that is spoken with line by line. */
class Wire {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #asked = 0;

  constructor([program = '', ...words]: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn(program, words, { cwd, env });
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.resume();
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error('a process of the demo ended too early');
    return value;
  }

  /** A request over JSON-RPC. */
  async ask(method: string, params: JsonObject): Promise<Json> {
    const id = ++this.#asked;
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return (JSON.parse(await this.line()) as { result: Json }).result;
  }

  async end(): Promise<void> {
    if ((this.#child.exitCode ?? this.#child.signalCode) !== null) return;
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGTERM');
    await closed;
  }
}

/** In a provider's place. `say` is what it answers next, and gives the very text. */
async function startModel(): Promise<{ url: string; say(block: JsonObject): string; close(): void }> {
  const answers: string[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(answers.shift()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    say(block) {
      const stop = block.type === 'tool_use' ? 'tool_use' : 'end_turn';
      const usage = { input_tokens: 8, output_tokens: 4 };
      const message = { id: 'msg', type: 'message', role: 'assistant', model: 'm', content: [block] };
      const text = JSON.stringify({ ...message, stop_reason: stop, usage });
      answers.push(text);
      return text;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
