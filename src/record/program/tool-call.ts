// A program's call of a tool as it was made: looked at once, at once, and copied. What the caller or the tool does to
// the arguments later, or while the call waits for its session, changes nothing of what is recorded.
import type { Json, JsonObject } from '../../core/index.ts';
import type { CallAuthority, FileFact, ToolFacts } from '../../format/index.ts';
import { pathsOf } from '../facts/paths.ts';
import { type Intake, Traces } from '../intake.ts';
import { assertLimits } from './tool-attempt.ts';

/** What a program can say about a call beyond its arguments. */
export interface ToolOptions {
  readonly intent?: string;
  readonly role?: string;
  readonly planHash?: string;
  readonly phaseId?: string;
  readonly invariantId?: string;
  readonly notes?: string;
  /** The id of the call at other vantage points. */
  readonly toolUseId?: string;
  /** The entry that this call answers. Unless given: the call it is made within, else the newest prompt. */
  readonly cause?: number;
  /** The file that the call writes: of its content only hash and length are kept. */
  readonly file?: FileOption;
  /** What the call needs of what its session was granted. One that is denied is on record, and does not run. */
  readonly authority?: CallAuthority;
  /** Aborts the call. The tool gets a signal of its own, which follows this one and the time-out. */
  readonly signal?: AbortSignal;
  /** The call ends as a time-out after so many milliseconds, whether or not the tool listens to its signal. */
  readonly timeoutMs?: number;
  /** The exit code that the result carries, where the tool ran a command. Null is never success. */
  readonly exitCode?: (result: unknown) => number | null;
}

export interface FileOption {
  readonly path: string;
  /** Members of the arguments that hold content of the file. */
  readonly members: readonly string[];
  /** Members of the result that do. */
  readonly resultMembers?: readonly string[];
}

/** A call that is ready to be recorded. Nothing in it is the caller's own object. */
export interface TakenCall {
  readonly facts: Omit<ToolFacts, 'argsHash'>;
  /** Clean, with null for each member of `contents`. */
  readonly args: Json;
  /** Not clean: what is written to the file, by member. */
  readonly contents: ReadonlyMap<string, Json | Uint8Array>;
  readonly file: { readonly path: string; readonly resultMembers: ReadonlySet<string> } | null;
  readonly traces: Traces;
  readonly options: ToolOptions;
}

const WORDS = [
  'intent',
  'role',
  'planHash',
  'phaseId',
  'invariantId',
  'notes',
  'toolUseId',
] as const satisfies readonly (keyof ToolOptions)[];

/** Throws TypeError or RangeError for what no caller can have meant. */
export function takeCall(
  name: string,
  args: unknown,
  given: ToolOptions,
  { intake, workspaceRoot, role }: { intake: Intake; workspaceRoot: string; role?: string | undefined },
): TakenCall {
  if (typeof name !== 'string') throw new TypeError('the name of a tool must be a string');
  const options = { ...given };
  for (const word of WORDS)
    if (options[word] !== undefined && typeof options[word] !== 'string')
      throw new TypeError(`${word} must be a string`);
  assertLimits(options);
  if (options.exitCode !== undefined && typeof options.exitCode !== 'function')
    throw new TypeError('exitCode must be a function');
  const traces = new Traces();
  const word = (text: string | undefined): string | null =>
    text === undefined ? null : intake.word(text, traces);
  const { rest, contents } = withoutContents(args, options.file, intake, traces);
  const clean = intake.clean(rest, traces);
  return {
    facts: {
      tool: intake.word(name, traces),
      toolUseId: word(options.toolUseId),
      agentId: null,
      workspaceRoot: intake.word(workspaceRoot, traces),
      role: word(options.role ?? role),
      intent: word(options.intent),
      planHash: word(options.planHash),
      phaseId: word(options.phaseId),
      invariantId: word(options.invariantId),
      notes: word(options.notes),
      paths: pathsOf(clean, workspaceRoot, workspaceRoot),
    },
    args: clean,
    contents,
    file:
      options.file === undefined
        ? null
        : {
            path: intake.word(options.file.path, traces),
            resultMembers: new Set(options.file.resultMembers),
          },
    traces,
    options,
  };
}

/** The arguments as they are kept, and what they say of the file. An edit's several pieces are no whole file. */
export async function withContents(
  { args, contents, file }: TakenCall,
  session: string,
  intake: Intake,
  traces: Traces,
): Promise<{ readonly args: Json; readonly file: FileFact | null }> {
  if (file === null) return { args, file: null };
  const members: Record<string, Json> = { ...(args as JsonObject) };
  let written: { readonly content_hash: string; readonly content_bytes: number } | undefined;
  for (const [name, content] of contents) {
    written = await intake.fileContent(session, content, traces);
    members[name] = written;
  }
  const whole = contents.size === 1 ? written : undefined;
  return {
    args: contents.size === 0 ? args : members,
    file: {
      path: file.path,
      op: contents.size > 1 ? 'edit' : 'write',
      hash: whole?.content_hash ?? null,
      bytes: whole?.content_bytes ?? null,
    },
  };
}

/** Content is taken as it is, not as JSON would have it: its length in bytes is on record. */
function withoutContents(
  args: unknown,
  file: FileOption | undefined,
  intake: Intake,
  traces: Traces,
): { readonly rest: unknown; readonly contents: ReadonlyMap<string, Json | Uint8Array> } {
  const contents = new Map<string, Json | Uint8Array>();
  if (file === undefined || file.members.length === 0) return { rest: args, contents };
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    throw new TypeError('the arguments must be an object if file.members names members of them');
  const rest: Record<string, unknown> = { ...args };
  for (const name of file.members) {
    if (!Object.hasOwn(rest, name)) continue;
    const value = rest[name];
    if (value === undefined || value === null) continue;
    contents.set(name, contentOf(value, intake, traces));
    rest[name] = null;
  }
  return { rest, contents };
}

function contentOf(value: unknown, intake: Intake, traces: Traces): Json | Uint8Array {
  if (typeof value === 'string') return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value.slice(0));
  if (ArrayBuffer.isView(value))
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
  return intake.tidy(value, traces);
}
