// An agent narrows the hook that tells of results, so that what it runs leaves no result. The host's list of a step's
// calls then has the call, with its output. That must not read as a call that was never made.
import { describe, expect, it } from 'vitest';
import { guardedProject } from './guarded-project.ts';

/** What the real Claude Code 2.1.220 puts in the place of an output, for calls that were not made. */
const DENIALS = [
  'PreToolUse:Bash hook error: because hook',
  'PreToolUse:Bash hook error: [/home/dev/deny.sh]: not here\n',
  'Permission to use Bash with command rm -rf nothing has been denied.',
  'Permission for this tool use was denied. It requires approval, and this session has no approval surface',
  'This command requires approval',
  "touch in '/home/dev/proj/x' needs approval. The path is inside the working directories for this session.",
  "Claude requested permissions to write to /home/dev/proj/w.txt, but you haven't granted it yet.",
  "The user doesn't want to proceed with this tool use. The tool use was rejected.",
];
const RAN = ['ran', '', 'Exit code 1', 'Exit code 1\nPermission denied', 'denied', null, { stdout: 'ran' }];

describe('a call whose result no hook told', () => {
  it('X15 is not called denied, and is a gap that names it; what the host denied is called denied', async () => {
    const { project, agent, tell, verify } = await guardedProject('observe');
    const args = { command: 'echo x' };
    const all = [...RAN, ...DENIALS];
    for (const i of all.keys()) await tell(agent.call(`c-${i}`, args));
    const tool_calls = all.map((tool_response, i) => ({
      tool_name: 'Bash',
      tool_input: args,
      tool_use_id: `c-${i}`,
      tool_response,
    }));
    await tell(agent.event('PostToolBatch', { tool_calls }));
    const entries = project.recorded();
    const denied = entries
      .filter(({ kind }) => kind === 'tool.denied')
      .map(({ payload }) => payload.tool_use_id);
    expect(denied).toEqual(DENIALS.map((_, i) => `c-${RAN.length + i}`));
    const gaps = entries.filter(({ kind }) => kind === 'gap');
    expect(gaps.map(({ payload }) => [payload.calls, payload.why])).toEqual([
      [RAN.map((_, i) => `c-${i}`), expect.stringContaining('no hook reported how they ended')],
    ]);
    expect((await verify()).facets.integrity.findings).toEqual([]);
  });

  it('X15 is not a refusal of the person who was asked', async () => {
    const { project, agent, tell } = await guardedProject('observe');
    const args = { command: 'make deploy' };
    await tell(agent.call('c', args));
    await tell(agent.asks(args));
    const call = { tool_name: 'Bash', tool_input: args, tool_use_id: 'c', tool_response: 'deployed' };
    await tell(agent.event('PostToolBatch', { tool_calls: [call] }));
    const states = project
      .recorded()
      .flatMap(({ kind, payload }) => (kind === 'approval' ? [payload.state] : []));
    expect(states).toEqual(['asked']);
    expect(project.recorded().at(-1)).toMatchObject({ kind: 'gap', payload: { calls: ['c'] } });
  });
});
