// The payload of `run.closing`: what an independent gateway says of a client's run that it takes no more calls of. It counts the
// calls, names the nonce of the last, and is bound to the end of the run in the client's ledger: so that nobody can cut off
// calls later, or change what stands before the end. `gateway.closing` is the same as the client keeps it. spec/receipt.md.
import { type JsonObject, ParseError } from '../core/index.ts';
import type { ClientRun } from './client-run.ts';
import { count, exactly, hash, moment, object, orNull, seq, shortText, signature } from './members.ts';
import { isNonce } from './receipt.ts';
import { parseValidatorKey, type ValidatorKey } from './validator-key.ts';

export interface RunClosing {
  readonly client: ClientRun;
  readonly calls: number;
  /** Of the call with the highest number; null where there was none. */
  readonly lastNonce: string | null;
  /** `entry_hash` of the run's `session.end`. */
  readonly end: string;
  readonly issued: string;
}

export interface SignedRunClosing extends RunClosing {
  readonly keyVersion: number;
  /** Base64. */
  readonly signature: string;
}

/** As a gateway hands it out. */
export interface GatewayClosing {
  /** Of the gateway's ledger. */
  readonly origin: string;
  readonly gatewayKey: ValidatorKey;
  readonly closing: SignedRunClosing;
  /** The closing as it was signed. */
  readonly signed: JsonObject;
}

const LONGEST_ORIGIN = 256;
const LONGEST_NONCE = 128;

/** What is to be signed: everything but the signature; with one, what is written. */
export function encodeRunClosing(closing: RunClosing, keyVersion: number, signature?: string): JsonObject {
  const { run, pack } = closing.client;
  return {
    calls: closing.calls,
    client: { pack, run },
    end: closing.end,
    issued: closing.issued,
    key_version: keyVersion,
    last_nonce: closing.lastNonce,
    ...(signature === undefined ? {} : { signature }),
    v: 1,
  };
}

/** Throws ParseError. */
export function parseRunClosing(payload: JsonObject): SignedRunClosing {
  exactly(payload, ['v', 'client', 'calls', 'last_nonce', 'end', 'issued', 'key_version', 'signature']);
  assertFirstVersion(payload);
  const client = object(payload, 'client');
  exactly(client, ['run', 'pack'], 'payload.client');
  const calls = count(payload, 'calls');
  const lastNonce = orNull(payload, 'last_nonce', () => shortText(payload, 'last_nonce', LONGEST_NONCE));
  if (lastNonce === null ? calls > 0 : calls === 0 || !isNonce(lastNonce))
    throw new ParseError('BAD_MEMBER', 'not the nonce of a last call', 'payload.last_nonce');
  return {
    client: {
      run: hash(client, 'run', 'payload.client'),
      pack: orNull(client, 'pack', () => hash(client, 'pack', 'payload.client')),
    },
    calls,
    lastNonce,
    end: hash(payload, 'end'),
    issued: moment(payload, 'issued'),
    keyVersion: seq(payload, 'key_version'),
    signature: signature(payload, 'signature'),
  };
}

/** Throws ParseError. */
export function parseGatewayClosing(payload: JsonObject): GatewayClosing {
  exactly(payload, ['v', 'origin', 'gateway_key', 'closing']);
  assertFirstVersion(payload);
  const origin = shortText(payload, 'origin', LONGEST_ORIGIN);
  if (origin === '' || origin.includes('\n'))
    throw new ParseError('BAD_MEMBER', 'not one line', 'payload.origin');
  const signed = object(payload, 'closing');
  return {
    origin,
    gatewayKey: parseValidatorKey(object(payload, 'gateway_key')),
    closing: parseRunClosing(signed),
    signed,
  };
}

function assertFirstVersion({ v }: JsonObject): void {
  if (v !== 1) throw new ParseError('UNKNOWN_VERSION', 'only version 1 is known', 'payload.v');
}
