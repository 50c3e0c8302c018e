// What every host's file in this folder offers: the recorder's port, and the list of events that `install` registers.
import type { Json } from '../../core/index.ts';
import type { Adapter, HostCall } from '../../record/index.ts';

/** An event that `install` asks the host to tell us about, under the host's own name. */
export interface RegisteredEvent {
  readonly name: string;
  /** What it is about: tool events may go over HTTP where the host can, the others are commands. */
  readonly kind: 'tool' | 'prompt' | 'stop' | 'session' | 'other';
  readonly matcher?: string;
  /** The host does not put this event's name into its input: the command line must say `--event NAME`. */
  readonly unnamed?: true;
}

export interface HookAdapter extends Adapter {
  /** A call of a tool with arguments that were kept: what the host's own event would say of it. */
  readonly call: (tool: string, args: Json) => HostCall;
  /** Members of a tool's arguments that are not kept, because they hold the content of a file. */
  readonly fileMembers?: (tool: string, args: Json) => readonly string[];
  readonly events: readonly RegisteredEvent[];
}
