// Ledgers whose patches are made step by step, each signed for its place.
import { sha256Hex } from '#platform';
import {
  canonicalize,
  encodeBase64,
  encodeVerifierKey,
  type JsonObject,
  makeSigner,
  operatorMessage,
  patchMessage,
  type Signer,
  type VerifierKey,
} from '../../src/core/index.ts';
import { encodeOperatorChange } from '../../src/format/index.ts';
import { LedgerMaker } from './make-ledger.ts';

export const RUN = '5'.repeat(64);
const BASE = 'b'.repeat(64);
const AFTER = 'a'.repeat(64);
export const AGENT = makeSigner('agent', new Uint8Array(32).fill(7));
export const OPERATOR = makeSigner('operator', new Uint8Array(32).fill(9));
export const keyOf = (signer: Signer): string => encodeVerifierKey(signer as VerifierKey);

const PATCH: JsonObject = {
  base: BASE,
  change: {
    target: 'state',
    operations: [{ op: 'replace', path: '/state/limit', value: 2 }],
    inverse: [{ op: 'replace', path: '/state/limit', value: 1 }],
  },
  tests: [{ name: 'keeps its total', command: ['node', 'check.mjs'] }],
  reason: 'the limit is too low',
};

export class Patched extends LedgerMaker {
  #hashes: string[] = [];

  by(kind: string, payload: JsonObject, session: string | null = RUN): this {
    this.append(kind, payload, { source: 'runtime', session_id: session });
    return this;
  }

  /** `later` is put in after it was signed; `place` is what was signed for instead. */
  signed(
    kind: string,
    payload: JsonObject,
    signer: Signer,
    later: JsonObject = {},
    place: JsonObject = {},
  ): this {
    const message = patchMessage({
      origin: this.origin,
      sessionId: RUN,
      seq: this.size + 1,
      prevHash: this.hashes.at(-1) as string,
      kind,
      payload,
      ...place,
    });
    const signature = encodeBase64(signer.sign(message));
    return this.by(kind, { ...payload, signature, ...later });
  }

  created(number = 0, more: JsonObject = {}, later: JsonObject = {}): this {
    const payload = { id: `${RUN}:${number}`, ...PATCH, proposed_by: keyOf(AGENT), ...more };
    this.signed('patch.created', payload, AGENT, later);
    this.#hashes[number] = sha256Hex(canonicalize(this.last()));
    return this;
  }

  last(): JsonObject {
    return (JSON.parse(this.lines.at(-1) as string) as { payload: JsonObject }).payload;
  }

  tested(more: JsonObject = {}, number = 0): this {
    const tests = [{ name: 'keeps its total', result: 'pass' }];
    return this.by('patch.tested', {
      id: `${RUN}:${number}`,
      result: 'pass',
      tests,
      sandbox: 'bubblewrap',
      ...more,
    });
  }

  audited(more: JsonObject = {}, number = 0): this {
    return this.by('patch.audited', { id: `${RUN}:${number}`, result: 'pass', violations: [], ...more });
  }

  approved({
    signer = OPERATOR,
    kind = 'patch.approved',
    number = 0,
    more = {},
    later = {},
    place = {},
  } = {}): this {
    const payload = {
      id: `${RUN}:${number}`,
      patch_hash: this.#hashes[number] ?? BASE,
      by: keyOf(signer),
      ...more,
    };
    return this.signed(kind, payload, signer, later, place);
  }

  applied(more: JsonObject = {}, number = 0): this {
    return this.by('patch.applied', {
      id: `${RUN}:${number}`,
      patch_hash: this.#hashes[number] ?? BASE,
      state_hash_before: BASE,
      state_hash_after: AFTER,
      ...more,
    });
  }

  revoked(): this {
    const place = { origin: this.origin, seq: this.size + 1, prevHash: this.hashes.at(-1) as string };
    const message = operatorMessage({ ...place, change: 'revoke', vkey: keyOf(OPERATOR) });
    const accepted = { by: keyOf(OPERATOR), signature: encodeBase64(OPERATOR.sign(message)) };
    this.append(
      'operator.revoke',
      encodeOperatorChange({ change: 'revoke', operator: keyOf(OPERATOR), accepted }),
      {
        source: 'ledger',
      },
    );
    return this;
  }

  toApproval(number = 0, more: JsonObject = {}): this {
    return this.created(number, more).tested({}, number).audited({}, number);
  }
}
