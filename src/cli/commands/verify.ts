// foil verify: checks a ledger, a run, a bundle, a report, or a proof of one entry without its ledger, and says what holds, how far, and
// why.
// What to trust is the caller's choice: --key, --trust, or the trust file of the user who runs it.
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { isFile } from '../../app/index.ts';
import { UsageError } from '../../core/index.ts';
import type { BundleOptions } from '../../verify/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { placeToRead } from '../project-ledgers.ts';
import { chosenTrust, HELD, pinnedKeys } from '../verifier-options.ts';
import { bundleOutcome, bundleTrust, isBundle, isRunId, readBundle, runOutcome } from '../verify-bundle.ts';
import { verifyFormat } from '../verify-format.ts';
import { ledgerAt, ledgerOutcome, verifyHere } from '../verify-ledger.ts';
import { proofOutcome } from '../verify-proof.ts';
import { isReport, reportOutcome } from '../verify-report.ts';

export const verify: Command = {
  name: 'verify',
  summary: 'check a ledger, a run, a bundle, a report, or a proof of one entry',
  usage: '[PATH | RUN] [options]',
  arguments: [0, 1],
  options: {
    ...HELD,
    verbose: {
      type: 'boolean',
      short: 'v',
      help: 'for a ledger: show every answer, even if nothing is wrong',
    },
    require: {
      type: 'string',
      value: 'MARKS',
      help: 'exit with 6 unless these hold: signed, anchored; for a run: self, gateway or sandbox',
    },
    attestation: {
      type: 'string',
      value: 'FILE',
      multiple: true,
      help: "for a run: an attester's answer that isn't in the bundle (repeatable)",
    },
    pack: { type: 'string', value: 'FILE', help: "for a run: its pack, if the bundle doesn't show it" },
    replay: { type: 'boolean', help: "for a run: run its pack's tests on its outputs, in a sandbox here" },
    artifacts: {
      type: 'string',
      value: 'DIR|TAR',
      help: "with --replay: the outputs of the run, if they aren't here",
    },
    fetch: { type: 'boolean', help: 'for a bundle: fetch its pack from the https address that it names' },
    'fetch-local': {
      type: 'boolean',
      help: 'like --fetch, but also from this machine or a private network',
    },
    extract: {
      type: 'string',
      value: 'DIR',
      help: 'for a report: write its parts to this folder, including the raw lines of the ledger',
    },
    'no-content': { type: 'boolean', help: "don't check the kept content" },
    entry: { type: 'string', value: 'FILE', help: "the entry's line, for a proof that doesn't include it" },
    format: {
      type: 'string',
      value: 'FORMAT',
      help: 'PATH is a log in another format (kaiza or gently), or - for standard input',
    },
    continues: {
      type: 'string',
      value: 'HASH',
      help: 'with --format: the hash of a line you kept, which a line of the log must have',
    },
  },
  examples: [
    'foil verify',
    'foil verify -v',
    'foil verify /backup/ledger --key counterfoil/9d5e…+1f2e3d4c+AV64… --require signed,anchored',
    'foil prove 42 > 42.proof && foil verify 42.proof',
    'foil verify run.bundle --require sandbox',
    'foil verify 4f1c --replay',
    'foil verify report.html --extract lines',
    'foil log --format kaiza > audit.log && foil verify audit.log --format kaiza',
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  if (context.values.flag('format')) return verifyFormat(context);
  if (context.values.flag('continues'))
    throw new UsageError('--continues needs --format. For a ledger, give a --checkpoint that you kept.');
  const given = context.arguments[0];
  if (given !== undefined && context.values.text('ledger') !== undefined) {
    throw new UsageError('PATH and --ledger both name what to verify. Choose one.');
  }
  const { located, others } = given === undefined ? placeToRead(context) : NAMED;
  const path = located?.directory ?? resolve(context.cwd, given ?? '');
  if (given !== undefined && isRunId(given) && !existsSync(path))
    return runOutcome(context, given, await trustOfRuns(context), (directory) =>
      verifyHere(context, directory),
    );
  if (!isFile(path)) return ledgerOutcome(context, ledgerAt(path), others);
  const start = startOf(path);
  if (isBundle(start)) return bundleOutcome(context, readBundle(path), await trustOfRuns(context));
  if (isReport(start)) return reportOutcome(context, path, await trustOfRuns(context));
  return proofOutcome(context, path, start);
}

async function trustOfRuns(context: Context): Promise<BundleOptions['trust']> {
  const { trust } = await chosenTrust(context);
  return bundleTrust(trust, pinnedKeys(context));
}

/** Enough to tell what kind of file it is. */
function startOf(path: string): Uint8Array {
  const fd = openSync(path, 'r');
  try {
    const start = Buffer.alloc(512);
    return start.subarray(0, readSync(fd, start, 0, start.length, 0));
  } finally {
    closeSync(fd);
  }
}

/** Whoever names what to verify means that, and no other. */
const NAMED = { located: null, others: [] } as const;
