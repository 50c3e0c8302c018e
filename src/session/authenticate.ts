// What recorders ask the key store: does this session have a good key, and is the key still good? Every question
// reads the files, so a revocation counts from the next prompt on, in any process. A store that can't be believed is
// a failure with a reason, never a pass. If there is no store, no key is needed.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { authKeyIdOf, isHash, ParseError } from '../core/index.ts';
import { AUTH_DIR } from '../format/index.ts';
import { forgetWrong, noteWrong, pauseLeft } from './auth-attempts.ts';
import { type AuthFailure, type AuthKeyFile, parseAuthKey, parseAuthKeyFile } from './auth-key.ts';
import { lookAtDirectory, readPrivate } from './private-file.ts';

/** How a session begins, as far as keys go. Both null where no key is asked for. */
export interface Authenticated {
  readonly key: Pick<AuthKeyFile, 'id' | 'name'> | null;
  readonly failure: AuthFailure | null;
}

export interface Auth {
  /** When a session begins: is a good key presented? Never throws. */
  begin(): Authenticated;
  /** Would one begin with a good key? A look, which is no attempt: a wrong key is not counted. Never throws. */
  isPresented(): boolean;
  /**
   * Before each prompt and call of a session that began with this key (its id; null: with none). Null where it may go
   * on. A few small system calls: it may be asked inside the store's exclusive section. Never throws.
   */
  check(key: string | null): AuthFailure | null;
}

export interface AuthOptions {
  /** What is presented, in place of what `foil auth present` left. */
  readonly given?: string | undefined;
  readonly now?: () => number;
}

const PRESENTED = 'presented';
const ATTEMPTS = 'attempts';
const KEY_FILE_LIMIT = 4096;
const KEY_TEXT_LIMIT = 256;

/** Beside the ledger's own keys: in the user's configuration, or in a ledger that has its keys inside. */
export function authDirectory({ keyDirectory }: { readonly keyDirectory: string }): string {
  return join(dirname(keyDirectory), AUTH_DIR);
}

export function presentedFile(directory: string): string {
  return join(directory, PRESENTED);
}

export function openAuth(directory: string, { given, now = Date.now }: AuthOptions = {}): Auth {
  const presented = (counts: boolean): Authenticated => {
    const read = given === undefined ? readPresented(directory) : { text: given };
    return read !== null && 'failure' in read
      ? { key: null, failure: read.failure }
      : authenticate(directory, read?.text ?? null, now(), counts);
  };
  return {
    begin: () => presented(true),
    isPresented: () => presented(false).key !== null,
    check: (key) => (key === null ? checkNone(directory) : checkKey(directory, key)),
  };
}

/** What sessions of this user present. Null where nothing is. */
export function readPresented(
  directory: string,
): { readonly text: string } | { readonly failure: AuthFailure } | null {
  const store = lookAtDirectory(directory);
  if (store === 'absent') return null;
  if (store !== 'private') return { failure: unreadable(store.problem) };
  const read = readPrivate(presentedFile(directory), KEY_TEXT_LIMIT);
  if (read === null) return null;
  return 'problem' in read
    ? { failure: unreadable(read.problem) }
    : { text: read.text.replace(/\r?\n$/, '') };
}

/** `presented` null where nothing is. `counts`: is it an attempt? Never throws. */
export function authenticate(
  directory: string,
  presented: string | null,
  now: number,
  counts = true,
): Authenticated {
  const store = listIds(directory);
  if ('problem' in store) return refused(unreadable(store.problem));
  const { ids } = store;
  if (presented === null) return ids.length === 0 ? { key: null, failure: null } : refused(NONE_PRESENTED);
  const attempts = join(directory, ATTEMPTS);
  const pause = pauseLeft(attempts, now);
  if (typeof pause === 'object') return refused(unreadable(pause.problem));
  if (pause > 0)
    return refused({
      reason: 'too-many-attempts',
      key: null,
      message: `too many wrong auth keys were tried. Wait ${inWords(pause)}, then try again with the right one.`,
    });
  let id: string;
  try {
    id = authKeyIdOf(parseAuthKey(presented));
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return refused({
      reason: 'malformed',
      key: null,
      message: `the value presented is not an auth key. ${HOW_TO_PRESENT}`,
    });
  }
  if (!isAmong(ids, id)) {
    if (counts && ids.length > 0) noteWrong(attempts, now);
    return refused({
      reason: 'unknown-key',
      key: null,
      message: `the auth key presented is not in the key store. ${HOW_TO_PRESENT}`,
    });
  }
  const found = readKey(directory, id);
  if ('reason' in found) return refused(found);
  if (counts) forgetWrong(attempts);
  return { key: { id, name: found.name }, failure: null };
}

/** The keys of a store, revoked ones too. Those whose file is not believed come as failures. */
export function listKeys(directory: string): readonly (AuthKeyFile | AuthFailure)[] {
  const store = listIds(directory);
  if ('problem' in store) return [unreadable(store.problem)];
  return store.ids.map((id) => readFile(directory, id));
}

function checkNone(directory: string): AuthFailure | null {
  const store = listIds(directory);
  if ('problem' in store) return unreadable(store.problem);
  return store.ids.length === 0 ? null : NONE_PRESENTED;
}

function checkKey(directory: string, id: string): AuthFailure | null {
  const store = lookAtDirectory(directory);
  if (typeof store === 'object') return unreadable(store.problem, id);
  const found = readKey(directory, id);
  return 'reason' in found ? found : null;
}

/** A key that is good. */
function readKey(directory: string, id: string): AuthKeyFile | AuthFailure {
  const found = readFile(directory, id);
  if ('reason' in found || found.revoked === null) return found;
  return {
    reason: 'revoked',
    key: id,
    message: `the auth key ${found.name} was revoked on ${found.revoked}. Run \`foil auth add NAME --present\` to make and present another one.`,
  };
}

function readFile(directory: string, id: string): AuthKeyFile | AuthFailure {
  const path = join(directory, id);
  const read = readPrivate(path, KEY_FILE_LIMIT);
  if (read === null)
    return {
      reason: 'unknown-key',
      key: id,
      message: `the key store no longer has the key ${id.slice(0, 12)}. Restore ${path}, or run \`foil auth present\` to present another one.`,
    };
  if ('problem' in read) return unreadable(read.problem, id);
  try {
    return parseAuthKeyFile(read.text, id);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return unreadable(`${path} has changed since foil wrote it (${error.message})`, id);
  }
}

function listIds(directory: string): { readonly ids: readonly string[] } | { readonly problem: string } {
  const store = lookAtDirectory(directory);
  if (store === 'absent') return { ids: [] };
  if (store !== 'private') return store;
  try {
    return { ids: readdirSync(directory).filter(isHash) };
  } catch (error) {
    return { problem: `${directory} can't be listed (${(error as { code?: string }).code})` };
  }
}

/** Looks at every id to its end, so that the time it takes says nothing of how near a guess was. */
function isAmong(ids: readonly string[], id: string): boolean {
  let found = 0;
  for (const other of ids) {
    let differs = 0;
    for (let i = 0; i < 64; i++) differs |= other.charCodeAt(i) ^ id.charCodeAt(i);
    found |= differs === 0 ? 1 : 0;
  }
  return found === 1;
}

const HOW_TO_PRESENT =
  'Present a key with `foil auth present`, or make one with `foil auth add NAME --present`, then start again.';

const NONE_PRESENTED: AuthFailure = {
  reason: 'none-presented',
  key: null,
  message: `this ledger requires an auth key, and this session has none. ${HOW_TO_PRESENT}`,
};

function unreadable(problem: string, key: string | null = null): AuthFailure {
  return { reason: 'unreadable', key, message: `the auth keys can't be trusted: ${problem}.` };
}

function refused(failure: AuthFailure): Authenticated {
  return { key: null, failure };
}

function inWords(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;
}
