// An MCP server over streamable HTTP, with a client on a port of this machine: requests and answers pass as they are, but
// for what HTTP changes at every hop, each message when the conversation lets it. Neither side is believed; nobody from
// elsewhere is let in, and nothing is added to a request that its sender did not have.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../../core/index.ts';
import { queryValues, toldValues, type WireRecorder } from '../../record/index.ts';
import type { Conversation } from './conversation.ts';
import { EventStream } from './event-stream.ts';
import { type Gated, JsonGate, textOf } from './held-bodies.ts';
import { forwarded, readAll, type Sending, send, write } from './http-send.ts';
import { HttpSessions, MOST_SESSIONS } from './http-sessions.ts';
import { isOfThisMachine, pathOf } from './local-request.ts';
import { markOf, reasonOf } from './mark.ts';
import type { Frame } from './message.ts';
import {
  type Addresses,
  AuthorizationServers,
  RESOURCE_METADATA,
  restoreResource,
  rewriteChallenge,
  rewriteResource,
  subjectOf,
} from './oauth.ts';
import { encodeRefusals } from './refusal.ts';

export interface HttpProxyOptions {
  readonly upstream: URL;
  /** 0 for any. */
  readonly port: number;
  readonly recorder: WireRecorder;
  readonly name: string;
}

export interface HttpProxy {
  /** Where a client finds the server now. */
  readonly url: string;
  /** Ends what is open, and resolves when all of it is on record. */
  close(): Promise<void>;
}

const COMPRESSED = "AUDIT_UNREADABLE: the server compressed its answer, so it can't be recorded.";

export async function startHttpProxy(options: HttpProxyOptions): Promise<HttpProxy> {
  const proxy = new Proxying(options);
  await proxy.listen();
  return proxy;
}

class Proxying implements HttpProxy {
  readonly #options: HttpProxyOptions;
  readonly #server: Server;
  readonly #sessions: HttpSessions;
  readonly #issuers = new AuthorizationServers();
  readonly #saidInHeaders = new Set<string>();
  #addresses: Addresses;

  constructor(options: HttpProxyOptions) {
    this.#options = options;
    this.#sessions = new HttpSessions(options.recorder, options.name);
    this.#addresses = { upstream: options.upstream, own: options.upstream };
    this.#server = createServer({ requestTimeout: 0 }, (request, response) => {
      void this.#handle(request, response).catch((error: unknown) => fail(response, error));
    });
  }

  get url(): string {
    return this.#addresses.own.href;
  }

  listen(): Promise<void> {
    const { port, upstream } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        const { port: bound } = this.#server.address() as AddressInfo;
        const own = new URL(`http://127.0.0.1:${bound}${upstream.pathname}${upstream.search}`);
        this.#addresses = { upstream, own };
        resolve();
      });
    });
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
    await this.#sessions.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { upstream, own } = this.#addresses;
    if (request.headers.host !== own.host && request.headers.host !== `localhost:${own.port}`) {
      response.writeHead(403).end('Only clients on this machine may connect.\n');
      return;
    }
    if (!isOfThisMachine(request.headers.origin)) {
      response.writeHead(403).end('Only pages from this machine may connect.\n');
      return;
    }
    const url = pathOf(request.url);
    if (url === undefined) {
      response.writeHead(400).end('Not a path.\n');
      return;
    }
    const metadata = this.#issuers.metadata(url.pathname);
    if (metadata !== undefined)
      return this.#document(request, response, metadata.url, (value) =>
        this.#issuers.rewrite(metadata.at, value, this.#addresses),
      );
    const endpoint = this.#issuers.endpoint(url.pathname);
    if (endpoint !== undefined) return this.#endpoint(request, response, url, new URL(endpoint.url));
    const target = new URL(upstream);
    target.pathname = url.pathname;
    target.search = url.search;
    if (RESOURCE_METADATA.test(url.pathname))
      return this.#document(request, response, target, (value) =>
        rewriteResource(value, this.#addresses, this.#issuers),
      );
    await this.#message(request, response, target);
  }

  /** A request of the protocol, or any other: the server decides what it is. */
  async #message(request: IncomingMessage, response: ServerResponse, target: URL): Promise<void> {
    const { conversation, own } = this.#sessions.of(request.headers);
    const sending = send(target, request.method ?? 'GET', forwarded(request.headers));
    const caller = subjectOf(request.headers.authorization);
    // The server sees the client leave, as it would without us.
    response.once('close', () => {
      if (!response.writableFinished) sending.destroy();
    });
    try {
      const gated = await this.#upload(request, response, sending, conversation, caller);
      if (gated === null) return;
      const answer = await sending.answer;
      if (own) this.#sessions.remember(answer.headers, conversation);
      await this.#download(answer, response, conversation, gated);
      if (request.method === 'DELETE' && (answer.statusCode ?? 500) < 300)
        await this.#sessions.forget(request.headers);
    } catch (error) {
      sending.destroy();
      throw error;
    } finally {
      if (own) await this.#sessions.leave(conversation);
    }
  }

  /** Null where it was refused, and answered. What is no message of the protocol is on record as what it is. */
  async #upload(
    request: IncomingMessage,
    response: ServerResponse,
    sending: Sending,
    conversation: Conversation,
    caller: string | undefined,
  ): Promise<Gated | null> {
    // What is compressed can't be looked at: nobody could say which tool is called.
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
      sending.destroy();
      request.resume();
      response.writeHead(415, { connection: 'close' }).end('Compressed requests are not accepted.\n');
      return null;
    }
    const isNoted =
      (await this.#noteHeaders(request, response)) &&
      (this.#isMessage(request) || (await this.#noted(request, response)));
    if (!isNoted) {
      sending.destroy();
      return null;
    }
    const gate = new JsonGate(conversation, 'to-server', { caller });
    let size = 0;
    for await (const chunk of request as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      for (const bytes of gate.push(chunk)) await sending.write(bytes);
    }
    if (size === 0) {
      sending.end();
      return { ruling: 'forward', frame: NO_FRAME, whole: null };
    }
    const gated = await gate.end();
    if (gated.ruling === 'forward') {
      for (const bytes of gated.held) await sending.write(bytes);
      sending.end();
      sending.answer.catch(() =>
        conversation.fail(gated.frame, response.destroyed ? 'CLIENT_CLOSED' : 'NOT_REACHED'),
      );
      return gated;
    }
    sending.destroy();
    const reply = textOf(gated.ruling.reply);
    // Nobody waits for an answer to it, but who sent it must not take it for done.
    if (reply === null) response.writeHead(503).end(`${gated.ruling.reason}\n`);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(reply);
    return null;
  }

  /** A request that is no message: what it asks for is on record first. False where it can't be: then it is answered. */
  async #noted(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const { pathname, search } = pathOf(request.url) ?? new URL('http://x');
    const query = search === '' ? {} : toldValues(queryValues(search.slice(1)));
    const content = { method: request.method ?? '', path: pathname, query };
    return this.#orRefuse(request, response, () => this.#observe('http', content, 'to-server'));
  }

  /** What a request says in headers that go on: a client mostly says the same each time, which is told once. */
  async #noteHeaders(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const said = Object.entries(forwarded(request.headers));
    const content = toldValues(said.map(([name, value]) => [name, String(value)]));
    const text = JSON.stringify(content);
    if (said.length === 0 || this.#saidInHeaders.has(text)) return true;
    const isTold = await this.#orRefuse(request, response, () =>
      this.#observe('http.headers', content, 'to-server'),
    );
    if (isTold && this.#saidInHeaders.size < MOST_SESSIONS) this.#saidInHeaders.add(text);
    return isTold;
  }

  async #observe(event: string, content: Json, direction: 'to-server' | 'to-client'): Promise<void> {
    const { recorder, name } = this.#options;
    await recorder.observe({ event, problem: null, content, beside: markOf(name, direction, null) });
  }

  async #orRefuse(
    request: IncomingMessage,
    response: ServerResponse,
    work: () => Promise<void>,
  ): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      request.resume();
      response.writeHead(503, { connection: 'close' }).end(`${reasonOf(error)}\n`);
      return false;
    }
  }

  /** A message to the server, and nothing that another address or query would make of it. */
  #isMessage({ method, url }: IncomingMessage): boolean {
    const { own } = this.#addresses;
    return method === 'POST' && url === `${own.pathname}${own.search}`;
  }

  async #download(
    answer: IncomingMessage,
    response: ServerResponse,
    conversation: Conversation,
    { frame }: Gated,
  ): Promise<void> {
    const status = answer.statusCode ?? 502;
    const headers = this.#told(answer.headers);
    const type = String(answer.headers['content-type'] ?? '').toLowerCase();
    const encoding = answer.headers['content-encoding'] ?? 'identity';
    response.once('close', () => answer.destroy());
    if (status >= 300) await conversation.fail(frame, `HTTP_${status}`);
    if (encoding !== 'identity') return this.#unreadable(answer, response, conversation, frame);
    if (type.includes('text/event-stream') && status < 300) {
      response.writeHead(status, headers).flushHeaders();
      await this.#events(answer, response, conversation);
      return;
    }
    // Whatever type it says it is, and whatever status: some clients look for a message in it all the same.
    const gate = new JsonGate(conversation, 'to-client');
    let size = 0;
    for await (const chunk of answer as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      for (const bytes of gate.push(chunk)) {
        if (!response.headersSent) response.writeHead(status, headers);
        await write(response, bytes);
      }
    }
    const gated = size === 0 ? EMPTY : await gate.end();
    if (gated.ruling === 'forward') {
      if (!response.headersSent) response.writeHead(status, headers);
      for (const bytes of gated.held) await write(response, bytes);
      response.end();
    } else if (response.headersSent) response.destroy();
    else response.writeHead(status, headers).end(textOf(gated.ruling.instead) ?? '');
    if (status < 300 && !type.includes('application/json'))
      await conversation.fail(frame, status === 202 ? 'NOT_ANSWERED' : 'NOT_JSON');
  }

  /** Compressed, though nobody asked for it: an answer that can't be recorded is not delivered. */
  async #unreadable(
    answer: IncomingMessage,
    response: ServerResponse,
    conversation: Conversation,
    frame: Frame,
  ): Promise<void> {
    answer.destroy();
    await conversation.fail(frame, 'NOT_JSON');
    const ids = frame.messages.filter(({ type }) => type === 'request').map(({ id }) => id);
    if (ids.length === 0) response.writeHead(502).end('The server compressed its answer.\n');
    else
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        Buffer.from(encodeRefusals(ids, COMPRESSED, frame.batch))
          .toString('utf8')
          .trimEnd(),
      );
  }

  async #events(
    answer: IncomingMessage,
    response: ServerResponse,
    conversation: Conversation,
  ): Promise<void> {
    const stream = new EventStream({
      conversation,
      write: (bytes) => write(response, bytes),
      abort: () => response.destroy(),
      besides: (lines) => this.#observe('besides', [...lines], 'to-client'),
    });
    for await (const chunk of answer as AsyncIterable<Uint8Array>) await stream.push(chunk);
    await stream.end();
    response.end();
  }

  /** A document of OAuth's, told of us. One that is none passes as it is. */
  async #document(
    request: IncomingMessage,
    response: ServerResponse,
    target: URL,
    rewrite: (value: Json) => Json,
  ): Promise<void> {
    if (!(await this.#noted(request, response))) return;
    const sending = send(target, request.method ?? 'GET', forwarded(request.headers));
    sending.end();
    const answer = await sending.answer;
    const body = await readAll(answer);
    let told: Uint8Array = body;
    try {
      if (answer.statusCode === 200)
        told = Buffer.from(JSON.stringify(rewrite(JSON.parse(body.toString('utf8')) as Json)));
    } catch {
      // A page, perhaps: the client makes of it what it would.
    }
    response.writeHead(answer.statusCode ?? 502, this.#told(answer.headers)).end(told);
  }

  /** Of an authorization server: a browser is sent there, a request for a token is made there. */
  async #endpoint(request: IncomingMessage, response: ServerResponse, url: URL, target: URL): Promise<void> {
    if (!(await this.#noted(request, response))) return;
    if (request.method === 'GET') {
      for (const [name, value] of restoreResource(url.searchParams, this.#addresses))
        target.searchParams.append(name, value);
      response.writeHead(302, { location: target.href }).end();
      return;
    }
    const body = await readAll(request);
    const form = restoreResource(new URLSearchParams(body.toString('utf8')), this.#addresses);
    const sending = send(target, 'POST', forwarded(request.headers));
    await sending.write(Buffer.from(form.toString()));
    sending.end();
    const answer = await sending.answer;
    response.writeHead(answer.statusCode ?? 502, this.#told(answer.headers));
    for await (const chunk of answer as AsyncIterable<Uint8Array>) await write(response, chunk);
    response.end();
  }

  #told(headers: IncomingHttpHeaders): Record<string, string | string[]> {
    const told = forwarded(headers);
    const challenge = told['www-authenticate'];
    if (challenge !== undefined)
      told['www-authenticate'] = [challenge].flat().map((each) => rewriteChallenge(each, this.#addresses));
    return told;
  }
}

const NO_FRAME: Frame = { messages: [], batch: false, problem: null };
const EMPTY: Gated & { readonly held: readonly Uint8Array[] } = {
  ruling: 'forward',
  frame: NO_FRAME,
  whole: null,
  held: [],
};

/** The server can't be reached, or broke off: as a gateway says it. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(502).end(`${error instanceof Error ? error.message : String(error)}\n`);
}
