// What `AgentInit` says of a tool in a cell: exactly these members, and none where there is no cell.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { encodeAgentInit, parseRunPayload } from '../../src/format/index.ts';

const { events } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../spec/vectors/run.json'), 'utf8'),
) as { events: { payload: JsonObject }[] };
const init = events[0]?.payload as JsonObject;
const CELL = { module: 'a/t.mjs', fuel: 1000, memory_bytes: 1024 };
const withCell = (cell: unknown): JsonObject => ({
  ...init,
  tools: [{ ...(init.tools as JsonObject[])[0], cell }] as JsonObject[],
});

describe('a tool in a cell, as AgentInit has it', () => {
  it('is read and written in one form', () => {
    const payload = withCell(CELL);
    const parsed = parseRunPayload('AgentInit', payload);
    if (parsed.kind !== 'AgentInit') throw new Error('not read');
    expect(parsed.init.tools[0]?.cell).toEqual({ module: 'a/t.mjs', fuel: 1000, memoryBytes: 1024 });
    const bundle = (payload.code as JsonObject).bundle as JsonObject;
    expect(encodeAgentInit(parsed.init, bundle)).toEqual(payload);
  });

  it.each([
    ['null', null],
    ['a flag', true],
    ['without its module', { fuel: 1, memory_bytes: 1 }],
    ['with a member more', { ...CELL, ms: 1 }],
    ['with fuel below 0', { ...CELL, fuel: -1 }],
    ['with half a byte', { ...CELL, memory_bytes: 0.5 }],
    ['with a module that is no text', { ...CELL, module: 1 }],
  ])('is refused: %s', (_, cell) => {
    expect(() => parseRunPayload('AgentInit', withCell(cell))).toThrow(/tools\[0\]/);
  });

  it('takes `fuel` as the outcome of a result', () => {
    const usage = { ms: 1, output_bytes: 0 };
    const result = {
      tool_id: 't',
      output: null,
      success: false,
      outcome: 'fuel',
      error: 'x',
      fuel_consumed: 9,
      usage,
    };
    expect(parseRunPayload('ToolResult', result)).toMatchObject({ outcome: 'fuel' });
    expect(() => parseRunPayload('ToolResult', { ...result, outcome: 'memory' })).toThrow(/outcome/);
  });
});
