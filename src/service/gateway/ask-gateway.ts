// A question of ours to an independent gateway, which is no model call: for a receipt, or for the closing of a run. The answer is
// another machine's word, and is read within bounds.
import type { IncomingHttpHeaders } from 'node:http';
import { type Json, type JsonObject, ParseError } from '../../core/index.ts';
import type { GatewayAccess } from './address.ts';
import { CutOff } from './cut-off.ts';
import type { Sender } from './send.ts';

export interface Question {
  readonly method: 'GET' | 'POST';
  readonly target: string;
  /** Flat, as rawHeaders; the token goes along by itself. */
  readonly headers: readonly string[];
  /** For all of it. */
  readonly patienceMs: number;
}

export interface GatewayAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

const LARGEST = 65_536;

/** Throws the system's error, ParseError for an answer that is too long, or why it was cut off. */
export async function askGateway(
  sender: Sender,
  access: GatewayAccess,
  { method, target, headers, patienceMs }: Question,
): Promise<GatewayAnswer> {
  const cutOff = new CutOff();
  const timer = setTimeout(() => cutOff.cut('UPSTREAM_STALLED'), patienceMs);
  const own = ['Host', access.base.host, 'Proxy-Authorization', `Bearer ${access.token}`];
  const empty = method === 'POST' ? ['Content-Length', '0'] : [];
  try {
    const { response } = await sender.send({
      ...placeOf(access),
      target,
      method,
      headers: [...own, ...empty, ...headers],
      body: null,
      cutOff,
    });
    cutOff.hear(() => void response.destroy());
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of response as AsyncIterable<Uint8Array>) {
      size += piece.length;
      if (size > LARGEST) throw new ParseError('TOO_LONG', `more than ${LARGEST} bytes`, 'answer');
      pieces.push(piece);
    }
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) };
  } finally {
    clearTimeout(timer);
  }
}

/** Throws ParseError. */
export function parseObject(bytes: Uint8Array, path: string): JsonObject {
  let value: Json;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json;
  } catch {
    throw new ParseError('INVALID_JSON', 'not JSON', path);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ParseError('MALFORMED', 'not an object', path);
  return value as JsonObject;
}

/** What the sender must know of it. */
export function placeOf({ base, socketPath, ca }: GatewayAccess): {
  readonly base: URL;
  readonly socketPath?: string;
  readonly ca?: string;
} {
  return {
    base,
    ...(socketPath === undefined ? {} : { socketPath }),
    ...(ca === undefined ? {} : { ca }),
  };
}
