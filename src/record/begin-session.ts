// How a program's session begins: its first entry, from whose place its id follows.
import { isHash, sessionIdOf } from '../core/index.ts';
import { encodeSessionStart, withTraces } from '../format/index.ts';
import { encodeBlock, type NewEntry } from '../ledger/index.ts';
import { redactionName } from './config.ts';
import { Traces } from './intake.ts';
import { appendFailed } from './record-error.ts';
import { ProgramSession, type RecorderOptions, type SessionOptions } from './session.ts';

/** Durable when it resolves. */
export async function beginSession(
  recorder: RecorderOptions,
  options: SessionOptions,
): Promise<ProgramSession> {
  const { store, intake, config, now = Date.now, source, run } = recorder;
  if (options.resumes !== undefined && !isHash(options.resumes))
    throw new RangeError('resumes is the id of a session, 64 hex digits');
  const traces = new Traces();
  const agent = intake.word(options.agent ?? recorder.agent, traces);
  const agentSession = options.agentSession === undefined ? null : intake.word(options.agentSession, traces);
  const trigger = intake.word(options.trigger ?? 'program', traces);
  const joined = { agent, agent_id: null, agent_type: null, agent_session: agentSession, trigger };
  const payload = encodeSessionStart({
    agent,
    agentSession,
    workspaceRoot: intake.word(recorder.workspaceRoot, traces),
    trigger,
    resumes: options.resumes ?? null,
    interaction: source,
    mode: recorder.mode ?? 'guard',
    content: config.content,
    hashes: config.hashes,
    redaction: redactionName(recorder.redaction),
    configHash: config.hash,
    transcript: null,
    pid: recorder.pid === undefined ? process.pid : recorder.pid,
  });
  let session = '';
  let first = 0;
  try {
    await store.append((head) => {
      first = head.seq + 1;
      session = run ?? sessionIdOf({ prevHash: head.hash });
      const draft: NewEntry = {
        kind: run === undefined ? 'session.start' : 'agent.start',
        source,
        session_id: session,
        payload: withTraces(run === undefined ? payload : joined, traces),
      };
      return encodeBlock([draft], head, now());
    });
  } catch (error) {
    throw appendFailed('the beginning of the session', error);
  }
  return new ProgramSession(recorder, session, first);
}
