// The evidence facet on whole ledgers: the pinned vectors, one for each way in which a claim can rest on nothing.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeBase64 } from '../../src/core/index.ts';
import * as verifier from '../../src/entry/verify.ts';
import { evidenceLedgers } from './make-evidence.ts';
import { type EvidenceVector, runEvidence } from './run-evidence.ts';

const root = join(import.meta.dirname, '../../spec/vectors/evidence');
const ledgers = evidenceLedgers();

function filesOf(name: string): Record<string, string> {
  const made = ledgers[name]?.made.seal();
  return Object.fromEntries([...(made?.files ?? [])].map(([path, bytes]) => [path, encodeBase64(bytes)]));
}

if (process.env.UPDATE_VECTORS === '1') {
  mkdirSync(root, { recursive: true });
  for (const [name, { made }] of Object.entries(ledgers)) {
    const vector = { name, files: filesOf(name), keys: [made.vkey] };
    const text = JSON.stringify({ ...vector, expect: await runEvidence(verifier, vector) }, null, 1);
    writeFileSync(join(root, `${name}.json`), `${text}\n`);
  }
}

const vectors = readdirSync(root).map(
  (name) => JSON.parse(readFileSync(join(root, name), 'utf8')) as EvidenceVector,
);
const named = (name: string): EvidenceVector['expect'] | undefined =>
  vectors.find((vector) => vector.name === name)?.expect;

describe('spec/vectors/evidence', () => {
  it('is made as the maker makes it', () => {
    expect(vectors.map(({ name }) => name).sort()).toEqual(Object.keys(ledgers).sort());
    for (const { name, files } of vectors) expect(files, name).toEqual(filesOf(name));
  });

  for (const vector of vectors) {
    it(`${vector.expect.evidence}: ${vector.name}`, async () => {
      expect(await runEvidence(verifier, vector)).toEqual(vector.expect);
    });
  }

  it('each lie is found for what it is', () => {
    const found = Object.entries({
      'forged-signature': 'VALIDATION_FORGED',
      'changed-after-signing': 'VALIDATION_FORGED',
      'unknown-key-version': 'VALIDATION_FORGED',
      'replaced-key-version': 'VALIDATION_FORGED',
      'copied-to-another-session': 'VALIDATION_FORGED',
      'copied-to-another-claim': 'VALIDATION_MISPLACED',
      'evidence-of-another-session': 'VALIDATION_MISPLACED',
      'evidence-that-comes-later': 'VALIDATION_MISPLACED',
      'certificate-by-another-key': 'VALIDATOR_KEY_INVALID',
      'passed-without-a-validation': 'GATE_MISMATCH',
      'claim-left-out': 'GATE_MISMATCH',
      'silent-though-changed': 'GATE_MISMATCH',
      'silent-on-tests-in-background': 'GATE_MISMATCH',
      'excused-though-nothing-ran-on': 'GATE_MISMATCH',
      'excused-as-looked-version-1': 'GATE_MISMATCH',
      'excused-by-unknown-rules': 'VALIDATOR_UNKNOWN',
      'another-policy': 'POLICY_MISMATCH',
      'policy-changed': 'POLICY_INVALID',
      'malformed-validation': 'EVIDENCE_MALFORMED',
      'unproven-after-two-blocks': 'CLAIM_UNPROVEN',
      'warned-in-observe': 'CLAIM_UNPROVEN',
      'unknown-validator': 'VALIDATOR_UNKNOWN',
      'ungated-unreadable': 'TURN_UNGATED',
      'no-gate': 'NO_GATE',
    });
    for (const [name, code] of found)
      expect(
        named(name)?.codes.map((each) => each.split(' ')[0]),
        name,
      ).toContain(code);
  });

  it('older entries are judged by the rules of their time', () => {
    for (const name of ['proof-of-nothing-version-1', 'excused-as-looked', 'disclosed-as-unverified'])
      expect(named(name), name).toMatchObject({ verdict: 'INTACT', evidence: 'pass', codes: [] });
  });

  it('B5d what was signed before a rotation keeps verifying', () => {
    for (const name of ['rotated-validator-key', 'rotated-ledger-key'])
      expect(named(name), name).toMatchObject({ verdict: 'INTACT', evidence: 'pass', claims: 2, proven: 2 });
  });

  it('B4a every trick is found, by its own name, though it is signed', () => {
    for (const [name, { why }] of Object.entries(ledgers)) {
      if (why === undefined) continue;
      expect(named(name)?.why, name).toBe(why);
      expect(named(name)?.verdict, name).toBe('VIOLATION');
      expect(named(name)?.proven, name).toBe(0);
      expect(named(name)?.codes.map((code) => code.split(' ')[0])).toEqual([
        'CLAIM_UNPROVEN',
        'VALIDATION_WRONG',
      ]);
    }
  });
});
