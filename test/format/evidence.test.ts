// Payloads of the evidence gate: exactly their members, within their bounds, the same after a round trip, and nothing
// but ParseError for anything else. Writers cut what is too long, so that readers never have to refuse it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeBase64,
  encodeVerifierKey,
  type Json,
  type JsonObject,
  makeSigner,
  ParseError,
} from '../../src/core/index.ts';
import {
  type Check,
  encodeCallEvidence,
  encodeClaim,
  encodeContract,
  encodeCrash,
  encodeEntry,
  encodeGate,
  encodeOverride,
  encodePolicyRecord,
  encodeResultEvidence,
  encodeToolResult,
  encodeValidation,
  encodeValidatorKey,
  type Gate,
  GENESIS,
  isKnownKind,
  isUserKind,
  parseCallEvidence,
  parseClaim,
  parseContract,
  parseCrash,
  parseGate,
  parseOverride,
  parsePolicyRecord,
  parseResultFacts,
  parseValidation,
  parseValidatorKey,
  type RecordedContract,
  type ResultFacts,
  type SignedValidation,
  type ToolFacts,
} from '../../src/format/index.ts';

const HASH = 'ab'.repeat(32);
const REF = { $content: `hmac-sha256:${HASH}`, bytes: 5, type: 'text/plain' };
const SIGNATURE = encodeBase64(new Uint8Array(64).fill(7));

const hash = fc.stringMatching(/^[0-9a-f]{64}$/);
const seq = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const word = (most: number) => fc.string({ unit: 'grapheme-ascii', maxLength: most });
const words = (most: number, longest: number) => fc.array(word(longest), { maxLength: most });
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const oneOf = <const T>(...values: T[]) => fc.constantFrom(...values);

const check: fc.Arbitrary<Check> = fc.record({
  kind: oneOf('test', 'build', 'types', 'lint', 'format', 'run', 'http', 'ship'),
  runner: word(64),
  command: word(256),
  targets: words(4, 40),
  selectors: words(4, 40),
  directory: orNull(word(256)),
  flaw: orNull(
    fc.record({
      code: oneOf('not-a-check', 'masked', 'background', 'dry-run', 'shadowed'),
      detail: word(256),
    }),
  ),
  url: orNull(word(256)),
  status: orNull(fc.nat(999)),
});

const FACTS: ToolFacts = {
  tool: 'Bash',
  toolUseId: 'toolu_1',
  agentId: null,
  workspaceRoot: '/w',
  role: null,
  intent: null,
  planHash: null,
  phaseId: null,
  invariantId: null,
  notes: null,
  argsHash: HASH,
  paths: [],
};

const result: fc.Arbitrary<ResultFacts> = fc.record({
  outcome: oneOf('ok', 'error', 'aborted', 'timeout'),
  exit: fc.record({ code: orNull(fc.integer()), origin: oneOf('host', 'parsed', 'inferred', 'unknown') }),
  tests: orNull(
    fc.record({
      runner: word(20),
      passed: fc.nat(),
      failed: fc.nat(),
      skipped: fc.nat(),
      total: orNull(fc.nat()),
    }),
  ),
  files: fc.array(
    fc.record({
      path: word(100),
      op: oneOf('write', 'edit', 'delete', 'read'),
      hash: orNull(hash),
      bytes: orNull(fc.nat()),
    }),
    { maxLength: 4 },
  ),
  repeated: fc.constant(false),
  checks: orNull(fc.array(check, { maxLength: 8 })),
  attempts: orNull(
    fc.array(
      fc.record({
        capability: oneOf('fetch', 'read', 'search', 'run'),
        way: word(64),
        target: word(256),
        ok: fc.boolean(),
        status: orNull(fc.nat(999)),
      }),
      { maxLength: 8 },
    ),
  ),
  tree: orNull(hash),
  background: fc.boolean(),
});

const encodeResult = (facts: ResultFacts): JsonObject => ({
  ...encodeToolResult(FACTS, {
    result: facts.outcome,
    errorCode: null,
    output: null,
    exit: facts.exit,
    durationMs: 3,
    tests: facts.tests,
    files: facts.files,
  }),
  ...encodeResultEvidence(facts),
});

const contract: fc.Arbitrary<RecordedContract> = fc.record({
  intent: word(64),
  objective: orNull(fc.record({ hash, ref: orNull(fc.constant(REF)) })),
  fields: fc.record({
    paths: words(8, 40),
    urls: words(8, 40),
    backtick_tokens: words(8, 40),
    command_hints: words(8, 40),
    keywords: words(8, 40),
  }),
  ladder: fc.array(fc.record({ capability: oneOf('fetch', 'read', 'search', 'run'), target: word(256) }), {
    maxLength: 8,
  }),
  expected: words(8, 64),
  responseMode: oneOf('free', 'foil_final'),
  allowsWeakening: fc.boolean(),
});

const claim = fc.record(
  {
    type: oneOf('done', 'changed', 'tested', 'checked', 'shipped', 'blocked', 'delegation'),
    about: orNull(word(64)),
    whole: fc.boolean(),
    quote: fc.record({ hash, ref: orNull(fc.constant(REF)) }),
    names: words(8, 256),
    agentId: orNull(word(256)),
    count: fc.nat(),
  },
  { requiredKeys: ['type', 'about', 'whole', 'quote', 'names', 'agentId'] },
);

const validation: fc.Arbitrary<SignedValidation> = fc
  .record({
    validator: word(64),
    validatorVersion: seq,
    claim: seq,
    contract: orNull(seq),
    args: fc.constantFrom<JsonObject>({}, { target: 'a', n: 2 }, { list: [1, { a: null }] }),
    outcome: oneOf('pass', 'fail', 'refused'),
    code: word(64),
    evidence: fc.array(seq, { maxLength: 64 }),
    tree: orNull(hash),
    changed: orNull(words(8, 40)),
    weakened: orNull(
      fc.array(
        fc.record(
          {
            path: word(40),
            what: oneOf('deleted', 'skipped', 'loosened', 'deselected'),
            of: oneOf('types', 'lint'),
          },
          { requiredKeys: ['path', 'what'] },
        ),
        { maxLength: 8 },
      ),
    ),
    grade: oneOf('reported', 'corroborated', 're-executed'),
    policyHash: hash,
    keyVersion: seq,
    signature: fc.constant(SIGNATURE),
  })
  .map((each) => ({
    ...each,
    code: each.outcome === 'pass' ? null : each.code,
  })) as fc.Arbitrary<SignedValidation>;

const GATE_KEYS = [
  'verdict',
  'why',
  'claims',
  'blocks',
  'extraction',
  'textFrom',
  'stopHookActive',
  'tree',
  'policyHash',
  'mode',
  'background',
  'forged',
] as const;

const gate: fc.Arbitrary<Gate> = fc.record(
  {
    verdict: oneOf('silent', 'pass', 'warn', 'block', 'unproven', 'ungated'),
    why: orNull(word(256)),
    claims: fc.array(
      fc.record({
        claim: seq,
        status: oneOf(
          'backed',
          'excused',
          'unbacked',
          'stale',
          'failed',
          'weakened',
          'narrow',
          'trick',
          'not-tried',
        ),
        code: orNull(word(64)),
        validation: orNull(seq),
      }),
      { maxLength: 8 },
    ),
    blocks: fc.nat(),
    extraction: oneOf('ok', 'unparseable', 'schema_drift', 'unreadable'),
    textFrom: oneOf('message', 'transcript', 'none'),
    stopHookActive: orNull(fc.boolean()),
    tree: orNull(hash),
    policyHash: hash,
    mode: oneOf('observe', 'guard', 'locked'),
    background: words(16, 256),
    forged: fc.array(seq, { maxLength: 64 }),
    endedBy: oneOf('limit', 'host'),
    limit: oneOf('prompt', 'minute', 'session'),
    host: fc.record({ blocks: fc.nat(), cap: orNull(fc.nat()) }),
    rules: fc.nat(),
    details: fc.record({ hash, ref: orNull(fc.constant(REF)) }),
  },
  { requiredKeys: [...GATE_KEYS] },
);

const OPERATOR = encodeVerifierKey(makeSigner('operator', new Uint8Array(32).fill(9)));

const policy = fc.record({
  claimPolicy: fc.constantFrom<JsonObject>({}, { claims: { done: ['test_pass'] } }),
  policyHash: hash,
  accepted: orNull(fc.constant({ by: OPERATOR, signature: SIGNATURE })),
});

interface Form<T> {
  readonly name: string;
  readonly value: fc.Arbitrary<T>;
  readonly encode: (value: T) => JsonObject;
  readonly parse: (payload: JsonObject) => T;
  /** Members beside these are others' business. */
  readonly open?: boolean;
  /** Members that may be left out. */
  readonly optional?: readonly string[];
}

const form = <T>(one: Form<T>): Form<unknown> => one as unknown as Form<unknown>;

const FORMS: readonly Form<unknown>[] = [
  form({ name: 'tool.result', value: result, encode: encodeResult, parse: parseResultFacts, open: true }),
  form({
    name: 'tool.call',
    value: fc.record({ tree: orNull(hash), feedsHooks: fc.boolean() }),
    encode: encodeCallEvidence,
    parse: parseCallEvidence,
    open: true,
  }),
  form({ name: 'contract', value: contract, encode: encodeContract, parse: parseContract }),
  form({ name: 'claim', value: claim, encode: encodeClaim, parse: parseClaim, optional: ['count'] }),
  form({
    name: 'validation',
    value: validation,
    encode: (each) => ({ ...encodeValidation(each, each.keyVersion), signature: each.signature }),
    parse: parseValidation,
  }),
  form({
    name: 'gate',
    value: gate,
    encode: encodeGate,
    parse: parseGate,
    optional: ['ended_by', 'limit', 'host', 'rules'],
  }),
  form({
    name: 'override',
    value: fc.record({ phrase: word(256), quote: fc.record({ hash, ref: orNull(fc.constant(REF)) }) }),
    encode: encodeOverride,
    parse: parseOverride,
    optional: ['quote'],
  }),
  form({
    name: 'crash',
    value: fc.record({
      hook: word(256),
      event: orNull(word(256)),
      error: word(2048),
      at: fc.constant('2026-11-15T10:00:00.000Z'),
      from: oneOf('ledger', 'fallback'),
    }),
    encode: encodeCrash,
    parse: parseCrash,
  }),
  form({
    name: 'validator.key',
    value: fc.record({ version: seq, publicKey: hash, certificate: fc.constant(SIGNATURE) }),
    encode: encodeValidatorKey,
    parse: parseValidatorKey,
  }),
  form({ name: 'policy', value: policy, encode: encodePolicyRecord, parse: parsePolicyRecord }),
];

/** Every place in a value, as a function that puts something else there. */
function places(value: Json, put: (other: Json) => JsonObject): ((other: Json) => JsonObject)[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, member]) => {
    const replace = (other: Json): JsonObject =>
      put(
        Array.isArray(value)
          ? value.with(Number(key), other)
          : { ...(value as JsonObject), [key as string]: other },
      );
    return [replace, ...places(member as Json, replace)];
  });
}

describe.each(FORMS)('$name', ({ value, encode, parse, open, optional = [] }) => {
  it('is the same after a round trip, both ways', () => {
    fc.assert(
      fc.property(value, (each) => {
        const payload = encode(each);
        const parsed = parse(payload);
        expect(parsed).toEqual(each);
        expect(encode(parsed)).toEqual(payload);
      }),
    );
  });

  it('has exactly its members', () => {
    fc.assert(
      fc.property(value, (each) => {
        const payload = encode(each);
        if (open) return;
        expect(() => parse({ ...payload, more: 1 })).toThrow(ParseError);
        for (const name of Object.keys(payload)) {
          if (optional.includes(name)) continue;
          const { [name]: _, ...rest } = payload;
          expect(() => parse(rest), name).toThrow(ParseError);
        }
      }),
      { numRuns: 10 },
    );
  });

  it('nothing but ParseError comes out, and what is accepted is written back as it was', () => {
    fc.assert(
      fc.property(value, fc.jsonValue(), fc.nat(), (each, other, at) => {
        const payload = encode(each);
        const all = places(payload, (whole) => whole as JsonObject);
        const changed = all[at % all.length]?.(other as Json) ?? payload;
        try {
          const parsed = parse(changed);
          if (!open) expect(encode(parsed)).toEqual(changed);
        } catch (error) {
          if (!(error instanceof ParseError)) throw error;
          expect(error.path).toMatch(/^payload\./);
        }
      }),
      { numRuns: 400 },
    );
  });
});

describe('bounds', () => {
  const long = '€'.repeat(1000);
  const many = Array.from({ length: 100 }, () => long);
  const fits = (payload: JsonObject): number =>
    encodeEntry({ kind: 'note', payload, source: 'test', ts: '2026-11-15T10:00:00.000Z' }, 1, GENESIS).line
      .length;

  it('checks: what is too long is cut, ends in an ellipsis, and stays narrowed', () => {
    const one: Check = {
      kind: 'test',
      runner: long,
      command: long,
      targets: many,
      selectors: many,
      directory: long,
      flaw: { code: 'masked', detail: long },
      url: long,
      status: 200,
    };
    const payload = { ...encodeResult(resultOf([...Array(20)].map(() => one))) };
    expect(fits(payload)).toBeLessThan(65_536);
    const { checks } = parseResultFacts(payload);
    expect(checks?.length).toBeGreaterThan(0);
    for (const { targets, selectors, command } of checks ?? []) {
      expect(targets.length).toBeGreaterThan(0);
      expect(selectors.length).toBeGreaterThan(0);
      expect(targets[0]).toBe(`${'€'.repeat(255)}…`);
      expect(command).toHaveLength(256);
    }
  });

  it('a surrogate pair is never cut in two', () => {
    const command = `${'x'.repeat(254)}😀😀`;
    const [check] = parseResultFacts(encodeResult(resultOf([{ ...CHECK, command }]))).checks ?? [];
    expect(check?.command.isWellFormed()).toBe(true);
    expect(check?.command.endsWith('…')).toBe(true);
  });

  it('contract, validation and gate fit into a line however long their parts', () => {
    const fields = { paths: many, urls: many, backtick_tokens: many, command_hints: many, keywords: many };
    const ladder = many.map((target) => ({ capability: 'fetch' as const, target }));
    const big = encodeContract({
      intent: long,
      objective: null,
      fields,
      ladder,
      expected: many,
      responseMode: 'free',
      allowsWeakening: false,
    });
    expect(fits(big)).toBeLessThan(65_536);
    expect(parseContract(big).fields.paths.length).toBeGreaterThan(3);
    const base = {
      validator: long,
      validatorVersion: 1,
      claim: 1,
      contract: null,
      outcome: 'fail' as const,
      code: long,
      evidence: Array.from({ length: 500 }, (_, i) => i + 1),
      tree: null,
      changed: many,
      weakened: many.map((path) => ({ path, what: 'skipped' as const })),
      grade: 'reported' as const,
      policyHash: HASH,
    };
    const payload = encodeValidation({ ...base, args: { a: 'x' } }, 1);
    expect(fits({ ...payload, signature: SIGNATURE })).toBeLessThan(65_536);
    expect(parseValidation({ ...payload, signature: SIGNATURE }).changed?.length).toBeGreaterThan(0);
    expect(() => encodeValidation({ ...base, args: { a: 'x'.repeat(5000) } }, 1)).toThrow(RangeError);
    const args = { a: 'x'.repeat(5000) };
    expect(() => parseValidation({ ...payload, args, signature: SIGNATURE })).toThrow(/payload\.args/);
  });

  it('lists that are too long are refused, with their place', () => {
    const [first = { ...CHECK }] = [encodeResult(resultOf([CHECK]))].map(
      ({ checks }) => (checks as JsonObject[])[0],
    );
    const nine = { ...encodeResult(resultOf([])), checks: Array.from({ length: 9 }, () => first as Json) };
    expect(() => parseResultFacts(nine)).toThrow(/payload\.checks: more than 8/);
    const far = {
      ...encodeResult(resultOf([])),
      checks: [{ ...(first as JsonObject), targets: ['a', 'b'.repeat(257)] }],
    };
    expect(() => parseResultFacts(far)).toThrow(/payload\.checks\[0\]\.targets\[1\]/);
  });

  it('a pass has no code, and everything else has one', () => {
    const [one] = fc.sample(validation, 1);
    const payload = { ...encodeValidation(one as SignedValidation, 1), signature: SIGNATURE };
    expect(() => parseValidation({ ...payload, outcome: 'pass', code: 'stale' })).toThrow(ParseError);
    expect(() => parseValidation({ ...payload, outcome: 'fail', code: null })).toThrow(ParseError);
  });

  it('what older recorders wrote has no checks, and no fingerprint', () => {
    const {
      checks: _,
      attempts: __,
      tree: ___,
      background: ____,
      ...older
    } = encodeResult(resultOf([CHECK]));
    expect(parseResultFacts(older)).toMatchObject({ checks: null, attempts: null, tree: null });
    expect(parseCallEvidence({ tool: 'Bash' })).toEqual({ tree: null, feedsHooks: false });
  });
});

it('validator.key is a known kind, and none that anybody may write', () => {
  expect(isKnownKind('validator.key')).toBe(true);
  expect(isUserKind('validator.key')).toBe(false);
});

const CHECK: Check = {
  kind: 'test',
  runner: 'vitest',
  command: 'npx vitest run',
  targets: [],
  selectors: [],
  directory: '',
  flaw: null,
  url: null,
  status: null,
};

function resultOf(checks: readonly Check[]): ResultFacts {
  return {
    outcome: 'ok',
    exit: { code: 0, origin: 'host' },
    tests: null,
    files: [],
    repeated: false,
    checks,
    attempts: null,
    tree: null,
    background: false,
  };
}
