// What agents may do, as the recorder asks it. Whoever knows the machine answers: which grants are in force, and what a
// call needs at this moment.
import type { CallAuthority } from '../format/index.ts';
import type { HostCall, HostEvent } from './host/host-event.ts';

export interface Authority {
  /** The hash of the grants in force; null where nobody accepted any. Asked when a session begins. */
  inForce(): Promise<string | null>;
  /**
   * By the grants of this hash. Throws where they can't be found: nothing is let through by others. `root` is the work tree
   * in which the session began; null where that is not known.
   */
  judge(
    call: HostCall & Pick<HostEvent, 'agent' | 'facts'>,
    at: { readonly cwd: string | null; readonly grants: string; readonly root: string | null },
  ): Promise<Omit<CallAuthority, 'verdict'>>;
}

/** Of a wire, whose session begins with the grants of that moment. */
export interface WireAuthority {
  /** The hash of the grants. */
  readonly grants: string;
  /** Is what they do not cover refused? */
  readonly isEnforced: boolean;
  /** Null for a message that may call any tool, as far as anybody can say: no grant covers it. */
  judge(tool: string | null): Omit<CallAuthority, 'verdict'>;
}

const ANY_PROGRAM = 'process:exec:**';

export function verdictOf(missing: readonly string[], isEnforced: boolean): CallAuthority['verdict'] {
  if (missing.length === 0) return 'allow';
  return isEnforced ? 'deny' : 'would-deny';
}

const isOption = (need: string): boolean => /^fs:.*\/-[^/]*$/s.test(need);
const OPTIONS_FIRST =
  ': some programs take an option that stands behind a file for another file, so write options first (`mkdir -p FOLDER`)';

/** What is told to whoever made a call that lacks something. */
export function denialOf({ missing, unread }: Pick<CallAuthority, 'missing' | 'unread'>): string {
  const [first = '', ...others] = missing;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  // A name may have half a character in it, which no entry can.
  const needs = `the call needs ${first}${more}`.toWellFormed();
  const refused = "which the grants of this session don't allow";
  if (unread === null) return `${needs}, ${refused}${missing.some(isOption) ? OPTIONS_FIRST : ''}`;
  return missing.includes(ANY_PROGRAM)
    ? `${needs}, because ${unread}, ${refused}`
    : `${needs}, ${refused}: no grant can name this tool, because ${unread}`;
}
