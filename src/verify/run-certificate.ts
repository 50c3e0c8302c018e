// The certificate of a run: made from its audit by whoever certifies, and made again from the bundle by whoever verifies. What
// it says must be what the entries say; that a replay was done is the signer's word, and only its result can be compared.
import { sha256Hex, utf8Decode } from '#platform';
import {
  canonicalize,
  type Json,
  type JsonObject,
  ParseError,
  parseHex,
  type VerifierKey,
} from '../core/index.ts';
import {
  BUNDLE_PARTS,
  type Bundle,
  type ContentRef,
  type Determinism,
  type Entry,
  encodeCertificate,
  parseCertificate,
  parseRunEvent,
  RUN_EVENT,
  type RunCertificate,
  replayIdText,
  runEventId,
} from '../format/index.ts';
import type { Disclosed } from './bundle-content.ts';
import type { BundledEntries } from './bundle-entries.ts';
import type { BundleFindings } from './bundle-findings.ts';
import { CODES } from './codes.ts';
import { type RunAudit, RunAuditor } from './run-audit.ts';

/** Null where the audit is of no run that has begun and ended. */
export function certificateOf(
  { run, init, counts, finalStateHash, isClosed, patches, usage, decisions }: RunAudit,
  hashKey: string | null,
  determinism: Omit<Determinism, 'replayId'>,
): RunCertificate | null {
  if (init === null || finalStateHash === null || !isClosed) return null;
  return {
    runId: run,
    agent: init.agent,
    events: counts.events,
    finalStateHash,
    hashes: init.hashes,
    hashKey: init.hashes === 'blake3' ? null : hashKey,
    capabilities: {
      hash: init.capabilitiesHash,
      granted: init.capabilities,
      root: init.root,
      calls: decisions.get('allow') ?? 0,
      denials: usage.denials,
    },
    patches: patches.flatMap(({ number, status, patchHash, proposedBy, approvedBy }) =>
      status === null || patchHash === null || proposedBy === null
        ? []
        : [{ id: runEventId(run, number), patchHash, status, proposedBy, approvedBy }],
    ),
    determinism: { ...determinism, replayId: sha256Hex(replayIdText(run, determinism)) },
  };
}

/** What the ledger of a run says of it besides the run's own entries. */
export interface BesideRun {
  /** Of its hashes; null where the salt is gone. */
  readonly key: Uint8Array | null;
  /** A replay that is on record rebuilt all of its states. */
  readonly isReplayed: boolean;
}

/** The events and patches of a run in a bundle, and its certificate where it has one. */
export function checkCertificate(
  { parts }: Bundle,
  { all, run }: BundledEntries,
  {
    shown,
    operators,
    beside,
  }: {
    readonly shown: Disclosed;
    readonly operators: readonly VerifierKey[];
    readonly beside: BesideRun | null;
  },
  findings: BundleFindings,
): void {
  const id = run[0]?.entry.session_id ?? null;
  const part = parts.get(BUNDLE_PARTS.certificate);
  if (id === null || (part === undefined && !run.some(({ entry }) => isOfRun(entry)))) return;
  const certificate = part === undefined ? undefined : certificateIn(part, findings);
  const told = certificate?.hashKey ?? null;
  const key = told === null ? (beside?.key ?? null) : parseHex(told, 32);
  const auditor = new RunAuditor(id, operators);
  for (const { entry } of all)
    auditor.entry(entry, {
      key,
      payload: shownPayload(entry, shown),
    });
  const isReplayed = certificate?.determinism.result === 'matches';
  const audit = auditor.done(isReplayed || beside?.isReplayed === true);
  for (const finding of audit.findings) {
    const { facet } = CODES[finding.code];
    if (facet !== 'authority' || finding.code.startsWith('RUN_')) findings.take(finding);
  }
  if (isReplayed && audit.init !== null && !isShown(audit.init.code.bundle, shown))
    findings.take({
      code: 'RUN_NOT_REPLAYED',
      seq: null,
      message: 'the code of the run is not in the bundle, so nobody else can replay it',
    });
  if (certificate !== undefined) compare(certificate, audit, findings);
}

function isShown({ algorithm, hash }: ContentRef, shown: Disclosed): boolean {
  return shown.has(`${algorithm}:${hash}`);
}

function isOfRun({ kind }: Entry): boolean {
  return kind === RUN_EVENT || kind.startsWith('patch.');
}

function certificateIn(part: Uint8Array, findings: BundleFindings): RunCertificate | undefined {
  try {
    return parseCertificate(part);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    findings.add('CERTIFICATE_WRONG', null, error.message);
    return undefined;
  }
}

/** The payload of an event that is content and is shown. */
function shownPayload({ kind, payload }: Entry, shown: Disclosed): JsonObject | null {
  if (kind !== RUN_EVENT) return null;
  try {
    const { content } = parseRunEvent(payload);
    const bytes = content === null ? undefined : shown.get(`${content.algorithm}:${content.hash}`);
    if (bytes === undefined) return null;
    const value = JSON.parse(utf8Decode(bytes)) as Json;
    return typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject | null) : null;
  } catch {
    return null; // It stays unread, and is told as such.
  }
}

function compare(certificate: RunCertificate, audit: RunAudit, findings: BundleFindings): void {
  const { determinism, hashKey } = certificate;
  const wrong = (text: string): void => findings.add('CERTIFICATE_WRONG', null, text);
  const made = certificateOf(audit, hashKey, determinism);
  if (made === null) {
    wrong('it is about a run that has not begun and ended here');
    return;
  }
  const [said, is] = [encodeCertificate(certificate), encodeCertificate(made)];
  for (const name of Object.keys(said))
    if (canonicalize(said[name] as Json) !== canonicalize(is[name] as Json))
      wrong(`${name} doesn't match the entries`);
  if (determinism.code !== audit.init?.code.root) wrong("determinism.code doesn't match the run");
  const isTold = determinism.result === 'matches';
  const { node, sandbox, finalStateHash, events, from, reason } = determinism;
  if ((node === null || sandbox === null || events === null || reason !== null) === isTold)
    wrong('determinism does not say what it must, or says more');
  if (isTold && (finalStateHash !== audit.finalStateHash || events !== audit.counts.events))
    wrong('determinism reached a different state than the run');
  // A replay from a snapshot shows nothing of what stands before it.
  if (from !== null) wrong('determinism begins at a snapshot');
}
