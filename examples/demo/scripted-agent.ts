// A stand-in for Claude Code that thinks nothing and runs nothing, but calls hooks as the real one does: it reads them
// from the project's settings when it starts, starts commands with the event on standard input, and posts to the rest.
import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../src/core/index.ts';
import { type Ended, runProgram } from './stage.ts';

export interface ScriptedAgent {
  /** One step of the agent. Gives what its hooks answered, of which there is one an event. */
  step(event: string, members?: JsonObject): Promise<Ended>;
  /** How many events went each way. */
  readonly sent: { command: number; http: number };
  /** Events to which a hook said anything at all. */
  readonly held: string[];
}

interface Hook {
  readonly type: string;
  readonly command?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AgentOptions {
  /** Its settings file. */
  readonly settings: string;
  readonly project: string;
  readonly env: NodeJS.ProcessEnv;
  readonly session: string;
}

export function startAgent({ settings, project, env, session }: AgentOptions): ScriptedAgent {
  const { hooks } = JSON.parse(readFileSync(settings, 'utf8')) as {
    hooks: Record<string, { hooks: Hook[] }[]>;
  };
  const sent = { command: 0, http: 0 };
  const held: string[] = [];
  return {
    sent,
    held,
    async step(event, members = {}) {
      const hook = hooks[event]?.[0]?.hooks[0];
      if (hook === undefined) throw new Error(`there is no hook for ${event} in ${settings}`);
      const input = JSON.stringify({ ...hostMembers(session, project), hook_event_name: event, ...members });
      const answer =
        hook.type === 'http'
          ? await post(hook, input)
          : await runProgram(['/bin/sh', '-c', hook.command ?? ''], { cwd: project, env, input });
      sent[hook.type === 'http' ? 'http' : 'command']++;
      if (answer.exit !== 0 || answer.stdout !== '') held.push(event);
      return answer;
    },
  };
}

/** What the host puts into every event. */
export function hostMembers(session: string, project: string): JsonObject {
  return {
    session_id: session,
    transcript_path: `${project}/transcript.jsonl`,
    cwd: project,
    permission_mode: 'default',
  };
}

/** As the host takes it: the body of a success is an answer, everything else is none. */
async function post({ url = '', headers = {} }: Hook, body: string): Promise<Ended> {
  try {
    const more = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers: { ...headers, ...more }, body });
    const text = await response.text();
    return response.ok ? { exit: 0, stdout: text, stderr: '' } : { exit: 1, stdout: '', stderr: text };
  } catch (error) {
    return { exit: 1, stdout: '', stderr: String(error) };
  }
}
