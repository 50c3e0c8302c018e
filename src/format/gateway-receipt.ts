// The payload of `gateway.receipt`: what an independent gateway vouches for of a model call of this run, as it was handed out
// there. It names the gateway's ledger, the key that signed it and the receipt itself. Whether any of it holds is for the
// verifier: a recorder keeps what it was given. spec/receipt.md.
import { type JsonObject, ParseError } from '../core/index.ts';
import { exactly, object, shortText } from './members.ts';
import { parseReceipt, type SignedReceipt } from './receipt.ts';
import { parseValidatorKey, type ValidatorKey } from './validator-key.ts';

export interface GatewayReceipt {
  /** Of the gateway's ledger. */
  readonly origin: string;
  readonly gatewayKey: ValidatorKey;
  readonly receipt: SignedReceipt;
  /** The receipt as it was signed. */
  readonly signed: JsonObject;
}

const LONGEST_ORIGIN = 256;

/** Throws ParseError. */
export function parseGatewayReceipt(payload: JsonObject): GatewayReceipt {
  exactly(payload, ['v', 'origin', 'gateway_key', 'receipt']);
  if (payload.v !== 1) throw new ParseError('UNKNOWN_VERSION', 'only version 1 is known', 'payload.v');
  const origin = shortText(payload, 'origin', LONGEST_ORIGIN);
  if (origin === '' || origin.includes('\n'))
    throw new ParseError('BAD_MEMBER', 'not one line', 'payload.origin');
  const signed = object(payload, 'receipt');
  return {
    origin,
    gatewayKey: parseValidatorKey(object(payload, 'gateway_key')),
    receipt: parseReceipt(signed),
    signed,
  };
}
