// The words of `foil hook`: which agent, which ledger, how strict, over which socket. Read by hand and forgiving:
// options that a newer version installed must not stop an older one from recording.
import { AGENTS, isAgent } from '../capture/hooks/index.ts';
import { isMode, type Mode } from '../ledger/index.ts';
import { harmless } from './text.ts';

export interface HookLine {
  readonly agent: string;
  readonly event: string | null;
  readonly ledger: string | undefined;
  readonly pinned: Mode;
  /** The service's socket, in locked mode. */
  readonly socket: string | undefined;
}

/** What is wrong with it, as text, where something is. */
export function parseHookLine(words: readonly string[]): HookLine | string {
  const values: Record<string, string> = {};
  let agent: string | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const [, name, inline] = /^--([a-z]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name !== undefined) values[name] = inline ?? words[++at] ?? '';
    else agent ??= word;
  }
  if (agent === undefined || !isAgent(agent))
    return `hook: ${agent === undefined ? 'which agent?' : `there is no agent ${harmless(agent)}.`} There are ${AGENTS.join(', ')}.`;
  const { mode = 'observe', event = null, ledger, socket } = values;
  if (!isMode(mode)) return `hook: there is no mode ${harmless(mode)}. There are observe, guard, locked.`;
  if (mode === 'locked' && socket === undefined) return 'hook: locked mode needs --socket PATH.';
  return { agent, event, ledger, pinned: mode, socket };
}

/** Does the line ask for more than to let nothing be lost? Also of a line that is not understood. */
export function isStrict(words: readonly string[]): boolean {
  return words.some((word) => /^(?:--mode=)?(?:guard|locked)$/.test(word));
}
