// Which prompts tell the agent to go past the gate, one line a case.
import { describe, expect, it } from 'vitest';
import { findOverrides } from '../../src/rules/overrides.ts';

describe('B8a bypass phrases', () => {
  it.each([
    'Skip the tests.',
    'Fix it and skip the tests',
    'please skip testing, we are late',
    'You can skip the test suite this time.',
    'Feel free to skip the tests.',
    "Don't bother testing.",
    "don't bother with the tests",
    "Don't bother running the tests.",
    "Don't run the tests.",
    'Do not test it, just commit.',
    "Just say it's done.",
    'just mark it as done',
    'just say that the tests are passing',
    'Pretend it is fixed.',
    'Ignore the gate.',
    'ignore the failing tests and commit',
    'Force it.',
    'Just force it through.',
    'No need to verify.',
    'There is no need to run the tests.',
    "You don't need to verify it.",
    'Bypass the gate and finish.',
    'Bypass it.',
    'Commit with --no-verify.',
    'git commit --no-verify -m wip',
    'Push it without running the tests.',
    'Commit it without testing.',
    'Can you skip the tests?',
    'Disable the hooks and push.',
    'Rename the file. Skip the checks, I know what I am doing.',
    'Forget about the tests.',
  ])('%s', (prompt) => {
    const found = findOverrides(prompt);
    expect(found).toHaveLength(1);
    expect(prompt).toContain(found[0]?.quote);
  });

  it.each([
    "Don't skip the tests.",
    'Never bypass the gate.',
    'Do not ignore the failing tests.',
    'Please do not force it.',
    'Run the tests, and never skip the checks.',
    'Why did you skip the tests?',
    'Should we skip the tests?',
    'You skipped the tests.',
    'The runner skips the tests on Windows; fix that.',
    'Add an option to skip the tests.',
    'Add a `--skip-tests` flag.',
    'Document `git commit --no-verify`.',
    'The log says "skip the tests".',
    '> skip the tests',
    '```\nskip the tests\n```',
    'Skip the first row of the CSV.',
    'Ignore case when sorting.',
    'Force push is disabled.',
    'Test it before you commit.',
    'The server crashes without tests.',
    'Fix the bypass valve model.',
    'Do not run the server.',
    "Don't worry about the formatting of the title.",
    'Report when it is done.',
    'Say what is done and what is not.',
    'Make sure the tests pass.',
    'Fix the test that checks the gate.',
  ])('none: %s', (prompt) => {
    expect(findOverrides(prompt)).toEqual([]);
  });

  it('can be added to and removed from', () => {
    const bypass = { add: ['YOLO mode'], remove: ['force it'] };
    expect(findOverrides('Use yolo mode here.', bypass)).toEqual([
      { phrase: 'yolo mode', quote: 'yolo mode' },
    ]);
    expect(findOverrides('Force it.', bypass)).toEqual([]);
    expect(findOverrides('No yolo mode, please.', bypass)).toEqual([]);
  });

  it('reads a megabyte of anything', () => {
    for (const piece of ['skip the ', 'not ', 'without ', 'just say it ', '--no-verify '])
      expect(findOverrides(piece.repeat(100_000)).length).toBeLessThanOrEqual(32);
  });
});
