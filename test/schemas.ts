// The JSON Schemas of spec/schema, compiled by Ajv, which is there because the MCP SDK uses it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';

export const SPEC = join(import.meta.dirname, '../spec');
export const SCHEMAS = readdirSync(join(SPEC, 'schema'))
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length));

const compiled = new Map<string, ValidateFunction>();

/** `gateway_receipt.v1`, for one. */
export function schemaOf(name: string): ValidateFunction {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  // Strict: a word in a schema that means nothing is a mistake in it.
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allErrors: true,
  });
  const schema = JSON.parse(readFileSync(join(SPEC, `schema/${name}.json`), 'utf8')) as object;
  const validate = ajv.compile(schema);
  compiled.set(name, validate);
  return validate;
}

export function expectValid(name: string, value: unknown): void {
  const validate = schemaOf(name);
  validate(value);
  expect(validate.errors ?? [], name).toEqual([]);
}
