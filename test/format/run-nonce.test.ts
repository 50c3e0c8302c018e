// `nonce` of `AgentInit`: 64 hex digits, or left out, as in runs that began before there was one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { encodeAgentInit, parseRunPayload } from '../../src/format/index.ts';

const { events } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../spec/vectors/run.json'), 'utf8'),
) as { events: { payload: JsonObject }[] };
const init = events[0]?.payload as JsonObject;

it.each([
  ['of 64 digits', { ...init, nonce: '0f'.repeat(32) }, '0f'.repeat(32)],
  ['left out', init, null],
])('O2 a nonce is read and written in one form: %s', (_, payload, nonce) => {
  const parsed = parseRunPayload('AgentInit', payload);
  if (parsed.kind !== 'AgentInit') throw new Error('not read');
  expect(parsed.init.nonce).toBe(nonce);
  expect(encodeAgentInit(parsed.init, (init.code as JsonObject).bundle as JsonObject)).toEqual(payload);
});

it.each<Json>([null, '', '0f'.repeat(31), '0F'.repeat(32), 1])('O2 a nonce is refused: %j', (nonce) => {
  expect(() => parseRunPayload('AgentInit', { ...init, nonce })).toThrow(/nonce/);
});
