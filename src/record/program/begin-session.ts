// How a program's session begins: its first entry, from whose place its id follows.

import { redactionName } from '../../config/index.ts';
import { isHash, type JsonObject } from '../../core/index.ts';
import { type SessionStart, withTraces } from '../../format/index.ts';
import { type Build, encodeBlock, type NewEntry } from '../../ledger/index.ts';
import {
  beginEntries,
  bindBlock,
  branchState,
  newChain,
  ownChain,
  processFact,
  sharedChain,
} from '../../session/index.ts';
import { Traces } from '../intake.ts';
import { appendFailed } from '../record-error.ts';
import { tellTaken } from './notes.ts';
import { ProgramSession } from './program-session.ts';
import type { RecorderOptions, SessionOptions } from './session.ts';

/** Durable when it resolves. */
export async function beginSession(
  recorder: RecorderOptions,
  options: SessionOptions,
): Promise<ProgramSession> {
  const { store, intake, config, now = Date.now, source, run, blocks, guard } = recorder;
  if (options.resumes !== undefined && !isHash(options.resumes))
    throw new RangeError('resumes must be the id of a session, 64 hex digits');
  if (options.pack !== undefined && !isHash(options.pack))
    throw new RangeError('pack must be the root of a harness pack, 64 hex digits');
  if (options.capabilities !== undefined && !isHash(options.capabilities))
    throw new RangeError('capabilities must be the hash of grants, 64 hex digits');
  const traces = new Traces();
  const agent = intake.word(options.agent ?? recorder.agent, traces);
  const agentSession = options.agentSession === undefined ? null : intake.word(options.agentSession, traces);
  const trigger = intake.word(options.trigger ?? 'program', traces);
  const { interactionKind = 'response', interaction = source } = options;
  const pid = recorder.pid === undefined ? process.pid : recorder.pid;
  const start: SessionStart = {
    agent,
    agentSession,
    workspaceRoot: intake.word(recorder.workspaceRoot, traces),
    trigger,
    resumes: options.resumes ?? null,
    pack: options.pack ?? null,
    capabilities: options.capabilities ?? recorder.authority?.grants ?? null,
    ...(options.gateway === undefined ? {} : { gateway: options.gateway }),
    interaction,
    interactionKind,
    mode: recorder.mode?.() ?? 'guard',
    content: config.content,
    hashes: config.hashes,
    redaction: redactionName(recorder.redaction),
    configHash: config.hash,
    transcript: null,
    hostProcess: pid === null ? null : processFact(pid),
  };
  const block = run === undefined ? ((await blocks?.newest()) ?? null) : null;
  const bound = bindBlock(block, blocks !== undefined);
  const auth = run === undefined ? guard?.auth.begin() : undefined;
  const finish = (payload: JsonObject): JsonObject => withTraces(payload, traces);
  let id = run ?? '';
  let first = 0;
  const build =
    (told: readonly NewEntry[]): Build =>
    (head, _, shared) => {
      first = head.seq + 1;
      if (run !== undefined) {
        const payload = finish({
          agent,
          agent_id: null,
          agent_type: null,
          agent_session: agentSession,
          trigger,
        });
        const joins = { kind: 'agent.start', source, session_id: run, payload };
        return encodeBlock([joins, ...told], head, now());
      }
      const begun = beginEntries(head, { source, start, bound, shared, finish, auth });
      id = begun.session;
      return { ...encodeBlock([...begun.drafts, ...told], head, now()), ...begun.states };
    };
  try {
    await tellTaken(recorder.notes, source, (told) => store.append(build(told), branchState(bound)));
  } catch (error) {
    throw appendFailed('the beginning of the session', error);
  }
  const authKey = run === undefined ? (auth?.key?.id ?? null) : (guard?.joinedKey ?? null);
  const isShared = interaction !== source || authKey !== null;
  return new ProgramSession(recorder, {
    id,
    first,
    chain: run !== undefined || isShared ? sharedChain(id, source) : ownChain(id),
    shares: run === undefined && isShared ? { ...newChain(id), source: interaction, authKey } : null,
    interactionKind,
    unanchored: run === undefined && blocks !== undefined && block === null,
    authKey,
    authFailure: auth?.failure ?? null,
  });
}

/** A session of ours that another process began and did not end, as a run's is after a crash. Nothing is written. */
export function rejoinSession(
  recorder: RecorderOptions,
  { id, first, authKey }: Pick<ProgramSession, 'id' | 'first' | 'authKey'>,
): ProgramSession {
  return new ProgramSession(recorder, {
    id,
    first,
    chain: authKey === null ? ownChain(id) : sharedChain(id, recorder.source),
    shares: null,
    interactionKind: 'response',
    unanchored: false,
    authKey,
    authFailure: null,
  });
}
