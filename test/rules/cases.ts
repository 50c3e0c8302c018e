// Evidence in few words, for the tests of the rules.
import type { Check, Claim, ClaimType } from '../../src/format/index.ts';
import { type ClaimPolicy, DEFAULT_POLICY, type ValidatorId } from '../../src/policy/index.ts';
import {
  type Attempt,
  askValidator,
  type Change,
  type Evidence,
  type JudgeInput,
  type Judgement,
  judge,
  type Outcome,
  type ProjectCommands,
  type Run,
  readContract,
  scopeOf,
} from '../../src/rules/index.ts';

export function check(command: string, more: Partial<Check> = {}): Check {
  return {
    kind: 'test',
    runner: command.split(' ')[0] ?? '',
    command,
    targets: [],
    selectors: [],
    directory: '',
    flaw: null,
    url: null,
    status: null,
    ...more,
  };
}

/** A test run of 5 that passed, unless it says otherwise. */
export function ran(
  seq: number,
  checks: Check | Check[],
  more: Partial<Run> & { code?: number | null } = {},
): Run {
  const { code = 0, ...rest } = more;
  return {
    seq,
    checks: [checks].flat(),
    exit: { code, origin: code === null ? 'unknown' : 'host' },
    outcome: code === 0 || code === null ? 'ok' : 'error',
    tests: { runner: 'pytest', passed: 5, failed: 0, skipped: 0, total: 5 },
    treeBefore: null,
    tree: null,
    genuine: true,
    ...rest,
  };
}

export function counts(passed: number, failed = 0, skipped = 0): Partial<Run> {
  return { tests: { runner: 'pytest', passed, failed, skipped, total: passed + failed + skipped } };
}

export function edit(seq: number, path: string, op: Change['op'] = 'edit'): Change {
  return { seq, path, op, by: 'tool' };
}

export function tried(
  seq: number,
  capability: Attempt['capability'],
  way: string,
  target: string,
  ok = false,
  status?: number | null,
): Attempt {
  return { seq, capability, way, target, ok, ...(status === undefined ? {} : { status }) };
}

export function evidence(more: Partial<Evidence> = {}): Evidence {
  return {
    runs: [],
    changes: [],
    attempts: [],
    weakened: [],
    tree: null,
    editedSince: new Map(),
    background: [],
    ...more,
  };
}

export function claim(type: ClaimType, quote = 'It is so.', more: Partial<Claim> = {}): Claim {
  return { type, quote, about: null, whole: false, ...more };
}

/** What a validator says of a claim, asked by somebody other than the gate where arguments are given. */
export function ask(
  validator: ValidatorId,
  of: Claim,
  prompt: string,
  found: Partial<Evidence>,
  args?: Record<string, string | number>,
  policy: ClaimPolicy = DEFAULT_POLICY,
): Outcome {
  const all = evidence(found);
  const contract = readContract(prompt, policy);
  const context = { evidence: all, contract, claim: of, scope: scopeOf(all, contract) };
  return askValidator({ validator, args: args ?? {}, asked: args !== undefined }, context, policy);
}

/** `pass`, `fail stale`, `refused not-bound`. */
export function said(outcome: Outcome): string {
  return outcome.outcome === 'pass' ? 'pass' : `${outcome.outcome} ${outcome.code}`;
}

export function judged(
  claims: (Claim & { unsure?: boolean })[],
  prompt: string,
  found: Partial<Evidence>,
  disclosures: string[] = [],
  policy: ClaimPolicy = DEFAULT_POLICY,
  idle = false,
  project: ProjectCommands = { test: 'npm test', build: 'npm run build', types: null, lint: null },
) {
  return judge({
    claims,
    disclosures,
    evidence: evidence(found),
    contract: readContract(prompt, policy),
    policy,
    project,
    idle,
  });
}

/** A turn of a project without commands of its own, in guard. The prompt came at 10. */
export function judgedTurn(
  claims: JudgeInput['claims'],
  prompt: string,
  found: Partial<Evidence>,
  more: Partial<JudgeInput> = {},
): Judgement {
  return judge({
    claims,
    disclosures: [],
    evidence: evidence(found),
    contract: readContract(prompt, DEFAULT_POLICY),
    policy: DEFAULT_POLICY,
    project: { test: null, build: null, types: null, lint: null },
    since: 10,
    idle: false,
    ...more,
  });
}

/** How the first claim of such a turn ends: `backed`, `stale stale`, `excused looked`. */
export function codeOf(
  claims: Claim | JudgeInput['claims'],
  prompt: string,
  found: Partial<Evidence>,
  more: Partial<JudgeInput> = {},
): string {
  const { claims: judged, why } = judgedTurn([claims].flat(), prompt, found, more);
  const [first] = judged;
  return first === undefined ? `silent ${why}` : `${first.status} ${first.code ?? ''}`.trim();
}
