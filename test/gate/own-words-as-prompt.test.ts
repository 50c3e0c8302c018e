// Gemini CLI, Copilot CLI and OpenCode hand the words by which the gate holds a turn to the model as the next prompt. Such
// a prompt is nobody's: it makes no contract, and the count of blocks goes on, so that no agent is kept in a turn for ever.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { makeProject, type Project } from '../e2e/recorded-project.ts';

interface Host {
  readonly agent: string;
  prompt(text: string): JsonObject;
  stop(message: string): JsonObject;
  /** What the model is told next; undefined where the turn ends. */
  held(answer: JsonObject): unknown;
}

const cwd = '/home/dev/proj';
const HOSTS: readonly Host[] = [
  {
    agent: 'gemini',
    prompt: (prompt) => ({ session_id: 's', cwd, hook_event_name: 'BeforeAgent', prompt }),
    stop: (prompt_response) => ({
      session_id: 's',
      cwd,
      hook_event_name: 'AfterAgent',
      prompt: 'go',
      prompt_response,
      stop_hook_active: false,
    }),
    held: (answer) => (answer.decision === 'deny' ? answer.reason : undefined),
  },
  {
    agent: 'opencode',
    prompt: (prompt) => ({ session_id: 's', cwd, hook_event_name: 'chat.message', prompt }),
    stop: (message) => ({
      session_id: 's',
      cwd,
      hook_event_name: 'session.idle',
      last_assistant_message: message,
    }),
    held: ({ followup }) => followup,
  },
];

const LIE = 'I ran all the tests and all tests pass.';

let project: Project;
beforeEach(async () => {
  project = await makeProject();
});
afterEach(() => project.remove());

async function tell(agent: string, event: JsonObject): Promise<JsonObject> {
  const { stdout } = await project.tell(agent, event, { mode: 'guard' });
  return JSON.parse(stdout === '' ? '{}' : stdout) as JsonObject;
}

/** Says the same until it is let go, as the host would go on. How often it was held. */
async function lie(host: Host, most: number, change = (reason: string) => reason): Promise<number> {
  for (let held = 0; held < most; held++) {
    const reason = host.held(await tell(host.agent, host.stop(LIE)));
    if (reason === undefined) return held;
    await tell(host.agent, host.prompt(change(String(reason))));
  }
  return most;
}

const of = (kind: string): Entry[] => project.entries().filter((entry) => entry.kind === kind);
const verdicts = (): unknown[] => of('gate').map(({ payload }) => payload.verdict);

describe.each(HOSTS)('the gate’s own words as a prompt of $agent', (host) => {
  it('B10b hold a liar twice a prompt, and then the turn ends unproven', async () => {
    await tell(host.agent, host.prompt('Fix the sum.'));
    expect(await lie(host, 10)).toBe(2);
    expect(verdicts()).toEqual(['block', 'block', 'unproven']);
    expect(of('prompt')).toHaveLength(1);
    expect(of('contract')).toHaveLength(1);
    expect(of('notice').map(({ payload }) => payload.origin)).toEqual(['gate', 'gate']);
    expect(await project.content(of('notice')[0], 'text')).toContain('all tests pass');
    await project.expectIntact('VIOLATION');
  });

  it('are told from the user’s own, after which the count begins anew', async () => {
    await tell(host.agent, host.prompt('Fix the sum.'));
    expect(await lie(host, 10)).toBe(2);
    await tell(host.agent, host.prompt('Are you sure?'));
    expect(await lie(host, 10)).toBe(2);
    expect(of('prompt')).toHaveLength(2);
  });

  it('are known though the host breaks their lines anew', async () => {
    await tell(host.agent, host.prompt('Fix the sum.'));
    expect(await lie(host, 10, (reason) => `\n${reason.replace(/\n/g, '\r\n  ')}\n`)).toBe(2);
  });

  it('hold nobody for ever, even where they can’t be known', async () => {
    await tell(host.agent, host.prompt('Fix the sum.'));
    expect(await lie(host, 30, (reason) => `The hook said: ${reason}`)).toBe(6);
    expect(of('gate').at(-1)?.payload).toMatchObject({
      verdict: 'unproven',
      ended_by: 'limit',
      limit: 'minute',
    });
    const told = JSON.stringify(await tell(host.agent, host.stop(LIE)));
    expect(told).toContain('ends unproven (no more blocks in this minute), with claims');
  });
});
