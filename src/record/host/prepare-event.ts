// An event before the store's section is entered: cleaned, its content kept, its facts found, and what a command or a
// prompt is good for as evidence. Everything that takes time is done here, so that the section stays short. What the
// judge throws is a crash of the gate's, which is recorded, and the event goes on.
import type { Json, JsonObject } from '../../core/index.ts';
import type {
  Check,
  Contract,
  Exit,
  FileFact,
  Kept,
  Override,
  TestCounts,
  ToolFacts,
} from '../../format/index.ts';
import { type GateMemory, isShownWhole } from '../../rules/index.ts';
import { looksLikeCheck, namesTarget, readsFiles, triesSomething } from '../../shell/index.ts';
import { type Facts, factsOf, outputText, runsLine, shellLine } from '../facts/facts.ts';
import { pathsOf } from '../facts/paths.ts';
import { type Intake, Traces } from '../intake.ts';
import {
  CHANGED_MEANWHILE,
  callsOf,
  contentOf,
  feedsHooks,
  hostTime,
  httpStatus,
  inBackground,
  membersOf,
  wordsOf,
} from './event-parts.ts';
import type { FileTouched, HostCall, HostEvent, JobEnd } from './host-event.ts';
import type { CommandSeen, Judge, Tried } from './judge.ts';
import { linkTargets } from './link-targets.ts';
import type { Job, OpenCall } from './session-state.ts';
import { newestIn, onceWritten, type TranscriptReader, transcriptEnd } from './transcript.ts';

export interface PrepareOptions {
  readonly intake: Intake;
  readonly judge?: (() => Judge) | undefined;
  /** Where the project is, from a host's working directory. */
  readonly workspaceRoot: (cwd: string | null) => string | null;
  /** What the gate remembers of the event's session until now; null where it began with this event. */
  readonly remembered: (event: HostEvent) => Promise<GateMemory | null>;
  /** How the host's own record of the session is read. */
  readonly reader?: TranscriptReader | undefined;
  /** The call that a result is of, where it is on record. */
  readonly open?: ((call: ToolFacts) => OpenCall | undefined) | undefined;
  /** Checks of the session that were started and have not ended. */
  readonly jobs?: readonly Job[] | undefined;
}

/** An event after everything that needs no section: cleaned, its content kept, its facts found. */
export interface Prepared {
  readonly traces: Traces;
  readonly facts: JsonObject;
  /** Names and reasons that the host gave, cleaned, by the event's own members. */
  readonly words: Readonly<Record<string, string | null>>;
  readonly text: Kept | null;
  readonly calls: readonly PreparedCall[];
  readonly asked: Asked | null;
  /** Of a notice. */
  readonly ends?: JobEnd | undefined;
}

/** What a prompt asks for. */
export interface Asked {
  readonly contract: Contract | null;
  /** Its keywords, kept as content; null where it has none. */
  readonly keywords: Kept | null;
  readonly overrides: readonly Override[];
  /** What went wrong in finding that out. */
  readonly crash: string | null;
}

/** What a call is good for as evidence. */
export interface Seen {
  readonly checks: readonly Check[] | null;
  readonly attempts: readonly Tried[];
  readonly tree: string | null;
  readonly feeds: boolean;
  readonly background: boolean;
  readonly pasted: boolean;
  readonly acts?: readonly string[];
  /** A tool that may act where nothing of it is recorded, as those of an MCP server do. */
  readonly unseen?: boolean;
  readonly crash: string | null;
}

export interface PreparedCall {
  /** A batch says that the host denied it. */
  readonly denied?: true;
  readonly tool: ToolFacts;
  readonly args: Kept;
  readonly output: Kept | null;
  readonly exit: Exit;
  readonly tests: TestCounts | null;
  readonly files: readonly FileFact[];
  readonly sought: (NonNullable<HostCall['sought']> & { readonly status: number | null }) | null;
  /** Of a result: the check that goes on after it; and the one of which it tells the end. */
  readonly leaves?: Omit<Job, 'tree'> | null;
  readonly ended?: Job | null;
  /** Null where nobody judges. */
  readonly seen: Seen | null;
  /** Of a command that begins: where. */
  readonly cwd?: string;
}

const NO_EXIT: Exit = { code: null, origin: 'unknown' };
/** What only a program that records itself can tell. */
const NO_CONTEXT = {
  role: null,
  intent: null,
  planHash: null,
  phaseId: null,
  invariantId: null,
  notes: null,
} as const;

export async function prepareEvent(
  options: PrepareOptions,
  event: HostEvent,
  session: string,
  traces: Traces,
): Promise<Prepared> {
  const { intake } = options;
  const content = contentOf(event) ?? messageTold(event, options);
  const words: Record<string, string | null> = {};
  for (const [name, word] of Object.entries(wordsOf(event)))
    words[name] = word === null ? null : intake.word(word, traces);
  const calls: PreparedCall[] = [];
  for (const call of callsOf(event)) calls.push(await prepareCall(options, event, call, session, traces));
  return {
    traces,
    words,
    facts: await intake.small(
      session,
      { ...event.facts, ...modelTold(event, options), ...hostTime(event) },
      traces,
    ),
    text: content === null ? null : await intake.keep(session, intake.clean(content, traces)),
    calls,
    asked: event.type === 'prompt' ? await askedFor(options, event.text, session) : null,
    ends: event.type === 'notice' ? cleanEnd(event.ends, intake) : undefined,
  };
}

function cleanEnd(ends: JobEnd | undefined, intake: Intake): JobEnd | undefined {
  if (ends?.output === undefined) return ends;
  return { ...ends, output: intake.word(ends.output, new Traces()) };
}

/** The last message of a turn, where the host tells it nowhere but in its own record. */
function messageTold(event: HostEvent, { reader }: PrepareOptions): string | null {
  const { transcript } = event;
  if (event.type !== 'stop' || transcript === null || reader?.messageIn === undefined) return null;
  const { from, longest } = event.mark ?? { from: 0, longest: 0 };
  // What is left of a file that was cut is of another turn.
  if (transcriptEnd(transcript) < longest) return null;
  return newestIn(transcript, '.message"', reader.messageIn, from) || null;
}

/** Which model answered, where the host tells it nowhere but in its own record. */
function modelTold({ type, facts, transcript }: HostEvent, { reader }: PrepareOptions): JsonObject {
  if (type !== 'stop' || typeof facts.model === 'string' || transcript === null) return {};
  const model = reader?.modelIn === undefined ? null : newestIn(transcript, '"model"', reader.modelIn);
  return model === null ? {} : { model };
}

/** What the user asks for. A mistake of ours here is recorded, and the prompt goes on. */
async function askedFor(
  { intake, judge }: PrepareOptions,
  prompt: string,
  session: string,
): Promise<Asked | null> {
  if (judge === undefined) return null;
  const again = new Traces();
  const text = intake.clean(prompt, again) as string;
  try {
    const overrides: Override[] = [];
    for (const { phrase, quote } of await judge().overrides(text))
      overrides.push({ phrase, quote: await intake.keep(session, quote) });
    const contract = await judge().contract(text);
    const words = contract?.fields.keywords ?? [];
    const keywords = words.length === 0 ? null : await intake.keep(session, [...words]);
    return { contract, keywords, overrides, crash: null };
  } catch (error) {
    return { contract: null, keywords: null, overrides: [], crash: intake.word(String(error), again) };
  }
}

/** What a call is good for as evidence. Commands that can't be a check are not looked at any closer. */
async function seenOf(
  { judge, workspaceRoot, intake, remembered }: PrepareOptions,
  event: HostEvent,
  call: HostCall,
  session: string,
  facts: Facts | null,
  job: Job | null = null,
  /** Where the command began: a host may tell where it ended. */
  began = event.cwd,
): Promise<Seen | null> {
  if (judge === undefined || (event.type !== 'tool.call' && event.type !== 'tool.result')) return null;
  // Of what is redacted: a secret must not get past the redactor because a fact is only a piece of it.
  const command = job?.command ?? shellLine({ ...call, args: intake.clean(call.args, new Traces()) });
  const failed = event.type === 'tool.result' && event.outcome !== 'ok';
  const feeds = command !== null && feedsHooks(command);
  const check = command !== null && looksLikeCheck(command);
  const readsNamed = async (line: string): Promise<boolean> => {
    const asked = readsFiles(line) ? (await remembered(event))?.contract : null;
    return asked != null && namesTarget(line, asked.contract);
  };
  const isOver = event.type === 'tool.result';
  const tries = command !== null && isOver && (triesSomething(command) || (await readsNamed(command)));
  if (!check && !tries && !(failed && command !== null))
    return {
      checks: null,
      attempts: [],
      tree: null,
      feeds,
      background: call.background === true,
      pasted: false,
      unseen:
        command === null &&
        (call.files ?? []).length === 0 &&
        call.sought === undefined &&
        !isShownWhole(call.tool),
      crash: null,
    };
  const root = workspaceRoot(event.cwd);
  try {
    // First: it also tells what changed in the session until now.
    const tree = check ? await judge().tree(session, root) : null;
    const seen: CommandSeen | null =
      event.type === 'tool.result'
        ? judge().command(
            command,
            {
              cwd: began,
              root,
              session,
              edited: (await remembered(event))?.changes.map(({ path }) => path) ?? [],
            },
            {
              output: outputText(event.output),
              exit: facts === null ? NO_EXIT : { code: facts.exit_code, origin: facts.exit_origin },
              tests: facts?.tests ?? null,
            },
          )
        : null;
    return {
      // A search or a look that ended well is an attempt, and no check.
      checks: seen === null || !(check || failed) ? null : checksOf(seen, call, tree, job),
      attempts: seen?.attempts ?? [],
      tree,
      feeds,
      // Only what the host itself left running: of what a shell left nobody will ever tell the end.
      background: call.background === true,
      pasted: seen?.pasted === true,
      acts: seen?.acts ?? [],
      crash: null,
    };
  } catch (error) {
    const crash = intake.word(String(error), new Traces());
    return { checks: null, attempts: [], tree: null, feeds, background: false, pasted: false, crash };
  }
}

/** A check that went on beside others counts where the code was the same when it began and when its end was read. */
function checksOf(
  { checks }: CommandSeen,
  { background = false }: HostCall,
  tree: string | null,
  job: Job | null,
): readonly Check[] {
  const moved = job !== null && job.tree !== tree;
  return inBackground(checks, background || moved, moved ? CHANGED_MEANWHILE : undefined);
}

/** Of a call that is about to be made also where links lead. */
function namedPaths({ type, cwd }: HostEvent, call: HostCall, root: string | null): string[] {
  const named = pathsOf(call.args, cwd, root);
  const line = shellLine({ ...call, shell: runsLine(call) });
  return type === 'tool.call' ? [...named, ...linkTargets(named, line, cwd, root)] : named;
}

async function prepareCall(
  options: PrepareOptions,
  event: HostEvent,
  call: HostCall,
  session: string,
  given: Traces,
): Promise<PreparedCall> {
  const { intake } = options;
  const root = options.workspaceRoot(event.cwd);
  // Only a call's own arguments and a result's own output are kept. What else repeats them is there to be compared,
  // and what was redacted of it has been counted already.
  const again = new Traces();
  const traces = event.type === 'tool.call' ? given : again;
  const word = (text: string | null): string | null => (text === null ? null : intake.word(text, given));
  const args = intake.clean(
    await intake.withoutFiles(session, call.args, membersOf(call.files, 'argMembers'), traces),
    traces,
  );
  const kept =
    event.type === 'tool.call'
      ? await intake.keep(session, args)
      : { hash: await intake.hash(session, args), bytes: 0, ref: null };
  const tool: ToolFacts = {
    ...NO_CONTEXT,
    tool: intake.word(call.tool, given),
    toolUseId: word(call.id),
    agentId: word(event.agentId),
    workspaceRoot: word(root),
    argsHash: kept.hash,
    paths: intake.list(intake.clean(namedPaths(event, call, root), again) as string[], given),
  };
  if (event.type !== 'tool.result') {
    const seen = await seenOf(options, event, call, session, null);
    const bare = {
      tool,
      args: kept,
      output: null,
      exit: NO_EXIT,
      tests: null,
      files: [],
      sought: null,
      seen,
    };
    if ('denied' in call) return { ...bare, denied: true };
    // Nothing that would be redacted is kept.
    const cwd =
      runsLine(call) && event.cwd !== null && intake.word(event.cwd, again) === event.cwd ? event.cwd : null;
    return cwd === null ? bare : { ...bare, cwd };
  }
  const output = intake.clean(
    await intake.withoutFiles(
      session,
      intake.printed(
        event.output,
        {
          command: shellLine(call),
          paths: pathsOf(call.args, event.cwd, root),
        },
        given,
      ),
      membersOf(call.files, 'outputMembers'),
      given,
    ),
    given,
  );
  const ended = endedBy(call, options.jobs ?? [], intake);
  const facts = {
    ...factsOf(ended === null ? event : { ...event, shell: true }, event.agent, event.cwd, root),
    ...(await exitTold(event, options)),
    ...(ended?.code === undefined ? {} : { exit_code: ended.code, exit_origin: 'parsed' as const }),
  };
  const began = options.open?.(tool)?.cwd ?? event.cwd;
  const seen = await seenOf(options, event, call, session, facts, ended, began);
  const files: FileFact[] = [];
  const whole = call.files?.length === 1;
  for (const file of call.files ?? []) files.push(await fileFact(intake, file, whole, call.args, session));
  const told = intake.list(
    files.map((file) => ({ ...file })),
    given,
  );
  return {
    tool,
    args: kept,
    output: output === null ? null : await intake.keep(session, output),
    exit: { code: facts.exit_code, origin: facts.exit_origin },
    tests: seen?.pasted === true ? null : facts.tests,
    files: files.slice(0, told.length),
    sought:
      call.sought === undefined
        ? null
        : {
            ...call.sought,
            target: intake.word(call.sought.target, again),
            status: httpStatus(event.output),
          },
    leaves: facts.exit_code === null ? leftBy(call, intake) : null,
    ended,
    seen,
  };
}

/** The job whose end a result tells: by itself, or because it is what the job printed, after the host told its exit code. */
function endedBy({ ends, files }: HostCall, jobs: readonly Job[], intake: Intake): Job | null {
  if (ends !== undefined) {
    const job = jobs.find(({ name }) => name === ends.job);
    return job === undefined ? null : { ...job, code: ends.code };
  }
  const [file, ...more] = files ?? [];
  if (file?.op !== 'read' || more.length > 0) return null;
  const path = intake.word(file.path, new Traces());
  return jobs.find(({ code, output }) => code !== undefined && output === path) ?? null;
}

/** Null where it leaves nothing running that could be a check. */
function leftBy(call: HostCall, intake: Intake): Omit<Job, 'tree'> | null {
  const { leaves, id } = call;
  if (leaves === undefined) return null;
  const again = new Traces();
  const command = shellLine({ ...call, args: intake.clean(call.args, again) });
  if (command === null || !looksLikeCheck(command)) return null;
  return { name: intake.word(leaves, again), call: id === null ? null : intake.word(id, again), command };
}

/** The exit code of a command, where the host tells it nowhere but in its own record. */
async function exitTold(
  event: HostEvent & { readonly type: 'tool.result' },
  { reader }: PrepareOptions,
): Promise<Pick<Facts, 'exit_code' | 'exit_origin'> | null> {
  const { id, transcript, outcome } = event;
  const exitIn = reader?.exitIn;
  if (exitIn === undefined || event.shell !== true || id === null || transcript === null) return null;
  const code = await onceWritten(() => newestIn(transcript, JSON.stringify(id), (line) => exitIn(line, id)));
  return code === null || (code === 0 && outcome !== 'ok')
    ? null
    : { exit_code: code, exit_origin: 'parsed' };
}

/** The hash of a whole file that was written. An edit's pieces are none, nor is a patch, of one file or of many. */
async function fileFact(
  intake: Intake,
  { path, op, argMembers }: FileTouched,
  whole: boolean,
  args: Json,
  session: string,
): Promise<FileFact> {
  const again = new Traces();
  const clean = intake.word(path, again);
  const [member] = argMembers;
  const content =
    op === 'write' && whole && member !== undefined && typeof args === 'object' && args !== null
      ? (args as JsonObject)[member]
      : undefined;
  if (typeof content !== 'string' || content.startsWith('*** Begin Patch'))
    return { path: clean, op, hash: null, bytes: null };
  const { content_hash, content_bytes } = await intake.fileContent(session, content, again);
  return { path: clean, op, hash: content_hash, bytes: content_bytes };
}
