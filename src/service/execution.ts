// Asking the service to run a check again: what may be asked, and the answer. The asker is the agent's user, who may ask
// for a claim that is on record and a command that the rules accept, and for nothing else.
import type { IncomingMessage } from 'node:http';
import { isObject } from '../core/index.ts';
import type { Executed, RefusedRun } from '../gate/index.ts';

export interface ValidateRequest {
  readonly session: string | null;
  /** The seq of one, or a type; null for the newest. */
  readonly claim: number | string | null;
  readonly validator: string | null;
  readonly command: string | null;
  readonly network: boolean;
  readonly timeoutMs: number | null;
}

export type ValidateAnswer = Executed | RefusedRun;

export const LARGEST_REQUEST = 256 * 1024;
const MEMBERS = ['session', 'claim', 'validator', 'command', 'network', 'timeoutMs'];
const LONGEST_COMMAND = 64 * 1024;
const LONGEST_RUN = 3_600_000;

/** Undefined where it is none. */
export function parseValidateRequest(bytes: Uint8Array): ValidateRequest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const given: Readonly<Record<string, unknown>> = value;
  if (Object.keys(given).some((name) => !MEMBERS.includes(name))) return undefined;
  const {
    session = null,
    claim = null,
    validator = null,
    command = null,
    network = false,
    timeoutMs = null,
  } = given;
  const isText = (text: unknown, most: number): text is string | null =>
    text === null || (typeof text === 'string' && text.length <= most);
  const isCount = (number: unknown): number is number | null =>
    number === null || (typeof number === 'number' && Number.isSafeInteger(number) && number > 0);
  if (!isText(session, 64) || (session !== null && !/^[0-9a-f]{4,64}$/.test(session))) return undefined;
  if (!isText(validator, 64) || !isText(command, LONGEST_COMMAND)) return undefined;
  if (
    !(isCount(claim) || isText(claim, 32)) ||
    !isCount(timeoutMs) ||
    (timeoutMs ?? 0) > LONGEST_RUN ||
    typeof network !== 'boolean'
  )
    return undefined;
  return { session, claim, validator, command, network, timeoutMs };
}

/** Aborted when the caller leaves before it was answered. */
export function untilGone({ socket }: IncomingMessage): { readonly signal: AbortSignal; done(): void } {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  socket.once('close', leave);
  return { signal: gone.signal, done: () => socket.off('close', leave) };
}

export interface PostValidate {
  readonly socket: string;
  readonly request: ValidateRequest;
  /** How long the answer is waited for: the run, and those before it. */
  readonly patienceMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Rejects where nobody answers, or not in our words. */
export async function postValidate({
  socket,
  request,
  patienceMs,
  signal,
}: PostValidate): Promise<ValidateAnswer> {
  const { request: open } = await import('node:http');
  const body = JSON.stringify(request);
  return new Promise((resolve, reject) => {
    const sent = open(
      {
        socketPath: socket,
        path: '/v1/validate',
        method: 'POST',
        headers: {
          host: 'localhost',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
        timeout: patienceMs,
        agent: false,
        ...(signal === undefined ? {} : { signal }),
      },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          try {
            resolve(parseAnswer(response.statusCode ?? 0, Buffer.concat(pieces).toString('utf8')));
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('the service did not answer in time')));
    sent.on('error', reject);
    sent.end(body);
  });
}

function parseAnswer(status: number, text: string): ValidateAnswer {
  const value = JSON.parse(text) as Partial<ValidateAnswer> & { readonly error?: unknown };
  const { outcome, reason } = value;
  const isKnown = outcome === 'pass' || outcome === 'fail' || outcome === 'refused';
  if (status === 200 && isKnown && typeof reason === 'string') return value as ValidateAnswer;
  throw new Error(
    `the service did not run it (${status}${typeof value.error === 'string' ? `: ${value.error}` : ''})`,
  );
}
