// Which recorded call a request is, and what is said of one that is none.
import { describe, expect, it } from 'vitest';
import { normalForm, requestParts } from '../../src/capture/llm/index.ts';
import type { Json } from '../../src/core/index.ts';
import { requestDigest } from '../../src/format/index.ts';
import { type PlayableCall, PlayList } from '../../src/service/index.ts';

const KEY = new Uint8Array(32).fill(7);
const THEN = { home: '/home/ann', temporary: '/var/tmp' };
const NOW = { home: '/tmp/.home', temporary: '/tmp' };

function asked(body: Json, places = [THEN, NOW]) {
  const parts = requestParts(Buffer.from(JSON.stringify(body)), normalForm(places));
  return { method: 'POST', target: '/anthropic/v1/messages', parts };
}

const request = (...said: string[]): Json => ({
  model: 'm',
  messages: said.map((content) => ({ role: 'user', content })),
});

function call(number: number, body: Json, isKept = true): PlayableCall {
  const { hash, parts } = requestDigest(KEY, asked(body, [THEN]));
  const answer = { status: 200, headers: [], chunks: [Buffer.from(String(number))], parts };
  return { number, requestHash: hash, answer: isKept ? answer : null };
}

const listOf = (...bodies: Json[]) =>
  new PlayList(
    KEY,
    bodies.map((body, i) => call(i + 1, body)),
  );

describe('a list of recorded calls', () => {
  it('plays each once, by what is asked and not by when', () => {
    const list = listOf(request('a'), request('b'), request('a'));
    expect(list.take(asked(request('b')), true)).toMatchObject({ state: 'answer', call: { number: 2 } });
    expect(list.take(asked(request('a')), true)).toMatchObject({ state: 'answer', call: { number: 1 } });
    expect(list.take(asked(request('a')), true)).toMatchObject({ state: 'answer', call: { number: 3 } });
    expect(list.played).toEqual([2, 1, 3]);
    expect(list.left).toEqual([]);
    expect(list.take(asked(request('a')), true)).toMatchObject({
      state: 'differs',
      difference: { call: null },
    });
  });

  it('takes another path, method or query for another request', () => {
    const list = listOf(request('a'));
    for (const change of [{ target: '/anthropic/v1/messages?x=1' }, { method: 'PUT' }])
      expect(list.take({ ...asked(request('a')), ...change }, true).state).toBe('differs');
  });

  it('names the call that it would have been, the first part that differs and what is asked there', () => {
    const list = listOf(request('a'), request('a', 'b'), request('a', 'b', 'c'));
    list.take(asked(request('a')), true);
    expect(list.take(asked(request('a', 'x')), true)).toEqual({
      state: 'differs',
      difference: { call: 2, part: 'messages[1]', how: 'other', asked: '{"content":"x","role":"user"}' },
    });
    expect(list.take(asked({ ...(request('a', 'b') as object), top_k: 1 }), true)).toMatchObject({
      difference: { call: 2, part: 'top_k', how: 'new', asked: '1' },
    });
    expect(list.take(asked({ messages: [{ role: 'user', content: 'a' }] }), true)).toMatchObject({
      difference: { call: 2, part: 'messages[1]', how: 'gone', asked: null },
    });
  });

  it('has no answer where none was kept, and does not guess one', () => {
    const list = new PlayList(KEY, [call(1, request('a'), false), call(2, request('b'))]);
    expect(list.take(asked(request('a')), true)).toMatchObject({ state: 'unkept', call: { number: 1 } });
    expect(list.played).toEqual([]);
  });

  it('says nothing of a request that is none of a model', () => {
    const list = listOf(request('a'));
    expect(list.take({ method: 'GET', target: '/anthropic/v1/models', parts: [] }, false)).toEqual({
      state: 'aside',
    });
    expect(list.left).toHaveLength(1);
  });

  it('can not be matched under another key', () => {
    const list = new PlayList(new Uint8Array(32), [call(1, request('a'))]);
    expect(list.take(asked(request('a')), true).state).toBe('differs');
  });
});
