// Sessions as traces in OTLP JSON: which spans there are, whose children, how they end, and that OpenTelemetry's own
// code reads every line.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { exportOtlp } from '../../src/exports/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { readRequest, type Span, spansOf, valuesOf } from './otlp-schema.ts';

const SESSION = '600c5b08f9ce1a0b984bed3316867bdd41663868d75d73ff018e9b1328b67662';
const HASH = 'ab'.repeat(32);
const START = Date.parse('2026-11-15T10:00:00.000Z');

/** Entry `seq`, so many seconds after the beginning. */
function entry(
  seq: number,
  kind: string,
  payload: JsonObject = {},
  cause: number | null = null,
  more: Partial<Entry> = {},
): Entry {
  return {
    cause,
    kind,
    payload,
    prev_hash: HASH,
    seq,
    session_id: SESSION,
    source: 'hook:claude-code',
    ts: new Date(START + 1000 * seq).toISOString(),
    v: 1,
    entry_hash: createHash('sha256').update(`${seq}`).digest('hex'),
    ...more,
  };
}

const idOf = (seq: number): string => createHash('sha256').update(`${seq}`).digest('hex').slice(0, 16);
const at = (seq: number): string => `${START + 1000 * seq}000000`;

function exported(entries: readonly Entry[]): { spans: Span[]; lines: string[]; open: number } {
  const log = exportOtlp({ version: '1.2.3', origin: 'counterfoil/0123456789abcdef' });
  const added = entries.map((each) => log.add(each)).join('');
  const { text, open } = log.end();
  const lines = (added + text).split('\n').slice(0, -1);
  return { spans: lines.flatMap((line) => spansOf(readRequest(line))), lines, open };
}

const byName = (spans: readonly Span[], name: string): Span => {
  const found = spans.filter((span) => span.name === name);
  expect(found, name).toHaveLength(1);
  return found[0] as Span;
};

const start = entry(1, 'session.start', { agent: 'claude-code', workspace_root: '/work', mode: 'guard' });

describe('exportOtlp', () => {
  it('makes a session a trace, of turns and calls with their parents', () => {
    const { spans, lines, open } = exported([
      start,
      entry(2, 'prompt', { prompt_hash: HASH }),
      entry(3, 'tool.call', { tool: 'Task', tool_use_id: 'toolu_1', args_hash: HASH }, 2),
      entry(4, 'agent.start', { agent_id: 'agent-7', agent_type: 'Explore' }, 3),
      entry(5, 'tool.call', { tool: 'Bash', tool_use_id: 'toolu_2', agent_id: 'agent-7' }),
      entry(
        6,
        'tool.result',
        {
          tool: 'Bash',
          result: 'error',
          error_code: 'E1',
          exit_code: 1,
          exit_origin: 'host',
          duration_ms: 12,
          result_hash: HASH,
          tests: { passed: 1, failed: 2, skipped: 0 },
        },
        5,
      ),
      entry(7, 'agent.end', { agent_id: 'agent-7', agent_type: 'Explore', response_hash: HASH }),
      entry(8, 'tool.result', { tool: 'Task', result: 'ok' }, 3),
      entry(9, 'response', { response_hash: HASH }, 2),
      entry(10, 'session.end', { reason: 'logout', exit_code: 0 }),
    ]);
    expect(open).toBe(0);
    expect(lines).toHaveLength(1);
    expect(
      spans.map(({ name, spanId, parentSpanId, startTimeUnixNano, endTimeUnixNano, kind }) => [
        name,
        spanId,
        parentSpanId,
        startTimeUnixNano,
        endTimeUnixNano,
        kind,
      ]),
    ).toEqual([
      ['execute_tool Bash', idOf(5), idOf(4), at(5), at(6), 1],
      ['invoke_agent Explore', idOf(4), idOf(3), at(4), at(7), 1],
      ['execute_tool Task', idOf(3), idOf(2), at(3), at(8), 1],
      ['invoke_agent claude-code', idOf(2), idOf(1), at(2), at(9), 1],
      ['session claude-code', idOf(1), undefined, at(1), at(10), 1],
    ]);
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([SESSION.slice(0, 32)]));
    const bash = byName(spans, 'execute_tool Bash');
    expect(valuesOf(bash)).toEqual({
      'gen_ai.conversation.id': SESSION,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'Bash',
      'gen_ai.tool.call.id': 'toolu_2',
      'gen_ai.agent.id': 'agent-7',
      'error.type': 'E1',
      'counterfoil.seq': '5',
      'counterfoil.hash': entry(5, '').entry_hash,
      'counterfoil.source': 'hook:claude-code',
      'counterfoil.end.seq': '6',
      'counterfoil.end.hash': entry(6, '').entry_hash,
      'counterfoil.result': 'error',
      'counterfoil.result_hash': HASH,
      'counterfoil.exit_code': '1',
      'counterfoil.exit_origin': 'host',
      'counterfoil.duration_ms': '12',
      'counterfoil.tests.passed': '1',
      'counterfoil.tests.failed': '2',
      'counterfoil.tests.skipped': '0',
    });
    expect(bash.status).toEqual({ code: 2, message: 'error' });
    expect(byName(spans, 'execute_tool Task').status).toEqual({ code: 0 });
    expect(byName(spans, 'invoke_agent claude-code').events.map(({ name }) => name)).toEqual(['response']);
    const [{ resource, scopeSpans }] = readRequest(lines[0] ?? '').resourceSpans as [never];
    expect(valuesOf(resource)).toEqual({
      'service.name': 'claude-code',
      'counterfoil.origin': 'counterfoil/0123456789abcdef',
    });
    expect((scopeSpans as { scope: unknown }[])[0]?.scope).toEqual({ name: 'counterfoil', version: '1.2.3' });
  });

  it('tells of a model’s call by the names of the conventions', () => {
    const { spans } = exported([
      entry(1, 'model.call', {
        provider: 'anthropic',
        api: 'anthropic.messages',
        upstream: 'https://api.anthropic.com',
        model: 'claude-x',
        stream: true,
        parameters: { max_tokens: 64, temperature: 0.5, top_k: 3, metadata: { user_id: 'u' } },
        prompt_hash: HASH,
        receipt_id: '1-0f3c',
      }),
      entry(2, 'model.tool_use', { tool: 'add', tool_use_id: 'toolu_1' }, 1),
      entry(
        3,
        'model.result',
        {
          result: 'ok',
          status: 200,
          model: 'claude-x-1',
          response_id: 'msg_1',
          stop_reason: 'tool_use',
          tokens: { input: 10, output: 9, cache_read: 100, cache_write: null, reasoning: 4 },
          first_byte_ms: 250,
          duration_ms: 900,
        },
        1,
      ),
    ]);
    const span = byName(spans, 'chat claude-x');
    expect(span).toMatchObject({
      kind: 3,
      status: { code: 0 },
      startTimeUnixNano: at(1),
      endTimeUnixNano: at(3),
    });
    expect(span.parentSpanId).toBeUndefined();
    expect(valuesOf(span)).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-x',
      'gen_ai.request.stream': true,
      'gen_ai.request.max_tokens': '64',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.top_k': 3,
      'gen_ai.response.model': 'claude-x-1',
      'gen_ai.response.id': 'msg_1',
      'gen_ai.response.finish_reasons': ['tool_use'],
      'gen_ai.response.time_to_first_chunk': 0.25,
      // Anthropic counts what was cached apart, the conventions do not.
      'gen_ai.usage.input_tokens': '110',
      'gen_ai.usage.output_tokens': '9',
      'gen_ai.usage.cache_read.input_tokens': '100',
      'gen_ai.usage.reasoning.output_tokens': '4',
      'http.response.status_code': '200',
      'server.address': 'api.anthropic.com',
      'server.port': '443',
    });
    expect(valuesOf(span)).not.toHaveProperty(['gen_ai.usage.cache_creation.input_tokens']);
    expect(span.events.map((event) => [event.name, valuesOf(event)['gen_ai.tool.call.id']])).toEqual([
      ['model.tool_use', 'toolu_1'],
    ]);
  });

  it.each([
    [{ result: 'ok' }, undefined, 0],
    [{ result: 'error', error_code: 'rate_limit_error', status: 429 }, 'rate_limit_error', 2],
    [{ result: 'error', error_code: null, status: 503 }, '503', 2],
    [{ result: 'aborted', status: 200 }, 'aborted', 2],
    [{}, '_OTHER', 2],
  ])('ends a model’s call with %j as %s', (payload, type, code) => {
    const gemini = {
      provider: 'gemini',
      api: 'gemini.generate',
      model: 'g',
      upstream: 'http://127.0.0.1:8080',
    };
    const { spans } = exported([entry(1, 'model.call', gemini), entry(2, 'model.result', payload, 1)]);
    const span = byName(spans, 'generate_content g');
    expect(valuesOf(span)['error.type']).toBe(type);
    expect(span.status.code).toBe(code);
    expect(valuesOf(span)).toMatchObject({ 'gen_ai.provider.name': 'gcp.gemini', 'server.port': '8080' });
  });

  it('has validations as spans of the turn that they judge', () => {
    const validation = { validator: 'test_pass', claim: 4, grade: 'reported', policy_hash: HASH };
    const { spans } = exported([
      start,
      entry(2, 'prompt'),
      entry(3, 'response', {}, 2),
      entry(4, 'claim', { claim: 'tested', quote_hash: HASH }, 3),
      entry(5, 'validation', { ...validation, outcome: 'fail', code: 'STALE' }, 4),
      entry(6, 'validation', { ...validation, outcome: 'pass', code: null }, 4),
      entry(7, 'gate', { verdict: 'pass' }, 3),
      entry(8, 'notice', { origin: 'task-notification' }),
      entry(20, 'session.end'),
    ]);
    const [failed, passed] = spans.filter(({ name }) => name === 'validate test_pass');
    expect(failed).toMatchObject({ parentSpanId: idOf(2), status: { code: 2, message: 'fail: STALE' } });
    expect(passed).toMatchObject({ parentSpanId: idOf(2), status: { code: 1 } });
    expect(valuesOf(failed as Span)).toMatchObject({
      'gen_ai.evaluation.name': 'test_pass',
      'gen_ai.evaluation.score.label': 'fail',
      'counterfoil.claim': '4',
    });
    const turn = byName(spans, 'invoke_agent claude-code');
    expect(turn.endTimeUnixNano).toBe(at(7));
    expect(turn.events.map(({ name }) => name)).toEqual(['response', 'claim', 'gate', 'notice']);
  });

  it('ends what has no end where the session’s last entry is, and says so', () => {
    const { spans, open } = exported([
      start,
      entry(2, 'prompt'),
      entry(3, 'tool.call', { tool: 'Bash' }, 2),
      entry(4, 'tool.call', { tool: 'Read' }, 2),
      entry(5, 'tool.denied', { tool: 'Read', by: 'user' }, 4),
      entry(9, 'notice'),
      entry(11, 'note', {}, null, { session_id: 'f0'.repeat(32) }),
    ]);
    expect(open).toBe(3);
    const left = spans.filter((span) => valuesOf(span)['counterfoil.open'] === true);
    expect(left.map(({ name }) => name)).toEqual([
      'execute_tool Bash',
      'invoke_agent claude-code',
      'session claude-code',
    ]);
    for (const span of left) expect(span).toMatchObject({ endTimeUnixNano: at(9), status: { code: 0 } });
    expect(byName(spans, 'execute_tool Read').status).toEqual({ code: 2, message: 'denied by user' });
  });

  it('knows a call by its result alone, and a turn that nobody answered', () => {
    const { spans } = exported([
      entry(5, 'tool.result', { tool: 'Bash', result: 'ok', duration_ms: 2500 }, 4),
      entry(6, 'tool.result', { tool: 'Bash', result: 'ok', repeated: true }, 4),
      entry(7, 'prompt'),
      entry(8, 'prompt'),
      entry(9, 'response', {}, 8),
    ]);
    expect(byName(spans, 'execute_tool Bash')).toMatchObject({
      startTimeUnixNano: `${START + 2500}000000`,
      endTimeUnixNano: at(5),
    });
    const turns = spans.filter(({ name }) => name === 'invoke_agent');
    expect(turns.map((turn) => [turn.endTimeUnixNano, valuesOf(turn)['counterfoil.open']])).toEqual([
      [at(8), true],
      [at(9), undefined],
    ]);
  });

  it('lets no span end before it begins, whatever the clock said', () => {
    const back = { ts: '1969-12-31T23:59:59.000Z' };
    const { spans } = exported([
      entry(1, 'tool.call', { tool: 'a' }),
      entry(2, 'tool.result', { result: 'ok' }, 1, back),
      entry(3, 'tool.result', { tool: 'b', result: 'ok' }, null, back),
    ]);
    expect(spans[0]).toMatchObject({ startTimeUnixNano: at(1), endTimeUnixNano: at(1) });
    expect(spans[1]).toMatchObject({ startTimeUnixNano: '0', endTimeUnixNano: '0' });
    const far = { ts: '9999-12-31T23:59:59.999Z' };
    expect(exported([entry(1, 'tool.result', { result: 'ok' }, null, far)]).spans[0]).toMatchObject({
      endTimeUnixNano: '18446744073709000000',
    });
  });

  it('makes of an answer alone no more than it says', () => {
    const { spans } = exported([
      entry(2, 'model.result', { result: 'ok', model: 'm-1', duration_ms: 500 }, 1),
    ]);
    expect(valuesOf(byName(spans, 'model m-1'))).toMatchObject({ 'gen_ai.response.model': 'm-1' });
    expect(valuesOf(spans[0] as Span)).not.toHaveProperty(['gen_ai.request.model']);
  });

  it('reads payloads whatever is in them', () => {
    const kind = fc.constantFrom(
      ...'session.start session.end prompt response tool.call tool.result tool.denied model.call model.tool_use'.split(
        ' ',
      ),
      ...'model.result agent.start agent.end validation claim gate gap approval note'.split(' '),
    );
    const names = fc.constantFrom(
      ...'tool agent agent_id agent_type result error_code status tokens parameters upstream duration_ms'.split(
        ' ',
      ),
      ...'mcp tests first_byte_ms stop_reason provider api model outcome code repeated by'.split(' '),
    );
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('ok', 'error', 'anthropic', true, 1e300, -1, 'http://[::1]:99999', 'https://a:b:c'),
    ) as fc.Arbitrary<Json>;
    const some = fc.record({ kind, payload: fc.dictionary(names, value), cause: fc.nat(6) });
    fc.assert(
      fc.property(fc.array(some, { maxLength: 12 }), (list) => {
        exported(list.map(({ payload, cause, ...of }, i) => entry(i + 1, of.kind, payload, cause)));
      }),
    );
  });

  it('has no words of anybody in it, nor what users wrote of their own accord', () => {
    const secret = 'the words';
    const content: JsonObject = {
      text: secret,
      args: secret,
      output: secret,
      reason: secret,
      quote: secret,
      objective: secret,
      content: secret,
      payload: secret,
      messages: { added: [{ content: secret }] },
      notes: secret,
    };
    const kinds =
      'prompt response tool.call tool.result tool.denied model.call model.tool_use model.result agent.start agent.end validation claim gate contract notice observation note x.mine override receipt session.end';
    const { lines } = exported([
      start,
      ...kinds.split(' ').map((kind, i) => entry(i + 2, kind, kind === 'session.end' ? {} : content)),
    ]);
    expect(lines.join()).not.toContain(secret);
    expect(lines.join()).toContain('x.mine');
  });

  it('keeps sessions apart, each with the name of its agent', () => {
    const other = { session_id: '0'.repeat(64) };
    const { spans, lines } = exported([
      start,
      entry(2, 'session.start', { agent: 'codex' }, null, other),
      entry(3, 'tool.call', { tool: 'a' }, null, other),
      entry(4, 'tool.result', { result: 'ok' }, 3),
      entry(5, 'session.end', {}, null, other),
      entry(6, 'ledger.open', {}, null, { session_id: null }),
    ]);
    expect(byName(spans, 'session codex').traceId).toBe('1'.padStart(32, '0'));
    // A result of another session ends nothing here.
    expect(valuesOf(byName(spans, 'execute_tool a'))['counterfoil.open']).toBe(true);
    expect(
      readRequest(lines[0] ?? '').resourceSpans.map(({ resource }) => valuesOf(resource)['service.name']),
    ).toEqual(['claude-code', 'codex']);
  });

  it('writes a line when there is enough for one, and holds no more than so many sessions and events', () => {
    const log = exportOtlp({ version: '1' });
    let lines = '';
    for (let seq = 1; seq <= 12_000; seq++) {
      const id = createHash('sha256').update(`session ${seq}`).digest('hex');
      lines += log.add(entry(seq, 'tool.call', { tool: 'x'.repeat(200) }, null, { session_id: id }));
    }
    for (const line of lines.split('\n').slice(0, -1)) expect(line.length).toBeLessThan(1 << 20);
    expect(lines.match(/counterfoil\.open/g)?.length).toBeGreaterThan(1000);
    expect(log.end().open).toBe(12_000);

    const { spans } = exported([start, ...Array.from({ length: 200 }, (_, i) => entry(i + 2, 'note'))]);
    expect(spans[0]).toMatchObject({ droppedEventsCount: 72 });
    expect(spans[0]?.events).toHaveLength(128);
  });

  it('ends the oldest session when what is open would be too much to hold', () => {
    const log = exportOtlp({ version: '1' });
    const big = 'x'.repeat(60_000);
    let text = '';
    for (let seq = 1; seq <= 1300; seq++) text += log.add(entry(seq, 'tool.call', { tool: big }));
    expect(text).toContain('counterfoil.open');
    expect(log.end().open).toBe(1300);
  });
});
