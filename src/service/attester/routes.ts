// The routes of an attester. Two are for everybody: its health and its did:web document. All else needs the token, which is
// looked at before any body is read. Errors are JSON, {error: {code, message}}, in sentences of ours.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { canonicalize, isHash, type JsonObject } from '../../core/index.ts';
import { PackError } from '../../format/index.ts';
import { hasCode } from '../../store/files/index.ts';
import { isBearer } from '../admission.ts';
import { jsonReply, NO_STORE, type Reply, sendReply, type Target, targetOf } from '../http-reply.ts';
import { BodyReader } from '../request-body.ts';
import { type Log, nameOf } from '../service-log.ts';
import { type JobQueue, type JobView, QueueFull } from './job-queue.ts';
import { OTHERS_NAMES, type OthersName } from './others.ts';
import { WrongTokens } from './wrong-tokens.ts';

export interface RouteOptions {
  readonly queue: JobQueue;
  readonly token: string;
  /** The document and where it stands, `/.well-known/did.json` for one without a path; null without a did:web. */
  readonly identity: { readonly path: string; readonly document: JsonObject } | null;
  readonly maxBytes: number;
  readonly log: Log;
  isLeaving(): boolean;
}

/** Bodies that may be read at a time. */
const BODIES = 4;
export const LONGEST_WAIT = 60;
const WAIT = /^(?:0|[1-9]\d?)$/;
/** Seconds after which it is worth asking again. */
const AGAIN = 10;

/** Answers, whatever happens. */
export type Handle = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

export function makeRoutes(options: RouteOptions): Handle {
  const { queue, token, identity, maxBytes, log } = options;
  const wrong = new WrongTokens();
  const bodies = new BodyReader({ one: maxBytes, all: BODIES * maxBytes });

  const refuseCaller = ({ headers, socket }: IncomingMessage): Reply | undefined => {
    if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined)
      return refuse(403, 'NOT_FOR_PAGES', 'Web pages may not use an attester.');
    const address = socket.remoteAddress ?? '';
    const wait = wrong.waitFor(address, Date.now());
    if (wait > 0)
      return refuse(429, 'TOO_MANY_GUESSES', 'Too many wrong tokens came from this address.', wait);
    if (isBearer(headers.authorization, token)) return undefined;
    wrong.add(address, Date.now());
    return refuse(401, 'WRONG_TOKEN', 'Send the token of this attester: Authorization: Bearer TOKEN.');
  };

  const submit = async (incoming: IncomingMessage): Promise<Reply> => {
    const { 'content-type': type, 'content-encoding': coding } = incoming.headers;
    if (!/^application\/x-tar\s*(;|$)/i.test(type ?? '') || (coding ?? 'identity') !== 'identity')
      return refuse(415, 'NOT_TAR', 'Send one uncompressed tar, as application/x-tar.');
    const body = await bodies.read(incoming);
    if (body === 'too-large') return refuse(413, 'TOO_LARGE', `This attester takes up to ${maxBytes} bytes.`);
    if (body === 'busy')
      return refuse(429, 'BUSY', 'Too many submissions are arriving at once. Try again later.', AGAIN);
    // Nobody listens any more, and of half a submission nothing is kept.
    if (body === 'cut') return refuse(400, 'CUT_SHORT', 'The body ended too early.');
    return answer(await queue.submit(body), true);
  };

  const job = async (id: string, { query }: Target, outgoing: ServerResponse): Promise<Reply> => {
    const wait = query.get('wait') ?? '0';
    if (!WAIT.test(wait) || Number(wait) > LONGEST_WAIT)
      return refuse(400, 'BAD_WAIT', `wait must be a number of seconds from 0 to ${LONGEST_WAIT}.`);
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    outgoing.on('close', leave);
    const view = isHash(id) ? await queue.wait(id, Number(wait) * 1000, gone.signal) : undefined;
    outgoing.off('close', leave);
    return view === undefined ? NO_JOB : answer(view, false);
  };

  const document = (id: string, name: OthersName): Reply => {
    const found = isHash(id) ? queue.document(id, name) : undefined;
    if (found === undefined) return NO_JOB;
    if ('code' in found) return refuse(404, found.code, found.message);
    const headers = { ...NO_STORE, 'content-type': 'application/json' };
    return { status: 200, headers, body: canonicalize(found.document) };
  };

  const route = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<Reply> => {
    const target = targetOf(incoming);
    const { method, path } = target;
    if (method === 'GET' && path === '/healthz') {
      const leaving = options.isLeaving();
      return jsonReply({ status: leaving ? 'leaving' : 'ok' }, leaving ? 503 : 200, NO_STORE);
    }
    if (method === 'GET' && path === identity?.path)
      return {
        status: 200,
        headers: { 'content-type': 'application/did+json' },
        body: `${JSON.stringify(identity.document)}\n`,
      };
    const [, version, attestations, id, name, ...rest] = path.split('/');
    if (version !== 'v1') return NOTHING;
    const refusal = refuseCaller(incoming);
    if (refusal !== undefined) return refusal;
    if (attestations !== 'attestations' || id === '' || rest.length > 0) return NOTHING;
    if (id === undefined)
      return method === 'POST' ? submit(incoming) : refuse(405, 'WRONG_METHOD', 'POST a submission here.');
    if (name === undefined)
      return method === 'GET' ? job(id, target, outgoing) : refuse(405, 'WRONG_METHOD', 'GET a job here.');
    const known = OTHERS_NAMES.find((other) => other === name);
    return method === 'GET' && known !== undefined ? document(id, known) : NOTHING;
  };

  return async (incoming, outgoing) =>
    sendReply(outgoing, await route(incoming, outgoing).catch((error: unknown) => failed(error, log)));
}

function answer(view: JobView, isPosted: boolean): Reply {
  const isOpen = view.status === 'queued' || view.status === 'running';
  const location = `/v1/attestations/${view.id}`;
  return jsonReply(view, isPosted && isOpen ? 202 : 200, isPosted ? { ...NO_STORE, location } : NO_STORE);
}

/** The connection is given up with it: a body that is still to come is not worth reading. */
function refuse(status: number, code: string, message: string, seconds?: number): Reply {
  const again = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return jsonReply({ error: { code, message } }, status, { ...NO_STORE, ...again, connection: 'close' });
}

const NO_JOB = refuse(404, 'NOT_FOUND', 'This attester has no such job. Old results are removed.');
const NOTHING = refuse(404, 'NOT_FOUND', 'There is nothing at this address.');

function failed(error: unknown, log: Log): Reply {
  if (error instanceof PackError) return refuse(400, error.code, `Not a submission: ${error.message}.`);
  if (error instanceof QueueFull) return refuse(429, 'QUEUE_FULL', error.message, AGAIN);
  log(`a request failed: ${nameOf(error)}`);
  if (hasCode(error, 'ENOSPC', 'EDQUOT'))
    return refuse(503, 'NO_SPACE', 'The disk of the attester is full. Nothing was accepted.', AGAIN);
  return refuse(500, 'FAILED', 'The attester failed. Nothing was accepted.');
}
