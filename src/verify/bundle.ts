import {
  encodeVerifierKey,
  isDsseSignedBy,
  type Json,
  ParseError,
  sameBytes,
  type VerifierKey,
} from '../core/index.ts';
import {
  artifactRoot,
  BUNDLE_PARTS,
  type Bundle,
  type BundlePayload,
  MOST_PROMPTS,
  PackError,
  parseBundle,
  parseBundleFiles,
  parseTar,
  type TreeFile,
} from '../format/index.ts';
import { SKEW } from './attestation.ts';
import { AuthorityCheck } from './authority-check.ts';
import { BlindTimes } from './blind-times.ts';
import { type BundledCommit, checkCommits } from './bundle-commits.ts';
import { checkContent } from './bundle-content.ts';
import { damageIn } from './bundle-damage.ts';
import { type BundledEntries, checkChain, checkTree, followKeys, readEntries } from './bundle-entries.ts';
import { factsOf } from './bundle-facts.ts';
import { type BundleFinding, BundleFindings } from './bundle-findings.ts';
import { checkModelCalls } from './bundle-model-calls.ts';
import { checkPolicy, type PackSource, packOfBundle } from './bundle-policy.ts';
import { checkSum } from './bundle-sum.ts';
import {
  type BundleTrust,
  type Judged,
  type ReliedOn,
  type Tier,
  tierOf,
  type Vouched,
  vouchedFor,
} from './bundle-tier.ts';
import { CompletenessCheck } from './completeness-check.ts';
import { EvidenceCheck } from './evidence-check.ts';
import { Findings } from './findings.ts';
import { verifyGatewayRun } from './gateway-closing.ts';
import type { GatewayVerdict } from './gateway-receipts.ts';
import { IdentityCheck } from './identity-check.ts';
import { ReceiptCheck } from './receipt-check.ts';
import { type BesideRun, checkCertificate } from './run-certificate.ts';
import { SessionsCheck } from './sessions-check.ts';

export interface BundleOptions extends PackSource {
  readonly trust: BundleTrust;
  /** The verifier's time, in milliseconds. */
  readonly now: number;
  /** Attestations that came apart from the bundle. */
  readonly attestations?: readonly Uint8Array[];
  /** What the ledger of the run says besides, where that is here. */
  readonly beside?: BesideRun;
}

export interface BundleReport {
  /** `UNKNOWN`: nothing is wrong, and something that a pass needs is not shown. */
  readonly verdict: 'PASS' | 'FAIL' | 'UNKNOWN';
  readonly tier: Tier;
  /** Why it is not the next tier; null where there is none. */
  readonly whyNotHigher: string | null;
  /** The attestation that the tier rests on. */
  readonly attestation: ReliedOn | null;
  /** What a model said of the result, where a trusted attester asked one; null else, and where the run does not pass. */
  readonly judged: Judged | null;
  /** Nobody here said that the tests of its pack are good ones. */
  readonly ownTests: boolean;
  /** Of git, that were signed into the run. */
  readonly commits: readonly BundledCommit[];
  readonly findings: readonly BundleFinding[];
  /** How many there are; not all of very many are listed. */
  readonly total: number;
  /** What the bundle says of itself; null where it can't be read. */
  readonly bundle: BundlePayload | null;
}

/** Of its archive, or of the files in that. */
export function verifyBundle(bundle: Uint8Array | readonly TreeFile[], options: BundleOptions): BundleReport {
  const findings = new BundleFindings();
  return judged(opened(bundle, findings), options, findings);
}

/** Did a gateway that is trusted here pass every model call of a bundle's run, and close it? Of a bundle that can't be read, none did. */
export function verifyBundledReceipts(bytes: Uint8Array, gateways: BundleTrust['gateways']): GatewayVerdict {
  const findings = new BundleFindings();
  const bundle = opened(bytes, findings);
  const entries = bundle === undefined ? undefined : readEntries(bundle, findings);
  return verifyGatewayRun(entries?.run.map(({ entry }) => entry) ?? [], gateways);
}

/** A run of a ledger that is here and was found in order: nobody signed a bundle of it, and nothing can be left out. */
export function verifyRun(run: Bundle, options: BundleOptions): BundleReport {
  return judged(run, options, new BundleFindings());
}

function judged(bundle: Bundle | undefined, options: BundleOptions, findings: BundleFindings): BundleReport {
  const entries = bundle === undefined ? undefined : readEntries(bundle, findings);
  let vouched: Vouched | undefined;
  let commits: readonly BundledCommit[] = [];
  if (bundle !== undefined && entries !== undefined) {
    checkSigner(bundle, entries, options.trust.keys, findings);
    checkChain(entries, findings);
    checkTree(bundle, entries, findings);
    checkRun(entries, findings);
    checkAuthority(entries, options.trust.operators ?? [], findings);
    checkModelCalls(entries.run, findings);
    if (bundle.envelope !== null) checkSum(entries.run, findings);
    checkManifest(bundle, entries, findings);
    if (Date.parse(bundle.payload.created) > options.now + SKEW)
      findings.add('BUNDLE_DATE_AHEAD', null, `created is ${bundle.payload.created}, which is in the future`);
    const artifacts = shownArtifacts(bundle, findings);
    const { trust, now, attestations: more = [] } = options;
    const pack = packOfBundle(bundle, options, findings);
    vouched = vouchedFor(bundle, entries, { trust, now, more, pack: pack ?? undefined }, findings);
    const attested = vouched.attested || vouched.judged !== null;
    const shown = checkContent(bundle, entries.run, findings);
    checkPolicy(bundle, entries, { pack, attested, shown }, findings);
    checkCertificate(
      bundle,
      entries,
      { shown, operators: trust.operators ?? [], beside: options.beside ?? null },
      findings,
    );
    commits = checkCommits(bundle, entries.run, { pack: pack ?? undefined, artifacts }, findings);
  }
  const verdict = findings.verdict();
  return {
    verdict,
    ...tierOf(vouched, verdict === 'PASS'),
    judged: verdict === 'PASS' ? (vouched?.judged ?? null) : null,
    ownTests: isOwn(bundle, options.trust),
    commits,
    findings: findings.all,
    total: findings.total,
    bundle: bundle?.payload ?? null,
  };
}

function isOwn(bundle: Bundle | undefined, { packs }: BundleTrust): boolean {
  const root = bundle?.payload.harness.packRoot ?? null;
  return root !== null && !packs.includes(root);
}

function opened(bundle: Uint8Array | readonly TreeFile[], findings: BundleFindings): Bundle | undefined {
  try {
    return bundle instanceof Uint8Array ? parseBundle(bundle) : parseBundleFiles(bundle);
  } catch (error) {
    if (!(error instanceof PackError || error instanceof ParseError)) throw error;
    const damaged = error instanceof PackError ? damageIn(bundle, error.path) : undefined;
    const where = damaged === undefined ? '' : ` (${damaged.why})`;
    findings.add('BUNDLE_MALFORMED', damaged?.seq ?? null, `${error.code}: ${error.message}${where}`);
    return undefined;
  }
}

function checkSigner(
  { envelope }: Bundle,
  { identity }: BundledEntries,
  trusted: readonly VerifierKey[],
  findings: BundleFindings,
): void {
  const current = identity.current as VerifierKey;
  if (envelope !== null && !isDsseSignedBy(envelope, current.publicKey))
    findings.add(
      'BUNDLE_UNSIGNED',
      null,
      "the bundle's envelope is not signed by the key that the ledger had at that place",
    );
  const isPinned = identity.keys.some((key) =>
    trusted.some(({ name, publicKey }) => name === key.name && sameBytes(publicKey, key.publicKey)),
  );
  if (!isPinned)
    findings.add('KEY_NOT_TRUSTED', null, `no key of ${current.name} is in trust.yaml or given with --key`);
}

/** Sessions, receipts, claims and vantage points, as in a ledger. */
function checkRun({ all, run }: BundledEntries, findings: BundleFindings): void {
  const found = new Findings();
  // Keys of gateways and validators are certified by the ledger's key of their place, not by its last.
  const identity = new IdentityCheck(new Findings());
  const blind = new BlindTimes(found);
  const claims = new EvidenceCheck(found, identity, blind);
  const receipts = new ReceiptCheck(found, identity);
  const completeness = new CompletenessCheck(found, {}, blind);
  const sessions = new SessionsCheck(found);
  for (const { entry, line } of all) {
    if (entry.session_id === null) followKeys(identity, entry);
    claims.entry(entry, line.length);
    receipts.entry(entry);
    completeness.entry(entry);
    sessions.entry(entry);
  }
  claims.finish(new Set(all.map(({ entry }) => entry.kind)));
  receipts.finish();
  completeness.finish();
  sessions.finish();
  for (const facet of ['sessions', 'evidence', 'receipts', 'completeness'] as const)
    for (const finding of found.of(facet)) findings.take(finding);
  if (run[0]?.entry.kind !== 'session.start')
    findings.add('RUN_UNKNOWN', run[0]?.entry.seq ?? null, "the run's first entry doesn't begin a run");
  const again = run.findIndex(({ entry }, i) => i > 0 && entry.kind === 'session.start');
  // Of two beginnings nobody could say whose pack counts.
  if (again > 0) findings.add('RUN_UNKNOWN', run[again]?.entry.seq ?? null, 'the run begins a second time');
  if (!run.some(({ entry }) => entry.kind === 'session.end'))
    findings.add('RUN_OPEN', null, 'the run has no session.end');
}

/** What fails there fails here. What is unknown is only told: a run without grants, which nobody held to any, is unknown, too. */
function checkAuthority(
  { all, identity }: BundledEntries,
  operators: readonly VerifierKey[],
  findings: BundleFindings,
): void {
  const found = new Findings();
  const pinned = operators.map((key) => encodeVerifierKey(key));
  const authority = new AuthorityCheck(found, identity, pinned);
  for (const { entry } of all) authority.entry(entry);
  authority.finish();
  for (const finding of found.of('authority')) findings.take(finding, 'note');
}

/** The artifacts that are shown, if they are those that the run recorded. */
function shownArtifacts({ parts, payload }: Bundle, findings: BundleFindings): TreeFile[] | undefined {
  const archive = parts.get(BUNDLE_PARTS.artifacts);
  if (archive === undefined) return undefined;
  try {
    const files = parseTar(archive);
    if (artifactRoot(files) === payload.outputs.artifactHash) return files;
    findings.add('ARTIFACTS_WRONG', null, "their hash doesn't match the one that the run recorded");
  } catch (error) {
    if (!(error instanceof PackError)) throw error;
    findings.add('ARTIFACTS_WRONG', null, error.message);
  }
  return undefined;
}

/** What the envelope says of the run, against its entries. */
function checkManifest({ payload, parts }: Bundle, { run }: BundledEntries, findings: BundleFindings): void {
  const facts = factsOf(run);
  const start = run[0]?.entry.payload ?? {};
  const { harness, inputs } = payload;
  const pairs: readonly (readonly [string, Json, Json])[] = [
    ['entries', payload.entries, run.length],
    ['event_chain_root', payload.eventChainRoot, facts.eventChainRoot],
    ['receipts', payload.receipts, facts.receipts],
    ['receipts_root', payload.receiptsRoot, facts.receiptsRoot],
    ['pack_root', harness.packRoot, start.pack ?? null],
    ['prompt_hashes', [...inputs.prompts], facts.prompts.slice(0, MOST_PROMPTS)],
    ['more_prompts', inputs.morePrompts, facts.prompts.length > MOST_PROMPTS],
    ['commit', inputs.commit, facts.commit],
    ['tree', inputs.tree, facts.tree],
    ['artifact_hash_b64u', payload.outputs.artifactHash, facts.artifactHash],
  ];
  for (const [name, said, is] of pairs)
    if (JSON.stringify(said) !== JSON.stringify(is))
      findings.add('MANIFEST_WRONG', null, `${name} doesn't match the entries`);
  // Both have one form, in which texts compare as times do.
  if (run.some(({ entry }) => entry.ts > payload.created))
    findings.add('MANIFEST_WRONG', null, 'the bundle says that it is older than an entry in it');
  const [isOpen, isSecret] = [parts.has(BUNDLE_PARTS.pack), parts.has(BUNDLE_PARTS.secretPack)];
  if ((isOpen && harness.packEncryption !== 'none') || (isSecret && harness.packEncryption === 'none'))
    findings.add('MANIFEST_WRONG', null, "pack_encryption_method doesn't match the pack in the bundle");
  if (harness.packRoot !== null) return;
  const { packEncryption: _, ...told } = harness;
  if (isOpen || isSecret || Object.values(told).some((value) => value !== null))
    findings.add('MANIFEST_WRONG', null, 'the run has no pack, but the bundle names one');
}
