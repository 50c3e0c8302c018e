// The payload of `contract`: what a prompt asks for, as far as it could be read from it. An empty one is honest.
import type { JsonObject } from '../core/index.ts';
import { parseContentRef } from './content.ts';
import type { Contract, LadderHop, TargetFields } from './evidence.ts';
import {
  cut,
  cutAll,
  exactly,
  fitted,
  flag,
  hash,
  object,
  objects,
  oneOf,
  orNull,
  shortText,
  shortTexts,
} from './members.ts';
import type { Kept } from './recorded.ts';

/** Words of a message or a prompt: their hash, and a reference to them, or null where nothing is kept. */
export type Quoted = Pick<Kept, 'hash' | 'ref'>;

export interface RecordedContract extends Contract {
  /** The sentence that says what is wanted; null where none does. */
  readonly objective: Quoted | null;
  /**
   * The prompt's other words, as a JSON list. They bind nothing, and they are content: erased with the session, where
   * `fields.keywords` would stay for ever. Absent where there are none, and in entries of before they were kept.
   */
  readonly keywords?: Quoted;
}

const CAPABILITIES: readonly LadderHop['capability'][] = ['fetch', 'read', 'search', 'run'];
const FIELDS: readonly (keyof TargetFields)[] = [
  'paths',
  'urls',
  'backtick_tokens',
  'command_hints',
  'keywords',
];
const MODES: readonly Contract['responseMode'][] = ['free', 'foil_final'];
const MOST = 32;
const LONGEST = 256;
const LONGEST_WORD = 64;
/** Of a line. */
const BYTES = 40_000;

export function encodeContract(contract: RecordedContract): JsonObject {
  const { fields, objective } = contract;
  return fitted<JsonObject>(BYTES, [MOST, 12, 4], (most) => ({
    intent: cut(contract.intent, LONGEST_WORD),
    objective: objective?.ref ?? null,
    objective_hash: objective?.hash ?? null,
    target_fields: {
      paths: cutAll(fields.paths, most, LONGEST),
      urls: cutAll(fields.urls, most, LONGEST),
      backtick_tokens: cutAll(fields.backtick_tokens, most, LONGEST),
      command_hints: cutAll(fields.command_hints, most, LONGEST),
      keywords: cutAll(fields.keywords, most, LONGEST),
    },
    ladder: contract.ladder
      .slice(0, most)
      .map(({ capability, target }) => ({ capability, target: cut(target, LONGEST) })),
    expected_verification: cutAll(contract.expected, MOST, LONGEST_WORD),
    required_response_mode: contract.responseMode,
    allows_weakening: contract.allowsWeakening,
    ...(contract.allowsLoosening && { allows_loosening: true }),
    ...(contract.keywords === undefined
      ? {}
      : { keywords: contract.keywords.ref, keywords_hash: contract.keywords.hash }),
  }));
}

export function parseContract(payload: JsonObject): RecordedContract {
  const loosens = payload.allows_loosening === true;
  const hasKeywords = Object.hasOwn(payload, 'keywords');
  exactly(payload, [
    'intent',
    'objective',
    'objective_hash',
    'target_fields',
    'ladder',
    'expected_verification',
    'required_response_mode',
    'allows_weakening',
    ...(loosens ? ['allows_loosening'] : []),
    ...(hasKeywords ? ['keywords', 'keywords_hash'] : []),
  ]);
  const keywords = hasKeywords
    ? (parseQuoted(payload, 'keywords') ?? { hash: hash(payload, 'keywords_hash'), ref: null })
    : undefined;
  return {
    intent: shortText(payload, 'intent', LONGEST_WORD),
    objective: parseQuoted(payload, 'objective'),
    fields: parseFields(object(payload, 'target_fields')),
    ladder: objects(payload, 'ladder', MOST).map((hop, i) => {
      const path = `payload.ladder[${i}]`;
      exactly(hop, ['capability', 'target'], path);
      return {
        capability: oneOf(hop, 'capability', CAPABILITIES, path),
        target: shortText(hop, 'target', LONGEST, path),
      };
    }),
    expected: shortTexts(payload, 'expected_verification', MOST, LONGEST_WORD),
    responseMode: oneOf(payload, 'required_response_mode', MODES),
    allowsWeakening: flag(payload, 'allows_weakening'),
    ...(loosens && { allowsLoosening: true }),
    ...(keywords === undefined ? {} : { keywords }),
  };
}

function parseFields(fields: JsonObject): TargetFields {
  const path = 'payload.target_fields';
  exactly(fields, FIELDS, path);
  const words = (name: keyof TargetFields): string[] => shortTexts(fields, name, MOST, LONGEST, path);
  return {
    paths: words('paths'),
    urls: words('urls'),
    backtick_tokens: words('backtick_tokens'),
    command_hints: words('command_hints'),
    keywords: words('keywords'),
  };
}

/** `name` is a reference or null, `name_hash` its hash; both null for none. Nothing is kept that has no hash. */
export function parseQuoted(payload: JsonObject, name: string): Quoted | null {
  const ref = orNull(payload, name, () => object(payload, name));
  if (ref !== null) parseContentRef(ref, `payload.${name}`);
  if (ref === null && payload[`${name}_hash`] === null) return null;
  return { hash: hash(payload, `${name}_hash`), ref };
}
