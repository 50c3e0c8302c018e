// Asks an attester elsewhere for an attestation: posts pack, bundle and artifacts, waits for the job, and gives the signed
// envelope. The same submission is one job there, so that asking again, after a cut connection or tomorrow, costs nothing.
// What comes back is parsed and bounded; whether its signer is trusted is for `foil verify` to say.
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256Hex, utf8Decode, utf8Encode } from '#platform';
import { canonicalize, encodeDsse, type Json, type JsonObject, parseDsse } from '../../core/index.ts';
import { encodeSubmission, type Submission } from '../../service/index.ts';

export interface AttestationRequest extends Submission {
  /** `https://host[:port]`; plain HTTP to this machine alone. */
  readonly server: string;
  /** 64 hex digits. */
  readonly token: string;
  /** Milliseconds for all of it. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** How the job stands, each time it is asked for. */
  progress?(status: string): void;
}

/** The attester said no, could not be reached, or answered with what is no answer. */
export class AttesterError extends Error {
  override readonly name = 'AttesterError';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const POLL_SECONDS = 30;
/** Longer than the server waits, for a slow line. */
const PATIENCE = (POLL_SECONDS + 30) * 1000;
const UPLOAD = 300_000;
const PAUSE = 1000;
const LONGEST_PAUSE = 30_000;
const LARGEST_ANSWER = 8 * 1024 * 1024;

/** The bytes of the DSSE envelope. Throws AttesterError, with the code of the refusal where it is one. */
export async function requestAttestation(request: AttestationRequest): Promise<Uint8Array> {
  const server = serverUrl(request.server);
  const until = Date.now() + request.timeoutMs;
  const body = encodeSubmission(request);
  const id = sha256Hex(body);
  let job = await persist(request, until, () =>
    ask(request, new URL('/v1/attestations', server), UPLOAD, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-tar' },
    }),
  );
  for (;;) {
    if (job.id !== id) throw unclear('it answered for another job');
    request.progress?.(String(job.status));
    if (job.status === 'done') return envelopeOf(job);
    if (job.status === 'refused') throw refusal(job, 'REFUSED');
    if (job.status !== 'queued' && job.status !== 'running') throw unclear('its status is unknown');
    const url = new URL(`/v1/attestations/${id}?wait=${POLL_SECONDS}`, server);
    job = await persist(request, until, () => ask(request, url, PATIENCE, {}));
  }
}

/**
 * What the attester signed for other tools in the same step, as its bytes. Ask once the attestation is there. Throws
 * AttesterError, NOT_FOR_OTHERS where there is none.
 */
export async function requestDocument(
  request: AttestationRequest,
  name: 'in-toto' | 'vsa',
): Promise<Uint8Array> {
  const id = sha256Hex(encodeSubmission(request));
  const url = new URL(`/v1/attestations/${id}/${name}`, serverUrl(request.server));
  const document = await persist(request, Date.now() + request.timeoutMs, () =>
    ask(request, url, PATIENCE, {}),
  );
  return utf8Encode(canonicalize(document));
}

/** Again, as long as there is time, where the attester is away or has no room: a restart of it must not fail anybody. */
async function persist<T>({ signal }: AttestationRequest, until: number, deed: () => Promise<T>): Promise<T> {
  for (let pause = PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      return await deed();
    } catch (error) {
      const wait = error instanceof Passing ? Math.max(pause, error.afterMs) : Number.POSITIVE_INFINITY;
      if (signal?.aborted === true) throw new AttesterError('CANCELLED', 'cancelled.', { cause: error });
      if (Date.now() + wait > until) throw error instanceof Passing ? error.plain() : error;
      await sleep(wait, undefined, signal === undefined ? {} : { signal });
    }
  }
}

/** Something that may be over when it is tried again. */
class Passing extends AttesterError {
  readonly afterMs: number;

  constructor(code: string, message: string, afterMs: number, options?: ErrorOptions) {
    super(code, message, options);
    this.afterMs = afterMs;
  }

  plain(): AttesterError {
    return new AttesterError(this.code, this.message, { cause: this.cause });
  }
}

async function ask(
  { token, signal }: AttestationRequest,
  url: URL,
  patience: number,
  init: RequestInit,
): Promise<JsonObject> {
  const limits = [AbortSignal.timeout(patience), ...(signal === undefined ? [] : [signal])];
  let response: Response;
  let answer: JsonObject;
  try {
    response = await fetch(url, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${token}` },
      // A token goes to the host that it is for, and nowhere else.
      redirect: 'error',
      signal: AbortSignal.any(limits),
    });
    answer = await readJson(response);
  } catch (cause) {
    if (cause instanceof AttesterError) throw cause;
    if (isUntrusted(cause))
      throw new AttesterError(
        'UNTRUSTED',
        `the certificate of ${url.origin} is not trusted here: ${reasonOf(cause)}. Set NODE_EXTRA_CA_CERTS to the file of its authority.`,
        { cause },
      );
    throw new Passing('UNREACHABLE', `can't reach the attester at ${url.origin}: ${reasonOf(cause)}.`, 0, {
      cause,
    });
  }
  if (response.ok) return answer;
  const refused = refusal(answer, `HTTP_${response.status}`);
  if (response.status !== 429 && response.status !== 503) throw refused;
  const seconds = Number(/^\d{1,4}$/.exec(response.headers.get('retry-after') ?? '')?.[0] ?? 0);
  throw new Passing(refused.code, refused.message, seconds * 1000);
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: unknown; cause?: { code?: unknown } };
  return String(cause?.code ?? message ?? 'no answer').slice(0, 200);
}

async function readJson(response: Response): Promise<JsonObject> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > LARGEST_ANSWER) throw unclear('its answer is too long');
    pieces.push(piece);
  }
  try {
    const value = JSON.parse(utf8Decode(Buffer.concat(pieces))) as Json;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // Told below.
  }
  throw unclear(`its answer is not JSON (HTTP ${response.status})`);
}

function envelopeOf({ attestation }: JsonObject): Uint8Array {
  try {
    return encodeDsse(parseDsse(attestation ?? null));
  } catch (cause) {
    throw unclear("it didn't send a DSSE envelope", cause);
  }
}

function refusal({ error }: JsonObject, otherwise: string): AttesterError {
  const { code, message } = (error ?? {}) as JsonObject;
  const isCode = typeof code === 'string' && /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(code);
  return new AttesterError(
    isCode ? code : otherwise,
    typeof message === 'string' ? message.slice(0, 1000) : 'the attester refused and gave no reason.',
  );
}

function unclear(what: string, cause?: unknown): AttesterError {
  return new AttesterError('UNCLEAR', `this isn't a working attester: ${what}.`, { cause });
}

/** Throws AttesterError where the token would cross a network in clear. */
function serverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal =
    url?.protocol === 'http:' && /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/.test(url.hostname);
  if (
    url === undefined ||
    !(url.protocol === 'https:' || isLocal) ||
    url.username !== '' ||
    url.password !== ''
  )
    throw new AttesterError(
      'BAD_SERVER',
      'name the attester as https://HOST. http only works on this machine.',
    );
  return url;
}

/** No later try would find another certificate. */
function isUntrusted(error: unknown): boolean {
  const { code } = ((error as { cause?: unknown }).cause ?? error) as { code?: unknown };
  return typeof code === 'string' && /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code);
}
