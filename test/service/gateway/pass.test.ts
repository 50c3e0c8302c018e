// What passes through the gateway is passed on as it is, and is on record before it matters. The upstream is real, on a
// port of its own, and answers what each test says.
import { Agent } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, sse, stage } from './stage.ts';

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
  content: [{ type: 'text', text: 'Hello.' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 10, output_tokens: 3, cache_read_input_tokens: 2 },
};
const REQUEST = {
  model: 'claude-sonnet-4-5',
  max_tokens: 64,
  temperature: 0.5,
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'Hi' }],
  tools: [{ name: 'add', input_schema: { type: 'object' } }],
};

describe('an answer that is not streamed', () => {
  it('G15a passes both ways byte for byte, and call and result are on record', async () => {
    const on = await stage();
    // Spaces and order that no serialiser would leave.
    const sent = `{ "messages" : ${JSON.stringify(REQUEST.messages)},\n"model":"m", "max_tokens": 1.0 }`;
    const answered = JSON.stringify(MESSAGE).replace(':', ' :\n ');
    on.upstream.answer = (_, response) => {
      response.writeHead(200, 'Fine', [
        'Content-Type',
        'application/json',
        'Request-Id',
        'req_7',
        'X-Odd',
        'a, b',
      ]);
      response.end(answered);
    };
    const reply = await ask(`${on.url}/anthropic/v1/messages?beta=true`, sent, {
      headers: { 'x-api-key': 'sk-test-credential', 'Anthropic-Version': '2023-06-01' },
    });
    expect([reply.status, reply.body.toString(), reply.error]).toEqual([200, answered, null]);
    expect([reply.headers['request-id'], reply.headers['x-odd']]).toEqual(['req_7', 'a, b']);
    const [arrived] = on.upstream.arrived;
    expect([arrived?.method, arrived?.url, arrived?.body.toString()]).toEqual([
      'POST',
      '/v1/messages?beta=true',
      sent,
    ]);
    expect(arrived?.headers['x-api-key']).toBe('sk-test-credential');
    expect(arrived?.rawHeaders).toContain('Anthropic-Version');
    const [call] = on.entries('model.call');
    const [result] = on.entries('model.result');
    expect(call?.payload).toMatchObject({
      provider: 'anthropic',
      api: 'anthropic.messages',
      path: '/v1/messages',
      model: 'm',
      stream: false,
      parameters: { max_tokens: 1 },
      messages: { base: null, kept: 0, count: 1 },
    });
    expect(result?.cause).toBe(call?.seq);
    expect(result?.payload).toMatchObject({
      result: 'ok',
      status: 200,
      model: MESSAGE.model,
      response_id: 'msg_1',
      request_id: 'req_7',
      stop_reason: 'end_turn',
      tokens: { input: 10, output: 3, cache_read: 2, cache_write: null, reasoning: null },
      understood: 'whole',
      wire_bytes: answered.length,
    });
  });

  it('G15b the call is durable before anything reaches the upstream', async () => {
    const on = await stage();
    let before: string[] = [];
    on.upstream.answer = async (_, response) => {
      before = on.entries().map(({ kind }) => kind);
      response.end(JSON.stringify(MESSAGE));
    };
    await ask(`${on.url}/anthropic/v1/messages`, JSON.stringify(REQUEST));
    expect(before.at(-1)).toBe('model.call');
  });

  it('G15c the client credential, headers and query are nowhere in the ledger', async () => {
    const on = await stage();
    const secret = ['zq', 'credential', '4711'].join('-');
    on.upstream.answer = (_, response) => response.end(JSON.stringify(MESSAGE));
    await ask(
      `${on.url}/gemini/v1beta/models/gemini-2.5-pro:generateContent?key=${secret}`,
      '{"contents":[]}',
      {
        headers: { authorization: `Bearer ${secret}`, 'x-goog-api-key': secret, cookie: secret },
      },
    );
    expect(on.upstream.arrived[0]?.url).toContain(secret);
    expect(JSON.stringify(on.entries())).not.toContain(secret);
    const [call] = on.entries('model.call');
    expect(call?.payload).toMatchObject({ model: 'gemini-2.5-pro', api: 'gemini.generate' });
  });

  it('G15e a long conversation is told as what is new, however often it is sent', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => response.end(JSON.stringify(MESSAGE));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const messages: unknown[] = [{ role: 'user', content: 'first' }];
    for (let i = 0; i < 5; i++) {
      await ask(`${on.url}/anthropic/v1/messages`, JSON.stringify({ ...REQUEST, messages }), { agent });
      messages.push({ role: 'assistant', content: MESSAGE.content }, { role: 'user', content: `more ${i}` });
    }
    const calls = on.entries('model.call');
    const lists = calls.map(
      ({ payload }) => payload.messages as { base: number; kept: number; added: unknown[] },
    );
    expect(lists.map(({ kept, added }) => [kept, added.length])).toEqual([
      [0, 2],
      [2, 2],
      [4, 2],
      [6, 2],
      [8, 2],
    ]);
    expect(lists.map(({ base }) => base)).toEqual([null, ...calls.slice(0, 4).map(({ seq }) => seq)]);
    expect(calls.map(({ payload }) => payload.tools !== null)).toEqual([true, false, false, false, false]);
    expect(new Set(calls.map(({ payload }) => payload.tools_hash)).size).toBe(1);
    // The answer is in the form in which it comes back, so it is kept once.
    const [result] = on.entries('model.result');
    expect((lists[1]?.added[0] as { hash: string } | undefined)?.hash).toBe(result?.payload.response_hash);
  });

  it('other paths and methods pass, too', async () => {
    const on = await stage();
    on.upstream.answer = ({ method }, response) => {
      response.writeHead(method === 'DELETE' ? 204 : 200);
      response.end(method === 'DELETE' ? undefined : '{"data":[]}');
    };
    expect((await ask(`${on.url}/openai/v1/models`, null)).body.toString()).toBe('{"data":[]}');
    expect((await ask(`${on.url}/proxy/own/x?y=1`, null, { method: 'DELETE' })).status).toBe(204);
    expect((await ask(`${on.url}/openai/v1/models`, null, { method: 'HEAD' })).status).toBe(200);
    expect(on.upstream.arrived.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/models',
      'DELETE /base/x?y=1',
      'HEAD /v1/models',
    ]);
    const [, other] = on.entries('model.call');
    expect(other?.payload).toMatchObject({
      provider: 'own',
      api: 'other',
      method: 'DELETE',
      path: '/base/x',
    });
  });

  it('a name that no upstream has, a web page, another host: nothing is sent or recorded', async () => {
    const on = await stage();
    expect((await ask(`${on.url}/proxy/nobody/x`, null)).status).toBe(404);
    const page = { headers: { origin: 'https://evil.example' } };
    expect((await ask(`${on.url}/openai/v1/models`, null, page)).status).toBe(403);
    const rebound = { headers: { host: 'evil.example' } };
    expect((await ask(`${on.url}/openai/v1/models`, null, rebound)).status).toBe(403);
    expect(on.upstream.arrived).toEqual([]);
    expect(on.entries('model.call')).toEqual([]);
  });
});

const TOOL_STREAM: readonly [string, unknown][] = [
  ['message_start', { type: 'message_start', message: { ...MESSAGE, content: [], stop_reason: null } }],
  ['ping', { type: 'ping' }],
  [
    'content_block_start',
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ],
  [
    'content_block_delta',
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Ad' } },
  ],
  [
    'content_block_delta',
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ding é' } },
  ],
  ['content_block_stop', { type: 'content_block_stop', index: 0 }],
  [
    'content_block_start',
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'add', input: {} },
    },
  ],
  [
    'content_block_delta',
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a":' } },
  ],
  [
    'content_block_delta',
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '1}' } },
  ],
  ['content_block_stop', { type: 'content_block_stop', index: 1 }],
  [
    'message_delta',
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
  ],
  ['message_stop', { type: 'message_stop' }],
];

/** Pieces of a text, cut at places that follow from `seed`. */
function cut(text: string, seed: number, most: number): Buffer[] {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  let state = seed;
  for (let at = 0; at < bytes.length; ) {
    state = (state * 1103515245 + 12345) % 2147483648;
    const size = 1 + (state % most);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

describe('a stream', () => {
  it.each([
    ['events as they are', (text: string) => text.split(/(?<=\n\n)/).map((event) => Buffer.from(event))],
    ['pieces of any size', (text: string) => cut(text, 7, 90)],
    ['a few bytes at a time', (text: string) => cut(text, 3, 5)],
    ['all at once', (text: string) => [Buffer.from(text)]],
  ])('G15a is passed on piece by piece, as it comes: %s', async (_, pieces) => {
    const on = await stage();
    const text = sse(...TOOL_STREAM);
    let received = 0;
    let wake = (): void => undefined;
    on.upstream.answer = async (__, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_9' });
      let sent = 0;
      for (const piece of pieces(text)) {
        response.write(piece);
        sent += piece.length;
        // The next piece only once the client has all of this one.
        while (received < sent)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
      response.end();
    };
    const reply = await ask(`${on.url}/anthropic/v1/messages`, JSON.stringify({ ...REQUEST, stream: true }), {
      onChunk(chunk) {
        received += chunk.length;
        wake();
      },
    });
    expect([reply.body.toString(), reply.error]).toEqual([text, null]);
    const [use] = on.entries('model.tool_use');
    const [result] = on.entries('model.result');
    expect(use?.payload).toMatchObject({ tool_use_id: 'toolu_1', tool: 'add', whole: true });
    expect(result?.payload).toMatchObject({
      result: 'ok',
      stop_reason: 'tool_use',
      tool_uses: 1,
      tokens: { input: 10, output: 9 },
      understood: 'whole',
      request_id: 'req_9',
    });
  });

  it.each([
    ['whole events', 100_000],
    ['pieces', 40],
    ['single bytes', 1],
  ])('G15b a call of a tool is complete to the client only when it is on record: %s', async (_, most) => {
    const on = await stage();
    const text = sse(...TOOL_STREAM);
    on.upstream.answer = async (__, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const piece of cut(text, 5, most)) {
        if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    };
    const seen: { readonly bytes: string; readonly kinds: string[] }[] = [];
    let bytes = '';
    await ask(`${on.url}/anthropic/v1/messages`, JSON.stringify({ ...REQUEST, stream: true }), {
      onChunk(chunk) {
        bytes += chunk.toString('latin1');
        seen.push({ bytes, kinds: on.entries().map(({ kind }) => kind) });
      },
    });
    const stop = '{"type":"content_block_stop","index":1}\n';
    const end = '{"type":"message_stop"}\n';
    let checked = 0;
    for (const { bytes: sofar, kinds } of seen) {
      if (sofar.includes(stop)) expect(kinds).toContain('model.tool_use');
      if (sofar.includes(end)) expect(kinds).toContain('model.result');
      checked++;
    }
    expect(checked).toBeGreaterThan(0);
    expect(bytes).toContain(end);
  });
});

describe('the session', () => {
  const body = JSON.stringify(REQUEST);

  it('G15h is one a connection, and ends with it', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => response.end(JSON.stringify(MESSAGE));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await ask(`${on.url}/anthropic/v1/messages`, body, { agent });
    await ask(`${on.url}/anthropic/v1/messages`, body, { agent });
    await ask(`${on.url}/anthropic/v1/messages`, body);
    agent.destroy();
    await on.stop();
    const calls = on.entries('model.call');
    const [first, second, third] = calls.map(({ session_id }) => session_id);
    expect([first === second, first === third]).toEqual([true, false]);
    expect(
      on
        .entries('session.end')
        .map(({ session_id }) => session_id)
        .sort(),
    ).toEqual([first, third].sort());
    // Its start, two calls with their results, and their receipts where those came before it.
    for (const { payload, session_id, seq } of on.entries('session.end')) {
      const before = on.entries().filter((each) => each.session_id === session_id && each.seq < seq);
      expect(payload).toMatchObject({
        entries: before.length,
        entries_root: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
    }
  });

  it('G15h is the one that the client names, over all its connections', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => response.end(JSON.stringify(MESSAGE));
    const named = { headers: { 'x-counterfoil-session': 'my run' } };
    await ask(`${on.url}/anthropic/v1/messages`, body, named);
    await ask(`${on.url}/anthropic/v1/messages`, body, named);
    const [one, two] = on.entries('model.call');
    expect(one?.session_id).toBe(two?.session_id);
    const [start] = on.entries('session.start');
    expect(start?.payload).toMatchObject({
      agent: 'client',
      agent_session: 'my run',
      interaction: 'gateway',
    });
    const by = { headers: { 'x-counterfoil-session': start?.session_id ?? '' } };
    await ask(`${on.url}/anthropic/v1/messages`, body, by);
    await ask(`${on.url}/session/${start?.session_id}/anthropic/v1/messages`, body);
    expect(new Set(on.entries('model.call').map(({ session_id }) => session_id)).size).toBe(1);
    expect(on.upstream.arrived.map(({ headers }) => headers['x-counterfoil-session'])).toEqual(
      Array(4).fill(undefined),
    );
    const nobody = await ask(`${on.url}/session/${'0'.repeat(64)}/anthropic/v1/messages`, body);
    expect([nobody.status, on.upstream.arrived.length]).toEqual([404, 4]);
  });

  it('G15h is that of the hooks where Claude Code names it, with the prompt for a cause', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => response.end(JSON.stringify(MESSAGE));
    const host = 'f3b0c1d2-0000-4000-8000-000000000001';
    const event = { session_id: host, cwd: on.directory, transcript_path: '/none' };
    for (const more of [
      { hook_event_name: 'SessionStart', source: 'startup' },
      { hook_event_name: 'UserPromptSubmit', prompt: 'Add the numbers.' },
    ]) {
      const reply = await ask('http://localhost/v1/hook/claude-code', JSON.stringify({ ...event, ...more }), {
        socketPath: on.service.state.socket,
        headers: { 'content-type': 'application/json' },
      });
      expect(reply.status).toBe(200);
    }
    await ask(`${on.url}/anthropic/v1/messages`, body, { headers: { 'x-claude-code-session-id': host } });
    const [prompt] = on.entries('prompt');
    const [call] = on.entries('model.call');
    expect([call?.session_id, call?.cause]).toEqual([prompt?.session_id, prompt?.seq]);
    expect(on.entries('session.start').length).toBe(1);
    // One whose hooks are not there has a session of its own, and keeps it.
    const other = { headers: { 'x-claude-code-session-id': 'another' } };
    await ask(`${on.url}/anthropic/v1/messages`, body, other);
    await ask(`${on.url}/anthropic/v1/messages`, body, other);
    const starts = on.entries('session.start');
    expect(starts.map(({ payload }) => payload.agent_session)).toEqual([host, 'another']);
  });
});
