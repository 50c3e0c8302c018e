// A real service with its gateway over a real ledger, and an upstream whose every answer is the test's. What came to the
// upstream is kept, byte for byte.
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestOptions,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { recordingOf } from '../../../src/app/service/open-recording.ts';
import { createLedger } from '../../../src/entry/index.ts';
import type { Entry } from '../../../src/format/index.ts';
import {
  type GatewayRecording,
  parseUpstreams,
  type Service,
  type ServiceOptions,
  startService,
} from '../../../src/service/index.ts';
import { fastDirectory, temporary } from '../../temporary.ts';
import { entriesSoFar } from './entries-so-far.ts';

export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export type Answering = (arrived: Arrived, response: ServerResponse) => unknown;

export interface TestUpstream {
  readonly url: string;
  readonly arrived: Arrived[];
  answer: Answering;
}

export async function upstream(
  answer: Answering = (_, response) => response.end('{}'),
): Promise<TestUpstream> {
  const arrived: Arrived[] = [];
  const server = createServer(async (incoming, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const { method = '', url = '', headers, rawHeaders } = incoming;
    const one = { method, url, headers, rawHeaders, body: Buffer.concat(pieces) };
    arrived.push(one);
    response.on('error', () => undefined);
    await made.answer(one, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const made: TestUpstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    answer,
  };
  return made;
}

export interface Stage {
  readonly service: Service;
  readonly directory: string;
  readonly upstream: TestUpstream;
  /** Of the gateway, without a path. */
  readonly url: string;
  /** Those that are whole on disk at this very moment. */
  entries(kind?: string): Entry[];
  stop(): Promise<void>;
}

/** Those that are whole on disk at this very moment. */
export function entriesIn(directory: string): Entry[] {
  return entriesSoFar(directory, { torn: true });
}

export interface StageOptions extends Partial<ServiceOptions> {
  readonly directory?: string;
  readonly upstream?: TestUpstream;
  readonly cwd?: string;
  /** Puts faults into what it records to. */
  readonly spoil?: (gateway: GatewayRecording) => GatewayRecording;
}

export async function stage(options: StageOptions = {}): Promise<Stage> {
  const { directory: given, upstream: shared, cwd, spoil, ...others } = options;
  const directory = given ?? temporary(fastDirectory);
  const keyDirectory = join(directory, 'keys');
  if (given === undefined) await (await createLedger({ directory, keyDirectory })).close();
  const to = shared ?? (await upstream());
  const upstreams = parseUpstreams(
    ['anthropic', 'openai', 'gemini', 'own'].map(
      (name) => `${name}=${to.url}${name === 'own' ? '/base' : ''}`,
    ),
  );
  const located = { directory, keyDirectory, how: 'option' as const };
  const service = await startService({
    ledger: directory,
    ledgerId: '0123456789abcdef',
    version: '1.2.3',
    mode: () => 'observe',
    open: async (host) => {
      const isIndependent = others.independent !== undefined;
      const recording = await recordingOf(located, { upstreams, cwd: cwd ?? directory, isIndependent })(host);
      const { gateway } = recording;
      return gateway === undefined || spoil === undefined
        ? recording
        : { ...recording, gateway: spoil(gateway) };
    },
    port: 0,
    idleMs: Number.POSITIVE_INFINITY,
    ...others,
  });
  const stop = async (): Promise<void> => {
    service.stop('asked');
    await service.ended;
  };
  onTestFinished(stop);
  return {
    service,
    directory,
    upstream: to,
    url: `http://127.0.0.1:${service.state.port}`,
    entries(kind) {
      const all = entriesIn(directory);
      return kind === undefined ? all : all.filter((entry) => entry.kind === kind);
    },
    stop,
  };
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly trailers: IncomingMessage['trailers'];
  readonly body: Buffer;
  /** Null where it came to a clean end. */
  readonly error: Error | null;
}

export interface Ask extends RequestOptions {
  readonly onResponse?: (response: IncomingMessage) => void;
  /** False for an answer that is only looked at. */
  readonly keep?: boolean;
  readonly onChunk?: (chunk: Buffer) => void;
}

/** Resolves also where the answer breaks off; rejects where none began. */
export function ask(url: string, body: string | Uint8Array | null, options: Ask = {}): Promise<Reply> {
  const { onResponse, onChunk, keep = true, ...others } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: body === null ? 'GET' : 'POST', agent: false, ...others },
      (response) => {
        const pieces: Buffer[] = [];
        onResponse?.(response);
        response.on('data', (piece: Buffer) => {
          if (keep) pieces.push(piece);
          onChunk?.(piece);
        });
        const done = (error: Error | null): void =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            rawHeaders: response.rawHeaders,
            trailers: response.trailers,
            body: Buffer.concat(pieces),
            error,
          });
        response.on('end', () => done(null));
        response.on('error', done);
        response.on('close', () => done(new Error('closed')));
      },
    );
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}

export function sse(...events: readonly [name: string | null, data: unknown][]): string {
  return events
    .map(([name, data]) => {
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      return `${name === null ? '' : `event: ${name}\n`}data: ${text}\n\n`;
    })
    .join('');
}
