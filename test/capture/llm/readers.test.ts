// The readers of model APIs: what they make of honest streams, cut anywhere, and that nothing a stranger sends makes them
// throw.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerWatch, type Api, findApi, type Hold } from '../../../src/capture/llm/index.ts';
import { SseSplitter } from '../../../src/capture/llm/sse.ts';
import type { Json } from '../../../src/core/index.ts';
import { sse } from '../../service/gateway/stage.ts';

const APIS: readonly Api[] = [
  '/v1/messages',
  '/v1/chat/completions',
  '/v1/responses',
  '/v1beta/models/m:streamGenerateContent',
  '/v1/embeddings',
].map((path) => findApi('POST', path));

it('an API is known by its path, under any prefix, and only where something is asked', () => {
  expect(APIS.map(({ name }) => name)).toEqual([
    'anthropic.messages',
    'openai.chat',
    'openai.responses',
    'gemini.generate',
    'other',
  ]);
  expect(findApi('POST', '/base/v1/chat/completions').name).toBe('openai.chat');
  expect(findApi('POST', '/v1/messages/count_tokens').name).toBe('other');
  expect(findApi('GET', '/v1/responses').name).toBe('other');
});

/** Members that the readers look for, with anything in them. */
const words = [
  ...[
    'type',
    'message',
    'content',
    'content_block',
    'delta',
    'index',
    'usage',
    'error',
    'choices',
    'tool_calls',
  ],
  ...[
    'function',
    'arguments',
    'response',
    'output',
    'item',
    'output_index',
    'candidates',
    'parts',
    'functionCall',
  ],
];
const texts = fc.constantFrom(
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'tool_use',
  '[DONE]',
  '{',
);
const hostile: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.integer({ min: -1, max: 3 }),
    fc.boolean(),
    texts,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...words), tie('json'), { maxKeys: 5 }) as fc.Arbitrary<Json>,
  ),
})).json;

describe.each(APIS.map((api) => [api.name, api] as const))('%s', (_, api) => {
  it('never throws, whatever it is sent', () => {
    fc.assert(
      fc.property(hostile, fc.array(hostile, { maxLength: 8 }), (body, events) => {
        api.request(body, '/x');
        api.answer(body);
        const stream = api.stream();
        for (const event of events) stream.event('', event, JSON.stringify(event));
        stream.stop();
        for (const event of events) stream.event('message_stop', event, '');
        stream.done();
      }),
      { numRuns: 400 },
    );
  });
});

/** What a watch says of an answer that comes in these pieces. */
function watched(api: Api, form: 'events' | 'elements', bytes: Buffer, cuts: readonly number[]) {
  const watch = new AnswerWatch(api, form);
  const holds: Hold[] = [];
  const places = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b);
  let from = 0;
  for (const to of [...places, bytes.length]) {
    for (const hold of watch.push(bytes.subarray(from, to))) holds.push({ ...hold, at: from + hold.at });
    from = to;
  }
  const { answer, understood, toolUses } = watch.done(true);
  return {
    uses: holds.flatMap((hold) => hold.toolUses),
    places: holds.map(({ at }) => at),
    ends: holds.filter(({ ends }) => ends).length,
    answer,
    understood,
    left: toolUses,
  };
}

const call = (index: number, more: object) => ({
  choices: [{ index: 0, delta: { tool_calls: [{ index, ...more }] } }],
});
const CHAT = sse(
  [null, call(0, { id: 'a', function: { name: 'one', arguments: '{"x"' } })],
  [null, call(0, { function: { arguments: ':"é"}' } })],
  [null, call(1, { id: 'b', function: { name: 'two', arguments: '' } })],
  [null, { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }],
  [null, '[DONE]'],
);
const part = (parts: unknown[], more = {}) => ({
  candidates: [{ content: { role: 'model', parts }, ...more }],
});
const GEMINI = [
  part([{ text: 'Hé' }]),
  part([{ text: 'llo "]}' }, { functionCall: { name: 'add', args: { a: [1] } } }], { finishReason: 'STOP' }),
];

describe('a stream, cut anywhere', () => {
  const cuts = fc.array(fc.nat(), { maxLength: 30 });

  it.each([
    ['line feeds', CHAT],
    ['carriage returns and line feeds', CHAT.replaceAll('\n', '\r\n')],
    ['carriage returns alone', CHAT.replaceAll('\n', '\r')],
    ['a byte order mark, comments and ids', `\ufeff: hi\nid: 7\nretry: 9\n\n${CHAT}`],
  ])('of chat chunks with %s: each call is complete where the next begins, or with the finish', (_, text) => {
    const bytes = Buffer.from(text);
    const whole = watched(APIS[1] as Api, 'events', bytes, []);
    expect(whole.uses).toEqual([
      { id: 'a', name: 'one', input: { x: 'é' }, whole: true },
      { id: 'b', name: 'two', input: {}, whole: true },
    ]);
    expect([whole.ends, whole.understood, whole.left, whole.answer.stopReason]).toEqual([
      1,
      'whole',
      [],
      'tool_calls',
    ]);
    fc.assert(
      fc.property(cuts, (given) => {
        const { places, ...facts } = watched(APIS[1] as Api, 'events', bytes, given);
        const { places: expected, ...same } = whole;
        expect(facts).toEqual(same);
        // Held from its beginning, or, where that came in an earlier piece, from this one's: never past its data.
        for (const [i, at] of places.entries()) expect(at).toBeGreaterThanOrEqual(expected[i] ?? 0);
        for (const [i, at] of places.entries()) expect(at).toBeLessThan(expected[i + 1] ?? bytes.length);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['events', sse(...GEMINI.map((each): [null, unknown] => [null, each]))],
    ['elements', JSON.stringify(GEMINI, null, 2)],
  ] as const)('of Gemini as %s', (form, text) => {
    const bytes = Buffer.from(text);
    const whole = watched(APIS[3] as Api, form, bytes, []);
    expect(whole.uses).toEqual([{ id: null, name: 'add', input: { a: [1] }, whole: true }]);
    expect(whole.answer).toMatchObject({ stopReason: 'STOP', ended: true });
    expect(whole.answer.message?.value).toMatchObject({ parts: [{ text: 'Héllo "]}' }, {}] });
    fc.assert(
      fc.property(cuts, (given) => {
        const { places: _, ...facts } = watched(APIS[3] as Api, form, bytes, given);
        const { places: __, ...same } = whole;
        expect(facts).toEqual(same);
      }),
      { numRuns: 300 },
    );
  });

  it('a line that is too long is passed over, and the next is read', () => {
    const splitter = new SseSplitter(100);
    const long = Buffer.from(`data: ${'x'.repeat(500)}\n\ndata: {"a":1}\n\n`);
    const events = [...splitter.push(long.subarray(0, 90)), ...splitter.push(long.subarray(90))];
    expect(events.map((event) => 'data' in event && event.data)).toEqual(['{"a":1}']);
    expect(splitter.broken).toBe(1);
  });

  it('data over several lines is one event', () => {
    const events = new SseSplitter(1000).push(Buffer.from('event: x\ndata: {\ndata: "a": 1\ndata: }\n\n'));
    expect(events.at(-1)).toMatchObject({ name: 'x', data: '{\n"a": 1\n}' });
  });
});
