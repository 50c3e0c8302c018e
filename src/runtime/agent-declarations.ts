// What an agent says of itself, as `AgentInit` has it and as its kept code says it again: its name, and of each tool whether it
// is pure or idempotent, what it needs, its limits and its cell. What stands there for a replay comes from hostile code, and may be anything.
import { canonicalize, type Json, type JsonObject, ParseError } from '../core/index.ts';
import { encodeToolFact } from '../format/index.ts';
import { toolFacts } from './cell-code.ts';
import type { Agent } from './define.ts';

/** Expected and got, each with the name of the member. */
export interface Otherwise {
  readonly expected: string;
  readonly got: string;
}

const LONGEST = 128;
const DEEPEST = 5;

/** Of the agent whose code lies in this folder. */
export function declarationsIn({ name, tools }: Agent, folder: string): JsonObject {
  return { agent: name, tools: toolFacts(tools, { folder }).map(encodeToolFact) };
}

/** As the payload of `AgentInit` has them. */
export function declarationsOf({ agent, tools }: JsonObject): JsonObject {
  return { agent: agent ?? null, tools: tools ?? null };
}

/** The first member that the code does not say as it is on record; null where it says the same. */
export function declaredOtherwise(recorded: JsonObject, told: string | undefined): Otherwise | null {
  const written = membersOf(recorded);
  const said = membersOf(told === undefined ? null : parsed(told));
  for (const name of new Set([...written.keys(), ...said.keys()])) {
    const [expected, got] = [written.get(name), said.get(name)];
    if (expected !== got) return { expected: word(name, expected), got: word(name, got) };
  }
  return null;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/** The values in it by their paths. An empty object or list is a value, and so is what lies deeper than any declaration. */
function membersOf(
  value: Json,
  path: readonly string[] = [],
  found = new Map<string, string>(),
): typeof found {
  const isWithin = typeof value === 'object' && value !== null && path.length < DEEPEST;
  const members = isWithin ? Object.entries(value) : [];
  if (members.length === 0) found.set(path.join('.'), textOf(value));
  for (const [name, member] of members) membersOf(member as Json, [...path, name], found);
  return found;
}

function textOf(value: Json): string {
  try {
    return canonicalize(value);
  } catch (error) {
    if (error instanceof ParseError) return 'no JSON';
    throw error;
  }
}

function word(name: string, text: string | undefined): string {
  return `${name} ${text ?? 'is not there'}`.slice(0, LONGEST).toWellFormed();
}
