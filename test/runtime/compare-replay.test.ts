// A replay's report held against the record, by hand: what the code says, and what it must not be believed.
import { describe, expect, it } from 'vitest';
import { declaredOtherwise } from '../../src/runtime/agent-declarations.ts';
import { compare, type Expected } from '../../src/runtime/compare-replay.ts';

const STATE = 'a'.repeat(64);
const [WRITTEN, WITHHELD, OTHER] = ['1', '2', '3'].map((digit) => digit.repeat(64)) as [
  string,
  string,
  string,
];

function write(hash: string, mayBeWithheld: boolean): Expected {
  const none = { decision: null, output: null, declared: null, patch: null };
  return { ...none, sequence: 7, stateAfter: STATE, isTold: true, memory: { hash, mayBeWithheld } };
}

describe('a memory write', () => {
  const report = `m 7 ${WRITTEN} ${WITHHELD}\ns 7 ${STATE}\n.\n`;

  it.each([
    ['is the one that the reducer made', write(WRITTEN, false), report, 'matches'],
    ['is withheld where its value looks like a secret', write(WITHHELD, true), report, 'matches'],
    ['is not withheld where the agent went on', write(WITHHELD, false), report, 'diverges'],
    ['is another one', write(OTHER, true), report, 'diverges'],
    ['was never made', write(WRITTEN, true), `m 7 - -\ns 7 ${STATE}\n.\n`, 'diverges'],
    ['is not spoken of', write(WRITTEN, true), `s 7 ${STATE}\n.\n`, 'diverges'],
  ])('O8 %s', (_, expected, told, outcome) => {
    const compared = compare([expected], told, null);
    expect(compared.outcome).toBe(outcome);
    expect(compared.divergence?.what).toBe(outcome === 'diverges' ? 'memory' : undefined);
  });
});

describe('what an agent says of itself', () => {
  const add = { name: 'add', pure: true, limits: { ms: 1 }, required_capabilities: ['tool:call:add'] };
  const { required_capabilities: _, ...older } = add;
  const said = { agent: 'counter', tools: [add] };
  const told = JSON.stringify(said);

  it.each([
    ['the same', said, told, null],
    ['the same, and what tools need was not recorded then', { agent: 'counter', tools: [older] }, told, null],
    ['another name', { ...said, agent: 'other' }, told, 'agent "counter"'],
    ['a tool more', { ...said, tools: [add, older] }, told, 'tools.1.name is not there'],
    ['a tool less', { ...said, tools: [] }, told, 'tools is not there'],
    ['another limit', { ...said, tools: [{ ...add, limits: { ms: 2 } }] }, told, 'tools.0.limits.ms 1'],
    ['nothing', said, undefined, 'agent is not there'],
    ['no JSON', said, '{', 'agent is not there'],
    ['JSON without an end', said, '['.repeat(100_000), 'agent is not there'],
    ['JSON of great depth', said, `${'['.repeat(5000)}${']'.repeat(5000)}`, 'agent is not there'],
  ])('O8 is %s', (_name, recorded, report, got) => {
    expect(declaredOtherwise(recorded, report)?.got ?? null).toBe(got);
  });
});
