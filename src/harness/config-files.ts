// Agents' settings as they go into a pack: as one canonical JSON a file, with the names of environment variables and
// headers in place of their values, and without what looks like a secret.
import { isObject, type Json } from '../core/index.ts';
import type { RedactionCounts, Redactor } from '../redact/index.ts';

/** Members that hold values of the environment or of requests: their names shape an agent, their values are secrets. */
const VARIABLES: ReadonlySet<string> = new Set(['env', 'environment', 'env_vars']);
const HEADERS: ReadonlySet<string> = new Set([
  'headers',
  'http_headers',
  'env_http_headers',
  'requestHeaders',
]);

export interface PackedSettings {
  readonly value: Json;
  /** Names of environment variables that it gives to programs. */
  readonly variables: readonly string[];
  readonly redacted: RedactionCounts;
}

export function packSettings(value: Json, redactor: Redactor): PackedSettings {
  const variables: string[] = [];
  const redacted: RedactionCounts = {};
  const named = namesOnly(value, variables);
  return { value: redactor.value(named, redacted), variables, redacted };
}

function namesOnly(value: Json, variables: string[], within = ''): Json {
  if (Array.isArray(value)) return value.map((each: Json) => namesOnly(each, variables));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      // Codex sets variables for every command under this name.
      const isVariables = VARIABLES.has(name) || (within === 'shell_environment_policy' && name === 'set');
      const names = isVariables || HEADERS.has(name) ? namesIn(each) : null;
      if (names === null) return [name, namesOnly(each, variables, name)];
      if (isVariables) variables.push(...names);
      return [name, names];
    }),
  );
}

/** Of an object its members, of a list of `NAME`, `NAME=value` or `Name: value` the names; null for anything else. */
function namesIn(value: Json): string[] | null {
  if (isObject(value)) return Object.keys(value).sort();
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string')) return null;
  return value.map((each) => (/^[^=:]*/.exec(each as string)?.[0] ?? '').trim()).sort();
}
