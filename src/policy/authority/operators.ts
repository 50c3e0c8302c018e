// Who was an operator at a place of the ledger. A verifier pins the first ones; they enrol and revoke others, and each
// other, by entries. Without pins nobody can say who is one: then everybody is, but for those whom an entry revokes.
import { ed25519Verify } from '#platform';
import { operatorMessage, parseBase64 } from '../../core/index.ts';
import { type Entry, operatorKey, parseOperatorChange } from '../../format/index.ts';

export interface Operators {
  /** Verifier keys that were pinned; null where none was. */
  readonly pinned: ReadonlySet<string> | null;
  readonly enrolled: ReadonlySet<string>;
  readonly revoked: ReadonlySet<string>;
}

export type Standing = 'operator' | 'revoked' | 'unknown';

export function firstOperators(pinned: readonly string[]): Operators {
  return { pinned: pinned.length === 0 ? null : new Set(pinned), enrolled: new Set(), revoked: new Set() };
}

export function standingOf({ pinned, enrolled, revoked }: Operators, vkey: string): Standing {
  if (revoked.has(vkey)) return 'revoked';
  return pinned === null || pinned.has(vkey) || enrolled.has(vkey) ? 'operator' : 'unknown';
}

/** Does the reader know the key as an operator's? Without pins nobody is known, whatever the entries say. */
export function isKnownOperator(operators: Operators, vkey: string): boolean {
  return operators.pinned !== null && standingOf(operators, vkey) === 'operator';
}

export interface Changed {
  /** As they are behind the entry: as before, where it does not count. */
  readonly operators: Operators;
  /** Of the key that decided it; `unsigned` where it did not sign for this place. */
  readonly by: Standing | 'unsigned';
}

/** Behind an `operator.enrol` or `operator.revoke`. Only pinned operators may change who is one. Throws ParseError. */
export function operatorsAfter(operators: Operators, entry: Entry, origin: string): Changed {
  const { change, operator, accepted } = parseOperatorChange(entry.kind, entry.payload);
  const place = { origin, seq: entry.seq, prevHash: entry.prev_hash };
  const message = operatorMessage({ ...place, change, vkey: operator });
  if (!ed25519Verify(operatorKey(accepted.by).publicKey, message, parseBase64(accepted.signature)))
    return { operators, by: 'unsigned' };
  const by = standingOf({ ...operators, enrolled: new Set() }, accepted.by);
  if (by !== 'operator') return { operators, by };
  const [enrolled, revoked] = [new Set(operators.enrolled), new Set(operators.revoked)];
  if (change === 'enrol') {
    enrolled.add(operator);
    revoked.delete(operator);
  } else {
    enrolled.delete(operator);
    revoked.add(operator);
  }
  return { operators: { ...operators, enrolled, revoked }, by };
}
