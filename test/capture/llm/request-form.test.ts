// The normal form of requests: what means nothing is gone from it, and all else is in it.
import { describe, expect, it } from 'vitest';
import { normalForm, requestParts } from '../../../src/capture/llm/index.ts';
import type { Json } from '../../../src/core/index.ts';

const normal = normalForm([
  { home: '/home/ann', temporary: '/tmp' },
  { home: '/tmp/.home', temporary: '/tmp' },
]);
const partsOf = (body: Json) => requestParts(Buffer.from(JSON.stringify(body)), normal);

describe('the normal form of a text', () => {
  it.each([
    [
      'session 0f3c2a1b-1111-4222-8333-444455556666 of msg_0F3C2A1B-1111-4222-8333-444455556666',
      'session <id> of msg_<id>',
    ],
    ['at 2026-11-17T13:20:00.123Z, on 2026-11-17, 2026-11-17 13:20:00 +0100', 'at <date>, on <date>, <date>'],
    ['Tue Nov 17 13:20:00 and Nov 17  2026, November 3, 2026', '<date> and <date>, <date>'],
    ['/home/ann/x /tmp/.home/x /tmp/y', '<home>/x <home>/x <temporary>/y'],
    [
      '/tmp/claude-0/a and /tmp/claude-63001/a',
      '<temporary>/claude-<user>/a and <temporary>/claude-<user>/a',
    ],
    [
      'Chunk ID: 0a1f2e\nWall time: 0.0511 seconds\nWall time: long',
      'Chunk ID: <id>\nWall time: <id> seconds\nWall time: long',
    ],
  ])('%s', (text, expected) => {
    expect(normal(text)).toBe(expected);
  });

  it.each([
    '/home/anna /tmpfs',
    '0123456789abcdef0123456789abcdef01234567',
    'exit code 1, 3 passed, 12:30',
    'version 1.2.3 of 20261117',
  ])('leaves %s as it is', (text) => {
    expect(normal(text)).toBe(text);
  });
});

describe('the parts of a request', () => {
  it('are its members, and the elements of its lists, in an order of their own', () => {
    const one = partsOf({ model: 'm', messages: [{ role: 'user', content: '/tmp/x' }, 2], max_tokens: 1 });
    expect(one).toEqual([
      { name: 'max_tokens', text: '1' },
      { name: 'messages[0]', text: '{"content":"<temporary>/x","role":"user"}' },
      { name: 'messages[1]', text: '2' },
      { name: 'model', text: '"m"' },
    ]);
    expect(
      partsOf({ max_tokens: 1, messages: [{ content: '/tmp/x', role: 'user' }, 2], model: 'm' }),
    ).toEqual(one);
  });

  it('are without what tells clients apart, and nothing else is left out', () => {
    const names = partsOf({
      metadata: {},
      user: 'u',
      prompt_cache_key: 'k',
      client_metadata: 1,
      users: 1,
      seed: 2,
    });
    expect(names.map(({ name }) => name)).toEqual(['seed', 'users']);
    const input = [{ internal_chat_message_metadata_passthrough: { create_time: 1.5 }, role: 'user' }];
    expect(partsOf({ input })).toEqual([{ name: 'input[0]', text: '{"role":"user"}' }]);
  });

  it('are the body as it came where two readers may differ about it', () => {
    for (const body of ['{"a":1,"a":2}', '[1]', 'no JSON', '{"a":12345678901234567890}'])
      expect(requestParts(Buffer.from(body), normal)).toEqual([{ name: 'body', text: JSON.stringify(body) }]);
    expect(requestParts(Buffer.from([0xff, 0x01]), normal)).toMatchObject([{ name: 'body' }]);
    expect(requestParts(new Uint8Array(0), normal)).toEqual([]);
  });
});
