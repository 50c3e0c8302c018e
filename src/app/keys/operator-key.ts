// The operator's key: whose signature changes a ledger's policy. It is a person's, not a ledger's, and lies in the user's
// configuration, encrypted under a passphrase (scrypt, AES-256-GCM) that only that person can type: an agent that runs
// as the same user can read the file, and gains nothing by it. Without a passphrase it can sign, and that is said.
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  encodeHex,
  encodeVerifierKey,
  makeSigner,
  ParseError,
  parseHex,
  parseVerifierKey,
  type Signer,
  StoreError,
} from '../../core/index.ts';
import { configDirectory } from '../../ledger/index.ts';
import { makeDirectories, nodeFs, writeDurably } from '../../store/files/index.ts';
import { readFile } from '../input.ts';
import { askSecrets } from './terminal-secret.ts';

/** About a tenth of a second and 64 MB a guess. */
const COST = { N: 65_536, r: 8, p: 1 } as const;
const MAX_FILE = 16_384;
const NAME = 'operator';
/** A shorter one is guessed in no time. */
const SHORTEST = 8;

interface KeyFile {
  readonly v: 1;
  readonly vkey: string;
  /** In clear; null where it is encrypted. */
  readonly seed: string | null;
  readonly encrypted: {
    readonly salt: string;
    readonly nonce: string;
    readonly text: string;
    readonly tag: string;
  } | null;
}

export interface OperatorKey {
  readonly vkey: string;
  readonly file: string;
  readonly encrypted: boolean;
}

export function operatorFile(env: NodeJS.ProcessEnv): string {
  return join(configDirectory(env), 'operator.key');
}

/** Null where there is none. */
export function readOperator(env: NodeJS.ProcessEnv): OperatorKey | null {
  const file = operatorFile(env);
  const found = readKeyFile(file);
  return found === null ? null : { vkey: found.vkey, file, encrypted: found.encrypted !== null };
}

/** `passphrase` null keeps it in clear. Durable when it resolves. */
export async function makeOperator(env: NodeJS.ProcessEnv, passphrase: string | null): Promise<OperatorKey> {
  const file = operatorFile(env);
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    throw new StoreError('EXISTS', `the operator key ${file} already exists.`);
  const seed = randomBytes(32);
  const vkey = encodeVerifierKey(makeSigner(NAME, seed));
  const content: KeyFile = {
    v: 1,
    vkey,
    seed: passphrase === null ? encodeHex(seed) : null,
    encrypted: passphrase === null ? null : encrypt(seed, passphrase, vkey),
  };
  await makeDirectories(nodeFs, dirname(file));
  await writeDurably(nodeFs, file, Buffer.from(`${JSON.stringify(content)}\n`), { keep: true });
  return { vkey, file, encrypted: passphrase !== null };
}

/** Asks for the passphrase where one is needed. Throws StoreError that says what to do. */
export async function openOperator(env: NodeJS.ProcessEnv): Promise<Signer> {
  const file = operatorFile(env);
  const found = readKeyFile(file);
  if (found === null)
    throw new StoreError(
      'KEY',
      'there is no operator key here, and only an operator can sign this. Make one with `foil operator init`.',
    );
  const seed =
    found.encrypted === null
      ? parseHex(found.seed ?? '', 32)
      : decrypt(found.encrypted, await passphraseOf(env), found.vkey);
  const signer = seed === undefined ? undefined : makeSigner(parseVerifierKey(found.vkey).name, seed);
  if (signer === undefined || encodeVerifierKey(signer) !== found.vkey)
    throw new StoreError('KEY', 'wrong passphrase for the operator key.');
  return signer;
}

/** A new one, typed twice, or from the file that the environment names. */
export async function newPassphrase(env: NodeJS.ProcessEnv): Promise<string> {
  const told = passphraseFile(env);
  const [first = '', again = first] =
    told === null ? await askSecrets(['New passphrase for the operator key: ', 'Once more: ']) : [told];
  if (again !== first) throw new StoreError('KEY', 'the two passphrases differ. Nothing was made.');
  if ([...first].length < SHORTEST)
    throw new StoreError('KEY', `a passphrase needs at least ${SHORTEST} characters. Nothing was made.`);
  return first;
}

async function passphraseOf(env: NodeJS.ProcessEnv): Promise<string> {
  return passphraseFile(env) ?? (await askSecrets(['Passphrase of the operator key: ']))[0] ?? '';
}

/** Null where the environment names none. */
function passphraseFile(env: NodeJS.ProcessEnv): string | null {
  const file = env.FOIL_OPERATOR_PASSPHRASE_FILE;
  if (file === undefined || file === '') return null;
  const bytes = readPrivate(file);
  if (bytes === null) throw new StoreError('KEY', `there is no file ${file}.`);
  return Buffer.from(bytes)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

function encrypt(seed: Uint8Array, passphrase: string, vkey: string): KeyFile['encrypted'] {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv('aes-256-gcm', keyOf(passphrase, salt), nonce).setAAD(Buffer.from(vkey));
  const text = Buffer.concat([cipher.update(seed), cipher.final()]);
  const hex = (bytes: Uint8Array): string => encodeHex(bytes);
  return { salt: hex(salt), nonce: hex(nonce), text: hex(text), tag: hex(cipher.getAuthTag()) };
}

/** Undefined for another passphrase. */
function decrypt(
  { salt, nonce, text, tag }: NonNullable<KeyFile['encrypted']>,
  passphrase: string,
  vkey: string,
): Uint8Array | undefined {
  try {
    const key = keyOf(passphrase, parseHex(salt, 16));
    const cipher = createDecipheriv('aes-256-gcm', key, parseHex(nonce, 12))
      .setAAD(Buffer.from(vkey))
      .setAuthTag(parseHex(tag, 16));
    return Buffer.concat([cipher.update(parseHex(text, 32)), cipher.final()]);
  } catch {
    return undefined;
  }
}

function keyOf(passphrase: string, salt: Uint8Array): Buffer {
  return scryptSync(passphrase.normalize('NFC'), salt, 32, { ...COST, maxmem: 128 * 1024 * 1024 });
}

function readKeyFile(file: string): KeyFile | null {
  const bytes = readPrivate(file);
  if (bytes === null) return null;
  try {
    const value = JSON.parse(Buffer.from(bytes).toString('utf8')) as KeyFile;
    if (value.v !== 1) throw new ParseError('UNKNOWN_VERSION', 'only version 1 is known');
    parseVerifierKey(value.vkey);
    return value;
  } catch (cause) {
    throw new StoreError('KEY', `${file} isn't an operator key. Restore it from a copy.`, { cause });
  }
}

/** Null where it is not there. A file that others can read is refused, as ssh does. */
function readPrivate(file: string): Uint8Array | null {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (!stat.isFile()) throw new StoreError('KEY', `${file} isn't a regular file.`);
  if ((stat.mode & 0o077) !== 0)
    throw new StoreError('KEY', `others can read ${file}. Run \`chmod 600 ${file}\`.`);
  return readFile(file, MAX_FILE, 'a key file');
}
