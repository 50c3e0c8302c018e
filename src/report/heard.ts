// When an event last came from a host's hooks. A hook that stands in a file is none that runs: the host may not trust it, or
// not have been restarted since. The state of a session is written with every event of it, so its time tells.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { STATE_DIR } from '../format/index.ts';

export interface Heard {
  readonly agent: string;
  /** Null where nothing ever came. */
  readonly at: string | null;
  /** The hooks were written after that. */
  readonly stale: boolean;
}

/** Why nothing may come from a host whose hooks are in place. */
const LIKELY: Readonly<Record<string, string>> = {
  codex: 'trust the hooks: type /hooks in Codex',
  gemini: 'restart it, and check that it trusts this folder',
  copilot: 'restart it, and check that it trusts this folder',
};

/** Whose file has hardly anything in it but hooks. Others write to theirs for many reasons. */
const OWN_FILE: ReadonlySet<string> = new Set(['codex', 'copilot', 'opencode']);

/** Of the hooks in this settings file. Never throws. */
export function heardFrom(directory: string, agent: string, path: string): Heard {
  const at = newest(join(directory, STATE_DIR), `${agent}.`);
  const stale = at !== null && OWN_FILE.has(agent) && at < timeOf(path);
  return { agent, at: at === null ? null : new Date(at).toISOString(), stale };
}

export function unheardText({ agent, at }: Heard): string {
  const since = at === null ? 'yet' : 'since its hooks were written';
  return `no event came from ${agent} ${since}: ${LIKELY[agent] ?? 'restart it'}`;
}

function newest(directory: string, start: string): number | null {
  try {
    const times = readdirSync(directory)
      .filter((name) => name.startsWith(start))
      .map((name) => timeOf(join(directory, name)));
    return times.length === 0 ? null : Math.max(...times);
  } catch {
    return null;
  }
}

function timeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
