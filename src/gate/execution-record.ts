// What is written of a check that we run again: the call, which is durable before it runs, then its result and a signed
// validation, in one block.
import type { Json, JsonObject } from '../core/index.ts';
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
import { encodeBlock, type NewEntry } from '../ledger/index.ts';
import { encodeState, parseState, Traces, testCounts } from '../record/index.ts';
import { type Outcome, type Run, rememberResult, VALIDATORS, type ValidatorContext } from '../rules/index.ts';
import { completeChecks, readCommand } from '../shell/index.ts';
import type { Executed, ExecuteOptions } from './execute-options.ts';
import type { RecordedSession } from './recorded-session.ts';
import { askOfOwn, type Repeatable } from './repeatable-command.ts';
import type { SandboxOutcome } from './sandbox.ts';

const SHOWN_OUTPUT = 4096;
const TOOL = 'foil.validate';

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

export class ExecutionRecord {
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
        reason: 'It is unknown whether the work tree changed while it ran.',
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
