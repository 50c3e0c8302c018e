// The routes. A host that posts a hook gets exactly what its hook would have printed; our own client, by what it
// accepts, gets exit code and both outputs. Errors are a status and a word of ours: no path, no content, no message of
// an error that may hold either. There are no CORS headers, ever: no page is to read an answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Context, Hono } from 'hono';
import type { Answer } from '../record/index.ts';
import { monotonic } from '../store/files/index.ts';
import { type Channel, type Refusal, refuse, refuseBody } from './admission.ts';
import { ANSWER_TYPE } from './client.ts';
import { LARGEST_REQUEST, parseValidateRequest, untilGone } from './execution.ts';
import { LatencyWindow } from './latency.ts';
import type { Recording } from './recording.ts';
import { type BodyLimits, BodyReader } from './request-body.ts';
import { type Log, nameOf } from './service-log.ts';

export interface AppOptions {
  readonly recording: Recording;
  readonly token: string;
  readonly log: Log;
  readonly limits?: BodyLimits;
  /** What /v1/health says besides requests and latency. */
  health(channel: Channel): Readonly<Record<string, unknown>>;
  /** Somebody who may asked the service to leave. */
  onStop(): void;
}

export interface App {
  fetch(request: Request, env: Bindings): Response | Promise<Response>;
  /** Requests under way. */
  readonly active: number;
  /** Called each time the last one under way is answered. */
  onQuiet: () => void;
  /** On monotonic()'s clock. */
  readonly lastRequest: number;
  /** Answers from now on ask the caller to leave the connection. */
  leave(): void;
  /** Something is under way until this settles. */
  during(work: Promise<unknown>): Promise<void>;
}

export interface Bindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly channel: Channel;
}

type Ctx = Context<{ Bindings: Bindings }>;

const AGENT = /^[a-z0-9][a-z0-9-]{0,63}$/;
const EVENT = /^[\w.:-]{1,128}$/;

export function makeApp({ recording, token, log, limits, health, onStop }: AppOptions): App {
  const bodies = new BodyReader(limits);
  const latency = new LatencyWindow();
  let leaving = false;
  const state = { active: 0, lastRequest: monotonic(), onQuiet: (): void => undefined };

  const during = async (work: Promise<unknown>): Promise<void> => {
    state.active++;
    state.lastRequest = monotonic();
    try {
      await work;
    } finally {
      state.active--;
      state.lastRequest = monotonic();
      if (state.active === 0) state.onQuiet();
    }
  };

  const app = new Hono<{ Bindings: Bindings }>();
  app.use(async (c, next) => {
    // A connection is given up with every refusal: its body is not worth reading to the end.
    const refusal = refuse(c.env.incoming.headers, c.env.channel, token);
    if (refusal !== undefined) return refused(c, refusal);
    await during(next());
    return undefined;
  });

  app.post('/v1/hook/:agent', async (c) => {
    const begun = monotonic();
    const agent = c.req.param('agent');
    const event = c.req.query('event') ?? null;
    if (!AGENT.test(agent) || (event !== null && !EVENT.test(event)))
      return refused(c, { status: 400, error: 'the request names no agent or event' });
    const refusal = refuseBody(c.env.incoming.headers);
    if (refusal !== undefined) return refused(c, refusal);
    const body = await bodies.read(c.env.incoming);
    if (body === 'cut') return c.body(null, 400, { connection: 'close' });
    if (body === 'busy') return c.json({ error: 'busy' }, 503, { connection: 'close' });
    const large = body === 'too-large';
    const answer = await (large ? recording.tooLarge(agent, event) : recording.hook(agent, body, event));
    latency.add(monotonic() - begun);
    return answered(c, answer, large, leaving);
  });
  app.get('/v1/health', (c) =>
    c.json(
      { v: 1, ...health(c.env.channel), requests: latency.total, latency: latency.read() },
      200,
      NO_STORE,
    ),
  );
  const questions = new BodyReader({ one: LARGEST_REQUEST, all: 16 * LARGEST_REQUEST });
  app.post('/v1/validate', async (c) => {
    const refusal = refuseBody(c.env.incoming.headers);
    if (refusal !== undefined) return refused(c, refusal);
    const body = await questions.read(c.env.incoming);
    if (body === 'busy') return c.json({ error: 'busy' }, 503, { connection: 'close' });
    const request = typeof body === 'string' ? undefined : parseValidateRequest(body);
    if (request === undefined) return refused(c, { status: 400, error: 'no question' });
    const { executions } = recording;
    if (executions === undefined) return c.json({ error: 'nothing here' }, 404, { connection: 'close' });
    const { signal, done } = untilGone(c.env.incoming);
    try {
      return c.json(await executions.run(request, signal), 200, { ...NO_STORE, connection: 'close' });
    } finally {
      done();
    }
  });
  app.post('/v1/seal', async (c) => {
    if (c.env.channel.kind === 'shared') return refused(c, NOT_YOURS);
    await recording.seal();
    return c.json({ sealed: true });
  });
  app.post('/v1/stop', (c) => {
    if (c.env.channel.kind === 'shared') return refused(c, NOT_YOURS);
    onStop();
    return c.json({ stopping: true }, 202, { connection: 'close' });
  });
  for (const path of ['/v1/hook/:agent', '/v1/health', '/v1/seal', '/v1/stop', '/v1/validate'])
    app.all(path, (c) => refused(c, { status: 405, error: 'another method' }));
  app.notFound((c) => c.json({ error: 'nothing here' }, 404, { connection: 'close' }));
  app.onError((error, c) => {
    log(`a request failed: ${nameOf(error)}`);
    return c.json({ error: 'failed' }, 500, { connection: 'close' });
  });

  return Object.assign(state, {
    during,
    fetch: (request: Request, env: Bindings) => app.fetch(request, env),
    leave(): void {
      leaving = true;
    },
  });
}

const NO_STORE = { 'cache-control': 'no-store' };
const NOT_YOURS: Refusal = { status: 403, error: 'not allowed over a shared socket' };

function refused(c: Ctx, { status, error }: Refusal): Response {
  return c.json({ error }, status, { connection: 'close' });
}

/**
 * A host over HTTP has no exit code and reads the body of a success alone. So whatever there is to say is said with
 * 200; a failing exit code without words becomes a failure, which a host told to block on failure takes for a no.
 */
function answered(c: Ctx, answer: Answer, large: boolean, leaving: boolean): Response {
  const { exit, stdout, stderr } = answer;
  const headers: Record<string, string> = large || leaving ? { connection: 'close' } : {};
  // Response itself and not hono's c.body: with plain headers it is never turned into a real one, which takes longer
  // than all the rest of a request.
  if (c.env.incoming.headers.accept === ANSWER_TYPE) {
    headers['content-type'] = ANSWER_TYPE;
    return new Response(JSON.stringify({ exit, stdout, stderr }), { status: large ? 413 : 200, headers });
  }
  if (stdout !== '') {
    headers['content-type'] = 'application/json';
    return new Response(stdout, { status: 200, headers });
  }
  if (exit !== 0) return c.json({ error: 'denied' }, 500, { connection: 'close' });
  return new Response('', { status: large ? 413 : 200, headers });
}
