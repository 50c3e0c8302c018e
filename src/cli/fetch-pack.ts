// foil verify --fetch: the pack from where the bundle says it is. Only asked for by name: a verifier reaches the network for
// nothing else. What comes is hashed and compared like any other pack.
import { isLoopback } from '../core/index.ts';
import type { HarnessPack } from '../format/index.ts';
import { MOST_ARCHIVE, openPack } from '../harness/index.ts';
import { UsageError } from './command.ts';

const PATIENCE = 60_000;

/** Throws UsageError where it can't be had, PackError where it is no pack. */
export async function fetchPack(uri: string): Promise<HarnessPack> {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url === undefined || !isSafe || url.username !== '' || url.password !== '')
    throw new UsageError(`--fetch: the bundle names ${JSON.stringify(uri)}, which is no https address.`);
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    const response = await fetch(url, { redirect: 'error', signal });
    if (!response.ok || response.body === null) throw new Error(`the server answered ${response.status}`);
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of response.body as AsyncIterable<Uint8Array>) {
      length += piece.length;
      if (length > MOST_ARCHIVE) throw new Error(`it has more than ${MOST_ARCHIVE} bytes`);
      pieces.push(piece);
    }
    return openPack(Buffer.concat(pieces));
  } catch (error) {
    if (error instanceof Error && error.name === 'PackError') throw error;
    throw new UsageError(`--fetch: the pack can't be had from ${url.origin}: ${(error as Error).message}.`);
  }
}
