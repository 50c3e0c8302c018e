// Words that people read: what a verdict of the gate was about, and what an install says of files that it has just put right.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { summarizeExit } from '../../src/report/entry-summary.ts';
import { GATE_SUMMARIES } from '../../src/report/gate-summary.ts';
import { readToday } from '../../src/report/recent.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { newProject } from '../e2e/recorded-project.ts';
import { Sandbox } from './foil.ts';

describe('the log', () => {
  const gate = (more: JsonObject): string | undefined =>
    GATE_SUMMARIES.gate?.(
      { verdict: 'block', why: null, claims: [], extraction: 'ok', forged: [], ...more },
      null,
    );

  it('says what could not be read, and not that nothing was claimed', () => {
    expect(gate({ why: 'no-claim', extraction: 'schema_drift' })).toBe(
      'block: final message not readable (schema_drift)',
    );
    expect(gate({ verdict: 'silent', why: 'no-claim' })).toBe('silent (no-claim)');
  });

  it('tells a host that let a turn go from one that can not be held', () => {
    expect(gate({ verdict: 'unproven', ended_by: 'host', host: { blocks: 8, cap: 8 } })).toContain(
      "the host's own limit of blocks",
    );
    expect(gate({ verdict: 'unproven', ended_by: 'host' })).toContain("this agent can't be blocked");
  });

  it.each(['prompt', 'minute', 'session'])('says which limit of ours let a turn go: %s', (limit) => {
    const ended = { verdict: 'unproven', ended_by: 'limit' };
    expect(gate({ ...ended, limit })).toBe(`unproven  let go after our last block of this ${limit}`);
    // Entries of earlier versions don't say which.
    expect(gate(ended)).toContain('of this prompt, minute or session');
  });

  it('says of every exit code where it came from', () => {
    const exit = (exit_origin: string): string =>
      summarizeExit({ tool: 'bash', result: 'ok', exit_code: 1, exit_origin });
    expect(['host', 'parsed'].map(exit)).toEqual(['exit 1 (host)', 'exit 1 (parsed)']);
  });

  it("says of a policy that nobody accepted that it is the project's", () => {
    expect(GATE_SUMMARIES.policy?.({ policy_hash: 'a'.repeat(64), accepted_by: null }, null)).toContain(
      "the project's policy, not accepted by an operator",
    );
  });
});

it('status tells of calls without a result, once their turn has ended', async () => {
  const project = await newProject();
  const tell = (hook_event_name: string, more: JsonObject): Promise<unknown> =>
    project.tell('codex', { session_id: 's', cwd: project.work, hook_event_name, ...more });
  const endless = async (): Promise<number> => {
    const store = openFileStore(project.directory);
    const { endless } = await readToday(store, project.entries().length, '2000-01-01T00:00:00.000Z');
    await store.close();
    return endless;
  };
  await tell('UserPromptSubmit', { prompt: 'Patch it.' });
  const call = { tool_name: 'Bash', tool_input: { command: 'apply_patch' } };
  await tell('PreToolUse', { ...call, tool_use_id: 'a' });
  await tell('PreToolUse', { ...call, tool_use_id: 'b' });
  await tell('PostToolUse', { ...call, tool_use_id: 'b', tool_response: 'ok' });
  expect(await endless()).toBe(0);
  await tell('Stop', { last_assistant_message: 'Hello.', stop_hook_active: false });
  expect(await endless()).toBe(1);
});

describe('foil install', () => {
  let sandbox: Sandbox;
  beforeEach(() => {
    sandbox = new Sandbox();
  });
  afterEach(() => sandbox.remove());

  it('does not warn of hooks that it has just rewritten', () => {
    sandbox.ok(['install', 'codex']);
    const written = sandbox.read('.codex/hooks.json');
    sandbox.write('.codex/hooks.json', written.replaceAll('"timeout": 30', '"timeout": 31'));
    const { warnings } = sandbox.json(['install', 'codex']) as { warnings: string[] };
    expect(warnings.filter((warning) => warning.includes('hooks.json has hooks'))).toEqual([]);
    expect(sandbox.read('.codex/hooks.json')).toBe(written);
  });

  it('asks Codex for no more time than it gives at the end of a session', () => {
    sandbox.ok(['install', 'codex']);
    const { hooks } = JSON.parse(sandbox.read('.codex/hooks.json')) as {
      hooks: Record<string, { hooks: { timeout: number }[] }[]>;
    };
    expect(hooks.SessionEnd?.[0]?.hooks[0]?.timeout).toBe(3);
    expect(hooks.Stop?.[0]?.hooks[0]?.timeout).toBe(30);
  });
});
