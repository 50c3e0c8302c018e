// What the audit of a patch says, of patches that are written here: each rule is violated once.
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '#platform';
import { applyPatch, canonicalize, type Json, type PatchOperation } from '../../src/core/index.ts';
import type { AgentInit, PatchChange, PatchProposal } from '../../src/format/index.ts';
import { auditPatch, changedState, runPatchTests, toolViolations } from '../../src/runtime/index.ts';
import { sandbox } from './replayed.ts';

const RUN = '5'.repeat(64);
const BASE = canonicalize({
  applied_patches: [],
  capabilities: ['tool:call:add'],
  memory: {
    documents: [{ key: 'sum', value: 1, version: { node_id: 0, counter: 1 }, causal_event: `${RUN}:4` }],
  },
  state: { total: 1, list: [1, 2] },
});
const AGENT = "import './part.mjs';\nexport const x = 1;\nexport default {};\n";
const CODE = { entry: 'agent.mjs', files: { 'agent.mjs': AGENT, 'part.mjs': 'export const y = 2;\n' } };

function state(operations: readonly PatchOperation[], inverse?: readonly PatchOperation[]): PatchChange {
  const made = (): readonly PatchOperation[] => {
    try {
      return applyPatch(JSON.parse(BASE), operations).inverse;
    } catch {
      return [];
    }
  };
  return { target: 'state', operations, inverse: inverse ?? made() };
}

function audited(change: PatchChange, module?: string, isClean: (value: Json) => boolean = () => true) {
  const proposal = {
    id: { run: RUN, number: 0 },
    change,
    tests: [],
    reason: 'x',
  } as unknown as PatchProposal;
  return auditPatch({ proposal, base: BASE, code: CODE, module, isClean });
}

function moduleOf(text: string, more: Partial<Extract<PatchChange, { target: 'module' }>> = {}): PatchChange {
  const to = { algorithm: 'sha256', hash: sha256Hex(text), bytes: text.length } as const;
  return { target: 'module', path: 'agent.mjs', from: sha256Hex(AGENT), to, ...more };
}

const deep = (levels: number): Json => (levels === 0 ? 1 : [deep(levels - 1)]);
const replace = (path: string, value: Json): PatchOperation => ({ op: 'replace', path, value });

describe('O6 the audit of a patch', () => {
  it('passes what changes the state alone and leads back, and a module that keeps what others use', async () => {
    const moved: PatchOperation[] = [
      { op: 'move', from: '/state/list/0', path: '/state/first' },
      replace('/state/total', 2),
    ];
    expect(await audited(state(moved))).toEqual([]);
    const text = `${AGENT}export const more = 1;\n`;
    expect(await audited(moduleOf(text), text)).toEqual([]);
  });

  it.each<[string, PatchChange]>([
    ['changes capabilities', state([{ op: 'add', path: '/capabilities/-', value: 'fs:read:**' }])],
    ['changes memory', state([replace('/memory/documents/0/causal_event', `${RUN}:9`)])],
    ['changes memory', state([{ op: 'remove', path: '/memory' }])],
    ['changes applied_patches', state([replace('/applied_patches', [`${RUN}:7`])])],
    ['more than /state', state([{ op: 'add', path: '/extra', value: 1 }])],
    ['more than /state', state([{ op: 'remove', path: '/state' }])],
    ['no longer be an object', state([replace('', 1)])],
    ['nothing at', state([replace('/state/none', 1)])],
    ['is different', state([{ op: 'test', path: '/state/total', value: 7 }])],
    ['deep', state([replace('/state/total', deep(30))])],
    ['leads to another state', state([replace('/state/total', 2)], [])],
    [
      "inverse can't be carried out",
      state([replace('/state/total', 2)], [{ op: 'remove', path: '/state/x' }]),
    ],
  ])('finds that it %s', async (words, change) => {
    expect((await audited(change)).join()).toContain(words);
  });

  it.each<[string, string, Parameters<typeof moduleOf>[1]?]>([
    ['no longer exports x', AGENT.replace('export const x', 'const x')],
    ['imports ./other.mjs', `import './other.mjs';\n${AGENT}`],
    ['imports a computed name', `${AGENT}await import(x);\n`],
    ["isn't an ES module", 'export {'],
    ['a module that the run does not have', AGENT, { path: 'none.mjs' }],
    ['a module that the run does not have', AGENT, { path: 'constructor' }],
    ["not the run's module", AGENT, { from: 'c'.repeat(64) }],
  ])('finds of a module: %s', async (words, text, more) => {
    expect((await audited(moduleOf(text, more), text)).join()).toContain(words);
  });

  it('finds a module that is not here, and a secret', async () => {
    expect(await audited(moduleOf(AGENT))).toEqual([
      'the new module is missing, or is not the one that it names',
    ]);
    expect(await audited(state([]), undefined, () => false)).toEqual(['it holds what looks like a secret']);
  });

  it('finds tools that changed', () => {
    const tool = { name: 'add', pure: true, idempotent: true, limits: { ms: 1, outputBytes: 1 }, cell: null };
    const init = { agent: 'counter', tools: [tool] } as unknown as AgentInit;
    expect(toolViolations(init, { name: 'counter', tools: [tool] })).toEqual([]);
    for (const tools of [[], [{ ...tool, limits: { ms: 2, outputBytes: 1 } }], [{ ...tool, pure: false }]])
      expect(toolViolations(init, { name: 'counter', tools })).toHaveLength(1);
    expect(toolViolations(init, { name: 'other', tools: [tool] })).toHaveLength(1);
    expect(toolViolations(init, null)).toHaveLength(1);
  });

  it('O6 takes a state there and back, bit for bit', () => {
    const change = state([replace('/state/total', 2), { op: 'add', path: '/state/list/1', value: null }]);
    const id = { run: RUN, number: 0 };
    const there = changedState(BASE, { id, change, undo: false });
    expect(JSON.parse(there)).toMatchObject({
      applied_patches: [`${RUN}:0`],
      state: { total: 2, list: [1, null, 2] },
    });
    expect(changedState(there, { id, change, undo: true })).toBe(BASE);
    const other = { id: { run: RUN, number: 1 }, change, undo: true };
    expect(() => changedState(there, other)).toThrow('not the newest patch');
  });

  it('O6 changes no state by a patch that could not be taken back', () => {
    const id = { run: RUN, number: 0 };
    const operations = [replace('/state/total', 2)];
    for (const inverse of [[], [replace('/state/total', 7)], [replace('/state/none', 1)]])
      expect(() => changedState(BASE, { id, change: state(operations, inverse), undo: false })).toThrow(
        'its inverse',
      );
  });

  it('O6 runs no test where there is no sandbox', async () => {
    const none = { ...sandbox, available: async () => 'bubblewrap is not installed' };
    await expect(runPatchTests([], {} as never, none)).rejects.toMatchObject({ code: 'NO_SANDBOX' });
  });
});
