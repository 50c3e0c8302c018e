// A verification from beginning to end. It reads the directory, hands out runs of lines, takes back what checkLines
// says of each, in order, and ends in a report. Whoever drives it decides where checkLines runs: verifyLedger here on
// one thread, the ledger room on several. Memory does not grow with the number of entries.
import {
  assertVerifierKeys,
  encodeVerifierKey,
  HASH_SIZE,
  ParseError,
  type VerifierKey,
} from '../core/index.ts';
import { type Entry, parseArchive, parseGap, readAcceptedEntry, SEGMENT_DIR } from '../format/index.ts';
import { PATCH_KINDS } from '../policy/index.ts';
import { ArchiveCheck } from './archive-check.ts';
import { AUTHORITY_KINDS, AuthorityCheck } from './authority-check.ts';
import { BlindTimes } from './blind-times.ts';
import type { Network } from './block-judge.ts';
import { CheckpointCheck } from './checkpoint-check.ts';
import { COMPLETENESS_KINDS, CompletenessCheck } from './completeness-check.ts';
import { ContentCheck } from './content-check.ts';
import { EraseCheck } from './erase-check.ts';
import { type Evidence, readEvidence } from './evidence.ts';
import { EVIDENCE_KINDS, EvidenceCheck } from './evidence-check.ts';
import type { Files } from './files.ts';
import { Findings } from './findings.ts';
import { GitCheck, type GitEvidence } from './git-check.ts';
import { HeadCheck } from './head-check.ts';
import { IdentityCheck } from './identity-check.ts';
import type { LinesOptions, LinesResult, PickedLine } from './lines.ts';
import { type Joined, LogCheck } from './log-check.ts';
import { PatchCheck } from './patch-check.ts';
import { RECEIPT_KINDS, ReceiptCheck } from './receipt-check.ts';
import { type Mark, makeReport, type Report } from './report.ts';
import { RUN_KINDS, RunCheck, readRunKey } from './run-check.ts';
import { type Run, readRuns } from './runs.ts';
import { SessionSums } from './session-sums.ts';
import { SESSION_KINDS, SessionsCheck } from './sessions-check.ts';
import { type BlockAt, STAMP_KINDS, StampCheck } from './stamp-check.ts';
import { TIME_KINDS, TimeCheck } from './time-check.ts';
import { TreeCheck } from './tree-check.ts';

export interface VerifyOptions {
  /** Keys the verifier pinned for this very ledger: each must be one of its keys. */
  readonly keys?: readonly VerifierKey[];
  /** Keys the verifier trusts in general: those named after this ledger count as pinned. */
  readonly trusted?: readonly VerifierKey[];
  /** Operators' keys that the verifier pinned: they may accept grants, and enrol and revoke others. */
  readonly operators?: readonly VerifierKey[];
  /** Signed notes that the verifier kept elsewhere: the log must continue them. */
  readonly keptCheckpoints?: readonly Uint8Array[];
  /** OpenTimestamps proofs that the verifier kept elsewhere: each must be of a checkpoint of this ledger. */
  readonly keptStamps?: readonly Uint8Array[];
  /** Blocks that the verifier has, by height, for stamps that lie here without. They are checked like all others. */
  readonly blockAt?: BlockAt;
  /** The chain whose blocks count (`main`). Blocks of `regtest` cost nothing: for trying things out. */
  readonly network?: Network;
  /** What the ledger's git repository held, read before this begins; absent: nothing is said of it. */
  readonly git?: GitEvidence;
  /** Marks that must reach over the whole range asked for. */
  readonly require?: readonly Mark[];
  /** Last entry of that range; by default the newest session.end, else the last entry. */
  readonly requireTo?: number;
  /** False leaves content, packs and salts alone. */
  readonly content?: boolean;
  /** Called now and then with the number of entries seen. */
  readonly progress?: (entries: number) => void;
}

const KINDS = [
  'ledger.open',
  'key.rotate',
  'gap',
  'archive',
  'erase',
  'session.end',
  ...EVIDENCE_KINDS,
  ...RECEIPT_KINDS,
  ...COMPLETENESS_KINDS,
  ...AUTHORITY_KINDS,
  ...RUN_KINDS,
  ...PATCH_KINDS,
  ...SESSION_KINDS,
  ...TIME_KINDS,
  ...STAMP_KINDS,
];
/** Kinds that carry a checkpoint over all entries before them. */
const SEALED_KINDS: ReadonlySet<string> = new Set(['key.rotate', 'erase']);
const MAX_UNKNOWN_KINDS = 32;
const MAX_KINDS = 1024;

export class Verification {
  /** What checkLines needs to know. Plain data: it may be sent to a worker. */
  readonly lines: LinesOptions;
  readonly #files: Files;
  readonly #options: VerifyOptions;
  readonly #evidence: Evidence;
  readonly #findings = new Findings();
  readonly #log: LogCheck;
  readonly #head: HeadCheck;
  readonly #tree: TreeCheck;
  readonly #identity = new IdentityCheck(this.#findings);
  readonly #checkpoints: CheckpointCheck;
  readonly #archives: ArchiveCheck;
  readonly #content: ContentCheck;
  readonly #erasures = new EraseCheck(this.#findings, this.#identity);
  readonly #claims: EvidenceCheck;
  readonly #receipts: ReceiptCheck;
  readonly #blind = new BlindTimes(this.#findings);
  readonly #completeness = new CompletenessCheck(this.#findings, {}, this.#blind);
  readonly #authority: AuthorityCheck;
  readonly #runChecks: RunCheck;
  readonly #patches: PatchCheck;
  readonly #sums = new SessionSums();
  readonly #sessions = new SessionsCheck(this.#findings, { sums: this.#sums });
  readonly #git: GitCheck | undefined;
  readonly #stamps: StampCheck;
  readonly #time: TimeCheck;
  readonly #kinds = new Set<string>();
  readonly #unknownKinds = new Set<string>();
  /** Files whose torn rest a gap was found to describe. */
  readonly #torn = new Set<string>();
  #opened = false;
  #newestEnd = 0;
  /** Time of the first entry that no checkpoint covers. */
  #unsealedSince: string | undefined;

  private constructor(files: Files, options: VerifyOptions, evidence: Evidence) {
    this.#files = files;
    this.#options = options;
    this.#evidence = evidence;
    this.#log = new LogCheck(evidence, this.#findings);
    this.#head = new HeadCheck(evidence, this.#findings);
    const operators = (options.operators ?? []).map((key) => encodeVerifierKey(key));
    this.#authority = new AuthorityCheck(this.#findings, this.#identity, operators);
    this.#tree = new TreeCheck(files, evidence, this.#findings);
    const { keptCheckpoints: kept = [], keptStamps = [], blockAt, network = 'main' } = options;
    const stampOptions = { network, blockAt, kept: keptStamps };
    this.#git = options.git === undefined ? undefined : new GitCheck(options.git, this.#findings);
    this.#stamps = new StampCheck(files, this.#findings, evidence.stamps, stampOptions);
    this.#time = new TimeCheck(this.#findings, network, evidence.stamps);
    this.#checkpoints = new CheckpointCheck(
      files,
      evidence,
      this.#findings,
      this.#identity,
      this.#stamps,
      kept,
    );
    this.#archives = new ArchiveCheck(files, this.#findings, evidence.segments);
    this.#content = new ContentCheck(files, this.#findings);
    this.#runChecks = new RunCheck(this.#findings);
    this.#claims = new EvidenceCheck(this.#findings, this.#identity, this.#blind, this.#authority);
    this.#receipts = new ReceiptCheck(this.#findings, this.#identity);
    this.#patches = new PatchCheck(this.#findings, this.#identity, this.#authority);
    const { head, sealed } = evidence;
    this.lines = {
      kinds: KINDS,
      seqs: [1, sealed + 1, ...(head.state === 'good' ? [head.position.seq] : [])],
    };
  }

  static async open(files: Files, options: VerifyOptions = {}): Promise<Verification> {
    assertVerifierKeys([...(options.keys ?? []), ...(options.trusted ?? [])]);
    return new Verification(files, options, await readEvidence(files));
  }

  /** The lines to check, in order. Reading may run ahead of add. */
  runs(): AsyncGenerator<Run> {
    return readRuns(this.#files, this.#evidence.segments);
  }

  /** What checkLines says of a run; in the order of runs(), the next only after this has resolved. */
  async add(run: Run, result: LinesResult): Promise<void> {
    for (const kind of result.unknownKinds) {
      if (this.#unknownKinds.size < MAX_UNKNOWN_KINDS) this.#unknownKinds.add(kind);
    }
    for (const kind of result.kinds) if (this.#kinds.size < MAX_KINDS) this.#kinds.add(kind);
    for (const joined of this.#log.add(run, result)) await this.#joined(joined);
    if (run.ending !== undefined) this.#ending(run, run.ending);
    this.#head.run(run);
    this.#options.progress?.(this.#log.lines);
  }

  async finish(): Promise<Report> {
    for (const joined of this.#log.finish()) await this.#joined(joined);
    const findings = this.#findings;
    const entries = this.#log.lines;
    if (entries === 0) findings.add('EMPTY_LOG', null, 'there are no entries', SEGMENT_DIR);
    else if (!this.#opened) findings.add('NOT_A_LEDGER', 1, 'no readable entry opens this ledger');
    await this.#tree.finish();
    await this.#checkpoints.finish(entries);
    await this.#archives.finish(this.#evidence.segments);
    for (const path of this.#evidence.folders)
      findings.add('ARCHIVE_FOREIGN', null, 'this is a directory with the name of a gzipped segment', path);
    if (this.#options.content !== false) await this.#content.finish(entries);
    this.#claims.finish(this.#kinds);
    this.#receipts.finish();
    this.#completeness.finish();
    this.#authority.finish();
    this.#runChecks.finish();
    this.#sessions.finish();
    this.#git?.finish();
    await this.#stamps.finish();
    this.#time.finish(this.#stamps.proofs, entries);
    this.#head.finish(this.#log.lastSeq);
    this.#identity.noteStrangers();
    for (const path of this.#evidence.unknown)
      findings.add('FILE_UNKNOWN', null, "this file doesn't belong to a ledger, so it was not read", path);
    const unsealed = entries - Math.min(entries, this.#checkpoints.sealed);
    if (unsealed > 0) this.#noteUnsealed(unsealed, entries);
    const { keys = [], trusted = [] } = this.#options;
    const signedTo = this.#identity.signedTo(keys, trusted);
    const { checked, absent, unsalted, erasedCount, tornPackBytes } = this.#content;
    const { calls } = this.#runChecks;
    return makeReport({
      findings,
      origin: this.#identity.origin,
      counts: {
        entries,
        segments: this.#evidence.segments.length,
        checkpoints: this.#checkpoints.checkpoints,
        tiles: this.#tree.tiles,
        unsealed,
        contentChecked: checked,
        contentAbsent: absent,
        contentUnsalted: unsalted,
        contentErased: erasedCount,
        tornBytes: this.#log.tornBytes,
        tornPackBytes,
        ...this.#claims.counts,
        ...this.#receipts.counts,
        ...this.#completeness.counts,
        callsJudged: this.#authority.counts.callsJudged + calls.judged,
        callsDenied: this.#authority.counts.callsDenied + calls.denied,
        ...this.#runChecks.counts,
        ...this.#patches.counts,
        ...this.#sessions.counts,
        anchors: this.#time.anchors,
        stamps: this.#stamps.proofs.length,
      },
      callsUnnamed: this.#completeness.unnamed,
      callsOfRuns: calls.judged - calls.denied + calls.unread,
      callsUnread: calls.unread,
      callsUngranted: this.#authority.unjudged,
      unknownKinds: [...this.#unknownKinds].sort(),
      signedTo,
      anchor: this.#stamps.reach,
      interval: this.#time.interval,
      network: this.#options.network ?? 'main',
      pinned: keys.length > 0 || trusted.some(({ name }) => name === this.#identity.origin),
      kept: this.#checkpoints.keptHolds,
      requiredMarks: this.#options.require ?? [],
      requireTo: this.#options.requireTo ?? (this.#newestEnd || entries),
    });
  }

  async #joined({ run, leaves, sessions, picked }: Joined): Promise<void> {
    const size = this.#tree.size + leaves.length / HASH_SIZE;
    const entries = picked.map(({ line, seq }) => atPlace(readAcceptedEntry(line), seq));
    const carried = entries.filter(({ kind }) => SEALED_KINDS.has(kind)).map(({ seq }) => seq - 1);
    const roots = this.#tree.push(leaves, new Set([...this.#checkpoints.wanted(size), ...carried]));
    this.#sums.run(sessions, leaves);
    for (const [i, entry] of entries.entries()) {
      const line = picked[i];
      if (line !== undefined) await this.#entry(entry, line, run, roots);
    }
    await this.#tree.compare();
    await this.#checkpoints.reached(size, roots);
  }

  async #entry(
    entry: Entry,
    { index, offset, line, hasContent }: PickedLine,
    run: Run,
    roots: ReadonlyMap<number, Uint8Array>,
  ): Promise<void> {
    const { seq, kind } = entry;
    if (seq === 1 || kind === 'ledger.open') this.#open(entry);
    if (seq === this.#evidence.sealed + 1) this.#unsealedSince ??= entry.ts;
    if (kind === 'key.rotate') this.#identity.rotate(entry, roots.get(seq - 1));
    else if (kind === 'erase')
      for (const session of this.#erasures.entry(entry, roots.get(seq - 1))) this.#content.erased(session);
    else if (kind === 'session.end') this.#newestEnd = Math.max(this.#newestEnd, seq);
    else if (kind === 'gap') this.#gap(entry);
    else if (kind === 'archive')
      this.#parsed(entry, () => this.#archives.record(parseArchive(entry.payload), seq));
    this.#claims.entry(entry, line.length);
    this.#receipts.entry(entry);
    this.#completeness.entry(entry);
    this.#authority.entry(entry);
    const key = this.#runChecks.wantsKey(entry) ? await this.#runKey(entry) : null;
    this.#runChecks.entry(entry, { key });
    const effect = this.#patches.entry(entry);
    if (effect !== null) this.#runChecks.patched(effect, seq);
    this.#sums.upTo(index);
    this.#sessions.entry(entry);
    this.#git?.entry(entry);
    this.#time.entry(entry);
    this.#stamps.entry(entry);
    this.#head.entry(entry, run, run.offset + offset + line.length + 1);
    if (hasContent && this.#options.content !== false) await this.#content.entry(entry);
  }

  async #runKey({ session_id: session }: Entry): Promise<Uint8Array | null> {
    return session === null ? null : readRunKey(this.#files, session);
  }

  #open(entry: Entry): void {
    if (this.#opened) {
      this.#findings.add(
        'NOT_A_LEDGER',
        entry.seq,
        `entry ${entry.seq} opens another ledger within this one`,
      );
    } else this.#identity.open(entry);
    this.#opened = true;
  }

  #gap(entry: Entry): void {
    this.#parsed(entry, () => {
      const gap = parseGap(entry.payload);
      if (gap.reason === 'lost') {
        const what = gap.from === gap.to ? `entry ${gap.from} had` : `entries ${gap.from}–${gap.to} had`;
        const text = `${what} been acknowledged and ${gap.from === gap.to ? 'was' : 'were'} lost by storage`;
        this.#findings.add('ENTRIES_LOST', entry.seq, text);
      } else if (gap.reason === 'torn' && !this.#torn.has(`${gap.file} ${entry.seq}`)) {
        const text = 'the gap is not where writing continued after the bytes that it names';
        this.#findings.add('GAP_MISMATCH', entry.seq, text, `${SEGMENT_DIR}/${gap.file}`);
      }
    });
  }

  #parsed(entry: Entry, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      this.#findings.add('BAD_MEMBER', entry.seq, error.message);
    }
  }

  #ending(run: Run, { gap, tornBytes, tornSha256, broken }: NonNullable<Run['ending']>): void {
    const path = this.#evidence.segments[run.segment]?.path ?? '';
    if (broken !== undefined)
      this.#findings.add('ARCHIVE_MISMATCH', null, `can't be unzipped: ${broken}`, `${path}.gz`);
    if (gap === undefined) return;
    this.#torn.add(`${gap.file} ${gap.seq}`);
    if (gap.offset === 0) this.#log.tornSegment(run);
    if (gap.bytes === tornBytes && gap.sha256 === tornSha256) return;
    const text = `entry ${gap.seq} says that ${gap.bytes} bytes from offset ${gap.offset} are torn, but they are different bytes`;
    this.#findings.add('GAP_MISMATCH', gap.seq, text, path);
  }

  #noteUnsealed(unsealed: number, entries: number): void {
    const since = this.#checkpoints.sealed === this.#evidence.sealed ? this.#unsealedSince : undefined;
    const what =
      unsealed === 1 ? `entry ${entries} is` : `${unsealed} entries from ${entries - unsealed + 1} are`;
    const text = `${what} not under a checkpoint yet${since === undefined ? '' : `, since ${since}`}`;
    this.#findings.add('UNSEALED', entries - unsealed + 1, text);
  }
}

/** What was changed does not say which entry it is: its place does. */
function atPlace(entry: Entry, seq: number): Entry {
  return entry.seq === seq ? entry : { ...entry, seq };
}
