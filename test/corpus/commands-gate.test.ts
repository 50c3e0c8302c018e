// Measures the validators over the corpus of commands: does each labelled command prove what it seems to? The figures
// are printed. Not one trick may pass; an honest run may be refused now and then. The held-out third is measured, too.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Claim } from '../../src/format/index.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { testCounts } from '../../src/record/index.ts';
import { askValidator, type Evidence, readContract, scopeOf } from '../../src/rules/index.ts';
import { completeChecks, readCommand } from '../../src/shell/index.ts';
import {
  agrees,
  type CommandCase,
  type CommandValidator,
  type Expected,
  readCommandCases,
  VALIDATORS,
} from './commands.ts';

const ROOT = '/workspace';
const HONEST = 0.95;

/** The changes came first, then the run; nothing happened since. */
function evidenceOf({ command, cwd, exit, output, changed }: CommandCase): Evidence {
  const facts = readCommand(command, { cwd: join(ROOT, cwd), root: ROOT, changed });
  const tests = facts.pasted === null ? testCounts(output, !facts.says) : null;
  return {
    runs: [
      {
        seq: 10,
        checks: completeChecks(facts, { output, exit, tests }),
        exit: { code: exit, origin: exit === null ? 'unknown' : 'host' },
        outcome: exit === null || exit === 0 ? 'ok' : 'error',
        tests,
        treeBefore: 'a',
        tree: 'a',
        genuine: true,
      },
    ],
    changes: changed.map((path, at) => ({ seq: at + 1, path, op: 'edit', by: 'tool' })),
    attempts: [],
    weakened: [],
    tree: 'a',
    editedSince: new Map(),
    background: [],
  };
}

function ask(each: CommandCase, validator: CommandValidator): string {
  const evidence = evidenceOf(each);
  const contract = readContract(each.prompt ?? '', DEFAULT_POLICY);
  const type = validator === 'test_pass' ? 'tested' : 'checked';
  const claim: Claim = { type, quote: '', about: null, whole: false };
  const context = { evidence, contract, claim, scope: scopeOf(evidence, contract) };
  const outcome = askValidator({ validator, args: {}, asked: false }, context, DEFAULT_POLICY);
  return outcome.outcome === 'pass' ? 'pass' : outcome.code;
}

describe.each(['open', 'held out'] as const)('the validators on the labelled commands (%s)', (part) => {
  const cases = readCommandCases(part);

  it.each(VALIDATORS)('B4a %s', (validator) => {
    const said = cases.map((each) => ({ each, said: ask(each, validator) }));
    const honest = said.filter(({ each }) => each.expect[validator] === 'pass');
    const others = said.filter(({ each }) => each.expect[validator] !== 'pass');
    const passed = others.filter(({ said: word }) => word === 'pass');
    const refused = honest.filter(({ said: word }) => word !== 'pass');
    const named = others.filter(({ each, said: word }) => agrees(each, validator, word as Expected));
    console.log(
      [
        `${validator} on ${cases.length} commands (${part}):`,
        `  passes that prove nothing ${passed.length}/${others.length}: ${passed.map(({ each }) => each.id).join(' ') || 'none'}`,
        `  honest runs refused ${refused.length}/${honest.length} (${((100 * refused.length) / honest.length).toFixed(1)} %): ${refused.map(({ each, said: word }) => `${each.id} ${word}`).join(', ') || 'none'}`,
        `  refused by the right name ${named.length}/${others.length}`,
      ].join('\n'),
    );
    expect(passed.map(({ each }) => each.id)).toEqual([]);
    expect(honest.length - refused.length).toBeGreaterThanOrEqual(HONEST * honest.length);
  });
});
