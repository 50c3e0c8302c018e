// foil verify of a file that is no bundle: a proof of one entry, without its ledger. Any other file is named for what it is.
import { resolve } from 'node:path';
import { readFile } from '../app/index.ts';
import { openCheckpoint, parseTlogProof, UsageError } from '../core/index.ts';
import { MAX_LINE } from '../format/index.ts';
import { harmless, renderProofReport } from '../report/index.ts';
import { type ProofReport, verifyProof } from '../verify/index.ts';
import { type Context, EXIT, type Outcome } from './command.ts';
import { chosenTrust, pinnedKeys } from './verifier-options.ts';

const MAX_PROOF = 262_144;

/** `start`: the first bytes of the file. */
export async function proofOutcome(context: Context, path: string, start: Uint8Array): Promise<Outcome> {
  const { values, cwd, paint } = context;
  refuseOtherFiles(start, path);
  if (!isProof(start)) return unknownFile(context, path);
  const pinned = pinnedKeys(context);
  for (const name of ['checkpoint', 'stamp', 'headers', 'require', 'no-content']) {
    if (values.flag(name)) {
      throw new UsageError(`--${name} is only for a ledger, and ${path} is a file.`);
    }
  }
  const entry = values.text('entry');
  const { trust, explicit } = await chosenTrust(context);
  const proof = readFile(path, MAX_PROOF, path);
  const origin = originOfProof(proof);
  if (entry === undefined && isBare(proof)) {
    throw new UsageError("this proof doesn't include its entry. Give the entry's line with --entry FILE.");
  }
  const trusted = trust.ledgers.map(({ key }) => key);
  const report = verifyProof({
    proof,
    ...(entry === undefined ? {} : { entry: readFile(resolve(cwd, entry), MAX_LINE + 1, '--entry') }),
    keys: [...pinned, ...(explicit ? trusted : trusted.filter(({ name }) => name === origin))],
  });
  return { json: report, text: renderProofReport(report, paint), exit: exitOfProof(report) };
}

/** What is plainly no proof, damaged or not, is not called BROKEN: it was named by mistake. */
function refuseOtherFiles(bytes: Uint8Array, path: string): void {
  const starts = (...first: number[]): boolean => first.every((byte, i) => bytes[i] === byte);
  if (starts(0x50, 0x4b, 0x03, 0x04) || starts(0x1f, 0x8b)) {
    throw new UsageError(
      `${path} is a compressed file, not a proof. Use \`foil pack verify\` to check a pack. To check a packed ledger, unpack it and name its directory.`,
    );
  }
  if (starts(0x7b, 0x22)) {
    throw new UsageError(
      `${path} is JSON, not a proof. To check a ledger, name its directory. To check an attestation, use \`foil verify BUNDLE --attestation FILE\`.`,
    );
  }
  if (GENTLY_LINE.test(Buffer.from(bytes.subarray(0, LONGEST_START)).toString('latin1')))
    throw new UsageError(`${path} is a log of sessions, not a proof. Check it with --format gently.`);
}

const PROOF_START = 'c2sp.org/tlog-proof@';

function isProof(start: Uint8Array): boolean {
  return Buffer.from(start.subarray(0, PROOF_START.length)).toString('latin1') === PROOF_START;
}

/** It may be what is left of something that foil does verify, so it is BROKEN, and not merely wrong usage. */
function unknownFile({ paint }: Context, path: string): Outcome {
  const sentence = `${path} isn't a file that foil can verify`;
  return {
    exit: EXIT.BROKEN,
    json: { verdict: 'BROKEN', sentence: `${sentence}.`, valid: false, kinds: KINDS },
    text: `${paint.red(paint.bold('BROKEN'))}: ${harmless(sentence)}:\n${KINDS.map((kind) => `  ${kind}\n`).join('')}`,
  };
}

/** What `foil verify` takes, and what makes it. */
const KINDS = [
  'a ledger, by its directory (foil init)',
  'a run, by its id (foil session list)',
  'a bundle of a run (foil bundle create)',
  'a report of a run (foil report)',
  'a proof of one entry (foil prove)',
  'a log in another format, with --format kaiza or --format gently (foil log --format kaiza)',
];

/** A hash, a height, a time: how such a line begins. */
const GENTLY_LINE = /^[0-9a-f]{64}\|(?:none|\d{1,10})\|\d{4}-/;
const LONGEST_START = 128;

function isBare(proof: Uint8Array): boolean {
  try {
    return parseTlogProof(proof).extra === undefined;
  } catch {
    return false; // verifyProof has words for that
  }
}

/** What the proof says of itself; undefined where it can't be read, which verifyProof has words for. */
function originOfProof(proof: Uint8Array): string | undefined {
  try {
    return openCheckpoint(parseTlogProof(proof).checkpoint).checkpoint.origin;
  } catch {
    return undefined;
  }
}

/** A proof proves nothing unless a key that is trusted signed it: that is always required. */
function exitOfProof({ verdict }: ProofReport): number {
  if (verdict === 'BROKEN') return EXIT.BROKEN;
  return verdict === 'INTACT' ? EXIT.FINE : EXIT.BELOW_REQUIRED;
}
