// `operator.enrol` and `operator.revoke`: who may accept grants from here on, and who no longer. spec/capability.md
import { type JsonObject, ParseError } from '../core/index.ts';
import { exactly, signature } from './members.ts';
import { verifierKey } from './validator-key.ts';

export interface OperatorChange {
  readonly change: 'enrol' | 'revoke';
  /** The verifier key that it is about. */
  readonly operator: string;
  readonly accepted: {
    /** The verifier key of the operator who decided it. */
    readonly by: string;
    /** By that key, over operatorMessage, in base64. */
    readonly signature: string;
  };
}

export const OPERATOR_KINDS = { 'operator.enrol': 'enrol', 'operator.revoke': 'revoke' } as const;

export function encodeOperatorChange({ operator, accepted }: OperatorChange): JsonObject {
  return { operator, accepted_by: accepted.by, signature: accepted.signature };
}

export function parseOperatorChange(kind: string, payload: JsonObject): OperatorChange {
  const change = Object.entries(OPERATOR_KINDS).find(([name]) => name === kind)?.[1];
  if (change === undefined) throw new ParseError('BAD_MEMBER', 'it changes no operator', 'kind');
  exactly(payload, ['operator', 'accepted_by', 'signature']);
  return {
    change,
    operator: verifierKey(payload, 'operator'),
    accepted: { by: verifierKey(payload, 'accepted_by'), signature: signature(payload, 'signature') },
  };
}
