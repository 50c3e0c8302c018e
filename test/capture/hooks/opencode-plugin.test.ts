// The plugin that install writes, loaded as the host loads it and called as the host calls it. In place of
// `foil hook opencode` stands a program that writes down what it is asked and answers as it is told to. What it was asked
// then goes through the adapter, so that both sides are held to the same words.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { adapterOf, opencodePlugin } from '../../../src/capture/hooks/index.ts';
import type { JsonObject } from '../../../src/core/index.ts';
import { temporary } from '../../temporary.ts';

const STAND_IN = `
const fs = require('node:fs');
const [log, answers] = process.argv.slice(2);
const input = fs.readFileSync(0, 'utf8');
fs.appendFileSync(log, input + '\\n');
const answer = JSON.parse(fs.readFileSync(answers, 'utf8'))[JSON.parse(input).hook_event_name] ?? {};
process.stdout.write(answer.stdout ?? '{}');
process.stderr.write(answer.stderr ?? '');
process.exitCode = answer.exit ?? 0;
`;

type Hooks = Record<string, (input: unknown, output?: unknown) => Promise<void>>;
interface Answers {
  readonly [event: string]: { readonly stdout?: string; readonly stderr?: string; readonly exit?: number };
}

async function load(options: { mode?: string; answers?: Answers; command?: string[] } = {}) {
  const directory = temporary();
  const [script, log, answers] = ['stand-in.cjs', 'log', 'answers'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(script, STAND_IN);
  writeFileSync(answers, JSON.stringify(options.answers ?? {}));
  const command = options.command ?? [process.execPath, script, log, answers];
  const file = join(directory, 'counterfoil.mjs');
  const strict = (options.mode ?? 'observe') !== 'observe';
  writeFileSync(file, opencodePlugin({ command, strict }));
  const module = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Record<string, unknown>;
  const told: unknown[] = [];
  const note = (what: string) => async (request: unknown) => void told.push([what, request]);
  const client = { tui: { showToast: note('toast') }, session: { prompt: note('prompt') } };
  const make = module.Counterfoil as (context: unknown) => Promise<Hooks>;
  const hooks = await make({ client, directory: '/p', worktree: '/p', project: {} });
  onTestFinished(async () => hooks.dispose?.(undefined)); // or it listens for signals for as long as the process lives
  const asked = (): JsonObject[] =>
    existsSync(log)
      ? readFileSync(log, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [];
  const events = () => asked().flatMap((input) => adapterOf('opencode')!.read(input, null));
  const emit = (type: string, properties: unknown) => hooks.event!({ event: { type, properties } });
  return { module, hooks, emit, asked, events, told };
}

const call = { tool: 'bash', sessionID: 'ses_1', callID: 'call_1' };
const args = { command: 'ls' };

describe('the OpenCode plugin', () => {
  it('exports one function, as the host calls every export', async () => {
    const { module } = await load();
    expect(Object.entries(module).map(([name, value]) => [name, typeof value])).toEqual([
      ['Counterfoil', 'function'],
    ]);
  });

  it('tells a whole session in words that the adapter knows', async () => {
    const { hooks, emit, asked, events } = await load();
    await emit('session.created', { info: { id: 'ses_1', title: 'New', version: '1' } });
    await hooks['chat.message']!(
      { sessionID: 'ses_1', agent: 'build', model: { providerID: 'p', modelID: 'm' } },
      {
        message: { id: 'msg_1' },
        parts: [
          { type: 'text', text: 'list' },
          { type: 'text', text: 'file', synthetic: true },
          { type: 'file' },
        ],
      },
    );
    await hooks['tool.execute.before']!(call, { args });
    await emit('permission.asked', {
      id: 'per_1',
      sessionID: 'ses_1',
      permission: 'bash',
      patterns: ['ls'],
      metadata: { diff: 'secret' },
      tool: { callID: 'call_1' },
    });
    await emit('permission.replied', { sessionID: 'ses_1', requestID: 'per_1', reply: 'once' });
    await hooks['tool.execute.after']!(
      { ...call, args },
      { title: 'ls', output: 'a.txt', metadata: { exit: 0 } },
    );
    await emit('message.updated', { info: { id: 'msg_2', role: 'assistant', sessionID: 'ses_1' } });
    await emit('message.part.updated', {
      part: { type: 'text', sessionID: 'ses_1', messageID: 'msg_2', text: 'Done.' },
    });
    await emit('message.updated', { info: { id: 'msg_2', role: 'assistant', sessionID: 'ses_1' } });
    await emit('session.idle', { sessionID: 'ses_1' });
    await hooks['experimental.session.compacting']!({ sessionID: 'ses_1' }, {});
    await emit('session.compacted', { sessionID: 'ses_1' });
    await emit('todo.updated', { sessionID: 'ses_1' });
    await hooks.dispose!(undefined);

    const common = { agent: 'opencode', session: 'ses_1', cwd: '/p', agentId: null };
    expect(events().map(({ at, facts, ...rest }) => rest)).toMatchObject([
      { ...common, type: 'session.start', trigger: 'startup' },
      { ...common, type: 'prompt', text: 'list', promptId: 'msg_1' },
      { ...common, type: 'tool.call', tool: 'bash', id: 'call_1', args, shell: true },
      { ...common, type: 'approval', tool: 'bash', id: 'call_1', args, suggestions: ['ls'] },
      { ...common, type: 'observation', name: 'permission.replied', problem: null },
      {
        ...common,
        type: 'tool.result',
        tool: 'bash',
        id: 'call_1',
        args,
        outcome: 'ok',
        output: { title: 'ls', output: 'a.txt', metadata: { exit: 0 } },
      },
      { ...common, type: 'stop', message: 'Done.' },
      { ...common, type: 'compaction', phase: 'before' },
      { ...common, type: 'compaction', phase: 'after' },
      { ...common, type: 'session.end', reason: 'exit' },
    ]);
    expect(events()).toHaveLength(10);
    expect(events()[1]?.facts).toEqual({ agent: 'build', model: { providerID: 'p', modelID: 'm' } });
    expect(JSON.stringify(asked())).not.toContain('secret');
  });

  it('tells the end of a session once, be it deleted or not', async () => {
    const { hooks, emit, events } = await load();
    await emit('session.created', { info: { id: 'ses_1' } });
    await emit('session.created', { info: { id: 'ses_2' } });
    await emit('session.deleted', { info: { id: 'ses_1' } });
    await hooks.dispose!(undefined);
    await hooks.dispose!(undefined);
    expect(events().filter(({ type }) => type === 'session.end')).toMatchObject([
      { session: 'ses_1', reason: 'deleted' },
      { session: 'ses_2', reason: 'exit' },
    ]);
  });

  it('tells a subagent as part of the session that started it', async () => {
    const { hooks, emit, events } = await load();
    await emit('session.created', { info: { id: 'ses_1' } });
    await emit('session.created', { info: { id: 'ses_2', parentID: 'ses_1', agent: 'general' } });
    await emit('session.created', { info: { id: 'ses_3', parentID: 'ses_2' } });
    await hooks['tool.execute.before']!({ ...call, sessionID: 'ses_3' }, { args });
    await emit('session.idle', { sessionID: 'ses_2' });
    await hooks.dispose!(undefined);
    expect(events().map((each) => [each.type, each.session, each.agentId])).toEqual([
      ['session.start', 'ses_1', null],
      ['agent.start', 'ses_1', 'ses_2'],
      ['agent.start', 'ses_1', 'ses_3'],
      ['tool.call', 'ses_1', 'ses_3'],
      ['agent.end', 'ses_1', 'ses_2'],
      ['session.end', 'ses_1', null],
    ]);
  });

  it('tells how a call that went wrong ended, once', async () => {
    const { hooks, emit, events } = await load();
    const failed = (callID: string, error: string) =>
      emit('message.part.updated', {
        part: {
          type: 'tool',
          tool: 'bash',
          sessionID: 'ses_1',
          callID,
          state: { status: 'error', input: args, error },
        },
      });
    await hooks['tool.execute.before']!(call, { args });
    await hooks['tool.execute.after']!({ ...call, args }, undefined);
    await failed('call_1', 'no such tool');
    await failed('call_1', 'no such tool');
    await hooks['tool.execute.before']!({ ...call, callID: 'call_2' }, { args });
    await emit('permission.updated', {
      id: 'per_2',
      sessionID: 'ses_1',
      type: 'bash',
      pattern: 'ls',
      callID: 'call_2',
    });
    await emit('permission.replied', { sessionID: 'ses_1', permissionID: 'per_2', response: 'reject' });
    await failed('call_2', 'The user rejected permission');
    await failed('call_3', 'Tool execution aborted');
    expect(
      events().map((each) => [each.type, 'id' in each && each.id, 'outcome' in each && each.outcome]),
    ).toEqual([
      ['tool.call', 'call_1', false],
      ['tool.result', 'call_1', 'error'],
      ['tool.call', 'call_2', false],
      ['approval', 'call_2', false],
      ['tool.denied', 'call_2', false],
      ['tool.result', 'call_3', 'aborted'],
    ]);
  });

  it('throws where the answer is a refusal, and tells of the call no more', async () => {
    const deny = { stdout: '{"deny":"no disk"}' };
    const { hooks, emit, asked } = await load({
      answers: { 'tool.execute.before': deny, 'tool.execute.after': deny, 'chat.message': deny },
    });
    await expect(hooks['tool.execute.before']!(call, { args })).rejects.toThrow('no disk');
    await expect(hooks['tool.execute.after']!({ ...call, args }, { output: 'x' })).rejects.toThrow('no disk');
    await expect(hooks['chat.message']!({ sessionID: 'ses_1' }, { parts: [] })).rejects.toThrow('no disk');
    await emit('message.part.updated', {
      part: {
        type: 'tool',
        sessionID: 'ses_1',
        callID: 'call_1',
        state: { status: 'error', error: 'no disk' },
      },
    });
    expect(asked().map((each) => each.hook_event_name)).toEqual([
      'tool.execute.before',
      'tool.execute.after',
      'chat.message',
    ]);
  });

  it('throws at exit code 2, with what was said on standard error', async () => {
    const { hooks } = await load({
      answers: { 'tool.execute.before': { exit: 2, stderr: 'cannot read this\n' } },
    });
    await expect(hooks['tool.execute.before']!(call, { args })).rejects.toThrow('cannot read this');
  });

  it('shows a message, and sends a follow-up when the session stops too early', async () => {
    const { emit, told } = await load({
      answers: {
        'session.created': { stdout: '{"message":"recording"}' },
        'session.idle': { stdout: '{"followup":"run the tests"}' },
      },
    });
    await emit('session.created', { info: { id: 'ses_1' } });
    await emit('session.idle', { sessionID: 'ses_1' });
    expect(told).toEqual([
      ['toast', { body: { message: 'recording', variant: 'warning' } }],
      ['prompt', { path: { id: 'ses_1' }, body: { parts: [{ type: 'text', text: 'run the tests' }] } }],
    ]);
  });

  describe.each([
    ['a program that is not there', { command: ['/nonexistent/foil', 'hook', 'opencode'] }],
    ['one that fails', { answers: { 'tool.execute.before': { exit: 1, stderr: 'crashed' } } }],
    ['one that does not answer in JSON', { answers: { 'tool.execute.before': { stdout: 'what?' } } }],
  ])('with %s', (_, options) => {
    it('lets the tool run in observe, and says once that nothing is recorded', async () => {
      const { hooks, told } = await load({ ...options, mode: 'observe' });
      await hooks['tool.execute.before']!(call, { args });
      await hooks['tool.execute.before']!(call, { args });
      expect(told).toHaveLength(1);
      expect(JSON.stringify(told)).toContain('Counterfoil does not record');
    });

    it.each(['guard', 'locked'])(
      'K8 lets no tool run in %s, and never holds up an idle session',
      async (mode) => {
        const { hooks, emit, told } = await load({ ...options, mode });
        await expect(hooks['tool.execute.before']!(call, { args })).rejects.toThrow(
          'Counterfoil could not record this',
        );
        await emit('session.idle', { sessionID: 'ses_1' });
        expect(told).toEqual([]);
      },
    );
  });

  it('K8 refuses in guard what can not even be told', async () => {
    const { hooks } = await load({ mode: 'guard' });
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    await expect(hooks['tool.execute.before']!(call, { args: cyclic })).rejects.toThrow(
      'Counterfoil could not record this',
    );
  });

  it('asks foil with FOIL=off as well, which knows whether it counts', async () => {
    const off = async (mode: string) => {
      const { hooks, asked } = await load({ mode });
      process.env.FOIL = 'off';
      try {
        await hooks['tool.execute.before']!(call, { args });
      } finally {
        delete process.env.FOIL;
      }
      return asked().length;
    };
    expect(await off('observe')).toBe(1);
    expect(await off('guard')).toBe(1);
    expect(await off('locked')).toBe(1);
  });

  it('never throws where the host does not wait for it', async () => {
    const { emit } = await load({ mode: 'guard' });
    for (const type of [
      'session.created',
      'message.part.updated',
      'permission.replied',
      'session.idle',
      'constructor',
      'toString',
    ]) {
      for (const properties of [undefined, null, {}, { info: null }, { part: {} }])
        await emit(type, properties);
    }
  });

  it('holds any command, quoted', () => {
    const command = ['/a b/foil', 'hook', "it's `$&` $<x>", '$1'];
    expect(opencodePlugin({ command, strict: true })).toContain(
      `const command = ${JSON.stringify(command)};`,
    );
  });
});
