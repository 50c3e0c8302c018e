// What a hook that is a process tells the service about itself, so that the service records its event as the hook would:
// the host's process, the directory, and the variables by which settings and notes are found. It counts only on the
// user's own socket: over TCP, and on a socket that another user reaches, nobody can say who calls.
import { isAbsolute } from 'node:path';

export interface Caller {
  /** The host's process. */
  readonly pid: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export const CALLER_HEADER = 'foil-caller';

/** What the ledger's and the hosts' files are found by. Nothing else of an environment leaves the hook. */
export const CALLER_VARIABLES = [
  'HOME',
  'TMPDIR',
  'XDG_CONFIG_HOME',
  'XDG_RUNTIME_DIR',
  'XDG_STATE_HOME',
  'CLAUDE_CODE_SHELL_PREFIX',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'COPILOT_HOME',
  'GEMINI_CLI_HOME',
];

/** Node's servers take 16 KiB of headers. */
const LONGEST = 8192;

/** Undefined where it is more than a header should hold. */
export function encodeCaller({
  pid,
  cwd,
  env,
}: Omit<Caller, 'env'> & { readonly env: NodeJS.ProcessEnv }): string | undefined {
  const known = Object.fromEntries(
    CALLER_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  const text = Buffer.from(JSON.stringify({ pid, cwd, env: known })).toString('base64url');
  return text.length > LONGEST ? undefined : text;
}

/** Undefined for anything but what `encodeCaller` gives. */
export function parseCaller(text: string): Caller | undefined {
  try {
    const { pid, cwd, env, ...rest } = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    const isPid = Number.isSafeInteger(pid) && pid > 0;
    if (!isPid || typeof cwd !== 'string' || !isAbsolute(cwd) || Object.keys(rest).length > 0)
      return undefined;
    const variables = Object.entries(env as object);
    const areKnown = variables.every(
      ([name, value]) => CALLER_VARIABLES.includes(name) && typeof value === 'string',
    );
    return areKnown ? { pid, cwd, env: Object.fromEntries(variables) as Record<string, string> } : undefined;
  } catch {
    return undefined;
  }
}
