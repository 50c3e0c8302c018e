// One session for the page to check: an archive with the parts of a bundle that nobody signed, since the ledger is here,
// and `payload.json`, what a bundle would say of itself. Entries that no checkpoint covers yet come without a proof.

import { bundleParts, packOfRun } from '../app/index.ts';
import { StoreError } from '../core/index.ts';
import { BUNDLE_PARTS, bundlePayloadText, encodeTar, type TreeFile } from '../format/index.ts';
import { gatherBundle } from '../harness/index.ts';
import type { Ledger, Located } from '../ledger/index.ts';
import { type Session, scanLines } from '../report/index.ts';
import { PAYLOAD_FILE } from './answers.ts';

export async function runArchive(
  ledger: Ledger,
  located: Located,
  session: Session,
  now: number,
): Promise<Uint8Array> {
  const pack = await packOfRun(ledger, located, session);
  const parts = await bundleParts(ledger, session, pack, ['all']);
  try {
    const { payload, parts: files } = await gatherBundle({
      ...parts,
      packAs: 'shown',
      packUri: null,
      artifacts: null,
      attestations: [],
      onDamaged: () => undefined,
      created: new Date(now).toISOString(),
    });
    return encodeTar([
      { path: PAYLOAD_FILE, bytes: new TextEncoder().encode(bundlePayloadText(payload)) },
      ...[...files].map(([path, bytes]): TreeFile => ({ path, bytes })),
    ]);
  } catch (error) {
    // Not sealed yet, or a commit that is not here any more: the lines alone can be shown, and nothing is claimed of them.
    if (!(error instanceof StoreError)) throw error;
    return encodeTar([{ path: BUNDLE_PARTS.run, bytes: await linesOfSession(ledger, session) }]);
  }
}

async function linesOfSession(
  { store }: Ledger,
  { id, first_seq: first, last_seq: last }: Session,
): Promise<Uint8Array> {
  const lines: Buffer[] = [];
  for await (const piece of scanLines(store, first, last))
    for (const { session, bytes } of piece)
      if (session === id) lines.push(Buffer.from(bytes), Buffer.from('\n'));
  return Buffer.concat(lines);
}
