// The key store as its owner changes it: a key added, revoked, presented, withdrawn. Each is durable when it returns, and
// holds at once, because recorders look at the files. The key itself is given to the caller once and kept only where it is
// presented; the store knows its id.
import { join } from 'node:path';
import { authKeyIdOf, isHash, StoreError } from '../core/index.ts';
import type { Random } from '../ledger/index.ts';
import {
  type AuthFailure,
  type AuthKeyFile,
  encodeAuthKey,
  encodeAuthKeyFile,
  isKeyName,
  parseAuthKey,
} from './auth-key.ts';
import { authenticate, listKeys, presentedFile, readPresented } from './authenticate.ts';
import { lookAtDirectory, makePrivateDirectory, removePrivate, writePrivate } from './private-file.ts';

/** So many hex digits of an id say which one is meant. */
const SHORTEST_ID = 8;

export interface AddedKey extends AuthKeyFile {
  /** Shown once: nobody can get it back. */
  readonly key: string;
}

/** Durable when it returns. EXISTS where a good key has that name. */
export function addKey(
  directory: string,
  name: string,
  { random, now }: { readonly random: Random; readonly now: number },
): AddedKey {
  if (!isKeyName(name))
    throw new RangeError(
      "a key's name must have 1 to 64 letters, digits and . _ @ + -, and must begin with a letter or digit",
    );
  prepare(directory);
  if (goodKeys(directory).some((key) => key.name === name))
    throw new StoreError('EXISTS', `a key called ${name} already exists. Revoke it, or choose another name.`);
  const bytes = random(32);
  const id = authKeyIdOf(bytes);
  const file: AuthKeyFile = { id, name, created: new Date(now).toISOString(), revoked: null };
  writing(() => writePrivate(join(directory, id), encodeAuthKeyFile(file)));
  return { ...file, key: encodeAuthKey(bytes) };
}

/** `which` is a name, or an id or its beginning. Holds from the next prompt on. NOT_FOUND where there is no such key. */
export function revokeKey(directory: string, which: string, now: number): AuthKeyFile {
  const keys = goodKeys(directory);
  const named = keys.filter(({ name }) => name === which);
  const meant =
    named.length > 0
      ? named
      : keys.filter(({ id }) => which.length >= SHORTEST_ID && id.startsWith(which.toLowerCase()));
  const [key] = meant;
  if (key === undefined)
    throw new StoreError(
      'NOT_FOUND',
      `there is no valid key ${which}. Run \`foil auth list\` to see the keys.`,
    );
  if (meant.length > 1)
    throw new StoreError('EXISTS', `several ids begin with ${which}. Give more of the id.`);
  const revoked = { ...key, revoked: new Date(now).toISOString() };
  writing(() => writePrivate(join(directory, key.id), encodeAuthKeyFile(revoked)));
  return revoked;
}

export interface ListedKey extends AuthKeyFile {
  /** It is what sessions of this user present. */
  readonly presented: boolean;
}

/** The oldest first; and what is wrong with those that can't be read. */
export function readKeys(directory: string): {
  readonly keys: readonly ListedKey[];
  readonly problems: readonly AuthFailure[];
} {
  const all = listKeys(directory);
  const presented = presentedId(directory);
  const keys = all.flatMap((key) => ('reason' in key ? [] : [{ ...key, presented: key.id === presented }]));
  return {
    keys: keys.sort((a, b) =>
      a.created < b.created ? -1 : a.created > b.created ? 1 : a.id < b.id ? -1 : 1,
    ),
    problems: all.flatMap((key) => ('reason' in key ? [key] : [])),
  };
}

/** From now on sessions of this user present it. A key that is not good is refused, and what was presented stays. */
export function presentKey(
  directory: string,
  text: string,
  now: number,
): { readonly id: string; readonly name: string } {
  const { key, failure } = authenticate(directory, text, now);
  if (key === null) throw new StoreError('KEY', `${failure?.message}`);
  writing(() => writePrivate(presentedFile(directory), `${text}\n`));
  return key;
}

/** False where nothing was presented. */
export function withdrawKey(directory: string): boolean {
  const store = lookAtDirectory(directory);
  if (store === 'absent') return false;
  if (store !== 'private') throw new StoreError('KEY', `${store.problem}.`);
  return writing(() => removePrivate(presentedFile(directory)));
}

/** Of what is presented, without trying it. */
function presentedId(directory: string): string | null {
  const read = readPresented(directory);
  if (read === null || 'failure' in read) return null;
  try {
    return authKeyIdOf(parseAuthKey(read.text));
  } catch {
    return null;
  }
}

function goodKeys(directory: string): readonly AuthKeyFile[] {
  return listKeys(directory).flatMap((key) => {
    // A store that can't be listed has no id; one file that is not believed is in nobody's way.
    if ('reason' in key && !isHash(key.key)) throw new StoreError('KEY', key.message);
    return 'reason' in key || key.revoked !== null ? [] : [key];
  });
}

function prepare(directory: string): void {
  writing(() => makePrivateDirectory(directory));
}

function writing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { message } = error as Error;
    throw new StoreError('KEY', `the key store can't be written: ${message}.`, { cause: error });
  }
}
