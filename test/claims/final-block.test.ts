// The structured final block: its slots, and that prose is judged without it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFoilFinal } from '../../src/claims/final-form.ts';
import { readClaims } from '../../src/gate/read-claims.ts';

const claim = { claim_type: 'done', object: 'the crash in parser.ts', validator_id: 'test_pass' };
const done = { type: 'done', summary: 'fixed', claims: [claim] };
const partial = {
  type: 'partial',
  summary: 'half',
  what_succeeded: 'a',
  what_remains: 'b',
  next_route_or_question: 'c',
};

describe('B11a foil_final', () => {
  it.each([
    ['done', done],
    ['done, with empty slots', { ...done, what_remains: null, what_succeeded: ' ' }],
    ['done, with a word for nothing', { ...done, what_remains: 'Nothing.' }],
    ['done, with another', { ...done, what_remains: ' none ' }],
    ['done, with a dash', { ...done, what_remains: '–' }],
    ['partial without claims', partial],
    ['blocked', { type: 'blocked', summary: 's', next_route_or_question: 'ask the owner' }],
    ['delegation', { type: 'delegation', summary: 's', claims: [], next_route_or_question: 'the log?' }],
  ])('%s is read', (_title, value) => {
    const { final, problem } = parseFoilFinal(JSON.stringify(value));
    expect(problem).toBeNull();
    expect(final).toMatchObject({ type: value.type, summary: value.summary });
  });

  it('that does not fit into what is read of a message is called too large', () => {
    const value = JSON.stringify({ ...done, summary: 'x'.repeat(70_000) });
    const { final, finalProblem } = readClaims(`Done.\n\n\`\`\`foil_final\n${value}\n\`\`\`\n`);
    expect(final).toBeNull();
    expect(finalProblem).toBe(
      'the foil_final block is too large: all of it must stand in the last 64 KiB of the message',
    );
    expect(readClaims(`Done. ${'x'.repeat(70_000)}`).finalProblem).toBeNull();
  });

  it.each([
    ['not JSON', '{type: done}', 'not JSON'],
    ['a list', '[]', 'not a JSON object'],
    ['an unknown type', JSON.stringify({ ...done, type: 'finished' }), 'type must be one of'],
    ['no summary', JSON.stringify({ ...done, summary: ' ' }), 'summary'],
    ['a member twice', JSON.stringify(done).replace('{', '{"type":"partial",'), 'a member twice'],
    [
      'a member of a claim twice',
      JSON.stringify(done).replace('"object"', '"claim_type":"tested","object"'),
      'a member twice',
    ],
    ['an unknown member', JSON.stringify({ ...done, proof: 1 }), '"proof"'],
    [
      'an entry that is no number',
      JSON.stringify({ ...done, claims: [{ ...claim, ledger_entry_id: 'the run' }] }),
      'the number of an entry',
    ],
    [
      'a validator that is no text',
      JSON.stringify({ ...done, claims: [{ ...claim, validator_id: ['test_pass'] }] }),
      'validator_id must be',
    ],
    ['done without a claim', JSON.stringify({ ...done, claims: [] }), 'at least one claim'],
    ['done with work left', JSON.stringify({ ...done, what_remains: 'docs' }), 'what_remains'],
    [
      'partial without what succeeded',
      JSON.stringify({ ...partial, what_succeeded: null }),
      'what_succeeded',
    ],
    ['partial without what remains', JSON.stringify({ ...partial, what_remains: '' }), 'what_remains'],
    ['partial where nothing remains', JSON.stringify({ ...partial, what_remains: 'none' }), 'what_remains'],
    ['done with none but docs left', JSON.stringify({ ...done, what_remains: 'none but docs' }), 'partial'],
    ['partial without a route', JSON.stringify({ ...partial, next_route_or_question: null }), 'next_route'],
    ['blocked without a route', JSON.stringify({ type: 'blocked', summary: 's' }), 'next_route'],
    ['delegation without a question', JSON.stringify({ type: 'delegation', summary: 's' }), 'next_route'],
    ['a claim of no type', JSON.stringify({ ...done, claims: [{ object: 'x' }] }), 'claims[0].claim_type'],
    ['a claim of nothing', JSON.stringify({ ...done, claims: [{ claim_type: 'done' }] }), 'claims[0].object'],
    ['a slot that is a number', JSON.stringify({ ...partial, what_remains: 3 }), 'what_remains'],
  ])('%s is refused', (_title, text, problem) => {
    const read = parseFoilFinal(text);
    expect(read.final).toBeNull();
    expect(read.problem).toContain(problem);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => parseFoilFinal(text).problem !== undefined),
    );
  });

  it('B11d is stripped before prose is judged', () => {
    const block = `\`\`\`foil_final\n${JSON.stringify({ ...done, summary: 'All tests pass.' }, null, 2)}\n\`\`\``;
    const found = readClaims(`Added a guard.\n\n${block}\n\nIs that what you meant?`);
    expect(found.claims.map(({ type }) => type)).toEqual(['changed']);
    expect(found.final?.type).toBe('done');
    expect(found.finalProblem).toBeNull();
  });

  it('is no block where there is none, is unclosed, or comes twice', () => {
    const block = `\`\`\`foil_final\n${JSON.stringify(done)}\n\`\`\`\n`;
    expect(readClaims('Done.')).toMatchObject({ final: null, finalProblem: null });
    expect(readClaims(`\`\`\`json\n${JSON.stringify(done)}\n\`\`\``)).toMatchObject({
      final: null,
      finalProblem: null,
    });
    expect(readClaims(block.slice(0, -4)).finalProblem).toContain('not closed');
    expect(readClaims(block + block)).toMatchObject({
      final: null,
      finalProblem: expect.stringContaining('more than one'),
    });
  });
});
