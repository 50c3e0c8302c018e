// A structured block says nothing that a sentence could not say: its slots and its objects are read like prose.
import { expect, it } from 'vitest';
import { withFinal } from '../../src/gate/final-claims.ts';
import { finalProblem } from '../../src/gate/final-end.ts';
import { readClaims } from '../../src/gate/read-claims.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { judge, readContract } from '../../src/rules/index.ts';
import { check, counts, edit, evidence, ran } from '../rules/cases.ts';

const policy = { ...DEFAULT_POLICY, finalBlock: 'always' } as const;
const PASSED = ran(8, check('npm test'));
const FAILED = ran(8, check('npm test'), { code: 1, ...counts(4, 1) });
const partial = { type: 'partial', what_succeeded: 'the edit', what_remains: 'a run of the tests' };

/** `pass`, or what is not settled, by its type; or what is wrong with the block. */
async function verdictOn(block: object, runs = [PASSED]): Promise<string> {
  const value = { summary: 'sum adds', next_route_or_question: 'npm test', ...block };
  const message = `\`\`\`foil_final\n${JSON.stringify(value)}\n\`\`\`\n`;
  const found = withFinal(readClaims(message), policy);
  const isThere = (path: string) => path === 'sum.js';
  const all = evidence({ runs, changes: [edit(4, 'sum.js')], isThere });
  const contract = readContract('Fix `sum.js`', policy);
  const judgement = judge({
    ...found,
    evidence: all,
    contract,
    policy,
    project: { test: 'npm test', build: null, types: null, lint: null },
    formal: true,
  });
  const open = judgement.claims.filter(({ status }) => status !== 'backed' && status !== 'excused');
  const problem = await finalProblem(
    { found, policy, isWanted: true, judgement, evidence: all },
    async () => {
      throw new Error('nothing is referred to');
    },
  );
  return problem ?? (open.length === 0 ? 'pass' : open.map(({ claim }) => claim.type).join(' '));
}

const done = (...claims: [type: string, object: string][]) => ({
  type: 'done',
  claims: claims.map(([claim_type, object]) => ({ claim_type, object })),
});

it.each<[string, object, RegExp]>([
  ['its file', done(['changed', 'sum.js']), /^pass$/],
  ['its tests', done(['tested', 'all tests']), /^pass$/],
  ['what it mends', done(['done', 'the sum in sum.js']), /^pass$/],
  ['a name that sounds like shipping', done(['changed', 'sum.js'], ['done', 'the release script']), /^pass$/],
  ['another file', done(['changed', 'other.js']), /Claim 1 of the foil_final block is about other\.js/],
  ['a file elsewhere of that name', done(['changed', 'lib/sum.js']), /is about lib\/sum\.js/],
  ['two files, of which one changed', done(['changed', 'sum.js and other.js']), /is about other\.js/],
  ['a fix of another file', done(['tested', 'all'], ['done', 'other.js fixed']), /Claim 2 .* other\.js/],
  ['a check of another sort', done(['checked', 'lint is clean']), /^checked$/],
  ['a check of another sort, in a word', done(['tested', 'all tests'], ['checked', 'lint']), /^checked$/],
  ['a deed of another type', done(['done', 'Deployed to production and pushed']), /^shipped shipped$/],
  ['a release by its command', done(['tested', 'all'], ['done', 'npm publish of 1.0.1']), /^shipped$/],
  ['a push by its command', done(['tested', 'all'], ['changed', 'git push']), /^shipped$/],
  ['a release by its word', done(['tested', 'all'], ['done', 'Publication of 1.0.1']), /^shipped$/],
  ['a place to deploy to', done(['tested', 'all'], ['checked', 'deployment to production']), /^shipped$/],
  ['a hook of that name', done(['tested', 'all'], ['done', 'git push hook']), /^pass$/],
  ['a workflow of that name', done(['tested', 'all'], ['done', 'publish to npm workflow']), /^pass$/],
  ['a test of no file', done(['tested', 'other/lib/sum.js']), /Claim 1 .* there is no such file/],
  ['more of one type', done(['shipped', 'Deployed to production and pushed']), /^shipped shipped$/],
])('B11b an object names %s', async (_, block, verdict) => {
  expect(await verdictOn(block)).toMatch(verdict);
});

it.each<[string, object, string]>([
  ['what is so', { ...partial, what_succeeded: 'All tests pass.' }, 'pass'],
  ['what is to be done', { ...partial, what_remains: 'Deploy to production', summary: 'Fixed sum' }, 'pass'],
  ['a release in the summary', { ...partial, summary: 'Deployed to production.' }, 'shipped'],
  ['one in what succeeded', { ...partial, what_succeeded: 'The release is published to npm.' }, 'shipped'],
  ['one in what remains', { ...partial, what_remains: 'Docs; everything is deployed.' }, 'shipped'],
  ['one in the summary of an end', { ...done(['tested', 'all']), summary: 'Pushed to main.' }, 'shipped'],
])('B11d a slot tells %s', async (_, block, verdict) => {
  expect(await verdictOn(block)).toBe(verdict);
});

it.each([
  ['nothing was run', [], 'pass'],
  ['the tests fail', [FAILED], 'done'],
])(
  'who says partial is not held to how far it is, unless a run says otherwise: %s',
  async (_, runs, verdict) => {
    expect(await verdictOn({ ...partial, summary: 'Fixed the sum.' }, runs)).toBe(verdict);
  },
);

it('what a slot discloses is disclosed', () => {
  const block = {
    ...partial,
    summary: 's',
    next_route_or_question: 'q',
    what_remains: 'I did not run the tests.',
  };
  const found = readClaims(`\`\`\`foil_final\n${JSON.stringify(block)}\n\`\`\``);
  expect(withFinal(found, policy).disclosures).toEqual(['I did not run the tests']);
  expect(withFinal(found, DEFAULT_POLICY)).toBe(found);
});
