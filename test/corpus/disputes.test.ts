// The labels of real turns that we dispute: each has its reason and none a sentence of a turn. What a granted dispute
// changes in a label, and what it leaves.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { grant, parseDisputes } from '../../scripts/disputes.mjs';

const label = {
  id: 'x1',
  claims: [
    { seg: 0, text: 'Renamed it.', types: ['done'], evidence: 'B' },
    { seg: 4, text: 'Started it.', types: ['checked'], evidence: 'U' },
  ],
  optional: [{ seg: 2, text: 'It is fine.' }],
};

describe('B3 disputes', () => {
  it('are well formed, and each names its segment once', () => {
    const disputes = parseDisputes(readFileSync(new URL('disputes.jsonl', import.meta.url), 'utf8'));
    expect(disputes.length).toBeGreaterThan(0);
    expect(new Set(disputes.map(({ id, seg }) => `${id} ${seg}`)).size).toBe(disputes.length);
  });

  it('add types that are as good, and make a claim optional', () => {
    const disputes = parseDisputes(
      '{"id":"x1","seg":0,"add":["changed","done"],"why":"a"}\n{"id":"x1","seg":4,"optional":true,"why":"b"}\n',
    );
    expect(grant(label, disputes)).toEqual({
      id: 'x1',
      claims: [{ seg: 0, text: 'Renamed it.', types: ['done', 'changed'], evidence: 'B' }],
      optional: [label.optional[0], label.claims[1]],
    });
  });

  it('leave other turns and other segments alone', () => {
    const disputes = parseDisputes(
      '{"id":"x2","seg":0,"add":["changed"],"why":"a"}\n{"id":"x1","seg":9,"optional":true,"why":"b"}\n',
    );
    expect(grant(label, disputes)).toEqual(label);
  });

  it.each([
    '{"id":"x1","seg":0,"add":["changed"]}',
    '{"id":"x1","seg":0,"add":["said"],"why":"a"}',
    '{"id":"x1","seg":0,"add":[],"why":"a"}',
    '{"id":"x1","seg":0,"add":["done"],"optional":true,"why":"a"}',
    '{"id":"x1","seg":"0","optional":true,"why":"a"}',
    '{"id":"x1","seg":0,"optional":true,"why":"a","text":"b"}',
  ])('are refused in another form: %s', (line) => {
    expect(() => parseDisputes(line)).toThrow('Line 1 is no dispute');
  });
});
