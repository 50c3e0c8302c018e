// From the entries of one session, in the order of the ledger, to what the rules judge. The gate and the verifier both
// go through here, so that the one can repeat what the other said. It needs nothing but entries: what was read from the
// work tree at a moment is given to `evidence`, and stands signed in the validation of that moment.
import { isCode } from '../ecosystems/index.ts';
import {
  type CallEvidence,
  type Check,
  type Entry,
  type Grade,
  isOwn,
  type ModelToolResult,
  type ModelToolUse,
  parseCallEvidence,
  parseModelToolResult,
  parseModelToolUse,
  parseResultFacts,
  type ResultFacts,
  type Validation,
} from '../format/index.ts';
import { oldCode } from './baseline.ts';
import { type Attempt, type Change, type Evidence, endsAlike, type Run } from './evidence.ts';
import { isCorroborated, type ReportedCall } from './vantage.ts';

/** What the work tree showed when a claim was judged. */
export type Moment = Pick<Validation, 'tree' | 'changed' | 'weakened'> & {
  readonly editedSince?: Evidence['editedSince'];
  readonly background?: readonly string[];
  /** Results that were not the host's, as far as its transcript tells. */
  readonly forged?: readonly number[];
  /** Those of the files that are again as they were when the session began, or are not there any more. */
  readonly undone?: (paths: readonly string[]) => readonly string[];
  readonly isThere?: (path: string) => boolean;
};

/** Who writes what we ran ourselves: never a hook, nor a program that records itself. */
const OWN_SOURCES: readonly string[] = ['foil', 'service'];

export function isOwnRun({ source, payload }: Pick<Entry, 'source' | 'payload'>): boolean {
  return OWN_SOURCES.includes(source) && payload.role === 'validator';
}

/** Who sees what a model asks for, and is not the agent. */
const WIRE = 'gateway';

/** Calls that have not ended: more than these are not remembered. */
const MOST_CALLS = 1024;
/** How far back the first telling of a call is looked for. */
const MOST_BACK = 64;

export class SessionEvidence {
  readonly #runs: Run[] = [];
  readonly #changes: Change[] = [];
  readonly #attempts: Attempt[] = [];
  readonly #results = new Set<number>();
  /** Of those, what we ran ourselves. */
  readonly #own = new Set<number>();
  readonly #calls = new Map<number, CallEvidence>();
  /** Calls under way that feed our hooks themselves. */
  readonly #feeding = new Set<number>();
  /** Results as hooks told them, by seq, and what the wire saw of the same calls, by the host's id. */
  readonly #reported = new Map<number, ReportedCall & { readonly id: string }>();
  #root: string | null = null;
  /** A command has changed code. */
  #moved = false;
  readonly #asked = new Map<string, ModelToolUse>();
  readonly #told = new Map<string, ModelToolResult>();

  /** True where the entry was one that matters here. Throws ParseError where it is malformed. */
  add(entry: Entry): boolean {
    if (entry.kind === 'tool.call') this.#call(entry);
    else if (entry.kind === 'tool.result') this.#result(entry, parseResultFacts(entry.payload));
    else if (entry.kind === 'model.tool_use' && entry.source === WIRE) {
      const use = parseModelToolUse(entry.payload);
      // The first of a name counts: a model that repeats an id speaks of something else.
      if (use.toolUseId !== null && !this.#asked.has(use.toolUseId)) this.#asked.set(use.toolUseId, use);
    } else if (entry.kind === 'model.tool_result' && entry.source === WIRE) {
      const told = parseModelToolResult(entry.payload);
      if (!this.#told.has(told.toolUseId)) this.#told.set(told.toolUseId, told);
    } else return false;
    return true;
  }

  hasResult(seq: number): boolean {
    return this.#results.has(seq);
  }

  /** How far a result can be believed, as the entries show it, whatever a validation says. */
  gradeOf(seq: number): Grade {
    if (this.#own.has(seq)) return 're-executed';
    const call = this.#reported.get(seq);
    const asked = this.#asked.get(call?.id ?? '');
    if (call === undefined || asked === undefined) return 'reported';
    const told = this.#told.get(call.id) ?? null;
    return isCorroborated(call, { asked, told }) ? 'corroborated' : 'reported';
  }

  get size(): number {
    return this.#runs.length + this.#changes.length + this.#attempts.length;
  }

  get changes(): readonly Change[] {
    return this.#changes;
  }

  evidence(moment: Moment): Evidence {
    const told = new Set(this.#changes.map(({ path }) => path));
    const seen = (moment.changed ?? []).filter((path) => !told.has(path));
    const changes: Change[] = [
      ...this.#changes,
      ...seen.map((path) => ({ seq: 0, path, op: 'edit', by: 'command' }) as const),
    ];
    const graded = <T extends { readonly seq: number }>(each: T): T => {
      const grade = this.gradeOf(each.seq);
      return grade === 'reported' ? each : { ...each, grade };
    };
    return {
      runs: this.#runs.map((run) =>
        graded(moment.forged?.includes(run.seq) === true ? { ...run, genuine: false } : run),
      ),
      changes: changes.map(graded),
      attempts: this.#attempts.map(graded),
      weakened: moment.weakened?.map((each) => ({ ...each, lines: [] })) ?? null,
      tree: moment.tree,
      editedSince: moment.editedSince ?? new Map(),
      background: moment.background ?? [],
      root: this.#root,
      undone: moment.undone?.([...told]) ?? [],
      ...(moment.isThere && { isThere: moment.isThere }),
    };
  }

  #call(entry: Entry): void {
    const call = parseCallEvidence(entry.payload);
    if (call.feedsHooks) this.#feeding.add(entry.seq);
    if (call.tree === null && !call.feedsHooks) return;
    this.#calls.set(entry.seq, call);
    const [oldest = 0] = this.#calls.size > MOST_CALLS ? this.#calls.keys() : [];
    this.#calls.delete(oldest);
  }

  #result(entry: Entry, facts: ResultFacts): void {
    const { seq, cause, payload } = entry;
    const own = isOwnRun(entry);
    if (own) this.#own.add(seq);
    const call = cause === null ? undefined : this.#calls.get(cause);
    if (cause !== null) {
      this.#calls.delete(cause);
      this.#feeding.delete(cause);
    }
    this.#results.add(seq);
    this.#report(entry, facts);
    const { checks, tree, outcome } = facts;
    this.#moved ||= tree !== null && (call?.tree ?? tree) !== tree;
    for (const attempt of facts.attempts ?? []) this.#attempts.push({ seq, ...attempt });
    const id = typeof payload.tool_use_id === 'string' ? payload.tool_use_id : null;
    if (checks !== null && checks.length > 0) {
      this.#runs.push({
        seq,
        id,
        checks: facts.background ? checks.map(inBackground) : checks,
        exit: facts.exit,
        outcome,
        tests: facts.tests,
        ...oldCode({ seq, tests: facts.tests }, this.#attempts.slice(-MOST_BACK), this.#isChanged()),
        treeBefore: call?.tree ?? null,
        tree,
        // What we ran is nobody's to forge through a hook.
        genuine: own || (this.#feeding.size === 0 && (!facts.repeated || this.#agrees(id, facts))),
      });
    }
    const root = typeof payload.workspace_root === 'string' ? payload.workspace_root : null;
    this.#root = root ?? this.#root;
    for (const { path, op } of outcome === 'ok' ? facts.files : [])
      if (op !== 'read') this.#changes.push({ seq, path: within(root, path), op, by: 'tool' });
  }

  #isChanged(): boolean {
    return this.#moved || this.#changes.some(({ path }) => isCode(path));
  }

  #report({ seq, payload }: Entry, { outcome, tests }: ResultFacts): void {
    const { tool, tool_use_id: id, args_hash: argsHash } = payload;
    if (typeof tool === 'string' && typeof id === 'string' && typeof argsHash === 'string')
      this.#reported.set(seq, { id, tool, argsHash, isOk: outcome === 'ok', tests });
  }

  #agrees(id: string | null, facts: ResultFacts): boolean {
    const first = id === null ? undefined : this.#runs.slice(-MOST_BACK).findLast((run) => run.id === id);
    return first?.genuine === true && endsAlike(first, facts);
  }
}

/** Its exit code is that of the start, not of the check. */
function inBackground(check: Check): Check {
  return isOwn(check) ? { ...check, flaw: { code: 'background', detail: 'run in the background' } } : check;
}

function within(root: string | null, path: string): string {
  if (root === null) return path;
  const folder = root.endsWith('/') ? root : `${root}/`;
  return path.startsWith(folder) ? path.slice(folder.length) : path;
}
