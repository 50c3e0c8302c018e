// Skimming must agree with parsing, wherever the bytes were split, and must not be led astray by what only looks like JSON.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonSkim } from '../../../src/capture/mcp/json-skim.ts';
import { frameOf, frameOfValue, idKey, type Message } from '../../../src/capture/mcp/message.ts';
import type { Json } from '../../../src/core/index.ts';

function skimmed(bytes: Uint8Array, cuts: readonly number[] = []): { skim: JsonSkim; closed: number } {
  const skim = new JsonSkim();
  let closed = -1;
  let from = 0;
  for (const cut of [...cuts.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    const at = skim.feed(bytes.subarray(from, cut));
    if (at >= 0) closed = from + at;
    from = cut;
  }
  skim.end();
  return { skim, closed };
}

const plain = ({ type, id, method, failed, scalars }: Message): unknown => ({
  type,
  id,
  method,
  failed,
  scalars: Object.fromEntries([...scalars].map(([path, token]) => [path, JSON.parse(token)])),
});

const id = fc.oneof(fc.integer(), fc.string({ maxLength: 20, unit: 'binary' }), fc.constant(null));
const text = fc.string({ unit: 'binary', maxLength: 30 });
const any = fc.jsonValue({ maxDepth: 5 });
const message = fc.oneof(
  fc.record(
    {
      jsonrpc: fc.constant('2.0'),
      id,
      method: fc.constantFrom('tools/call', 'ping', 'é"\\'),
      params: fc.oneof(
        any,
        fc.record({
          name: text,
          arguments: any,
          _meta: fc.record({ 'claudecode/toolUseId': text, progressToken: id, nested: any }),
          uri: text,
        }),
      ),
    },
    { requiredKeys: ['method'] },
  ),
  fc.record({ result: fc.oneof(any, fc.record({ isError: fc.boolean(), content: any })), id }),
  fc.record({ id, error: fc.record({ code: fc.integer(), message: text, data: any }) }),
);

describe('skimming JSON', () => {
  it('K9a sees in the bytes of a message what a parser sees in it, split at any byte', () => {
    fc.assert(
      fc.property(
        fc.oneof(message, fc.array(message, { minLength: 1, maxLength: 4 })),
        fc.array(fc.nat(2000), { maxLength: 12 }),
        fc.constantFrom(undefined, 1, '\t'),
        (value, cuts, indent) => {
          const bytes = new TextEncoder().encode(`${JSON.stringify(value, null, indent)}\n`);
          const { skim, closed } = skimmed(bytes, cuts);
          const frame = frameOf(skim);
          const parsed = frameOfValue(JSON.parse(JSON.stringify(value)) as Json);
          expect(frame.problem).toBe(parsed.problem);
          expect(frame.batch).toBe(parsed.batch);
          expect(frame.messages.map(plain)).toEqual(parsed.messages.map(plain));
          expect(closed).toBe(bytes.length - 2);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('takes for JSON what JSON.parse does, words aside', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\ 1a') }), (given) => {
        const { skim } = skimmed(new TextEncoder().encode(given));
        let valid = true;
        try {
          JSON.parse(given);
        } catch {
          valid = false;
        }
        if (valid) expect(skim.problem).toBeNull();
        // It does not look into words and escapes that nobody needs.
        else if (!/[1a\\]/.test(given)) expect(skim.problem).toBe('not-json');
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['{"id":1,"method":"ping","method":"tools/call"}', 'ambiguous'],
    ['{"id":1,"METHOD":"tools/call"}', 'ambiguous'],
    ['{"id":1,"method":"ping","Method":"tools/call"}', 'ambiguous'],
    ['{"id":1,"m\\u0065thod":"ping","method":"tools/call"}', 'ambiguous'],
    ['{"id":1,"id":2,"method":"ping"}', 'ambiguous'],
    ['{"id":1,"method":"tools/call","params":{"name":"a","name":"b"}}', 'ambiguous'],
    ['{"id":1,"method":"tools/c\ufffdall","params":{"name":"a"}}', 'ambiguous'],
    ['{"id":1,"method":"tools/call","params":{"name":"a\ufffd"}}', 'ambiguous'],
    ['{"id":1,"method":"tools/call","params":{"name":"a","na\ufffdme":"b"}}', 'ambiguous'],
    ['{"id":1,"method":"ping","result":{}}', 'not-message'],
    ['{"id":1}', 'not-message'],
    ['[]', 'not-message'],
    ['[1]', 'not-message'],
    ['[{"id":1,"method":"ping"},"tools/call"]', 'not-message'],
    ['"tools/call"', 'not-message'],
    ['12', 'not-message'],
    ['\ufeff{"id":1,"method":"ping"}', 'not-json'],
    ['{"id":1,"method":"ping"}{"id":2,"method":"tools/call"}', 'not-json'],
    ["{'id':1}", 'not-json'],
    ['{"id":1,"method":"ping",}', 'not-json'],
    ['{"id":1,"method":"ping"', 'not-json'],
    ['{"id":01,"method":"ping"}', 'not-json'],
    ['server listening', 'not-json'],
    [`${'['.repeat(2000)}`, 'too-deep'],
    [`[${'{"method":"a"},'.repeat(2000)}{}]`, 'too-many'],
  ])('does not claim to know what %s is', (given, problem) => {
    expect(frameOf(skimmed(new TextEncoder().encode(given)).skim).problem).toBe(problem);
  });

  it.each([
    ['names', `{${'"a":1,'.repeat(150_000)}"b":1}`],
    ['names of a message', `{${'"method":"x",'.repeat(80_000)}"b":1}`],
    ['backslashes', `{"a":"${'\\\\'.repeat(2_000_000)}"}`],
    ['quotes that are escaped', `{"a":"${'\\"'.repeat(2_000_000)}"}`],
    ['members', `{"params":{"_meta":{${'"x":{"y":1},'.repeat(80_000)}"z":1}}}`],
    ['a number', `{"id":${'1'.repeat(4_000_000)}}`],
  ])('K9e takes time that grows with the length alone: megabytes of %s', (_, given) => {
    const bytes = Buffer.from(given);
    for (const cuts of [[], Array.from({ length: 2000 }, (__, i) => i * 2003)])
      expect(skimmed(bytes, cuts).skim.problem).toBeNull();
  });

  it('keeps nothing of a long token', () => {
    const long = 'x'.repeat(100_000);
    const given = JSON.stringify({ id: long, method: 'tools/call', params: { name: long } });
    const [found] = frameOf(skimmed(new TextEncoder().encode(given)).skim).messages;
    expect(found).toMatchObject({ type: 'notification', id: null, method: 'tools/call' });
    expect([...(found?.scalars.keys() ?? [])]).toEqual(['method']);
  });

  it('K9b tells ids apart by type, and large numbers by their digits', () => {
    expect(idKey('1')).not.toBe(idKey('"1"'));
    expect(idKey('1.0')).toBe(idKey('1'));
    expect(idKey('9007199254740993')).not.toBe(idKey('9007199254740992'));
  });
});
