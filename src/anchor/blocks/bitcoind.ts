// Blocks from a node of one's own, by bitcoind's JSON-RPC. Its password stands in the URL; or it writes a cookie file at
// each start, which is read anew for each asking. counterfoil.yaml, which names that file, may be somebody else's: what
// is sent to the node is a cookie and can't be any other file's content.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { type Connection, openConnection } from './connection.ts';
import { parseHeaderText } from './esplora.ts';
import { type BlockSource, type ClaimedBlock, SourceError, shownUrl } from './source.ts';

const COOKIE = /^__cookie__:[0-9a-f]{64}$/;

type Call = (method: string, ...params: readonly (string | number | boolean)[]) => Promise<unknown>;

export function bitcoindSource(rpc: string, cookie: string | null): BlockSource {
  const url = new URL(rpc);
  const asked = async (signal: AbortSignal, work: (call: Call) => Promise<ClaimedBlock>) => {
    const user = cookie === null ? userOf(url) : readCookie(cookie);
    const connection = openConnection(url, signal);
    try {
      return await work(callOver(connection, user));
    } finally {
      connection.close();
    }
  };
  return {
    name: shownUrl(url),
    newest: (signal) => asked(signal, async (call) => blockOf(call, await call('getbestblockhash'))),
    at: (height, signal) => asked(signal, async (call) => blockOf(call, await call('getblockhash', height))),
  };
}

/** By the hash, so that all answers are about one block; only the longer form of a header has the height. */
async function blockOf(call: Call, hash: unknown): Promise<ClaimedBlock> {
  if (typeof hash !== 'string') throw new SourceError('MALFORMED', 'the answer has no valid block hash');
  const header = await call('getblockheader', hash, false);
  const about = await call('getblockheader', hash, true);
  const { height, confirmations } = (about ?? {}) as { height?: unknown; confirmations?: unknown };
  if (typeof header !== 'string' || typeof height !== 'number' || typeof confirmations !== 'number')
    throw new SourceError('MALFORMED', 'the answer has no valid block header');
  if (confirmations < 1) throw new SourceError('STALE', 'the block is no longer in the chain');
  return { height, hash, header: parseHeaderText(header) };
}

function callOver(connection: Connection, user: string | null): Call {
  const headers = {
    'content-type': 'application/json',
    ...(user === null ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
  };
  return async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '1.0', id: 'counterfoil', method, params });
    let answer: unknown;
    try {
      answer = JSON.parse(await connection.ask({ body, headers }));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new SourceError('MALFORMED', 'the answer is not JSON');
    }
    return ((answer ?? {}) as { result?: unknown }).result;
  };
}

function userOf({ username, password }: URL): string | null {
  return username === '' && password === ''
    ? null
    : `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
}

function readCookie(path: string): string {
  const text = readSmall(path);
  if (!COOKIE.test(text)) throw new SourceError('UNREADABLE', 'the cookie file has no bitcoind cookie');
  return text;
}

function readSmall(path: string): string {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = fstatSync(fd);
    return found.isFile() && found.size < 1024 ? readFileSync(fd, 'utf8').trimEnd() : '';
  } catch {
    throw new SourceError('UNREADABLE', "the cookie file can't be read. Is bitcoind running?");
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
