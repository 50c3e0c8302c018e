// What a client is told where its request can't be sent, or its answer can't be recorded.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Api } from '../../capture/llm/index.ts';
import { NonceError, RecordError, RunClosed, UnknownSession } from '../../record/index.ts';
import { withoutWayPast } from '../../rules/index.ts';
import { nameOf } from '../service-log.ts';
import { GatewayUnusable } from './address.ts';
import { RECEIPT_HEADER } from './headers.ts';
import { ERROR_HEADER } from './independent.ts';

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** For the service's log. */
  readonly log?: string;
}

/** Why a request is not sent. Throws what is no reason for that. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof UnknownSession)
    return { status: 404, code: 'UNKNOWN_SESSION', message: 'This ledger has no such session.' };
  if (error instanceof NonceError) {
    const status = error.code === 'NONCE_USED' ? 409 : 400;
    return { status, code: error.code, message: `${error.message}.` };
  }
  if (error instanceof RunClosed) return { status: 409, code: error.code, message: `${error.message}.` };
  if (error instanceof GatewayUnusable) {
    const log = "a request was refused: its independent gateway can't be used";
    return { status: 502, code: error.code, message: error.message, log };
  }
  if (!(error instanceof RecordError)) throw error;
  const { code } = error;
  if (code === 'AUTH_REFUSED') {
    const message = `Counterfoil refuses this: ${withoutWayPast(error.message)}`;
    return { status: 403, code, message, log: 'a request was refused: its session has no valid auth key' };
  }
  return {
    status: 503,
    code,
    message: 'Counterfoil could not record this request, so it did not send it. Run foil doctor.',
    log: `a request could not be recorded: ${nameOf(error.cause)}`,
  };
}

/** The answer could not be recorded: the client must not take it for one. */
export function spoil(
  outgoing: ServerResponse,
  api: Api,
  response: IncomingMessage,
  receipt: string | null,
): void {
  const message = 'Counterfoil could not record this answer, so it withholds it. Run foil doctor.';
  if (!outgoing.headersSent) {
    fail(outgoing, api, 503, 'AUDIT_APPEND_FAILED', message, receipt);
    return;
  }
  const isEvents = /^text\/event-stream/i.test(response.headers['content-type'] ?? '');
  const isPlain = response.headers['content-encoding'] === undefined;
  if (!isEvents || !isPlain || outgoing.destroyed) return void outgoing.destroy();
  const error = JSON.stringify(api.error(503, 'AUDIT_APPEND_FAILED', message));
  // An event that is half sent is ended by the first line feed, and is no JSON.
  outgoing.write(`\nevent: error\ndata: ${error}\n\n`, () => outgoing.destroy());
}

/** Clients of these APIs try again by themselves: what was sent and not recorded is not to be sent twice. */
export function fail(
  outgoing: ServerResponse,
  api: Api,
  status: number,
  code: string,
  message: string,
  receipt: string | null = null,
): void {
  if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy();
  const body = JSON.stringify(api.error(status, code, message));
  outgoing.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-should-retry': 'false',
    [ERROR_HEADER]: code,
    ...(receipt === null ? {} : { [RECEIPT_HEADER]: receipt }),
    connection: 'close',
  });
  outgoing.end(body);
}
