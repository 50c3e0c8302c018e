// A session that hooks, MCP proxy and gateway all see: they agree, or what one of them missed or made up is named.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { SeenAgent, type Step } from './three-views.ts';

const PROJECT = {
  'package.json': '{"name":"shop","scripts":{"test":"node --test"}}',
  'sum.js': 'exports.sum = (a, b) => a - b;\n',
  'sum.test.js': `const test = require('node:test');
    test('adds', () => require('node:assert').equal(require('./sum.js').sum(1, 2), 3));`,
};
const FIXED = 'exports.sum = (a, b) => a + b;\n';

const EDIT: Step = { id: 'toolu_01', tool: 'Write', input: { file_path: 'sum.js', content: FIXED } };
const ECHO: Step = { id: 'toolu_02', tool: 'mcp__every__echo', input: { message: 'hi' } };
const TEST: Step = { id: 'toolu_03', tool: 'Bash', input: { command: 'node --test' } };
const TURN = { prompt: 'Fix `sum.js` and run the tests.', message: 'Fixed `sum.js`; all tests pass.' };

function findings(report: JsonObject, facet: string): string[] {
  const facets = report.facets as Record<string, { findings: { code: string; message: string }[] }>;
  return (facets[facet]?.findings ?? []).map(({ code, message }) => `${code}: ${message}`);
}

function statusOf(report: JsonObject, facet: string): unknown {
  return (report.facets as Record<string, { status: string }>)[facet]?.status;
}

/** This agent goes home where the gate holds it. */
const SENT_BACK = expect.stringMatching(
  /^BLIND: .* sent back had to continue, but no further answer is on record/,
);

describe('X3d a session that three places saw', () => {
  it('passes, what the gateway saw alike is corroborated, and K4 no file that was written is kept', async () => {
    const agent = await SeenAgent.start(PROJECT);
    expect(await agent.turn({ ...TURN, steps: [EDIT, ECHO, TEST] })).not.toContain('block');
    const { code, report } = await agent.verified();
    expect(findings(report, 'completeness')).toEqual([]);
    expect([code, report.verdict, statusOf(report, 'completeness')]).toEqual([0, 'INTACT', 'pass']);
    expect(report.counts).toMatchObject({ callsSeen: 3, callsCompared: 3 });
    const validations = agent.project.entries().filter(({ kind }) => kind === 'validation');
    expect(validations.map(({ payload }) => payload.grade)).toEqual(['corroborated', 'corroborated']);
    expect(statusOf(report, 'evidence')).toBe('pass');
    // The file's own text, which the model wrote in its answer and was sent again with every request.
    const holding = [...agent.project.files()].filter(({ bytes }) => bytes.includes('(a, b) => a + b'));
    expect(holding.map(({ path }) => path)).toEqual([expect.stringMatching(/\/work\/sum\.js$/)]);
  });

  it('with a call kept from the hooks, the call is named', async () => {
    const agent = await SeenAgent.start(PROJECT);
    const hidden = { id: 'toolu_04', tool: 'Bash', input: { command: 'echo hidden' }, hooked: false };
    await agent.turn({ ...TURN, steps: [EDIT, { ...ECHO, hooked: false }, hidden, TEST] });
    const { code, report } = await agent.verified();
    expect([code, report.verdict]).toEqual([5, 'VIOLATION']);
    expect(findings(report, 'completeness')).toEqual([
      'CALL_MISSED: a server got mcp__every__echo (toolu_02), but no hook reported it',
      'CALL_MISSED: the gateway saw Bash (toolu_04), but no hook reported it',
    ]);
  });

  it('with a call that a hook was fed, the call is named', async () => {
    const agent = await SeenAgent.start(PROJECT);
    await agent.hook(agent.session.prompt('Fix it'));
    await agent.turn({ ...TURN, steps: [EDIT, ECHO] });
    const command = { command: 'node --test' };
    await agent.hook(agent.session.call('toolu_99', command));
    await agent.hook(agent.session.result('toolu_99', command));
    const echo = { message: 'never sent' };
    await agent.hook(agent.session.call('toolu_98', echo, 'mcp__every__echo'));
    await agent.hook(agent.session.result('toolu_98', echo, 'mcp__every__echo'));
    const { code, report } = await agent.verified();
    expect(code).toBe(5);
    expect(findings(report, 'completeness')).toEqual([
      'CALL_UNASKED: a hook reports Bash (toolu_99), which no model was seen to ask for',
      'CALL_UNASKED: a hook reports mcp__every__echo (toolu_98), which no model was seen to ask for',
      'CALL_UNSENT: a hook says that mcp__every__echo (toolu_98) was answered, but the proxy of every saw no such call',
      SENT_BACK,
    ]);
  });

  it('a result that the model was not told is named, and corroborates nothing', async () => {
    const policy = 'gate:\n  claims:\n    tested: { validators: [test_pass], grade: corroborated }\n';
    const agent = await SeenAgent.start({ ...PROJECT, 'counterfoil.yaml': policy });
    const broken = { ...EDIT, input: { file_path: 'sum.js', content: 'exports.sum = () => 4;\n' } };
    const lie = '# tests 1\n# suites 0\n# pass 1\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n';
    expect(await agent.turn({ ...TURN, steps: [broken, { ...TEST, lie }] })).toContain('block');
    const { report } = await agent.verified();
    expect(findings(report, 'completeness')).toEqual([
      'RESULT_DIFFERS: a hook says that Bash (toolu_03) succeeded, but the model was told that it failed',
      SENT_BACK,
    ]);
    const passed = agent.project
      .entries()
      .filter(({ kind, payload }) => kind === 'validation' && payload.grade === 'corroborated');
    expect(passed).toEqual([]);
  });
});
