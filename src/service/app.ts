// The routes. A host that posts a hook gets exactly what its hook would have printed; our own client, by what it
// accepts, gets exit code and both outputs. Errors are a status and a word of ours: no path, no content, no message of
// an error that may hold either. There are no CORS headers, ever: no page is to read an answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from '../record/index.ts';
import { monotonic } from '../store/files/index.ts';
import { type Channel, type Refusal, refuse, refuseBody } from './admission.ts';
import { CALLER_HEADER, type Caller, parseCaller } from './caller.ts';
import { ANSWER_TYPE } from './client.ts';
import { LARGEST_REQUEST, parseValidateRequest, untilGone } from './execution.ts';
import { jsonReply, NO_STORE, type Reply, sendReply, type Target, targetOf } from './http-reply.ts';
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
  /** Answers, whatever happens. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse, channel: Channel): Promise<void>;
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

interface Asked {
  readonly target: Target;
  readonly incoming: IncomingMessage;
  readonly channel: Channel;
}

interface Route {
  readonly method: 'GET' | 'POST';
  answer(asked: Asked): Reply | Promise<Reply>;
}

const HOOK = '/v1/hook/';
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

  const hook = async ({ target, incoming, channel }: Asked): Promise<Reply> => {
    const begun = monotonic();
    const agent = target.path.slice(HOOK.length);
    const event = target.query.get('event');
    if (!AGENT.test(agent) || (event !== null && !EVENT.test(event)))
      return refused({ status: 400, error: 'the request names no agent or event' });
    const refusal = refuseBody(incoming.headers);
    if (refusal !== undefined) return refused(refusal);
    const caller = callerOf(incoming, channel);
    if (caller === undefined) return refused({ status: 400, error: 'the request names no caller' });
    const body = await bodies.read(incoming);
    if (body === 'cut') return CUT;
    if (body === 'busy') return BUSY;
    const large = body === 'too-large';
    const answer = await (large
      ? recording.tooLarge(agent, event)
      : recording.hook(agent, body, event, caller));
    latency.add(monotonic() - begun);
    return answered(answer, incoming.headers.accept, { large, leaving });
  };
  const questions = new BodyReader({ one: LARGEST_REQUEST, all: 16 * LARGEST_REQUEST });
  const validate = async ({ incoming }: Asked): Promise<Reply> => {
    const refusal = refuseBody(incoming.headers);
    if (refusal !== undefined) return refused(refusal);
    const body = await questions.read(incoming);
    if (body === 'busy') return BUSY;
    const request = typeof body === 'string' ? undefined : parseValidateRequest(body);
    if (request === undefined) return refused({ status: 400, error: 'no question' });
    const { executions } = recording;
    if (executions === undefined) return NOTHING;
    const { signal, done } = untilGone(incoming);
    try {
      return jsonReply(await executions.run(request, signal), 200, { ...NO_STORE, ...CLOSE });
    } finally {
      done();
    }
  };
  const tellHealth = ({ channel }: Asked): Reply =>
    jsonReply({ v: 1, ...health(channel), requests: latency.total, latency: latency.read() }, 200, NO_STORE);
  const seal = async ({ channel }: Asked): Promise<Reply> => {
    if (channel.kind === 'shared') return NOT_YOURS;
    await recording.seal();
    return jsonReply({ sealed: true }, 200);
  };
  const stop = ({ channel }: Asked): Reply => {
    if (channel.kind === 'shared') return NOT_YOURS;
    onStop();
    return jsonReply({ stopping: true }, 202, CLOSE);
  };
  const routes = new Map<string, Route>([
    ['/v1/health', { method: 'GET', answer: tellHealth }],
    ['/v1/validate', { method: 'POST', answer: validate }],
    ['/v1/seal', { method: 'POST', answer: seal }],
    ['/v1/stop', { method: 'POST', answer: stop }],
  ]);
  const routeOf = (path: string): Route | undefined =>
    path.startsWith(HOOK) && path.length > HOOK.length && !path.includes('/', HOOK.length)
      ? { method: 'POST', answer: hook }
      : routes.get(path);

  const reply = async (asked: Asked): Promise<Reply> => {
    const { path, method } = asked.target;
    const route = routeOf(path);
    if (route === undefined) return NOTHING;
    if (route.method !== method) return refused({ status: 405, error: 'another method' });
    try {
      return await route.answer(asked);
    } catch (error) {
      log(`a request failed: ${nameOf(error)}`);
      return jsonReply({ error: 'failed' }, 500, CLOSE);
    }
  };

  return Object.assign(state, {
    during,
    async handle(incoming: IncomingMessage, outgoing: ServerResponse, channel: Channel): Promise<void> {
      const refusal = refuse(incoming.headers, channel, token);
      if (refusal !== undefined) return sendReply(outgoing, refused(refusal));
      const asked = { target: targetOf(incoming), incoming, channel };
      return during(reply(asked).then((answer) => sendReply(outgoing, answer)));
    },
    leave(): void {
      leaving = true;
    },
  });
}

/** A connection is given up with every refusal: its body is not worth reading to the end. */
const CLOSE = { connection: 'close' };
const CUT: Reply = { status: 400, headers: CLOSE, body: '' };
const BUSY = jsonReply({ error: 'busy' }, 503, CLOSE);
const NOTHING = jsonReply({ error: 'nothing here' }, 404, CLOSE);
const NOT_YOURS = refused({ status: 403, error: 'not allowed over a shared socket' });

/** Null where nothing is told that counts, undefined for what can't be read. */
function callerOf({ headers }: IncomingMessage, { kind }: Channel): Caller | null | undefined {
  const told = headers[CALLER_HEADER];
  return told === undefined || kind !== 'socket' ? null : parseCaller(String(told));
}

function refused({ status, error }: Refusal): Reply {
  return jsonReply({ error }, status, CLOSE);
}

/**
 * A host over HTTP has no exit code and reads the body of a success alone. So whatever there is to say is said with
 * 200; a failing exit code without words becomes a failure, which a host told to block on failure takes for a no.
 */
function answered(
  { exit, stdout, stderr }: Answer,
  accept: string | undefined,
  { large, leaving }: { readonly large: boolean; readonly leaving: boolean },
): Reply {
  const headers = large || leaving ? CLOSE : {};
  const status = large ? 413 : 200;
  if (accept === ANSWER_TYPE)
    return {
      status,
      headers: { ...headers, 'content-type': ANSWER_TYPE },
      body: JSON.stringify({ exit, stdout, stderr }),
    };
  if (stdout !== '')
    return { status: 200, headers: { ...headers, 'content-type': 'application/json' }, body: stdout };
  if (exit !== 0) return jsonReply({ error: 'denied' }, 500, CLOSE);
  return { status, headers, body: '' };
}
