// Which file is meant: another one of the same name backs nothing, and neither does one of which no difference is left.
import { describe, expect, it } from 'vitest';
import { isFileOf } from '../../src/ecosystems/path-match.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { askByNames, type Evidence } from '../../src/rules/index.ts';
import { ask, check, claim, edit, evidence, judged, ran, said } from './cases.ts';

const ROOT = '/work/app';

describe('the file of a name', () => {
  it.each([
    ['lib/sum.js', 'lib/sum.js', true],
    ['sum.js', 'lib/sum.js', true],
    ['lib/sum.js', 'sum.js', false],
    ['other/lib/sum.js', 'lib/sum.js', false],
    ['app/lib/sum.js', 'lib/sum.js', true],
    ['/work/app/lib/sum.js', 'lib/sum.js', true],
    ['/etc/sum.js', 'sum.js', false],
    ['/etc/sum.js', '/etc/sum.js', true],
    ['my-sum.js', 'lib/sum.js', false],
  ])('%s is %s: %j', (name, path, wanted) => {
    expect(isFileOf(name, path, ROOT)).toBe(wanted);
  });
});

const CHANGED = claim('changed', 'Renamed the constant.');

describe('B4c a path that is given to a validator', () => {
  it.each([
    ['lib/sum.js', 'lib/sum.js', 'lib/sum.js', 'pass'],
    ['lib/sum.js', 'sum.js', 'lib/sum.js', 'fail no-change'],
    ['sum.js', 'lib/sum.js', 'sum.js', 'fail no-change'],
    ['sum.js', 'lib/sum.js', 'lib/sum.js', 'pass'],
    ['lib/sum.js', 'lib/sum.js', '/work/app/lib/sum.js', 'pass'],
    ['lib/sum.js', 'lib/sum.js', '/etc/lib/sum.js', 'refused not-bound'],
    ['lib/sum.js', 'lib/sum.js', 'other/lib/sum.js', 'fail no-change'],
  ])('of a prompt with %s, where %s changed: %s', (named, changed, path, wanted) => {
    const found = { root: ROOT, changes: [edit(1, changed)] };
    const prompt = `Rename the constant in \`${named}\``;
    expect(said(ask('file_diff_present', CHANGED, prompt, found, { path }))).toBe(wanted);
  });

  it('lies in the workspace, for test_pass too', () => {
    const found = { root: ROOT, changes: [edit(1, 'lib/sum.js')], runs: [ran(2, check('npm test'))] };
    const asked = (target: string) =>
      said(ask('test_pass', claim('tested', 'Tests pass.'), 'Fix `lib/sum.js`', found, { target }));
    expect(asked('lib/sum.js')).toBe('pass');
    expect(asked('/etc/lib/sum.js')).toBe('refused not-bound');
  });

  it.each([
    [1, 'pass'],
    [2, 'fail no-change'],
  ])('is judged again as version %i did', (version, wanted) => {
    const question = { validator: 'file_diff_present', args: { path: 'sum.js' }, version } as const;
    const on = { contract: null, policy: DEFAULT_POLICY };
    const found = evidence({ root: ROOT, changes: [edit(1, 'lib/sum.js'), edit(1, 'x/sum.js')] });
    const outcome = askByNames(question, { ...CHANGED, names: [] }, { ...on, evidence: found });
    expect(said(outcome).replace('refused not-bound', 'fail no-change')).toBe(wanted);
  });
});

describe('B7 a policy by which nothing but the change settles "done"', () => {
  it.each([
    [2, 'fail change-only'],
    [3, 'pass'],
  ])('is obeyed from version 3 on: %i', (version, wanted) => {
    const done = { ...DEFAULT_POLICY.claims.done, validators: ['file_diff_present'] as const };
    const policy = { ...DEFAULT_POLICY, claims: { ...DEFAULT_POLICY.claims, done } };
    const found = evidence({ root: ROOT, changes: [edit(1, 'lib/sum.js')] });
    const outcome = askByNames(
      { validator: 'file_diff_present', args: {}, version },
      { ...claim('done', 'Fixed.'), names: [] },
      { contract: null, policy, evidence: found },
    );
    expect(said(outcome)).toBe(wanted);
  });
});

describe('B3c what a message says of a file', () => {
  const end = (prompt: string, quote: string, found: Partial<Evidence>): string => {
    const { claims, verdict } = judged([claim('changed', quote)], prompt, { root: ROOT, ...found });
    return `${verdict} ${claims[0]?.code ?? ''}`.trim();
  };
  const PROMPT = 'Rename the constant in `lib/sum.js`';
  const SAID = 'Renamed the constant in `lib/sum.js`.';

  it.each<[string, string, string, Partial<Evidence>, string]>([
    ['that file', PROMPT, SAID, { changes: [edit(1, 'lib/sum.js')] }, 'pass'],
    ['one of the same name', PROMPT, SAID, { changes: [edit(1, 'sum.js')] }, 'block no-change'],
    ['a short name', PROMPT, 'Updated `sum.js`.', { changes: [edit(1, 'lib/sum.js')] }, 'pass'],
    [
      'a short name that another file has',
      PROMPT,
      'Updated `sum.js`.',
      { changes: [edit(1, 'lib/sum.js')], isThere: (path) => path === 'sum.js' },
      'block no-change',
    ],
    [
      'no difference left',
      PROMPT,
      SAID,
      { changes: [edit(1, 'lib/sum.js')], undone: ['lib/sum.js'] },
      'block no-change',
    ],
    [
      'no difference left, of no name',
      PROMPT,
      'Renamed the constant.',
      { changes: [edit(1, 'lib/sum.js')], undone: ['lib/sum.js'] },
      'block no-change',
    ],
    [
      'what was put back',
      'Undo it',
      'Reverted `lib/sum.js`.',
      { changes: [edit(1, 'lib/sum.js')], undone: ['lib/sum.js'] },
      'pass',
    ],
  ])('%s', (_, prompt, quote, found, wanted) => {
    expect(end(prompt, quote, found)).toBe(wanted);
  });

  it('is no proof once it was put back', () => {
    const found = { root: ROOT, changes: [edit(1, 'lib/sum.js')], undone: ['lib/sum.js'] };
    expect(said(ask('file_diff_present', CHANGED, PROMPT, found, { path: 'lib/sum.js' }))).toBe(
      'fail no-change',
    );
  });
});
