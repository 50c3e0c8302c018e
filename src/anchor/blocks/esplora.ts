// Blocks from an Esplora server, as blockstream.info and mempool.space run them: three small answers in plain text. The
// hash is asked for by the height, so that a block found between two requests can't mix them up.
import { isHash, ParseError, parseHex } from '../../core/index.ts';
import { type Connection, openConnection } from './connection.ts';
import { type BlockSource, type ClaimedBlock, SourceError, shownUrl } from './source.ts';

export function esploraSource(root: string): BlockSource {
  const url = new URL(root);
  const connected = async <T>(signal: AbortSignal, work: (to: Connection) => Promise<T>): Promise<T> => {
    const connection = openConnection(url, signal);
    try {
      return await work(connection);
    } finally {
      connection.close();
    }
  };
  return {
    name: shownUrl(url),
    newest: (signal) =>
      connected(signal, async (to) => blockAt(to, parseHeight(await to.ask({ path: '/blocks/tip/height' })))),
    at: (height, signal) => connected(signal, (to) => blockAt(to, height)),
  };
}

async function blockAt(to: Connection, height: number): Promise<ClaimedBlock> {
  const hash = (await to.ask({ path: `/block-height/${height}` })).trimEnd();
  if (!isHash(hash)) throw new SourceError('MALFORMED', 'the answer has no valid block hash');
  return { height, hash, header: parseHeaderText(await to.ask({ path: `/block/${hash}/header` })) };
}

function parseHeight(text: string): number {
  if (!/^(?:0|[1-9]\d{0,8})\n?$/.test(text))
    throw new SourceError('MALFORMED', 'the answer has no valid height');
  return Number(text);
}

/** 80 bytes in hex. */
export function parseHeaderText(text: string): Uint8Array {
  try {
    return parseHex(text.trimEnd(), 80);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new SourceError('MALFORMED', 'the answer has no valid block header');
  }
}
