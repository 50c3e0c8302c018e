// Wires stamping: the ledger's files and entries, the calendars and block sources that counterfoil.yaml names.
import { randomBytes } from 'node:crypto';
import type { StampPorts } from '../../anchor/calendars/index.ts';
import { MAINNET, MAX_NOTE_BYTES, REGTEST } from '../../core/index.ts';
import {
  CHECKPOINT_DIR,
  encodeAnchorStamp,
  encodeCheckpointName,
  parseAnchorStamp,
} from '../../format/index.ts';
import { entriesOf, type Ledger } from '../../ledger/index.ts';
import type { AnchorConfig } from '../../session/index.ts';
import { openStampFiles } from './stamp-files.ts';

export interface StampOptions {
  readonly directory: string;
  /** Opened for the moment that it is needed, which may be never. */
  use<T>(work: (ledger: Ledger) => Promise<T>): Promise<T>;
  readonly config: Pick<AnchorConfig, 'stamps' | 'network'>;
  headerAt(height: number): Promise<Uint8Array | null>;
  readonly signal?: AbortSignal;
  readonly now?: () => number;
}

export function openStampPorts(options: StampOptions): StampPorts {
  const { directory, use, config, headerAt, signal, now = Date.now } = options;
  return {
    files: openStampFiles(directory),
    ledger: {
      checkpoint: (size) =>
        use(({ store }) =>
          store.files.read(`${CHECKPOINT_DIR}/${encodeCheckpointName(size)}`, 0, MAX_NOTE_BYTES + 1),
        ),
      async record(stamp) {
        const payload = encodeAnchorStamp(stamp);
        await use((ledger) => ledger.append({ kind: 'anchor.stamp', payload, source: 'ledger' }));
      },
      isRecorded: (size, state) =>
        use(async (ledger) => {
          // The published head may lag behind an entry that a killed process wrote; the one inside the section does not.
          let last = 0;
          await ledger.append(({ seq }) => {
            last = seq;
            return undefined;
          });
          for await (const { payload } of entriesOf(ledger.store, size + 1, last, ['anchor.stamp'])) {
            const found = parseAnchorStamp(payload);
            if (found.size === size && found.state === state) return true;
          }
          return false;
        }),
    },
    calendars: config.stamps,
    headerAt,
    chain: config.network === 'regtest' ? REGTEST : MAINNET,
    now,
    random: randomBytes,
    ...(signal === undefined ? {} : { signal }),
  };
}
