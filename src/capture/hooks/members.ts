// Reads a host's JSON without believing it: a member counts only if it has the type it should have, and every member
// that nobody asked for is kept. Nothing here throws, whatever the input is. Pure, and small: it is in the fast start.
import { isObject, type Json, type JsonObject } from '../../core/index.ts';
import type { Answer, HostEvent, Problem } from '../../record/index.ts';

type Common = 'name' | 'agent' | 'session' | 'cwd' | 'transcript' | 'agentId' | 'promptId' | 'at' | 'facts';
type Without<E> = E extends HostEvent ? Omit<E, Common> : never;

/** An event without what all events have in common. */
export type Body = Without<HostEvent>;

/** Members by the names that this host may give them; the first that is there and of the right type wins. */
export interface Members {
  /** Without counting it as read. */
  peek(name: string): Json | undefined;
  text(...names: readonly string[]): string | null;
  number(...names: readonly string[]): number | null;
  flag(...names: readonly string[]): boolean | null;
  any(...names: readonly string[]): Json | undefined;
  /** Is one of these there and neither text nor null? */
  broken(...names: readonly string[]): boolean;
  /** All members that were not read so far. */
  rest(): [string, Json][];
}

/** Under which names a host gives what all its events have in common. */
export interface Dialect {
  readonly agent: string;
  readonly session: readonly string[];
  readonly transcript: readonly string[];
  readonly agentId: readonly string[];
  readonly promptId: readonly string[];
  /** Never kept: who the user is belongs to the session's binding, not into every entry. */
  readonly ignored?: readonly string[];
  /** Members that decide what a call needs: also an empty one is kept, and of a large one that it was there. */
  readonly judged?: readonly string[];
  /** The first that is an absolute path counts: some hosts send an empty one. */
  readonly cwd: (members: Members) => readonly (string | null)[];
  /** The event of this name; null when its members are not what they must be, undefined when nobody knows the name. */
  readonly body: (name: string, members: Members) => Body | null | undefined;
}

/** No host sends as many members; an input that does is kept, but not in the entry itself. */
const MAX_FACTS = 32;
const TOO_LARGE = 'too large for the entry';

export function openMembers(input: JsonObject): Members {
  const used = new Set<string>();
  const find = <T extends Json>(names: readonly string[], fits: (value: Json) => value is T): T | null => {
    for (const name of names) {
      const value = member(input, name);
      if (value === undefined || !fits(value)) continue;
      used.add(name);
      return value;
    }
    return null;
  };
  return {
    peek: (name) => member(input, name),
    text: (...names) => find(names, (value) => typeof value === 'string'),
    number: (...names) => find(names, (value) => typeof value === 'number'),
    flag: (...names) => find(names, (value) => typeof value === 'boolean'),
    any: (...names) => {
      const name = names.find((each) => member(input, each) !== undefined);
      if (name === undefined) return undefined;
      used.add(name);
      return member(input, name);
    },
    broken: (...names) =>
      names.some((name) => !['string', 'undefined'].includes(typeof (member(input, name) ?? ''))),
    rest: () => Object.entries(input).filter(([name]) => !used.has(name)),
  };
}

/** `input[name]`, if the input itself has it: `constructor` is not a member of every host's JSON. */
export function member(input: Json | undefined, name: string): Json | undefined {
  return isObject(input) && Object.hasOwn(input, name) ? input[name] : undefined;
}

/** A text that holds JSON is read; any other value is what it is. Hosts send arguments and results either way. */
export function parsed(value: Json): Json {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

export function readEvents(dialect: Dialect, input: Json, event: string | null): HostEvent[] {
  if (!isObject(input)) {
    const nothing = openMembers({});
    return [{ ...common(dialect, event ?? '', nothing), ...observation('not-object', input), facts: {} }];
  }
  const members = openMembers(input);
  const name = members.text('hook_event_name') ?? event ?? '';
  const base = common(dialect, name, members);
  const broken = name === '' || members.broken(...dialect.session);
  const body = broken ? null : dialect.body(name, members);
  if (body === undefined) return [{ ...base, ...observation(null, input), facts: {} }];
  if (body === null) return [{ ...base, ...observation('bad-shape', input), facts: {} }];
  const ignored = dialect.ignored ?? [];
  const isJudged = (key: string): boolean => dialect.judged?.includes(key) === true;
  const rest = members
    .rest()
    .filter(
      ([key, value]) => !(isEmpty(value) && !(isJudged(key) && value !== null)) && !ignored.includes(key),
    )
    .sort(([a], [b]) => Number(isJudged(b)) - Number(isJudged(a)));
  const facts = rest
    .map(([key, value]): [string, Json] => [key, isJudged(key) && !isSmall(value) ? TOO_LARGE : value])
    .filter(([key, value]) => key.length <= 64 && isSmall(value))
    .slice(0, MAX_FACTS);
  const large = rest.filter(([key, value]) => !facts.some(([name, kept]) => name === key && kept === value));
  if (large.length === 0) return [{ ...base, ...body, facts: Object.fromEntries(facts) }];
  // Beside a file that is written, what we do not know might hold its content (K4): only the names are kept.
  if ('files' in body && body.files !== undefined) {
    const omitted = large.slice(0, 16).map(([key]) => key.slice(0, 64));
    return [{ ...base, ...body, facts: { ...Object.fromEntries(facts), omitted } }];
  }
  return [
    { ...base, ...body, facts: Object.fromEntries(facts) },
    { ...base, ...observation(null, Object.fromEntries(large)), facts: {} },
  ];
}

function observation(problem: Problem | null, content: Json): Extract<Body, { type: 'observation' }> {
  return { type: 'observation', problem, content };
}

function common(dialect: Dialect, name: string, members: Members): Pick<HostEvent, Exclude<Common, 'facts'>> {
  return {
    name,
    agent: dialect.agent,
    session: members.text(...dialect.session),
    cwd: dialect.cwd(members).find((path) => path !== null && ABSOLUTE.test(path)) ?? null,
    transcript: members.text(...dialect.transcript),
    agentId: members.text(...dialect.agentId),
    promptId: members.text(...dialect.promptId),
    at: timeOf(members),
  };
}

const ABSOLUTE = /^\/|^[A-Za-z]:[\\/]/;

function timeOf(members: Members): string | null {
  const ms = members.number('timestamp');
  if (ms === null) return members.text('timestamp');
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms);
}

function isEmpty(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** Small enough for the entry itself: a scalar, or a handful of them, in a thousand characters. */
function isSmall(value: Json): boolean {
  let chars = 0;
  let count = 0;
  const fits = (each: Json, depth: number): boolean => {
    count += 1;
    if (typeof each === 'string') chars += each.length;
    if (count > 32 || chars > 1024) return false;
    if (typeof each !== 'object' || each === null) return true;
    return (
      depth < 4 &&
      Object.entries(each).every(([key, inner]) => {
        chars += key.length;
        return fits(inner, depth + 1);
      })
    );
  };
  return fits(value, 0);
}

/** What the hook prints: JSON, or nothing at all. */
export function say(value: JsonObject | null, stderr = ''): Answer {
  return { exit: 0, stdout: value === null ? '' : JSON.stringify(value), stderr };
}

/** Exit code 2: the refusal that every command hook has, with the reason on standard error. */
export function refuse(reason: string): Answer {
  return { exit: 2, stdout: '', stderr: `${given(reason)}\n` };
}

/** Hosts take a refusal without a reason for a fault of the hook, and go on. */
export function given(reason: string): string {
  return reason.trim() === '' ? 'Counterfoil could not record this.' : reason;
}
