// Judges all transcripts that were found and counts: sessions, turns, claims by what became of them, by agent, model,
// project and week, the claims that are worth a look first, and what was done without a word. What a resumed session
// repeats is counted once.
import type { ClaimStatus, ClaimType } from '../format/index.ts';
import { type ClaimCounts, CountsBy, count, noCounts, weekOf } from './scan-counts.ts';
import {
  type FoundClaim,
  type FoundDeed,
  type FoundTurn,
  foundIn,
  type ListedClaim,
  redacted,
  redactedText,
} from './scan-file.ts';
import { ClaimIds } from './scan-ids.ts';
import { type PartAsked, type ScannedPart, scanInThreads, threadsFor } from './scan-threads.ts';
import type { TranscriptFile } from './transcript-files.ts';

export interface ScanResult {
  readonly files: number;
  readonly bytes: number;
  /** With at least one turn that came to an end. */
  readonly sessions: number;
  /** That came to an end: with a message that is not a call, and was not cut off. */
  readonly turns: number;
  /** Whose message claimed something that can be judged. */
  readonly turnsWithClaims: number;
  /** With at least one claim that is not settled: the gate would not have let these end. */
  readonly turnsBlocked: number;
  /** With a claim that a run contradicts, or of which nothing was found. */
  readonly turnsAccused: number;
  readonly totals: ClaimCounts;
  readonly statuses: Readonly<Partial<Record<ClaimStatus, number>>>;
  readonly types: ReadonlyMap<ClaimType, ClaimCounts>;
  readonly agents: ReadonlyMap<string, ClaimCounts>;
  /** By agent and model: `codex gpt-5.5`. */
  readonly models: ReadonlyMap<string, ClaimCounts>;
  readonly projects: ReadonlyMap<string, ClaimCounts>;
  readonly weeks: ReadonlyMap<string, ClaimCounts>;
  /** The worst first. */
  readonly worst: readonly FoundClaim[];
  /** Of claims of which the transcript can't tell, the newest that a command would settle. */
  readonly unsettled: readonly FoundClaim[];
  /** What turns also did and do not mention, newest first. */
  readonly unmentioned: readonly FoundDeed[];
  readonly unreadable: readonly string[];
}

export interface ScanOptions {
  readonly files: readonly TranscriptFile[];
  /** ISO time; earlier turns are not counted. */
  readonly since?: string | undefined;
  readonly project?: string | undefined;
  readonly worst?: number;
  /** False to read all in this thread. */
  readonly threads?: boolean;
  /** Bytes done of all. */
  readonly progress?: (done: number, total: number) => void;
  readonly interrupted?: () => boolean;
  /** Called with every claim that is not backed, redacted. */
  readonly each?: (claim: FoundClaim) => void;
  /** Called with every claim that was found, redacted. */
  readonly list?: (claim: ListedClaim) => void;
}

const WORST = 10;
const UNSETTLED = 3;
const LONGEST_COMMAND = 80;

export async function scanTranscripts(options: ScanOptions): Promise<ScanResult> {
  const { files, interrupted, each, progress } = options;
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const tally = new Tally(options);
  const asked = { project: options.project, list: options.list !== undefined };
  let done = 0;
  let scanned = 0;
  const step = (bytes: number): boolean => {
    progress?.(done + bytes, total);
    return interrupted?.() === true;
  };
  const parts = threadsFor(files) > 1 && options.threads !== false ? scanInThreads : scanHere;
  for await (const { file, turns, problem } of parts(files, asked, step)) {
    tally.begin();
    for (const turn of turns) tally.take(turn, file);
    if (problem !== null) tally.unreadable.push(`${file.path}: ${problem}`);
    scanned++;
    done += file.bytes;
    progress?.(done, total);
  }
  for (const claim of each === undefined ? [] : tally.open) each?.(redacted(claim));
  return tally.result(scanned, done);
}

/** `step` is told of the bytes that were read of what is not done yet, and says whether to stop. */
async function* scanHere(
  files: readonly TranscriptFile[],
  asked: PartAsked,
  step: (bytes: number) => boolean,
): AsyncIterable<ScannedPart> {
  for (const [index, file] of files.entries()) {
    if (step(0)) return;
    const turns: FoundTurn[] = [];
    let problem: string | null = null;
    let inFile = 0;
    const read = (count: number): void => {
      inFile += count;
    };
    try {
      for (const found of foundIn(file, { ...asked, read })) {
        if (found !== null) turns.push(found);
        else {
          // So that Ctrl-C is heard.
          await new Promise(setImmediate);
          if (step(inFile)) break;
        }
      }
    } catch (error) {
      problem = (error as Error).message;
    }
    yield { file, turns, problem };
    if (index % 16 === 15) await new Promise(setImmediate);
  }
}

class Tally {
  readonly unreadable: string[] = [];
  /** Not backed, and not excused. */
  readonly open: FoundClaim[] = [];
  readonly #options: ScanOptions;
  readonly #since: number;
  readonly #ids: ClaimIds;
  readonly #seen = new Set<string>();
  readonly #totals = noCounts();
  readonly #statuses: Partial<Record<ClaimStatus, number>> = {};
  readonly #types = new CountsBy<ClaimType>();
  readonly #agents = new CountsBy<string>();
  readonly #models = new CountsBy<string>();
  readonly #projects = new CountsBy<string>();
  readonly #weeks = new CountsBy<string>();
  readonly #deeds: FoundDeed[] = [];
  #sessions = 0;
  #turns = 0;
  #withClaims = 0;
  #blocked = 0;
  #accused = 0;
  #isCounted = false;

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#ids = new ClaimIds(options.files);
    this.#since = options.since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(options.since);
  }

  begin(): void {
    this.#isCounted = false;
  }

  take(found: FoundTurn, file: TranscriptFile): void {
    const time = found.at === null ? Number.NaN : Date.parse(found.at);
    // Without a time of its own it is as old as its file.
    if ((Number.isNaN(time) ? file.changed : time) < this.#since) return;
    if (this.#seen.has(found.key)) return;
    this.#seen.add(found.key);
    if (!this.#isCounted) this.#sessions++;
    this.#isCounted = true;
    this.#turns++;
    if (found.claims.length > 0) this.#withClaims++;
    if (found.verdict === 'block') this.#blocked++;
    for (const { id, ...claim } of found.listed)
      this.#options.list?.({ ...claim, id: id === null ? null : this.#ids.of({ ...claim, id }) });
    this.#deeds.push(...found.deeds);
    if (found.claims.some(isAccused)) this.#accused++;
    for (const claim of found.claims) {
      const { status, type, agent, model, project, at } = claim;
      this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
      count(this.#totals, claim);
      this.#types.count(type, claim);
      this.#agents.count(agent, claim);
      this.#models.count(`${agent} ${model ?? '?'}`, claim);
      this.#projects.count(project, claim);
      this.#weeks.count(weekOf(at), claim);
      if (claim.class !== null) this.open.push({ ...claim, id: this.#ids.of(claim) });
    }
  }

  result(files: number, bytes: number): ScanResult {
    return {
      files,
      bytes,
      sessions: this.#sessions,
      turns: this.#turns,
      turnsWithClaims: this.#withClaims,
      turnsBlocked: this.#blocked,
      turnsAccused: this.#accused,
      totals: this.#totals,
      statuses: this.#statuses,
      types: this.#types,
      agents: this.#agents,
      models: this.#models,
      projects: this.#projects,
      weeks: this.#weeks,
      worst: worstOf(this.open.filter(isAccused), this.#options.worst ?? WORST).map(redacted),
      unsettled: worstOf(this.open.filter(isUnsettled), UNSETTLED).map(redacted),
      unmentioned: this.#deeds.sort((a, b) => ((a.at ?? '') < (b.at ?? '') ? 1 : -1)).map(redactedDeed),
      unreadable: this.unreadable,
    };
  }
}

function isAccused({ class: of }: Pick<FoundClaim, 'class'>): boolean {
  return of === 'contradicted' || of === 'nothing_found';
}

/** One that a plain command would settle: a reader takes in no other at a glance. */
function isUnsettled({ class: of, command, sure, code }: FoundClaim): boolean {
  if (of !== 'cant_tell' || command === null || !sure || code === 'not-a-check') return false;
  return command.length <= LONGEST_COMMAND && !/["'\n]/.test(command);
}

function redactedDeed(deed: FoundDeed): FoundDeed {
  return { ...deed, detail: redactedText(deed.detail) };
}

/** A pass that a run contradicts comes before one that nobody saw, and that before work that was never checked. */
function badness({ class: of, type }: FoundClaim): number {
  const byType = { tested: 9, checked: 7, shipped: 7, done: 4, blocked: 1, delegation: 1, changed: 2 };
  return (of === 'contradicted' ? 20 : 0) + byType[type];
}

/** Of one session only the worst, unless there are too few: ten claims of one session would hide all others. */
function worstOf(claims: readonly FoundClaim[], most: number): FoundClaim[] {
  const newest = (claim: FoundClaim): string => claim.at ?? '';
  const sorted = claims
    .map((claim) => ({ claim, bad: badness(claim) }))
    .sort((a, b) => b.bad - a.bad || (newest(a.claim) < newest(b.claim) ? 1 : -1));
  const chosen = new Set<(typeof sorted)[number]>();
  const keys = [
    ({ path }: FoundClaim): string => path,
    ({ path, turn }: FoundClaim): string => `${path} ${turn}`,
  ];
  for (const keyOf of keys) {
    const taken = new Set([...chosen].map(({ claim }) => keyOf(claim)));
    for (const each of sorted) {
      const key = keyOf(each.claim);
      if (chosen.size >= most) break;
      if (!taken.has(key)) chosen.add(each);
      taken.add(key);
    }
  }
  return sorted.filter((each) => chosen.has(each)).map(({ claim }) => claim);
}
