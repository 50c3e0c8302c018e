// Looking into JSON of somebody else: what is not of the form that was asked for is null, never an error.
import type { Json, JsonObject } from '../../core/index.ts';
import type { ModelMessage, ToolOutput } from '../../record/index.ts';

export function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

export function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

export function countOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Which form a member must have to be kept somewhere else than among the parameters. */
export type Taken = Readonly<Record<string, (value: Json) => boolean>>;

export const isText = (value: Json): boolean => typeof value === 'string';
export const isFlag = (value: Json): boolean => typeof value === 'boolean';
export const isList = (value: Json): boolean => Array.isArray(value);
export const always = (): boolean => true;

/**
 * The members but those that are taken, in the order of canonical JSON, in which they will be written. One of another
 * form than its reader takes stays here: nothing of a request may be left out.
 */
export function without(value: JsonObject, taken: Taken): JsonObject {
  const kept = Object.entries(value).filter(
    ([name, member]) => !(Object.hasOwn(taken, name) && taken[name]?.(member) === true),
  );
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function roleOf(value: Json, otherwise: string): string {
  const { role, type } = objectOf(value);
  return textOf(role) ?? textOf(type) ?? otherwise;
}

/** A message of a request, with what it tells of calls that were made. */
export function withResults(role: string, value: Json, results: readonly ToolOutput[]): ModelMessage {
  return results.length === 0 ? { role, value } : { role, value, results };
}

/** Input that came as text, as APIs stream it. None at all is an empty object to every client. */
export function parseInput(text: string): { readonly input: Json; readonly whole: boolean } {
  if (text.trim() === '') return { input: {}, whole: true };
  try {
    return { input: JSON.parse(text) as Json, whole: true };
  } catch {
    return { input: text, whole: false };
  }
}
