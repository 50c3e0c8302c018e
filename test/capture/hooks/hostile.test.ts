// Any JSON may come in, under any name: events come out, nothing is thrown, and nothing takes long by design.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ADAPTERS } from '../../../src/capture/hooks/index.ts';
import type { Json } from '../../../src/core/index.ts';
import { readSamples } from './fixtures.ts';

const TYPES = [
  'session.start',
  'session.end',
  'prompt',
  'notice',
  'tool.call',
  'tool.result',
  'tool.denied',
  'tool.batch',
  'approval',
  'agent.start',
  'agent.end',
  'stop',
  'compaction',
  'config.change',
  'observation',
];

/** Members that the adapters ask for, with values that may be right, wrong or odd. */
const MEMBERS = [
  'session_id',
  'sessionId',
  'conversation_id',
  'cwd',
  'timestamp',
  'tool_name',
  'toolName',
  'tool_input',
  'toolArgs',
  'tool_use_id',
  'tool_response',
  'tool_result',
  'toolResult',
  'tool_output',
  'error',
  'error_message',
  'prompt',
  'source',
  'reason',
  'tool_calls',
  'last_assistant_message',
  'prompt_response',
  'is_interrupt',
  'duration_ms',
  'agent_id',
  'edits',
  'file_path',
  'command',
  'output',
  'trigger',
  '__proto__',
  'constructor',
  'workspace_roots',
];
const TOOLS = [
  'Bash',
  'Write',
  'Edit',
  'apply_patch',
  'write_file',
  'create',
  'Shell',
  'Read',
  'str_replace_editor',
];
const NAMES = [
  ...new Set(ADAPTERS.flatMap((each) => each.events.map((one) => one.name))),
  'tool.execute.before',
  'tool.execute.after',
  'chat.message',
  'session.idle',
  'session.created',
  'tool.error',
  'preToolUse',
  'postToolUse',
  'beforeShellExecution',
  'afterFileEdit',
  'beforeReadFile',
  'afterMCPExecution',
  'constructor',
];

const value = fc.oneof(fc.jsonValue(), fc.constantFrom<Json>(...TOOLS), fc.constant('{"a":1}'), fc.string());
const objects = fc
  .tuple(fc.constantFrom(...NAMES), fc.array(fc.tuple(fc.constantFrom(...MEMBERS), value), { maxLength: 12 }))
  .map(([name, members]) => Object.fromEntries([['hook_event_name', name], ...members]) as Json);
/** As it comes out of JSON.parse: without a negative zero. */
const inputs = fc.oneof(fc.jsonValue(), objects).map((input): Json => JSON.parse(JSON.stringify(input)));
const names = fc.option(fc.oneof(fc.string(), fc.constantFrom(...NAMES)), { nil: null });

describe.each(ADAPTERS.map((adapter) => [adapter.agent, adapter] as const))('%s', (_, adapter) => {
  it('makes events of any JSON, and answers each of them', () => {
    fc.assert(
      fc.property(inputs, names, fc.string(), (input, name, reason) => {
        const events = adapter.read(input, name);
        expect(events.length).toBeGreaterThan(0);
        for (const event of events) {
          expect(TYPES).toContain(event.type);
          expect(event.agent).toBe(adapter.agent);
          expect(JSON.parse(JSON.stringify(event))).toEqual(event);
          for (const ruling of [{ verdict: 'pass' }, { verdict: 'deny', reason }] as const) {
            const answer = adapter.answer(event, ruling);
            if (answer.stdout !== '') expect(typeof JSON.parse(answer.stdout)).toBe('object');
            expect([0, 2]).toContain(answer.exit);
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  it('loses nothing of what it did not understand', () => {
    fc.assert(
      fc.property(inputs, names, (input, name) => {
        const [event] = adapter.read(input, name);
        if (event?.type === 'observation') expect(event.content).toEqual(input);
      }),
    );
  });

  it('leaves the input as it was', () => {
    for (const { stdin, event } of ['claude-code', 'gemini', 'copilot'].flatMap(readSamples)) {
      const before = JSON.stringify(stdin);
      adapter.read(stdin, event);
      expect(JSON.stringify(stdin)).toBe(before);
    }
  });

  it('reads what goes very deep', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as Json;
    for (const name of NAMES) {
      for (const tool of TOOLS) {
        const call = {
          hook_event_name: name,
          tool_name: tool,
          toolName: tool,
          extra: deep,
          prompt: 'x',
          error: 'e',
        };
        const args = { content: deep, edits: deep, command: deep, file_text: deep };
        adapter.read(
          { ...call, tool_input: args, tool_response: { x: deep }, tool_result: { x: deep } },
          null,
        );
      }
    }
  });

  it('reads a text of many megabytes that repeats itself', () => {
    const long = 'a'.repeat(2_000_000);
    const edits = Array.from({ length: 20 }, (_, n) => ({
      old_string: `${long.slice(0, 50_000)}${n}`,
      new_string: long,
    }));
    const spaces = `*** Add File: ${' '.repeat(1_000_000)}x`;
    for (const name of ['PostToolUse', 'AfterTool', 'postToolUse', 'tool.execute.after']) {
      for (const tool of TOOLS) {
        const args = {
          file_path: '/f',
          content: `${long}b`,
          edits,
          old_string: `b${long}`,
          command: spaces,
          patch: spaces,
        };
        const input = {
          hook_event_name: name,
          tool_name: tool,
          tool_input: args,
          tool_response: { out: long, more: [long] },
        };
        expect(adapter.read(input, null).length).toBeGreaterThan(0);
      }
    }
  });
});
