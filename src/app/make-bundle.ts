// A run of this ledger as a signed bundle: its session is closed and summed up first, so that nothing can be left out.
import { StoreError } from '../core/index.ts';
import type { Bundle, ContentRef, HarnessPack } from '../format/index.ts';
import { type BundleParts, gatherBundle, signBundle } from '../harness/index.ts';
import type { Ledger, Located } from '../ledger/index.ts';
import type { Session } from '../report/index.ts';
import { artifactsOfRun, bundleParts, type Disclosure, packOfRun, sumUp } from './run-bundle.ts';
import { closeRun } from './service/close-run.ts';

export interface BundleChoice extends Pick<BundleParts, 'packAs' | 'packUri' | 'attestations' | 'created'> {
  readonly disclosed: readonly Disclosure[];
  /** Content that is not shown though it is disclosed. */
  readonly withheld?: (ref: ContentRef) => boolean;
  /** The option by which the caller makes one without content. */
  readonly withoutContent: string;
  readonly artifacts: boolean;
}

export interface MadeBundle {
  readonly made: Bundle;
  readonly bytes: Uint8Array;
  readonly pack: HarnessPack | null;
  /** Why the gateway that passed the run's model calls did not close it. */
  readonly unclosed: string | undefined;
}

/** `again` finds the session once more: closing it may have appended to it. Throws StoreError where it can't be bundled. */
export async function makeBundle(
  ledger: Ledger,
  located: Located,
  session: Session,
  again: () => Promise<Session>,
  choice: BundleChoice,
): Promise<MadeBundle> {
  const { id } = session;
  if (session.state === 'open')
    throw new StoreError(
      'NOT_FOUND',
      `run ${id.slice(0, 12)} hasn't ended, and only a whole run can be proven. End it with \`foil session end ${id.slice(0, 12)}\`. If it is an agent's session whose process is gone, run \`foil session cut\`.`,
    );
  // What follows is appended, and stays there: nothing may be left of a bundle that can't be signed.
  await ledger.assertSigns();
  const pack = await packOfRun(ledger, located, session);
  const run = { id, first: session.first_seq, source: 'bundle' };
  const unclosed = (await closeRun(ledger, located.directory, run))?.why;
  await sumUp(ledger, await again());
  const parts = await bundleParts(ledger, session, pack, choice.disclosed);
  const { withheld = () => false, artifacts, packAs, packUri, attestations, created } = choice;
  const made = await gatherBundle({
    ...parts,
    disclose: (entry, ref) => parts.disclose(entry, ref) && !withheld(ref),
    ...{ packAs, packUri, attestations, created },
    artifacts: artifacts ? (hash) => artifactsOfRun(located, hash, pack) : null,
    onDamaged: ({ seq }) => {
      throw new StoreError(
        'DAMAGED',
        `the content of entry #${seq} was altered in the ledger, so it can't be shown. See \`foil verify\`. With \`${choice.withoutContent}\`, no content is shown.`,
      );
    },
  });
  return { made, bytes: await signBundle(ledger, made), pack, unclosed };
}
