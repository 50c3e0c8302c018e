// An event before the store's section is entered: cleaned, its content kept, its facts found, and what a command or a
// prompt is good for as evidence. Everything that takes time is done here, so that the section stays short. What the
// judge throws is a crash of the gate's, which is recorded, and the event goes on.
import type { Json, JsonObject } from '../../core/index.ts';
import type { FileFact, Override, ToolFacts } from '../../format/index.ts';
import { looksLikeCheck } from '../../shell/index.ts';
import { type Facts, factsOf, runsLine, shellLine } from '../facts/facts.ts';
import { pathsOf } from '../facts/paths.ts';
import { type Intake, Traces } from '../intake.ts';
import { callsOf, contentOf, hostTime, httpStatus, membersOf, wordsOf } from './event-parts.ts';
import type { FileTouched, HostCall, HostEvent, JobEnd } from './host-event.ts';
import { linkTargets } from './link-targets.ts';
import { type Asked, NO_EXIT, type Prepared, type PreparedCall, type PrepareOptions } from './prepared.ts';
import { seenOf } from './seen-call.ts';
import type { Job } from './session-state.ts';
import { newestIn, onceWritten, transcriptEnd } from './transcript.ts';

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
