// A real service in this process, over a real ledger, with a small recording: each event is a note, and the answer is
// what the test says. And a caller that sends exactly what it is told to.
import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createLedger } from '../../src/entry/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import type { Answer } from '../../src/record/index.ts';
import {
  type Host,
  type Recording,
  readToken,
  type Service,
  type ServiceOptions,
  startService,
} from '../../src/service/index.ts';
import { fastDirectory, temporary } from '../temporary.ts';

export const PASS: Answer = { exit: 0, stdout: '', stderr: '' };

export interface Told {
  readonly agent: string;
  readonly event: string | null;
  /** Null for one that was too large. */
  readonly body: Buffer | null;
}

/** What the service records to, in the test's hands. */
export class NoteRecording implements Recording {
  readonly told: Told[] = [];
  readonly ledger: Ledger;
  host: Host | undefined;
  /** What the next events are answered with. */
  answer: () => Answer | Promise<Answer> = () => PASS;
  open = 0;
  seals = 0;
  upkeeps = 0;
  tidy: (stopping: () => boolean) => Promise<string | null> = async () => null;
  closed = false;

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  async hook(agent: string, body: Uint8Array | null, event: string | null): Promise<Answer> {
    this.told.push({ agent, event, body: body === null ? null : Buffer.from(body) });
    await this.ledger.append({ kind: 'note', payload: { agent, event }, source: `hook:${agent}` });
    return this.answer();
  }

  tooLarge(agent: string, event: string | null): Promise<Answer> {
    return this.hook(agent, null, event);
  }

  async seal(): Promise<void> {
    this.seals++;
    await this.ledger.seal();
  }

  async upkeep(stopping: () => boolean): Promise<string | null> {
    this.upkeeps++;
    return this.tidy(stopping);
  }

  async openSessions(): Promise<number> {
    return this.open;
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.ledger.close();
  }
}

export interface Serving {
  readonly service: Service;
  readonly recording: NoteRecording;
  readonly ledger: string;
  readonly token: string;
}

export async function newLedger(
  directory = temporary(fastDirectory),
): Promise<{ directory: string; ledger: Ledger }> {
  return { directory, ledger: await createLedger({ directory, keyDirectory: join(directory, 'keys') }) };
}

/** Ends with the test at the latest. */
export async function serving(
  options: Partial<ServiceOptions> = {},
  { directory, ledger }: { directory: string; ledger: Ledger } | Record<string, never> = {},
): Promise<Serving> {
  const place = directory === undefined || ledger === undefined ? await newLedger() : { directory, ledger };
  const recording = new NoteRecording(place.ledger);
  const service = await startService({
    ledger: place.directory,
    ledgerId: '0123456789abcdef',
    version: '1.2.3',
    mode: () => 'observe',
    open: async (host) => {
      recording.host = host;
      return recording;
    },
    port: 0,
    idleMs: Number.POSITIVE_INFINITY,
    ...options,
  });
  onTestFinished(async () => {
    service.stop('asked');
    await service.ended.catch(() => undefined);
  });
  return { service, recording, ledger: place.directory, token: readToken(place.directory) ?? '' };
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request on a connection of its own; what it says of itself is the test's to decide. */
export function send(options: RequestOptions, body: string | Uint8Array = ''): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent: false, ...options }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(pieces).toString(),
        }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** As an installed hook over TCP does it. */
export function overTcp(
  { service, token }: Serving,
  { path = '/v1/hook/claude-code', method = 'POST', headers = {} }: RequestOptions = {},
  body: string | Uint8Array = '{}',
): Promise<Reply> {
  const { port } = service.state;
  const own = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return send({ host: '127.0.0.1', port, path, method, headers: { ...own, ...(headers as object) } }, body);
}

export function overSocket(
  { service }: Pick<Serving, 'service'>,
  { path = '/v1/hook/claude-code', method = 'POST', headers = {} }: RequestOptions = {},
  body: string | Uint8Array = '{}',
): Promise<Reply> {
  return send({ socketPath: service.state.socket, path, method, headers }, body);
}
