// foil archive: gzips closed segments. An `archive` entry records the hashes of both forms before a plain file goes,
// and everything is sealed after, so the chain verifies across them as before.

import { randomBytes } from 'node:crypto';
import { encodeArchive } from '../../format/index.ts';
import { Ledger } from '../../ledger/index.ts';
import { type ArchivedFile, openFileStore, openKeyring } from '../../store/files/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';
import { counted } from '../text.ts';

/** An entry holds the hashes of no more than this: a line is limited. */
const FILES_AN_ENTRY = 200;

export const archive: Command = {
  name: 'archive',
  summary: 'gzip the segments that are closed',
  usage: '[--all]',
  arguments: [0, 0],
  options: {
    all: { type: 'boolean', help: 'close the segment being written first, so that it is gzipped too' },
  },
  examples: ['foil archive', 'foil archive --all && foil verify'],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const { directory, keyDirectory } = place(context);
  const store = openFileStore(directory);
  const ledger = new Ledger({ store, keyring: openKeyring(keyDirectory), random: randomBytes });
  try {
    const record = async (files: readonly ArchivedFile[]): Promise<void> => {
      for (let from = 0; from < files.length; from += FILES_AN_ENTRY) {
        const payload = encodeArchive({ files: files.slice(from, from + FILES_AN_ENTRY) });
        await ledger.append({ kind: 'archive', payload, source: 'ledger' });
      }
    };
    const files = await store.archive(record, { closeCurrent: context.values.flag('all') });
    await ledger.seal();
    const names = files.map(({ name, bytes }) => `gzipped ${name}, ${counted(bytes, 'byte')}\n`);
    return {
      json: {
        files: files.map(({ name, bytes, sha256, gzSha256 }) => ({
          name: `${name}.gz`,
          bytes,
          sha256,
          gz_sha256: gzSha256,
        })),
      },
      text:
        files.length === 0
          ? 'No closed segment to archive. --all closes the one being written.\n'
          : names.join(''),
    };
  } finally {
    await ledger.close();
  }
}
