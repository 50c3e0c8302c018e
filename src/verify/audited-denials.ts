// The denials of one session, each with its call and what that needed: events of a run, calls of a host outside of its grants,
// and calls that a host, a person or a policy refused.
import type { Json } from '../core/index.ts';
import { type CallAuthority, type Entry, LONGEST_TOOL, type ToolRequest } from '../format/index.ts';

export interface AuditedDenial {
  /** The entry of the call; of the denial itself where the call is not on record. */
  readonly seq: number;
  /** Of a run: the event. */
  readonly event: number | null;
  readonly tool: string;
  /** Of a run: what the call was made with. A host's arguments are content. */
  readonly input: Json;
  /** Of a run all that the call needed, of a host what was missing. */
  readonly needs: readonly string[];
  readonly reason: string;
}

const MOST_DENIALS = 100_000;
const LONGEST_REASON = 4096;

export class AuditedDenials {
  readonly list: AuditedDenial[] = [];
  /** Of all of them, also of those that are not listed. */
  count = 0;
  /** Calls that were refused for want of a grant: what the host says of them is no other denial. */
  readonly #refused = new Set<number>();

  ofRun(seq: number, event: number, { tool, input, required }: ToolRequest, reason: Json | undefined): void {
    this.#add({ seq, event, tool, input, needs: required, reason: wordOf(reason) });
  }

  ofGrants({ seq, payload }: Entry, { missing, unread }: CallAuthority): void {
    this.#refused.add(seq);
    const reason = `${missing.join(', ')} is not granted${unread === null ? '' : ` (${unread})`}`;
    this.#add({ seq, event: null, tool: toolOf(payload.tool), input: null, needs: missing, reason });
  }

  ofHost({ seq, cause, payload }: Entry): void {
    if (cause !== null && this.#refused.has(cause)) return;
    const why = wordOf(payload.reason);
    const reason = `denied by ${wordOf(payload.by) || 'somebody'}${why === '' ? '' : `: ${why}`}`;
    const tool = toolOf(payload.tool);
    this.#add({ seq: cause ?? seq, event: null, tool, input: null, needs: [], reason });
  }

  #add(denial: AuditedDenial): void {
    this.count++;
    if (this.list.length < MOST_DENIALS) this.list.push(denial);
  }
}

function toolOf(value: Json | undefined): string {
  return typeof value === 'string' ? value.slice(0, LONGEST_TOOL) : '?';
}

function wordOf(value: Json | undefined): string {
  return typeof value === 'string' ? value.slice(0, LONGEST_REASON) : '';
}
