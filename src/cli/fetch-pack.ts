// foil verify --fetch: the pack from where the bundle says it is. Only asked for by name: a verifier reaches the network for
// nothing else. Whoever made the bundle chose the address, so that it is never one of this machine unless the user says so,
// no redirect is followed, and size and time are bounded. What comes is hashed and compared like any other pack.
import { isLoopback } from '../core/index.ts';
import { MOST_ARCHIVE } from '../harness/index.ts';

const PATIENCE = 60_000;

/** The archive, whatever it is; or why there is none. */
export type Fetched = { readonly archive: Uint8Array } | { readonly why: string };

export interface FetchOptions {
  /** May the address be one of this machine? */
  readonly local: boolean;
  /** Milliseconds for all of it. */
  readonly patience?: number;
}

export async function fetchPack(
  uri: string | null,
  { local, patience = PATIENCE }: FetchOptions,
): Promise<Fetched> {
  if (uri === null) return { why: 'the bundle does not say where its pack is. Name the pack by --pack.' };
  const why = unfetchable(uri);
  if (why !== undefined) return { why };
  const url = new URL(uri);
  if (isLoopback(url.hostname) && !local)
    return {
      why: `${JSON.stringify(uri)} is an address of this machine. Pass --fetch-local if you mean it.`,
    };
  const stop = new AbortController();
  // Fetch forgets a signal that only times out once it has the headers.
  const timer = setTimeout(() => stop.abort(), patience);
  try {
    return { archive: await read(url, stop.signal) };
  } catch (error) {
    const reason = stop.signal.aborted
      ? `it did not send all of it within ${patience / 1000} seconds`
      : reasonOf(error as Error);
    return { why: `the pack can't be had from ${url.origin}: ${reason}.` };
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

/** Why a pack can never be fetched from there; undefined where it may be. */
export function unfetchable(uri: string): string | undefined {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  const named = JSON.stringify(uri);
  if (url === undefined || url.username !== '' || url.password !== '')
    return `${named} is not an address without a user name.`;
  if (!isLoopback(url.hostname) && url.protocol !== 'https:') return `${named} is not an https address.`;
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return `${named} is neither an http nor an https address.`;
  return undefined;
}

async function read(url: URL, signal: AbortSignal): Promise<Uint8Array> {
  const response = await fetch(url, { redirect: 'manual', signal });
  if (response.status >= 300 && response.status < 400)
    throw new Error('it redirects to another address, and redirects are not followed');
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
