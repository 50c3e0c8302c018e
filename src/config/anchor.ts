// What counterfoil.yaml says under `anchor`: which blocks sessions are bound to, whether there is a git repository, which
// calendars stamp checkpoints. Nothing is asked of the network unless it stands here. The file lies in the work tree,
// where an agent or a stranger's repository can write it, so it is parsed strictly, and a cookie that opens a node on
// this machine can't be sent to another.
import { resolve } from 'node:path';
import { isLoopback, ParseError } from '../core/index.ts';
import { type AnchorConfig, type BlockSourceConfig, NO_ANCHOR } from '../session/index.ts';

export const DEFAULT_ESPLORA = ['https://blockstream.info/api', 'https://mempool.space/api'];
export const DEFAULT_CALENDARS = ['https://a.pool.opentimestamps.org', 'https://b.pool.opentimestamps.org'];

const MEMBERS = ['blocks', 'git', 'stamps', 'network'];
const MOST = 8;
const LONGEST = 2048;

/** Throws ParseError. Files in it are relative to `directory`, where the configuration lies. */
export function parseAnchor(value: unknown, path: string, directory = '.'): AnchorConfig {
  if (value === null || value === undefined) return NO_ANCHOR;
  const { blocks, git, stamps, network = 'main' } = members(value, MEMBERS, path);
  if (network !== 'main' && network !== 'regtest')
    throw fault('must be one of main, regtest', `${path}.network`);
  if (network === 'regtest')
    for (const [name, given] of Object.entries({ blocks, stamps }))
      if (given === true)
        throw fault('there are no public ones for regtest; list your own', `${path}.${name}`);
  return {
    blocks: listed(blocks, `${path}.blocks`, 'sources', DEFAULT_ESPLORA, (each, at) =>
      parseSource(each, at, directory),
    ),
    git: parseGit(git, `${path}.git`),
    stamps: listed(stamps, `${path}.stamps`, 'URLs', DEFAULT_CALENDARS, parsePlainUrl),
    network,
  };
}

function parseSource(value: unknown, path: string, directory: string): BlockSourceConfig {
  if (typeof value === 'string') return { esplora: parsePlainUrl(value, path) };
  const given = members(value, ['esplora', 'rpc', 'cookie', 'file'], path);
  const { esplora, rpc, cookie = null, file } = given;
  const [kind, ...others] = ['esplora', 'rpc', 'file'].filter((name) => given[name] !== undefined);
  if (kind === undefined || others.length > 0)
    throw fault('must be a URL, or a mapping with one of esplora, rpc, file', path);
  if (cookie !== null && kind !== 'rpc') throw fault('only works with rpc', `${path}.cookie`);
  if (kind === 'esplora') return { esplora: parsePlainUrl(esplora, `${path}.esplora`) };
  if (kind === 'file') return { file: parsePath(file, `${path}.file`, directory) };
  return parseRpc(rpc, cookie, path, directory);
}

function parseRpc(rpc: unknown, cookie: unknown, path: string, directory: string): BlockSourceConfig {
  const url = parseUrl(rpc, `${path}.rpc`);
  try {
    decodeURIComponent(`${url.username}:${url.password}`);
  } catch {
    throw fault('write %25 for a % in the user or password', `${path}.rpc`);
  }
  if (cookie === null) return { rpc: url.href, cookie: null };
  if (url.username !== '' || url.password !== '')
    throw fault('write either a cookie, or user and password in the URL', path);
  if (!isLoopback(url.hostname))
    throw fault('a cookie only works for a node on this machine; write user and password', `${path}.rpc`);
  return { rpc: url.href, cookie: parsePath(cookie, `${path}.cookie`, directory) };
}

function parseGit(value: unknown, path: string): AnchorConfig['git'] {
  if (value === undefined || value === false) return null;
  if (value === true) return { end: 'merge' };
  if (typeof value !== 'object') throw fault('must be true, false or a mapping with end', path);
  const { end = 'merge' } = members(value, ['end'], path);
  if (end !== 'merge' && end !== 'archive') throw fault('must be one of merge, archive', `${path}.end`);
  return { end };
}

/** `true` stands for what we know, `false` and silence for nothing. */
function listed<T>(
  value: unknown,
  path: string,
  what: string,
  known: readonly string[],
  parse: (each: unknown, path: string) => T,
): readonly T[] {
  if (value === undefined || value === false) return [];
  const list = value === true ? known : value;
  if (!Array.isArray(list) || list.length === 0 || list.length > MOST)
    throw fault(`must be true, false or a list of 1 to ${MOST} ${what}`, path);
  return list.map((each: unknown, i) => parse(each, `${path}[${i}]`));
}

/** Without its last slash. */
function parsePlainUrl(value: unknown, path: string): string {
  const url = parseUrl(value, path);
  if (url.username !== '' || url.password !== '') throw fault('must have no user and no password', path);
  return url.href.replace(/\/$/, '');
}

/** Plain HTTP only where it stands there in so many words, which is for who runs the other end. */
function parseUrl(value: unknown, path: string): URL {
  const isUrl = typeof value === 'string' && value.length <= LONGEST && URL.canParse(value);
  const url = new URL(isUrl ? value : 'none:');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw fault('must be a URL that begins with https:// or http://', path);
  if (url.search !== '' || url.hash !== '') throw fault('must end with its path', path);
  return url;
}

function parsePath(value: unknown, path: string, directory: string): string {
  if (typeof value !== 'string' || value === '' || value.length > LONGEST || value.includes('\0'))
    throw fault('must be the name of a file', path);
  const { HOME } = process.env;
  return value.startsWith('~/') && HOME?.startsWith('/') === true
    ? resolve(HOME, value.slice(2))
    : resolve(directory, value);
}

function members(value: unknown, known: readonly string[], path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw fault(`must be a mapping of ${known.join(', ')}`, path);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw fault(`unknown; remove it, or write one of ${known.join(', ')}`, `${path}.${unknown}`);
  return value as Record<string, unknown>;
}

const fault = (message: string, path: string): ParseError => new ParseError('BAD_MEMBER', message, path);
