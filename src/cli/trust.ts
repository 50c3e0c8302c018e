// trust.yaml: the keys that this verifier chose to trust, and for which ledger. Written by its owner or by
// `foil init`, read by every verifying command. Strict: an unknown member is an error, never a pin that is ignored.
import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { utf8Decode, utf8Encode } from '#platform';
import { ParseError, parseVerifierKey, StoreError, type VerifierKey } from '../core/index.ts';
import { configDirectory } from '../ledger/index.ts';
import { after, makeDirectories, nodeFs, OsLock, SECTION, writeDurably } from '../store/files/index.ts';
import type { Network } from '../verify/index.ts';
import { readFile } from './input.ts';

const MAX_FILE = 1 << 20;
const MAX_LEDGERS = 10_000;
const LOCK_WAIT = 5_000;

export interface TrustedLedger {
  readonly key: VerifierKey;
  /** Where it is expected to be: whatever is found there must have this key. */
  readonly path?: string;
}

export interface Trust {
  readonly ledgers: readonly TrustedLedger[];
  /** Keys of people who may change a policy. Left out where the file says nothing of them. */
  readonly operators?: readonly VerifierKey[];
  /** Which blocks count, and headers of them that this verifier has. */
  readonly bitcoin?: TrustedChain;
}

export interface TrustedChain {
  readonly network: Network;
  readonly headers?: string;
}

/** The value of a trust file as YAML gives it. */
export function parseTrust(value: unknown): Trust {
  if (value === null || value === undefined) return { ledgers: [] };
  const {
    ledgers = null,
    operators = null,
    bitcoin = null,
  } = members(value, ['ledgers', 'operators', 'bitcoin'], '');
  return {
    ledgers: list(ledgers, 'ledgers').map((ledger, index) => parseLedger(ledger, `ledgers[${index}]`)),
    ...(operators === null
      ? {}
      : { operators: list(operators, 'operators').map((each, i) => parseOperator(each, `operators[${i}]`)) }),
    ...(bitcoin === null ? {} : { bitcoin: parseBitcoin(bitcoin) }),
  };
}

function parseBitcoin(value: unknown): TrustedChain {
  const { network = 'main', headers } = members(value, ['network', 'headers'], 'bitcoin');
  if (network !== 'main' && network !== 'regtest')
    throw new ParseError('BAD_MEMBER', 'neither main nor regtest', 'bitcoin.network');
  if (headers === undefined) return { network };
  if (typeof headers !== 'string' || !isAbsolute(headers))
    throw new ParseError('BAD_MEMBER', 'not an absolute path', 'bitcoin.headers');
  return { network, headers };
}

function list(value: unknown, at: string): readonly unknown[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw new ParseError('BAD_MEMBER', 'not a list', at);
  if (value.length > MAX_LEDGERS) throw new ParseError('TOO_LONG', `more than ${MAX_LEDGERS}`, at);
  return value;
}

function parseOperator(value: unknown, at: string): VerifierKey {
  return parseLedger(members(value, ['vkey'], at), at).key;
}

function parseLedger(value: unknown, at: string): TrustedLedger {
  const { vkey, path } = members(value, ['vkey', 'path'], at);
  if (typeof vkey !== 'string') throw new ParseError('BAD_MEMBER', 'missing, or not text', `${at}.vkey`);
  if (path !== undefined && (typeof path !== 'string' || !isAbsolute(path))) {
    throw new ParseError('BAD_MEMBER', 'not an absolute path', `${at}.path`);
  }
  try {
    return { key: parseVerifierKey(vkey), ...(path === undefined ? {} : { path }) };
  } catch (error) {
    if (error instanceof ParseError) throw new ParseError(error.code, error.message, `${at}.vkey`);
    throw error;
  }
}

function members(value: unknown, names: readonly string[], at: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ParseError('BAD_MEMBER', 'not a mapping', at);
  }
  const extra = Object.keys(value).find((name) => !names.includes(name));
  if (extra !== undefined) throw new ParseError('BAD_MEMBER', `unknown member ${JSON.stringify(extra)}`, at);
  return value as Record<string, unknown>;
}

export function userTrustFile(env: NodeJS.ProcessEnv): string {
  return join(configDirectory(env), 'trust.yaml');
}

/** Undefined when it is not there. */
export async function readTrust(path: string): Promise<Trust | undefined> {
  return (await readTrustFile(path))?.trust;
}

/** The keys pinned to a place: whatever ledger is found there must have them. */
export function keysAt(trust: Trust, directory: string): VerifierKey[] {
  const here = real(directory);
  return trust.ledgers.filter(({ path }) => path !== undefined && real(path) === here).map(({ key }) => key);
}

/** Adds a ledger, keeping what people wrote in the file. Durable when it resolves. */
export function pin(path: string, vkey: string, directory: string): Promise<void> {
  return addTo(path, 'ledgers', { vkey, path: directory });
}

/** Adds an operator's key, likewise. */
export function pinOperator(path: string, vkey: string): Promise<void> {
  return addTo(path, 'operators', { vkey });
}

async function addTo(path: string, member: 'ledgers' | 'operators', value: object): Promise<void> {
  await makeDirectories(nodeFs, dirname(path));
  const lock = new OsLock(`${path}.lock`);
  try {
    await lock.wait(SECTION, after(LOCK_WAIT));
    const { document } = (await readTrustFile(path)) ?? { document: await emptyDocument() };
    const entry = document.createNode(value);
    if (document.has(member) && document.get(member) !== null) document.addIn([member], entry);
    else document.set(member, document.createNode([entry]));
    await writeDurably(nodeFs, path, utf8Encode(document.toString({ lineWidth: 0 })));
  } finally {
    lock.close();
  }
}

async function readTrustFile(path: string) {
  const bytes = readTrustBytes(path);
  if (bytes === undefined) return undefined;
  const { parseDocument } = await import('yaml');
  try {
    const document = parseDocument(utf8Decode(bytes), { strict: true, uniqueKeys: true, schema: 'core' });
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw new ParseError('MALFORMED', problem.message.split('\n')[0] ?? '');
    return { document, trust: parseTrust(document.toJS({ maxAliasCount: 0 })) };
  } catch (error) {
    throw new ParseError(
      error instanceof ParseError ? error.code : 'MALFORMED',
      (error as Error).message,
      path,
    );
  }
}

function readTrustBytes(path: string): Uint8Array | undefined {
  try {
    const file = statSync(path);
    if (!file.isFile()) throw new ParseError('MALFORMED', 'not a file', path);
    if (file.size > MAX_FILE)
      throw new ParseError('TOO_LONG', `a trust file has at most ${MAX_FILE} bytes`, path);
    return readFile(path, MAX_FILE, 'a trust file');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
    if (error instanceof ParseError) throw error;
    throw new StoreError('IO', `can't read ${path}: ${(error as Error).message}.`, { cause: error });
  }
}

/** The place itself, whatever links lead there; as given where there is nothing. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

async function emptyDocument() {
  const { Document } = await import('yaml');
  const document = new Document({});
  document.commentBefore = ' Keys that foil trusts, each for one ledger. See `foil verify --help`.';
  return document;
}
