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

const NONE = {
  decision: null,
  output: null,
  declared: null,
  memory: null,
  bytes: null,
  failure: null,
  isStopped: false,
  patch: null,
};
const HERE = { unknownAt: null, isSameNode: true };

function event(members: Partial<Expected>): Expected {
  return { ...NONE, sequence: 7, stateAfter: STATE, isTold: true, ...members };
}

function write(hash: string, mayBeWithheld: boolean): Expected {
  return event({ memory: { hash, mayBeWithheld } });
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
    const compared = compare([expected], told, HERE);
    expect(compared.outcome).toBe(outcome);
    expect(compared.divergence?.what).toBe(outcome === 'diverges' ? 'memory' : undefined);
  });
});

describe('a snapshot', () => {
  it.each([
    ['as long as it says', 'b 7 120\n', 'matches'],
    ['longer', 'b 7 121\n', 'diverges'],
    ['not spoken of', '', 'diverges'],
  ])('O7 is %s', (_, line, outcome) => {
    const { divergence, ...compared } = compare([event({ bytes: 120 })], `s 7 ${STATE}\n${line}.\n`, HERE);
    expect(compared.outcome).toBe(outcome);
    expect(divergence?.what).toBe(outcome === 'diverges' ? 'declaration' : undefined);
  });
});

describe('the reason of an end that the agent did not decide on', () => {
  const LONG = `the reducer failed: ${'no key '.repeat(500)}`;
  const [FAILED, SECRET] = ['the reducer failed: no key', 'its decision holds what looks like a secret'];
  it.each([
    ['what the code says', FAILED, FAILED, 'matches'],
    ['the beginning of it', `${LONG.slice(0, 2000)}…`, LONG, 'matches'],
    ['cut shorter than any is', 'the reducer failed: n…', FAILED, 'diverges'],
    ['one that ends so by itself', 'the reducer failed: no…', 'the reducer failed: no…', 'matches'],
    ['redacted', 'the reducer failed: [REDACTED:password]', FAILED, 'matches'],
    ['redacted in the middle', 'the [REDACTED:password] failed: no key', FAILED, 'matches'],
    ['another one', 'the reducer failed: no keys', FAILED, 'diverges'],
    ['another beginning', 'decide failed: …', FAILED, 'diverges'],
    ['another end behind what is redacted', 'the [REDACTED:password] failed', FAILED, 'diverges'],
    ['given though the code does not fail', FAILED, null, 'diverges'],
    ['a secret, which the code does not see', SECRET, null, 'matches'],
    ['a secret, though the code failed', SECRET, FAILED, 'diverges'],
  ])('O7 is %s', (_, failure, came, outcome) => {
    const report = `s 7 ${STATE}\nf 7 ${JSON.stringify(came)}\n.\n`;
    expect(compare([event({ failure })], report, HERE).outcome).toBe(outcome);
  });

  it('O7 is compared as far as the same Node words it', () => {
    const report = `s 7 ${STATE}\nf 7 ${JSON.stringify('the reducer failed: x is not a function')}\n.\n`;
    const outcomeOf = (failure: string): string =>
      compare([event({ failure })], report, { ...HERE, isSameNode: false }).outcome;
    expect(outcomeOf('the reducer failed: x is no function')).toBe('matches');
    expect(outcomeOf('decide failed: x is not a function')).toBe('diverges');
  });
});

describe('an end that somebody else decided on', () => {
  it.each([
    ['where the code did not fail', 'f 7 null\n', 'matches'],
    ['where the code failed', 'f 7 "the reducer failed: no"\n', 'diverges'],
    ['where nothing is said of it', '', 'diverges'],
  ])('O7 is a stop %s', (_, line, outcome) => {
    const compared = compare([event({ isStopped: true })], `s 7 ${STATE}\n${line}.\n`, HERE);
    expect(compared.outcome).toBe(outcome);
    expect(compared.divergence?.what).toBe(outcome === 'diverges' ? 'declaration' : undefined);
  });
});

describe('what an agent says of itself', () => {
  const add = { name: 'add', pure: true, limits: { ms: 1 }, required_capabilities: ['tool:call:add'] };
  const { required_capabilities: _, ...older } = add;
  const said = { agent: 'counter', tools: [add] };
  const told = JSON.stringify(said);

  it.each([
    ['the same', said, told, null],
    [
      'what its tool needs, and the record leaves that out',
      { agent: 'counter', tools: [older] },
      told,
      'tools.0.required_capabilities.0 "tool:call:add"',
    ],
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
