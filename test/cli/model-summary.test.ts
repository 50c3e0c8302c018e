// A line of `foil log` for what passes the gateway: who was asked, what came back.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { summarize } from '../../src/report/entry-summary.ts';

const entry = (kind: string, payload: JsonObject): Entry => ({ kind, payload }) as Entry;

describe('a line for a model call', () => {
  it.each<[string, JsonObject, string]>([
    [
      'model.call',
      { model: 'claude-x', stream: true, messages: { count: 12, kept: 10 }, request_bytes: 2048 },
      'claude-x  12 messages, 2 new  2.0 kB  streamed',
    ],
    ['model.call', { model: null, method: 'GET', path: '/v1/models', messages: null }, 'GET /v1/models'],
    ['model.tool_use', { tool: 'Bash', tool_use_id: 'toolu_1', whole: true }, 'Bash  toolu_1'],
    ['model.tool_use', { tool: 'Bash', tool_use_id: null, whole: false }, 'Bash  broken off'],
    ['model.tool_result', { tool_use_id: 'toolu_1', error: true }, 'toolu_1  failed'],
    [
      'model.result',
      {
        result: 'ok',
        status: 200,
        stop_reason: 'end_turn',
        tokens: { input: 10, output: 9, cache_read: 4 },
        duration_ms: 74,
      },
      'ok  end_turn  10 + 4 cached → 9 tokens  74 ms',
    ],
    [
      'model.result',
      {
        result: 'incomplete',
        error_code: 'UPSTREAM_CLOSED',
        status: 529,
        tokens: { input: null, output: null },
        duration_ms: null,
      },
      'incomplete UPSTREAM_CLOSED  HTTP 529',
    ],
    ['receipt', { id: '52-0f', model: 'claude-x', status: 200 }, '52-0f  claude-x  HTTP 200'],
    ['gateway.key', { version: 2, public_key: 'ab'.repeat(32) }, 'version 2, key abababab'],
  ])('%s %j', (kind, payload, line) => {
    expect(summarize(entry(kind, payload))).toBe(line);
  });

  it('holds whatever a payload does', () => {
    for (const kind of [
      'model.call',
      'model.tool_use',
      'model.tool_result',
      'model.result',
      'receipt',
      'gateway.key',
    ])
      for (const payload of [{}, { messages: [], tokens: 1, version: 'x', tool: {}, id: null }])
        expect(typeof summarize(entry(kind, payload as JsonObject))).toBe('string');
  });
});
