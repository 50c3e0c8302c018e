// trust.yaml: the keys that this user chose to trust, and for which ledger. Written by its owner or by `foil init`, read
// by every verifying command, and by whatever goes by what operators accepted. Strict: an unknown member is an error,
// never a pin that is ignored.
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { utf8Decode } from '#platform';
import {
  isDidKey,
  isHash,
  makeVerifierKey,
  ParseError,
  parseDidKey,
  parseVerifierKey,
  StoreError,
  sameBytes,
  type VerifierKey,
} from '../core/index.ts';
import { configDirectory, type Environment } from '../ledger/index.ts';
import type { Network } from '../verify/index.ts';

const MAX_FILE = 1 << 20;
const MAX_LEDGERS = 10_000;
const MEMBERS = ['ledgers', 'operators', 'bitcoin', 'packs', 'gateways', 'attesters'];

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
  /** Roots of harness packs whose tests this verifier takes for good. */
  readonly packs: readonly string[];
  readonly gateways: readonly TrustedGateway[];
  readonly attesters: readonly TrustedAttester[];
}

/** A gateway that the one who ran the agent has no hand in, and the model providers that count behind it. */
export interface TrustedGateway {
  readonly key: VerifierKey;
  readonly upstreams: readonly string[];
}

export interface TrustedAttester {
  readonly key: VerifierKey;
  /** The name that it gives itself; the did:key of its key where it is left out. */
  readonly did?: string;
  /** Attestations count that were issued from here on, and up to there. */
  readonly from?: string;
  readonly until?: string;
}

export interface TrustedChain {
  readonly network: Network;
  readonly headers?: string;
}

/** The value of a trust file as YAML gives it. */
export function parseTrust(value: unknown): Trust {
  const named = value === null || value === undefined ? {} : members(value, MEMBERS, '');
  const { operators = null, bitcoin = null } = named;
  const each = <T>(name: string, parse: (value: unknown, at: string) => T): readonly T[] =>
    list(named[name] ?? null, name).map((item, i) => parse(item, `${name}[${i}]`));
  return {
    ledgers: each('ledgers', parseLedger),
    ...(operators === null ? {} : { operators: each('operators', parseOperator) }),
    ...(bitcoin === null ? {} : { bitcoin: parseBitcoin(bitcoin) }),
    packs: each('packs', parseRoot),
    gateways: each('gateways', parseGateway),
    attesters: each('attesters', parseAttester),
  };
}

function parseRoot(value: unknown, at: string): string {
  if (!isHash(value)) throw new ParseError('BAD_MEMBER', "not a pack's root of 64 hex digits", at);
  return value;
}

function parseGateway(value: unknown, at: string): TrustedGateway {
  const { vkey, upstreams = null } = members(value, ['vkey', 'upstreams'], at);
  const origins = list(upstreams, `${at}.upstreams`).map((each, i) =>
    parseOrigin(each, `${at}.upstreams[${i}]`),
  );
  if (origins.length === 0)
    throw new ParseError('BAD_MEMBER', 'name at least one model provider', `${at}.upstreams`);
  return { key: parseKey(vkey, at), upstreams: origins };
}

function parseOrigin(value: unknown, at: string): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || url.origin === 'null' || `${url.origin}/` !== url.href)
    throw new ParseError('BAD_MEMBER', 'not an origin such as https://api.anthropic.com', at);
  return url.origin;
}

function parseAttester(value: unknown, at: string): TrustedAttester {
  const { vkey, did, from, until } = members(value, ['vkey', 'did', 'from', 'until'], at);
  if (did !== undefined && (typeof did !== 'string' || !/^did:(key|web):[\x21-\x7e]{1,400}$/.test(did)))
    throw new ParseError('BAD_MEMBER', 'not a did:key or did:web', `${at}.did`);
  return {
    key: attesterKey(vkey, did, at),
    ...(did === undefined ? {} : { did }),
    ...(from === undefined ? {} : { from: parseTime(from, `${at}.from`) }),
    ...(until === undefined ? {} : { until: parseTime(until, `${at}.until`) }),
  };
}

/** A did:key is the key itself, so that it needs no other. */
function attesterKey(vkey: unknown, did: string | undefined, at: string): VerifierKey {
  if (did === undefined || !isDidKey(did)) return parseKey(vkey, at);
  try {
    const own = makeVerifierKey(did, parseDidKey(did));
    if (vkey === undefined) return own;
    const key = parseKey(vkey, at);
    if (!sameBytes(key.publicKey, own.publicKey)) throw new ParseError('BAD_MEMBER', 'not the key of vkey');
    return key;
  } catch (error) {
    if (error instanceof ParseError && error.path === '')
      throw new ParseError(error.code, error.message, `${at}.did`);
    throw error;
  }
}

/** A day, or a moment in UTC. YAML may have made a text of it already. */
function parseTime(value: unknown, at: string): string {
  const time =
    typeof value === 'string' && /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(value) ? Date.parse(value) : NaN;
  if (Number.isNaN(time)) throw new ParseError('BAD_MEMBER', 'not a date such as 2026-01-31', at);
  return new Date(time).toISOString();
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
  return parseKey(members(value, ['vkey'], at).vkey, at);
}

function parseLedger(value: unknown, at: string): TrustedLedger {
  const { vkey, path } = members(value, ['vkey', 'path'], at);
  if (path !== undefined && (typeof path !== 'string' || !isAbsolute(path))) {
    throw new ParseError('BAD_MEMBER', 'not an absolute path', `${at}.path`);
  }
  return { key: parseKey(vkey, at), ...(path === undefined ? {} : { path }) };
}

function parseKey(vkey: unknown, at: string): VerifierKey {
  if (typeof vkey !== 'string') throw new ParseError('BAD_MEMBER', 'missing, or not text', `${at}.vkey`);
  try {
    return parseVerifierKey(vkey);
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

export function userTrustFile(env: Environment): string {
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

/** The operators that the user trusts. */
export async function trustedOperators(env: Environment): Promise<readonly VerifierKey[]> {
  return (await readTrust(userTrustFile(env)))?.operators ?? [];
}

/** With the document, in which comments stay. Undefined when it is not there. */
export async function readTrustFile(path: string) {
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
    return readFileSync(path);
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
