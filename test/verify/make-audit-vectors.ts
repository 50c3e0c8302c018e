// Makes spec/vectors/audit.json: for each of the sixteen points of an audit, and for each invariant, a run that fails it. Runs
// without patches are cases of run.json, by their names. A test compares the file with what this gives, and
// `UPDATE_VECTORS=1` writes it anew after a deliberate change of the format.
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
import type { ReplayWord } from '../../src/verify/index.ts';
import { LedgerMaker } from './make-ledger.ts';
import { RUN } from './make-run-vectors.ts';

export interface AuditCase {
  readonly name: string;
  /** The name of a case in run.json; else `lines` are the entries. */
  readonly run_case?: string;
  readonly lines?: readonly string[];
  /** What a replay came to, in place of one that matches. */
  readonly replay?: ReplayWord;
  /** The points that fail, and the invariants that they break. */
  readonly fails: readonly number[];
  readonly invariants: readonly string[];
}

export interface AuditVectors {
  readonly about: string;
  readonly operators: readonly string[];
  readonly cases: readonly AuditCase[];
}

const BASE = 'b'.repeat(64);
const AFTER = 'a'.repeat(64);
const AGENT = makeSigner('agent', new Uint8Array(32).fill(7));
const OPERATOR = makeSigner('operator', new Uint8Array(32).fill(9));
const keyOf = (signer: Signer): string => encodeVerifierKey(signer as VerifierKey);

/** A ledger with a session that is patched. */
export class PatchedLedger extends LedgerMaker {
  #hash = BASE;

  constructor() {
    super();
    this.append('session.start', { agent: 'counter', capabilities: null }, { session_id: RUN });
  }

  step(kind: string, payload: JsonObject): this {
    this.append(kind, { id: `${RUN}:0`, ...payload }, { source: 'runtime', session_id: RUN });
    return this;
  }

  /** `later` is put in after it was signed. */
  signed(kind: string, payload: JsonObject, signer: Signer, later: JsonObject = {}): this {
    const whole = { id: `${RUN}:0`, ...payload };
    const place = { seq: this.size + 1, prevHash: this.hashes.at(-1) as string };
    const message = patchMessage({ origin: this.origin, sessionId: RUN, ...place, kind, payload: whole });
    return this.step(kind, { ...whole, signature: encodeBase64(signer.sign(message)), ...later });
  }

  created(later: JsonObject = {}): this {
    const payload = {
      base: BASE,
      change: {
        target: 'state',
        operations: [{ op: 'replace', path: '/limit', value: 2 }],
        inverse: [{ op: 'replace', path: '/limit', value: 1 }],
      },
      tests: [{ name: 'keeps its total', command: ['node', 'check.mjs'] }],
      reason: 'the limit is too low',
      proposed_by: keyOf(AGENT),
    };
    this.signed('patch.created', payload, AGENT, later);
    const { payload: written } = JSON.parse(this.lines.at(-1) as string) as { payload: JsonObject };
    this.#hash = sha256Hex(canonicalize(written));
    return this;
  }

  tested(): this {
    const tests = [{ name: 'keeps its total', result: 'pass' }];
    return this.step('patch.tested', { result: 'pass', tests, sandbox: 'bubblewrap' });
  }

  audited(): this {
    return this.step('patch.audited', { result: 'pass', violations: [] });
  }

  approved(signer: Signer = OPERATOR, later: JsonObject = {}): this {
    return this.signed('patch.approved', { patch_hash: this.#hash, by: keyOf(signer) }, signer, later);
  }

  applied(): this {
    return this.step('patch.applied', {
      patch_hash: this.#hash,
      state_hash_before: BASE,
      state_hash_after: AFTER,
    });
  }

  reverted(): this {
    return this.signed('patch.reverted', { patch_hash: this.#hash, by: keyOf(OPERATOR) }, OPERATOR);
  }

  revoked(): this {
    const place = { origin: this.origin, seq: this.size + 1, prevHash: this.hashes.at(-1) as string };
    const message = operatorMessage({ ...place, change: 'revoke', vkey: keyOf(OPERATOR) });
    const accepted = { by: keyOf(OPERATOR), signature: encodeBase64(OPERATOR.sign(message)) };
    const change = { change: 'revoke', operator: keyOf(OPERATOR), accepted } as const;
    this.append('operator.revoke', encodeOperatorChange(change), { source: 'ledger' });
    return this;
  }
}

export function auditVectors(): AuditVectors {
  const ofRun = (run_case: string, fails: readonly number[], ...invariants: string[]): AuditCase => ({
    name: run_case,
    run_case,
    fails,
    invariants,
  });
  const patched = (
    name: string,
    make: (ledger: PatchedLedger) => LedgerMaker,
    fails: readonly number[],
    ...invariants: string[]
  ): AuditCase => ({ name, lines: make(new PatchedLedger()).lines, fails, invariants });
  const forged = { signature: encodeBase64(new Uint8Array(64)) };
  return {
    about:
      'One audit each: a case of run.json by its name, or the lines of a ledger whose session is the run of run.json. A replay matches unless it is given. `fails` are the points that fail, `invariants` those that they break.',
    operators: [keyOf(OPERATOR)],
    cases: [
      ofRun('a whole run', []),
      patched('a patch that took every step', (l) => l.created().tested().audited().approved().applied(), []),
      ofRun('an unknown member', [1, 4, 5], 'Sequence Continuity', 'Parent Linkage', 'Causal Closure'),
      ofRun('the payload was changed', [2], 'Payload Hash Consistency'),
      ofRun('an event begins at another state', [3], 'Hash Chain Integrity'),
      ofRun('an event is left out', [4, 5], 'Sequence Continuity', 'Parent Linkage'),
      ofRun('the parent is of another run', [5], 'Parent Linkage'),
      ofRun('a cause does not exist', [5], 'Causal Closure'),
      ofRun('a call without what it needs', [6], 'Zero Ambient Authority'),
      ofRun('a call of a tool that the run did not declare', [6], 'Exhaustive Enumeration'),
      ofRun('a call rests on a grant that the run began without', [6], 'Capability Immutability'),
      ofRun('a denial is counted and not on record', [7], 'Denial Logging'),
      ofRun('a denial of what is granted', [7], 'Denial Logging'),
      ofRun('a result of another tool than was called', [5], 'Causal Closure'),
      ofRun('a result that is ok and has an error', [1]),
      ofRun('a result that consumed fuel without a cell', [15]),
      ofRun('the end has another result than was decided', [5], 'Causal Closure'),
      ofRun('the end counts other calls', [15]),
      {
        name: 'a replay comes to another state',
        run_case: 'a whole run',
        replay: {
          outcome: 'diverges',
          message: 'divergence at event 6',
          finalStateHash: AFTER,
          flaw: null,
        },
        fails: [8, 16],
        invariants: ['Deterministic Reconstruction', 'Hash Verifiability'],
      },
      {
        name: 'a replay comes to the same states, and finds the record wrong',
        run_case: 'a whole run',
        replay: {
          outcome: 'matches',
          message: 'it matches',
          finalStateHash: null,
          flaw: 'event 0 says 7 files of code, and the bundle has 1',
        },
        fails: [8],
        invariants: [],
      },
      ofRun('a call that names no grant', [6], 'Capability Immutability'),
      ofRun('a snapshot that says other bytes than are kept', [16], 'Hash Verifiability'),
      ofRun('the end is finished and gives a reason', [5], 'Causal Closure'),
      ofRun('a memory write without a cause', [9], 'Memory Provenance'),
      patched(
        'an approval that nobody signed',
        (l) => l.created().tested().audited().approved(OPERATOR, forged),
        [10],
        'Signature Validity',
      ),
      patched('an audit before the tests', (l) => l.created().audited(), [11], 'Gate Sequentiality'),
      patched(
        'an approval before the audit',
        (l) => l.created().tested().approved(),
        [12],
        'Gate Sequentiality',
      ),
      patched(
        'applied before it was approved',
        (l) => l.created().tested().audited().applied(),
        [13],
        'Gate Sequentiality',
      ),
      patched('applied past all gates', (l) => l.created().applied(), [11, 12, 13], 'Gate Sequentiality'),
      patched(
        'approved by its proposer',
        (l) => l.created().tested().audited().approved(AGENT),
        [13],
        'Gate Sequentiality',
      ),
      patched(
        'approved by an operator who was revoked',
        (l) => l.created().tested().audited().revoked().approved(),
        [13],
        'Gate Sequentiality',
      ),
      patched(
        'reverted twice',
        (l) => l.created().tested().audited().approved().applied().reverted().reverted(),
        [13],
        'Reversibility',
      ),
      patched('applied, and nobody proposed it', (l) => l.applied(), [13], 'Reversibility'),
      patched(
        'grants that nobody signed',
        (l) => {
          l.append('grants', { grants: { allow: ['**'], deny: [] } }, { source: 'ledger' });
          return l;
        },
        [14],
      ),
      ofRun('more calls than are allowed', [15]),
      ofRun('a tool gave more than it may', [15]),
      ofRun('a snapshot of another state', [16], 'Hash Verifiability'),
    ],
  };
}
