// Client objects that record themselves: the real SDKs against a real upstream, streaming and not.
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRecorder } from '../../src/entry/index.ts';
import { audited } from '../../src/entry/llm.ts';
import type { Entry } from '../../src/format/index.ts';
import type { Session } from '../../src/record/index.ts';
import { RecordError } from '../../src/record/index.ts';
import { expectIntact } from '../file-ledger.ts';
import { entriesIn, sse, upstream } from '../service/gateway/stage.ts';
import { temporary } from '../temporary.ts';

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-x',
  content: [{ type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1 } }],
  stop_reason: 'tool_use',
  usage: { input_tokens: 3, output_tokens: 2 },
};
const STREAM = sse(
  ['message_start', { type: 'message_start', message: { ...MESSAGE, content: [] } }],
  [
    'content_block_start',
    { type: 'content_block_start', index: 0, content_block: { ...MESSAGE.content[0], input: {} } },
  ],
  [
    'content_block_delta',
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
  ],
  ['content_block_stop', { type: 'content_block_stop', index: 0 }],
  [
    'message_delta',
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } },
  ],
  ['message_stop', { type: 'message_stop' }],
);
const BODY = { model: 'claude-x', max_tokens: 9, messages: [{ role: 'user' as const, content: 'Hi' }] };
const EVENTS = { 'content-type': 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };

async function begun(): Promise<{
  session: Session;
  directory: string;
  entries(kind?: string): Entry[];
  end(): Promise<void>;
}> {
  const directory = temporary();
  const recorder = await openRecorder({
    place: { directory, keyDirectory: join(directory, 'keys') },
    cwd: directory,
  });
  onTestFinished(() => recorder.close());
  return {
    session: await recorder.session(),
    directory,
    entries: (kind) => entriesIn(directory).filter((entry) => kind === undefined || entry.kind === kind),
    end: () => recorder.close(),
  };
}

describe('G15i an audited Anthropic client', () => {
  it('records a call before it is sent and its answer before it is given', async () => {
    const { session, entries, directory, end } = await begun();
    let before: string[] = [];
    const to = await upstream((_, response) => {
      before = entries().map(({ kind }) => kind);
      response.writeHead(200, { ...JSON_TYPE, 'request-id': 'req_1' }).end(JSON.stringify(MESSAGE));
    });
    const plain = new Anthropic({ baseURL: to.url, apiKey: 'none', maxRetries: 0 });
    const client = audited(plain, { session });
    expect(client).toBeInstanceOf(Anthropic);
    await session.prompt('Add.');
    const answer = await client.messages.create(BODY);
    expect([answer.content, answer._request_id]).toEqual([MESSAGE.content, 'req_1']);
    expect(before.at(-1)).toBe('model.call');
    const [prompt] = entries('prompt');
    expect(entries('model.call')[0]).toMatchObject({ source: 'sdk', cause: prompt?.seq });
    expect(entries('model.call')[0]?.payload).toMatchObject({
      provider: 'anthropic',
      receipt_id: null,
      model: 'claude-x',
    });
    expect(entries('model.tool_use')[0]?.payload).toMatchObject({ tool_use_id: 'toolu_1', tool: 'add' });
    expect(entries('model.result')[0]?.payload).toMatchObject({
      result: 'ok',
      request_id: 'req_1',
      tool_uses: 1,
    });
    await end();
    const report = await expectIntact(directory);
    expect(report.facets.receipts).toMatchObject({ status: 'pass' });
  });

  it('streams as it comes, each call of a tool on record before it is complete', async () => {
    const { session, entries } = await begun();
    const to = await upstream((_, response) => response.writeHead(200, EVENTS).end(STREAM));
    const client = audited(new Anthropic({ baseURL: to.url, apiKey: 'none', maxRetries: 0 }), { session });
    const missing: string[] = [];
    for await (const event of await client.messages.create({ ...BODY, stream: true })) {
      if (event.type === 'content_block_stop' && entries('model.tool_use').length === 0) missing.push('tool');
      if (event.type === 'message_stop' && entries('model.result').length === 0) missing.push('result');
    }
    expect(missing).toEqual([]);
    expect(entries('model.result')[0]?.payload).toMatchObject({
      result: 'ok',
      stop_reason: 'tool_use',
      wire_bytes: STREAM.length,
    });
  });

  it('errors, and streams that the program leaves, are on record as that', async () => {
    const { session, entries } = await begun();
    const to = await upstream((_, response) =>
      response.writeHead(429, JSON_TYPE).end('{"type":"error","error":{"type":"rate_limit_error"}}'),
    );
    const client = audited(new Anthropic({ baseURL: to.url, apiKey: 'none', maxRetries: 0 }), { session });
    await expect(client.messages.create(BODY)).rejects.toThrow('429');
    expect(entries('model.result')[0]?.payload).toMatchObject({
      result: 'error',
      error_code: 'rate_limit_error',
    });
    to.answer = (_, response) => void response.writeHead(200, EVENTS).write(STREAM.slice(0, 400));
    const stream = await client.messages.create({ ...BODY, stream: true });
    for await (const _ of stream) break;
    while (entries('model.result').length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(entries('model.result')[1]?.payload).toMatchObject({ result: 'aborted' });
    const gone = audited(new Anthropic({ baseURL: 'http://127.0.0.1:1', apiKey: 'none', maxRetries: 0 }), {
      session,
    });
    await expect(gone.messages.create(BODY)).rejects.toThrow();
    expect(entries('model.result')[2]?.payload).toMatchObject({ result: 'unanswered' });
  });

  it('where nothing can be recorded nothing is sent, and an answer that can not be is an error', async () => {
    const { session } = await begun();
    const to = await upstream((_, response) =>
      response.writeHead(200, JSON_TYPE).end(JSON.stringify(MESSAGE)),
    );
    const fail = () => Promise.reject(new RecordError('AUDIT_APPEND_FAILED', 'no room'));
    const make = (model: Session['model']) =>
      audited(new Anthropic({ baseURL: to.url, apiKey: 'none', maxRetries: 0 }), {
        session: { ...session, model },
      });
    await expect(make(fail).messages.create(BODY)).rejects.toThrow();
    expect(to.arrived).toEqual([]);
    const later = make(async (sent) => ({ ...(await session.model(sent)), finish: fail }));
    await expect(later.messages.create(BODY)).rejects.toThrow();
    expect(to.arrived.length).toBe(1);
  });
});

describe('G15i an audited OpenAI client', () => {
  it('records chat and responses', async () => {
    const { session, entries } = await begun();
    const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } };
    const completion = {
      id: 'c_1',
      model: 'gpt-x',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: null, tool_calls: [call] },
          finish_reason: 'tool_calls',
        },
      ],
    };
    const to = await upstream(({ url }, response) =>
      response
        .writeHead(200, JSON_TYPE)
        .end(
          JSON.stringify(
            url === '/chat/completions'
              ? completion
              : { id: 'resp_1', status: 'completed', model: 'gpt-x', output: [] },
          ),
        ),
    );
    const client = audited(new OpenAI({ baseURL: to.url, apiKey: 'none', maxRetries: 0 }), { session });
    const { choices } = await client.chat.completions.create({
      model: 'gpt-x',
      messages: [{ role: 'user', content: 'Add.' }],
    });
    expect(choices[0]?.message.tool_calls).toEqual([call]);
    await client.responses.create({ model: 'gpt-x', input: 'Add.' });
    expect(entries('model.call').map(({ payload }) => [payload.provider, payload.api])).toEqual([
      ['openai', 'openai.chat'],
      ['openai', 'openai.responses'],
    ]);
    expect(entries('model.tool_use')[0]?.payload).toMatchObject({ tool_use_id: 'call_1' });
  });

  it('is refused where it is none', () => {
    expect(() => audited({} as OpenAI)).toThrow(TypeError);
  });
});
