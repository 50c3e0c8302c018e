// An agent in guard mode that turns on its recorder, as each host would announce the call: refused in the form that the
// host obeys, on record, and without a word on how it could be done.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wireDefence } from '../../src/app/hook/defence.ts';
import type { JsonObject } from '../../src/core/index.ts';
import { openRecording } from '../../src/entry/index.ts';
import { type Answer, WireSession } from '../../src/record/index.ts';
import { guardedProject } from './guarded-project.ts';

const PAUSE = 'foil pause 30m';

interface HostCase {
  readonly host: string;
  readonly call: (command: string, cwd: string) => JsonObject;
  readonly denied: (answer: Answer) => unknown;
}

const json = ({ stdout }: Answer): Record<string, unknown> =>
  JSON.parse(stdout || '{}') as Record<string, unknown>;
const claudeCall = (command: string, cwd: string): JsonObject => ({
  hook_event_name: 'PreToolUse',
  session_id: 's-1',
  cwd,
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: 'call-1',
});
const claudeDenied = (answer: Answer): unknown =>
  (json(answer).hookSpecificOutput as Record<string, unknown> | undefined)?.permissionDecision;

const CASES: readonly HostCase[] = [
  { host: 'claude-code', call: claudeCall, denied: claudeDenied },
  { host: 'codex', call: claudeCall, denied: claudeDenied },
  {
    host: 'gemini',
    call: (command, cwd) => ({
      hook_event_name: 'BeforeTool',
      session_id: 's-1',
      cwd,
      tool_name: 'run_shell_command',
      tool_input: { command },
    }),
    denied: (answer) => json(answer).decision,
  },
  { host: 'copilot', call: claudeCall, denied: (answer) => json(answer).permissionDecision },
  {
    host: 'cursor',
    call: (command, cwd) => ({
      hook_event_name: 'preToolUse',
      conversation_id: 's-1',
      cwd,
      tool_name: 'Shell',
      tool_input: { command },
    }),
    denied: (answer) => json(answer).permission,
  },
  {
    host: 'opencode',
    call: (command, cwd) => ({
      hook_event_name: 'tool.execute.before',
      session_id: 's-1',
      cwd,
      tool_name: 'bash',
      tool_use_id: 'call-1',
      tool_input: { command },
    }),
    denied: (answer) => (typeof json(answer).deny === 'string' ? 'deny' : undefined),
  },
];

describe('an agent that would pause its recording', () => {
  it.each(CASES)('is refused by $host, and that is on record', async ({ host, call, denied }) => {
    const { project, tell } = await guardedProject();
    const answer = await tell(call(PAUSE, project.work), host);
    expect(denied(answer)).toBe('deny');
    const kinds = project.recorded().map(({ kind }) => kind);
    expect(kinds.slice(-2)).toEqual(['tool.call', 'tool.denied']);
    const entry = project.recorded().at(-1);
    expect(entry?.payload).toMatchObject({ by: 'foil', reason: 'it would pause the recording' });
  });

  it.each(CASES)('is let through by $host where it does something else', async ({ host, call, denied }) => {
    const { project, tell } = await guardedProject();
    expect(denied(await tell(call('git checkout main && npm test', project.work), host))).toBeUndefined();
    expect(denied(await tell(call('foil status', project.work), host))).toBeUndefined();
  });

  it('is recorded and nothing more in observe', async () => {
    const { project, tell } = await guardedProject('observe');
    expect(claudeDenied(await tell(claudeCall(PAUSE, project.work)))).toBeUndefined();
    expect(project.recorded().map(({ kind }) => kind)).not.toContain('tool.denied');
  });

  it('is not called missing when the host tells of the step', async () => {
    const { project, agent, tell } = await guardedProject();
    await tell(agent.call('c-1', { command: PAUSE }));
    await tell(
      agent.event('PostToolBatch', {
        tool_calls: [
          { tool_name: 'Bash', tool_input: { command: PAUSE }, tool_use_id: 'c-1', tool_response: 'x' },
        ],
      }),
    );
    expect(project.recorded().filter(({ kind }) => kind === 'tool.denied')).toHaveLength(1);
    expect(project.recorded().filter(({ kind }) => kind === 'gap')).toHaveLength(0);
  });
});

describe('an agent that would change what is ours', () => {
  const write = (file_path: string): JsonObject => ({ file_path, content: '{}' });

  it('may not write the settings that its hooks stand in, in any scope', async () => {
    const { project, agent, tell } = await guardedProject();
    for (const path of [
      join(project.work, '.claude/settings.json'),
      join(project.work, '.claude/settings.local.json'),
      join(project.env.HOME ?? '', '.claude/settings.json'),
      '.claude/../.claude/settings.json',
    ])
      expect(claudeDenied(await tell(agent.call('w', write(path), 'Write'))), path).toBe('deny');
    const edit = { file_path: '.claude/settings.json', old_string: 'a', new_string: 'b' };
    expect(claudeDenied(await tell(agent.call('e', edit, 'Edit')))).toBe('deny');
  });

  it('may not write the ledger, the keys or a pause note', async () => {
    const { project, agent, tell } = await guardedProject();
    for (const path of [
      join(project.directory, 'settings'),
      join(project.directory, 'ledger/0000000000000001.jsonl'),
      join(project.env.XDG_CONFIG_HOME ?? '', 'counterfoil/keys/x'),
      join(project.runtime, 'pause'),
    ]) {
      expect(claudeDenied(await tell(agent.call('w', write(path), 'Write'))), path).toBe('deny');
      expect(claudeDenied(await tell(agent.call('b', { command: `echo x > ${path}` }))), path).toBe('deny');
    }
  });

  it('may not do so through a tool of an MCP server', async () => {
    const { project, agent, tell } = await guardedProject();
    const path = join(project.work, '.claude/settings.json');
    expect(claudeDenied(await tell(agent.call('m', { path, content: '' }, 'mcp__fs__write_file')))).toBe(
      'deny',
    );
    expect(claudeDenied(await tell(agent.call('m', { path }, 'mcp__fs__read_file')))).toBeUndefined();
    expect(claudeDenied(await tell(agent.call('m', { command: PAUSE }, 'mcp__sh__run_command')))).toBe(
      'deny',
    );
    expect(claudeDenied(await tell(agent.call('m', { argv: ['foil', 'pause'] }, 'mcp__sh__exec')))).toBe(
      'deny',
    );
  });

  it('may write what only has such a name', async () => {
    const { project, agent, tell } = await guardedProject();
    for (const path of [
      'src/settings.json',
      'settings.json',
      'packages/.claude-like/settings.json',
      '.claude/agents/a.md',
      'counterfoil.yaml',
    ])
      expect(
        claudeDenied(await tell(agent.call('w', write(join(project.work, path)), 'Write'))),
        path,
      ).toBeUndefined();
  });

  it('is refused the settings of another host that has hooks here, and only of such a one', async () => {
    const { project, agent, tell } = await guardedProject();
    const path = join(project.work, '.gemini/settings.json');
    expect(claudeDenied(await tell(agent.call('w', write(path), 'Write')))).toBeUndefined();
    mkdirSync(join(project.work, '.gemini'));
    const hook = { type: 'command', command: 'foil hook gemini' };
    writeFileSync(path, JSON.stringify({ hooks: { BeforeTool: [{ matcher: '*', hooks: [hook] }] } }));
    expect(claudeDenied(await tell(agent.call('w', write(path), 'Write')))).toBe('deny');
  });
});

describe('an MCP server behind our proxy', () => {
  it('never gets a call that would change the recording, and the client is told no way past', async () => {
    const { project } = await guardedProject();
    const { located, work: cwd, env } = project;
    const wire = new WireSession(async () => ({
      ...(await openRecording({ place: located, cwd, source: 'mcp', agent: 'fs' })),
      refuses: wireDefence(located, { cwd, env }),
    }));
    const call = (tool: string, args: JsonObject) => wire.call({ tool, args, toolUseId: null, beside: {} });
    const path = join(project.directory, 'settings');
    const refused = call('write_file', { path, content: '{}' });
    await expect(refused).rejects.toMatchObject({ code: 'CALL_REFUSED' });
    await expect(refused).rejects.not.toThrow(/\bfoil /);
    await expect(call('run', { command: PAUSE })).rejects.toMatchObject({ code: 'CALL_REFUSED' });
    await call('read_file', { path });
    await call('write_file', { path: join(cwd, 'a.txt'), content: 'x' });
    project.settings('observe');
    await call('run', { command: PAUSE });
    await wire.end();
    const kinds = project.recorded().map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'tool.denied')).toHaveLength(2);
    expect(kinds.filter((kind) => kind === 'gap')).toHaveLength(0);
  });
});
