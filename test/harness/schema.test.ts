// C17: the JSON Schemas of packs, held against every vector and against the examples in the specification by Ajv, which
// is there because the MCP SDK uses it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { openPack } from '../../src/harness/index.ts';
import { packVectors, readVector } from './pack-vectors.ts';

const SPEC = join(import.meta.dirname, '../../spec');

function schema(name: string): ValidateFunction {
  // Strict: a word in a schema that means nothing is a mistake in it.
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true, strictTuples: false });
  return ajv.compile(JSON.parse(readFileSync(join(SPEC, 'schema', `${name}.json`), 'utf8')) as object);
}

const pack = schema('harness_pack.v1');
const disclosure = schema('pack_disclosure.v1');

function assertValid(validate: ValidateFunction, value: unknown): void {
  validate(value);
  expect(validate.errors ?? []).toEqual([]);
}

function manifest(name: string): JsonObject {
  const { files } = openPack(readVector(`accepted/${name}.tar.gz`));
  const bytes = files.find(({ path }) => path === 'manifest.json')?.bytes ?? new Uint8Array();
  return JSON.parse(Buffer.from(bytes).toString()) as JsonObject;
}

/** The examples of the page, with a hash wherever they leave one out. */
const examples = [...readFileSync(join(SPEC, 'pack.md'), 'utf8').matchAll(/```json\n(.*)\n```/g)].map(
  ([, text = '']) => {
    const whole = text
      .replace('"pack_hash_b64u":"…"', `"pack_hash_b64u":"${'A'.repeat(43)}"`)
      .replace('"content_b64":"…"', '"content_b64":"QmUgYnJpZWYuCg=="')
      .replace('"model":"…"', '"model":"a-model"');
    return JSON.parse(whole.replaceAll('"…"', `"${'0'.repeat(64)}"`)) as JsonObject;
  },
);
const example = (matches: (value: JsonObject) => boolean): JsonObject => {
  const found = examples.find(matches);
  if (found === undefined) throw new Error('the specification has no such example');
  return found;
};

describe('C17 harness_pack.v1.json', () => {
  it.each(packVectors.accepted)('takes the manifest of $name', ({ name }) => {
    assertValid(pack, manifest(name));
  });

  it('takes the examples of the specification', () => {
    const whole = example(({ schema }) => schema === 'harness_pack.v1');
    assertValid(pack, whole);
    for (const method of ['tests', 'rubric'])
      assertValid(pack, { ...whole, verification: example((value) => value.method === method) });
  });

  const good = manifest('every-folder-with-tests');
  const tests = good.verification as JsonObject;
  const rubric = manifest('rubric').verification as JsonObject;
  it.each<[string, JsonObject]>([
    ['another schema', { ...good, schema: 'harness_pack.v2' }],
    ['an added member', { ...good, author: 'x' }],
    ['a hash in capitals', { ...good, static_hash: 'A'.repeat(64) }],
    ['a pack hash with padding', { ...good, pack_hash_b64u: `${'A'.repeat(43)}=` }],
    ['a pack hash with stray bits', { ...good, pack_hash_b64u: `${'A'.repeat(42)}B` }],
    ['no tool policy', { ...good, file_hashes: {} }],
    ['a static file among the others', { ...good, file_hashes: good.static_file_hashes as JsonObject }],
    ['another file among the static', { ...good, static_file_hashes: good.file_hashes as JsonObject }],
    ['no tests', { ...good, verification: { ...tests, tests: [] } }],
    ['a test twice', { ...good, verification: { ...tests, tests: ['a', 'a'] } }],
    ['no program', { ...good, verification: { ...tests, command: [''] } }],
    ['no time', { ...good, verification: { ...tests, timeout_seconds: 0 } }],
    ['too many votes', { ...good, verification: { ...rubric, votes: 26 } }],
    ['both methods', { ...good, verification: { ...tests, ...rubric } }],
    ...Object.keys(good).map((name): [string, JsonObject] => {
      const { [name]: _, ...others } = good;
      return [`no ${name}`, others];
    }),
  ])('refuses %s', (_, value) => {
    expect(pack(value)).toBe(false);
  });
});

describe('C17 pack_disclosure.v1.json', () => {
  const good = packVectors.disclosures.filter(({ valid }) => valid);
  it.each(good)('takes $name', (vector) => {
    assertValid(disclosure, vector.disclosure);
  });

  it('takes the example of the specification', () => {
    assertValid(
      disclosure,
      example(({ schema }) => schema === 'pack_disclosure.v1'),
    );
  });

  it.each([
    'another schema',
    'an added member',
    'a member left out',
    'negative index',
    'index with a fraction',
    'size of 0',
    'hash in capitals',
    'hash cut short',
    'hash that is a number',
    'root in capitals',
    'content without padding',
    'content in base64url',
  ])('refuses %s', (name) => {
    const vector = packVectors.disclosures.find((each) => each.name === name && !each.valid);
    expect(vector).toBeDefined();
    expect(disclosure(vector?.disclosure)).toBe(false);
  });
});
