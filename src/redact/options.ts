// What counterfoil.yaml says under `redact`: rules added and removed, names added and removed. The file lies in the
// work tree, where an agent can write, so it is parsed strictly and can't make redaction slow.
import { ParseError } from '../core/index.ts';
import { NAMED, normalizeName } from './key-names.ts';
import { type PatternRule, parsePattern } from './pattern.ts';
import { ruleIds } from './rules.ts';

export interface RedactOptions {
  readonly add?: readonly PatternRule[];
  /** Ids of built-in rules to leave out. */
  readonly remove?: readonly string[];
  /** Names of members and variables, in any spelling: `patientName` is also `PATIENT_NAME`. */
  readonly keys?: { readonly add?: readonly string[]; readonly remove?: readonly string[] };
}

const MOST = 100;

/** Throws ParseError with the path of the member at fault. */
export function parseRedactOptions(input: unknown, path = 'redact'): RedactOptions {
  if (input === undefined || input === null) return {};
  const { add, remove, keys } = members(input, path, ['add', 'remove', 'keys']);
  const known = ruleIds();
  const options: RedactOptions = {
    ...(add !== undefined && {
      add: list(add, `${path}.add`).map((rule, i) => parseRule(rule, `${path}.add[${i}]`, known)),
    }),
    ...(remove !== undefined && {
      remove: strings(remove, `${path}.remove`).map((id, i) => {
        if (!known.includes(id)) fail(`no rule is called \`${id}\``, `${path}.remove[${i}]`);
        return id;
      }),
    }),
    ...(keys !== undefined && { keys: parseKeys(keys, `${path}.keys`) }),
  };
  return options;
}

function parseRule(input: unknown, path: string, known: readonly string[]): PatternRule {
  const { id, pattern } = members(input, path, ['id', 'pattern']);
  if (typeof id !== 'string' || !/^[a-z][a-z0-9-]{1,39}$/.test(id))
    return fail(
      'must have 2 to 40 lower-case letters, digits and `-`, and must begin with a letter',
      `${path}.id`,
    );
  if (known.includes(id) || id === NAMED) fail(`\`${id}\` is the name of a built-in rule`, `${path}.id`);
  if (typeof pattern !== 'string') return fail('must be a string', `${path}.pattern`);
  parsePattern(pattern, `${path}.pattern`);
  return { id, pattern };
}

function parseKeys(input: unknown, path: string): { add?: string[]; remove?: string[] } {
  const { add, remove } = members(input, path, ['add', 'remove']);
  const names = (value: unknown, where: string) =>
    strings(value, where).map((name, i) => {
      if (name.length > 128 || normalizeName(name) === '')
        fail('must be a name with letters in it', `${where}[${i}]`);
      return name;
    });
  return {
    ...(add !== undefined && { add: names(add, `${path}.add`) }),
    ...(remove !== undefined && { remove: names(remove, `${path}.remove`) }),
  };
}

function members(input: unknown, path: string, allowed: readonly string[]): Record<string, unknown> {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return fail('must be a mapping', path);
  const unknown = Object.keys(input).find((name) => !allowed.includes(name));
  if (unknown !== undefined) fail(`is unknown; expected ${allowed.join(', ')}`, `${path}.${unknown}`);
  return { ...input };
}

function list(input: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(input)) return fail('must be a list', path);
  if (input.length > MOST) fail(`has more than ${MOST} items`, path);
  return input;
}

function strings(input: unknown, path: string): string[] {
  return list(input, path).map((item, i) =>
    typeof item === 'string' ? item : fail('must be a string', `${path}[${i}]`),
  );
}

function fail(why: string, path: string): never {
  throw new ParseError('BAD_MEMBER', why, path);
}
