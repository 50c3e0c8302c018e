// What each host is told, as literal output: for each event a pass, a pass with a message, and a refusal.
import { describe, expect, it } from 'vitest';
import { ADAPTERS, adapterOf } from '../../../src/capture/hooks/index.ts';
import type { HostEvent } from '../../../src/record/index.ts';

/** An event of this name, of which nothing was understood: the answer must go by the name. */
function event(agent: string, name: string): HostEvent {
  return adapterOf(agent)!.read({ hook_event_name: name, tool_name: 7, prompt: 7 }, null)[0]!;
}

const ok = (stdout: string, stderr = '') => ({ exit: 0, stdout, stderr });
const system = '{"systemMessage":"no disk"}';
const preTool =
  '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no disk"}}';
const permission =
  '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no disk"}}}';
const block = '{"decision":"block","reason":"no disk"}';
const halt = '{"continue":false,"stopReason":"no disk"}';
const flat = '"permissionDecision":"deny","permissionDecisionReason":"no disk"';
const progress = '{"type":"progress","message":"no disk"}';
const cursorDeny = '{"permission":"deny","user_message":"no disk","agent_message":"no disk"}';

/** Host, what it prints without an opinion and with a message, and what it prints to refuse, by event. */
const TABLE: [string, ReturnType<typeof ok>, ReturnType<typeof ok>, Record<string, ReturnType<typeof ok>>][] =
  [
    [
      'claude-code',
      ok(''),
      ok(system),
      {
        PreToolUse: ok(preTool),
        PermissionRequest: ok(permission),
        UserPromptSubmit: ok(block),
        Stop: ok(block),
        PostToolUse: ok(halt),
        PostToolUseFailure: ok(halt),
        PostToolBatch: ok(halt),
        SessionStart: ok(system),
        SessionEnd: ok(system),
        SubagentStart: ok(system),
        SubagentStop: ok(block),
        PreCompact: ok(system),
        ConfigChange: ok(block),
        PermissionDenied: ok(system),
        Notification: ok(system),
      },
    ],
    [
      'codex',
      ok(''),
      ok(system),
      {
        PreToolUse: ok(preTool),
        PermissionRequest: ok(permission),
        UserPromptSubmit: ok(block),
        Stop: ok(block),
        PostToolUse: ok(halt),
        SessionStart: ok(system),
        SubagentStart: ok(system),
        SubagentStop: ok(block),
        PreCompact: ok(system),
        PostCompact: ok(system),
      },
    ],
    [
      'gemini',
      ok('{}'),
      ok(system),
      {
        BeforeTool: ok('{"decision":"deny","reason":"no disk"}'),
        BeforeAgent: ok('{"decision":"deny","reason":"no disk"}'),
        AfterAgent: ok('{"decision":"deny","reason":"no disk"}'),
        AfterTool: ok(halt),
        SessionStart: ok(system),
        SessionEnd: ok(system),
        PreCompress: ok(system),
        Notification: ok(system),
      },
    ],
    [
      'copilot',
      ok(''),
      ok(progress),
      {
        preToolUse: ok(`{${flat}}`),
        PreToolUse: ok(`{${flat},"hookSpecificOutput":{"hookEventName":"PreToolUse",${flat}}}`),
        permissionRequest: ok('{"behavior":"deny","message":"no disk"}'),
        PermissionRequest: ok('{"behavior":"deny","message":"no disk"}'),
        agentStop: ok(block),
        Stop: ok(block),
        postToolUse: ok('{"additionalContext":"no disk"}'),
        PostToolUse: ok('{"additionalContext":"no disk"}'),
        UserPromptSubmit: ok(progress),
        userPromptSubmitted: ok(progress),
        PostToolUseFailure: ok(progress),
        SessionStart: ok(progress),
        subagentStart: ok(progress),
        SubagentStop: ok(block),
        ErrorOccurred: ok(progress),
      },
    ],
    [
      'cursor',
      ok('{}'),
      ok('{}', 'no disk\n'),
      {
        preToolUse: ok(cursorDeny),
        beforeShellExecution: ok(cursorDeny),
        beforeMCPExecution: ok(cursorDeny),
        beforeReadFile: ok(cursorDeny),
        beforeSubmitPrompt: ok('{"continue":false,"user_message":"no disk"}'),
        stop: ok('{"followup_message":"no disk"}'),
        postToolUse: ok('{"additional_context":"no disk"}'),
        postToolUseFailure: ok('{}', 'no disk\n'),
        afterShellExecution: ok('{}', 'no disk\n'),
        sessionStart: ok('{}', 'no disk\n'),
        subagentStart: ok('{}', 'no disk\n'),
        afterAgentResponse: ok('{}', 'no disk\n'),
      },
    ],
    [
      'opencode',
      ok('{}'),
      ok('{"message":"no disk"}'),
      {
        'tool.execute.before': ok('{"deny":"no disk"}'),
        'tool.execute.after': ok('{"deny":"no disk"}'),
        'chat.message': ok('{"deny":"no disk"}'),
        'session.idle': ok('{"followup":"no disk"}'),
        'session.created': ok('{"message":"no disk"}'),
        'tool.error': ok('{"message":"no disk"}'),
        'permission.asked': ok('{"message":"no disk"}'),
      },
    ],
  ];

describe.each(TABLE)('%s', (agent, pass, message, refusals) => {
  const adapter = adapterOf(agent)!;

  it.each(Object.keys(refusals))('%s: no opinion, a message, a refusal', (name) => {
    expect(adapter.answer(event(agent, name), { verdict: 'pass' })).toEqual(pass);
    expect(adapter.answer(event(agent, name), { verdict: 'pass', message: 'no disk' })).toEqual(message);
    expect(adapter.answer(event(agent, name), { verdict: 'deny', reason: 'no disk' })).toEqual(
      refusals[name],
    );
  });

  it('has an answer here for every event that install registers', () => {
    const missing = adapter.events.map((each) => each.name).filter((name) => !(name in refusals));
    const told = [
      'PostCompact',
      'SessionEnd',
      'sessionEnd',
      'PreCompact',
      'preCompact',
      'subagentStop',
      'SubagentStop',
    ];
    expect(missing.filter((name) => !told.includes(name))).toEqual([]);
  });

  it('refuses by exit code and standard error what could not be read', () => {
    const refusal = { exit: 2, stdout: '', stderr: 'no disk\n' };
    expect(adapter.denyBlind('no disk')).toEqual(refusal);
    expect(adapter.answer(adapter.read('', null)[0]!, { verdict: 'deny', reason: 'no disk' })).toEqual(
      refusal,
    );
  });

  it('never grants, and never refuses without a reason', () => {
    for (const name of Object.keys(refusals)) {
      expect(adapter.answer(event(agent, name), { verdict: 'pass' }).stdout).not.toMatch(/allow|approve/);
      const empty = adapter.answer(event(agent, name), { verdict: 'deny', reason: ' \n' });
      expect(`${empty.stdout}${empty.stderr}`).toContain('Counterfoil could not record this.');
    }
  });
});

it('WorktreeCreate is told nothing: what its hook prints is a path', () => {
  const adapter = adapterOf('claude-code')!;
  const created = event('claude-code', 'WorktreeCreate');
  expect(adapter.answer(created, { verdict: 'deny', reason: 'no' })).toEqual(ok(''));
  expect(adapter.answer(created, { verdict: 'pass', message: 'hm' })).toEqual(ok(''));
  expect(ADAPTERS.flatMap((each) => each.events.map((one) => one.name))).not.toContain('WorktreeCreate');
});

it('a subagent of OpenCode that stops is not sent on', () => {
  const adapter = adapterOf('opencode')!;
  const idle = adapter.read({ hook_event_name: 'session.idle', session_id: 's', agent_id: 'a' }, null)[0]!;
  expect(adapter.answer(idle, { verdict: 'deny', reason: 'no' })).toEqual(ok('{"message":"no"}'));
});

describe('the list of adapters', () => {
  it('has each agent once, with its vantage point, and says which were seen', () => {
    expect(ADAPTERS.map((each) => [each.agent, each.source, each.seen])).toEqual([
      ['claude-code', 'hook:claude-code', true],
      ['codex', 'hook:codex', true],
      ['gemini', 'hook:gemini', true],
      ['copilot', 'hook:copilot', true],
      ['cursor', 'hook:cursor', false],
      ['opencode', 'hook:opencode', true],
    ]);
    expect(adapterOf('nobody')).toBeUndefined();
    expect(adapterOf('constructor')).toBeUndefined();
  });

  it('registers, for every host with hooks, a tool event, the prompt, the stop and the session, each once', () => {
    for (const { agent, events } of ADAPTERS.filter((each) => each.agent !== 'opencode')) {
      const kinds = new Set(events.map((each) => each.kind));
      expect([...kinds].sort(), agent).toEqual(['other', 'prompt', 'session', 'stop', 'tool']);
      expect(new Set(events.map((each) => each.name)).size, agent).toBe(events.length);
    }
  });
});
