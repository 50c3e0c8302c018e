// C17: the JSON Schema of bundles, held against every vector and the example in the specification.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { parseTar } from '../../src/format/index.ts';
import { expectValid, SPEC, schemaOf } from '../schemas.ts';
import { readBundle, readCases } from './run-bundles.ts';

const validate = schemaOf('proof_bundle.v1');

/** As the file has it, by whoever reads no more than tar, JSON and base64. */
function payloadOf(file: string): JsonObject {
  const found = parseTar(readBundle({ file })).find(({ path }) => path === 'bundle.json');
  const { payload } = JSON.parse(Buffer.from(found?.bytes ?? []).toString()) as { payload: string };
  return JSON.parse(Buffer.from(payload, 'base64').toString()) as JsonObject;
}

const assertValid = (value: unknown): void => expectValid('proof_bundle.v1', value);
const cases = readCases();
const good = payloadOf('with-pack.bundle');

describe('C17 proof_bundle.v1.json', () => {
  it.each(cases.filter(({ expect: { verdict } }) => verdict === 'PASS'))('takes $name', ({ file }) => {
    assertValid(payloadOf(file));
  });

  it('takes the example of the specification', () => {
    const page = readFileSync(join(SPEC, 'bundle.md'), 'utf8');
    const [, text = ''] = /```json\n(\{"created".*?)\n```/s.exec(page) ?? [];
    const whole = text
      .replaceAll('"<hex>"', `"${'0'.repeat(64)}"`)
      .replaceAll('"<git hash>"', `"${'0'.repeat(40)}"`)
      .replaceAll('_b64u":"…"', `_b64u":"${'A'.repeat(43)}"`);
    const example = JSON.parse(whole) as JsonObject;
    // The example shows one part of several.
    assertValid({ ...example, parts: { ...(good.parts as JsonObject) } });
  });

  const set = (path: string, value: Json): JsonObject => {
    const put = (of: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject => ({
      ...of,
      [name]: rest.length === 0 ? value : put(of[name] as JsonObject, rest),
    });
    return put(good, path.split('/'));
  };
  const { 'proof.json': _, ...fewer } = good.parts as JsonObject;
  it.each<[string, JsonObject]>([
    ['another schema', set('schema', 'proof_bundle.v2')],
    ['an added member', set('verified_by', 'me')],
    ['an added member of the harness', set('metadata/harness/author', 'me')],
    ['a date without milliseconds', set('created', '2026-11-16T09:00:00Z')],
    ['a count below zero', set('entries', -1)],
    ['a hash in capitals', set('event_chain_root', 'A'.repeat(64))],
    ['a pack hash with stray bits', set('metadata/harness/pack_hash_b64u', `${'A'.repeat(42)}B`)],
    ['a harness without a pack', set('metadata/harness/pack_root', null)],
    ['more prompts than are listed', set('inputs/more_prompts', true)],
    ['a commit that is none', set('inputs/commit', 'HEAD')],
    [
      'a part that no bundle has',
      set('parts', { ...(good.parts as JsonObject), 'notes.txt': '0'.repeat(64) }),
    ],
    ['a part of which it needs every one', set('parts', fewer)],
    ...Object.keys(good).map((name): [string, JsonObject] => {
      const { [name]: _, ...others } = good;
      return [`no ${name}`, others];
    }),
  ])('refuses %s', (_, value) => {
    expect(validate(value)).toBe(false);
  });

  it.each(['member-added', 'another-schema', 'harness-without-a-pack', 'part-of-no-kind', 'no-entries'])(
    'refuses the vector %s',
    (name) => {
      expect(validate(payloadOf(`${name}.bundle`))).toBe(false);
    },
  );
});
