// C17: the JSON Schemas of packs, held against every vector and against the examples in the specification.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { openPack } from '../../src/harness/index.ts';
import { expectValid, SPEC, schemaOf } from '../schemas.ts';
import { packVectors, readVector } from './pack-vectors.ts';

const pack = 'harness_pack.v1';
const disclosure = 'pack_disclosure.v1';

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
    expectValid(pack, manifest(name));
  });

  it('takes the examples of the specification', () => {
    const whole = example(({ schema }) => schema === 'harness_pack.v1');
    expectValid(pack, whole);
    for (const method of ['tests', 'rubric'])
      expectValid(pack, { ...whole, verification: example((value) => value.method === method) });
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
    expect(schemaOf(pack)(value)).toBe(false);
  });
});

describe('C17 pack_disclosure.v1.json', () => {
  const good = packVectors.disclosures.filter(({ valid }) => valid);
  it.each(good)('takes $name', (vector) => {
    expectValid(disclosure, vector.disclosure);
  });

  it('takes the example of the specification', () => {
    expectValid(
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
    expect(schemaOf(disclosure)(vector?.disclosure)).toBe(false);
  });
});
