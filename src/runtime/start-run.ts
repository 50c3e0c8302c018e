// How a run begins: its code is read and kept, its session begins with the grants in force, and its first two events say
// with what it started.
import { randomBytes } from 'node:crypto';
import { canonicalize, type JsonObject, plainBlake3 } from '../core/index.ts';
import {
  type AgentInit,
  EVENT_CANONICAL,
  encodeAgentInit,
  encodeContentRef,
  type GrantTexts,
  parseContentRef,
  RUN_KEY,
  type RunHashes,
  type RunParent,
  type RunToolFact,
} from '../format/index.ts';
import type { Store } from '../ledger/index.ts';
import { Grants, parseGrants } from '../policy/index.ts';
import {
  beginSession,
  escapeReferences,
  type RecorderOptions,
  type Session,
  Traces,
} from '../record/index.ts';
import { capabilitiesOf, grantTextsOf } from '../rules/index.ts';
import { cellCodes, toolFacts } from './cell-code.ts';
import type { CellCode } from './cell-form.ts';
import type { Agent } from './define.ts';
import { Machine } from './machine.ts';
import type { Models } from './models.ts';
import { type CodeBundle, readCode } from './module-graph.ts';
import { namesPassword } from './needs-form.ts';
import { type KeptCode, rootOf } from './patched-code.ts';
import { isClean, Run } from './run.ts';
import { RunError } from './run-error.ts';
import { RunLog, type Unless } from './run-log.ts';
import type { Answers, Next, RunLimits, RunParts, SnapshotPolicy } from './run-parts.ts';
import type { ToolCells } from './tool-cells.ts';

export type RunStore = Pick<
  Store,
  'append' | 'head' | 'read' | 'readState' | 'putContent' | 'getContent' | 'commitContent' | 'deriveKey'
>;

/** What a run is recorded with. */
export type RunRecorder = RecorderOptions & { readonly store: RunStore };

export interface GrantedTo {
  readonly texts: GrantTexts;
  /** Null where nothing was accepted: then nothing is allowed. */
  readonly hash: string | null;
}

export interface StartParts {
  readonly recorder: RunRecorder;
  readonly module: URL;
  /** Loads the agent of the module. */
  readonly load: () => Promise<Agent>;
  readonly granted: GrantedTo;
  readonly cells: ToolCells;
  /** Who answers its model tools; what passes is on record in the session of the run. */
  readonly models: (session: Session) => Models;
  /** What the agent is told at the beginning, and at each decision. */
  readonly parameters?: JsonObject | undefined;
  readonly limits?: Partial<RunLimits> | undefined;
  readonly snapshots?: Partial<SnapshotPolicy> | undefined;
}

const LIMITS: RunLimits = { calls: 100_000, events: 10_000_000 };
const SNAPSHOTS: SnapshotPolicy = { events: 1000, bytes: 4 * 1024 * 1024 };

/** What makes a run a fork. */
export interface ForkStart {
  readonly parent: Omit<RunParent, 'start'>;
  /** The state that it begins with. */
  readonly start: JsonObject;
  readonly answers: Answers | null;
  /** What keeps its first event from being written. */
  readonly unless: Unless | undefined;
}

/** RunError where the code can't be kept; RecordError where the beginning can't be recorded. */
export async function startRun(parts: StartParts): Promise<Run> {
  return beginRun(parts, await loadCode(parts), null);
}

/** Its first two events are durable when it resolves. */
export async function beginRun(
  parts: Omit<StartParts, 'module' | 'load'>,
  { code, agent, tools, cellCodes }: LoadedCode,
  fork: ForkStart | null,
): Promise<Run> {
  const { recorder, granted } = parts;
  const { store, config, source, now, intake, workspaceRoot: root } = recorder;
  const parameters = escapeReferences(intake.clean(parts.parameters ?? {}, new Traces())) as JsonObject;
  if (fork !== null && canonicalize(intake.clean(fork.start, new Traces())) !== canonicalize(fork.start))
    throw new RunError(
      'SECRET',
      'the state of the fork contains what looks like a secret, and Counterfoil would keep it.',
    );
  const isPlain = ({ name, required }: (typeof tools)[number]): boolean =>
    isClean(intake, [name, ...(required ?? [])]) && !required?.some(namesPassword);
  if (!tools.every(isPlain))
    throw new RunError(
      'SECRET',
      'the name of a tool, or what it says that it needs, contains what looks like a secret, and Counterfoil would keep it.',
    );
  const limits = { ...LIMITS, ...parts.limits };
  assertCounts('limits', limits, 0);
  assertCounts('snapshots', parts.snapshots ?? {}, 1);
  // A run outlives its process: whoever recovers it goes on with the same session.
  const session = await beginSession(
    { ...recorder, pid: null },
    {
      agent: agent.name,
      trigger: fork === null ? 'run' : 'fork',
      ...(granted.hash === null ? {} : { capabilities: granted.hash }),
    },
  );
  session.assertAuthenticated();
  await session.share();
  const form = { plain: true, type: 'application/json' };
  const bundle = await store.putContent(session.id, Buffer.from(code.text), form);
  // Content of no session is never past its retention, and all runs of one code share it.
  await store.putContent(null, Buffer.from(code.text), form);
  const hashes: RunHashes = config.hashes === 'plain' ? 'blake3' : 'keyed-blake3';
  const hash = plainBlake3(hashes === 'blake3' ? undefined : await store.deriveKey(session.id, RUN_KEY));
  const capabilities = capabilitiesOf(granted.texts);
  const machine = new Machine(agent, {
    run: session.id,
    capabilities,
    hash,
    parameters,
    start: fork?.start,
    node: fork?.parent.node,
  });
  const kept = fork === null ? null : (await intake.keep(session.id, fork.start)).ref;
  if (fork !== null && kept === null)
    throw new RunError(
      'CONTENT_GONE',
      'the project keeps no content, but a fork needs the state that it started with.',
    );
  const init: AgentInit = {
    agent: agent.name,
    capabilities,
    capabilitiesHash: granted.hash,
    root,
    tools,
    code: { root: code.root, entry: code.entry, files: code.files, bytes: bundle.bytes, bundle },
    limits,
    hashes,
    node: process.version,
    nonce: randomBytes(32).toString('hex'),
    parameters,
    parent: fork === null || kept === null ? null : { ...fork.parent, start: parseContentRef(kept) },
  };
  const payload = encodeAgentInit(init, encodeContentRef(bundle));
  machine.apply({ sequence: 0, kind: 'AgentInit', payload });
  const log = new RunLog({ store, source, run: session.id, now });
  const text = canonicalize(payload, EVENT_CANONICAL);
  log.add({
    kind: 'AgentInit',
    text,
    content: null,
    payloadHash: machine.hashOfText(text),
    stateAfter: machine.hash,
    cause: null,
  });
  try {
    await log.flush(fork?.unless);
  } catch (error) {
    // In a ledger that is damaged it can't be sealed, and that is not what is wrong here.
    if (error instanceof RunError) await session.end({ reason: 'refused' }).catch(() => undefined);
    throw error;
  }
  const run = openRun(
    parts,
    {
      session,
      agent,
      machine,
      log,
      init,
      cellCodes,
      models: parts.models(session),
      initSeq: log.seqOf(0) ?? 1,
      answers: fork?.answers ?? null,
    },
    { ...firstStep(init), usage: { calls: 0, denials: 0, ms: 0, outputBytes: 0 } },
  );
  await run.snapshot('first');
  await log.flush();
  return run;
}

/** TypeError for what the program may not ask for. */
export function assertCounts(what: string, counts: object, least: number): void {
  for (const [name, value] of Object.entries(counts))
    if (!Number.isSafeInteger(value) || value < least)
      throw new TypeError(`${what}.${name} of a run must be a whole number of at least ${least}`);
}

/** What comes behind the first two events. */
export function firstStep({ parent }: Pick<AgentInit, 'parent'>): { next: Next; reduced: number | null } {
  return parent?.decides === true
    ? { next: { do: 'decide' }, reduced: 0 }
    : { next: { do: 'wait' }, reduced: null };
}

/** A run as its first event says, at the place that its events leave it. */
export function openRun(
  { recorder, snapshots, cells }: Pick<StartParts, 'recorder' | 'snapshots' | 'cells'>,
  begun: Pick<
    RunParts,
    'session' | 'agent' | 'machine' | 'log' | 'initSeq' | 'cellCodes' | 'models' | 'answers'
  > & {
    readonly init: AgentInit;
  },
  at: ConstructorParameters<typeof Run>[1],
): Run {
  const { init, ...parts } = begun;
  const { allow, deny } = parseGrants(grantTextsOf(init.capabilities));
  return new Run(
    {
      ...parts,
      cells,
      intake: recorder.intake,
      inline: recorder.config.content === 'keep',
      grants: new Grants(allow, deny, init.root),
      root: init.root,
      nonce: init.nonce,
      limits: init.limits,
      snapshots: { ...SNAPSHOTS, ...snapshots },
      close: recorder.close,
    },
    at,
  );
}

export interface LoadedCode {
  readonly code: CodeBundle;
  readonly agent: Agent;
  readonly tools: readonly RunToolFact[];
  readonly cellCodes: ReadonlyMap<string, CellCode>;
}

/** The code and the agent that was made of it. What was edited while it was loaded is refused. */
export async function loadCode({
  module,
  load,
  recorder: { intake },
}: Pick<StartParts, 'module' | 'load' | 'recorder'>): Promise<LoadedCode> {
  const assertClean = (path: string, text: string): void => {
    const traces = new Traces();
    intake.clean(text, traces);
    if (traces.redactions > 0)
      throw new RunError(
        'SECRET',
        `${path} contains what looks like a secret, and Counterfoil keeps the code of a run. Read the secret from elsewhere.`,
      );
  };
  const code = await readCode(module, { assertClean });
  const agent = await load();
  const known = seen.get(module.href) ?? code.root;
  seen.set(module.href, known);
  if (known !== code.root || (await readCode(module)).root !== code.root)
    throw new RunError(
      'CODE_CHANGED',
      "the agent's code has changed since this process loaded it. Start a new process.",
    );
  return loaded(code, agent);
}

/** The code of a run as it is kept, laid in this folder. */
export async function loadKept(kept: KeptCode, folder: string, agent: Agent): Promise<LoadedCode> {
  const { entry, files } = kept;
  const text = canonicalize({ entry, files: { ...files } });
  return loaded({ root: rootOf(kept), entry, folder, files: Object.keys(files).length, text }, agent);
}

async function loaded(code: CodeBundle, agent: Agent): Promise<LoadedCode> {
  const tools = toolFacts(agent.tools, code);
  return { code, agent, tools, cellCodes: await cellCodes(tools, JSON.parse(code.text) as KeptCode) };
}

/** Node loads a module once, whatever becomes of its file. */
const seen = new Map<string, string>();
