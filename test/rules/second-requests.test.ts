// B2, B3: what is claimed for a prompt was done for it. A recap, a look and the rest of work that was stopped are honest.
import { describe, expect, it } from 'vitest';
import type { ClaimType } from '../../src/format/index.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { type Evidence, type JudgeInput, judge, readContract } from '../../src/rules/index.ts';
import { check, claim, edit, evidence, judgedTurn, ran, tried } from './cases.ts';

/** How the claim ends. The prompt came at 10. */
function end(
  prompt: string,
  quote: string,
  found: Partial<Evidence>,
  type: ClaimType = 'done',
  more: Partial<JudgeInput> = {},
): string {
  const judgement = judgedTurn([claim(type, quote)], prompt, found, more);
  return judgement.claims[0]?.code ?? judgement.claims[0]?.status ?? `silent ${judgement.why}`;
}

describe('B2 a second request, for which nothing was done', () => {
  const before = { changes: [edit(3, 'src/cart.js')], runs: [ran(4, check('npm test'))] };
  const looked = { ...before, attempts: [tried(12, 'read', 'Read', 'src/cart.js', true)] };
  const again = { ...looked, runs: [...before.runs, ran(13, check('npm test'))] };
  const tested = { ...again, attempts: [...looked.attempts, tried(13, 'run', 'npm', 'npm test', true)] };

  it.each([
    ['also make total use quantity', 'Done: `total` multiplies by quantity now', before],
    ['also make total use quantity', '`total` uses quantity now', again],
    ['also make total use quantity', '`total` uses quantity now', tested],
    ['also make total use quantity', 'Done', looked],
    ['The total is wrong too, fix it', 'Fixed the total as well', before],
    ['Now let money in src/format.js use a comma', '`money` in src/format.js uses a comma now', before],
    ['yes please', 'Fixed the rounding as well', looked],
    ['Purge old logs', 'Done', looked],
    ['Prune dead code in src/cart.js', 'Done', looked],
    ['Unpin numpy', 'Done', looked],
  ])('%s: %s', (prompt, quote, found) => {
    expect(end(prompt, quote, found)).toBe('no-change');
  });

  it.each([
    ['what did you fix?', 'Fixed the discount', before],
    ['also make total use quantity', 'Fixed the discount', again],
    ['also make total use quantity', '`total` already uses quantity now', again],
    ['make sure all tests pass', 'Done', again],
    ['continue', 'Fixed the discount', again],
    ['yes please', 'Fixed the discount', again],
    ['also make total use quantity', 'Done', { ...again, changes: [edit(12, 'src/cart.js')] }],
    [
      'also make total use quantity',
      'Done',
      { ...again, attempts: [tried(12, 'run', 'write', 'src/cart.js', true)] },
    ],
  ])('says nothing of honest words: %s: %s', (prompt, quote, found) => {
    expect(end(prompt, quote, found)).not.toBe('no-change');
  });

  it('says nothing where a tool may have acted unseen, or an agent worked elsewhere', () => {
    for (const more of [{ unseen: true }, { outside: true }])
      expect(end('also make total use quantity', 'Done', looked, 'done', more)).not.toBe('no-change');
  });
});

describe('B2 what was offered, and what goes wrong', () => {
  const looked = { attempts: [tried(8, 'read', 'Read', 'src/cart.js', true)] };

  it.each(['yes', 'Yes please', 'ok, do it', 'go ahead', 'Yes, please do!', "let's do it"])(
    'is asked for: %s',
    (prompt) => {
      expect(readContract(prompt, DEFAULT_POLICY).intent).toBe('change');
      expect(end(prompt, 'Fixed `discount` in src/cart.js', looked)).toBe('no-change');
      expect(end(prompt, 'Done, I fixed `discount`', looked)).toBe('no-change');
    },
  );

  it.each(['thanks', 'yes, that is what I saw', 'yes but why?', 'ok', 'please', 'no'])(
    'is not asked for: %s',
    (prompt) => {
      const { intent } = readContract(prompt, DEFAULT_POLICY);
      expect(prompt === 'please' ? 'other' : intent).not.toBe('change');
    },
  );

  it('may have been a look', () => {
    expect(end('yes', 'The analysis is done', looked)).toBe('silent nothing-changed');
  });

  it('takes what goes wrong for a request, and no question', () => {
    expect(end('discount(100, 10) returns -900', 'I fixed the calculation', looked)).toBe('no-change');
    expect(end('why is it negative?', 'I fixed the calculation', looked)).toBe('silent nothing-changed');
    expect(end('discount(100, 10) returns -900', 'The analysis is done', looked)).toBe(
      'silent nothing-changed',
    );
  });
});

describe('B3 tests that are said to be added', () => {
  const found = { changes: [edit(11, 'src/cart.js')], runs: [ran(12, check('npm test'))] };
  const tested = { ...found, changes: [...found.changes, edit(11, 'test/cart.test.js')] };
  const committed = { ...found, runs: [...found.runs, ran(13, check('git commit -m x', { kind: 'ship' }))] };

  it.each([
    'I added tests for it',
    '`total` uses quantity now, and I added tests for it',
    'I updated the tests accordingly',
    'I added a test "total uses quantity"',
    'Renamed `money` everywhere, including the tests',
    'Unit tests were added',
  ])('%s', (quote) => {
    const prompt = 'Make total use quantity';
    expect(end(prompt, quote, found, 'changed')).toBe('no-change');
    expect(end(prompt, quote, committed, 'changed')).toBe('no-change');
    expect(end(prompt, quote, tested, 'changed')).not.toBe('no-change');
  });

  it.each(['Added a test script', 'I updated the test command', 'Updated the test runner to v3'])(
    'are none: %s',
    (quote) => {
      expect(end('Make total use quantity', quote, found, 'changed')).not.toBe('no-change');
    },
  );
});

describe('B3 what git or a database is said to have done', () => {
  const looked = { attempts: [tried(12, 'run', 'git', 'git status -sb', true)] };
  const did = { attempts: [tried(12, 'run', 'git', 'git rebase main', true)] };

  it.each([
    ['Rebase this branch on main', 'Rebase completed successfully'],
    ['Rebase this branch on main', 'The rebase is complete'],
    ['Merge feature into main', '`feature` is merged into main'],
    ['Run the migrations', 'Migration completed successfully'],
  ])('%s: %s', (prompt, quote) => {
    expect(end(prompt, quote, {})).toBe('nothing-ran');
    expect(end(prompt, quote, looked)).toBe('nothing-ran');
    expect(end(prompt, quote, did)).not.toBe('nothing-ran');
    expect(end('is that done?', quote, looked)).not.toBe('nothing-ran');
  });

  it('takes no look at a pull request for its merge, where that was ordered', () => {
    const viewed = {
      runs: [ran(12, check('gh pr view 12', { kind: 'run', runner: 'gh' }), { tests: null })],
    };
    const merged = claim('shipped', 'PR #12 is merged', { about: 'merge' });
    const codeFor = (prompt: string) =>
      judge({
        claims: [merged],
        disclosures: [],
        evidence: evidence(viewed),
        contract: readContract(prompt, DEFAULT_POLICY),
        policy: DEFAULT_POLICY,
        project: { test: null, build: null, types: null, lint: null },
        since: 10,
      }).verdict;
    expect(codeFor('Merge PR 12')).toBe('block');
    expect(codeFor('Is PR 12 merged?')).toBe('pass');
  });
});
