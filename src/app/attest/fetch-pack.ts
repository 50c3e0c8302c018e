// foil verify --fetch: the pack from where the bundle says it is. Only asked for by name: a verifier reaches the network for
// nothing else. Whoever made the bundle chose the address, so that it is never one of this machine or of the networks around
// it unless the user says so, no redirect is followed, and size and time are bounded. What comes is hashed and compared like any other pack.
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { isLoopback } from '../../core/index.ts';
import { MOST_ARCHIVE } from '../../harness/index.ts';

const PATIENCE = 60_000;

/** The archive, whatever it is; or why there is none. */
export type Fetched = { readonly archive: Uint8Array } | { readonly why: string };

export interface FetchOptions {
  /** May the address be one of this machine, or of a private network? */
  readonly local: boolean;
  /** Milliseconds for all of it. */
  readonly patience?: number;
}

export async function fetchPack(
  uri: string | null,
  { local, patience = PATIENCE }: FetchOptions,
): Promise<Fetched> {
  if (uri === null)
    return { why: "the bundle doesn't say where its pack is. Name the pack with --pack FILE." };
  const why = unfetchable(uri);
  if (why !== undefined) return { why };
  const url = new URL(uri);
  const where = local ? undefined : await nearness(url.hostname);
  if (where !== undefined)
    return { why: `${JSON.stringify(uri)} is an address of ${where}. Pass --fetch-local if you mean it.` };
  const stop = new AbortController();
  // Fetch forgets a signal that only times out once it has the headers.
  const timer = setTimeout(() => stop.abort(), patience);
  try {
    return { archive: await read(url, stop.signal) };
  } catch (error) {
    const reason = stop.signal.aborted
      ? `the download took longer than ${patience / 1000} seconds`
      : reasonOf(error as Error);
    return { why: `can't fetch the pack from ${url.origin}: ${reason}.` };
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

/** Networks that nobody reaches from outside: RFC 6890 and its successors. */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
  ] as const),
  ...([
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['224.0.0.0', 3],
  ] as const),
])
  PRIVATE.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv6');

/** Where the host is, if that is near; undefined for one out in the net, and for one that is not known. */
async function nearness(host: string): Promise<string | undefined> {
  if (isLoopback(host)) return 'this machine';
  const name = host.replace(/^\[|\]$/g, '');
  const found =
    isIP(name) === 0
      ? await lookup(name, { all: true }).catch(() => [])
      : [{ address: name, family: isIP(name) }];
  const isNear = found.some(({ address, family }) => PRIVATE.check(address, family === 6 ? 'ipv6' : 'ipv4'));
  return isNear ? 'a private network' : undefined;
}

/** Why a pack can never be fetched from there; undefined where it may be. */
export function unfetchable(uri: string): string | undefined {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  const named = JSON.stringify(uri);
  if (url === undefined || url.username !== '' || url.password !== '')
    return `${named} contains a user name, or isn't an address.`;
  if (!isLoopback(url.hostname) && url.protocol !== 'https:') return `${named} is not an https address.`;
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return `${named} is neither an http nor an https address.`;
  return undefined;
}

async function read(url: URL, signal: AbortSignal): Promise<Uint8Array> {
  const response = await fetch(url, { redirect: 'manual', signal });
  if (response.status >= 300 && response.status < 400)
    throw new Error("it redirects to another address, and foil doesn't follow redirects");
  if (!response.ok || response.body === null) throw new Error(`it answered ${response.status}`);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > MOST_ARCHIVE) throw new Error(`it sends more than ${MOST_ARCHIVE} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Fetch hides what went wrong behind "fetch failed". */
function reasonOf({ message, cause }: Error): string {
  return (cause instanceof Error && cause.message !== '' ? cause.message : message).replace(/\.$/, '');
}
