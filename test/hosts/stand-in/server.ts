// A model on 127.0.0.1 that plays a script. It keeps what the host asked, so that a test can see what the model was told.
// A request that offers no shell tool is not of the main loop (a title, a summary): it gets a fixed text and takes no step.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropic } from './anthropic.ts';
import { chat } from './chat.ts';
import { type Asked, type Body, type Dialect, sendJson } from './dialect.ts';
import { gemini } from './gemini.ts';
import { responses } from './responses.ts';
import { PAST_THE_END, type Reply, type ShellCall, type Step } from './script.ts';

const DIALECTS: readonly Dialect[] = [anthropic, gemini, responses, chat];

export class StandIn {
  /** Requests of the main loop, oldest first. */
  readonly turns: Asked[] = [];
  /** Everything else that was asked for: `METHOD /path`. */
  readonly asides: string[] = [];
  /** What a step could not do: the test is at fault, and not the host. */
  fault: unknown;
  readonly #steps: readonly Step[];
  readonly #shell: ShellCall;
  readonly #server: Server;

  constructor(steps: readonly Step[], shell: ShellCall) {
    this.#steps = steps;
    this.#shell = shell;
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
        const dialect = DIALECTS.find(({ isTurn }) => isTurn(pathname));
        if (request.method !== 'POST' || dialect === undefined) {
          this.asides.push(`${request.method} ${pathname}`);
          const known = DIALECTS.map(({ aside }) => aside?.(pathname)).find((answer) => answer !== undefined);
          sendJson(response, known ?? {}, known === undefined ? 404 : 200);
          return;
        }
        const body = JSON.parse(Buffer.concat(pieces).toString()) as Body;
        const asked = { path: pathname, body };
        try {
          dialect.answer(asked, this.#reply(asked, dialect.tools(body)), response);
        } catch (error) {
          this.fault ??= error;
          sendJson(response, {}, 400);
        }
      });
    });
  }

  /** How many requests came after the last step. */
  get beyond(): number {
    return Math.max(0, this.turns.length - this.#steps.length);
  }

  /** In which requests, counted from 0, the model was told this. The first one is what matters: hosts repeat all of it. */
  told(words: string): number[] {
    const wanted = JSON.stringify(words).slice(1, -1);
    return this.turns.flatMap(({ body }, index) => (JSON.stringify(body).includes(wanted) ? [index] : []));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #reply(asked: Asked, tools: readonly string[]): Reply {
    if (this.#shell('true', tools) === undefined) {
      this.asides.push(`POST ${asked.path}`);
      return { text: 'ok' };
    }
    const step = this.#steps[this.turns.push(asked) - 1];
    if (step === undefined) return { text: PAST_THE_END };
    step.before?.();
    if ('say' in step) return { text: step.say };
    if ('call' in step) return step.call;
    return this.#shell(step.run, tools) ?? { text: PAST_THE_END };
  }
}
