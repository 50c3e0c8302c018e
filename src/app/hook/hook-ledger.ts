// Which ledger a hook records to. A host may fill the environment of its hooks from a file of the repository
// (`.claude/settings.json` with `env`), so a variable chooses nothing here. A pinned hook goes by its command line. One
// that is not pinned goes by the session, which stays where it began (session-ledger.ts), else by its directory. A place that only variables lead to must be a ledger that is there
// already, outside of the work tree: none is made there, and no keys. The one exception is `foil run`: it names a session
// that nobody else can know.
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { isHash } from '../../core/index.ts';
import { CHECKPOINT_FILE, STATE_DIR } from '../../format/index.ts';
import {
  configDirectory,
  type Environment,
  type Located,
  locate,
  projectDirectory,
  REGISTRY,
  stateDirectory,
  workspaceRoot,
} from '../../ledger/index.ts';
import { parseShared, sharedState } from '../../session/index.ts';
import { hookEnvironment } from './hook-line.ts';
import { keepSessionIn, ledgerOfSession } from './session-ledger.ts';

export interface HookAsking {
  /** As the command line pins it. */
  readonly ledger: string | undefined;
  /** Likewise: where what is kept about that ledger lies. */
  readonly state?: string | undefined;
  /** Of the host, as hostSession names it. */
  readonly session?: string | undefined;
  readonly cwd: string;
  readonly env: Environment;
  /** For tests: what the system would say of the user. */
  readonly login?: Environment;
}

export interface HookLedger {
  readonly located: Located;
  /** The environment to go on with: where the variables lead astray, what the system says of the user is in it instead. */
  readonly env: Environment;
}

/** Throws where it can't be known. In guard nothing runs then, and in observe the person is told. */
export function locateHook(asking: HookAsking): HookLedger {
  const { ledger, state, session, cwd, env: given, login: told } = asking;
  const env = state === undefined ? withStateOutside(given, cwd, told) : hookEnvironment({ state }, given);
  if (ledger !== undefined) return pinnedLedger(ledger, cwd, env);
  if (env.FOIL_LEDGER && runIn(env.FOIL_LEDGER, env) !== undefined)
    return { located: locate({ cwd, env }), env };
  if (session === undefined) return ledgerHere(cwd, env, told);
  const kept = [told ?? loginEnvironment(), env]
    .map((place) => place && ledgerOfSession(session, place))
    .find((directory) => directory !== undefined && existsSync(join(directory, CHECKPOINT_FILE)));
  if (kept !== undefined) return pinnedLedger(kept, cwd, env);
  const here = ledgerHere(cwd, env, told);
  keepSessionIn(session, here.located.directory, here.env);
  return here;
}

function ledgerHere(cwd: string, env: Environment, told: Environment | undefined): HookLedger {
  const { FOIL_LEDGER: _, ...own } = env;
  const found = { located: locate({ cwd, env: own }), env };
  const { directory, how } = found.located;
  if (how !== 'project' || isKnown(directory, cwd)) return found;
  const login = told ?? loginEnvironment();
  if (login === undefined) return found;
  const usual = projectDirectory(cwd, login);
  if (isKnown(usual, cwd)) return { located: locate({ cwd, env: login }), env: { ...env, ...login } };
  if (usual === directory && configDirectory(login) === configDirectory(env)) return found;
  throw new Error(
    `this hook doesn't name a ledger, and there is none in ${directory}. HOME, XDG_STATE_HOME or XDG_CONFIG_HOME differs from what the system says. A repository can set such variables, so foil makes no ledger there. Run \`foil init\` in the project, or \`foil install\` to pin the ledger.`,
  );
}

/**
 * Which `.foil/` counts is written down in the state directory, and so are its settings. A clone can bring such a directory
 * and a host's file whose `env` leads to it, so none in the work tree counts, unless the system says that the home is there.
 */
function withStateOutside(env: Environment, cwd: string, told: Environment | undefined): Environment {
  const state = stateDirectory(env);
  if (!existsSync(join(state, REGISTRY)) || !isInside(state, cwd)) return env;
  const login = told ?? loginEnvironment();
  if (login === undefined || stateDirectory(login) === state) return env;
  return { ...env, XDG_STATE_HOME: login.XDG_STATE_HOME };
}

/** A `.foil/` that is not registered where the variables lead may be where the system says that the user's home is. */
function pinnedLedger(ledger: string, cwd: string, env: Environment): HookLedger {
  const located = locate({ ledger, cwd, env });
  const login = located.notice === undefined ? undefined : loginEnvironment();
  if (login === undefined) return { located, env };
  const again = locate({ ledger, cwd, env: login });
  return again.notice === undefined ? { located: again, env: { ...env, ...login } } : { located, env };
}

/**
 * The session that `foil run` or `foil session start` began in this ledger and named in the environment. Undefined where
 * the ledger knows of no such session: then the words are nobody's, and must not keep anything from being recorded.
 */
export function runIn(
  directory: string,
  { FOIL_SESSION: id, FOIL_LEDGER: ledger }: Environment,
): string | undefined {
  if (!isHash(id) || !ledger) return undefined;
  try {
    if (ledger !== directory && realpathSync(ledger) !== realpathSync(directory)) return undefined;
    const state = readFileSync(join(directory, STATE_DIR, sharedState(id)));
    return parseShared(state, id).source === null ? undefined : id;
  } catch {
    return undefined;
  }
}

/** A ledger of this user's that is there, and that no clone can have brought. */
function isKnown(directory: string, cwd: string): boolean {
  try {
    const { uid, mode } = lstatSync(join(directory, CHECKPOINT_FILE));
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    return isOwn && !isInside(directory, cwd);
  } catch {
    return false;
  }
}

/** Does it lie in the work tree? */
function isInside(directory: string, cwd: string): boolean {
  try {
    const root = realpathSync(workspaceRoot(cwd));
    return root !== sep && `${realpathSync(directory)}${sep}`.startsWith(`${root}${sep}`);
  } catch {
    return true;
  }
}

/** As the system's own list of users has it; undefined for a user who is not in it, as in many containers. */
function loginEnvironment(): Environment | undefined {
  try {
    const { homedir } = process.getBuiltinModule('node:os').userInfo();
    return { XDG_STATE_HOME: join(homedir, '.local/state'), XDG_CONFIG_HOME: join(homedir, '.config') };
  } catch {
    return undefined;
  }
}
