// How a fork's calls are answered: from the record as long as they are equal, and never by a guess.
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../src/runtime/define.ts';
import { type RecordedCall, RecordedCalls } from '../../src/runtime/recorded-calls.ts';

const ask = defineTool({ name: 'ask', run: () => 'asked again' });
const add = defineTool({ name: 'add', pure: true, run: () => 0 });

function recorded(tool: string, input: number, output: string): RecordedCall {
  return { tool, input, end: { outcome: 'ok', output, error: null, ms: 1, outputBytes: 1, fuel: null } };
}

const CALLS = [recorded('ask', 1, 'first'), recorded('ask', 1, 'second'), recorded('add', 1, 'sum')];
const NONE = new Set<string>();

describe('calls of a fork', () => {
  it('O8 are answered in their order, each once, and then refused', () => {
    const calls = new RecordedCalls(CALLS, { live: false, impure: NONE });
    expect(calls.refuses(ask, 1)).toBe(false);
    expect(calls.take(ask, 1)?.output).toBe('first');
    expect(calls.take(ask, 1)?.output).toBe('second');
    expect(calls.refuses(ask, 1)).toBe(true);
    expect(calls.take(ask, 1)).toBeUndefined();
  });

  it('O8 with another input are refused, and made where that is asked for', () => {
    expect(new RecordedCalls(CALLS, { live: false, impure: NONE }).refuses(ask, 2)).toBe(true);
    const live = new RecordedCalls(CALLS, { live: true, impure: NONE });
    expect(live.refuses(ask, 2)).toBe(false);
    expect(live.take(ask, 2)).toBeUndefined();
    expect(live.take(ask, 1)?.output).toBe('first');
  });

  it('O8 of a pure tool run again, unless a replay found it impure', () => {
    const calls = new RecordedCalls(CALLS, { live: false, impure: NONE });
    expect(calls.refuses(add, 7)).toBe(false);
    expect(calls.take(add, 1)).toBeUndefined();
    const found = new RecordedCalls(CALLS, { live: false, impure: new Set(['add']) });
    expect(found.take(add, 1)?.output).toBe('sum');
    expect(found.refuses(add, 7)).toBe(true);
  });
});
