// A ledger on disk with its stamps, and the python reader of OpenTimestamps beside it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  listStamps,
  type StampInfo,
  type StampOutcome,
  type StampPorts,
  stampWanted,
  type UpgradeOutcome,
  upgradeStamps,
  wantStamp,
} from '../../../src/anchor/calendars/index.ts';
import { openStampPorts } from '../../../src/app/anchor/stamp-ports.ts';
import {
  type AnchorStamp,
  encodeStampName,
  parseAnchorStamp,
  type StampPart,
} from '../../../src/format/index.ts';
import { entriesOf } from '../../../src/ledger/index.ts';
import { newFileLedger, type Opened } from '../../file-ledger.ts';
import { fastDirectory, temporary } from '../../temporary.ts';
import type { CalendarServer } from './calendar-server.ts';

export class StampPlace {
  readonly directory: string;
  readonly opened: Opened;
  calendars: readonly CalendarServer[];
  /** Who gives headers; nobody where undefined. */
  blocks: CalendarServer | undefined;
  timeout = 20_000;
  more: Partial<StampPorts> = {};

  constructor(directory: string, opened: Opened, calendars: readonly CalendarServer[]) {
    this.directory = directory;
    this.opened = opened;
    this.calendars = calendars;
    this.blocks = calendars[0];
  }

  static async make(...calendars: readonly CalendarServer[]): Promise<StampPlace> {
    const directory = join(temporary(fastDirectory), 'ledger');
    return new StampPlace(directory, await newFileLedger(directory), calendars);
  }

  get ports(): StampPorts {
    const { directory, opened, calendars, timeout, more } = this;
    return {
      ...openStampPorts({
        directory,
        use: (work) => work(opened.ledger),
        config: { stamps: calendars.map(({ url }) => url), network: 'regtest' },
        headerAt: async (height) => this.blocks?.headerAt(height) ?? null,
      }),
      timeout,
      ...more,
    };
  }

  /** Seals a note more, wants a stamp of it and works off what is wanted. */
  async stamp(): Promise<StampOutcome> {
    const size = await this.want();
    const outcome = await this.work();
    if (outcome === undefined) throw new Error(`nothing was wanted of ${size}`);
    return outcome;
  }

  async want(): Promise<number> {
    const { ledger } = this.opened;
    await ledger.append({ kind: 'note', payload: { text: 'a' }, source: 'cli' });
    const { checkpoint } = await ledger.seal();
    await wantStamp(this.ports, checkpoint.size);
    return checkpoint.size;
  }

  work(): Promise<StampOutcome | undefined> {
    const { ports } = this;
    return ports.files.exclusive(() => stampWanted(ports), 5000);
  }

  async upgrade(most?: number): Promise<UpgradeOutcome[]> {
    const { ports } = this;
    return (
      (await ports.files.exclusive(() => upgradeStamps(ports, most === undefined ? {} : { most }), 5000)) ??
      []
    );
  }

  list(): Promise<StampInfo[]> {
    return listStamps(this.ports);
  }

  path(size: number, part: StampPart): string {
    return join(this.directory, 'stamps', encodeStampName(size, part));
  }

  read(size: number, part: StampPart): Uint8Array | undefined {
    const path = this.path(size, part);
    return existsSync(path) ? new Uint8Array(readFileSync(path)) : undefined;
  }

  async recorded(): Promise<AnchorStamp[]> {
    const { store } = this.opened;
    const found: AnchorStamp[] = [];
    for await (const { payload } of entriesOf(store, 1, (await store.head()).seq, ['anchor.stamp']))
      found.push(parseAnchorStamp(payload));
    return found;
  }
}

/** The reference implementation: says what a file's proof attests, or that it is of another file. */
const READER = `
import json, sys, warnings
warnings.simplefilter('ignore')
from opentimestamps.core.timestamp import DetachedTimestampFile
from opentimestamps.core.serialize import StreamDeserializationContext
from opentimestamps.core.notary import BitcoinBlockHeaderAttestation, PendingAttestation
proof = DetachedTimestampFile.deserialize(StreamDeserializationContext(open(sys.argv[1], 'rb')))
stamped = proof.file_hash_op.hash_fd(open(sys.argv[2], 'rb'))
found = {'same': stamped == proof.file_digest, 'pending': [], 'blocks': []}
for message, attestation in proof.timestamp.all_attestations():
    if isinstance(attestation, PendingAttestation): found['pending'].append(attestation.uri)
    if isinstance(attestation, BitcoinBlockHeaderAttestation): found['blocks'].append([attestation.height, message.hex()])
found['pending'].sort()
print(json.dumps(found))
`;

export const python = ['python3', '/usr/bin/python3'].find(
  (name) => spawnSync(name, ['-c', 'import opentimestamps.core.timestamp']).status === 0,
);

export interface PythonReading {
  readonly same: boolean;
  readonly pending: readonly string[];
  readonly blocks: readonly (readonly [number, string])[];
}

export function readByPython(proof: string, file: string): PythonReading {
  const { stdout, stderr } = spawnSync(python ?? '', ['-c', READER, proof, file], { encoding: 'utf8' });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout) as PythonReading;
}
