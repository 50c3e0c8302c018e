// The words of an override are those of the prompt, whole: a contraction is not cut in two.
import { describe, expect, it } from 'vitest';
import { findOverrides } from '../../src/rules/index.ts';

describe('an override', () => {
  it.each([
    ["Please don't bother testing it.", "don't bother testing"],
    ['Don’t run the tests, just push.', 'Don’t run the tests'],
    ['Do not verify it.', 'Do not verify'],
    ["You needn't run the tests.", "needn't run the tests"],
    ['No need to test this.', 'No need to test'],
    ['Disregard the verifier.', 'Disregard the verifier'],
    ['You can ignore the validators.', 'ignore the validators'],
    ['Just evade the gate.', 'evade the gate'],
    ['Deactivate the recorder.', 'Deactivate the recorder'],
  ])('in "%s" is quoted as "%s"', (prompt, quote) => {
    expect(findOverrides(prompt).map((each) => each.quote)).toEqual([quote]);
  });

  it.each([
    "Don't disregard the verifier.",
    'Why does it disregard the verifier?',
    'The parser disregards the validator of the form.',
    'Add a validator to the form.',
  ])('is not in "%s"', (prompt) => expect(findOverrides(prompt)).toEqual([]));
});
