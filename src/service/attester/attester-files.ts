// The state of an attester, a directory of its own that belongs to its user alone: signing key, encryption key, token, lock,
// accepted jobs and results. It is never a ledger's directory, and its keys are never a ledger's.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex, utf8Encode } from '#platform';
import {
  didWebUrl,
  encodeDidKey,
  encodeSignerKey,
  type JsonObject,
  makeSigner,
  ParseError,
  parseBase64Url,
  parseSignerKey,
  type Signer,
  StoreError,
} from '../../core/index.ts';
import { SEGMENT_DIR } from '../../format/index.ts';
import { type EncryptionKey, parseEncryptionKey } from '../../harness/index.ts';
import { lookAtDirectory, readPrivate } from '../../session/index.ts';
import { nodeFs, writeDurably } from '../../store/files/index.ts';

export interface AttesterFiles {
  readonly directory: string;
  readonly key: string;
  readonly encryptionKey: string;
  /** The did:web that the attester goes by, where it has one. */
  readonly did: string;
  readonly token: string;
  readonly lock: string;
  readonly jobs: string;
  readonly results: string;
}

export function attesterFiles(directory: string): AttesterFiles {
  const at = (name: string): string => join(directory, name);
  return {
    directory,
    key: at('key'),
    encryptionKey: at('encryption-key.jwk.json'),
    did: at('did'),
    token: at('token'),
    lock: at('lock'),
    jobs: at('jobs'),
    results: at('results'),
  };
}

/** Makes what is not there. Throws StoreError where others may use it, or it is a ledger. */
export function makeAttesterDirectory({ directory, jobs, results }: AttesterFiles): void {
  if (existsSync(join(directory, SEGMENT_DIR)))
    throw new StoreError(
      'EXISTS',
      `${directory} is a ledger. An attester needs its own state directory. Choose another directory with --state.`,
    );
  for (const path of [directory, jobs, results]) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const found = lookAtDirectory(path);
    if (typeof found === 'object') throw new StoreError('DENIED', `${found.problem}.`);
  }
}

export interface AttesterKeys {
  readonly signer: Signer;
  /** X25519, private. */
  readonly encryption: EncryptionKey;
}

/** Undefined where no attester has started here yet. Throws StoreError for keys that others may have read. */
export function readKeys(files: AttesterFiles): AttesterKeys | undefined {
  const [key, encryption] = [readSecret(files.key), readSecret(files.encryptionKey)];
  if (key === undefined || encryption === undefined) return undefined;
  try {
    return {
      signer: parseSignerKey(key.replace(/\n$/, '')),
      encryption: parseEncryptionKey(JSON.parse(encryption) as JsonObject, true),
    };
  } catch (cause) {
    const file = cause instanceof ParseError ? files.key : files.encryptionKey;
    throw new StoreError('KEY', `${file} is not an attester's key. Restore it from a copy.`, { cause });
  }
}

/** The keys, made at the first start and kept for ever. */
export async function makeKeys(files: AttesterFiles): Promise<AttesterKeys> {
  if (readSecret(files.key) === undefined) {
    const seed = randomBytes(32);
    const id = sha256Hex(makeSigner('attester', seed).publicKey).slice(0, 16);
    await keep(files.key, `${encodeSignerKey(`counterfoil-attester/${id}`, seed)}\n`);
  }
  if (readSecret(files.encryptionKey) === undefined) {
    const { privateKey } = generateKeyPairSync('x25519');
    const { kty, crv, x, d } = privateKey.export({ format: 'jwk' });
    await keep(files.encryptionKey, `${JSON.stringify({ kty, crv, x, d })}\n`);
  }
  const keys = readKeys(files);
  if (keys === undefined)
    throw new StoreError(
      'KEY',
      `the keys in ${files.directory} disappeared while the attester started. Start it again.`,
    );
  return keys;
}

/** What it goes by from now on: a did:web, or the did:key of its key. Durable when it resolves. */
export async function keepDid(files: AttesterFiles, did: string | undefined): Promise<void> {
  if (did === undefined) rmSync(files.did, { force: true });
  else await writeDurably(nodeFs, files.did, utf8Encode(`${did}\n`));
}

/** What the attester signed as when it was last started: with these keys it is one and the same. */
export function readDid(files: AttesterFiles, { signer }: AttesterKeys): string {
  const kept = readSecret(files.did)?.replace(/\n$/, '');
  if (kept === undefined) return encodeDidKey(signer.publicKey);
  try {
    didWebUrl(kept);
    return kept;
  } catch (cause) {
    throw new StoreError('DAMAGED', `${files.did} is not a did:web. Start the attester again to repair it.`, {
      cause,
    });
  }
}

/** What may be published: packs are encrypted for it. */
export function publicEncryptionKey({ encryption }: AttesterKeys): { jwk: JsonObject; bytes: Uint8Array } {
  const { kty = '', crv = '', x = '' } = encryption;
  return { jwk: { kty, crv, x }, bytes: parseBase64Url(x) };
}

const TOKEN = /^[0-9a-f]{64}\n?$/;

/** Made on the first start; whoever shows it may submit. */
export async function makeToken(path: string): Promise<string> {
  if (readSecret(path) === undefined) await keep(path, `${randomBytes(32).toString('hex')}\n`);
  return readAttesterToken(path);
}

/** Throws StoreError where there is none, others may have read it, or it is no token. */
export function readAttesterToken(path: string): string {
  const text = readSecret(path);
  if (text === undefined) throw new StoreError('NOT_FOUND', `there is no token in ${path}.`);
  if (!TOKEN.test(text))
    throw new StoreError('KEY', `${path} has no token. A token is 64 hex digits and a newline.`);
  return text.slice(0, 64);
}

const LONGEST_SECRET = 4096;

function readSecret(path: string): string | undefined {
  const found = readPrivate(path, LONGEST_SECRET);
  if (found === null) return undefined;
  if ('problem' in found) throw new StoreError('KEY', `${found.problem}.`);
  return found.text;
}

/** Whole and durable; the first one wins. */
function keep(path: string, text: string): Promise<void> {
  return writeDurably(nodeFs, path, utf8Encode(text), { keep: true });
}
