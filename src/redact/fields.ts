// Forms and tables as data: `{ selector: '#password', text: '…' }` names a field in one member and has what was typed in
// another; `{ columns: […], rows: [[…]] }` names the cells of each row. Labels and texts of pages have the same form, so
// what was typed must be one word, or a phrase, that says nothing about a secret.
import { isObject, type Json, type JsonObject } from '../core/index.ts';
import type { SenseOf } from './key-names.ts';
import { MEDIUM, type NameSense, NONE, NOTHING, STRONG } from './key-names.ts';
import { hasMarker } from './marker.ts';
import { isPhrase } from './phrases.ts';
import { isAbout, isLooseReference, looksSecret } from './secret-shape.ts';

const FIELDS =
  'selector label field name key type element id target placeholder locator ariaLabel aria-label css xpath'.split(
    ' ',
  );
const TYPED: ReadonlySet<string> = new Set(['text', 'value', 'content', 'input', 'val', 'keys']);
const COLUMNS = ['columns', 'headers', 'header', 'fields', 'cols'];
const ROWS: ReadonlySet<string> = new Set(['rows', 'data', 'values', 'records']);
const LONGEST_FIELD = 128;
const LONGEST_TYPED = 256;
const SHORTEST_TYPED = 4;
/** Most fields are none for a secret, which shows by a piece of a word. */
const STEM = /pass|pwd|secret|token|key|cred/i;
/** What kind of control it is, behind its name: `Password input field`, `#passwordInput`, `Password (required)`. */
const CONTROL = /(?:[-_ ]?(?:text ?box|input|field|box|entry|required|\([^()]*\)|[*:]))+$/i;
const IS_SELECTOR = /[#.[\]='"()>/@]/;

/** What the member `name` promises, if it holds what was typed into a field for a secret. */
export function senseOfTyped(object: JsonObject, name: string, senseOf: SenseOf): NameSense {
  if (!TYPED.has(name)) return NOTHING;
  const value = object[name];
  if (typeof value !== 'string' || value.length < SHORTEST_TYPED || value.length > LONGEST_TYPED)
    return NOTHING;
  for (const member of FIELDS) {
    const field = object[member];
    if (typeof field !== 'string' || field.length > LONGEST_FIELD || !STEM.test(field)) continue;
    const sense = senseOfField(field, senseOf);
    if (sense.level >= MEDIUM && isTyped(value, sense)) return sense;
  }
  return NOTHING;
}

function senseOfField(field: string, senseOf: SenseOf): NameSense {
  const label = field.replace(CONTROL, '');
  const names = IS_SELECTOR.test(label) ? label.split(/[^\w-]+/) : [label];
  for (const part of names) {
    const name = part.replace(CONTROL, '');
    const sense = name === '' || hasMarker(name) ? NOTHING : senseOf(name, 0, name.length);
    if (sense.level >= MEDIUM) return sense;
  }
  return NOTHING;
}

function isTyped(value: string, { level, id }: NameSense): boolean {
  if (hasMarker(value) || isLooseReference(value) || isAbout(value)) return false;
  if (/\s/.test(value.trim())) return isPhrase(value);
  const isFirm = level >= STRONG && !/^(?:token|session|cookie|auth)$/.test(id);
  return isFirm || looksSecret(value);
}

/** What the columns of the rows in the member `name` promise; undefined if none of them promises a secret. */
export function sensesOfColumns(
  object: JsonObject,
  name: string,
  senseOf: SenseOf,
): readonly NameSense[] | undefined {
  if (!ROWS.has(name)) return undefined;
  for (const member of COLUMNS) {
    const columns = object[member];
    if (!Array.isArray(columns)) continue;
    const senses = columns.map((column: Json) => senseOfColumn(column, senseOf));
    if (senses.some(({ level }) => level !== NONE)) return senses;
  }
  return undefined;
}

function senseOfColumn(column: Json, senseOf: SenseOf): NameSense {
  const name = isObject(column) ? (column.name ?? column.field) : column;
  if (typeof name !== 'string' || name.length > LONGEST_FIELD || hasMarker(name)) return NOTHING;
  const sense = senseOf(name, 0, name.length);
  return sense.level >= MEDIUM ? sense : NOTHING;
}

const STATEMENTS = ['sql', 'query', 'statement', 'text'];
const PARAMETERS: ReadonlySet<string> = new Set('params parameters values args bindings binds'.split(' '));
const LONGEST_STATEMENT = 8192;
const INSERT =
  /\binsert\s+into\s+[^\s(]{1,128}\s{0,8}\(([^()]{2,1000})\)\s{0,8}values\s{0,8}\(([^()]{1,1000})\)/i;
const PLACEHOLDER = /^\s*(?:\?|\$\d+|%s|:\w+|@\w+)\s*$/;
const COMPARED = /([A-Za-z_]\w{1,63})["`]?\s{0,4}=\s{0,4}(?:\?|\$\d+|%s)/g;

/** What the values of a statement's placeholders promise, in order; undefined if none of them promises a secret. */
export function sensesOfParameters(
  object: JsonObject,
  name: string,
  senseOf: SenseOf,
): readonly NameSense[] | undefined {
  if (!PARAMETERS.has(name)) return undefined;
  for (const member of STATEMENTS) {
    const sql = object[member];
    if (typeof sql !== 'string' || sql.length > LONGEST_STATEMENT || !STEM.test(sql)) continue;
    const senses = columnsOf(sql).map((column) => senseOfColumn(column.replace(/[\s"'`[\]]/g, ''), senseOf));
    if (senses.some(({ level }) => level !== NONE)) return senses;
  }
  return undefined;
}

function columnsOf(sql: string): string[] {
  const insert = INSERT.exec(sql);
  if (insert === null) return [...sql.matchAll(COMPARED)].map((found) => found[1] ?? '');
  const columns = (insert[1] ?? '').split(',');
  const values = (insert[2] ?? '').split(',');
  return columns.filter((_, i) => PLACEHOLDER.test(values[i] ?? ''));
}
