// Adds keys to trust.yaml, keeping what people wrote there.
import { dirname } from 'node:path';
import { utf8Encode } from '#platform';
import { readTrustFile } from '../../config/index.ts';
import { after, makeDirectories, nodeFs, OsLock, SECTION, writeDurably } from '../../store/files/index.ts';

const LOCK_WAIT = 5_000;

/** Adds a ledger. Durable when it resolves. */
export function pin(path: string, vkey: string, directory: string): Promise<void> {
  return addTo(path, 'ledgers', { vkey, path: directory });
}

/** Adds an operator's key, likewise. */
export function pinOperator(path: string, vkey: string): Promise<void> {
  return addTo(path, 'operators', { vkey });
}

async function addTo(path: string, member: 'ledgers' | 'operators', value: object): Promise<void> {
  await makeDirectories(nodeFs, dirname(path));
  const lock = new OsLock(`${path}.lock`);
  try {
    await lock.wait(SECTION, after(LOCK_WAIT));
    const { document } = (await readTrustFile(path)) ?? { document: await emptyDocument() };
    const entry = document.createNode(value);
    if (document.has(member) && document.get(member) !== null) document.addIn([member], entry);
    else document.set(member, document.createNode([entry]));
    await writeDurably(nodeFs, path, utf8Encode(document.toString({ lineWidth: 0 })));
  } finally {
    lock.close();
  }
}

async function emptyDocument() {
  const { Document } = await import('yaml');
  const document = new Document({});
  document.commentBefore = ' Keys that foil trusts, each for one ledger. See `foil verify --help`.';
  return document;
}
