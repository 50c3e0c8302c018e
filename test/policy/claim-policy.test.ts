// The member `gate:` of counterfoil.yaml: what it means, and what is refused with the path of the fault.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ParseError } from '../../src/core/index.ts';
import {
  DEFAULT_POLICY,
  encodeClaimPolicy,
  parseClaimPolicy,
  policyHash,
  VALIDATOR_IDS,
  validatorId,
} from '../../src/policy/index.ts';

function refusal(yaml: string): string {
  try {
    parseClaimPolicy(parse(yaml));
  } catch (error) {
    if (error instanceof ParseError) return `${error.code} ${error.path}`;
    throw error;
  }
  return 'accepted';
}

describe('B7a the claim policy', () => {
  it('by default binds every claim, at the grade of a report, and asks for no final block', () => {
    expect(parseClaimPolicy(null)).toEqual(DEFAULT_POLICY);
    expect(parseClaimPolicy({})).toEqual(DEFAULT_POLICY);
    expect(DEFAULT_POLICY.claims.tested).toEqual({ validators: ['test_pass'], grade: 'reported' });
    expect(DEFAULT_POLICY.claims.done.validators).toEqual([
      'test_pass',
      'command_zero_exit',
      'http_2xx',
      'file_diff_present',
    ]);
    for (const binding of Object.values(DEFAULT_POLICY.claims))
      expect(binding.validators.length).toBeGreaterThan(0);
    expect([DEFAULT_POLICY.finalBlock, DEFAULT_POLICY.blocks]).toEqual(['off', 2]);
  });

  it('reads the example of its own documentation', () => {
    const policy = parseClaimPolicy(
      parse(`
claims:
  done: [test_pass, command_zero_exit]
  shipped: { validators: [command_zero_exit], grade: corroborated }
high_stakes: [production, migration]
final_block: off
phrases:
  add: [{ type: done, phrase: wrapped up }]
  remove: [all set]
bypass: { add: [just ship it], remove: [] }
blocks: 1
`),
    );
    expect(policy.claims.done.validators).toEqual(['test_pass', 'command_zero_exit']);
    expect(policy.claims.shipped.grade).toBe('corroborated');
    expect(policy.claims.tested).toEqual(DEFAULT_POLICY.claims.tested);
    expect(policy.phrases.add).toEqual([{ type: 'done', phrase: 'wrapped up' }]);
    expect([policy.finalBlock, policy.blocks]).toEqual(['off', 1]);
  });

  it('knows pytest_pass as test_pass, and keeps an empty list as "nothing settles it"', () => {
    const policy = parseClaimPolicy({ claims: { tested: ['pytest_pass'], shipped: [] } });
    expect(policy.claims.tested.validators).toEqual(['test_pass']);
    expect(policy.claims.shipped.validators).toEqual([]);
    expect(validatorId('nothing')).toBeNull();
  });

  it.each([
    ['claim: {}', 'BAD_MEMBER gate.claim'],
    ['[1]', 'BAD_MEMBER gate'],
    ['claims: { finished: [test_pass] }', 'BAD_MEMBER gate.claims.finished'],
    ['claims: { done: test_pass }', 'BAD_MEMBER gate.claims.done'],
    ['claims: { done: null }', 'BAD_MEMBER gate.claims.done'],
    ['claims: { done: [tests] }', 'BAD_MEMBER gate.claims.done.validators[0]'],
    ['claims: { done: [test_pass, 3] }', 'BAD_MEMBER gate.claims.done.validators[1]'],
    ['claims: { tested: [file_diff_present] }', 'BAD_MEMBER gate.claims.tested.validators[0]'],
    ['claims: { tested: [test_pass, pytest_pass] }', 'BAD_MEMBER gate.claims.tested.validators'],
    ['claims: { done: { grade: proven } }', 'BAD_MEMBER gate.claims.done.grade'],
    ['claims: { done: { level: 1 } }', 'BAD_MEMBER gate.claims.done.level'],
    ['high_stakes: production', 'BAD_MEMBER gate.high_stakes'],
    ['high_stakes: [x]', 'BAD_MEMBER gate.high_stakes[0]'],
    ['high_stakes: ["!!!"]', 'BAD_MEMBER gate.high_stakes[0]'],
    ['high_stakes: [7]', 'BAD_MEMBER gate.high_stakes[0]'],
    ['final_block: sometimes', 'BAD_MEMBER gate.final_block'],
    ['phrases: { add: [done] }', 'BAD_MEMBER gate.phrases.add[0]'],
    ['phrases: { add: [{ type: ready, phrase: yes }] }', 'BAD_MEMBER gate.phrases.add[0].type'],
    ['phrases: { add: [{ type: done }] }', 'BAD_MEMBER gate.phrases.add[0].phrase'],
    ['phrases: { drop: [] }', 'BAD_MEMBER gate.phrases.drop'],
    ['bypass: { add: ["two\\nlines"] }', 'BAD_MEMBER gate.bypass.add[0]'],
    ['blocks: 0', 'BAD_NUMBER gate.blocks'],
    ['blocks: 1.5', 'BAD_NUMBER gate.blocks'],
    ['blocks: "2"', 'BAD_NUMBER gate.blocks'],
    ['min_validator_args: { looks_fine: {} }', 'BAD_MEMBER gate.min_validator_args.looks_fine'],
    ['min_validator_args: { test_pass: 3 }', 'BAD_MEMBER gate.min_validator_args.test_pass'],
    ['min_validator_args: { test_pass: { runs: 0 } }', 'BAD_NUMBER gate.min_validator_args.test_pass.runs'],
    ['min_validator_args: { test_pass: { Runs: 2 } }', 'BAD_MEMBER gate.min_validator_args.test_pass.Runs'],
    [
      'min_validator_args: { test_pass: { runs: 3 }, pytest_pass: { runs: 1 } }',
      'BAD_MEMBER gate.min_validator_args',
    ],
    [`high_stakes: [${'word, '.repeat(65)}]`, 'TOO_LONG gate.high_stakes'],
    [`high_stakes: [${'w'.repeat(129)}]`, 'TOO_LONG gate.high_stakes[0]'],
  ])('refuses %s', (yaml, expected) => {
    expect(refusal(yaml)).toBe(expected);
  });

  it('has a hash that any change of meaning changes, and none of writing', () => {
    const hash = policyHash(DEFAULT_POLICY);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(policyHash(parseClaimPolicy({ blocks: 2 }))).toBe(hash);
    expect(policyHash(parseClaimPolicy({ blocks: 1 }))).not.toBe(hash);
    expect(policyHash(parseClaimPolicy({ claims: { done: ['test_pass'] } }))).not.toBe(hash);
    expect(parseClaimPolicy(encodeClaimPolicy(DEFAULT_POLICY))).toEqual(DEFAULT_POLICY);
    // Recorded policies of before have no least arguments, and keep their hash.
    expect(policyHash(parseClaimPolicy({ min_validator_args: {} }))).toBe(hash);
    expect(encodeClaimPolicy(DEFAULT_POLICY)).not.toHaveProperty('min_validator_args');
    const least = parseClaimPolicy({ min_validator_args: { pytest_pass: { runs: 2 } } });
    expect(least.leastArgs).toEqual({ test_pass: { runs: 2 } });
    expect(parseClaimPolicy(encodeClaimPolicy(least))).toEqual(least);
    expect(policyHash(least)).not.toBe(hash);
  });

  it('B14 names each validator once, and each settles something', () => {
    const bound = Object.values(DEFAULT_POLICY.claims).flatMap(({ validators }) => validators);
    expect(new Set(bound)).toEqual(new Set(VALIDATOR_IDS));
  });
});
