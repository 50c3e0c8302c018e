// foil verify for one run: in a bundle, a file for those who have nothing else, or in a ledger that is here. Pass or fail
// comes first, then how independent the proof is of whoever ran the agent, and why not more.

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Fetched } from '../app/index.ts';
import {
  artifactsOfRun,
  bundleParts,
  findSession,
  keptArtifactsOf,
  packOfRun,
  readFile,
  reading,
} from '../app/index.ts';
import type { Trust } from '../config/index.ts';
import { UsageError } from '../core/index.ts';
import {
  asContentRef,
  BUNDLE_PARTS,
  type BundlePayload,
  type ContentRef,
  type Entry,
  encodeArtifacts,
  type HarnessPack,
  PackError,
  parseBundle,
  RUN_EVENT,
} from '../format/index.ts';
import { findArtifacts, gatherBundle, gunzip, isGzip, MOST_BUNDLE, openPack } from '../harness/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Paint } from '../report/index.ts';
import { counted, harmless, readEntry, thousands } from '../report/index.ts';
import {
  type BesideRun,
  type BundledCommit,
  type BundleOptions,
  type BundleReport,
  type Judged,
  MAX_FINDINGS,
  type Report,
  readRunKey,
  type Tier,
  verifyBundle,
  verifyRun,
} from '../verify/index.ts';
import { type Context, EXIT, type Outcome } from './command.ts';
import { place } from './place.ts';
import { openPackFile } from './project-pack.ts';

const MAX_ATTESTATION = 1 << 20;
const TIERS: readonly Tier[] = ['self', 'gateway', 'sandbox'];
/** Options that are about a whole ledger. */
const OF_LEDGERS = ['checkpoint', 'stamp', 'headers', 'no-content', 'entry'];

/** A tar begins with a header that says so; of one that is gzipped, only that it is can be told. */
export function isBundle(bytes: Uint8Array): boolean {
  return isGzip(bytes) || Buffer.from(bytes.subarray(257, 262)).toString('latin1') === 'ustar';
}

export function readBundle(path: string): Uint8Array {
  return readFile(path, MOST_BUNDLE, path);
}

/** How a run is named where there is no file of that name. */
export function isRunId(word: string): boolean {
  return /^[0-9a-f]{4,64}$/.test(word);
}

export async function bundleOutcome(
  context: Context,
  file: Uint8Array,
  trust: BundleOptions['trust'],
): Promise<Outcome> {
  refuse(context);
  const required = requiredTier(context.values.text('require'));
  const bytes = unpacked(file);
  const options = { trust, openPack, now: context.now(), ...given(context) };
  const first = verifyBundle(bytes, options);
  const { bundle } = first;
  if (bundle === null) return outcome(first, required, context.paint);
  const fetched = await fetchedFor(context, bundle);
  const archive = fetched !== undefined && 'archive' in fetched ? fetched.archive : undefined;
  const report = archive === undefined ? first : verifyBundle(bytes, { ...options, fetched: archive });
  const { parts } = parseBundle(bytes);
  const made = {
    bundle,
    pack: options.pack ?? opened(archive ?? parts.get(BUNDLE_PARTS.pack)),
    artifacts: parts.get(BUNDLE_PARTS.artifacts),
  };
  const told = context.values.flag('replay')
    ? await replayed(context, report, required, made)
    : outcome(report, required, context.paint);
  if (fetched === undefined || archive !== undefined) return told;
  const why = 'why' in fetched ? fetched.why : '';
  return {
    ...told,
    json: { ...(told.json as object), not_fetched: why },
    text: `${told.text}  ${harmless(`fetch      not done: ${why}`)}\n`,
  };
}

/** What does not unpack is no bundle, and is told as such. */
function unpacked(bytes: Uint8Array): Uint8Array {
  if (!isGzip(bytes)) return bytes;
  try {
    return gunzip(bytes, MOST_BUNDLE);
  } catch (error) {
    if (error instanceof PackError) return bytes;
    throw error;
  }
}

async function fetchedFor({ values }: Context, { harness }: BundlePayload): Promise<Fetched | undefined> {
  if (!values.flag('fetch') && !values.flag('fetch-local')) return undefined;
  const { fetchPack } = await import('../app/attest/fetch-pack.ts');
  return fetchPack(harness.packUri, { local: values.flag('fetch-local') });
}

/** Undefined for what is no pack, too: the report says so. */
function opened(archive: Uint8Array | undefined): HarnessPack | undefined {
  try {
    return archive === undefined ? undefined : openPack(archive);
  } catch (error) {
    if (error instanceof PackError) return undefined;
    throw error;
  }
}

/** `ledger`: how the ledger that it is in was found. */
export async function runOutcome(
  context: Context,
  named: string,
  trust: BundleOptions['trust'],
  verifyLedger: (directory: string) => Promise<Report>,
): Promise<Outcome> {
  refuse(context);
  const required = requiredTier(context.values.text('require'));
  const located = place(context);
  const whole = await verifyLedger(located.directory);
  const { report, ...made } = await reading(located, async (ledger) => {
    const session = await findSession(ledger, context, named);
    const pack = await packOfRun(ledger, located, session);
    const parts = await bundleParts(ledger, session, pack, ['needed']);
    const gather = (made: Uint8Array | null): ReturnType<typeof gatherBundle> =>
      gatherBundle({
        ...parts,
        disclose: (entry, ref) => isEventPayload(entry, ref) || parts.disclose(entry, ref),
        packAs: 'shown',
        packUri: null,
        artifacts: made === null ? null : () => made,
        attestations: [],
        created: new Date(context.now()).toISOString(),
      });
    const run = await gather(null);
    const { artifactHash } = run.payload.outputs;
    const artifacts = context.values.flag('replay') ? artifactsOfRun(located, artifactHash, pack) : undefined;
    const beside = await besideRun(ledger, session.id, whole);
    const judged = (of: typeof run): BundleReport =>
      verifyRun(of, { trust, openPack, now: context.now(), ...given(context), beside });
    const first = judged(run);
    // What a commit holds shows by what the run made.
    const isOpen = first.findings.some(({ code }) => code === 'COMMIT_NOT_SHOWN');
    const made = isOpen ? keptArtifactsOf(located, artifactHash, pack) : undefined;
    const report = made === undefined ? first : judged(await gather(made));
    return { report, bundle: run.payload, pack: pack ?? undefined, artifacts };
  });
  const { verdict, sentence } = whole;
  const text = `  ledger     ${verdict}: ${sentence}`;
  const found = verdict === 'BROKEN' ? lowered(report, 'FAIL', 'the ledger is broken') : report;
  const { json, ...told } = context.values.flag('replay')
    ? await replayed(context, found, required, made)
    : outcome(found, required, context.paint);
  return { ...told, json: { ...(json as object), ledger: verdict }, text: `${told.text}${harmless(text)}\n` };
}

function isEventPayload({ kind, payload }: Entry, { hash }: ContentRef): boolean {
  return kind === RUN_EVENT && asContentRef(payload.payload)?.hash === hash;
}

/** The salt that is here, and whether a replay on record counts for the whole ledger. */
async function besideRun({ store }: Ledger, run: string, { facets, counts }: Report): Promise<BesideRun> {
  const open = facets.replay.findings.filter(({ code }) => code === 'RUN_NOT_REPLAYED');
  let isReplayed = counts.findings <= MAX_FINDINGS;
  for (const { seq } of open)
    if (seq === null || (await readEntry(store, seq))?.session_id === run) isReplayed = false;
  return { key: await readRunKey(store.files, run), isReplayed };
}

interface Made {
  readonly bundle: BundlePayload;
  readonly pack: HarnessPack | undefined;
  readonly artifacts: Uint8Array | undefined;
}

/** The tests run here, too: a verdict counts no more than they do. */
async function replayed(
  context: Context,
  report: BundleReport,
  required: Tier | undefined,
  { bundle, pack, artifacts }: Made,
): Promise<Outcome> {
  const { replay } = await import('./replay.ts');
  const file = context.values.text('artifacts');
  const path = file === undefined ? undefined : resolve(context.cwd, file);
  const isFolder = path !== undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const given =
    path === undefined
      ? artifacts
      : isFolder && pack !== undefined
        ? encodeArtifacts(findArtifacts(path, pack.manifest.outputs))
        : readFile(path, MOST_BUNDLE, '--artifacts');
  const { passed, reason } = await replay(context, bundle, pack, given);
  const worse =
    passed === false ? 'FAIL' : passed === null && report.verdict === 'PASS' ? 'UNKNOWN' : report.verdict;
  const verdict = report.verdict === 'FAIL' ? 'FAIL' : worse;
  const why = passed === null ? 'could not be run again' : 'failed when it was run again';
  const found =
    verdict === report.verdict ? report : lowered(report, verdict, `the verification of the pack ${why}`);
  const told = outcome(found, required, context.paint);
  const word = passed === null ? 'not run' : passed ? 'PASS' : 'FAIL';
  return {
    ...told,
    json: { ...(told.json as object), replay: { passed, reason } },
    text: `${told.text}  ${harmless(`replay     ${word}: ${reason}`)}\n`,
  };
}

/** What does not pass is nobody's proof but its owner's. */
function lowered(report: BundleReport, verdict: BundleReport['verdict'], why: string): BundleReport {
  return { ...report, verdict, tier: 'self', whyNotHigher: why };
}

/** What came apart from the bundle. */
function given({ values, cwd }: Context): Pick<BundleOptions, 'attestations' | 'pack'> {
  const pack = values.text('pack');
  return {
    attestations: values
      .all('attestation')
      .map((file) => readFile(resolve(cwd, file), MAX_ATTESTATION, '--attestation')),
    ...(pack === undefined ? {} : { pack: openPackFile(resolve(cwd, pack), pack) }),
  };
}

/** Keys that are given count as those in trust.yaml do. */
export function bundleTrust(
  { ledgers, packs, gateways, attesters, operators = [] }: Trust,
  keys: BundleOptions['trust']['keys'],
): BundleOptions['trust'] {
  return { keys: [...keys, ...ledgers.map(({ key }) => key)], packs, gateways, attesters, operators };
}

function refuse({ values }: Context): void {
  for (const name of OF_LEDGERS)
    if (values.flag(name))
      throw new UsageError(`--${name} is only for a ledger or a proof, and this is a run.`);
}

function requiredTier(text: string | undefined): Tier | undefined {
  if (text === undefined) return undefined;
  const tier = TIERS.find((known) => known === text);
  if (tier === undefined)
    throw new UsageError(`--require: a run has a tier. Use one of ${TIERS.join(', ')}.`);
  return tier;
}

function outcome(report: BundleReport, required: Tier | undefined, paint: Paint): Outcome {
  const { bundle, ...rest } = report;
  const isBelow =
    required !== undefined &&
    (TIERS.indexOf(report.tier) < TIERS.indexOf(required) || (required === 'sandbox' && report.ownTests));
  const exit =
    report.verdict === 'FAIL'
      ? EXIT.BROKEN
      : report.verdict === 'UNKNOWN' || isBelow
        ? EXIT.BELOW_REQUIRED
        : EXIT.FINE;
  const json = {
    ...rest,
    run: bundle?.runId ?? null,
    origin: bundle?.origin ?? null,
    created: bundle?.created ?? null,
    entries: bundle?.entries ?? null,
    pack_root: bundle?.harness.packRoot ?? null,
    artifact_hash_b64u: bundle?.outputs.artifactHash ?? null,
    required: required ?? null,
  };
  const missing = isBelow ? `  required   ${required}: NOT REACHED\n` : '';
  return { json, text: `${render(report, paint)}${missing}`, exit };
}

function commitWords({ commit, holds }: BundledCommit, tier: Tier): string {
  if (!holds)
    return `${commit} was signed into the run after its end; nothing shows that it holds what was tested`;
  return `${commit} holds what ${tier === 'sandbox' ? 'was tested' : 'the run made'}`;
}

/** Never without whose word it is. */
function judgedText(judged: Judged | null): string {
  if (judged === null) return '';
  const { score, model, votes, attester } = judged;
  return `, and a model judged the result: ${score} of 100 (${model}, ${counted(votes, 'vote')}), says ${attester}`;
}

function render(report: BundleReport, paint: Paint): string {
  const { verdict, tier, findings, total, bundle } = report;
  const colour = verdict === 'PASS' ? paint.green : paint.red;
  const chosen = report.judged === null ? 'tests' : 'rubric';
  const own = report.ownTests ? `, and the run chose its own ${chosen}` : '';
  const lines = [`${colour(verdict)}  tier ${tier}${judgedText(report.judged)}${own}`];
  if (bundle !== null) {
    const { runId, origin, entries, receipts, harness, outputs } = bundle;
    lines.push(
      `  run        ${runId}`,
      `  ledger     ${origin}`,
      `  entries    ${thousands(entries)}, ${counted(receipts, 'receipt')} among them`,
    );
    if (harness.packRoot !== null)
      lines.push(`  pack       ${harness.packRoot}  ${harness.id ?? ''}`.trimEnd());
    if (outputs.artifactHash !== null) lines.push(`  artifacts  ${outputs.artifactHash}`);
  }
  if (report.attestation !== null) {
    const { attester, attempt, issued, expires } = report.attestation;
    lines.push(`  attested   ${issued} by ${attester}, attempt ${attempt}, until ${expires}`);
  }
  for (const commit of report.commits) lines.push(`  commit     ${commitWords(commit, tier)}`);
  if (report.whyNotHigher !== null) lines.push(`  Why no higher tier: ${report.whyNotHigher}.`);
  for (const { code, level, seq, message } of findings)
    lines.push(
      `  ${level === 'fail' ? 'FAIL' : level}  ${code}${seq === null ? '' : ` at entry ${seq}`}: ${message}`,
    );
  if (total > findings.length) lines.push(`  and ${total - findings.length} more`);
  return `${lines.map((line) => harmless(line)).join('\n')}\n`;
}
