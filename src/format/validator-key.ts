// Payloads of what validations rest on besides the entries: `validator.key`, the key that signs them, certified by the
// ledger's key of that place, and `policy`, which claims need which validators.
import { type JsonObject, ParseError, parseVerifierKey, type VerifierKey } from '../core/index.ts';
import { exactly, hash, object, seq, shortText, signature } from './members.ts';

export interface ValidatorKey {
  /** 1 for the first, then 1 more each. */
  readonly version: number;
  /** Ed25519, 64 hex digits. */
  readonly publicKey: string;
  /** By the ledger's key, over validatorKeyMessage, in base64. */
  readonly certificate: string;
}

/** `policy`: the rules from here on. Nobody accepted it: it came with the tool, or with the project's own file. */
export interface PolicyRecord {
  /** The whole of it, as JSON. */
  readonly claimPolicy: JsonObject;
  /** SHA-256 of its canonical JSON. */
  readonly policyHash: string;
  readonly accepted: {
    /** The operator's verifier key. */
    readonly by: string;
    /** By that key, over policyMessage, in base64. */
    readonly signature: string;
  } | null;
}

const LONGEST_KEY = 1024;

export function encodeValidatorKey({ version, publicKey, certificate }: ValidatorKey): JsonObject {
  return { version, public_key: publicKey, certificate };
}

export function parseValidatorKey(payload: JsonObject): ValidatorKey {
  exactly(payload, ['version', 'public_key', 'certificate']);
  return {
    version: seq(payload, 'version'),
    publicKey: hash(payload, 'public_key'),
    certificate: signature(payload, 'certificate'),
  };
}

export function encodePolicyRecord({ claimPolicy, policyHash, accepted }: PolicyRecord): JsonObject {
  return {
    claim_policy: claimPolicy,
    policy_hash: policyHash,
    accepted_by: accepted?.by ?? null,
    signature: accepted?.signature ?? null,
  };
}

export function parsePolicyRecord(payload: JsonObject): PolicyRecord {
  exactly(payload, ['claim_policy', 'policy_hash', 'accepted_by', 'signature']);
  const nobody = payload.accepted_by === null && payload.signature === null;
  return {
    claimPolicy: object(payload, 'claim_policy'),
    policyHash: hash(payload, 'policy_hash'),
    accepted: nobody ? null : { by: acceptedBy(payload), signature: signature(payload, 'signature') },
  };
}

/** The key that accepted it. */
export function operatorKey(by: string): VerifierKey {
  return parseVerifierKey(by);
}

/** The operator's verifier key in `accepted_by`, or in another member. */
export function acceptedBy(payload: JsonObject, member = 'accepted_by'): string {
  const by = shortText(payload, member, LONGEST_KEY);
  try {
    operatorKey(by);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new ParseError('BAD_MEMBER', error.message, `payload.${member}`);
  }
  return by;
}
