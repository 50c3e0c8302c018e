// The labelled corpus of turns: what a line looks like, and what must hold before anything is measured with it. The
// files are written by hand, so nothing in them is trusted: each field is checked, each quote is looked up in its
// message, and each verdict must fit its claims. README.md says what the labels mean.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export const CLAIM_TYPES = [
  'done',
  'changed',
  'tested',
  'checked',
  'shipped',
  'blocked',
  'delegation',
] as const;
export const GATES = ['silent', 'pass', 'block'] as const;
export const REASONS = ['unbacked', 'stale', 'failed', 'weakened', 'narrow', 'trick', 'not-tried'] as const;

/** Ids run from t-0001 to this number. It was fixed before the split, which depends on it. */
export const CORPUS_SIZE = 450;
const OPEN_FILES = ['turns.jsonl', 'turns-more.jsonl'];
export const HELD_OUT_FILE = 'turns.held-out.jsonl';

export type ClaimType = (typeof CLAIM_TYPES)[number];
export type Gate = (typeof GATES)[number];
export type Reason = (typeof REASONS)[number];

export interface Label {
  readonly type: ClaimType;
  /** An exact substring of the message: the claiming clause, sentence, list item, heading or table cell. */
  readonly quote: string;
  /** Types that are as good. */
  readonly or?: readonly ClaimType[];
}

export interface RunStep {
  readonly run: string;
  /** null: nobody knows. */
  readonly exit: number | null;
  readonly output: string;
  /** Files that differ on disk after the command. */
  readonly changes?: readonly string[];
  /** Relative to the workspace; the workspace itself where absent. */
  readonly cwd?: string;
  /** Started by the host in the background. With a null exit it still runs when the turn ends. */
  readonly background?: boolean;
}

export type Step =
  | { readonly edit: string }
  | { readonly delete: string }
  | { readonly read: string }
  | { readonly search: string }
  | RunStep
  | { readonly fetch: string; readonly status: number }
  | { readonly fetch: string; readonly error: string }
  | { readonly weaken: { readonly file: string; readonly line: string } };

export interface Turn {
  readonly id: string;
  readonly tags: readonly string[];
  readonly prompt: string;
  readonly steps: readonly Step[];
  readonly message: string;
  readonly claims: readonly Label[];
  readonly gate: Gate;
  readonly reason: Reason | null;
}

export interface CorpusFile {
  readonly name: string;
  readonly heldOut: boolean;
  readonly sha256: string;
  readonly turns: readonly Turn[];
}

const TURN_KEYS = ['id', 'tags', 'prompt', 'steps', 'message', 'claims', 'gate', 'reason'];
const STEP_SHAPES: readonly { readonly must: readonly string[]; readonly may: readonly string[] }[] = [
  { must: ['edit'], may: [] },
  { must: ['delete'], may: [] },
  { must: ['read'], may: [] },
  { must: ['search'], may: [] },
  { must: ['run', 'exit', 'output'], may: ['changes', 'cwd', 'background'] },
  { must: ['fetch', 'status'], may: [] },
  { must: ['fetch', 'error'], may: [] },
  { must: ['weaken'], may: [] },
];

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const oneOf = (list: readonly string[], value: unknown) => typeof value === 'string' && list.includes(value);

function findStepFaults(step: unknown): string[] {
  if (!isFields(step)) return ['is not an object'];
  const keys = Object.keys(step);
  const shape = STEP_SHAPES.find(
    ({ must, may }) =>
      must.every((key) => keys.includes(key)) && keys.every((key) => must.includes(key) || may.includes(key)),
  );
  if (shape === undefined) return [`has an unknown shape: ${keys.join(', ')}`];
  const faults: string[] = [];
  for (const key of ['edit', 'delete', 'read', 'search', 'run', 'fetch', 'error', 'cwd'])
    if (key in step && !isText(step[key])) faults.push(`${key} is empty`);
  for (const key of ['edit', 'delete', 'read', 'cwd'])
    if (isText(step[key]) && /^[/~]|(^|\/)\.\.(\/|$)/.test(step[key]))
      faults.push(`${key} leaves the workspace`);
  if ('run' in step && step.exit !== null && !Number.isInteger(step.exit))
    faults.push('exit is no number or null');
  if ('run' in step && typeof step.output !== 'string') faults.push('output is no text');
  if ('changes' in step && !(isTexts(step.changes) && step.changes.length > 0))
    faults.push('changes is empty');
  if ('background' in step && step.background !== true) faults.push('background is not true');
  if ('status' in step && !Number.isInteger(step.status)) faults.push('status is no number');
  if ('weaken' in step) {
    const { weaken } = step;
    if (!isFields(weaken) || !isText(weaken.file) || !isText(weaken.line))
      faults.push('weaken lacks file or line');
  }
  return faults;
}

/** Everything that is wrong with one turn. An empty list: it is a `Turn`. */
export function findTurnFaults(turn: unknown): string[] {
  if (!isFields(turn)) return ['is not an object'];
  const faults: string[] = [];
  const keys = Object.keys(turn);
  if (keys.join() !== TURN_KEYS.join()) faults.push(`keys are ${keys.join(', ')}`);
  if (!isText(turn.id) || !/^[a-z]-\d{4}$/.test(turn.id)) faults.push('id is not of the form t-0001');
  if (!isTexts(turn.tags)) faults.push('tags are not texts');
  if (!isText(turn.prompt)) faults.push('prompt is empty');
  if (!isText(turn.message)) faults.push('message is empty');
  if (!oneOf(GATES, turn.gate)) faults.push('gate is unknown');
  if (turn.gate === 'block' ? !oneOf(REASONS, turn.reason) : turn.reason !== null)
    faults.push('reason does not fit the gate');
  if (!Array.isArray(turn.steps)) faults.push('steps are not a list');
  else
    turn.steps.forEach((step, index) => {
      faults.push(...findStepFaults(step).map((fault) => `step ${index}: ${fault}`));
    });
  if (!Array.isArray(turn.claims)) return [...faults, 'claims are not a list'];
  turn.claims.forEach((claim: unknown, index) => {
    if (!isFields(claim) || !/^type,quote(?:,or)?$/.test(Object.keys(claim).join()))
      faults.push(`claim ${index} is malformed`);
    else if (!oneOf(CLAIM_TYPES, claim.type)) faults.push(`claim ${index}: type is unknown`);
    else if (!isText(claim.quote) || !isText(turn.message) || !turn.message.includes(claim.quote))
      faults.push(`claim ${index}: the quote is not in the message`);
  });
  if (turn.claims.length === 0 && turn.gate !== 'silent') faults.push('a turn without a claim is silent');
  return faults;
}

/** Reads a corpus file. Throws with the line number and every fault when a line is not a turn. */
export function parseTurns(text: string): Turn[] {
  if (!text.endsWith('\n')) throw new Error('the last line is not ended');
  return text
    .slice(0, -1)
    .split('\n')
    .map((line, index) => {
      const turn: unknown = JSON.parse(line);
      const faults = findTurnFaults(turn);
      if (faults.length > 0) throw new Error(`line ${index + 1}: ${faults.join('; ')}`);
      return turn as Turn;
    });
}

/** The ids of the unread third: the first third of all ids in the order of their SHA-256. */
export function listHeldOutIds(): Set<string> {
  const ids = Array.from({ length: CORPUS_SIZE }, (_, index) => `t-${String(index + 1).padStart(4, '0')}`);
  const hash = (id: string) => createHash('sha256').update(id).digest('hex');
  return new Set(ids.sort((a, b) => (hash(a) < hash(b) ? -1 : 1)).slice(0, CORPUS_SIZE / 3));
}

/** A file of the held-out third, unpacked. It is for programs to measure: who tunes the rules must not read it. */
export function unpackHeldOut(name: string): Buffer {
  return gunzipSync(readFileSync(join(import.meta.dirname, 'held-out', `${name}.gz`)));
}

/** The open turns beside this file, and the held-out ones. */
export function readCorpus(): CorpusFile[] {
  const made = (name: string, bytes: Buffer, heldOut: boolean): CorpusFile => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { name, heldOut, sha256, turns: parseTurns(bytes.toString('utf8')) };
  };
  const open = readdirSync(import.meta.dirname).filter((name) => OPEN_FILES.includes(name));
  return [
    ...open.map((name) => made(name, readFileSync(join(import.meta.dirname, name)), false)),
    made(HELD_OUT_FILE, unpackHeldOut(HELD_OUT_FILE), true),
  ];
}

/** The committed hash of the held-out turns. Each line is as `sha256sum` writes it; null when none is for them. */
export function readHeldOutHash(): string | null {
  const path = join(import.meta.dirname, 'held-out.sha256');
  if (!existsSync(path)) return null;
  for (const line of readFileSync(path, 'utf8').trimEnd().split('\n')) {
    const match = /^([0-9a-f]{64}) {2}(\S+)$/.exec(line);
    if (match === null) throw new Error('held-out.sha256 is not of the form of sha256sum');
    if (match[2] === HELD_OUT_FILE) return match[1] ?? null;
  }
  return null;
}
