// Bundles that must not pass. Each is signed again by the ledger's key after it was changed, its parts are hashed again, and
// where the fault lies in entries, the tree is one over the entries as they are: only the fault gives it away.
import type { BundleCase } from './make-bundles.ts';
import { certificates } from './wrong/certificates.ts';
import { entries } from './wrong/entries.ts';
import { files } from './wrong/files.ts';
import { manifests } from './wrong/manifests.ts';
import { modelCalls } from './wrong/model-calls.ts';
import { packs } from './wrong/packs.ts';
import { receipts } from './wrong/receipts.ts';
import { rules } from './wrong/rules.ts';
import { shown } from './wrong/shown.ts';
import { signatures } from './wrong/signatures.ts';
import { sums } from './wrong/sums.ts';

export function wrongBundles(): BundleCase[] {
  return [
    ...files(),
    ...signatures(),
    ...entries(),
    ...sums(),
    ...manifests(),
    ...packs(),
    ...modelCalls(),
    ...rules(),
    ...shown(),
    ...receipts(),
    ...certificates(),
  ];
}
