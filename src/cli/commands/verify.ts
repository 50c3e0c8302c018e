// foil verify: checks a ledger, or a proof of one entry without its ledger, and says what holds, how far, and why.
// What to trust is the caller's choice: --key, --trust, or the trust file of the user who runs it.
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  MAX_TIMESTAMP_BYTES,
  openCheckpoint,
  ParseError,
  parseOpenTimestamp,
  parseTlogProof,
  parseVerifierKey,
  StoreError,
  type VerifierKey,
} from '../../core/index.ts';
import { verifyDirectory } from '../../entry/index.ts';
import {
  CHECKPOINT_FILE,
  HEAD_FILE,
  LOCK_FILE,
  MAX_LINE,
  parseHead,
  SEGMENT_DIR,
} from '../../format/index.ts';
import { HERE, locate } from '../../ledger/index.ts';
import {
  type BlockAt,
  type BundleOptions,
  type Mark,
  type Network,
  type ProofReport,
  type Report,
  type VerifyOptions,
  verifyProof,
} from '../../verify/index.ts';
import { type Command, type Context, EXIT, type Outcome, UsageError } from '../command.ts';
import { contentReader } from '../content.ts';
import { readEntry } from '../entry-lines.ts';
import { readFile } from '../input.ts';
import { pendingGaps, pendingText } from '../pending-gaps.ts';
import { reading } from '../place.ts';
import { placeToRead } from '../project-ledgers.ts';
import { firstUnproven, renderProofReport, renderReport, type UnprovenClaim } from '../render-report.ts';
import { textOf } from '../session-evidence.ts';
import { harmless, progressBar } from '../text.ts';
import { keysAt, parseTrust, readTrust, type Trust, userTrustFile } from '../trust.ts';
import { bundleOutcome, bundleTrust, isBundle, isRunId, runOutcome } from '../verify-bundle.ts';
import { verifyFormat } from '../verify-format.ts';

const MAX_PROOF = 262_144;
const MAX_NOTE = 65_536;
const MARKS: readonly Mark[] = ['signed', 'anchored'];

/** What a verifier has of its own. */
export const HELD = {
  key: {
    type: 'string',
    value: 'VKEY',
    multiple: true,
    help: 'a verifier key that must be one of this ledger (repeatable)',
  },
  trust: {
    type: 'string',
    value: 'FILE',
    help: 'keys to trust, instead of your own trust.yaml; must name this ledger',
  },
  checkpoint: {
    type: 'string',
    value: 'FILE',
    multiple: true,
    help: 'a checkpoint you kept: the log must continue it (repeatable)',
  },
  stamp: {
    type: 'string',
    value: 'FILE',
    multiple: true,
    help: 'an .ots file you kept: it must be of a checkpoint of this log (repeatable)',
  },
  headers: {
    type: 'string',
    value: 'FILE',
    help: 'Bitcoin block headers you have, for stamps that lie here without (raw or JSON)',
  },
} as const satisfies Command['options'];

export const verify: Command = {
  name: 'verify',
  summary: 'check a ledger, a run, a bundle, or a proof of one entry',
  usage: '[PATH | RUN] [options]',
  arguments: [0, 1],
  options: {
    ...HELD,
    require: {
      type: 'string',
      value: 'MARKS',
      help: 'exit 6 unless these hold: signed, anchored; for a run: self, gateway or sandbox',
    },
    attestation: {
      type: 'string',
      value: 'FILE',
      multiple: true,
      help: "of a run: an attester's answer that is not in the bundle (repeatable)",
    },
    pack: { type: 'string', value: 'FILE', help: 'of a run: its pack, where the bundle does not show it' },
    replay: { type: 'boolean', help: "of a run: run its pack's tests over what it made, in a sandbox here" },
    artifacts: {
      type: 'string',
      value: 'DIR|TAR',
      help: '--replay: what the run made, where it is not here',
    },
    fetch: { type: 'boolean', help: 'of a bundle: fetch its pack from the https address that it names' },
    'fetch-local': { type: 'boolean', help: 'the same, also from an address of this machine' },
    'no-content': { type: 'boolean', help: 'leave the kept content alone' },
    entry: { type: 'string', value: 'FILE', help: "the entry's line, for a proof that does not carry it" },
    format: {
      type: 'string',
      value: 'FORMAT',
      help: 'PATH is a log of another format, or - for standard input: kaiza, gently',
    },
    continues: {
      type: 'string',
      value: 'HASH',
      help: 'with --format: the hash of a line you kept; a line of the log must have it',
    },
  },
  examples: [
    'foil verify',
    'foil verify /backup/ledger --key counterfoil/9d5e…+1f2e3d4c+AV64… --require signed,anchored',
    'foil prove 42 > 42.proof && foil verify 42.proof',
    'foil verify run.bundle --require sandbox',
    'foil verify 4f1c --replay',
    'foil log --format kaiza > audit.log && foil verify audit.log --format kaiza',
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  if (context.values.flag('format')) return verifyFormat(context);
  if (context.values.flag('continues'))
    throw new UsageError('--continues belongs to --format; of a ledger, give a --checkpoint that you kept.');
  const given = context.arguments[0];
  if (given !== undefined && context.values.text('ledger') !== undefined) {
    throw new UsageError('PATH and --ledger both name what to verify: choose one.');
  }
  const { located, others } = given === undefined ? placeToRead(context) : NAMED;
  const path = located?.directory ?? resolve(context.cwd, given ?? '');
  if (given !== undefined && isRunId(given) && !existsSync(path))
    return runOutcome(context, given, await trustOfRuns(context), (directory) =>
      verifyHere(context, directory),
    );
  if (!isFile(path)) return ledgerOutcome(context, ledgerAt(path), others);
  if (isBundle(startOf(path))) return bundleOutcome(context, path, await trustOfRuns(context));
  const keys = context.values.all('key').map((text) => parseKey(text));
  return proofOutcome(context, path, keys);
}

async function trustOfRuns(context: Context): Promise<BundleOptions['trust']> {
  const { trust } = await chosenTrust(context);
  return bundleTrust(
    trust,
    context.values.all('key').map((text) => parseKey(text)),
  );
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

async function ledgerOutcome(
  context: Context,
  directory: string,
  others: readonly string[],
): Promise<Outcome> {
  const { values, paint } = context;
  if (values.text('entry') !== undefined)
    throw new UsageError('--entry belongs to a proof, and this is a ledger.');
  const report = await verifyHere(context, directory);
  const unproven = await unprovenIn(report, directory, context);
  const pending = pendingGaps(directory, context.env);
  const untold = pending.map((gap) => `Not in the ledger yet: ${pendingText(gap)}.\n`).join('');
  const text = `${renderReport(report, directory, paint, unproven)}${untold}`;
  const json = pending.length === 0 ? report : { ...report, pending };
  if (others.length === 0) return { json, text, exit: exitOf(report) };
  // One that is INTACT must not hide another that is not.
  const more: { directory: string; verdict: Report['verdict'] }[] = [];
  let exit = exitOf(report);
  for (const other of others) {
    const found = await verifyHere(context, other);
    more.push({ directory: other, verdict: found.verdict });
    exit = worse(exit, exitOf(found));
  }
  const lines = more.map((each) => `${each.verdict}  ${harmless(each.directory)}\n`).join('');
  return {
    json: { ...json, others: more },
    text: `${text}\nMore ledgers of this project (foil verify DIR shows each):\n${lines}`,
    exit,
  };
}

/** BROKEN before all others; then whatever is not fine. */
function worse(a: number, b: number): number {
  if (a === EXIT.BROKEN || b === EXIT.BROKEN) return EXIT.BROKEN;
  return a === EXIT.FINE ? b : a;
}

/** A ledger, by the keys and blocks that the user trusts and the options of the command, where it has such. */
export async function verifyHere(context: Context, directory: string): Promise<Report> {
  const { values, cwd } = context;
  const pinned = values.all('key').map((text) => parseKey(text));
  const { trust, explicit } = await chosenTrust(context);
  const total = headSeq(directory);
  const base: VerifyOptions = {
    keys: [...pinned, ...keysAt(trust, directory)],
    trusted: trust.ledgers.map(({ key }) => key),
    keptCheckpoints: values.all('checkpoint').map((file) => readCheckpoint(resolve(cwd, file))),
    keptStamps: values.all('stamp').map((file) => readStamp(resolve(cwd, file))),
    ...(await bitcoinOf(context, trust)),
    require: parseMarks(values.text('require')),
    content: !values.flag('no-content'),
    progress: (entries) => context.progress(progressBar(entries, total)),
  };
  try {
    const report = await verifyDirectory(directory, base);
    // Told to trust only what a file names, one that names another ledger must not count as no opinion.
    if (explicit && base.keys?.length === 0 && !trust.ledgers.some(({ key }) => key.name === report.origin)) {
      return await verifyDirectory(directory, { ...base, keys: base.trusted ?? [] });
    }
    return report;
  } finally {
    context.progress('');
  }
}

/** The words are content, which a verdict does without: where they can't be had, the number has to do. */
async function unprovenIn(
  report: Report,
  directory: string,
  { env }: Context,
): Promise<UnprovenClaim | null> {
  const seq = report.verdict === 'VIOLATION' ? firstUnproven(report) : null;
  if (seq === null) return null;
  try {
    const located = locate({ ledger: directory, env });
    return await reading(located, async (ledger) => {
      const entry = (await readEntry(ledger.store, seq)) ?? null;
      return { seq, quote: await textOf(contentReader(ledger, located), entry, 'quote') };
    });
  } catch {
    return { seq, quote: null };
  }
}

async function proofOutcome(
  context: Context,
  path: string,
  pinned: readonly VerifierKey[],
): Promise<Outcome> {
  const { values, cwd, paint } = context;
  for (const name of ['checkpoint', 'stamp', 'headers', 'require', 'no-content']) {
    if (values.flag(name)) {
      throw new UsageError(`--${name} belongs to a ledger, and ${path} is a file: a proof.`);
    }
  }
  const entry = values.text('entry');
  const { trust, explicit } = await chosenTrust(context);
  const proof = readFile(path, MAX_PROOF, path);
  refuseOtherFiles(proof, path);
  const origin = originOfProof(proof);
  if (entry === undefined && isBare(proof)) {
    throw new UsageError('this proof does not carry its entry. Give the line with --entry FILE.');
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
      `${path} is a compressed file, no proof. \`foil pack verify\` checks a pack; of a packed ledger, unpack it and name its directory.`,
    );
  }
  if (starts(0x7b, 0x22)) {
    throw new UsageError(`${path} is JSON, no proof. To check a ledger, name its directory.`);
  }
  if (GENTLY_LINE.test(Buffer.from(bytes.subarray(0, LONGEST_START)).toString('latin1')))
    throw new UsageError(`${path} is a log of sessions, no proof. Check it with --format gently.`);
}

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

/** One that can't be read says nothing about the ledger: it is the wrong file. */
function readCheckpoint(path: string): Uint8Array {
  const note = readFile(path, MAX_NOTE, '--checkpoint');
  try {
    openCheckpoint(note);
  } catch (error) {
    throw new UsageError(`--checkpoint: ${path} is not a checkpoint: ${(error as Error).message}.`);
  }
  return note;
}

/** Likewise. */
function readStamp(path: string): Uint8Array {
  const proof = readFile(path, MAX_TIMESTAMP_BYTES, '--stamp');
  try {
    parseOpenTimestamp(proof);
  } catch (error) {
    throw new UsageError(`--stamp: ${path} is not an OpenTimestamps proof: ${(error as Error).message}.`);
  }
  return proof;
}

/** What is wrong with a file as a whole, and not with the newest of its blocks. */
const UNUSABLE: ReadonlySet<string> = new Set(['UNREADABLE', 'MALFORMED', 'HEIGHT_UNKNOWN']);

/** Which chain counts, and where headers are that this verifier has. Nothing is asked of the network. */
async function bitcoinOf(
  { values, cwd }: Context,
  { bitcoin }: Trust,
): Promise<{ network: Network; blockAt?: BlockAt }> {
  const network = bitcoin?.network ?? 'main';
  const given = values.text('headers');
  const file = given === undefined ? bitcoin?.headers : resolve(cwd, given);
  if (file === undefined) return { network };
  if (!isFile(file)) throw new UsageError(`--headers: there is no file ${file}.`);
  const { openBlocks } = await import('../../anchor/blocks/index.ts');
  const config = { blocks: [{ file }], git: null, stamps: [], network };
  const blocks = openBlocks(config, { directory: null });
  // A file without a block in it would look like one that only lacks those of the stamps.
  const problems = (await blocks.survey()).flatMap((report) => report.problems);
  const unusable = problems.find(({ code }) => UNUSABLE.has(code));
  if (unusable !== undefined)
    throw new UsageError(
      `${given === undefined ? 'bitcoin.headers in trust.yaml' : '--headers'}: no blocks can be read from ${file}: ${unusable.message}.`,
    );
  return { network, blockAt: (height) => blocks.at(height) };
}

/** Which chain the user goes by. */
export async function networkHere(context: Context): Promise<'main' | 'regtest'> {
  return (await chosenTrust(context)).trust.bitcoin?.network ?? 'main';
}

export function exitOf({ verdict, required }: Report): number {
  if (verdict === 'BROKEN') return EXIT.BROKEN;
  if (verdict === 'VIOLATION') return EXIT.VIOLATION;
  return required.missing.length > 0 ? EXIT.BELOW_REQUIRED : EXIT.FINE;
}

/** A proof proves nothing unless a key that is trusted signed it: that is always required. */
function exitOfProof({ verdict }: ProofReport): number {
  if (verdict === 'BROKEN') return EXIT.BROKEN;
  return verdict === 'INTACT' ? EXIT.FINE : EXIT.BELOW_REQUIRED;
}

async function chosenTrust({ values, cwd, env }: Context): Promise<{ trust: Trust; explicit: boolean }> {
  const file = values.text('trust');
  if (file === undefined)
    return { trust: (await readTrust(userTrustFile(env))) ?? parseTrust(null), explicit: false };
  const trust = await readTrust(resolve(cwd, file));
  if (trust === undefined) throw new UsageError(`--trust: there is no file ${file}.`);
  if (trust.ledgers.length === 0) throw new UsageError(`--trust: ${file} names no ledger.`);
  return { trust, explicit: true };
}

/** The ledger's directory: the one named, or `.foil/` in it. */
function ledgerAt(path: string): string {
  for (const directory of [path, join(path, HERE)]) {
    if (
      [SEGMENT_DIR, LOCK_FILE, HEAD_FILE, CHECKPOINT_FILE].some((name) => existsSync(join(directory, name)))
    )
      return directory;
  }
  throw new StoreError(
    'NOT_FOUND',
    existsSync(path)
      ? `there is no ledger in ${path}. Name the directory that has the subdirectory ${SEGMENT_DIR}.`
      : `there is no ledger in ${path}, nor a proof: nothing is there. Name one, or run \`foil init\`.`,
  );
}

/** How many entries to expect, for the progress bar; the head may be wrong or missing, and nothing rests on it. */
function headSeq(directory: string): number | undefined {
  try {
    return parseHead(readFileSync(join(directory, HEAD_FILE))).seq;
  } catch {
    return undefined;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function parseKey(text: string): VerifierKey {
  try {
    return parseVerifierKey(text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new UsageError(
      `--key: ${error.message}. It is the whole line that \`foil init\` and \`foil key list\` print.`,
      {
        cause: error,
      },
    );
  }
}

function parseMarks(text: string | undefined): readonly Mark[] {
  if (text === undefined) return [];
  return text.split(',').map((name) => {
    const mark = MARKS.find((known) => known === name);
    if (mark === undefined)
      throw new UsageError(`--require: ${JSON.stringify(name)} is no mark. There is: ${MARKS.join(', ')}.`);
    return mark;
  });
}
