// foil verify of a ledger, with the others of its project where nobody named one. Nothing is asked of the network.

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isFile, readFile, reading, textOf } from '../app/index.ts';
import { keysAt, type Trust } from '../config/index.ts';
import {
  MAX_TIMESTAMP_BYTES,
  openCheckpoint,
  parseOpenTimestamp,
  StoreError,
  UsageError,
} from '../core/index.ts';
import { verifyDirectory } from '../entry/index.ts';
import {
  CHECKPOINT_FILE,
  ENVELOPE_FILE,
  HEAD_FILE,
  LOCK_FILE,
  parseHead,
  SEGMENT_DIR,
} from '../format/index.ts';
import { HERE, locate } from '../ledger/index.ts';
import {
  contentReader,
  firstUnproven,
  harmless,
  isFlawless,
  pendingGaps,
  pendingText,
  progressBar,
  readEntry,
  renderBriefly,
  renderReport,
  type UnprovenClaim,
} from '../report/index.ts';
import type { BlockAt, Mark, Network, Report, VerifyOptions } from '../verify/index.ts';
import { type Context, EXIT, type Outcome } from './command.ts';
import { chosenTrust, pinnedKeys } from './verifier-options.ts';

const MAX_NOTE = 65_536;
const MARKS: readonly Mark[] = ['signed', 'anchored'];

export async function ledgerOutcome(
  context: Context,
  directory: string,
  others: readonly string[],
): Promise<Outcome> {
  const { values, paint } = context;
  if (values.text('entry') !== undefined)
    throw new UsageError('--entry is only for a proof, and this is a ledger.');
  const report = await verifyHere(context, directory);
  const unproven = await unprovenIn(report, directory, context);
  const pending = pendingGaps(directory, context.env);
  const untold = pending.map((gap) => `Not in the ledger yet: ${pendingText(gap)}.\n`).join('');
  const isBrief = !values.flag('verbose') && isFlawless(report);
  const whole = isBrief ? renderBriefly(report, paint) : renderReport(report, directory, paint, unproven);
  const text = `${whole}${untold}`;
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
    text: `${text}\nOther ledgers of this project (foil verify DIR shows each):\n${lines}`,
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
  const { trust, explicit } = await chosenTrust(context);
  const total = headSeq(directory);
  const base: VerifyOptions = {
    keys: [...pinnedKeys(context), ...keysAt(trust, directory)],
    trusted: trust.ledgers.map(({ key }) => key),
    operators: trust.operators ?? [],
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
  const { openBlocks } = await import('../anchor/blocks/index.ts');
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

export function exitOf({ verdict, required }: Report): number {
  if (verdict === 'BROKEN') return EXIT.BROKEN;
  if (verdict === 'VIOLATION') return EXIT.VIOLATION;
  return required.missing.length > 0 ? EXIT.BELOW_REQUIRED : EXIT.FINE;
}

/** The ledger's directory: the one named, or `.foil/` in it. */
export function ledgerAt(path: string): string {
  // The parts of one have the names of a ledger's files.
  if (existsSync(join(path, ENVELOPE_FILE)))
    throw new UsageError(`${path} is an unpacked proof bundle. Give \`foil verify\` the bundle file itself.`);
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
      : `there is no ledger in ${path}, because it doesn't exist. Name a ledger or a proof, or run \`foil init\`.`,
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

function parseMarks(text: string | undefined): readonly Mark[] {
  if (text === undefined) return [];
  return text.split(',').map((name) => {
    const mark = MARKS.find((known) => known === name);
    if (mark === undefined)
      throw new UsageError(
        `--require: unknown mark ${JSON.stringify(name)}. Use one of ${MARKS.join(', ')}.`,
      );
    return mark;
  });
}
