// Payloads of what recorders write: turns and tool calls; sessions are in session.ts. Members that are known to be absent are null, so that
// every entry of a kind has the same members. Prompts, arguments and outputs are content: the payload has their hash,
// and a reference to what is kept, or null. spec/recording.md is the specification.
import type { Json, JsonObject } from '../core/index.ts';

/** Content as an entry tells of it. */
export interface Kept {
  /** Over the redacted bytes, 64 hex digits: HMAC-SHA256 under the session's salt, or SHA-256 with `hashes: plain`. */
  readonly hash: string;
  readonly bytes: number;
  /** A content reference, or null where nothing is kept. */
  readonly ref: JsonObject | null;
}

export type ExitOrigin = 'host' | 'parsed' | 'inferred' | 'unknown';

/** Where an exit code came from. One that is null is never success. */
export interface Exit {
  readonly code: number | null;
  readonly origin: ExitOrigin;
}

export interface TestCounts {
  readonly runner: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly total: number | null;
}

/** A file that a call wrote: never its content. */
export interface FileFact {
  readonly path: string;
  readonly op: 'write' | 'edit' | 'delete' | 'read';
  /** Of what was written, redacted; null where the host does not tell it. */
  readonly hash: string | null;
  /** Of what was written, as it was. */
  readonly bytes: number | null;
}

/** What every entry about a tool call says. */
export interface ToolFacts {
  readonly tool: string;
  readonly toolUseId: string | null;
  readonly agentId: string | null;
  readonly workspaceRoot: string | null;
  readonly role: string | null;
  readonly intent: string | null;
  readonly planHash: string | null;
  readonly phaseId: string | null;
  readonly invariantId: string | null;
  readonly notes: string | null;
  readonly argsHash: string | null;
  readonly paths: readonly string[];
}

/** `beside` are members that only some recorders have. */
export function encodeToolCall(facts: ToolFacts, args: Kept, beside: JsonObject = {}): JsonObject {
  const call = encodeToolFacts(facts);
  call.args_hash = args.hash;
  call.args = args.ref;
  call.args_bytes = args.bytes;
  return Object.assign(call, beside);
}

export interface ToolResult {
  readonly result: 'ok' | 'error' | 'aborted' | 'timeout';
  readonly errorCode: string | null;
  readonly output: Kept | null;
  readonly exit: Exit;
  readonly durationMs: number | null;
  readonly tests: TestCounts | null;
  readonly files: readonly FileFact[];
}

/** Made in one piece, not out of pieces: a copy of so many members takes longer than all else here. */
export function encodeToolResult(facts: ToolFacts, result: ToolResult, beside: JsonObject = {}): JsonObject {
  const { output, exit, tests } = result;
  const members = encodeToolFacts(facts);
  members.result = result.result;
  members.error_code = result.errorCode;
  members.output = output?.ref ?? null;
  members.output_bytes = output?.bytes ?? null;
  members.result_hash = output?.hash ?? null;
  members.exit_code = exit.code;
  members.exit_origin = exit.origin;
  members.duration_ms = result.durationMs;
  members.tests = tests === null ? null : { ...tests };
  members.files = result.files.map(({ path, op, hash, bytes }) => ({ path, op, hash, bytes }));
  return Object.assign(members, beside);
}

export interface ToolDenied {
  /** `host`, `user` or `foil`. */
  readonly by: string;
  readonly reason: string | null;
  /** The host's event that showed it. */
  readonly seenIn: string;
}

export function encodeToolDenied(facts: ToolFacts, denied: ToolDenied): JsonObject {
  return { ...encodeToolFacts(facts), by: denied.by, reason: denied.reason, seen_in: denied.seenIn };
}

export interface Approval {
  readonly state: 'asked' | 'granted' | 'denied';
  readonly tool: string;
  readonly toolUseId: string | null;
  readonly agentId: string | null;
  /** Of the arguments that were shown to the person. */
  readonly argsHash: string | null;
  /** How long the person took; null where that is not known. */
  readonly waitedMs: number | null;
}

export function encodeApproval(approval: Approval): JsonObject {
  return {
    state: approval.state,
    tool: approval.tool,
    tool_use_id: approval.toolUseId,
    agent_id: approval.agentId,
    args_hash: approval.argsHash,
    waited_ms: approval.waitedMs,
    waited_origin: approval.waitedMs === null ? 'unknown' : 'inferred',
  };
}

/** A turn's text: `prompt` or `response`. */
export function encodeTurn(
  name: 'prompt_hash' | 'response_hash',
  text: Kept | null,
  facts: JsonObject,
): JsonObject {
  return {
    ...facts,
    text: text?.ref ?? null,
    text_bytes: text?.bytes ?? null,
    [name]: text?.hash ?? null,
  };
}

/** What redaction and tidying did to it, where they did something. */
export function withTraces(
  payload: JsonObject,
  traces: { readonly redacted: Readonly<Record<string, number>>; readonly lossy: number },
): JsonObject {
  const { redacted, lossy } = traces;
  const rules = Object.keys(redacted).length;
  if (rules === 0 && lossy === 0) return payload;
  return {
    ...payload,
    ...(rules === 0 ? {} : { redacted: { ...redacted } as { [rule: string]: Json } }),
    ...(lossy === 0 ? {} : { lossy }),
  };
}

function encodeToolFacts(facts: ToolFacts): { [name: string]: Json } {
  return {
    tool: facts.tool,
    tool_use_id: facts.toolUseId,
    agent_id: facts.agentId,
    workspace_root: facts.workspaceRoot,
    role: facts.role,
    intent: facts.intent,
    plan_hash: facts.planHash,
    phase_id: facts.phaseId,
    invariant_id: facts.invariantId,
    notes: facts.notes,
    args_hash: facts.argsHash,
    paths: [...facts.paths],
  };
}
