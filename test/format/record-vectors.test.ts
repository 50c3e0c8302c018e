// The vectors of spec/vectors/record.json, by the parsers and by the schema.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type JsonObject, ParseError } from '../../src/core/index.ts';
import {
  encodeCustody,
  encodeRelease,
  encodeReplayAnswer,
  encodeReplayPolicy,
  encodeReplayStart,
  encodeRunReplay,
  parseCustody,
  parseRelease,
  parseReplayAnswer,
  parseReplayPolicy,
  parseReplayStart,
  parseRunReplay,
} from '../../src/format/index.ts';
import { SPEC, schemaOf } from '../schemas.ts';
import { recordVectors } from './make-record-vectors.ts';

const FILE = join(SPEC, 'vectors/record.json');
if (process.env.UPDATE_VECTORS === '1') writeFileSync(FILE, `${JSON.stringify(recordVectors(), null, 1)}\n`);
const { cases } = JSON.parse(readFileSync(FILE, 'utf8')) as ReturnType<typeof recordVectors>;

/** What is read, and written again. */
const AGAIN: Readonly<Record<string, (payload: JsonObject) => JsonObject>> = {
  'replay.policy': (payload) => encodeReplayPolicy(parseReplayPolicy(payload)),
  'replay.start': (payload) => encodeReplayStart(parseReplayStart(payload)),
  'replay.answer': (payload) => encodeReplayAnswer(parseReplayAnswer(payload)),
  'run.replay': (payload) => encodeRunReplay(parseRunReplay(payload)),
  custody: (payload) => encodeCustody(parseCustody(payload)),
  release: (payload) => encodeRelease(parseRelease(payload)),
};
/** What only the parser can tell. */
const BEYOND_SCHEMA = new Set(['a key that is none']);

describe('payloads of record', () => {
  it('are as they were made', () => {
    expect(cases).toEqual(recordVectors().cases);
  });

  it('O8 O12 are taken in one form, and refused in any other', () => {
    const validate = schemaOf('record_payload.v1');
    for (const { kind, name, payload, valid } of cases) {
      const again = AGAIN[kind];
      if (again === undefined) throw new Error(`no parser of ${kind}`);
      if (valid) expect(again(payload), `${kind}: ${name}`).toEqual(payload);
      else expect(() => again(payload), `${kind}: ${name}`).toThrow(ParseError);
      if (!BEYOND_SCHEMA.has(name))
        expect([kind, name, validate({ kind, payload })]).toEqual([kind, name, valid]);
    }
  });
});
