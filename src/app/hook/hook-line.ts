// The words of `foil hook`: which agent, which ledger, how strict, over which socket. Read by hand and forgiving:
// options that a newer version installed must not stop an older one from recording.
import { isAbsolute } from 'node:path';
import { AGENTS, isAgent } from '../../capture/hooks/index.ts';
import {
  type Environment,
  hasSettings,
  isMode,
  type Mode,
  readSettings,
  type Settings,
  strictest,
} from '../../ledger/index.ts';
import { harmless } from '../../report/index.ts';

export interface HookLine {
  readonly agent: string;
  readonly event: string | null;
  readonly ledger: string | undefined;
  /** In place of XDG_STATE_HOME: what is kept about the ledger lies there. */
  readonly state: string | undefined;
  /** The least strict mode. */
  readonly pinned: Mode;
  /**
   * The mode where the ledger's settings are gone. `foil install` writes hooks that name a ledger and no mode only beside
   * settings: somebody took them away.
   */
  readonly assumed: Mode;
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
    return `hook: ${agent === undefined ? 'which agent?' : `unknown agent "${harmless(agent)}".`} Use one of ${AGENTS.join(', ')}.`;
  const { event = null, ledger, state, socket } = values;
  const { mode = 'observe' } = values;
  if (!isMode(mode)) return `hook: unknown mode "${harmless(mode)}". Use observe, guard or locked.`;
  if (mode === 'locked' && socket === undefined) return 'hook: locked mode needs --socket PATH.';
  const assumed = values.mode === undefined && ledger !== undefined ? 'guard' : mode;
  return { agent, event, ledger, state, pinned: mode, assumed, socket };
}

/**
 * Must what can't be recorded be refused? By the line, also of one that is not understood, or by the settings of the
 * ledger that it names. Never throws.
 */
export function isStrict(words: readonly string[], env: Environment): boolean {
  if (words.some((word) => /^(?:--mode=)?(?:guard|locked)$/.test(word))) return true;
  const line = parseHookLine(words);
  if (typeof line === 'string' || line.ledger === undefined) return false;
  try {
    return modeHere(line.ledger, line, hookEnvironment(line, env)) !== 'observe';
  } catch {
    return line.assumed !== 'observe';
  }
}

/** What the line says about places counts more than a variable, which a repository can set for hooks. */
export function hookEnvironment<Env extends Environment>({ state }: Pick<HookLine, 'state'>, env: Env): Env {
  return state !== undefined && isAbsolute(state) ? { ...env, XDG_STATE_HOME: state } : env;
}

/** As strict as the line and the settings say. Throws ParseError for settings that are damaged. */
export function modeHere(
  directory: string,
  { pinned, assumed }: Pick<HookLine, 'pinned' | 'assumed'>,
  env: Environment,
  { mode }: Pick<Settings, 'mode'> = readSettings(directory, env),
): Mode {
  return strictest(strictest(pinned, mode), hasSettings(directory, env) ? mode : assumed);
}
