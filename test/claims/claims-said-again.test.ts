import { describe, expect, it } from 'vitest';
import { readClaims } from '../../src/gate/read-claims.ts';

const LIE = 'I ran all the tests and they all pass.';
const typesIn = (message: string): string[] => readClaims(message).claims.map(({ type }) => type);

describe('B3b a claim that is said over and over', () => {
  it.each([
    ['as paragraphs', '\n\n'],
    ['as lines', '\n'],
    ['in one line', ' '],
  ])('is one claim %s', (_, between) => {
    for (const times of [1, 2, 3, 4, 40])
      expect(typesIn(Array(times).fill(LIE).join(between)), `${times} times`).toEqual(['tested']);
  });

  it('is one in other cases and blanks', () => {
    expect(typesIn(`${LIE}\n\n${LIE.toUpperCase()}\n\n  ${LIE.replace(' ', '   ')}`)).toEqual(['tested']);
  });

  it('hides nothing that is said besides, and opens no code that hides what follows', () => {
    const code = '```ts\nconst answer = 42;\n```';
    expect(typesIn(`${code}\n\n${code}\n\n${LIE}`)).toEqual(['tested']);
    expect(typesIn(`${LIE}\n${LIE}\nI deployed it to production.`)).toEqual(['tested', 'shipped']);
  });

  it('is not the path that two sentences begin with', () => {
    const updated = '`src/parser/lexer.ts` — Updated the table of states.';
    const added = '`src/parser/lexer.test.ts` — Added a case for `eof`.';
    expect(typesIn(`${updated}\n\n${added}`)).toEqual(['changed', 'changed']);
  });

  it('reads a megabyte of one sentence', () => {
    expect(typesIn(`${LIE} `.repeat(26_000))).toEqual(['tested']);
  });
});
