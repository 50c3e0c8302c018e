// A request through the gateway that nobody can say the meaning of, or that nobody here knows: all of it is on record
// before it goes out, as it came, whatever method, path, coding or form it has.
import { createHmac } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { expectIntact } from '../file-ledger.ts';
import { ask, type Stage, sse, stage } from '../service/gateway/stage.ts';
import { contentAt, messagesIn, observed } from './wire-contents.ts';

const ANTHROPIC = 'anthropic/v1/messages';

/** Sends it, and gives what was on record when it arrived. */
async function sent(
  path: string,
  body: string | Uint8Array | null,
  options: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ on: Stage; kept: [string, Json][]; payload: Record<string, Json> }> {
  const on = await stage();
  let calls = 0;
  on.upstream.answer = (_, response) => {
    calls = on.entries('model.call').length;
    response.end('{}');
  };
  const { status } = await ask(`${on.url}/${path}`, body, options);
  expect([status, calls]).toEqual([200, 1]);
  if (body !== null) expect(on.upstream.arrived[0]?.body.equals(Buffer.from(body))).toBe(true);
  const [call] = on.entries('model.call');
  const kept = await messagesIn(on.directory, call);
  await on.stop();
  await expectIntact(on.directory);
  return { on, kept, payload: call?.payload as Record<string, Json> };
}

describe('a body that two readers may read differently is kept as it came', () => {
  it.each<[string, string]>([
    ['a member twice', '{"model":"a","messages":[],"messages":[{"role":"user","content":"x"}]}'],
    ['a member twice, deep inside', '{"model":"a","messages":[{"role":"user","content":"x","content":"y"}]}'],
    ['a member in other capitals', '{"model":"a","messages":[],"Messages":[{"role":"user","content":"x"}]}'],
    ['a mark of byte order', '\ufeff{"model":"a","messages":[]}'],
    ['a comment', '{"model":"a","messages":[]} // {"model":"b"}'],
    ['a number that is none', '{"model":"a","temperature":NaN,"messages":[]}'],
    ['two texts', '{"model":"a","messages":[]}{"model":"b"}'],
    ['a list', '[{"model":"a","messages":[{"role":"user","content":"x"}]}]'],
    ['a text', '"say something"'],
    ['a form', 'model=a&prompt=say+something'],
    ['parts', '--x\r\ncontent-disposition: form-data; name="file"\r\n\r\nall of the file\r\n--x--\r\n'],
  ])('%s', async (_, body) => {
    for (const path of [ANTHROPIC, 'openai/v1/chat/completions', 'openai/v1/responses']) {
      const { kept, payload } = await sent(path, body);
      expect(kept).toEqual([['body', body]]);
      expect(payload.model).toBe(null);
    }
  });

  it.each<[string, Uint8Array, Record<string, string>]>([
    ['not UTF-8', Buffer.from('{"model":"\xff\xfe"}', 'latin1'), {}],
    [
      'in a coding that nobody knows',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xff]),
      { 'content-encoding': 'lzma' },
    ],
    ['coded twice', gzipSync(gzipSync('{"model":"a"}')), { 'content-encoding': 'gzip, gzip' }],
    [
      'with bytes behind its coding',
      Buffer.concat([gzipSync('{"model":"a","messages":[]}'), Buffer.from([0xfe, 1])]),
      { 'content-encoding': 'gzip' },
    ],
    [
      'whose coding breaks off',
      gzipSync('{"model":"a","messages":[]}').subarray(0, -4),
      { 'content-encoding': 'gzip' },
    ],
    ['that says it is coded, and is not', Buffer.from([0x80, 0x81]), { 'content-encoding': 'br' }],
    ['that is coded, and does not say so', gzipSync('{"model":"a","messages":[]}'), {}],
  ])('%s', async (_, body, headers) => {
    const { kept } = await sent(ANTHROPIC, body, { headers });
    expect(kept).toEqual([['body', { latin1: Buffer.from(body).toString('latin1') }]]);
  });

  it('in another charset than JSON has', async () => {
    const body = '{"model":"a","messages":[]}';
    const { kept } = await sent(ANTHROPIC, body, {
      headers: { 'content-type': 'application/json; charset=utf-7' },
    });
    expect(kept).toEqual([['body', body]]);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('what is %s is read', async (coding, pack) => {
    const body = '{"model":"a","messages":[{"role":"user","content":"x"}]}';
    const { kept, payload } = await sent(ANTHROPIC, pack(body), { headers: { 'content-encoding': coding } });
    expect([payload.model, kept]).toEqual(['a', [['user', { role: 'user', content: 'x' }]]]);
  });

  it('half a character is kept as it was written, and what else is said counts', async () => {
    const { kept, payload } = await sent(
      ANTHROPIC,
      '{"model":"a","messages":[{"role":"user","content":"\\ud800"},{"role":"user","content":"x"}]}',
    );
    expect(payload.model).toBe('a');
    expect(kept).toEqual([
      ['user', '{"role":"user","content":"\\ud800"}'],
      ['user', { role: 'user', content: 'x' }],
    ]);
  });

  it('a number that no reader holds is there in full beside what is read', async () => {
    const body = '{"model":"a","seed":12345678901234567890,"messages":[{"role":"user","content":"x"}]}';
    const { kept } = await sent(ANTHROPIC, body);
    expect(kept).toEqual([
      ['body', body],
      ['user', { role: 'user', content: 'x' }],
    ]);
  });

  it('a secret in it is not', async () => {
    const secret = ['sk-ant', 'api03', 'q'.repeat(40)].join('-');
    for (const tail of ['', '\xff']) {
      const { on, kept } = await sent(ANTHROPIC, Buffer.from(`api_key=${secret}&x=1${tail}`, 'latin1'));
      expect(JSON.stringify(kept)).not.toContain(secret);
      expect(JSON.stringify(on.entries())).not.toContain(secret);
    }
  });
});

describe('members that have another form than they should are on record all the same', () => {
  it.each<[string, string, Record<string, unknown>]>([
    [ANTHROPIC, 'messages that are no list', { messages: { role: 'user', content: 'x' } }],
    [ANTHROPIC, 'a model that is no text', { model: { name: 'x' }, messages: [] }],
    [ANTHROPIC, 'a stream that is no word', { stream: 'yes', messages: [] }],
    ['openai/v1/responses', 'instructions that are a list', { instructions: [{ text: 'x' }], input: [] }],
    ['openai/v1/responses', 'input that is neither', { input: { text: 'x' } }],
    ['openai/v1/chat/completions', 'functions beside tools', { tools: [], functions: [{ name: 'rm' }] }],
    [
      'gemini/v1beta/models/g:generateContent',
      'what is around a request',
      { request: { contents: [] }, project: 'p', extra: 'x' },
    ],
    [
      'gemini/v1beta/models/g:generateContent',
      'instructions in both spellings',
      { contents: [], systemInstruction: { a: 'this one' }, system_instruction: { b: 'that one' } },
    ],
  ])('%s: %s', async (path, _, body) => {
    const { kept, payload } = await sent(path, JSON.stringify(body));
    const all = JSON.stringify([kept, payload]);
    for (const value of leaves(body)) expect(all).toContain(value);
  });
});

function leaves(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  return Object.values(value).flatMap(leaves);
}

describe('what nobody knows here', () => {
  it.each<[string, string, string | null]>([
    ['PUT', 'openai/v1/files/f', 'all of the file'],
    ['DELETE', 'anthropic/v1/messages/batches/b', '{"why":"x"}'],
    ['PATCH', 'gemini/v1beta/cachedContents/c', '{"ttl":"1s"}'],
    ['GET', 'openai/v1/models', '{"a":"body of a GET"}'],
    ['POST', 'anthropic/v1/messages/batches', '{"requests":[{"custom_id":"a"}]}'],
    ['POST', 'anthropic/v1/messages/', '{"messages":[{"content":"x"}]}'],
    ['REPORT', 'openai/v1/x', '<report/>'],
  ])('%s %s is on record whole before it goes out', async (method, path, body) => {
    const headers = { 'content-length': String(body?.length) };
    const { kept, payload } = await sent(path, body, { method, headers });
    expect(payload).toMatchObject({ method, api: 'other' });
    const [[role, value] = []] = kept;
    expect([role, typeof value === 'string' ? value : JSON.stringify(value)]).toEqual(['body', body]);
  });

  it('a query has its names, its length and a hash on record, and no value', async () => {
    const secret = ['zq', 'credential', '4711'].join('-');
    const { on, payload } = await sent(`gemini/v1beta/x?key=${secret}&alt=sse&${secret}`, null);
    const { parameters } = payload as { parameters: Record<string, Record<string, unknown>> };
    expect(parameters['?query']).toMatchObject({ names: ['key', 'alt', ''], bytes: 49 });
    expect(parameters['?query']?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(parameters['?query']?.hash).not.toBe(createHmac('sha256', '').update(secret).digest('hex'));
    expect(JSON.stringify(on.entries())).not.toContain(secret);
  });

  it('a file that the official client uploads is on record', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"id":"file-1","object":"file"}');
    };
    const client = new OpenAI({ apiKey: 'none', baseURL: `${on.url}/openai/v1`, maxRetries: 0 });
    const file = new File(['{"prompt":"all of it"}\n'], 'train.jsonl');
    await client.files.create({ file, purpose: 'fine-tune' });
    const [[, body] = []] = await messagesIn(on.directory, on.entries('model.call')[0]);
    expect(String(body)).toContain('{"prompt":"all of it"}');
  });
});

describe('an answer that two readers may read differently', () => {
  const REQUEST = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x' }] });
  const doubled =
    '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"rm","input":{}},"type":"ping"}';

  it.each([
    ['a type twice', doubled, 'repeated-name'],
    ['a number that is none', '{"type":"message_delta","usage":{"output_tokens":NaN}}', 'not-json'],
    ['a mark of byte order', `\ufeff${doubled}`, 'not-json'],
  ])('an event with %s is on record before the client has it', async (_, data, problem) => {
    const on = await stage();
    on.upstream.answer = (__, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sse(['message_start', { type: 'message_start', message: { id: 'm' } }]));
      response.end(sse(['x', data], ['message_stop', { type: 'message_stop' }]));
    };
    let text = '';
    let missing = false;
    await ask(`${on.url}/${ANTHROPIC}`, REQUEST, {
      onChunk(chunk) {
        text += chunk.toString();
        if (text.includes(data)) missing ||= on.entries('observation').length === 0;
      },
    });
    expect([missing, text.includes(data)]).toEqual([false, true]);
    const seen = (await observed(on.directory, on.entries())).filter(({ event }) => event === 'stream');
    expect(seen).toMatchObject([{ event: 'stream', problem, content: data }]);
    expect(on.entries('model.result')[0]?.payload).toMatchObject({ understood: 'part' });
  });

  it('ten thousand of them are a handful of entries', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('data: {"a":1,"a":2}\n\n'.repeat(10_000));
    };
    const { body } = await ask(`${on.url}/${ANTHROPIC}`, REQUEST);
    expect(body.length).toBe(210_000);
    const seen = await observed(on.directory, on.entries());
    expect(seen.flatMap(({ content }) => content)).toHaveLength(10_000);
    expect(seen.length).toBeLessThan(100);
    await on.stop();
    await expectIntact(on.directory);
  });

  it.each<[string, string | Buffer, string, unknown]>([
    [
      'a body with a member twice',
      '{"type":"message","content":[],"content":[{"type":"text"}]}',
      'part',
      null,
    ],
    ['a body that is bytes', Buffer.from([0xff, 0, 1]), 'none', { latin1: '\xff\0\x01' }],
  ])('%s is kept as it came', async (_, body, understood, kept) => {
    const on = await stage();
    on.upstream.answer = (__, response) => void response.end(body);
    await ask(`${on.url}/${ANTHROPIC}`, REQUEST.replace('true', 'false'));
    const [result] = on.entries('model.result');
    expect(result?.payload.understood).toBe(understood);
    const value = await contentAt(on.directory, result?.session_id ?? null, result?.payload.response);
    expect(value).toEqual(kept ?? body);
  });

  it('a stream of an API that nobody knows is kept event by event', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(sse([null, { text: 'a' }], [null, { tool: 'rm' }]));
    };
    await ask(`${on.url}/openai/v1/completions`, '{"prompt":"x","stream":true}');
    const [result] = on.entries('model.result');
    const value = await contentAt(on.directory, result?.session_id ?? null, result?.payload.response);
    expect(value).toEqual(['{"text":"a"}', '{"tool":"rm"}']);
  });
});
