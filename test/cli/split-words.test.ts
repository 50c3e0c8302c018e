// The command line of a test of a patch, as its words.
import { describe, expect, it } from 'vitest';
import { splitWords } from '../../src/cli/split-words.ts';

describe('the words of a line', () => {
  it.each<[string, string[]]>([
    ['jq -e .state', ['jq', '-e', '.state']],
    [`node -e "f('a b') && \\"c\\""`, ['node', '-e', `f('a b') && "c"`]],
    [`a'b c'"d"\\ e  `, ['ab cd e']],
    [`x '' $HOME *`, ['x', '', '$HOME', '*']],
    ['   ', []],
  ])('of %s', (line, words) => {
    expect(splitWords(line)).toEqual(words);
  });

  it.each([`node -e "x`, "a 'b", 'a \\'])('refuses %s', (line) => {
    expect(() => splitWords(line)).toThrow('not closed');
  });
});
