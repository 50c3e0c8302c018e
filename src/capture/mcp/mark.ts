// What entries say of the messages they are about, beside what every entry of their kind says: spec/mcp.md.
import type { Json, JsonObject } from '../../core/index.ts';
import { type Digest, RecordError } from '../../record/index.ts';
import { type Direction, type Message, memberAt, wordOf } from './message.ts';
import type { Pending } from './pending.ts';

/** `more` stands beside it. */
export function markOf(
  server: string,
  direction: Direction,
  message: Message | null,
  more: JsonObject = {},
): JsonObject {
  const mcp: { [name: string]: Json } = { server, direction };
  if (message !== null) {
    mcp.type = message.type;
    if (message.method !== null) mcp.method = message.method;
    if (message.id !== null) mcp.request_id = message.id;
  }
  return { mcp, ...more };
}

/** Of a result: what else there was of its call. */
export function besideOf({ progress, cancelled }: Pending, digest?: Digest): JsonObject {
  return {
    ...(progress > 0 ? { progress } : {}),
    ...(cancelled ? { cancelled: true } : {}),
    ...(digest === undefined ? {} : { oversized: true }),
  };
}

/** The host's own id of the call, which its hooks see as well. */
export function toolUseId(params: Json | undefined, scalars: ReadonlyMap<string, string>): string | null {
  const parsed = memberAt(params, '_meta', 'claudecode/toolUseId');
  if (typeof parsed === 'string') return parsed;
  const token = scalars.get('params._meta.claudecode/toolUseId');
  return token?.startsWith('"') === true ? wordOf(token) : null;
}

/** What the client is told. */
export function reasonOf(error: unknown): string {
  const code = error instanceof RecordError ? error.code : 'AUDIT_APPEND_FAILED';
  const message = error instanceof Error ? error.message : String(error);
  return `${code}: ${message}`;
}
