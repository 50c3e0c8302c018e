// foil audit: a ledger, or one session of it, with every hash made again, in the lines that auditors know. The verdict is
// that of `foil verify`; this says it in fewer words, and adds what only the kept content can tell.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openToRead } from '../../app/index.ts';
import { isHash, UsageError } from '../../core/index.ts';
import { type ContentRef, type Entry, GENESIS, GIT_DIR, MAX_CONTENT } from '../../format/index.ts';
import type { Ledger, Located } from '../../ledger/index.ts';
import {
  type AuditedSession,
  answerOf,
  contentReader,
  type Integrity,
  type LedgerAudit,
  parseLine,
  parseSessionPrefix,
  readEntry,
  readSalt,
  renderLedgerAudit,
  renderSessionAudit,
  type Session,
  scanLines,
  suggest,
  visitSession,
} from '../../report/index.ts';
import {
  type AuditedContent,
  auditSession,
  CODES,
  compareWithGit,
  type Finding,
  type GitAgreement,
  type GitEvidence,
  type Report,
} from '../../verify/index.ts';
import { auditRun, RUN_AUDIT_OPTIONS } from '../audit-run.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';
import { place } from '../place.ts';
import { HELD, networkHere } from '../verifier-options.ts';
import { exitOf, verifyHere } from '../verify-ledger.ts';

export const audit: Command = {
  name: 'audit',
  summary: 'check the ledger, all hashes of a session, or a run against the sixteen points of an audit',
  usage: 'verify | session ID | [run] ID [options]',
  arguments: [1, 3],
  options: { ...HELD, ...RUN_AUDIT_OPTIONS },
  examples: [
    'foil audit verify',
    'foil audit session a7f3b8e4',
    'foil audit session a7f3b8e4 --ledger /backup/ledger --key counterfoil/9d5e…+1f2e3d4c+AV64…',
    'foil audit run 9d5e',
    'foil audit run 9d5e --verify-hashes --check-capabilities --verify-patches',
    'foil audit run 9d5e --trace-memory sum --at 42',
    'foil audit run 9d5e --full-report > audit_report.txt',
  ],
  notes: [
    'Without options, `run` answers pass, fail or unknown for each of the sixteen points. It exits with 5 if one fails, and 4',
    "if the ledger is broken. A point that can't be decided here is unknown. It replays the run if there is a sandbox.",
  ],
  run,
};

type Action = (context: Context, given: string | undefined, more: string | undefined) => Promise<Outcome>;

const ACTIONS: Readonly<Record<string, Action>> = { verify: auditVerify, session: auditOne, run: auditRun };

async function run(context: Context): Promise<Outcome> {
  const words = context.arguments;
  // The beginning of an id by itself is that of a run.
  const [name = '', given, more, ...rest] = /^[0-9a-f]+$/.test(words[0] ?? '') ? ['run', ...words] : words;
  if (rest.length > 0) throw new UsageError(`Unexpected argument "${rest[0]}".`);
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined)
    throw new UsageError(
      `Unknown subcommand "${name}". Use verify, session or run${suggest(name, Object.keys(ACTIONS))}`,
    );
  const foreign = Object.keys(RUN_AUDIT_OPTIONS).find((option) => isGiven(context, option));
  if (action !== auditRun && foreign !== undefined)
    throw new UsageError(`Only \`foil audit run\` takes --${foreign}.`);
  if (action !== auditRun && more !== undefined) throw new UsageError(`Unexpected argument "${more}".`);
  return action(context, given, more);
}

function isGiven({ values }: Context, option: string): boolean {
  return option === 'at' ? values.text(option) !== undefined : values.flag(option);
}

async function auditVerify(context: Context, given: string | undefined): Promise<Outcome> {
  if (given !== undefined)
    throw new UsageError(`Unexpected argument "${given}". Use --ledger DIR to name another ledger.`);
  const located = place(context);
  const report = await verifyHere(context, located.directory);
  const genesis = await firstPrevHash(located);
  const isGenesis = genesis === GENESIS;
  const found: LedgerAudit = { genesis, isGenesis, integrity: report.valid ? 'VALID' : 'BROKEN', report };
  const { counts, facets, verdict } = report;
  return {
    json: {
      genesis,
      entries: counts.entries,
      chain_integrity: found.integrity,
      btc_anchors: counts.anchors,
      sessions: counts.sessions,
      verdict,
      facets,
    },
    text: renderLedgerAudit(found),
    exit: exitOf(report),
  };
}

/** Of the first entry; null where there is none that can be read. */
async function firstPrevHash(located: Located): Promise<string | null> {
  const ledger = openToRead(located);
  try {
    return (await readEntry(ledger.store, 1))?.prev_hash ?? null;
  } catch {
    return null;
  } finally {
    await ledger.close();
  }
}

async function auditOne(context: Context, given: string | undefined): Promise<Outcome> {
  if (given === undefined)
    throw new UsageError(
      "Which session? Use `foil audit session ID`. ID is the beginning of the session's id.",
    );
  const prefix = parseSessionPrefix(given);
  const located = place(context);
  const ledger = openToRead(located);
  try {
    // Before the entries are read: a commit is made after its entry.
    const git = await gitEvidence(located.directory);
    const { seq: to } = await ledger.store.head();
    const session = await visitSession(ledger.store, to, prefix, () => undefined);
    const seqs = new Set<number>();
    const found = await auditSession(session.id, entriesOf(ledger, session, to, seqs), {
      salt: await saltOf(ledger, session.id),
      content: contentOf(ledger, located, session.id),
      network: await networkHere(context),
    });
    const report = await verifyHere(context, located.directory);
    const agreement = git === undefined ? null : compareWithGit(found, git);
    const audited = judged(found, report, seqs, agreement);
    return { json: asJson(audited), text: renderSessionAudit(audited), exit: exitOfSession(audited) };
  } finally {
    await ledger.close();
  }
}

/** Facets that break every session of the ledger, whatever they find. */
const OF_THE_LEDGER = ['integrity', 'truncation', 'identity'] as const;
/** And those whose findings are each about one. */
const OF_SESSIONS = ['sessions', 'time'] as const;

function judged(
  found: AuditedSession['audit'],
  report: Report,
  seqs: ReadonlySet<number>,
  git: GitAgreement | null,
): AuditedSession {
  const failing = ({ code }: Finding): boolean => CODES[code].level === 'fail';
  const told = new Set(found.findings.map(({ code, seq }) => `${code} ${seq}`));
  const whole = OF_THE_LEDGER.flatMap((name) => report.facets[name].findings).filter(failing);
  const own = OF_SESSIONS.flatMap((name) => report.facets[name].findings).filter(
    ({ code, seq }) => seq !== null && seqs.has(seq) && !told.has(`${code} ${seq}`),
  );
  // Branches that were moved are known to the whole verification alone.
  const isMoved = own.some((finding) => finding.code.startsWith('GIT_') && failing(finding));
  const agreement = git !== null && isMoved ? { ...git, status: 'disagrees' as const } : git;
  // Content that is not what it should be is not handed out: to the audit it was not there.
  const isDamage = ({ code, seq, file }: Finding): boolean =>
    (code === 'CONTENT_MISMATCH' && seq !== null && seqs.has(seq)) ||
    (code === 'PACK_DAMAGED' && file?.includes(found.session) === true);
  const { hashes } = found;
  const damaged = Math.min(hashes.notKept, whole.filter(isDamage).length);
  const counted = { ...hashes, wrong: hashes.wrong + damaged, notKept: hashes.notKept - damaged };
  const isBroken =
    found.chain === 'BROKEN' ||
    git?.status === 'disagrees' ||
    whole.length > 0 ||
    report.entries === 0 ||
    own.some(failing);
  const integrity: Integrity = isBroken ? 'BROKEN' : 'VALID';
  const levelled = own.map((finding) => ({ ...finding, level: CODES[finding.code].level }));
  const audited = { ...found, hashes: counted };
  // What the whole ledger's keys and end leave open is open for each of its sessions.
  const open = OF_THE_LEDGER.flatMap((name) => report.facets[name].findings).filter(
    ({ code }) => CODES[code].level === 'unknown',
  );
  const besides = open.map((finding) => ({ ...finding, level: CODES[finding.code].level }));
  const findings = [...found.findings, ...levelled, ...whole, ...besides];
  // Something else in this ledger may be broken, which is none of this session's business, and worth knowing.
  const elsewhere = integrity === 'VALID' && report.verdict === 'BROKEN' ? report.sentence : null;
  return { audit: audited, integrity, findings, git: agreement, elsewhere };
}

function exitOfSession({ integrity, audit: { hashes } }: AuditedSession): number {
  return integrity === 'BROKEN' || hashes.wrong > 0 ? EXIT.BROKEN : EXIT.FINE;
}

function asJson({ audit: found, integrity, findings, git, elsewhere }: AuditedSession): unknown {
  const { session, state, startBlock, lateBlock, closing, interactions, branch, authKey, hashes, turns } =
    found;
  return {
    session,
    state,
    start_btc: startBlock,
    late_btc: lateBlock,
    end_btc: closing?.block ?? null,
    interactions,
    branch,
    auth_key: authKey,
    chain_integrity: integrity,
    all_hashes_verified: answerOf(hashes),
    hashes,
    git,
    turns: turns.map(({ sequence, seq, time, model, ...of }) => ({
      sequence,
      seq,
      time,
      prompt_hash: of.promptHash,
      response_hash: of.responseHash,
      chain_hash: of.chainHash,
      model,
    })),
    final_hash: closing?.finalHash ?? null,
    elsewhere,
    findings,
  };
}

/** Those of the session, and the ledger's tombstones. Notes which seqs are its own. */
async function* entriesOf(
  { store }: Ledger,
  { id, first_seq: from }: Session,
  to: number,
  seqs: Set<number>,
): AsyncGenerator<Entry> {
  for await (const lines of scanLines(store, from, to))
    for (const line of lines) {
      if (line.session !== id && !(line.session === null && line.kind === 'erase')) continue;
      if (line.session === id) seqs.add(line.seq);
      const entry = parseLine(line);
      if (entry !== undefined) yield entry;
    }
}

function contentOf(
  ledger: Ledger,
  located: Located,
  session: string,
): (ref: ContentRef) => Promise<AuditedContent> {
  const read = contentReader(ledger, located);
  return async (ref) => {
    const found = await read(session, ref, MAX_CONTENT);
    if (found.state === 'kept') return found.bytes;
    return found.state === 'encrypted' || found.state === 'unsalted' ? 'sealed' : 'absent';
  };
}

/** Loaded where there is a repository: it brings along all that runs git. */
async function gitEvidence(directory: string): Promise<GitEvidence | undefined> {
  if (!existsSync(join(directory, GIT_DIR))) return undefined;
  const { readGitEvidence } = await import('../../anchor/git/index.ts');
  return readGitEvidence(directory);
}

/** Undefined where it was erased, or never made. */
async function saltOf(ledger: Ledger, session: string): Promise<Uint8Array | undefined> {
  if (!isHash(session)) return undefined;
  try {
    return await readSalt(ledger, session);
  } catch {
    return undefined; // `foil verify` has words for that
  }
}
