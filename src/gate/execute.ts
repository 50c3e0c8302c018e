// A check run again by ourselves, in a sandbox, for a claim that is on record: the third grade of evidence. The call is
// durable before it runs; its result and a signed validation follow in one block, so that a verifier can repeat the
// judgement. What ran was a copy, and the copy's fingerprint stands in the result: if the work tree is another by the
// end, or was while it was copied, the run proves nothing of it.
import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json, JsonObject } from '../core/index.ts';
import { isCode } from '../ecosystems/index.ts';
import {
  type Check,
  encodeCallEvidence,
  encodeResultEvidence,
  encodeToolCall,
  encodeToolResult,
  type Kept,
  type TestCounts,
  type ToolFacts,
  type Validation,
  withTraces,
} from '../format/index.ts';
import { type Clock, encodeBlock, type NewEntry, type Store } from '../ledger/index.ts';
import type { ValidatorId } from '../policy/index.ts';
import { encodeState, type Intake, parseState, Traces, testCounts } from '../record/index.ts';
import {
  isBornSkipped,
  type Outcome,
  quoteOf,
  type Run,
  readContract,
  rememberResult,
  scopeOf,
  VALIDATORS,
  type ValidatorContext,
} from '../rules/index.ts';
import { completeChecks, readCommand } from '../shell/index.ts';
import { findWeakening } from './find-weakening.ts';
import type { Policy } from './policy-in-force.ts';
import { projectCommands } from './project-commands.ts';
import type { RecordedSession } from './recorded-session.ts';
import {
  askOfOwn,
  type RefusedRun,
  type Repeatable,
  refuse,
  repeatableCommand,
} from './repeatable-command.ts';
import type { Sandbox, SandboxOutcome } from './sandbox.ts';
import { fingerprintOfCopy, lookAtTree, type SessionTree } from './session-tree.ts';
import type { ValidationSigner } from './stop-gate.ts';
import { copyTree } from './tree-copy.ts';
import { differences } from './tree-state.ts';

export interface ExecuteOptions {
  readonly store: Pick<Store, 'append'>;
  readonly intake: Intake;
  /** The one in force. */
  readonly policy: Policy;
  readonly sandbox: Sandbox;
  /** Who runs it: the command, or the service. No hook writes under these names. */
  readonly source: 'foil' | 'service';
  readonly signer: () => Promise<ValidationSigner>;
  /** Where what is known of work trees is kept. */
  readonly trees: string;
  /** Where throw-away copies are made. */
  readonly temporary: string;
  /** The name of a session's state, which the gate judges its next turn by; null where it is gone. */
  readonly stateOf: (session: string) => string | null;
  /** What no copy may hold: ledgers, keys. */
  readonly hidden: readonly string[];
  /** Files of this user are not copied: ours, where the agent is another. */
  readonly notOwnedBy: number | null;
  readonly now?: Clock;
}

export interface ExecuteRequest {
  readonly validator: ValidatorId | null;
  readonly command: string | null;
  readonly network: boolean;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Executed {
  readonly outcome: 'pass' | 'fail';
  readonly code: string | null;
  /** A sentence; empty on pass. */
  readonly reason: string;
  readonly session: string;
  readonly claim: number;
  readonly validator: ValidatorId;
  readonly command: string;
  readonly sandbox: string;
  /** Seqs of what was written. */
  readonly call: number;
  readonly result: number;
  readonly validation: number;
  readonly exit: number | null;
  readonly tests: TestCounts | null;
  readonly durationMs: number;
  /** The end of what it printed, redacted. */
  readonly output: string;
}

export const DEFAULT_TIMEOUT_MS = 600_000;
const MOST_OUTPUT = 1024 * 1024;
const SHOWN_OUTPUT = 4096;
/** A copy has no times that are known, so every file of it is read. */
const LOOK_MS = 60_000;
const TOOL = 'foil.validate';

export async function execute(
  options: ExecuteOptions,
  recorded: RecordedSession,
  request: ExecuteRequest,
): Promise<Executed | RefusedRun> {
  const {
    policy: { policy },
    trees,
  } = options;
  const { session } = recorded;
  const hash = hashOf(options);
  const root = workTree(recorded.root);
  if (root === null) return refuse('no-work-tree', 'The work tree of the session is not here.');
  const before = await lookAtTree({ root, trees, hash }, session, LOOK_MS);
  if (before === null)
    return refuse(
      'no-fingerprint',
      'How the work tree was when the session began is not known here any more.',
    );
  const context = await contextOf(options, recorded, root, before);
  const project = projectCommands(root, context.scope.changed);
  const found = repeatableCommand(request, context, { policy, project, root });
  if ('outcome' in found) return found;
  const place = mkdtempSync(join(options.temporary, 'foil-run-'));
  try {
    return await runCopy(options, recorded, request, { root, before, found, place });
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Running {
  readonly root: string;
  readonly before: SessionTree;
  readonly found: Repeatable;
  /** A directory of its own, for the copy and what goes with it. */
  readonly place: string;
}

async function runCopy(
  options: ExecuteOptions,
  recorded: RecordedSession,
  request: ExecuteRequest,
  { root, before, found, place }: Running,
): Promise<Executed | RefusedRun> {
  const { sandbox, trees, hidden, notOwnedBy } = options;
  const { network, timeoutMs, signal } = request;
  const hash = hashOf(options);
  const copy = join(place, 'tree');
  const copied = await copyTree({ root, to: copy, hidden: [...hidden, place], notOwnedBy, signal });
  if (copied.state !== 'copied') return refuse(copied.state, NOT_COPIED[copied.state]);
  const unread = copied.unread.find((path) => isCode(path));
  if (unread !== undefined)
    return refuse(
      'unreadable',
      `${unread} can't be read by the user who runs the check, so it can't be copied.`,
    );
  const bare = await fingerprintOfCopy(copy, before, { trees, scratch: place, timeoutMs: LOOK_MS });
  if (bare === null)
    return refuse('no-fingerprint', 'The copy of the work tree could not be compared with it.');
  const tree = await hash(recorded.session, bare);
  // Whoever can't sign need not run anything.
  await options.signer();
  const writer = new Writer(options, recorded, root, found);
  const call = await writer.call(before.tree, network);
  const { command } = found;
  const ran = await sandbox.run({
    command,
    cwd: root,
    copy,
    timeoutMs,
    maxOutput: MOST_OUTPUT,
    network,
    signal,
  });
  const after = await lookAtTree({ root, trees, hash }, recorded.session, LOOK_MS);
  const context = await contextOf(options, recorded, root, after);
  const edits = after === null ? [] : differences(before.state, after.state);
  return writer.result(ran, { call, treeBefore: before.tree, tree, context, edits });
}

const NOT_COPIED = {
  'too-large': 'The work tree is too large to be copied for a run (2 GiB, 300,000 files).',
  cancelled: 'It was cancelled before it began.',
  hidden: 'The work tree lies where ledgers or keys are kept: nothing is run there.',
} as const;

function hashOf({ intake }: ExecuteOptions): (session: string, text: string) => Promise<string> {
  return (session, text) => intake.hash(session, text);
}

function workTree(root: string | null): string | null {
  try {
    return root === null ? null : realpathSync(root);
  } catch {
    return null;
  }
}

/** The claim, and all that is on record and in the work tree about it now. */
async function contextOf(
  { policy: { policy }, trees }: ExecuteOptions,
  { claim: { claim }, contract, record }: RecordedSession,
  root: string,
  looked: SessionTree | null,
): Promise<ValidatorContext> {
  const start = looked?.kept.start();
  const changed = looked === null || start === undefined ? null : differences(start, looked.state);
  const found =
    looked === null
      ? null
      : await findWeakening(root, looked.base, looked.state, {
          directory: `${trees}/.git`,
          begun: looked.kept.begun(),
        });
  // Of a changed expectation only a message could tell what it means.
  const weakened = found?.weakened?.filter((each) => !each.expects && !isBornSkipped(each)) ?? null;
  // As a verifier will see it: in the words of the entries.
  const seen = {
    ...record.evidence.evidence({ tree: looked?.tree ?? null, changed, weakened, forged: record.forged }),
    weakened,
    changed,
  };
  const bound = contract?.contract ?? readContract('', policy);
  return {
    evidence: seen,
    contract: bound,
    claim: { ...claim, quote: quoteOf(claim.names) },
    scope: scopeOf(seen, bound),
  };
}

interface Ended {
  readonly call: number;
  readonly treeBefore: string;
  /** Of the copy that ran. */
  readonly tree: string;
  /** As it is now. */
  readonly context: ValidatorContext;
  /** What changed while it ran. */
  readonly edits: readonly string[];
}

class Writer {
  readonly #options: ExecuteOptions;
  readonly #recorded: RecordedSession;
  readonly #root: string;
  readonly #found: Repeatable;

  constructor(options: ExecuteOptions, recorded: RecordedSession, root: string, found: Repeatable) {
    this.#options = options;
    this.#recorded = recorded;
    this.#root = root;
    this.#found = found;
  }

  /** Durable before anything runs. */
  async call(tree: string, network: boolean): Promise<number> {
    const { store, intake, sandbox, source, now = Date.now } = this.#options;
    const { session, claim } = this.#recorded;
    const { command, validator } = this.#found;
    const traces = new Traces();
    const args = await intake.keep(
      session,
      intake.clean({ command, validator, claim: claim.seq, sandbox: sandbox.name, network }, traces),
    );
    const payload = {
      ...encodeToolCall(this.#facts(args, traces), args),
      ...encodeCallEvidence({ tree, feedsHooks: false }),
    };
    const draft = this.#entry('tool.call', withTraces(payload, traces), claim.seq);
    const head = await store.append((at) => encodeBlock([{ ...draft, source }], at, now()));
    return head?.seq ?? 0;
  }

  async result(ran: SandboxOutcome, ended: Ended): Promise<Executed> {
    const { store, intake, signer: openSigner, stateOf, now = Date.now } = this.#options;
    const { session, claim } = this.#recorded;
    const { command, validator, checks: given } = this.#found;
    const traces = new Traces();
    const text = intake.clean(ran.output, traces) as string;
    const output = await intake.keep(session, text);
    const { says } = readCommand(command, { cwd: null, root: null });
    const tests = testCounts(ran.output, !says);
    const read = {
      checks: given,
      views: new Map(),
      told: [],
      reached: new Set<Check>(),
      after: new Map(),
      single: true,
      foreign: 0,
      pasted: null,
      says,
    };
    const completed = completeChecks(read, { output: ran.output, exit: ran.exit, tests });
    const checks = intake.clean(completed as unknown as Json, traces) as unknown as readonly Check[];
    const args = await intake.keep(session, intake.clean({ command }, new Traces()));
    const payload = withTraces(
      this.#resultPayload(ran, ended.tree, { output, checks, tests, args, traces }),
      traces,
    );
    const signer = await openSigner();
    const name = stateOf(session);
    let judged: { outcome: Outcome; result: number } | undefined;
    const written = await store.append(
      (head, bytes) => {
        const result = head.seq + 1;
        const run = this.#run(ran, ended, { seq: result, checks, tests });
        const outcome = this.#judge(run, ended);
        judged = { outcome, result };
        const validation = this.#validation(outcome, result, ended.context);
        const drafts = [
          this.#entry('tool.result', payload, ended.call),
          this.#entry('validation', signer.sign(validation, session), claim.seq),
        ];
        const state = parseState(bytes);
        const block = encodeBlock(drafts, head, now());
        if (state?.session !== session) return block;
        const seen = {
          ...run,
          id: null,
          tool: TOOL,
          attempts: [],
          background: false,
          files: [],
          callSeq: ended.call,
        };
        const gate = rememberResult(state.gate, { ...seen, grade: 're-executed' });
        return { ...block, state: encodeState({ ...state, gate }) };
      },
      name === null ? {} : { state: name },
    );
    if (judged === undefined || written === undefined) throw new Error('the result was not written');
    const { outcome, result } = judged;
    return {
      outcome: outcome.outcome === 'pass' ? 'pass' : 'fail',
      code: outcome.outcome === 'pass' ? null : outcome.code,
      reason: outcome.outcome === 'pass' ? '' : outcome.reason,
      session,
      claim: claim.seq,
      validator,
      command,
      sandbox: this.#options.sandbox.name,
      call: ended.call,
      result,
      validation: result + 1,
      exit: ran.exit,
      tests,
      durationMs: ran.durationMs,
      output: text.slice(-SHOWN_OUTPUT).toWellFormed(),
    };
  }

  /** By itself, and among all that is on record: what contradicts it must be heard. */
  #judge(own: Run, { context, edits }: Ended): Outcome {
    const { policy } = this.#options.policy;
    const { evidence } = context;
    if (evidence.tree === null)
      return {
        outcome: 'fail',
        status: 'stale',
        code: 'no-fingerprint',
        reason: 'Whether the work tree changed while it ran is not known.',
        evidence: [own.seq],
      };
    const now = { ...context, evidence: { ...evidence, editedSince: new Map([[own.seq, edits]]) } };
    const alone = askOfOwn(this.#found, own, now, policy, []);
    return alone.outcome === 'pass' ? askOfOwn(this.#found, own, now, policy, evidence.runs) : alone;
  }

  #run(
    ran: SandboxOutcome,
    { treeBefore, tree }: Ended,
    more: { readonly seq: number; readonly checks: readonly Check[]; readonly tests: TestCounts | null },
  ): Run {
    const exit = { code: ran.exit, origin: ran.exit === null ? 'unknown' : 'host' } as const;
    return { ...more, exit, outcome: outcomeOf(ran), treeBefore, tree, genuine: true, grade: 're-executed' };
  }

  #resultPayload(
    ran: SandboxOutcome,
    tree: string,
    more: { output: Kept; checks: readonly Check[]; tests: TestCounts | null; args: Kept; traces: Traces },
  ): JsonObject {
    const result = outcomeOf(ran);
    return {
      ...encodeToolResult(this.#facts(more.args, more.traces), {
        result,
        errorCode: result === 'timeout' ? 'TIMEOUT' : result === 'aborted' ? 'ABORTED' : null,
        output: more.output,
        exit: { code: ran.exit, origin: ran.exit === null ? 'unknown' : 'host' },
        durationMs: ran.durationMs,
        tests: more.tests,
        files: [],
      }),
      ...encodeResultEvidence({ checks: more.checks, attempts: null, tree, background: false }),
    };
  }

  #validation(outcome: Outcome, result: number, { evidence }: ValidatorContext): Validation {
    const { policy } = this.#options;
    const { claim, contract } = this.#recorded;
    const { validator, args } = this.#found;
    return {
      validator,
      validatorVersion: VALIDATORS[validator].version,
      claim: claim.seq,
      contract: contract?.seq ?? null,
      args,
      outcome: outcome.outcome,
      code: outcome.outcome === 'pass' ? null : outcome.code,
      evidence: [result],
      tree: evidence.tree,
      changed: evidence.changed ?? null,
      weakened: evidence.weakened?.map(({ lines: _, beside: __, ...each }) => each) ?? null,
      grade: 're-executed',
      policyHash: policy.hash,
    };
  }

  #facts(args: Kept, traces: Traces): ToolFacts {
    const { intake, sandbox } = this.#options;
    return {
      tool: TOOL,
      toolUseId: null,
      agentId: null,
      workspaceRoot: intake.word(this.#root, traces),
      role: 'validator',
      intent: null,
      planHash: null,
      phaseId: null,
      invariantId: null,
      notes: `run again in a sandbox: ${sandbox.name}`,
      argsHash: args.hash,
      paths: [],
    };
  }

  #entry(kind: string, payload: JsonObject, cause: number): NewEntry {
    return { kind, payload, source: this.#options.source, session_id: this.#recorded.session, cause };
  }
}

function outcomeOf({ timedOut, cancelled, exit }: SandboxOutcome): 'ok' | 'error' | 'aborted' | 'timeout' {
  if (timedOut) return 'timeout';
  if (cancelled) return 'aborted';
  return exit === 0 ? 'ok' : 'error';
}
