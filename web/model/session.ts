// One session as a reader sees it: rows in lanes, claims beside what they rest on, files. Made from entries alone, with
// the content that is shown; whether they are genuine is for the verifier.
import { isObject, type Json, type JsonObject } from '../../src/core/index.ts';
import { asContentRef, type Entry, startsEncrypted, typeOfEncrypted } from '../../src/format/index.ts';
import { Attempts } from '../../src/view/attempts.ts';
import { inOneGo } from '../slices.ts';
import { describe } from './describe.ts';
import { readSteps, type Step } from './steps.ts';

export const LANES = ['user', 'model', 'tools', 'gate', 'ledger'] as const;
export type Lane = (typeof LANES)[number];
export type Tone = 'plain' | 'good' | 'bad' | 'doubt';

export interface Row {
  readonly entry: Entry;
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly lane: Lane;
  readonly title: string;
  /** One line. */
  readonly text: string;
  readonly tone: Tone;
  /** Of a subagent's; null for the session's own. */
  readonly agent: string | null;
  /** Entries that name this one as their cause. */
  readonly answers: readonly number[];
}

export interface ClaimRow {
  readonly seq: number;
  readonly type: string;
  /** As the agent wrote it; null where it is not shown. */
  readonly quote: string | null;
  readonly status: string;
  readonly tone: Tone;
  readonly reason: string | null;
  readonly command: string | null;
  readonly validator: string | null;
  /** Entries that it rests on. */
  readonly evidence: readonly number[];
  readonly gate: number;
  /** The first entry behind what it rests on that tells of a changed file; null where none does. */
  readonly changedIn: number | null;
  /** The gate refused the end of the turn, and it was tried again: another claim counts in its place. */
  isReplaced: boolean;
}

export interface FileRow {
  readonly path: string;
  readonly reads: number;
  readonly writes: number;
  readonly deletes: number;
  /** The newest entry about it. */
  readonly seq: number;
  /** No answer of the agent names it. */
  readonly unmentioned: boolean;
}

export interface SessionModel {
  readonly id: string;
  readonly agent: string;
  readonly models: readonly string[];
  readonly mode: string | null;
  readonly workspace: string | null;
  readonly started: string | null;
  readonly ended: string | null;
  readonly milliseconds: number;
  readonly counts: {
    readonly prompts: number;
    readonly calls: number;
    readonly denied: number;
    readonly failed: number;
  };
  readonly rows: readonly Row[];
  readonly bySeq: ReadonlyMap<number, Row>;
  readonly steps: readonly Step[];
  /** Which of the steps has each entry. */
  readonly stepIndex: ReadonlyMap<number, number>;
  readonly claims: readonly ClaimRow[];
  /** Those of attempts to end a turn that the gate refused, the oldest first. */
  readonly replaced: readonly ClaimRow[];
  readonly files: readonly FileRow[];
}

/** What is said of content that is not there, where it is not known to be erased. */
const NOT_SHOWN = 'not shown';

/** Content by `<algorithm>:<hash>`. */
export type Shown = ReadonlyMap<string, Uint8Array>;

/** At once: see `readSession`. */
export function sessionModel(entries: readonly Entry[], shown: Shown, absent?: string): SessionModel {
  return inOneGo(readSession(entries, shown, absent));
}

/** `absent` is what is said in the place of content that is not there. Yields whenever it may rest. */
export function* readSession(
  entries: readonly Entry[],
  shown: Shown,
  absent: string = NOT_SHOWN,
): Generator<void, SessionModel> {
  const start = entries.find(({ kind }) => kind === 'session.start');
  const end = entries.findLast(({ kind }) => kind === 'session.end' || kind === 'session.cut');
  const root = textOf(start?.payload.workspace_root);
  const bySeq = new Map<number, Row>();
  const answers = new Map<number, number[]>();
  const kinds = new Map<string, number>();
  const models = new Set<string>();
  const rows: Row[] = [];
  let failed = 0;
  for (const entry of entries) {
    const { seq, cause, kind, payload } = entry;
    // Filled by those that come later.
    const own: number[] = [];
    answers.set(seq, own);
    if (cause !== null) answers.get(cause)?.push(seq);
    const row = rowOf(entry, shown, own, root, absent);
    rows.push(row);
    bySeq.set(seq, row);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (kind === 'tool.result' && row.tone === 'bad') failed++;
    const model = textOf(payload.model);
    if (model !== null) models.add(model);
    yield;
  }
  const { steps, index } = yield* readSteps(rows);
  const claims = yield* readClaims(entries, bySeq, shown, absent);
  return {
    id: entries[0]?.session_id ?? '',
    agent: textOf(start?.payload.agent) ?? 'an agent',
    models: [...models],
    mode: textOf(start?.payload.mode),
    workspace: root,
    started: start?.ts ?? null,
    ended: end?.ts ?? null,
    milliseconds: Math.max(0, (rows.at(-1)?.at ?? 0) - (rows[0]?.at ?? 0)),
    counts: {
      prompts: kinds.get('prompt') ?? 0,
      calls: kinds.get('tool.call') ?? 0,
      denied: kinds.get('tool.denied') ?? 0,
      failed,
    },
    rows,
    bySeq,
    steps,
    stepIndex: index,
    claims: claims.filter(({ isReplaced }) => !isReplaced),
    replaced: claims.filter(({ isReplaced }) => isReplaced),
    files: yield* readFiles(entries, root, shown),
  };
}

function rowOf(
  entry: Entry,
  shown: Shown,
  answers: readonly number[],
  root: string | null,
  absent: string,
): Row {
  const { seq, ts, payload } = entry;
  const words = describe(entry, shown, absent);
  return {
    ...words,
    entry,
    seq,
    at: Date.parse(ts),
    // Paths as people say them: from the folder of the work. What was denied is named as the grants name it.
    text: root === null || entry.kind === 'tool.denied' ? words.text : words.text.replaceAll(`${root}/`, ''),
    agent: textOf(payload.agent_id),
    answers,
  };
}

const TONES: Readonly<Record<string, Tone>> = {
  backed: 'good',
  excused: 'plain',
  stale: 'doubt',
};

/** As the newest judgement of each says. */
function* readClaims(
  entries: readonly Entry[],
  bySeq: ReadonlyMap<number, Row>,
  shown: Shown,
  absent: string,
): Generator<void, ClaimRow[]> {
  const claims = new Map<number, ClaimRow>();
  const changes: number[] = [];
  const attempts = new Attempts();
  for (const entry of entries) {
    yield;
    const { kind, seq, payload } = entry;
    if (kind === 'tool.result' && changesFile(payload)) changes.push(seq);
    for (const replaced of attempts.told(entry)) {
      const claim = claims.get(replaced);
      if (claim !== undefined) claim.isReplaced = true;
    }
    if (kind !== 'gate' || !Array.isArray(payload.claims)) continue;
    const details = detailsOf(payload, shown);
    const isAbsent = asContentRef(payload.details) !== undefined && details.length === 0;
    for (const [at, judged] of payload.claims.entries()) {
      if (!isObject(judged) || typeof judged.claim !== 'number') continue;
      const claim = bySeq.get(judged.claim)?.entry.payload ?? {};
      const validation =
        typeof judged.validation === 'number' ? bySeq.get(judged.validation)?.entry.payload : undefined;
      const detail = isObject(details[at]) ? details[at] : {};
      const status = textOf(judged.status) ?? 'unknown';
      claims.set(judged.claim, {
        seq: judged.claim,
        type: textOf(claim.claim) ?? 'claim',
        quote: contentText(claim.quote, shown),
        status,
        tone: TONES[status] ?? 'bad',
        reason: isAbsent ? `The reason is ${absent}.` : textOf(detail.reason),
        command: textOf(detail.command),
        validator: textOf(validation?.validator),
        evidence: Array.isArray(validation?.evidence)
          ? validation.evidence.filter((each): each is number => typeof each === 'number')
          : [],
        gate: seq,
        changedIn: null,
        isReplaced: false,
      });
    }
  }
  const rows: ClaimRow[] = [];
  for (const claim of claims.values()) {
    yield;
    const newest = claim.evidence.reduce((a, b) => Math.max(a, b), -1);
    rows.push({ ...claim, changedIn: newest < 0 ? null : firstBehind(changes, newest) });
  }
  return rows;
}

/** The first of ascending numbers that is larger. */
function firstBehind(numbers: readonly number[], than: number): number | null {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) > than) high = middle;
    else low = middle + 1;
  }
  return numbers[low] ?? null;
}

function changesFile({ files }: JsonObject): boolean {
  return (
    Array.isArray(files) &&
    files.some((file) => isObject(file) && (WRITES.has(String(file.op)) || file.op === 'delete'))
  );
}

function detailsOf(payload: JsonObject, shown: Shown): readonly Json[] {
  const details = contentJson(payload.details, shown);
  return isObject(details) && Array.isArray(details.claims) ? details.claims : [];
}

const WRITES: ReadonlySet<string> = new Set(['write', 'edit', 'create', 'move', 'rename', 'patch']);

function* readFiles(
  entries: readonly Entry[],
  root: string | null,
  shown: Shown,
): Generator<void, FileRow[]> {
  const files = new Map<string, { reads: number; writes: number; deletes: number; seq: number }>();
  const answers: (string | null)[] = [];
  for (const { kind, seq, payload } of entries) {
    yield;
    if (kind === 'response') answers.push(contentText(payload.text, shown));
    if (kind !== 'tool.result' || !Array.isArray(payload.files)) continue;
    for (const file of payload.files) {
      if (!isObject(file) || typeof file.path !== 'string') continue;
      const path =
        root !== null && file.path.startsWith(`${root}/`) ? file.path.slice(root.length + 1) : file.path;
      const found = files.get(path) ?? { reads: 0, writes: 0, deletes: 0, seq };
      if (file.op === 'delete') found.deletes++;
      else if (WRITES.has(String(file.op))) found.writes++;
      else found.reads++;
      found.seq = seq;
      files.set(path, found);
    }
  }
  // Nobody can say what an answer that isn't shown leaves out.
  const said = answers.includes(null) ? null : answers.join('\n');
  const rows: FileRow[] = [];
  for (const [path, file] of files) {
    yield;
    const isChanged = file.writes + file.deletes > 0;
    const unmentioned = said !== null && isChanged && !said.includes(calledIn(path));
    rows.push({ path, ...file, unmentioned });
  }
  return rows;
}

/** What an answer would call it: `README.md` is "the README". */
function calledIn(path: string): string {
  const name = path.split('/').at(-1) ?? path;
  return /^([A-Z]{4,})\.\w+$/.exec(name)?.[1] ?? name;
}

export function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** One for all: making one takes longer than reading most content. */
const DECODER = new TextDecoder();

/** What is here of it is ciphertext, which nobody can read. */
export function isEncrypted(value: Json | undefined, shown: Shown): boolean {
  const ref = asContentRef(value);
  if (ref === undefined || typeOfEncrypted(ref) === undefined) return false;
  const bytes = shown.get(`${ref.algorithm}:${ref.hash}`);
  return bytes !== undefined && startsEncrypted(bytes);
}

/** The bytes that a member refers to, as text. Null where they are not shown, or can't be read. */
export function contentText(value: Json | undefined, shown: Shown): string | null {
  if (isEncrypted(value, shown)) return null;
  const ref = asContentRef(value);
  const bytes = ref === undefined ? undefined : shown.get(`${ref.algorithm}:${ref.hash}`);
  return bytes === undefined ? textOf(value) : DECODER.decode(bytes);
}

export function contentJson(value: Json | undefined, shown: Shown): Json | null {
  const text = contentText(value, shown);
  if (text === null) return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
