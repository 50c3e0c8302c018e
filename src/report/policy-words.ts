// A policy in plain words: what each claim needs, and how two policies differ.
import { CLAIM_TYPES, type ClaimPolicy, type LeastArgs } from '../policy/index.ts';
import { VALIDATORS } from '../rules/index.ts';

const CLAIMS: Readonly<Record<(typeof CLAIM_TYPES)[number], string>> = {
  done: '"done", "fixed"',
  changed: '"I changed X"',
  tested: '"the tests pass"',
  checked: '"it builds", "it works"',
  shipped: '"pushed", "published"',
  blocked: '"I can\'t"',
  delegation: '"send me X"',
};

/** A line each. */
export function policyLines(policy: ClaimPolicy): [string, string][] {
  const rows = CLAIM_TYPES.map((type): [string, string] => {
    const { validators, grade } = policy.claims[type];
    const grades = grade === 'reported' ? '' : `; evidence must be ${grade}`;
    const needs =
      validators.length === 0
        ? 'must not be claimed, because nothing can prove it'
        : validators.map((id) => `${VALIDATORS[id].words} [${id}]`).join(', or ');
    return [`${type} ${CLAIMS[type]}`, `${needs}${grades}`];
  });
  const { phrases, bypass, finalBlock, highStakes, blocks } = policy;
  const list = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(', ');
  return [
    ...rows,
    ['blocks', `a turn is sent back at most ${blocks === 1 ? 'once' : `${blocks} times`} for one prompt`],
    [
      'final block',
      finalBlock === 'off'
        ? 'not required'
        : finalBlock === 'always'
          ? 'always required'
          : `required if a prompt names ${list(highStakes)}`,
    ],
    ...leastLines(policy.leastArgs),
    ...(phrases.add.length === 0
      ? []
      : [
          ['also claims', phrases.add.map(({ type, phrase }) => `"${phrase}" (${type})`).join(', ')] as [
            string,
            string,
          ],
        ]),
    ...(phrases.remove.length === 0 ? [] : [['no claims', list(phrases.remove)] as [string, string]]),
    ...(bypass.add.length === 0 ? [] : [['also overrides', list(bypass.add)] as [string, string]]),
    ...(bypass.remove.length === 0 ? [] : [['no overrides', list(bypass.remove)] as [string, string]]),
  ];
}

function leastLines(least: LeastArgs): [string, string][] {
  return Object.entries(least).map(([id, args]) => {
    const words = Object.entries(args).map(([name, value]) =>
      value === true ? `${name} must be given` : `${name} is at least ${value}`,
    );
    return [`arguments of ${id}`, words.join(', ')];
  });
}

/** What the second says otherwise than the first. */
export function policyChanges(from: ClaimPolicy, to: ClaimPolicy): string[] {
  const before = new Map(policyLines(from));
  const after = new Map(policyLines(to));
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${name}: ${before.get(name) ?? '(nothing)'} → ${after.get(name) ?? '(nothing)'}`);
}
