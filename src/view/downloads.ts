// What a reader takes away from a session: its report, its bundle, or the proof of one entry, made as the commands make them.
// The viewer only reads, so a run whose end doesn't count its entries is left to the commands, which append that.
import { bundleParts, packOfRun } from '../app/index.ts';
import { StoreError } from '../core/index.ts';
import { encodeReport, parseTar } from '../format/index.ts';
import { gatherBundle, signBundle } from '../harness/index.ts';
import type { Ledger, Located } from '../ledger/index.ts';
import { readEntry, type Session } from '../report/index.ts';

export interface Download {
  readonly type: string;
  readonly body: string | Uint8Array;
}

/** Throws StoreError, in words for the reader, where it can't be made. */
export async function downloadOf(
  what: string,
  ledger: Ledger,
  located: Located,
  session: Session,
  now: number,
  /** That of reports; undefined where this program has none. */
  page: Uint8Array | undefined,
): Promise<Download> {
  if (what === 'proof')
    return { type: 'text/plain', body: await ledger.prove(session.last_seq, { extra: true }) };
  if (what !== 'report' && what !== 'bundle')
    throw new StoreError('NOT_FOUND', 'Each session has a report, a bundle and a proof, and nothing else.');
  const bytes = await signedBundle(what, ledger, located, session, now);
  if (what === 'bundle') return { type: 'application/x-tar', body: bytes };
  if (page === undefined)
    throw new StoreError('NOT_FOUND', 'The page of reports is not here. Run `foil report` instead.');
  const report = encodeReport({ page: Buffer.from(page).toString(), parts: parseTar(bytes) });
  // Saved, never shown here: it is a page of its own.
  return { type: 'application/octet-stream', body: Buffer.from(report) };
}

async function signedBundle(
  what: 'report' | 'bundle',
  ledger: Ledger,
  located: Located,
  session: Session,
  now: number,
): Promise<Uint8Array> {
  const id = session.id.slice(0, 12);
  if (session.state === 'open')
    throw new StoreError('NOT_FOUND', `This session hasn't ended. End it with \`foil session end ${id}\`.`);
  const last = await readEntry(ledger.store, session.last_seq);
  if (last?.kind !== 'session.sum' && last?.payload.entries_root === undefined) {
    const command = what === 'report' ? `foil report ${id}` : `foil bundle create ${id}`;
    throw new StoreError(
      'NOT_FOUND',
      `The end of this session doesn't say how many entries it has. Run \`${command}\`, which adds that to the ledger.`,
    );
  }
  const pack = await packOfRun(ledger, located, session);
  const parts = await bundleParts(ledger, session, pack, [what === 'report' ? 'all' : 'needed']);
  const made = await gatherBundle({
    ...parts,
    packAs: 'shown',
    packUri: null,
    artifacts: null,
    attestations: [],
    created: new Date(now).toISOString(),
    onDamaged: ({ seq }) => {
      throw new StoreError(
        'DAMAGED',
        `The content of entry ${seq} was altered in the ledger. See \`foil verify\`.`,
      );
    },
  });
  return signBundle(ledger, made);
}
