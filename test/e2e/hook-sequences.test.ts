// What hosts do over several events: how denials, permissions, parallel calls, subagents and resumed sessions are
// joined. Each test is a session of its own at one real service.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { ClaudeSession } from './claude-host.ts';
import { makeProject, type Project, post, type Serving } from './recorded-project.ts';

let project: Project;
let serving: Serving;
let count = 0;

beforeAll(async () => {
  project = await makeProject();
  serving = await project.serve();
});
afterAll(async () => {
  await project.expectIntact();
  await project.remove();
});

/** Tells them one after the other, and gives what each left. */
async function tell(agent: string, ...events: readonly JsonObject[]): Promise<Entry[][]> {
  const left: Entry[][] = [];
  for (const event of events) {
    const before = project.recorded().length;
    expect(await post(serving, agent, event)).toMatchObject({ status: 200 });
    left.push(project.recorded().slice(before));
  }
  return left;
}

const claude = (): ClaudeSession => new ClaudeSession(`session-${++count}`);
const kinds = (entries: readonly Entry[] | undefined): string[] => (entries ?? []).map(({ kind }) => kind);

describe('denied calls and permissions', () => {
  it('X15 a call that only the batch tells of as over was denied', async () => {
    const host = claude();
    const [, [ran] = [], [refused] = [], result, batch] = await tell(
      'claude-code',
      host.prompt('go on'),
      host.call('ran'),
      host.call('refused'),
      host.result('ran'),
      host.batch('ran', 'refused'),
    );
    expect(result?.[0]?.cause).toBe(ran?.seq);
    expect(kinds(batch)).toEqual(['tool.denied']);
    expect(batch?.[0]).toMatchObject({
      cause: refused?.seq,
      payload: {
        tool: 'Bash',
        tool_use_id: 'refused',
        args_hash: refused?.payload.args_hash,
        by: 'host',
        reason: null,
        seen_in: 'PostToolBatch',
      },
    });
  });

  it('X15 when permission had been asked, the batch shows that the person refused, and after how long', async () => {
    const host = claude();
    const [, [call] = [], [asked] = [], batch, end] = await tell(
      'claude-code',
      host.prompt('delete it'),
      host.call('no'),
      host.asks({ command: 'echo no' }),
      host.batch('no'),
      host.end(),
    );
    expect(asked).toMatchObject({
      kind: 'approval',
      cause: call?.seq,
      payload: { state: 'asked', tool_use_id: 'no', args_hash: call?.payload.args_hash, waited_ms: null },
    });
    expect(kinds(batch)).toEqual(['approval', 'tool.denied']);
    expect(batch?.[0]).toMatchObject({
      cause: asked?.seq,
      payload: {
        state: 'denied',
        tool_use_id: 'no',
        args_hash: call?.payload.args_hash,
        waited_ms: expect.any(Number),
        waited_origin: 'inferred',
      },
    });
    expect(batch?.[0]?.payload.waited_ms).toBeGreaterThanOrEqual(0);
    expect(batch?.[1]).toMatchObject({ cause: call?.seq, payload: { by: 'user' } });
    expect(end?.[0]?.payload.counts).toMatchObject({ calls: 1, results: 0, denied: 1 });
  });

  it('X15 a permission that was granted is bound to the arguments that were shown', async () => {
    const host = claude();
    const args = { command: 'rm -rf build' };
    const [, [call] = [], [asked] = [], result] = await tell(
      'claude-code',
      host.prompt('clean up'),
      host.call('yes', args),
      host.asks(args),
      host.result('yes', args, 'Bash', { duration_ms: 0 }),
    );
    expect(kinds(result)).toEqual(['approval', 'tool.result']);
    expect(result?.[0]).toMatchObject({
      cause: asked?.seq,
      payload: { state: 'granted', tool_use_id: 'yes', args_hash: call?.payload.args_hash },
    });
    expect(asked?.payload.args_hash).toBe(call?.payload.args_hash);
    expect(result?.[0]?.payload.waited_ms).toBeGreaterThanOrEqual(0);
    expect(result?.[1]).toMatchObject({ cause: call?.seq, payload: { result: 'ok' } });
  });

  it('X15 two calls that wait for permission at once are told apart by their arguments', async () => {
    const host = claude();
    const [, [a] = [], [b] = [], [askedB] = [], [askedA] = [], resultA, batch] = await tell(
      'claude-code',
      host.prompt('both'),
      host.call('a'),
      host.call('b'),
      host.asks({ command: 'echo b' }),
      host.asks({ command: 'echo a' }),
      host.result('a'),
      host.batch('a', 'b'),
    );
    expect([askedB?.cause, askedA?.cause]).toEqual([b?.seq, a?.seq]);
    expect(resultA?.map(({ cause }) => cause)).toEqual([askedA?.seq, a?.seq]);
    expect(batch?.map(({ cause }) => cause)).toEqual([askedB?.seq, b?.seq]);
  });

  it('what a failed call and its arguments were asked for is granted as well', async () => {
    const host = claude();
    const [, , , failed] = await tell(
      'claude-code',
      host.prompt('try'),
      host.call('f'),
      host.asks({ command: 'echo f' }),
      host.failure('f', 'Exit code 2\nno'),
    );
    expect(kinds(failed)).toEqual(['approval', 'tool.result']);
    expect(failed?.[0]?.payload.state).toBe('granted');
    expect(failed?.[1]?.payload).toMatchObject({ result: 'error', exit_code: 2, exit_origin: 'parsed' });
  });

  it('a batch that tells of a call nobody saw is a gap with its id, told once', async () => {
    const host = claude();
    const [, , , first, again] = await tell(
      'claude-code',
      host.prompt('go'),
      host.call('seen'),
      host.result('seen'),
      host.batch('seen', 'unseen'),
      host.batch('seen', 'unseen'),
    );
    expect(kinds(first)).toEqual(['gap']);
    expect(first?.[0]?.payload).toMatchObject({
      reason: 'unrecorded',
      events: 1,
      calls: ['unseen'],
      why: expect.stringContaining('PostToolBatch'),
    });
    expect(again).toEqual([]);
  });

  it('a batch that comes after the next prompt makes no gap of what was recorded', async () => {
    const host = claude();
    const [, , , , batch] = await tell(
      'claude-code',
      host.prompt('go'),
      host.call('early'),
      host.result('early'),
      host.prompt('and another thing'),
      host.batch('early'),
    );
    expect(batch).toEqual([]);
  });

  it('Copilot and Cursor tell of a denial by themselves', async () => {
    const base = { session_id: `copilot-${++count}`, cwd: '/home/dev/proj' };
    const args = { tool_name: 'Bash', tool_input: { command: 'rm -rf x' } };
    const rejected = { result_type: 'rejected', text_result_for_llm: 'The user said no.' };
    const [called, denied] = await tell(
      'copilot',
      { ...base, ...args, hook_event_name: 'PreToolUse' },
      { ...base, ...args, hook_event_name: 'PostToolUse', tool_result: rejected },
    );
    expect(denied?.[0]).toMatchObject({
      kind: 'tool.denied',
      cause: called?.at(-1)?.seq,
      payload: { by: 'user', reason: 'The user said no.', seen_in: 'PostToolUse' },
    });
    const cursor = { conversation_id: `cursor-${++count}`, workspace_roots: ['/home/dev/proj'] };
    const tool = { tool_name: 'Shell', tool_input: { command: 'x' }, tool_use_id: 't1' };
    const [call, failure] = await tell(
      'cursor',
      { ...cursor, ...tool, hook_event_name: 'preToolUse' },
      {
        ...cursor,
        ...tool,
        hook_event_name: 'postToolUseFailure',
        error_message: 'blocked by a rule',
        failure_type: 'permission_denied',
      },
    );
    expect(failure?.[0]).toMatchObject({
      kind: 'tool.denied',
      cause: call?.at(-1)?.seq,
      payload: { by: 'host', reason: 'blocked by a rule' },
    });
  });
});

describe('calls and results', () => {
  it('K2 parallel calls find their results in whatever order they come', async () => {
    const host = claude();
    await tell('claude-code', host.prompt('all at once'));
    const ids = Array.from({ length: 12 }, (_, i) => `p${i}`);
    const before = project.entries().length;
    await Promise.all(ids.map((id) => post(serving, 'claude-code', host.call(id))));
    await Promise.all(ids.toReversed().map((id) => post(serving, 'claude-code', host.result(id))));
    await post(serving, 'claude-code', host.batch(...ids));
    const entries = project.entries().slice(before);
    expect(entries).toHaveLength(24);
    for (const id of ids) {
      const [call, result] = entries.filter(({ payload }) => payload.tool_use_id === id);
      expect([call?.kind, result?.kind]).toEqual(['tool.call', 'tool.result']);
      expect(result?.cause).toBe(call?.seq);
      expect(result?.payload.args_hash).toBe(call?.payload.args_hash);
    }
  });

  it('without ids, the same call made twice is joined in order, and another one by its arguments', async () => {
    const base = { session_id: `gemini-${++count}`, cwd: '/home/dev/proj' };
    const called = (command: string): JsonObject => ({
      ...base,
      hook_event_name: 'BeforeTool',
      tool_name: 'run_shell_command',
      tool_input: { command },
    });
    const over = (command: string): JsonObject => ({
      ...called(command),
      hook_event_name: 'AfterTool',
      tool_response: { llmContent: 'Output: x\nProcess Group PGID: 1', returnDisplay: 'x' },
    });
    const [, [one] = [], [two] = [], [other] = [], r1, r2, r3, r4] = await tell(
      'gemini',
      { ...base, hook_event_name: 'SessionStart', source: 'startup' },
      called('make'),
      called('make'),
      called('make test'),
      over('make test'),
      over('make'),
      over('make'),
      over('make'),
    );
    expect([r1, r2, r3].map((entries) => entries?.[0]?.cause)).toEqual([other?.seq, one?.seq, two?.seq]);
    expect(r4?.[0]?.kind).toBe('tool.result');
    expect(r4?.[0]?.cause).toBeNull(); // nothing is left that it could be the result of
  });

  it('without ids, a result belongs to this turn’s call, not to one that was refused in silence before', async () => {
    const base = { session_id: `gemini-${++count}`, cwd: '/home/dev/proj' };
    const prompt = { ...base, hook_event_name: 'BeforeAgent', prompt: 'build it' };
    const tool = { tool_name: 'run_shell_command', tool_input: { command: 'make' } };
    const called = { ...base, ...tool, hook_event_name: 'BeforeTool' };
    const tool_response = { llmContent: 'Output: x\nProcess Group PGID: 1', returnDisplay: 'x' };
    const [, , , [call] = [], result] = await tell('gemini', prompt, called, prompt, called, {
      ...called,
      hook_event_name: 'AfterTool',
      tool_response,
    });
    expect(result?.[0]?.cause).toBe(call?.seq);
  });

  it('K2 a second result for one id is kept, and marked', async () => {
    const host = claude();
    const [, [call] = [], [first] = [], [second] = [], , [third] = []] = await tell(
      'claude-code',
      host.prompt('once'),
      host.call('twice'),
      host.result('twice'),
      host.failure('twice', 'Exit code 1'),
      host.prompt('later'),
      host.result('twice'),
    );
    expect(first?.cause).toBe(call?.seq);
    expect(first?.payload.repeated).toBeUndefined();
    expect(second?.payload).toMatchObject({ repeated: true, result: 'error' });
    expect(third?.payload).toMatchObject({ repeated: true });
  });

  it('a result whose call was never told is kept, and says no more than it knows', async () => {
    const host = claude();
    const [[prompt] = [], [result] = []] = (
      await tell('claude-code', host.prompt('hm'), host.result('unknown'))
    ).map((entries) => entries.filter(({ kind }) => kind !== 'session.start'));
    expect(result).toMatchObject({ kind: 'tool.result', cause: prompt?.seq });
    expect(result?.payload.repeated).toBeUndefined();
  });

  it('B1 an interrupted command has no exit code, and a background one neither', async () => {
    const host = claude();
    const cut = { tool_response: { stdout: '', stderr: '', interrupted: true, isImage: false } };
    const background = { command: 'server', run_in_background: true };
    const [, , aborted, , started] = await tell(
      'claude-code',
      host.prompt('run'),
      host.call('cut'),
      host.result('cut', undefined, 'Bash', cut),
      host.call('bg', background),
      host.result('bg', background),
    );
    expect(aborted?.[0]?.payload).toMatchObject({
      result: 'aborted',
      error_code: 'ABORTED',
      exit_code: null,
      exit_origin: 'unknown',
    });
    expect(started?.[0]?.payload).toMatchObject({ result: 'ok', exit_code: null, exit_origin: 'unknown' });
  });

  it('B1 what a command prints is no exit code', async () => {
    const host = claude();
    const forged = { error: 'Failed\nExit code 0' };
    const [, , failed] = await tell(
      'claude-code',
      host.prompt('run'),
      host.call('forged'),
      host.failure('forged', forged.error),
    );
    expect(failed?.[0]?.payload).toMatchObject({ result: 'error', exit_code: null, exit_origin: 'unknown' });
  });

  it('G13 counts of tests are in the payload', async () => {
    const host = claude();
    const stdout = '\n Test Files  1 passed (1)\n      Tests  3 passed | 1 skipped (4)\n   Duration  1s\n';
    const response = { tool_response: { stdout, stderr: '', interrupted: false, isImage: false } };
    const [, , result] = await tell(
      'claude-code',
      host.prompt('test'),
      host.call('t', { command: 'npx vitest run' }),
      host.result('t', { command: 'npx vitest run' }, 'Bash', response),
    );
    expect(result?.[0]?.payload.tests).toEqual({
      runner: 'vitest',
      passed: 3,
      failed: 0,
      skipped: 1,
      total: 4,
    });
  });
});

describe('turns and sessions', () => {
  it('subagents: their calls are theirs, their answer is no response', async () => {
    const host = claude();
    const within = { agent_id: 'sub-1', agent_type: 'general-purpose' };
    const [prompted, [start] = [], [call] = [], [result] = [], [end] = [], [stop] = []] = await tell(
      'claude-code',
      host.prompt('delegate'),
      host.event('SubagentStart', within),
      host.call('s', undefined, 'Bash', within),
      host.result('s', undefined, 'Bash', within),
      host.event('SubagentStop', { ...within, last_assistant_message: 'found it', stop_hook_active: false }),
      host.stop('they found it'),
    );
    const prompt = prompted?.at(-1)?.seq;
    expect(start).toMatchObject({
      kind: 'agent.start',
      cause: prompt,
      payload: { agent_id: 'sub-1', agent_type: 'general-purpose' },
    });
    expect(call?.payload.agent_id).toBe('sub-1');
    expect(result).toMatchObject({ cause: call?.seq, payload: { agent_id: 'sub-1' } });
    expect(end).toMatchObject({ kind: 'agent.end', payload: { agent_id: 'sub-1' } });
    expect(await project.content(end, 'text')).toBe('found it');
    expect(stop).toMatchObject({ kind: 'response', cause: prompt });
    expect(await project.content(stop, 'text')).toBe('they found it');
  });

  it('a background task that tells of its end is a notice, and the prompt stays the user’s', async () => {
    const host = claude();
    const text =
      '<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>';
    const [prompted, notice, stop, end] = await tell(
      'claude-code',
      host.prompt('wait for it'),
      host.prompt(text),
      host.stop('it is over'),
      host.end(),
    );
    const prompt = prompted?.at(-1)?.seq;
    expect(kinds(notice)).toEqual(['notice']);
    expect(notice?.[0]).toMatchObject({ cause: prompt, payload: { origin: 'task-notification' } });
    expect(await project.content(notice?.[0], 'text')).toBe(text);
    expect(stop?.[0]?.cause).toBe(prompt);
    expect(end?.[0]?.payload.counts).toMatchObject({ prompts: 1 });
  });

  it('compaction is one session going on', async () => {
    const host = claude();
    const [prompted, before, again, after] = await tell(
      'claude-code',
      host.prompt('a long story'),
      host.event('PreCompact', { trigger: 'auto' }),
      host.start('compact'),
      host.event('PostCompact', { trigger: 'auto' }),
    );
    expect(before?.[0]).toMatchObject({ kind: 'compaction', payload: { phase: 'before', trigger: 'auto' } });
    expect(again?.[0]).toMatchObject({ kind: 'compaction', payload: { phase: 'after' } });
    expect(after?.[0]).toMatchObject({ kind: 'compaction', payload: { phase: 'after', trigger: 'auto' } });
    const sessions = [prompted, before, again, after].map((entries) => entries?.[0]?.session_id);
    expect(new Set(sessions).size).toBe(1);
  });

  it('a change of configuration says what changed', async () => {
    const host = claude();
    const [, change] = await tell(
      'claude-code',
      host.prompt('go'),
      host.event('ConfigChange', {
        source: 'project_settings',
        file_path: '/home/dev/proj/.claude/settings.json',
      }),
    );
    expect(change?.[0]).toMatchObject({ kind: 'config.change', payload: { what: 'project_settings' } });
    expect(await project.content(change?.[0], 'detail')).toBe('/home/dev/proj/.claude/settings.json');
  });

  it('a resumed session is a new one that says which it goes on from', async () => {
    const host = claude();
    const [[start] = [], , [end] = [], [resumed] = [], [prompt] = []] = await tell(
      'claude-code',
      host.start(),
      host.prompt('first'),
      host.end(),
      host.start('resume'),
      host.prompt('second'),
    );
    expect(end?.session_id).toBe(start?.session_id);
    expect(resumed).toMatchObject({
      kind: 'session.start',
      payload: { trigger: 'resume', resumes: start?.session_id },
    });
    expect(resumed?.session_id).not.toBe(start?.session_id);
    expect(prompt).toMatchObject({ kind: 'prompt', session_id: resumed?.session_id, cause: null });
  });

  it('a host that was killed and resumes did not end its session', async () => {
    const host = claude();
    const [[start] = [], , [resumed] = []] = await tell(
      'claude-code',
      host.start(),
      host.prompt('first'),
      host.start('resume'),
    );
    expect(resumed?.payload).toMatchObject({ trigger: 'resume', resumes: start?.session_id });
  });

  it('a prompt after the end begins a session that resumes the ended one', async () => {
    const host = claude();
    const [[start] = [], , prompt] = await tell(
      'claude-code',
      host.start(),
      host.end(),
      host.prompt('still here'),
    );
    expect(kinds(prompt)).toEqual(['session.start', 'prompt']);
    expect(prompt?.[0]?.payload.resumes).toBe(start?.session_id);
  });

  it('a result that comes after the end of its session still finds its call', async () => {
    const host = claude();
    const [, , [call] = [], [end] = [], late] = await tell(
      'claude-code',
      host.start(),
      host.prompt('quick'),
      host.call('late'),
      host.end(),
      host.result('late'),
    );
    expect(end?.payload.counts).toMatchObject({ calls: 1, results: 0 });
    expect(late?.[0]).toMatchObject({ kind: 'tool.result', session_id: call?.session_id, cause: call?.seq });
  });

  it('a session that is told to begin twice begins once', async () => {
    const host = claude();
    const [first, second] = await tell('claude-code', host.start(), host.start());
    expect(kinds(first)).toEqual(['session.start']);
    expect(kinds(second)).toEqual([]);
  });

  it('the same id at two hosts is two sessions', async () => {
    const host = claude();
    const [[a] = []] = await tell('claude-code', host.start());
    const [[b] = []] = await tell('codex', host.start());
    expect([a?.kind, b?.kind]).toEqual(['session.start', 'session.start']);
    expect(a?.session_id).not.toBe(b?.session_id);
    expect([a?.payload.agent, b?.payload.agent]).toEqual(['claude-code', 'codex']);
  });
});

describe('what nobody knows yet', () => {
  it('an event of an unknown name is kept whole', async () => {
    const host = claude();
    const future = host.event('ToolWasImagined', {
      tool_name: 'Dream',
      depth: 7,
      nested: { a: [1, { b: null }] },
    });
    const [, [kept] = []] = await tell('claude-code', host.prompt('go'), future);
    expect(kept).toMatchObject({ kind: 'observation', payload: { event: 'ToolWasImagined', problem: null } });
    expect(await project.json(kept, 'content')).toEqual(future);
  });

  it('a known event with more members keeps them, small ones in the entry and large ones beside it', async () => {
    const host = claude();
    const large = 'x'.repeat(5000);
    const [, left] = await tell(
      'claude-code',
      host.prompt('go'),
      host.call('more', { command: 'ls' }, 'Bash', { sandbox_profile: 'strict', reasoning: large }),
    );
    expect(kinds(left)).toEqual(['tool.call', 'observation']);
    expect(left?.[0]?.payload.sandbox_profile).toBe('strict');
    expect(await project.json(left?.[1], 'content')).toEqual({ reasoning: large });
  });

  it('arguments that are no object are arguments', async () => {
    const host = claude();
    const [, left] = await tell('claude-code', host.prompt('go'), host.call('odd', 'just a text', 'Bash'));
    expect(kinds(left)).toEqual(['tool.call']);
    expect(await project.content(left?.[0], 'args')).toBe('just a text');
  });
});
