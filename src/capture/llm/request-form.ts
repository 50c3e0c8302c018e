// A request in its normal form, so that what an agent asks in a replay can be held against what it asked then. What differs
// from one run to the next and means nothing is left out or has one name: ids, dates, and where its home and its temporary
// folder are. All else counts. Pure, and it never throws.
import {
  asItCame,
  canonicalize,
  isObject,
  type Json,
  type JsonObject,
  parsePlainBytes,
} from '../../core/index.ts';
import type { ReplayPlaces, RequestPart } from '../../format/index.ts';

/** A text without what means nothing. */
export type Normal = (text: string) => string;

/** Members that an API defines to tell clients and caches apart. A model's answer does not depend on them. */
const OF_THE_CLIENT = new Set([
  'metadata',
  'client_metadata',
  'prompt_cache_key',
  'safety_identifier',
  'user',
]);

/** The same, which Codex puts into each message. */
const OF_A_MESSAGE = 'internal_chat_message_metadata_passthrough';

const ID = /(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f])/gi;
const DATE = /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?(?!\d)/g;
const DAY =
  /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? +)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* +\d{1,2}(?:,? +\d\d:\d\d(?::\d\d)?|,? +\d{4})*(?!\d)/g;
/** Claude Code's word on itself, of which one number is made anew for each request. */
const BILLING = /\bcch=[0-9a-f]+/g;
/** What Codex's shell tool says of itself before each output. */
const SHELL_FACTS = /^(Chunk ID: |Wall time: )[0-9a-f.]+(?= seconds$|$)/gm;
/** What git says of a commit: a new one has another hash each time, because its date is in it. */
const COMMITTED = /^(\[[^\]\n]{1,250} )[0-9a-f]{7,64}(?=\] )/gm;
/** What a user's own folder in a temporary one is called: by the number of the user, who is another one in a sandbox. */
const OWN_FOLDER = /<temporary>\/([a-z]+)-\d+(?=\/)/g;

/** `places`: each that the agent has, or had. */
export function normalForm(places: readonly ReplayPlaces[]): Normal {
  const known = places
    .flatMap(({ home, temporary }) => [
      { path: home ?? '', name: '<home>' },
      { path: temporary, name: '<temporary>' },
    ])
    .filter(({ path }) => path.length > 1)
    .sort((a, b) => b.path.length - a.path.length);
  return (text) => {
    const placed = known.reduce((said, { path, name }) => replacePath(said, path, name), text);
    return placed
      .replace(OWN_FOLDER, '<temporary>/$1-<user>')
      .replace(ID, '<id>')
      .replace(DATE, '<date>')
      .replace(DAY, '<date>')
      .replace(BILLING, 'cch=<id>')
      .replace(SHELL_FACTS, '$1<id>')
      .replace(COMMITTED, '$1<id>');
  };
}

/** Where it ends as a name does: `/tmp` is not the beginning of `/tmpfs`. */
function replacePath(text: string, path: string, name: string): string {
  const [first = '', ...rest] = text.split(path);
  return rest.reduce((said, next) => `${said}${/^[\w-]/.test(next) ? path : name}${next}`, first);
}

/** `body` is decoded. What two readers may take for two values is one part, as it came. */
export function requestParts(body: Uint8Array, normal: Normal): RequestPart[] {
  if (body.length === 0) return [];
  const { value, doubt } = parsePlainBytes(body);
  if (doubt !== null || !isObject(value ?? null))
    return [{ name: 'body', text: textOf(asItCame(body), normal) }];
  return Object.entries(value as JsonObject)
    .filter(([name]) => !OF_THE_CLIENT.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, member]) =>
      Array.isArray(member)
        ? (member as readonly Json[]).map((each, i) => ({
            name: `${name}[${i}]`,
            text: textOf(each, normal),
          }))
        : [{ name, text: textOf(member, normal) }],
    );
}

function textOf(value: Json, normal: Normal): string {
  const plain = normalized(value, normal);
  try {
    return canonicalize(plain);
  } catch {
    return JSON.stringify(plain);
  }
}

function normalized(value: Json, normal: Normal): Json {
  if (typeof value === 'string') return normal(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => normalized(each, normal));
  if (!isObject(value)) return value;
  const members = Object.entries(value as JsonObject).filter(([name]) => name !== OF_A_MESSAGE);
  return Object.fromEntries(members.map(([name, member]) => [name, normalized(member, normal)]));
}
