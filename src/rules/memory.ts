// What the gate must remember of a session to judge its next stop without reading the ledger again: the contract of the
// newest prompt, commands that were checks, files that were changed, what was tried in vain. Small, bounded, derived from
// the entries as they are written, and part of the session's state. A verifier never looks at it.

import { isCode, isDocument } from '../ecosystems/index.ts';
import type { AttemptFact, BlockLimit, Check, Contract, Exit, Grade, TestCounts } from '../format/index.ts';
import { oldCode } from './baseline.ts';
import { type Attempt, type Change, type Evidence, endsAlike, type Run, type Weakening } from './evidence.ts';
import type { ActName } from './named-acts.ts';
import { isAllowed } from './weakening-consent.ts';

export interface GateMemory {
  readonly contract: { readonly seq: number; readonly contract: Contract } | null;
  /** Oldest first; of runs that are alike only the newest. */
  readonly runs: readonly Run[];
  /** Of each file its newest change. */
  readonly changes: readonly Change[];
  readonly attempts: readonly Attempt[];
  /** Changes that a tool was to make for the newest prompt, and did not. */
  readonly unmade?: readonly Change[];
  /** All that the session's lines can have been, by the names of acts. */
  readonly acts?: readonly string[];
  /** What still runs in the background, by what the host calls it. */
  readonly background: readonly string[];
  /** How often the gate has blocked since the newest prompt. */
  readonly blocks: number;
  /** Of the words by which it blocked last, a hash: some hosts hand them to the model as a prompt. */
  readonly said?: string;
  /** Since the session began: how often it blocked, and when it did so last, in milliseconds. */
  readonly blocksInAll?: number;
  readonly blockedAt?: readonly number[];
  /** Ends of this turn in a row that hooks blocked, whoever's, as the host's word tells. */
  readonly hostBlocks?: number;
  /** A call that feeds our hooks is under way, or was: the seq of the first. */
  readonly fedBy: number | null;
  /** What a prompt asked to be skipped, removed or loosened. */
  readonly consented?: readonly string[];
  /** Seqs of the newest result, and of the newest after which the work tree was another than before; 0 for none. */
  readonly lastResult: number;
  readonly lastChange: number;
  /** Of the newest call of a tool that may act where nothing of it is recorded, as those of an MCP server do. */
  readonly lastUnseen?: number;
  /** The work tree as the last turn left it that was judged, and the entry that says so. */
  readonly left?: { readonly seq: number; readonly tree: string };
}

/** The turn was judged by this work tree. What goes on in the background may still change it. */
export function rememberTree(memory: GateMemory, seq: number, tree: string | null): GateMemory {
  return tree === null || memory.background.length > 0 ? memory : { ...memory, left: { seq, tree } };
}

/** The work tree that the agent answers for: where nothing was called since, what changed is somebody else's work. */
export function treeOf({ left, lastResult }: GateMemory, now: string | null): string | null {
  return now !== null && left !== undefined && lastResult <= left.seq ? left.tree : now;
}

/** What the user asked to be weakened stays so: the next prompt need not ask for it again. */
export function withConsent(
  memory: GateMemory,
  evidence: Evidence | null,
  told: readonly Weakening[],
): GateMemory {
  const contract = memory.contract?.contract;
  if (contract === undefined || evidence === null) return memory;
  const allowed = (evidence.weakened ?? []).filter((each) => isAllowed(each, contract));
  const consented = new Set([...(memory.consented ?? []), ...[...allowed, ...told].map(weakeningKey)]);
  return { ...memory, consented: [...consented].slice(-MOST_CONSENTED) };
}

/** What became weaker without the user's word. */
export function unconsented(
  { consented = [] }: GateMemory,
  weakened: readonly Weakening[] | null,
): Weakening[] | null {
  return weakened?.filter((each) => !consented.includes(weakeningKey(each))) ?? null;
}

function weakeningKey({ path, what, lines }: Weakening): string {
  return `${what} ${path} ${lines.length}`;
}

export const NO_MEMORY: GateMemory = {
  contract: null,
  runs: [],
  changes: [],
  attempts: [],
  background: [],
  blocks: 0,
  fedBy: null,
  lastResult: 0,
  lastChange: 0,
};

/** The state is written with every event, so few. */
const MOST_RUNS = 24;
const MOST_CHANGES = 48;
const MOST_ATTEMPTS = 24;
const MOST_BACKGROUND = 16;
const MOST_UNMADE = 8;
const MOST_CONSENTED = 32;
const MOST_ALIKE = 15;

/** Something of it may have been forgotten. */
export function isFull({ changes, attempts }: Pick<Evidence, 'changes' | 'attempts'>): boolean {
  return changes.length >= MOST_CHANGES || attempts.length >= MOST_ATTEMPTS;
}

/** Of its runs or of what was tried for this prompt, some may have been forgotten. */
export function isForgetful({ runs, attempts }: Pick<Evidence, 'runs' | 'attempts'>): boolean {
  return runs.length >= MOST_RUNS || attempts.length >= MOST_ATTEMPTS;
}

/** It is our own file, but anybody's who can write there: one of another shape counts as none. */
export function isMemory(value: unknown): value is GateMemory {
  if (typeof value !== 'object' || value === null) return false;
  const {
    runs,
    changes,
    attempts,
    background,
    acts = [],
    unmade = [],
    blocks,
    lastResult,
    lastChange,
  } = value as Record<string, unknown>;
  return (
    Number.isSafeInteger(lastResult) &&
    Number.isSafeInteger(lastChange) &&
    [runs, changes, attempts, background, acts, unmade].every(Array.isArray) &&
    (runs as Run[]).every((run) => Array.isArray(run?.checks) && typeof run.exit === 'object') &&
    [...(changes as Change[]), ...(unmade as Change[])].every((change) => typeof change?.path === 'string') &&
    typeof blocks === 'number'
  );
}

const A_PAGE: ActName = 'a look at a page of the web';

/** A new prompt: what was done stays evidence, what was tried in vain was for the one before. */
export function rememberPrompt(
  { said: _, ...memory }: GateMemory,
  seq: number,
  contract: Contract | null,
): GateMemory {
  const fetched = memory.attempts.some(({ capability }) => capability === 'fetch');
  return {
    ...memory,
    ...(fetched && { acts: [...new Set([...(memory.acts ?? []), A_PAGE])] }),
    contract: contract === null ? null : { seq, contract },
    attempts: [],
    unmade: [],
    // Whoever asks for something new does not wait for the old; not every host tells how that ended.
    background: [],
    blocks: 0,
    hostBlocks: 0,
  };
}

/**
 * Behind the count of each prompt, which rests on knowing what is a prompt: however wrong that goes, nobody is kept in a
 * turn for ever.
 */
const MOST_BLOCKS_IN_ALL = 100;
const MOST_BLOCKS_A_MINUTE = 6;
const MINUTE = 60_000;

/** Which limit keeps the gate from holding this turn once more; null where none does. `most` is how often a prompt. */
export function limitMet(memory: GateMemory, most: number, now: number): BlockLimit | null {
  const { blocks, blocksInAll = 0, blockedAt = [] } = memory;
  if (blocks >= most) return 'prompt';
  if (blocksInAll >= MOST_BLOCKS_IN_ALL) return 'session';
  return blockedAt.filter((at) => now - at < MINUTE).length < MOST_BLOCKS_A_MINUTE ? null : 'minute';
}

/** The gate holds the turn, with words of this hash. */
export function rememberBlock(memory: GateMemory, said: string, now: number): GateMemory {
  const { blocks, blocksInAll = 0, blockedAt = [] } = memory;
  return {
    ...memory,
    said,
    blocks: blocks + 1,
    blocksInAll: blocksInAll + 1,
    blockedAt: [...blockedAt, now].slice(-MOST_BLOCKS_A_MINUTE),
  };
}

/** The host wants to end the turn; it tells whether a hook made it go on, where it tells anything. */
export function rememberStop(memory: GateMemory, active: boolean | null): GateMemory {
  return { ...memory, hostBlocks: active === true ? (memory.hostBlocks ?? 0) + 1 : 0 };
}

/** A finished call, as far as it may be evidence of anything. */
export interface ResultSeen {
  readonly seq: number;
  readonly id: string | null;
  readonly tool: string;
  readonly outcome: Run['outcome'];
  readonly exit: Exit;
  readonly tests: TestCounts | null;
  /** Null where it was no command that could be a check. */
  readonly checks: readonly Check[] | null;
  readonly attempts: readonly AttemptFact[];
  readonly treeBefore: string | null;
  readonly tree: string | null;
  readonly background: boolean;
  /** A tool that may act where nothing of it is recorded. */
  readonly unseen?: boolean;
  readonly acts?: readonly string[];
  /** Paths as they lie in the workspace. */
  readonly files: readonly { readonly path: string; readonly op: Change['op'] | 'read' }[];
  readonly callSeq: number | null;
  /** Where it can be believed further than a hook's word: then it is not the host's, and no host can have forged it. */
  readonly grade?: Grade;
  /** The same call was told to have ended before. */
  readonly repeated?: boolean;
}

export function rememberResult(memory: GateMemory, seen: ResultSeen): GateMemory {
  const { seq, id, tool, outcome, exit, tests, checks, treeBefore, tree, callSeq, grade } = seen;
  const moved = treeBefore !== null && tree !== null && treeBefore !== tree;
  let next: GateMemory = { ...memory, lastResult: seq, lastChange: moved ? seq : memory.lastChange };
  if (outcome === 'ok' && seen.unseen === true) next = { ...next, lastUnseen: seq };
  if ((seen.acts ?? []).length > 0)
    next = { ...next, acts: [...new Set([...(next.acts ?? []), ...(seen.acts ?? [])])] };
  const attempts = seen.attempts.map((each) => ({ seq, ...each }));
  next = { ...next, attempts: [...next.attempts, ...attempts].slice(-MOST_ATTEMPTS) };
  if (checks !== null && checks.length > 0) {
    const isChanged = next.lastChange > 0 || next.changes.some(({ path }) => isCode(path));
    const code = oldCode({ seq, tests }, next.attempts, isChanged);
    const genuine = grade !== undefined || memory.fedBy === null || memory.fedBy === callSeq;
    const run: Run = { seq, id, checks, exit, outcome, tests, treeBefore, tree, genuine, ...code };
    const first = id === null ? undefined : memory.runs.findLast((other) => other.id === id);
    // Of a call that is told in two ways neither counts.
    next =
      seen.repeated === true && !(first !== undefined && endsAlike(first, seen))
        ? { ...next, runs: next.runs.filter((other) => other.id !== id) }
        : rememberRun(next, grade === undefined ? run : { ...run, grade });
  }
  for (const { path, op } of seen.files) {
    if (op === 'read') continue;
    const change: Change = { seq, path, op, by: 'tool' };
    if (outcome === 'ok') next = rememberChange(next, change);
    else next = { ...next, unmade: [...(next.unmade ?? []), change].slice(-MOST_UNMADE) };
  }
  // A server that is left running is no work that somebody waits for.
  const awaited = checks === null || checks.some(({ kind }) => kind !== 'run' && kind !== 'http');
  if (!seen.background || !awaited || outcome !== 'ok') return next;
  return { ...next, background: [...next.background, id ?? tool].slice(-MOST_BACKGROUND) };
}

const SHOWN_WHOLE =
  /^(?:Read|Glob|Grep|LS|Todo\w*|Task(?:Create|Update|List|Get|Output|Stop)|Web(?:Fetch|Search)|\w*Plan\w*|AskUserQuestion|update_plan|request_user_input|write_stdin|wait|view_image|(?:read|list|search|glob|grep|save|web|google|codebase)_\w+|Task|Agent|BashOutput|Kill\w+|NotebookRead|Skill|ToolSearch)$/i;

/** Of a server's tool the name alone is known: it looks, and does nothing else. */
const LOOKS =
  /^mcp__.*(?:_|\b)(?:list|get|search|read|find|describe|view|show|count|lookup|browse)(?:[A-Z_-]|s?$)/;
const DEEDS =
  /(?:_|-)(?:create|add|update|set|delete|remove|send|post|put|write|edit|move|run|exec|start|submit|publish|comment|assign|close|merge|push|save|insert|upload|make|apply|trigger|click|fill|navigate)|[a-z](?:Create|Update|Send|Set|Add)/;

/** What the tool does is all in what hooks are told of it: it looks, notes, or starts what is recorded itself. */
export function isShownWhole(tool: string): boolean {
  return SHOWN_WHOLE.test(tool) || (LOOKS.test(tool) && !DEEDS.test(tool.replace(/^mcp__.*?__/, '_')));
}

/** What the rules judge, without what only the machine can tell. */
export function evidenceIn(memory: GateMemory): Evidence {
  const { runs, changes, attempts, background, acts, unmade } = memory;
  return {
    ...(acts && { acts }),
    ...(unmade && { unmade }),
    runs,
    changes,
    attempts,
    background,
    weakened: [],
    tree: null,
    changed: null,
    editedSince: new Map(),
  };
}

function rememberRun(memory: GateMemory, run: Run): GateMemory {
  const key = runKey(run);
  const command = run.checks[0]?.command;
  // Most are told apart by their first command, without a key.
  const before = memory.runs.find((other) => other.checks[0]?.command === command && runKey(other) === key);
  const others = memory.runs.filter((other) => other !== before);
  const alike = before !== undefined && isAlike(before, run) ? [...(before.alike ?? []), before.seq] : [];
  const kept = alike.length === 0 ? run : { ...run, alike: alike.slice(-MOST_ALIKE) };
  return { ...memory, runs: [...others, kept].slice(-MOST_RUNS) };
}

/** Code first: a hundred documents must not push out the one source file that makes evidence stale. */
export function rememberChange(memory: GateMemory, change: Change): GateMemory {
  const before = memory.changes.find(({ path }) => path === change.path);
  const isBorn = before === undefined ? change.op === 'write' : before.born === true;
  const changes = [
    ...memory.changes.filter((each) => each !== before),
    isBorn ? { ...change, born: true as const } : change,
  ];
  if (changes.length > MOST_CHANGES) {
    const document = changes.findIndex(({ path }) => isDocument(path));
    changes.splice(Math.max(0, document), 1);
  }
  return { ...memory, changes };
}

/** Something in the background came to its end: the one that is named in the text, else the oldest. */
export function forgetBackground(memory: GateMemory, text: string): GateMemory {
  const named = memory.background.findIndex((name) => text.includes(name));
  const ended = named < 0 ? 0 : named;
  return { ...memory, background: memory.background.filter((_, index) => index !== ended) };
}

/** Over the same code, and with the same outcome: what the one shows, the other does. */
function isAlike(a: Run, b: Run): boolean {
  const of = ({ tree, treeBefore, outcome, tests }: Run) =>
    JSON.stringify([tree, treeBefore, outcome, tests]);
  return a.tree !== null && of(a) === of(b);
}

function runKey({ checks, genuine, exit, grade, old }: Run): string {
  return JSON.stringify([
    old,
    genuine,
    grade ?? 'reported',
    exit.code === 0,
    checks.map(({ kind, command, directory, flaw, summary }) => [
      kind,
      command,
      directory,
      flaw?.code ?? null,
      summary ?? null,
    ]),
  ]);
}
