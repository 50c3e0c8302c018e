// The line of an event is written from the text that its payload is hashed as: it must be the line that the event's members give.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalize, type JsonObject } from '../../src/core/index.ts';
import {
  EVENT_CANONICAL,
  encodeRunEvent,
  encodeRunEventText,
  parseRunEvent,
  payloadTextOf,
  type RunEvent,
  runEventId,
} from '../../src/format/index.ts';

const RUN = 'ab'.repeat(32);
const EVENT: RunEvent = {
  run: RUN,
  sequence: 7,
  parent: runEventId(RUN, 6),
  kind: 'Observation',
  payload: null,
  content: null,
  payloadHash: '1'.repeat(64),
  stateBefore: '2'.repeat(64),
  stateAfter: '3'.repeat(64),
  cause: null,
};

/** Integers that an entry may not hold are refused before this. */
function withoutLarge(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, each: unknown) =>
    Number.isInteger(each) && !Number.isSafeInteger(each) ? 0 : each,
  );
}

function same(event: RunEvent): void {
  const inner = event.payload === null ? null : canonicalize(event.payload, EVENT_CANONICAL);
  const { text } = encodeRunEventText(event, inner);
  expect(text).toBe(canonicalize(encodeRunEvent(event)));
  expect(parseRunEvent(JSON.parse(text) as JsonObject)).toEqual(event);
  expect(payloadTextOf(event, text)).toBe(inner);
}

it('O1 writes an event as its members give it, whatever its payload is', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }).map(withoutLarge)),
      fc.nat(),
      (value, sequence) => {
        const payload = JSON.parse(canonicalize({ value: value as JsonObject })) as JsonObject;
        same({ ...EVENT, sequence, payload, cause: runEventId(RUN, sequence) });
      },
    ),
    { numRuns: 200 },
  );
});

it('writes one whose payload is content, one that is not kept, and the first of all', () => {
  same({ ...EVENT, content: { algorithm: 'sha256', hash: '4'.repeat(64), bytes: 5, type: 'text/plain' } });
  same(EVENT);
  same({ ...EVENT, sequence: 0, parent: null, stateBefore: null, kind: 'AgentInit', payload: { a: 1 } });
});

it('O1 finds the text of a payload that looks like the event around it', () => {
  const inner = encodeRunEvent({ ...EVENT, payload: { value: '"payload":{},"payload_hash":""' } });
  same({ ...EVENT, payload: { payload: inner, payload_hash: '', timestamp: { run_id: RUN, sequence: 7 } } });
});

it('refuses a malformed reference in a payload', () => {
  const text = canonicalize({ value: { $content: 'none' } });
  expect(() => encodeRunEventText(EVENT, text)).toThrow('not a content commitment');
});
