// `grants`: what agents may do from here on, as an operator accepted it. The capabilities are kept as they were written;
// spec/capability.md says what they mean.
import { type JsonObject, ParseError } from '../core/index.ts';
import { exactly, hash, object, shortTexts, signature } from './members.ts';
import { verifierKey } from './validator-key.ts';

export interface GrantTexts {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export interface GrantsRecord {
  readonly grants: GrantTexts;
  /** SHA-256 of their canonical JSON. */
  readonly grantsHash: string;
  readonly accepted: {
    /** The operator's verifier key. */
    readonly by: string;
    /** By that key, over grantsMessage, in base64. */
    readonly signature: string;
  };
}

const MOST_GRANTS = 1000;
export const LONGEST_CAPABILITY = 1024;
/** Of all together: an entry is one line. */
const MOST_GRANT_TEXT = 48 * 1024;

export function encodeGrants({ allow, deny }: GrantTexts): JsonObject {
  return { allow: [...allow], deny: [...deny] };
}

/** Their form alone: whether each is a capability is not looked at. */
export function parseGrantTexts(value: JsonObject, path: string): GrantTexts {
  exactly(value, ['allow', 'deny'], path);
  const grants = {
    allow: shortTexts(value, 'allow', MOST_GRANTS, LONGEST_CAPABILITY, path),
    deny: shortTexts(value, 'deny', MOST_GRANTS, LONGEST_CAPABILITY, path),
  };
  const length = [...grants.allow, ...grants.deny].reduce((sum, text) => sum + text.length, 0);
  if (length > MOST_GRANT_TEXT)
    throw new ParseError('BAD_MEMBER', `longer than ${MOST_GRANT_TEXT} characters in all`, path);
  return grants;
}

export function encodeGrantsRecord({ grants, grantsHash, accepted }: GrantsRecord): JsonObject {
  return {
    grants: encodeGrants(grants),
    grants_hash: grantsHash,
    accepted_by: accepted.by,
    signature: accepted.signature,
  };
}

export function parseGrantsRecord(payload: JsonObject): GrantsRecord {
  exactly(payload, ['grants', 'grants_hash', 'accepted_by', 'signature']);
  return {
    grants: parseGrantTexts(object(payload, 'grants'), 'payload.grants'),
    grantsHash: hash(payload, 'grants_hash'),
    accepted: { by: verifierKey(payload, 'accepted_by'), signature: signature(payload, 'signature') },
  };
}
