// The routes of an attester. Two are for everybody: its health and its did:web document. All else needs the token, which is
// looked at before any body is read. Errors are JSON, {error: {code, message}}, in sentences of ours.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { canonicalize, isHash, type JsonObject } from '../../core/index.ts';
import { PackError } from '../../format/index.ts';
import { hasCode } from '../../store/files/index.ts';
import { BodyReader } from '../request-body.ts';
import { type Log, nameOf } from '../service-log.ts';
import { type JobQueue, type JobView, QueueFull } from './job-queue.ts';
import { OTHERS_NAMES } from './others.ts';
import { isBearer, WrongTokens } from './wrong-tokens.ts';

export interface RouteOptions {
  readonly queue: JobQueue;
  readonly token: string;
  /** The document and where it stands, `/.well-known/did.json` for one without a path; null without a did:web. */
  readonly identity: { readonly path: string; readonly document: JsonObject } | null;
  readonly maxBytes: number;
  readonly log: Log;
  isLeaving(): boolean;
}

export interface Bindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

type Ctx = Context<{ Bindings: Bindings }>;

/** Bodies that may be read at a time. */
const BODIES = 4;
export const LONGEST_WAIT = 60;
const WAIT = /^(?:0|[1-9]\d?)$/;
/** Seconds after which it is worth asking again. */
const AGAIN = 10;

export function makeRoutes(options: RouteOptions): Hono<{ Bindings: Bindings }> {
  const { queue, token, identity, maxBytes, log } = options;
  const wrong = new WrongTokens();
  const bodies = new BodyReader({ one: maxBytes, all: BODIES * maxBytes });
  const app = new Hono<{ Bindings: Bindings }>();

  app.get('/healthz', (c) => {
    const leaving = options.isLeaving();
    return c.json({ status: leaving ? 'leaving' : 'ok' }, leaving ? 503 : 200, NO_STORE);
  });
  if (identity !== null)
    app.get(identity.path, (c) =>
      c.body(`${JSON.stringify(identity.document)}\n`, 200, { 'content-type': 'application/did+json' }),
    );

  app.use('/v1/*', async (c, next) => {
    const { incoming } = c.env;
    const { origin, 'sec-fetch-site': site, authorization } = incoming.headers;
    if (origin !== undefined || site !== undefined)
      return refuse(c, 403, 'NOT_FOR_PAGES', 'Web pages may not use an attester.');
    const address = incoming.socket.remoteAddress ?? '';
    const wait = wrong.waitFor(address, Date.now());
    if (wait > 0)
      return refuse(c, 429, 'TOO_MANY_GUESSES', 'Too many wrong tokens came from this address.', wait);
    if (!isBearer(authorization, token)) {
      wrong.add(address, Date.now());
      return refuse(c, 401, 'WRONG_TOKEN', 'Send the token of this attester: Authorization: Bearer TOKEN.');
    }
    await next();
    return undefined;
  });

  app.post('/v1/attestations', async (c) => {
    const { 'content-type': type, 'content-encoding': coding } = c.env.incoming.headers;
    if (!/^application\/x-tar\s*(;|$)/i.test(type ?? '') || (coding ?? 'identity') !== 'identity')
      return refuse(c, 415, 'NOT_TAR', 'Send one uncompressed tar, as application/x-tar.');
    const body = await bodies.read(c.env.incoming);
    if (body === 'too-large')
      return refuse(c, 413, 'TOO_LARGE', `This attester takes up to ${maxBytes} bytes.`);
    if (body === 'busy')
      return refuse(c, 429, 'BUSY', 'Too many submissions are arriving at once. Try again later.', AGAIN);
    // Nobody listens any more, and of half a submission nothing is kept.
    if (body === 'cut') return refuse(c, 400, 'CUT_SHORT', 'The body ended too early.');
    return answer(c, await queue.submit(body), true);
  });

  app.get('/v1/attestations/:id', async (c) => {
    const id = c.req.param('id');
    const wait = c.req.query('wait') ?? '0';
    if (!WAIT.test(wait) || Number(wait) > LONGEST_WAIT)
      return refuse(c, 400, 'BAD_WAIT', `wait must be a number of seconds from 0 to ${LONGEST_WAIT}.`);
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    c.env.outgoing.on('close', leave);
    const view = isHash(id) ? await queue.wait(id, Number(wait) * 1000, gone.signal) : undefined;
    c.env.outgoing.off('close', leave);
    if (view === undefined) return refuse(c, 404, 'NOT_FOUND', NO_JOB);
    return answer(c, view, false);
  });

  for (const name of OTHERS_NAMES)
    app.get(`/v1/attestations/:id/${name}`, (c) => {
      const id = c.req.param('id');
      const found = isHash(id) ? queue.document(id, name) : undefined;
      if (found === undefined) return refuse(c, 404, 'NOT_FOUND', NO_JOB);
      if ('code' in found) return refuse(c, 404, found.code, found.message);
      return c.body(canonicalize(found.document), 200, { ...NO_STORE, 'content-type': 'application/json' });
    });

  app.all('/v1/attestations', (c) => refuse(c, 405, 'WRONG_METHOD', 'POST a submission here.'));
  app.all('/v1/attestations/:id', (c) => refuse(c, 405, 'WRONG_METHOD', 'GET a job here.'));
  app.notFound((c) => refuse(c, 404, 'NOT_FOUND', 'There is nothing at this address.'));
  app.onError((error, c) => failed(c, error, log));
  return app;
}

const NO_JOB = 'This attester has no such job. Old results are removed.';
const NO_STORE = { 'cache-control': 'no-store' };

function answer(c: Ctx, view: JobView, isPosted: boolean): Response {
  const isOpen = view.status === 'queued' || view.status === 'running';
  const location = `/v1/attestations/${view.id}`;
  return c.json(view, isPosted && isOpen ? 202 : 200, isPosted ? { ...NO_STORE, location } : NO_STORE);
}

/** The connection is given up with it: a body that is still to come is not worth reading. */
function refuse(
  c: Ctx,
  status: ContentfulStatusCode,
  code: string,
  message: string,
  seconds?: number,
): Response {
  const again = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return c.json({ error: { code, message } }, status, { ...NO_STORE, ...again, connection: 'close' });
}

function failed(c: Ctx, error: Error, log: Log): Response {
  if (error instanceof PackError) return refuse(c, 400, error.code, `Not a submission: ${error.message}.`);
  if (error instanceof QueueFull) return refuse(c, 429, 'QUEUE_FULL', error.message, AGAIN);
  log(`a request failed: ${nameOf(error)}`);
  if (hasCode(error, 'ENOSPC', 'EDQUOT'))
    return refuse(c, 503, 'NO_SPACE', 'The disk of the attester is full. Nothing was accepted.', AGAIN);
  return refuse(c, 500, 'FAILED', 'The attester failed. Nothing was accepted.');
}
