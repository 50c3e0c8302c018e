// Which file systems a ledger may live on. Over a network, locks and syncs may be promised and not kept, and two
// writers would fork the chain: those are refused rather than trusted.
import { statfsSync } from 'node:fs';
import { StoreError } from '../../core/index.ts';

/** f_type of statfs(2) on Linux; other systems report 0 or numbers of their own. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x7461636f, 'OCFS2'],
  [0x01161970, 'GFS2'],
  [0x73757245, 'Coda'],
]);
const LOCAL: ReadonlyMap<number, string> = new Map([
  [0xef53, 'ext4'],
  [0x58465342, 'XFS'],
  [0x9123683e, 'Btrfs'],
  [0x2fc12fc1, 'ZFS'],
  [0xf2f52010, 'F2FS'],
  [0x01021994, 'tmpfs'],
  [0x794c7630, 'overlayfs'],
  [0x65735546, 'FUSE'],
]);

/** The name of a file system, and whether a ledger may live there. `type` is statfs(2)'s f_type. */
export function fileSystemName(type: number): { name: string; network: boolean } {
  const unsigned = type >>> 0;
  const network = NETWORK.get(unsigned);
  return {
    name: network ?? LOCAL.get(unsigned) ?? `0x${unsigned.toString(16)}`,
    network: network !== undefined,
  };
}

export function assertLocal(directory: string): void {
  const { name, network } = fileSystemName(statfsSync(directory).type);
  if (!network) return;
  throw new StoreError(
    'NETWORK_FS',
    `${directory} is on ${name}, which doesn't lock and sync files reliably. Choose a local disk with --ledger or FOIL_LEDGER.`,
  );
}
