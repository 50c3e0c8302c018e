// A real attester in this process, on a free port of 127.0.0.1, with the stand-in for its work; and a caller that sends
// exactly what it is told to.
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type AttesterOptions,
  type JobView,
  type RunningAttester,
  readAttesterToken,
  startAttester,
} from '../../src/service/index.ts';
import { type Reply, send } from '../service/serving.ts';
import { temporary } from '../temporary.ts';
import { standIn } from './stand-in.ts';

export interface Attesting {
  readonly running: RunningAttester;
  readonly state: string;
  readonly token: string;
  readonly port: number;
  readonly logged: string[];
  /** How often work was begun. */
  readonly begun: () => number;
}

/** Ends with the test at the latest. */
export async function attesting(options: Partial<AttesterOptions> = {}): Promise<Attesting> {
  const state = options.state ?? join(temporary(), 'attester');
  const logged: string[] = [];
  let count = 0;
  const running = await startAttester({
    state,
    listen: { host: '127.0.0.1', port: 0, tls: null },
    drainMs: 0,
    log: (line) => logged.push(line),
    attest: (identity) => standIn(identity, () => ++count),
    ...options,
  });
  onTestFinished(async () => {
    running.stop();
    running.stop();
    await running.ended;
  });
  const port = Number(new URL(running.url).port);
  return { running, state, token: readAttesterToken(running.tokenFile), port, logged, begun: () => count };
}

export function post(
  { port, token }: Pick<Attesting, 'port' | 'token'>,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const own = { authorization: `Bearer ${token}`, 'content-type': 'application/x-tar' };
  return send(
    { host: '127.0.0.1', port, path: '/v1/attestations', method: 'POST', headers: { ...own, ...headers } },
    body,
  );
}

export function get(
  { port, token }: Pick<Attesting, 'port' | 'token'>,
  path: string,
  headers: Readonly<Record<string, string>> = { authorization: `Bearer ${token}` },
): Promise<Reply> {
  return send({ host: '127.0.0.1', port, path, headers });
}

export function view(reply: Reply): JobView {
  return JSON.parse(reply.body) as JobView;
}

/** `401 WRONG_TOKEN`, for one. */
export function refusal({ status, body }: Reply): string {
  const { error } = JSON.parse(body) as { error?: { code: string; message: string } };
  return `${status} ${error?.code}`;
}

/** Waits until the job has a result. */
export async function result(server: Pick<Attesting, 'port' | 'token'>, id: string): Promise<JobView> {
  for (;;) {
    const reply = await get(server, `/v1/attestations/${id}?wait=30`);
    if (reply.status !== 200) throw new Error(`${reply.status} ${reply.body}`);
    const job = view(reply);
    if (job.status === 'done' || job.status === 'refused') return job;
  }
}
