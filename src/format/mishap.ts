// Payloads of what should not happen often: `override`, a prompt that tells the agent to go past the gate, `crash`, a
// hook that died, and `notice`, where we ourselves tell a person that there were too many of them.
import type { JsonObject } from '../core/index.ts';
import { parseQuoted, type Quoted } from './contract.ts';
import { count, cut, exactly, hash, moment, oneOf, orNull, shortText } from './members.ts';

export interface Override {
  /** The phrase of the list that was found. */
  readonly phrase: string;
  /** The prompt's own words. The reference is null where no content is kept, and in entries of before it was. */
  readonly quote: Quoted;
}

export interface Crash {
  /** `hook claude-code`, `gate` … */
  readonly hook: string;
  /** The host's event it died of; null where that is not known. */
  readonly event: string | null;
  /** Redacted. */
  readonly error: string;
  readonly at: string;
  /** Written at once, or told later from the file that stands in while the ledger can't be written. */
  readonly from: 'ledger' | 'fallback';
}

const NOTICES = [
  'overrides',
  'overrides.ack',
  'crashes',
  'crashes.ack',
  'policy',
  'policy.unknown',
  'grants.unknown',
] as const;

/** Of our own; a host's notices have the same kind and another origin. */
export interface FoilNotice {
  /**
   * `policy`: the project's file says something else than the policy on record. `policy.unknown`: somebody accepted another
   * whom the user does not know as an operator; `grants.unknown`: likewise of grants. `overrides.ack`, `crashes.ack`: somebody has seen them.
   */
  readonly notice: (typeof NOTICES)[number];
  /** The hook that crashes, the hash of the policy in the file, or the key of whoever accepted one, or grants. */
  readonly about: string | null;
  readonly count: number | null;
  /** When the first of those was. */
  readonly since: string | null;
}

const LONGEST = 256;
const LONGEST_ERROR = 2048;
const FROM = ['ledger', 'fallback'] as const;

export function encodeOverride({ phrase, quote }: Override): JsonObject {
  return { phrase: cut(phrase, LONGEST), quote: quote.ref, quote_hash: quote.hash };
}

export function parseOverride(payload: JsonObject): Override {
  const isOld = !Object.hasOwn(payload, 'quote');
  exactly(payload, isOld ? ['phrase', 'quote_hash'] : ['phrase', 'quote', 'quote_hash']);
  const phrase = shortText(payload, 'phrase', LONGEST);
  const quote = isOld ? null : parseQuoted(payload, 'quote');
  return { phrase, quote: quote ?? { hash: hash(payload, 'quote_hash'), ref: null } };
}

export function encodeCrash({ hook, event, error, at, from }: Crash): JsonObject {
  return {
    hook: cut(hook, LONGEST),
    event: event === null ? null : cut(event, LONGEST),
    error: cut(error, LONGEST_ERROR),
    at,
    from,
  };
}

export function parseCrash(payload: JsonObject): Crash {
  exactly(payload, ['hook', 'event', 'error', 'at', 'from']);
  return {
    hook: shortText(payload, 'hook', LONGEST),
    event: orNull(payload, 'event', () => shortText(payload, 'event', LONGEST)),
    error: shortText(payload, 'error', LONGEST_ERROR),
    at: moment(payload, 'at'),
    from: oneOf(payload, 'from', FROM),
  };
}

export function encodeNotice({ notice, about, count: many, since }: FoilNotice): JsonObject {
  return { origin: 'foil', notice, about: about === null ? null : cut(about, LONGEST), count: many, since };
}

/** Undefined for a notice of a host's. */
export function parseNotice(payload: JsonObject): FoilNotice | undefined {
  if (payload.origin !== 'foil' || !Object.hasOwn(payload, 'notice')) return undefined;
  exactly(payload, ['origin', 'notice', 'about', 'count', 'since']);
  return {
    notice: oneOf(payload, 'notice', NOTICES),
    about: orNull(payload, 'about', () => shortText(payload, 'about', LONGEST)),
    count: orNull(payload, 'count', () => count(payload, 'count')),
    since: orNull(payload, 'since', () => moment(payload, 'since')),
  };
}
