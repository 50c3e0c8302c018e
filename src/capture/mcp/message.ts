// A JSON-RPC message as the recorder needs it, of every MCP revision: who asks, what for, and which id its answer will
// have. Ids stay the tokens that were sent: 1 and "1" are two, and an answer of our own must carry the very same.
import { isObject, type Json, type JsonObject } from '../../core/index.ts';
import { type JsonSkim, PATHS, type Skimmed, type SkimProblem } from './json-skim.ts';

/** Where a message goes. Each side numbers its own requests. */
export type Direction = 'to-server' | 'to-client';

export interface Message {
  readonly type: 'request' | 'notification' | 'response' | 'other';
  /** As sent; null where it has none, or null. */
  readonly id: string | null;
  readonly method: string | null;
  /** Raw tokens of what else was looked for, by path. */
  readonly scalars: ReadonlyMap<string, string>;
  /** A response with an error in place of a result. */
  readonly failed: boolean;
}

export type FrameProblem = SkimProblem | 'ambiguous' | 'not-message' | 'carriage-return';

/** One line, request or event: a message, or several in the revision that had batches. */
export interface Frame {
  readonly messages: readonly Message[];
  readonly batch: boolean;
  /** Why it can't be told for certain what the other side will make of it. */
  readonly problem: FrameProblem | null;
}

export function frameOf(skim: JsonSkim): Frame {
  const messages = skim.messages.map(toMessage);
  return { messages, batch: skim.batch, problem: skim.problem ?? problemOf(skim, messages) };
}

/** The same for what is parsed already, as an SDK has it. */
export function frameOfValue(value: Json): Frame {
  const batch = Array.isArray(value);
  const values = batch ? (value as readonly Json[]) : [value];
  const messages = values.filter(isObject).map((each) => toMessage(skimObject(each)));
  const wrong = messages.length !== values.length || messages.some(({ type }) => type === 'other');
  return { messages, batch, problem: wrong || messages.length === 0 ? 'not-message' : null };
}

/** `value[a][b]…`, of own members only. */
export function memberAt(value: Json | undefined, ...names: readonly string[]): Json | undefined {
  let at = value;
  for (const name of names) at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return at;
}

/** The text of a string token, or the token itself. */
export function wordOf(token: string | undefined): string | null {
  if (token === undefined || token === 'null') return null;
  return token.startsWith('"') ? String(JSON.parse(token)) : token;
}

/** One key for all spellings of an id: `1` and `1.0` are one number, `"1"` is another id; large ones go by their digits. */
export function idKey(token: string): string {
  const value: unknown = JSON.parse(token);
  if (typeof value !== 'number') return `${typeof value}:${String(value)}`;
  return `number:${Number.isInteger(value) && !Number.isSafeInteger(value) ? token : value}`;
}

function problemOf(skim: JsonSkim, messages: readonly Message[]): FrameProblem | null {
  if (skim.messages.some(({ ambiguous }) => ambiguous)) return 'ambiguous';
  if (skim.others > 0 || messages.length === 0) return 'not-message';
  return messages.some(({ type }) => type === 'other') ? 'not-message' : null;
}

function toMessage({ scalars, members }: Pick<Skimmed, 'scalars' | 'members'>): Message {
  const id = scalars.get('id') ?? null;
  const method = scalars.get('method');
  const hasMethod = method?.startsWith('"') === true;
  const answers = members.has('result') || members.has('error');
  return {
    type: typeOf(hasMethod, answers, id !== null && id !== 'null'),
    id: id === 'null' ? null : id,
    method: hasMethod ? wordOf(method) : null,
    scalars,
    failed: members.has('error') && !members.has('result'),
  };
}

/** Both a method and an answer: nobody can say what it is. */
function typeOf(hasMethod: boolean, answers: boolean, hasId: boolean): Message['type'] {
  if (hasMethod === answers) return 'other';
  if (answers) return 'response';
  return hasId ? 'request' : 'notification';
}

function skimObject(value: JsonObject): Pick<Skimmed, 'scalars' | 'members'> {
  const scalars = new Map<string, string>();
  for (const path of PATHS) {
    const found = memberAt(value, ...path);
    if (found !== undefined && typeof found !== 'object') scalars.set(path.join('.'), JSON.stringify(found));
    else if (found === null) scalars.set(path.join('.'), 'null');
  }
  return { scalars, members: new Set(Object.keys(value)) };
}
