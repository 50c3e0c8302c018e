// B10: a message that is one long word, or the same few letters many times, is judged in time that grows with its
// length alone. A gate that stalls lets the turn end unjudged.
import { expect, it } from 'vitest';
import { withFinal } from '../../src/gate/final-claims.ts';
import { readClaims } from '../../src/gate/read-claims.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { gateMessage, readContract, toldExpectations, type Weakening } from '../../src/rules/index.ts';
import { edit, judged } from '../rules/cases.ts';

const PROMPT = 'Fix `src/sum.js`';
const CONTRACT = readContract(PROMPT, DEFAULT_POLICY);
const WEAKENED = ['test/sum.test.js', 'src/sum.js'].map(
  (path): Weakening => ({ path, what: 'loosened', expects: true, lines: [] }),
);
const [SHORT, LONG] = [5000, 40_000];
/** Of eight times the letters: linear is 8, quadratic 64. */
const MOST_TIMES = 24;

function judgeTurn(message: string): string {
  const { claims, disclosures } = withFinal(readClaims(message), DEFAULT_POLICY);
  toldExpectations(WEAKENED, message, CONTRACT);
  return gateMessage(judged([...claims], PROMPT, { changes: [edit(1, 'src/sum.js')] }, [...disclosures]));
}

/** In microseconds of this process, the least of three: what else the machine does is not in it. */
function cost(message: string): number {
  const once = (): number => {
    const before = process.cpuUsage();
    judgeTurn(message);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  return Math.min(once(), once(), once());
}

it.each(['a', 's/', '.', ' -p ', '`', 'test_'])('%j again and again', (part) => {
  const of = (length: number) =>
    `Fixed. All tests pass.\n\n${part.repeat(length / part.length).slice(0, length)}`;
  expect(judgeTurn(of(SHORT))).toContain('All tests pass');
  // The first microseconds of any of them are the same.
  expect(cost(of(LONG))).toBeLessThan(MOST_TIMES * (cost(of(SHORT)) + 1000));
});
