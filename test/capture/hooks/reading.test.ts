// Events for which there is no sample: from the hosts' documents, one of each. Only what differs from the common members
// is written out.
import { describe, expect, it } from 'vitest';
import { adapterOf } from '../../../src/capture/hooks/index.ts';
import type { Json, JsonObject } from '../../../src/core/index.ts';
import type { HostEvent } from '../../../src/record/index.ts';
import { touched } from './documented.ts';
import { CLAUDE, CODEX } from './documented-claude-shape.ts';
import { CURSOR, OPENCODE } from './documented-cursor-opencode.ts';
import { COPILOT, GEMINI } from './documented-gemini-copilot.ts';

const COMMON = ['name', 'agent', 'session', 'cwd', 'transcript', 'agentId', 'promptId', 'at'];

/** The events, without what all have in common. */
function bodies(agent: string, input: Json, event: string | null = null): JsonObject[] {
  const read = adapterOf(agent)!.read(input, event);
  return read.map((each) =>
    Object.fromEntries(
      Object.entries(each as unknown as JsonObject).filter(([name]) => !COMMON.includes(name)),
    ),
  );
}

function first(agent: string, input: Json, event: string | null = null): HostEvent {
  return adapterOf(agent)!.read(input, event)[0]!;
}

describe.each([
  ['claude-code', CLAUDE],
  ['codex', CODEX],
  ['gemini', GEMINI],
  ['copilot', COPILOT],
  ['cursor', CURSOR],
  ['opencode', OPENCODE],
])('%s', (agent, rows) => {
  it.each(rows)('reads %s', (name, input, expected) => {
    expect(bodies(agent, { hook_event_name: name, ...input })).toEqual([expected]);
  });
});

describe('what the hosts have in common', () => {
  it('goes by each one’s own names', () => {
    expect(
      first('codex', { hook_event_name: 'Stop', session_id: 's', turn_id: 't', agent_id: 'a', cwd: '/p' }),
    ).toMatchObject({
      agent: 'codex',
      session: 's',
      promptId: 't',
      agentId: 'a',
      cwd: '/p',
      transcript: null,
      at: null,
    });
    const input = {
      hook_event_name: 'stop',
      conversation_id: 'c',
      session_id: 's',
      generation_id: 'g',
      workspace_roots: ['/p', '/q'],
    };
    expect(first('cursor', input)).toMatchObject({
      session: 'c',
      promptId: 'g',
      cwd: '/p',
      facts: { session_id: 's', workspace_roots: ['/p', '/q'] },
    });
    for (const cwd of ['', '.', 'p']) expect(first('cursor', { ...input, cwd })).toMatchObject({ cwd: '/p' });
    expect(first('cursor', { ...input, cwd: '/q/r' })).toMatchObject({ cwd: '/q/r' });
    expect(first('cursor', { ...input, cwd: '', workspace_roots: [] })).toMatchObject({ cwd: null });
  });
});

describe('Copilot in camelCase', () => {
  const base = { sessionId: 's', timestamp: 1_704_614_600_000, cwd: '/p' };

  it('takes the name from the command line, time as a number and arguments as text', () => {
    const input = { ...base, toolName: 'bash', toolArgs: '{"command":"ls"}' };
    expect(adapterOf('copilot')!.read(input, 'preToolUse')).toEqual([
      {
        name: 'preToolUse',
        agent: 'copilot',
        session: 's',
        cwd: '/p',
        transcript: null,
        agentId: null,
        promptId: null,
        at: '2024-01-07T08:03:20.000Z',
        type: 'tool.call',
        tool: 'bash',
        id: null,
        args: { command: 'ls' },
        shell: true,
        facts: {},
      },
    ]);
  });

  it.each([
    [
      'postToolUse',
      {
        toolName: 'view',
        toolArgs: { path: '/f' },
        toolResult: { resultType: 'success', textResultForLlm: 'x' },
      },
      'tool.result',
    ],
    ['postToolUseFailure', { toolName: 'bash', toolArgs: {}, error: 'no' }, 'tool.result'],
    ['postToolUse', { toolName: 'bash', toolArgs: {}, toolResult: { resultType: 'denied' } }, 'tool.denied'],
    ['userPromptSubmitted', { prompt: 'hi' }, 'prompt'],
    ['sessionStart', { source: 'new' }, 'session.start'],
    ['sessionEnd', { reason: 'complete' }, 'session.end'],
    ['agentStop', { stopReason: 'end_turn', transcriptPath: '/t' }, 'stop'],
    ['subagentStart', { agentName: 'explore' }, 'agent.start'],
    ['subagentStop', { agentName: 'explore', response: 'x' }, 'agent.end'],
    ['preCompact', { trigger: 'auto' }, 'compaction'],
    ['errorOccurred', { error: { message: 'x' } }, 'observation'],
  ])('reads %s', (name, input, type) => {
    expect(first('copilot', { ...base, ...input }, name)).toMatchObject({ name, type, session: 's' });
  });

  it('survives a time that is none', () => {
    expect(first('copilot', { ...base, timestamp: 1e300 }, 'agentStop').at).toBe('1e+300');
  });
});

describe('what is not as it should be', () => {
  it.each([null, true, 7, 'text', ['PreToolUse']])('keeps %j, which is no object', (input) => {
    expect(bodies('claude-code', input, 'PreToolUse')).toEqual([
      { type: 'observation', problem: 'not-object', content: input, facts: {} },
    ]);
    expect(first('claude-code', input, 'PreToolUse').name).toBe('PreToolUse');
  });

  it.each([
    ['claude-code', { hook_event_name: 'PreToolUse', tool_name: 7, tool_input: {} }],
    ['claude-code', { hook_event_name: 'PreToolUse', tool_name: 'Bash' }],
    ['claude-code', { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_input: {} }],
    ['claude-code', { hook_event_name: 'UserPromptSubmit', prompt: ['hi'] }],
    ['claude-code', { hook_event_name: 'SubagentStop', last_assistant_message: { text: 'x' } }],
    ['claude-code', { hook_event_name: 'Stop', session_id: 5 }],
    [
      'claude-code',
      { hook_event_name: 'PostToolBatch', tool_calls: [{ tool_name: 'Bash', tool_input: {} }, 'x'] },
    ],
    ['claude-code', { session_id: 's', prompt: 'no name' }],
    ['gemini', { hook_event_name: 'BeforeAgent', prompt: null }],
    ['copilot', { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_input: {}, tool_result: 'text' }],
    ['cursor', { hook_event_name: 'beforeShellExecution', command: ['ls'] }],
    ['opencode', { hook_event_name: 'tool.execute.after', tool_name: 'bash', tool_input: {} }],
  ])('%s keeps an event of the wrong shape whole: %j', (agent, input) => {
    expect(bodies(agent, input)).toEqual([
      { type: 'observation', problem: 'bad-shape', content: input, facts: {} },
    ]);
  });

  it.each(['claude-code', 'codex', 'gemini', 'copilot', 'cursor', 'opencode'])(
    '%s keeps an event that nobody knows',
    (agent) => {
      for (const name of ['FutureEvent', 'constructor', '__proto__', 'toString']) {
        const input = { hook_event_name: name, cwd: '/p', news: { deep: [1, { x: 2 }] } };
        expect(bodies(agent, input)).toEqual([
          { type: 'observation', problem: null, content: input, facts: {} },
        ]);
        expect(first(agent, input)).toMatchObject({ name, cwd: '/p' });
      }
    },
  );

  it('keeps a member of the wrong type beside what is right', () => {
    const input = {
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: {},
      tool_use_id: 7,
      cwd: false,
    };
    expect(first('claude-code', input)).toMatchObject({
      type: 'tool.call',
      id: null,
      cwd: null,
      facts: { tool_use_id: 7, cwd: false },
    });
  });

  it('keeps what is too large for the entry in an observation of its own', () => {
    const summary = 'x'.repeat(2000);
    expect(
      bodies('claude-code', { hook_event_name: 'PostCompact', trigger: 'auto', compact_summary: summary }),
    ).toEqual([
      { type: 'compaction', phase: 'after', trigger: 'auto', facts: {} },
      { type: 'observation', problem: null, content: { compact_summary: summary }, facts: {} },
    ]);
  });

  it('K4 keeps only the name of a large unknown member beside a file that is written', () => {
    const input = {
      hook_event_name: 'PreToolUse',
      tool_name: 'Write',
      tool_input: { file_path: '/f', content: 'x' },
      preview: 'x'.repeat(2000),
    };
    const read = bodies('claude-code', input);
    expect(read).toHaveLength(1);
    expect(read[0]).toMatchObject({ type: 'tool.call', facts: { omitted: ['preview'] } });
    expect(JSON.stringify(read)).not.toContain('xxx');
  });

  it('K4 hides every part of an output that repeats what was written', () => {
    const content = 'export const answer = 42;';
    const input = {
      hook_event_name: 'PostToolUse',
      tool_name: 'Write',
      tool_input: { file_path: '/f', content },
      tool_response: { filePath: '/f', warnings: [{ line: `1: ${content}` }], note: 'fine' },
    };
    expect(bodies('claude-code', input)[0]).toMatchObject({
      files: [touched('/f', 'write', ['content'], ['warnings'])],
    });
  });

  it('K4 hides a patch in a form that it can not read', () => {
    const input = {
      hook_event_name: 'PreToolUse',
      tool_name: 'apply_patch',
      tool_input: { command: '--- a/x\n+++ b/x' },
    };
    expect(bodies('codex', input)[0]).toMatchObject({ files: [touched('', 'edit', ['command'])] });
  });

  it('O4 touches every file that a call names, whichever member counts', () => {
    const files = (agent: string, tool_name: string, tool_input: JsonObject) => {
      const read = bodies(agent, { hook_event_name: 'PreToolUse', tool_name, tool_input });
      return read.flatMap((each) => each.files as JsonObject[]).map(({ path, op }) => [path, op]);
    };
    const patch = '*** Begin Patch\n*** Add File: /etc/x\n+1\n*** End Patch';
    const named = { path: 'src/a', file_path: '/etc/x' };
    expect(files('copilot', 'Read', named)).toEqual([
      ['src/a', 'read'],
      ['/etc/x', 'read'],
    ]);
    expect(files('copilot', 'Write', { ...named, filePath: ['b'], content: '' })).toEqual([
      ['src/a', 'write'],
      ['/etc/x', 'write'],
      ['', 'write'],
    ]);
    expect(files('copilot', 'Edit', { path: 'src/a', input: patch })).toEqual([
      ['src/a', 'edit'],
      ['/etc/x', 'write'],
    ]);
    expect(files('copilot', 'Edit', { path: 'src/a', command: 'str_replace', old_str: 'a' })).toEqual([
      ['src/a', 'edit'],
    ]);
  });
});
