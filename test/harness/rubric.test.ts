// C12: what a judge is asked, what counts as its answer, and what is too much to ask.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildPack, type RubricVerification } from '../../src/format/index.ts';
import { AttestError } from '../../src/harness/index.ts';
import { openRubricCase, parseVote, questionOf } from '../../src/harness/rubric.ts';
import { treeFiles } from './attest-jobs.ts';

const verification: RubricVerification = {
  method: 'rubric',
  rubric: 'verification/rubric.md',
  model: 'm',
  votes: 3,
  threshold: 70,
};

function opened(
  artifacts: Readonly<Record<string, string | Uint8Array>>,
  rubric: string | Uint8Array = 'Is it?',
) {
  const bytes = (given: string | Uint8Array): Uint8Array =>
    typeof given === 'string' ? new TextEncoder().encode(given) : given;
  const pack = buildPack({ id: 'h', templateVersion: 'none', outputs: ['**'], verification }, [
    ...treeFiles({ 'config/tool-policy.json': '{"arguments":[],"deny":[]}' }),
    { path: 'verification/rubric.md', bytes: bytes(rubric) },
  ]);
  const files = Object.entries(artifacts).map(([path, given]) => ({ path, bytes: bytes(given) }));
  return openRubricCase(pack, verification, files);
}

function refused(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof AttestError) return error.code;
    throw error;
  }
  return 'taken';
}

describe('C12 a vote', () => {
  it.each<[string, number]>([
    ['{"reason":"good","score":0}', 0],
    ['{"score":100,"reason":""}', 100],
    [' \n{"reason": "x", "score": 85}\n', 85],
  ])('is %j', (text, score) => {
    expect(parseVote(text)).toBe(score);
  });

  it.each([
    '',
    '85',
    '"85"',
    '[{"reason":"","score":85}]',
    '{"score":85}',
    '{"reason":"","score":"85"}',
    '{"reason":"","score":85.5}',
    '{"reason":"","score":101}',
    '{"reason":"","score":-1}',
    '{"reason":"","score":-0}',
    '{"reason":"","score":1e400}',
    '{"reason":"","score":null}',
    '{"reason":5,"score":85}',
    '{"reason":"","score":85,"more":1}',
    '{"reason":"","score":10,"score":100}',
    '{"reason":"","score":85} and more',
    '```json\n{"reason":"","score":85}\n```',
    '{"reason":"","score":85}{"reason":"","score":85}',
    `{"reason":"${'x'.repeat(8192)}","score":85}`,
  ])('is not %j', (text) => {
    expect(parseVote(text)).toBeNull();
  });

  it('is null or a whole number, whatever a model says', () => {
    const answers = fc.oneof(
      fc.string(),
      fc.json(),
      fc.jsonValue().map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(answers, (text) => {
        const vote = parseVote(text);
        expect(vote === null || (Number.isInteger(vote) && vote >= 0 && vote <= 100)).toBe(true);
      }),
    );
  });
});

describe('C12 what is asked', () => {
  it('has the artifacts on one line, whatever is in them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.uuid(), (text, boundary) => {
        const work = { ...opened({}), artifacts: [{ path: 'a', text }] };
        const lines = questionOf(work, boundary).user.split('\n');
        expect([lines.length, lines[0], lines[2]]).toEqual([3, boundary, boundary]);
        expect(JSON.parse(lines[1] ?? '')).toEqual({ artifacts: [{ path: 'a', text: text.toWellFormed() }] });
      }),
    );
  });

  it('TOO_MUCH_TO_JUDGE: is all of it or nothing', () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 'x']));
    expect(opened(many(200)).artifacts).toHaveLength(200);
    expect(refused(() => opened(many(201)))).toBe('TOO_MUCH_TO_JUDGE');
    expect(refused(() => opened({ a: 'x'.repeat(262_144) }))).toBe('taken');
    expect(refused(() => opened({ a: 'x'.repeat(262_144), b: 'x' }))).toBe('TOO_MUCH_TO_JUDGE');
    expect(refused(() => opened({}, 'x'.repeat(65_537)))).toBe('TOO_MUCH_TO_JUDGE');
  });

  it.each<[string, Uint8Array]>([
    ['bytes that are no UTF-8', Uint8Array.of(0x61, 0xff)],
    ['half a character', Uint8Array.of(0xe2, 0x82)],
    ['a NUL', Uint8Array.of(0x61, 0)],
    ['an escape', Uint8Array.of(0x1b, 0x5b)],
  ])('NOT_TEXT: is never %s', (_, bytes) => {
    expect(refused(() => opened({ a: bytes }))).toBe('NOT_TEXT');
    expect(refused(() => opened({}, bytes))).toBe('NOT_TEXT');
  });
});
