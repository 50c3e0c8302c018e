// Does this command come from inside a session that the ledger records? Seen by its ancestors: one of them is the host's
// process, known by number, start and boot, or a `foil run`. A process that was cut loose has no such ancestors, but
// hosts mark the environment of what they run. Both can be shaken off: this is a hurdle, and what gets past it is what
// a verifier calls blind.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isHash } from '../../core/index.ts';
import { STATE_DIR } from '../../format/index.ts';
import { parseState, type SessionState } from '../../record/index.ts';
import { ancestorsOf, fateOf, wordsOf } from '../../session/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Inside {
  readonly agent: string;
  readonly session: string;
  /** By which it was seen. */
  readonly by: 'process' | 'run' | 'environment';
}

/** Variables that hosts set for the commands they run. */
const MARKS: Readonly<Record<string, string>> = {
  CLAUDECODE: 'claude-code',
  CODEX_SANDBOX: 'codex',
  CODEX_THREAD_ID: 'codex',
  GEMINI_CLI: 'gemini',
  COPILOT_CLI: 'copilot',
  CURSOR_AGENT: 'cursor',
  OPENCODE: 'opencode',
};
/** A session that nobody ended and nothing came from for so long is over. */
const FORGOTTEN = 24 * 3_600_000;

/** Null where nothing speaks for it. Never throws. */
export function insideOf(
  ledger: string,
  env: Environment,
  { ancestors = ancestorsOf(), now = Date.now() } = {},
): Inside | null {
  const open = openStates(join(ledger, STATE_DIR), now);
  const hosted = open.find(({ state: { host } }) => {
    if (host === undefined || !ancestors.includes(host.pid)) return false;
    // Without a start time a number is all there is, and it is one of our own ancestors.
    return host.started === null || fateOf(host) === 'running';
  });
  if (hosted !== undefined) return { agent: hosted.agent, session: hosted.state.session, by: 'process' };
  const { FOIL_SESSION: run } = env;
  if (isHash(run) && (env.FOIL_LEDGER === ledger || open.some(({ state }) => state.session === run)))
    return { agent: 'run', session: run, by: 'run' };
  const marked = open.find(({ agent }) =>
    Object.entries(MARKS).some(([name, of]) => of === agent && (env[name] ?? '') !== ''),
  );
  if (marked !== undefined) return { agent: marked.agent, session: marked.state.session, by: 'environment' };
  const joined = open.find(({ state }) => state.joined);
  return joined !== undefined && ancestors.some(isRun)
    ? { agent: joined.agent, session: joined.state.session, by: 'run' }
    : null;
}

/** Was this process started by a `foil run`, at any distance? */
export function isInsideRun(): boolean {
  return ancestorsOf().some(isRun);
}

function isRun(pid: number): boolean {
  const words = wordsOf(pid);
  const at = words.findIndex((word) => /(?:^|\/)(?:counter)?foil(?:\.cjs)?$/.test(word));
  return at >= 0 && words[at + 1] === 'run';
}

/** Of hosts, not ended, by the files that hooks keep. */
export function openStates(
  directory: string,
  now: number,
): { readonly agent: string; readonly state: SessionState }[] {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const agent = name.slice(0, Math.max(0, name.indexOf('.')));
    if (agent === '' || agent === 'foil') return [];
    try {
      const path = join(directory, name);
      if (now - statSync(path).mtimeMs > FORGOTTEN) return [];
      const state = parseState(readFileSync(path));
      return state === undefined || state.ended ? [] : [{ agent, state }];
    } catch {
      return [];
    }
  });
}
