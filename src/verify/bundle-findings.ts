// Everything that can be found about a bundle, in one closed table. What its entries show besides (sessions, receipts,
// evidence, completeness, authority) has the codes of a ledger's verification.
import { CODES, type Code, type Finding as LedgerFinding } from './codes.ts';
import { shortened } from './findings.ts';
import type { GatewayCode } from './gateway-receipts.ts';

/** `fail`: something is wrong. `unknown`: what is here does not show it. Neither is a pass. `note`: it lifts nothing. */
type Level = 'fail' | 'unknown' | 'note';

const TABLE = {
  BUNDLE_MALFORMED: ['fail', 'The file is not a bundle, or a part of it was changed, added or left out.'],
  BUNDLE_UNSIGNED: ['fail', "The ledger's key did not sign the bundle."],
  KEY_NOT_TRUSTED: ['unknown', "You don't trust the ledger's key here."],
  ENTRY_MALFORMED: ['fail', 'A line is not an entry in the one accepted encoding.'],
  ENTRY_MISPLACED: [
    'fail',
    "An entry is out of order, belongs to another run, or has a kind that doesn't belong there.",
  ],
  LEDGER_UNKNOWN: ['fail', "The entries don't begin with the one that opens their ledger."],
  NOT_IN_TREE: ['fail', "The entries don't match the signed tree."],
  CHECKPOINT_UNSIGNED: ['fail', 'The checkpoint is not signed by the key that the ledger had at that place.'],
  RUN_UNKNOWN: ['fail', 'The run does not begin here.'],
  RUN_OPEN: ['unknown', 'The run has no end.'],
  RUN_SUM_MISSING: ['unknown', 'No entry says how many entries the run has, so some may be left out.'],
  RUN_SUM_WRONG: ['fail', 'Entries of the run were left out, or others added.'],
  MANIFEST_WRONG: ['fail', "The bundle says something about the run that its entries don't."],
  BUNDLE_DATE_AHEAD: ['note', 'The bundle says that it was made in the future: a clock is wrong.'],
  PACK_WRONG: ['fail', 'The pack is not the one that the run names.'],
  PACK_MISSING: ['unknown', "The pack is missing, so the run's policy is unknown."],
  TOOL_DENIED: ['fail', 'The run called a tool, or used an argument, that its pack denies.'],
  TOOL_UNDISCLOSED: [
    'unknown',
    "It is unknown whether a call kept to the pack, because its arguments aren't disclosed.",
  ],
  TOOL_USE_MISSING: ['fail', 'A model asked for different tools than the run has entries for.'],
  MODEL_CALL_MISSING: ['fail', "A model call continues from a call that the run doesn't have."],
  ARTIFACTS_WRONG: ['fail', "The artifacts in the bundle aren't the ones that the run recorded."],
  COMMIT_WRONG: ['fail', 'A commit that the run names is not shown, or is a different one.'],
  COMMIT_NOT_SHOWN: [
    'note',
    'A commit was signed into the run, but nothing shows that it holds what the run made.',
  ],
  ATTESTATION_MALFORMED: ['note', "An attestation can't be read."],
  ATTESTATION_OTHER_SCHEMA: ['note', 'An attestation has an unknown type or a later version.'],
  ATTESTATION_UNSIGNED: ['note', 'An attestation is not signed by a key that you know here.'],
  ATTESTER_NOT_TRUSTED: ['note', "An attestation is from an attester that you don't trust here."],
  ATTESTER_DATES: ['note', 'An attestation was issued at a time when its attester was not trusted.'],
  ATTESTATION_OTHER_RUN: ['note', 'An attestation is about a different run.'],
  ATTESTATION_OTHER_PACK: ['note', 'An attestation is about a different pack.'],
  ATTESTATION_OTHER_ARTIFACTS: ['note', 'An attestation is about different artifacts.'],
  ATTESTATION_OTHER_VERIFICATION: ['note', 'An attestation was not judged the way the pack asks for.'],
  ATTESTATION_NOT_YET_VALID: ['note', 'An attestation is not valid yet.'],
  ATTESTATION_EXPIRED: ['note', 'An attestation has expired.'],
  ATTESTATION_FAIL: ['fail', 'A trusted attester tested or judged the result, and it failed.'],
  CERTIFICATE_WRONG: ['fail', "The certificate says something about the run that its entries don't."],
  CONTENT_WRONG: ['fail', 'Disclosed content is not the content that the entry commits to.'],
} as const satisfies Record<string, readonly [Level, string]>;

export type BundleCode = keyof typeof TABLE;
export const BUNDLE_CODES: Readonly<Record<BundleCode, readonly [Level, string]>> = TABLE;

export interface BundleFinding {
  readonly code: BundleCode | GatewayCode | Code;
  readonly level: Level;
  readonly seq: number | null;
  readonly message: string;
}

const MOST = 1000;

export class BundleFindings {
  readonly all: BundleFinding[] = [];
  /** All of them, kept or not. */
  total = 0;

  add(code: BundleCode, seq: number | null, message: string): void {
    this.#keep({ code, level: BUNDLE_CODES[code][0], seq, message: shortened(message) });
  }

  verdict(): 'PASS' | 'FAIL' | 'UNKNOWN' {
    if (this.has('fail')) return 'FAIL';
    return this.has('unknown') ? 'UNKNOWN' : 'PASS';
  }

  /** What a check of ledgers found in the entries. `unknown` is what counts for something that is unknown there. */
  take({ code, seq, message }: LedgerFinding, unknown: 'unknown' | 'note' = 'unknown'): void {
    const { level } = CODES[code];
    if (level !== 'note') this.#keep({ code, level: level === 'unknown' ? unknown : level, seq, message });
  }

  /** A receipt of an independent gateway that is forged. */
  addGateway(code: GatewayCode, seq: number | null, message: string): void {
    this.#keep({ code, level: 'fail', seq, message });
  }

  has(level: Level): boolean {
    return this.all.some((finding) => finding.level === level);
  }

  #keep(finding: BundleFinding): void {
    this.total++;
    // What the verdict depends on is never crowded out.
    if (this.all.length < MOST || !this.has(finding.level)) this.all.push(finding);
  }
}
