// Operators of a ledger: enrolled and revoked by the signature of one whom the reader trusts, over the very place of the
// entry. Who reads says which keys it starts from.
import {
  encodeBase64,
  encodeVerifierKey,
  operatorMessage,
  ParseError,
  type Signer,
  StoreError,
  type VerifierKey,
} from '../core/index.ts';
import { type Entry, encodeOperatorChange, OPERATOR_KINDS, type OperatorChange } from '../format/index.ts';
import { firstOperators, type Operators, operatorsAfter, standingOf } from '../policy/index.ts';
import { encodeBlock } from './block.ts';
import { entriesOf, readIdentity } from './epochs.ts';
import type { Clock, EntryLog, LogReader } from './ports.ts';

/** Who is an operator now. Entries that do not count are passed over. Reads the whole log. */
export async function readOperators(store: LogReader, pinned: readonly VerifierKey[]): Promise<Operators> {
  const { origin } = await readIdentity(store);
  let operators = firstOperators(pinned.map((key) => encodeVerifierKey(key)));
  for await (const entry of entriesOf(store, 1, (await store.head()).seq, Object.keys(OPERATOR_KINDS))) {
    operators = operatorsBehind(operators, entry, origin);
  }
  return operators;
}

/** Behind an entry that enrols or revokes; as before, if it does not count. */
export function operatorsBehind(operators: Operators, entry: Entry, origin: string): Operators {
  try {
    return operatorsAfter(operators, entry, origin).operators;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return operators;
  }
}

/** Throws StoreError where an entry revoked this operator. */
export function assertNotRevoked(operators: Operators, signer: Signer): void {
  if (standingOf(operators, encodeVerifierKey(signer as VerifierKey)) === 'revoked')
    throw new StoreError(
      'KEY',
      'your operator key was revoked in this ledger, so its signatures no longer count. Ask another operator.',
    );
}

/** Durable when it resolves. Gives the entry's seq. */
export async function changeOperator(
  {
    store,
    now = Date.now,
  }: { readonly store: Pick<EntryLog, 'append' | 'read' | 'head'>; readonly now?: Clock },
  change: OperatorChange['change'],
  operator: string,
  signer: Signer,
): Promise<number> {
  const { origin } = await readIdentity(store);
  const by = encodeVerifierKey(signer as VerifierKey);
  let written = 0;
  await store.append((head) => {
    const seq = head.seq + 1;
    const message = operatorMessage({ origin, seq, prevHash: head.hash, change, vkey: operator });
    const accepted = { by, signature: encodeBase64(signer.sign(message)) };
    const payload = encodeOperatorChange({ change, operator, accepted });
    written = seq;
    return encodeBlock([{ kind: `operator.${change}`, payload, source: 'ledger' }], head, now());
  });
  return written;
}
