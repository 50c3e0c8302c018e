// A small session to be replayed: a program with a real SDK, which asks a stand-in for a model through the gateway, reads a
// file of its work tree when it is asked to, and changes it.
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Sandbox } from '../cli/foil.ts';
import { endService, projectLedger } from '../service/run-ledger.ts';

/** Made here, so that no file of the repository holds it. */
export const SECRET = ['sk-ant', 'api03', 'Zq7'.repeat(28)].join('-');

const CLIENT = `
import { appendFileSync, readFileSync } from 'node:fs';
import Anthropic from '@anthropic-ai/sdk';
const client = new Anthropic({ maxRetries: 0 });
const common = { model: 'm', max_tokens: 64, tools: [{ name: 'read', input_schema: { type: 'object' } }] };
const messages = [{ role: 'user', content: 'Add the numbers. It is ' + new Date().toISOString() }];
const first = await client.messages.stream({ ...common, messages }).finalMessage();
const [call] = first.content;
const numbers = readFileSync(call.input.file, 'utf8');
appendFileSync(call.input.file, '4\\n');
messages.push(
  { role: 'assistant', content: first.content },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: numbers + process.argv[2] }] },
);
const second = await client.messages.create({ ...common, messages });
console.log(second.content[0].text);`;

export class RecordedSession {
  readonly sandbox = new Sandbox();
  readonly #agent = join(this.sandbox.root, 'bin/agent');
  #model: Server | undefined;

  /** A ledger, a model and a project that wants its sessions kept. */
  async prepare(): Promise<void> {
    const { sandbox } = this;
    const url = await this.#listen();
    symlinkSync(join(import.meta.dirname, '../../node_modules'), sandbox.path('node_modules'));
    sandbox.write('client.mjs', CLIENT);
    sandbox.write('numbers', '1\n2\n');
    this.program('please');
    sandbox.env.PATH = `${join(sandbox.root, 'bin')}:${process.env.PATH}`;
    sandbox.env.ANTHROPIC_API_KEY = 'none';
    sandbox.write('counterfoil.yaml', 'replay: keep\n');
    sandbox.ok(['init']);
    const settings = { v: 1, mode: 'observe', port: null, upstreams: [`anthropic=${url}`] };
    writeFileSync(join(this.ledger, 'settings'), JSON.stringify(settings));
  }

  accept(): void {
    this.sandbox.ok(['operator', 'init', '--no-passphrase']);
    this.sandbox.ok(['keep', 'accept']);
  }

  /** One session; gives its id. */
  async run(): Promise<{ readonly session: string; readonly stdout: string; readonly stderr: string }> {
    const { code, stdout, stderr } = await this.sandbox.foil(['run', '--gateway', '--', 'agent']);
    if (code !== 0) throw new Error(`foil run: ${code}\n${stdout}${stderr}`);
    const sessions = this.sandbox.json(['session', 'list']) as { sessions: { id: string }[] };
    return { session: sessions.sessions.at(-1)?.id ?? '', stdout, stderr };
  }

  /** The model is gone from here on, and so is the service. */
  async leave(): Promise<void> {
    this.#model?.closeAllConnections();
    this.#model?.close();
    this.#model = undefined;
    await endService(this.ledger);
  }

  /** The program that the session runs: it lies outside of the work tree, and may be another one later. */
  program(word: string): void {
    this.#script(`exec node client.mjs '${word}'`);
  }

  /** One that tells its model what these lines of shell print. */
  telling(lines: string): void {
    this.#script(`told=$({\n${lines}\n} 2>&1)\nexec node client.mjs "$told"`);
  }

  #script(text: string): void {
    mkdirSync(join(this.sandbox.root, 'bin'), { recursive: true });
    writeFileSync(this.#agent, `#!/bin/sh\n${text}\n`);
    chmodSync(this.#agent, 0o755);
  }

  get ledger(): string {
    return projectLedger(this.sandbox.root);
  }

  /** Every byte that the ledger has on disk. */
  bytes(): string {
    const files = readdirSync(this.ledger, { recursive: true, withFileTypes: true });
    return files
      .filter((file) => file.isFile())
      .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
      .join('\n');
  }

  async remove(): Promise<void> {
    await this.leave();
    this.sandbox.remove();
  }

  async #listen(): Promise<string> {
    const model = createServer(async (incoming, response) => {
      let body = '';
      for await (const piece of incoming) body += piece;
      answer(JSON.parse(body) as { stream?: boolean }, response);
    });
    this.#model = model;
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
  }
}

function answer({ stream = false }: { stream?: boolean }, response: ServerResponse): void {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: {} };
  if (!stream) {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...message, content: [{ type: 'text', text: `three, and ${SECRET}` }] }));
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const call = { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} };
  const input = { type: 'input_json_delta', partial_json: '{"file":"numbers"}' };
  const events: [string, object][] = [
    ['message_start', { message: { ...message, usage: { input_tokens: 1, output_tokens: 1 } } }],
    ['content_block_start', { index: 0, content_block: call }],
    ['content_block_delta', { index: 0, delta: input }],
    ['content_block_stop', { index: 0 }],
    ['message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } }],
    ['message_stop', {}],
  ];
  for (const [type, data] of events)
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  response.end();
}
