// Small ledgers in which something is claimed: an honest story, and the same with one thing wrong. Made with the real
// encoders and fixed keys; every validation is signed, the wrong ones too, unless the signature is what is wrong.
import {
  encodeBase64,
  encodeHex,
  type JsonObject,
  makeSigner,
  type Signer,
  sessionIdOf,
  validationMessage,
  validatorKeyMessage,
} from '../../src/core/index.ts';
import {
  type Check,
  type Draft,
  encodeCallEvidence,
  encodeClaim,
  encodeContract,
  encodeGate,
  encodeModelToolResult,
  encodeModelToolUse,
  encodePolicyRecord,
  encodeResultEvidence,
  encodeSessionEnd,
  encodeSessionStart,
  encodeToolCall,
  encodeToolResult,
  encodeTurn,
  encodeValidation,
  encodeValidatorKey,
  type FileFact,
  type Gate,
  GENESIS,
  type ModelToolResult,
  type ModelToolUse,
  type RecordedClaim,
  type RecordedContract,
  type ResultEvidence,
  type ToolFacts,
  type ToolResult,
  UNBOUND,
  type Validation,
} from '../../src/format/index.ts';
import { DEFAULT_POLICY, encodeClaimPolicy, policyHash } from '../../src/policy/index.ts';
import { closingOf, newChain } from '../../src/session/index.ts';
import { LedgerMaker } from './make-ledger.ts';

const hash = (digit: string): string => digit.repeat(64);
export const TREE = { before: hash('1'), after: hash('2'), later: hash('3') };
export const POLICY_HASH = policyHash(DEFAULT_POLICY);

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

const CONTRACT: RecordedContract = {
  intent: 'fix',
  objective: null,
  fields: {
    paths: ['src/parser.ts'],
    urls: [],
    backtick_tokens: [],
    command_hints: [],
    keywords: ['parser'],
  },
  ladder: [],
  expected: ['test_pass'],
  responseMode: 'free',
  allowsWeakening: false,
};

export interface RunOptions {
  readonly check?: Partial<Check>;
  readonly exit?: ToolResult['exit'];
  readonly tests?: ToolResult['tests'];
  readonly result?: ToolResult['result'];
  readonly tree?: string | null;
  readonly evidence?: Partial<ResultEvidence>;
  /** Members that stand beside the others. */
  readonly more?: JsonObject;
}

export interface WireOptions {
  readonly asked?: Partial<ModelToolUse> | null;
  readonly told?: Partial<ModelToolResult> | null;
}

export interface StopOptions {
  readonly claims?: readonly Partial<RecordedClaim>[];
  /** What is signed; `claim` is filled in. Null for none. */
  readonly validation?: Partial<Validation> | null;
  /** After it was signed. */
  readonly forge?: (payload: JsonObject) => JsonObject;
  readonly keyVersion?: number;
  readonly gate?: Partial<Gate>;
  readonly session?: string;
  readonly tree?: string | null;
}

/** A session that is told step by step. */
export class Story extends LedgerMaker {
  session = '';
  validator: Signer | undefined;
  validatorVersion = 0;
  #contract: number | null = null;
  #prompt: number | null = null;

  constructor(seed = 1) {
    super(seed);
    this.validatorKey(31);
  }

  of(kind: string, payload: JsonObject, more: Partial<Draft> = {}): number {
    return this.append(kind, payload, { session_id: this.session, source: 'hook:claude-code', ...more });
  }

  /** The next version; `by` certifies it. */
  validatorKey(seed: number, by: Signer = this.signer, version = this.validatorVersion + 1): this {
    const key = makeSigner(`${this.origin}/validator`, new Uint8Array(32).fill(seed));
    const message = validatorKeyMessage({ origin: this.origin, version, publicKey: key.publicKey });
    const certificate = encodeBase64(by.sign(message));
    const publicKey = encodeHex(key.publicKey);
    this.append('validator.key', encodeValidatorKey({ version, publicKey, certificate }), {
      source: 'ledger',
    });
    this.validator = key;
    this.validatorVersion = version;
    return this;
  }

  policy(claimPolicy = encodeClaimPolicy(DEFAULT_POLICY), recorded = POLICY_HASH): this {
    this.append('policy', encodePolicyRecord({ claimPolicy, policyHash: recorded, accepted: null }));
    return this;
  }

  begin(): this {
    this.session = sessionIdOf({ prevHash: this.hashes.at(-1) ?? GENESIS });
    const payload = encodeSessionStart(
      {
        agent: 'claude-code',
        agentSession: 's',
        workspaceRoot: '/home/dev/proj',
        trigger: 'startup',
        resumes: null,
        pack: null,
        interaction: 'hook:claude-code',
        interactionKind: 'response',
        mode: 'guard',
        content: 'none',
        hashes: 'salted',
        redaction: 'default',
        configHash: null,
        transcript: null,
        hostProcess: null,
      },
      UNBOUND,
    );
    this.of('session.start', { ...payload, tree: TREE.before, base: null });
    return this;
  }

  ask(contract: Partial<RecordedContract> = {}): this {
    const kept = { hash: hash('a'), bytes: 9, ref: null };
    this.#prompt = this.of('prompt', encodeTurn('prompt_hash', kept, { prompt_id: null }));
    this.#contract = this.of('contract', encodeContract({ ...CONTRACT, ...contract }), {
      cause: this.#prompt,
    });
    return this;
  }

  edit(path = 'src/parser.ts', op: FileFact['op'] = 'edit'): number {
    const files = [{ path: `/home/dev/proj/${path}`, op, hash: null, bytes: null }];
    return this.#tool(
      'Edit',
      null,
      { files },
      { checks: null, attempts: null, tree: null, background: false },
    );
  }

  run({ check, exit, tests, result, tree = TREE.after, evidence, more }: RunOptions = {}): number {
    const facts = {
      ...(exit === undefined ? {} : { exit }),
      ...(result === undefined ? {} : { result }),
      tests: tests === undefined ? { runner: 'vitest', passed: 12, failed: 0, skipped: 0, total: 12 } : tests,
    };
    const checks = [{ ...CHECK, ...check }];
    return this.#tool(
      'Bash',
      tree,
      facts,
      { checks, attempts: null, tree, background: false, ...evidence },
      more,
    );
  }

  /** The gateway's sight of the call with that id: what the model asked for, and what it was told. */
  wire(id: string, { asked = {}, told = {} }: WireOptions = {}): this {
    const source = { source: 'gateway' };
    const tests = { runner: 'vitest', passed: 12, failed: 0, skipped: 0, total: 12 };
    const use = { toolUseId: id, tool: 'Bash', inputHash: hash('c'), inputBytes: 9, whole: true };
    if (asked !== null) this.of('model.tool_use', encodeModelToolUse({ ...use, ...asked }), source);
    if (told !== null)
      this.of(
        'model.tool_result',
        encodeModelToolResult({ toolUseId: id, error: false, tests, ...told }),
        source,
      );
    return this;
  }

  /** A command that calls our hooks itself; what is told while it runs is not the host's. */
  feed(during: () => number): number {
    const facts = toolFacts('Bash');
    const kept = { hash: hash('c'), bytes: 9, ref: null };
    const call = this.of('tool.call', {
      ...encodeToolCall(facts, kept),
      ...encodeCallEvidence({ tree: null, feedsHooks: true }),
    });
    const told = during();
    const evidence = { checks: null, attempts: null, tree: null, background: false };
    this.of(
      'tool.result',
      { ...encodeToolResult(facts, RESULT), ...encodeResultEvidence(evidence) },
      { cause: call },
    );
    return told;
  }

  #tool(
    tool: string,
    before: string | null,
    result: Partial<ToolResult>,
    evidence: ResultEvidence,
    more: JsonObject = {},
  ): number {
    const facts = toolFacts(tool);
    const kept = { hash: hash('c'), bytes: 9, ref: null };
    const call = this.of(
      'tool.call',
      { ...encodeToolCall(facts, kept), ...encodeCallEvidence({ tree: before, feedsHooks: false }) },
      { cause: this.#prompt },
    );
    const payload = {
      ...encodeToolResult(facts, { ...RESULT, ...result }),
      ...encodeResultEvidence(evidence),
      ...more,
    };
    return this.of('tool.result', payload, { cause: call });
  }

  /** The end of a turn: what is claimed, what a validator said, and the gate. `evidence` are the seqs it rests on. */
  stop(
    evidence: readonly number[],
    options: StopOptions = {},
  ): { claims: number[]; validation: number | null } {
    const { claims = [{}], gate = {}, tree = TREE.after } = options;
    const response = this.of(
      'response',
      encodeTurn('response_hash', { hash: hash('b'), bytes: 20, ref: null }, {}),
    );
    const seqs = claims.map((claim) =>
      this.of(
        'claim',
        encodeClaim({
          type: 'tested',
          about: null,
          whole: false,
          quote: { hash: hash('d'), ref: null },
          names: [],
          agentId: null,
          ...claim,
        }),
        { cause: response },
      ),
    );
    const [first = null] = seqs;
    const validation =
      first === null || options.validation === null ? null : this.validate(first, evidence, options);
    const payload = encodeGate({
      verdict: first === null ? 'silent' : 'pass',
      why: first === null ? 'no-claim' : null,
      claims: seqs.map((claim) => ({ claim, status: 'backed', code: null, validation })),
      blocks: 0,
      extraction: 'ok',
      textFrom: 'message',
      stopHookActive: false,
      tree,
      policyHash: POLICY_HASH,
      mode: 'guard',
      background: [],
      forged: [],
      ...gate,
    });
    this.of('gate', payload, { cause: response });
    return { claims: seqs, validation };
  }

  validate(claim: number, evidence: readonly number[], options: StopOptions = {}): number {
    const payload = encodeValidation(
      {
        validator: 'test_pass',
        validatorVersion: 1,
        claim,
        contract: this.#contract,
        args: {},
        outcome: 'pass',
        code: null,
        evidence,
        tree: options.tree === undefined ? TREE.after : options.tree,
        changed: ['src/parser.ts'],
        weakened: [],
        grade: 'reported',
        policyHash: POLICY_HASH,
        ...options.validation,
      },
      options.keyVersion ?? this.validatorVersion,
    );
    const session = options.session ?? this.session;
    const message = validationMessage({ origin: this.origin, sessionId: session, payload });
    const signature = encodeBase64((this.validator as Signer).sign(message));
    const signed = { ...payload, signature };
    return this.of('validation', options.forge?.(signed) ?? signed, { cause: claim });
  }

  end(): this {
    const counts = { prompts: 1, responses: 1, calls: 2, results: 2, denied: 0, redacted: 0 };
    const closing = closingOf(newChain(this.session), null);
    this.of('session.end', encodeSessionEnd({ reason: 'exit', exitCode: 0, counts }, closing));
    return this;
  }
}

function toolFacts(tool: string): ToolFacts {
  return {
    tool,
    toolUseId: 'toolu_1',
    agentId: null,
    workspaceRoot: '/home/dev/proj',
    role: null,
    intent: null,
    planHash: null,
    phaseId: null,
    invariantId: null,
    notes: null,
    argsHash: hash('c'),
    paths: [],
  };
}

const RESULT: ToolResult = {
  result: 'ok',
  errorCode: null,
  output: null,
  exit: { code: 0, origin: 'host' },
  durationMs: 900,
  tests: null,
  files: [],
};

/** Prompt, edit, test, claim: and everything is so. */
export function honest(): Story {
  const story = new Story().policy().begin().ask();
  story.edit();
  story.stop([story.run()]);
  return story.end();
}

/** The same story with another run. */
function withRun(options: RunOptions, stop: StopOptions = {}): Story {
  const story = new Story().policy().begin().ask();
  story.edit();
  story.stop([story.run(options)], stop);
  return story.end();
}

function asked(contract: Partial<RecordedContract>): Story {
  const story = new Story().policy().begin().ask(contract);
  story.edit();
  story.stop([story.run({})]);
  return story.end();
}

/** A prompt's words are content: none stands in a contract itself. */
function clear(): Story {
  const story = new Story().policy().begin().ask();
  const payload = { ...encodeContract(CONTRACT), keywords: ['parser'], keywords_hash: hash('c') };
  story.of('contract', payload);
  story.edit();
  story.stop([story.run({})]);
  return story.end();
}

function told(tell: (story: Story) => void): Story {
  const story = new Story().policy().begin().ask();
  tell(story);
  return story.end();
}

const flawed = (code: NonNullable<Check['flaw']>['code'], detail: string, command: string): Story =>
  withRun({ check: { flaw: { code, detail }, command } });

/** "Done", with these still running. */
function excusedInBackground(background: readonly string[]): Story {
  return told((story) => {
    story.edit();
    const claim = story.size + 2;
    const gated = { claim, status: 'excused', code: 'background', validation: null } as const;
    story.stop([], {
      claims: [{ type: 'done' }],
      validation: null,
      gate: { claims: [gated], background },
    });
  });
}

/** "I checked it", which nobody is held to, by a gate of these rules. */
function excusedAsLooked(rules: Pick<Gate, 'rules'>): Story {
  return told((story) => {
    const claim = story.size + 2;
    const gated = { claim, status: 'excused', code: 'looked', validation: null } as const;
    story.stop([], { claims: [{ type: 'checked' }], validation: null, gate: { claims: [gated], ...rules } });
  });
}

/** "Send me the password", proven by nothing. */
function provenByNothing(validatorVersion: number): Story {
  return told((story) => {
    const validation = { validator: 'fetch_attempt_proof', validatorVersion };
    story.stop([], { claims: [{ type: 'delegation' }], validation });
  });
}

export interface EvidenceStory {
  readonly made: Story;
  /** The word for it in the finding, where validators have one. */
  readonly why?: string;
}

/** By the name of their vector; what is expected of each stands in the pinned file. */
export function evidenceLedgers(): Record<string, EvidenceStory> {
  const failed = { code: 1, origin: 'host' } as const;
  const counts = (passed: number, failing: number, skipped: number) => ({
    runner: 'vitest',
    passed,
    failed: failing,
    skipped,
    total: passed + failing + skipped,
  });
  return {
    honest: { made: honest() },
    'contract-with-keywords': { made: asked({ keywords: { hash: hash('c'), ref: null } }) },
    'contract-keywords-in-clear': { made: clear() },
    'nothing-claimed': {
      made: told((story) => void story.stop([], { claims: [] })),
    },
    'disclosed-as-unverified': {
      made: told((story) => {
        story.edit();
        const claim = story.size + 2;
        const gated = { claim, status: 'excused', code: 'disclosed', validation: null } as const;
        story.stop([], { claims: [{ type: 'done' }], validation: null, gate: { claims: [gated] } });
      }),
    },
    'excused-in-background': { made: excusedInBackground(['b1']) },
    'excused-as-looked': { made: excusedAsLooked({ rules: 2 }) },
    'proof-of-nothing-version-1': { made: provenByNothing(1) },
    'blocked-then-proven': {
      made: told((story) => {
        story.edit();
        const claim = story.size + 2;
        const gated = { claim, status: 'unbacked', code: 'nothing-ran', validation: null } as const;
        const gate = { verdict: 'block', blocks: 1, claims: [gated] } as const;
        story.stop([], { validation: null, gate });
        story.stop([story.run()], { gate: { blocks: 1, stopHookActive: true } });
      }),
    },
    'rotated-validator-key': {
      made: told((story) => {
        story.edit();
        story.stop([story.run()]);
        story.validatorKey(32);
        story.ask();
        story.stop([story.run()]);
      }),
    },
    'rotated-ledger-key': {
      made: told((story) => {
        story.edit();
        story.stop([story.run()]);
        story.rotateKey(7);
        story.validatorKey(32).ask();
        story.stop([story.run()]);
      }),
    },
    'two-sessions-interleaved': { made: interleaved() },
    'no-gate': {
      made: told((story) => {
        const kept = { hash: hash('b'), bytes: 20, ref: null };
        story.of('response', encodeTurn('response_hash', kept, {}));
      }),
    },
    'unknown-validator': {
      made: withRun({}, { validation: { validator: 'moon_phase' } }),
    },
    'unknown-validator-version': {
      made: withRun({}, { validation: { validatorVersion: 99 } }),
    },
    'ungated-unreadable': {
      made: told((story) => {
        const gate = {
          verdict: 'ungated',
          why: 'transcript',
          extraction: 'unreadable',
          textFrom: 'none',
        } as const;
        story.stop([], { claims: [], gate });
      }),
    },

    masked: { made: flawed('masked', '|| true', 'npx vitest run'), why: 'masked' },
    background: { made: flawed('background', '&', 'npx vitest run'), why: 'background' },
    'background-by-the-host': { made: withRun({ evidence: { background: true } }), why: 'background' },
    'dry-run': { made: flawed('dry-run', '--list', 'npx vitest run --list'), why: 'dry-run' },
    shadowed: { made: flawed('shadowed', 'vitest() { :; }', 'vitest run'), why: 'shadowed' },
    'not-a-check': { made: flawed('not-a-check', 'echo', 'echo "5 passed"'), why: 'not-a-check' },
    'nothing-ran': { made: withRun({ tests: counts(0, 0, 0) }), why: 'nothing-ran' },
    'only-skips': { made: withRun({ tests: counts(0, 0, 7) }), why: 'only-skips' },
    failed: { made: withRun({ exit: failed, result: 'error', tests: counts(11, 1, 0) }), why: 'failed' },
    'unknown-exit': { made: withRun({ exit: { code: null, origin: 'unknown' } }), why: 'unknown-exit' },
    'no-summary': { made: withRun({ tests: null }), why: 'no-summary' },
    'another-target': {
      made: withRun({
        check: { targets: ['test/other.test.ts'], command: 'npx vitest run test/other.test.ts' },
      }),
      why: 'another-target',
    },
    'another-directory': {
      made: withRun({ check: { directory: 'packages/other' } }),
      why: 'another-directory',
    },
    narrowed: {
      made: withRun({ check: { targets: ['test/parser.test.ts'] } }, { claims: [{ whole: true }] }),
      why: 'narrowed',
    },
    'fewer-passed': { made: withRun({}, { claims: [{ count: 13 }] }), why: 'fewer-passed' },
    'as-many-passed': { made: withRun({}, { claims: [{ count: 12 }] }) },
    stale: { made: withRun({}, { tree: TREE.later }), why: 'stale' },
    'stale-by-an-edit': {
      made: told((story) => {
        story.edit();
        const run = story.run({ tree: null });
        story.edit('src/lexer.ts');
        story.stop([run], { tree: null });
      }),
      why: 'stale',
    },
    weakened: {
      made: withRun({}, { validation: { weakened: [{ path: 'test/parser.test.ts', what: 'skipped' }] } }),
      why: 'weakened',
    },
    'forged-hook-event': {
      made: told((story) => {
        story.edit();
        story.stop([story.feed(() => story.run())]);
      }),
      why: 'forged',
    },
    'forged-by-the-transcript': {
      made: told((story) => {
        story.edit();
        const run = story.run();
        story.stop([run], { gate: { forged: [run] } });
      }),
      why: 'forged',
    },
    'told-twice-the-same': {
      made: told((story) => {
        story.edit();
        story.run();
        story.stop([story.run({ more: { repeated: true } })]);
      }),
    },
    'told-twice-otherwise': {
      made: told((story) => {
        story.edit();
        story.run({ exit: failed, result: 'error', tests: counts(11, 1, 0) });
        story.stop([story.run({ more: { repeated: true } })]);
      }),
      why: 'failed',
    },
    'changed-by-a-command': {
      made: told((story) => {
        const validation = { validator: 'file_diff_present', changed: ['src/made.ts'] };
        story.stop([], { claims: [{ type: 'changed' }], validation });
      }),
    },
    'nothing-changed-at-all': {
      made: told((story) => {
        const validation = { validator: 'file_diff_present', changed: [] };
        story.stop([], { claims: [{ type: 'changed' }], validation });
      }),
      why: 'no-change',
    },
    'told-twice': { made: withRun({ more: { repeated: true } }), why: 'forged' },
    'another-run-than-named': {
      made: told((story) => {
        const edit = story.edit();
        story.run();
        story.stop([edit]);
      }),
      why: 'nothing-ran',
    },
    'wrong-validator': {
      made: told((story) => {
        story.stop([story.edit()], { validation: { validator: 'file_diff_present' } });
      }),
      why: 'wrong-validator',
    },
    'change-is-not-done': {
      made: told((story) => {
        const validation = { validator: 'file_diff_present' };
        story.stop([story.edit()], { claims: [{ type: 'done' }], validation });
      }),
      why: 'change-only',
    },

    'forged-signature': {
      made: withRun(
        {},
        { forge: (payload) => ({ ...payload, signature: encodeBase64(new Uint8Array(64)) }) },
      ),
    },
    'changed-after-signing': {
      made: withRun(
        {},
        {
          validation: { outcome: 'fail', code: 'failed' },
          forge: (payload) => ({ ...payload, outcome: 'pass', code: null }),
        },
      ),
    },
    'unknown-key-version': { made: withRun({}, { keyVersion: 9 }) },
    'replaced-key-version': {
      made: told((story) => {
        story.edit();
        const { validator } = story;
        story.validatorKey(32);
        story.validator = validator;
        story.stop([story.run()], { keyVersion: 1 });
      }),
    },
    'no-validator-key': { made: withoutKey() },
    'certificate-by-another-key': { made: strangerCertified() },
    'copied-to-another-claim': {
      made: told((story) => {
        story.edit();
        const { validation } = story.stop([story.run()]);
        const copy = payloadAt(story, validation ?? 0);
        story.ask();
        story.stop([], { forge: () => copy });
      }),
    },
    'copied-to-another-session': {
      made: told((story) => {
        story.edit();
        const run = story.run();
        const { validation } = story.stop([run]);
        const copy = payloadAt(story, validation ?? 0);
        story.end().begin().ask();
        story.stop([story.run()], { forge: () => ({ ...copy, claim: story.size }) });
      }),
    },
    'signed-for-another-session': {
      made: withRun({}, { session: hash('e') }),
    },
    'evidence-of-another-session': {
      made: told((story) => {
        story.edit();
        const run = story.run();
        story.end().begin().ask();
        story.stop([run]);
      }),
    },
    'evidence-that-comes-later': {
      made: told((story) => {
        story.edit();
        story.stop([story.size + 5]);
        story.run();
      }),
    },
    'contract-of-another-session': {
      made: told((story) => {
        story.edit();
        const contract = story.size - 2;
        story.end().begin().ask();
        story.edit();
        story.stop([story.run()], { validation: { contract } });
      }),
    },
    'unproven-after-two-blocks': {
      made: told((story) => {
        story.edit();
        const claim = story.size + 2;
        const gated = { claim, status: 'unbacked', code: 'nothing-ran', validation: null } as const;
        story.stop([], { validation: null, gate: { verdict: 'unproven', blocks: 2, claims: [gated] } });
      }),
    },
    'warned-in-observe': {
      made: told((story) => {
        story.edit();
        const claim = story.size + 2;
        const gated = { claim, status: 'stale', code: 'stale', validation: null } as const;
        const gate = { verdict: 'warn', mode: 'observe', claims: [gated] } as const;
        story.stop([], { validation: null, gate });
      }),
    },
    'passed-without-a-validation': { made: withRun({}, { validation: null }) },
    'passed-on-a-fail': { made: withRun({}, { validation: { outcome: 'fail', code: 'failed' } }) },
    'passed-though-unbacked': {
      made: told((story) => {
        story.edit();
        const claim = story.size + 2;
        const gated = { claim, status: 'unbacked', code: null, validation: null } as const;
        story.stop([], { validation: null, gate: { claims: [gated] } });
      }),
    },
    'excused-though-tested': {
      made: told((story) => {
        story.edit();
        const claim = story.size + 2;
        const gated = { claim, status: 'excused', code: 'disclosed', validation: null } as const;
        story.stop([], { validation: null, gate: { claims: [gated] } });
      }),
    },
    'silent-though-changed': {
      made: told((story) => {
        story.edit();
        const gate = { verdict: 'silent', why: 'nothing-changed', claims: [] } as const;
        story.stop([], { claims: [{ type: 'done' }], validation: null, gate });
      }),
    },
    'silent-on-tests-in-background': {
      made: told((story) => {
        story.edit();
        const gate = { verdict: 'silent', why: 'background', claims: [], background: ['b1'] } as const;
        story.stop([], { validation: null, gate });
      }),
    },
    'excused-though-nothing-ran-on': { made: excusedInBackground([]) },
    'excused-as-looked-version-1': { made: excusedAsLooked({}) },
    'excused-by-unknown-rules': { made: excusedAsLooked({ rules: 99 }) },
    'proof-of-nothing': { made: provenByNothing(2), why: 'nothing-named' },
    'claim-left-out': { made: withRun({}, { gate: { claims: [] } }) },
    'claim-without-a-gate': {
      made: told((story) => {
        const quote = { hash: hash('d'), ref: null };
        const claim = { type: 'done', about: null, whole: false, quote, names: [], agentId: null } as const;
        story.of('claim', encodeClaim(claim));
      }),
    },
    'another-policy': { made: withRun({}, { validation: { policyHash: hash('f') } }) },
    'policy-changed': { made: policyChanged() },
    'malformed-validation': { made: withRun({}, { forge: (payload) => ({ ...payload, more: 1 }) }) },
  };
}

function payloadAt(story: Story, seq: number): JsonObject {
  return (JSON.parse(story.lines[seq - 1] as string) as { payload: JsonObject }).payload;
}

function interleaved(): Story {
  const story = new Story().policy().begin().ask();
  const first = story.session;
  story.edit();
  const run = story.run();
  story.begin().ask();
  const second = story.session;
  story.edit('src/lexer.ts');
  story.session = first;
  // Its contract is the other's: a story knows only the newest, so none is named.
  story.stop([run], { validation: { contract: null } });
  story.session = second;
  story.stop([story.run()], { validation: { changed: ['src/lexer.ts'], contract: null } });
  story.end();
  story.session = first;
  return story.end();
}

function withoutKey(): Story {
  const story = new Story();
  const { validator } = story;
  const bare = new (class extends Story {
    override validatorKey(): this {
      return this;
    }
  })();
  bare.validator = validator;
  bare.policy().begin().ask();
  bare.edit();
  bare.stop([bare.run()], { keyVersion: 1 });
  return bare.end();
}

function strangerCertified(): Story {
  const story = new Story().policy().begin().ask();
  story.validatorKey(32, makeSigner(story.origin, new Uint8Array(32).fill(99)));
  story.edit();
  story.stop([story.run()]);
  return story.end();
}

function policyChanged(): Story {
  const changed = { ...encodeClaimPolicy(DEFAULT_POLICY), blocks: 8 };
  const story = new Story().policy(changed).begin().ask();
  story.edit();
  story.stop([story.run()]);
  return story.end();
}
