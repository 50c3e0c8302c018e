// A session stays in the ledger in which it began, wherever the agent goes later. A hook that names no ledger goes by its
// directory, and an agent chooses that: a `cd` into another repository would leave the grants and the mode of the session
// behind. So the first event of a session writes down where it went, in the user's state directory, and later ones go there.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { sha256Hex } from '#platform';
import { type Environment, stateDirectory } from '../../ledger/index.ts';

/** Under which hosts give the id of a session in what they tell a hook. The first that is there counts. */
const NAMES = ['conversation_id', 'session_id', 'sessionId'];
const FOLDER = 'sessions';
const LONGEST = 8192;
/** More than these are looked through for old ones when another is written. */
const MOST = 512;
const OLD_MS = 90 * 24 * 3600 * 1000;

/** One session of a host, by what it calls itself. Undefined where the event names none. */
export function hostSession(agent: string, body: Uint8Array): string | undefined {
  try {
    const event: unknown = JSON.parse(new TextDecoder().decode(body));
    if (typeof event !== 'object' || event === null) return undefined;
    const members = event as Record<string, unknown>;
    const id = NAMES.map((name) => members[name]).find((value) => typeof value === 'string' && value !== '');
    return id === undefined ? undefined : sha256Hex(JSON.stringify([agent, id]));
  } catch {
    return undefined;
  }
}

/** Undefined where nothing is written down. Whether a ledger is there still is for the caller to see. */
export function ledgerOfSession(session: string, env: Environment): string | undefined {
  try {
    const text = readFileSync(join(stateDirectory(env), FOLDER, session), 'utf8');
    const directory = text.slice(0, -1);
    return text.endsWith('\n') && text.length <= LONGEST && isAbsolute(directory) ? directory : undefined;
  } catch {
    return undefined;
  }
}

/** Never throws: an event is recorded all the same where this can't be written. */
export function keepSessionIn(session: string, directory: string, env: Environment): void {
  const folder = join(stateDirectory(env), FOLDER);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const draft = join(folder, `.${session}.${process.pid}`);
    writeFileSync(draft, `${directory}\n`, { mode: 0o600 });
    renameSync(draft, join(folder, session));
    removeOld(folder);
  } catch {
    // It goes by its directory, then.
  }
}

function removeOld(folder: string): void {
  const names = readdirSync(folder);
  if (names.length <= MOST) return;
  for (const name of names) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > OLD_MS) rmSync(path, { force: true });
  }
}
