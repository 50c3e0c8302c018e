// Who `foil session show` calls a subagent: not the host that joined the session of a run.
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { summarizeSession } from '../../src/report/session-summary.ts';

function subagents(...told: readonly (readonly [string, JsonObject])[]): unknown {
  const { add, done } = summarizeSession();
  for (const [i, [kind, payload]] of told.entries())
    add({
      seq: i + 1,
      kind,
      payload,
      session_id: 's',
      cause: null,
      ts: '2026-11-16T10:00:00Z',
    } as unknown as Entry);
  return done().subagents;
}

it('a host that joins the session of a run is no subagent with 0 calls', () => {
  const host = { agent: 'claude-code', agent_id: null, agent_type: null };
  const call = { tool: 'Bash', tool_use_id: 'c1', agent_id: null };
  expect(
    subagents(['agent.start', { ...host, trigger: 'startup' }], ['tool.call', call], ['agent.end', host]),
  ).toEqual([]);
});

it('the end of a host does not end a subagent without an id, whose calls nobody can count', () => {
  const host = { agent: 'codex', agent_id: null, agent_type: null };
  expect(subagents(['agent.start', { agent_id: null, agent_type: 'Explore' }], ['agent.end', host])).toEqual([
    { id: null, type: 'Explore', calls: null, ended: false },
  ]);
});

it('a subagent with an id has its calls', () => {
  const who = { agent_id: 'a7', agent_type: 'Explore' };
  expect(
    subagents(['agent.start', who], ['tool.call', { tool: 'Bash', agent_id: 'a7' }], ['agent.end', who]),
  ).toEqual([{ id: 'a7', type: 'Explore', calls: 1, ended: true }]);
});
