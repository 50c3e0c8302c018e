// What a structured final block must hold. Few messages have one: the gate loads this where there is one.
import { isObject, parsePlainJson } from '../core/index.ts';
import type { ClaimType } from '../format/index.ts';
import { CLAIM_TYPES } from '../policy/index.ts';

export interface FoilFinalClaim {
  readonly claim_type: ClaimType;
  /** What it is of, in the agent's words. */
  readonly object: string;
  /** What it refers to, as it is written there; null where it is left out. */
  readonly validator: string | null;
  readonly entry: string | null;
  readonly artifact: string | null;
}

export interface FoilFinal {
  readonly type: 'done' | 'partial' | 'blocked' | 'delegation';
  readonly summary: string;
  readonly claims: readonly FoilFinalClaim[];
  readonly what_succeeded: string | null;
  readonly what_remains: string | null;
  readonly next_route_or_question: string | null;
}

const LONGEST_BLOCK = 64 * 1024;
const MOST_CLAIMS = 64;
const TYPES = ['done', 'partial', 'blocked', 'delegation'] as const;
const SLOTS = ['what_succeeded', 'what_remains', 'next_route_or_question'] as const;
const MEMBERS: readonly string[] = ['type', 'summary', 'claims', ...SLOTS];
const REFERENCES = ['validator_id', 'ledger_entry_id', 'artifact_hash'] as const;
const CLAIM_MEMBERS: readonly string[] = ['claim_type', 'object', ...REFERENCES];

/** The value of the JSON in a block, or what is wrong with it, in a sentence. Never throws. */
export function parseFoilFinal(text: string): { final: FoilFinal | null; problem: string | null } {
  const wrong = (problem: string) => ({ final: null, problem });
  if (text.length > LONGEST_BLOCK) return wrong('the foil_final block is longer than 64 KiB');
  const { value, doubt } = parsePlainJson(text);
  if (value === undefined) return wrong('the foil_final block is not JSON');
  if (doubt === 'repeated-name') return wrong('the foil_final block names a member twice');
  if (!isObject(value)) return wrong('the foil_final block is not a JSON object');
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined)
    return wrong(`foil_final has a member ${JSON.stringify(unknown.slice(0, 64))} that is not known`);
  const type = TYPES.find((name) => name === value.type);
  if (type === undefined) return wrong(`foil_final.type must be one of ${TYPES.join(', ')}`);
  if (typeof value.summary !== 'string' || value.summary.trim() === '')
    return wrong('foil_final.summary must be a text');
  for (const slot of SLOTS)
    if (value[slot] !== undefined && value[slot] !== null && typeof value[slot] !== 'string')
      return wrong(`foil_final.${slot} must be a text or null`);
  const claims: FoilFinalClaim[] = [];
  const listed = value.claims ?? [];
  if (!Array.isArray(listed) || listed.length > MOST_CLAIMS)
    return wrong(`foil_final.claims must be a list of at most ${MOST_CLAIMS}`);
  for (const [index, item] of listed.entries()) {
    const claim = parseClaim(item);
    if (typeof claim === 'string') return wrong(`foil_final.claims[${index}]${claim}`);
    claims.push(claim);
  }
  const final: FoilFinal = {
    type,
    summary: value.summary,
    claims,
    what_succeeded: slotOf(value.what_succeeded),
    what_remains: remainsOf(slotOf(value.what_remains)),
    next_route_or_question: slotOf(value.next_route_or_question),
  };
  const problem = slotProblem(final);
  return problem === null ? { final, problem } : wrong(problem);
}

const NEEDED: Partial<Record<FoilFinal['type'], readonly (typeof SLOTS)[number][]>> = {
  partial: SLOTS,
  blocked: ['next_route_or_question'],
  delegation: ['next_route_or_question'],
};

/** Which slots each type must fill, and which it must not. */
function slotProblem(final: FoilFinal): string | null {
  const isDone = final.type === 'done';
  if (isDone && final.claims.length === 0) return 'a foil_final of type done needs at least one claim';
  if (isDone && final.what_remains !== null)
    return 'a foil_final of type done can have no what_remains; say partial';
  const empty = NEEDED[final.type]?.find((slot) => final[slot] === null);
  return empty === undefined ? null : `a foil_final of type ${final.type} needs ${empty}`;
}

function parseClaim(item: unknown): FoilFinalClaim | string {
  if (!isObject(item)) return ' is not an object';
  const unknown = Object.keys(item).find((name) => !CLAIM_MEMBERS.includes(name));
  if (unknown !== undefined) return ` has a member ${JSON.stringify(unknown.slice(0, 64))} that is not known`;
  const type = CLAIM_TYPES.find((name) => name === item.claim_type);
  if (type === undefined) return `.claim_type must be one of ${CLAIM_TYPES.join(', ')}`;
  if (typeof item.object !== 'string' || item.object.trim() === '') return '.object must be a text';
  const wrong = REFERENCES.find(
    (name) => !['string', 'number', 'undefined'].includes(typeof (item[name] ?? '')),
  );
  if (wrong !== undefined) return `.${wrong} must be a text, a number or null`;
  const [validator = null, entry = null, artifact = null] = REFERENCES.map((name) => {
    const value = item[name];
    return typeof value === 'number' ? String(value) : slotOf(value);
  });
  if (entry !== null && !/^[1-9]\d{0,14}$/.test(entry))
    return '.ledger_entry_id must be the number of an entry';
  return { claim_type: type, object: item.object, validator, entry, artifact };
}

/** A slot that holds nothing but spaces is empty. */
function slotOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

const NOTHING = /^(?:none|nothing(?: else| remains)?|nil|n\/a|[-–—])[.!]?$/i;

/** The form shows the slot for every type, so many fill it with a word where nothing remains. */
function remainsOf(slot: string | null): string | null {
  return NOTHING.test(slot?.trim() ?? '') ? null : slot;
}
