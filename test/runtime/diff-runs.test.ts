// Two runs side by side, made by hand: what differs first, which calls, which states, and why.
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/core/index.ts';
import type { AgentInit, RunEventKind } from '../../src/format/index.ts';
import { diffRuns, type RunStep, type RunSteps } from '../../src/runtime/index.ts';

const A = 'a'.repeat(64);
const REF = { algorithm: 'sha256' as const, hash: 'f'.repeat(64), bytes: 1 };
const INIT: AgentInit = {
  agent: 'counter',
  capabilities: ['tool:call:*'],
  capabilitiesHash: 'c'.repeat(64),
  root: '/work',
  tools: [
    {
      name: 'add',
      pure: true,
      idempotent: true,
      limits: { ms: 1, outputBytes: 1 },
      required: null,
      cell: null,
    },
  ],
  code: { root: 'd'.repeat(64), entry: 'a.mjs', files: 1, bytes: 1, bundle: REF },
  limits: { calls: 1, events: 1 },
  hashes: 'blake3',
  node: 'v20.19.0',
  nonce: null,
  parameters: {},
  parent: null,
};

const call = (tool: string, input: Json, output: Json): [RunEventKind, JsonObject][] => [
  ['Decision', { action: { call: tool, input } }],
  ['ToolCall', { tool_id: tool, input }],
  ['ToolResult', { tool_id: tool, output, outcome: 'ok', error: null }],
];
const told = (value: Json): [RunEventKind, JsonObject] => ['Observation', { value }];

function runOf(
  steps: readonly (readonly [RunEventKind, JsonObject | null])[],
  more: Partial<RunSteps> = {},
): RunSteps {
  const state = { memory: {}, state: { n: 1 } };
  return {
    run: A,
    init: INIT,
    steps: steps.map(([kind, content], at): RunStep => ({ event: at + 2, kind, content })),
    stateHashes: Array.from({ length: 20 }, (_, at) => `hash of state ${at}`),
    hash: (text) => `hash of ${text}`,
    start: null,
    begin: state,
    end: { event: 9, state },
    ...more,
  };
}

const BASE = [told(1), ...call('add', 1, 2), ...call('send', 2, 3)];

describe('the difference of two runs', () => {
  it('O9 is none where steps and states are the same', () => {
    const { outcome, divergence, state, causes, tools } = diffRuns(runOf(BASE), runOf(BASE));
    expect(outcome).toBe('same');
    expect([divergence, state]).toEqual([null, []]);
    expect(new Set(Object.values(causes))).toEqual(new Set(['same']));
    expect(tools).toEqual({ onlyA: [], onlyB: [], otherOutput: [], isReordered: false });
  });

  it('O9 begins at the first step that differs, and names what', () => {
    const other = [told(1), ...call('add', 1, 5), ...call('send', 2, 3)];
    const { outcome, divergence, tools } = diffRuns(runOf(BASE), runOf(other));
    expect(outcome).toBe('different');
    expect(divergence).toMatchObject({ a: { event: 5 }, b: { event: 5 } });
    expect(divergence?.difference).toEqual([{ op: 'replace', path: '/output', value: 5 }]);
    expect(tools.otherOutput).toMatchObject([{ a: { event: 4, tool: 'add' }, b: { event: 4 } }]);
  });

  it('O9 tells calls that only one of them made, and another order', () => {
    const fewer = diffRuns(runOf(BASE), runOf(BASE.slice(0, 4)));
    expect(fewer.divergence).toMatchObject({ a: { event: 6 }, b: null });
    expect(fewer.tools.onlyA).toEqual([{ event: 7, tool: 'send', input: 2 }]);
    const turned = diffRuns(runOf(BASE), runOf([told(1), ...call('send', 2, 3), ...call('add', 1, 2)]));
    expect(turned.tools).toMatchObject({ onlyA: [], onlyB: [], isReordered: true });
  });

  it('O9 is a patch from one state to the other', () => {
    const end = { event: 9, state: { memory: { sum: 1 }, state: { n: 2 } } };
    expect(diffRuns(runOf(BASE), runOf(BASE, { end }))).toMatchObject({
      outcome: 'different',
      divergence: null,
      state: [
        { op: 'add', path: '/memory/sum', value: 1 },
        { op: 'replace', path: '/state/n', value: 2 },
      ],
    });
  });

  it.each<[string, Partial<RunSteps>]>([
    ['code', { init: { ...INIT, code: { ...INIT.code, root: 'e'.repeat(64) } } }],
    ['initial_state', { begin: { memory: {}, state: 0 } }],
    ['capabilities', { init: { ...INIT, capabilities: [] } }],
    ['tools', { init: { ...INIT, tools: [] } }],
    ['parameters', { init: { ...INIT, parameters: { model: 'small' } } }],
  ])('O9 says that %s was different to begin with', (cause, more) => {
    const { causes } = diffRuns(runOf(BASE), runOf(BASE, more));
    expect(Object.entries(causes).filter(([, is]) => is === 'different')).toEqual([[cause, 'different']]);
  });

  it('O9 says that inputs were different, and not where one run only ended earlier', () => {
    expect(diffRuns(runOf(BASE), runOf([told(2)])).causes.inputs).toBe('different');
    expect(diffRuns(runOf([...BASE, told(9)]), runOf(BASE)).causes.inputs).toBe('same');
  });

  it('O9 is unknown where content is not here, and not the same', () => {
    const gone = BASE.map((step, at) => (at === 3 ? (['ToolResult', null] as const) : step));
    expect(diffRuns(runOf(BASE), runOf(gone))).toMatchObject({
      outcome: 'unknown',
      divergence: null,
      unknown: { a: { event: 5 } },
    });
    expect(diffRuns(runOf(BASE), runOf(BASE, { end: null }))).toMatchObject({
      outcome: 'unknown',
      state: null,
    });
  });

  it('O9 holds a fork against its parent from where it begins', () => {
    const parent = {
      event: `${A}:5`,
      stateHash: 'hash of state 5',
      replay: 'evaluation' as const,
      changed: [],
      live: false,
      decides: true,
      node: 1,
      start: REF,
    };
    const init = { ...INIT, parent };
    const steps = call('send', 2, 3);
    const fork = runOf(steps, { run: 'b'.repeat(64), init, start: 'state 5' });
    expect(diffRuns(runOf(BASE), fork)).toMatchObject({ outcome: 'same', fork: 'b' });
    expect(diffRuns(fork, runOf(BASE))).toMatchObject({ outcome: 'same', fork: 'a' });
    const lying = runOf(steps, { run: 'b'.repeat(64), init, start: 'state 6' });
    expect(diffRuns(runOf(BASE), lying).causes.initial_state).toBe('different');
    const gone = runOf(steps, { run: 'b'.repeat(64), init });
    expect(diffRuns(runOf(BASE), gone)).toMatchObject({ outcome: 'unknown' });
  });
});
