// What a claim of a structured block refers to must exist and be about that claim.
import { hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseFoilFinal } from '../../src/claims/index.ts';
import { referenceProblem } from '../../src/gate/final-references.ts';
import type { SessionRecord } from '../../src/gate/ledger-evidence.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { readContract } from '../../src/rules/index.ts';
import { check, edit, evidence, ran } from '../rules/cases.ts';
import { temporary } from '../temporary.ts';

const TEXT = { 'src/sum.js': 'export const sum = 1;\n', 'README.md': '# Sum\n', 'other.js': 'export {};\n' };
const sha = (text: string): string => hash('sha256', text);
const FILE = sha(TEXT['src/sum.js']);

// 4 edited the source, 6 failed, 8 passed, 9 edited a page; 20 is a validation of "tested", 21 one that failed.
const found = evidence({
  runs: [ran(6, check('npm test'), { code: 1 }), ran(8, check('npm test'))],
  changes: [edit(4, 'src/sum.js'), edit(9, 'README.md')],
});
const validation = (outcome: string) => ({ value: { validator: 'test_pass', args: {}, outcome, claim: 19 } });
const record = {
  results: new Map([4, 6, 8, 9].map((seq) => [seq, { payload: { result_hash: sha(`result ${seq}`) } }])),
  validations: new Map([
    [20, validation('pass')],
    [21, validation('fail')],
  ]),
  claims: new Map([[19, { value: { type: 'tested' } }]]),
  evidence: { evidence: () => found },
} as unknown as SessionRecord;

const TESTED = { claim_type: 'tested', object: 'all tests' };
const CHANGED = { claim_type: 'changed', object: 'src/sum.js' };

it.each<[string, object, RegExp | null]>([
  ['nothing', TESTED, null],
  [
    'the validator, the run and its file',
    { ...TESTED, validator_id: 'test_pass', ledger_entry_id: 8, artifact_hash: FILE },
    null,
  ],
  ['the validator by its other name', { ...TESTED, validator_id: 'pytest_pass' }, null],
  ['an invented validator', { ...TESTED, validator_id: 'trust_me' }, /unknown validator "trust_me"/],
  [
    'a validator of other claims',
    { ...TESTED, validator_id: 'file_diff_present' },
    /does not settle a claim of type tested/,
  ],
  [
    'a validator that does not pass',
    { claim_type: 'checked', object: 'it', validator_id: 'http_2xx' },
    /does not pass: No request/,
  ],
  ['an entry that is not there', { ...TESTED, ledger_entry_id: 9999 }, /entry 9999/],
  ['the run that failed', { ...TESTED, ledger_entry_id: 6 }, /entry 6/],
  ['an edit, of tests', { ...TESTED, ledger_entry_id: 4 }, /entry 4/],
  ['an edit, of a change', { ...CHANGED, ledger_entry_id: 4 }, null],
  [
    'an edit of another file than the newest',
    { ...CHANGED, ledger_entry_id: '4', artifact_hash: FILE },
    null,
  ],
  ['a run, of a change', { ...CHANGED, ledger_entry_id: 8 }, /entry 8/],
  ['a validation that passed', { ...TESTED, ledger_entry_id: 20 }, null],
  ['a validation that failed', { ...TESTED, ledger_entry_id: 21 }, /entry 21/],
  ['a validation of another claim', { claim_type: 'done', object: 'it', ledger_entry_id: 20 }, /entry 20/],
  ['an invented hash', { ...CHANGED, artifact_hash: 'ab'.repeat(32) }, /artifact_hash/],
  ['no hash', { ...CHANGED, artifact_hash: 'as tested' }, /artifact_hash/],
  ['an old version', { ...CHANGED, artifact_hash: sha('export const sum = 0;\n') }, /artifact_hash/],
  ['a file that was not changed', { ...TESTED, artifact_hash: sha(TEXT['other.js']) }, /artifact_hash/],
  [
    'a changed file that the claim does not speak of',
    { ...CHANGED, artifact_hash: sha(TEXT['README.md']) },
    /artifact_hash/,
  ],
  [
    'a changed file, where it names one that was not',
    { ...TESTED, object: 'tests of other.js', artifact_hash: FILE },
    /artifact_hash/,
  ],
  [
    'a validator of another sort of check',
    { claim_type: 'checked', object: 'lint is clean', validator_id: 'test_pass' },
    /does not/,
  ],
  ['the result of its entry', { ...TESTED, ledger_entry_id: 8, artifact_hash: sha('result 8') }, null],
  [
    'the result of another entry',
    { ...TESTED, ledger_entry_id: 8, artifact_hash: sha('result 6') },
    /artifact_hash/,
  ],
])('B11e a claim refers to %s', (_, claim, problem) => {
  const root = temporary();
  mkdirSync(join(root, 'src'));
  for (const [path, text] of Object.entries(TEXT)) writeFileSync(join(root, path), text);
  const { final } = parseFoilFinal(JSON.stringify({ type: 'done', summary: 'It adds', claims: [claim] }));
  if (final === null) throw new Error('the block was not read');
  const contract = readContract('Fix `src/sum.js`', DEFAULT_POLICY);
  const told = referenceProblem(final, { policy: DEFAULT_POLICY, contract, evidence: found, root, record });
  if (problem === null) expect(told).toBeNull();
  else expect(told).toMatch(problem);
});
