// The evidence facet beyond its vectors: policies with a signature, hostile amounts, and that it looks only where it
// must.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeBase64,
  encodeVerifierKey,
  type Json,
  type JsonObject,
  makeSigner,
  policyHashOf,
  policyMessage,
} from '../../src/core/index.ts';
import { type Entry, encodeClaim, encodePolicyRecord, parseEntry } from '../../src/format/index.ts';
import { EvidenceCheck } from '../../src/verify/evidence-check.ts';
import { Findings } from '../../src/verify/findings.ts';
import { checkLines } from '../../src/verify/index.ts';
import { codesOf, verify } from './expect.ts';
import { honest, Story, TREE, type WireOptions } from './make-evidence.ts';
import { LedgerMaker } from './make-ledger.ts';

const entriesOf = (made: LedgerMaker): Entry[] =>
  made.lines.map((line) => parseEntry(new TextEncoder().encode(line)));

async function codes(made: LedgerMaker): Promise<string[]> {
  const report = await verify(made.seal().files, { keys: [made.signer] });
  return codesOf(report, ['evidence']);
}

describe('the evidence facet', () => {
  it('decides alone between INTACT and VIOLATION, and leaves the record as it is', async () => {
    const story = new Story().begin().ask();
    story.edit();
    story.stop([story.run()], { tree: TREE.later });
    const report = await verify(story.end().seal().files, { keys: [story.signer] });
    expect(report).toMatchObject({ verdict: 'VIOLATION', valid: true, status: 'VALID', failures: [] });
    expect(report.marks.signed).toEqual({ from: 1, to: story.size });
    expect(report.sentence).toMatch(
      /^The record is intact, and shows something that shouldn't have happened: 1 of 1 claim not proven, first entry \d+/,
    );
    expect(report.facets.evidence).toMatchObject({ status: 'fail' });
    expect(report.counts).toMatchObject({ gates: 1, claims: 1, claimsProven: 0, claimsUnproven: 1 });
    story.files.set('checkpoint', new Uint8Array(3));
    expect((await verify(story.files, { keys: [story.signer] })).verdict).toBe('BROKEN');
  });

  it('says what it counted', async () => {
    const made = honest().seal();
    const report = await verify(made.files, { keys: [made.signer] });
    expect(report.facets.evidence.message).toContain('1 claim (1 turn looked at): 1 proven');
    const bare = new LedgerMaker().notes(3).seal();
    const none = await verify(bare.files, { keys: [bare.signer] });
    expect(none.facets.evidence).toMatchObject({
      status: 'pass',
      message: 'No turn ended here, so nothing was claimed.',
    });
  });

  it('C9 needs a gate only where a turn ended: not where a program or a server left a session', async () => {
    const ended = (payload: JsonObject): Promise<string[]> => {
      const made = new LedgerMaker();
      made.append(
        'agent.end',
        { agent_id: null, agent_type: null, ...payload },
        { session_id: 'a'.repeat(64) },
      );
      return codes(made);
    };
    expect(await ended({ reason: 'end', counts: {} })).toEqual([]);
    expect(await ended({ response_hash: 'b'.repeat(64), text: null, text_bytes: 9 })).toContain('NO_GATE');
  });

  it('B7d takes a policy that an operator accepted, at its place only', async () => {
    const operator = makeSigner('operator', new Uint8Array(32).fill(9));
    const claimPolicy = { blocks: 3 };
    const policyHash = policyHashOf(claimPolicy);
    const accept = (story: Story, place = story.size + 1): void => {
      const prevHash = story.hashes.at(-1) ?? '';
      const message = policyMessage({ origin: story.origin, seq: place, prevHash, policyHash });
      const accepted = { by: encodeVerifierKey(operator), signature: encodeBase64(operator.sign(message)) };
      story.append('policy', encodePolicyRecord({ claimPolicy, policyHash, accepted }));
    };
    const good = new Story();
    accept(good);
    expect(await codes(good)).toEqual([]);
    const replayed = new Story();
    accept(replayed, 99);
    expect(await codes(replayed)).toEqual(['POLICY_INVALID@3']);
  });

  it('B7d names a policy that nobody accepted and that is not the first, and goes on by the one before it', async () => {
    const claimPolicy = { blocks: 3 };
    const by = (policy: object) => ({ policyHash: policyHashOf({ ...policy }) });
    const told = (gate: { policyHash: string }): Story => {
      const story = new Story().policy(claimPolicy, policyHashOf(claimPolicy));
      story
        .policy({ blocks: 8 }, policyHashOf({ blocks: 8 }))
        .begin()
        .ask();
      story.edit();
      story.stop([story.run()], { validation: gate, gate });
      return story.end();
    };
    expect(await codes(told(by(claimPolicy)))).toEqual(['POLICY_INVALID@4']);
    expect(await codes(told(by({ blocks: 8 })))).toContain('POLICY_INVALID@4');
    expect((await codes(told(by({ blocks: 8 })))).join()).toContain('POLICY_MISMATCH');
  });

  it('B7c judges under the policy on record', async () => {
    const claimPolicy = { claims: { tested: { validators: ['test_pass'], grade: 'corroborated' } } };
    const policyHash = policyHashOf(claimPolicy);
    const tell = (grade: 'reported' | 'corroborated', wire: WireOptions = {}): Story => {
      const story = new Story().policy(claimPolicy, policyHash).begin().ask();
      story.edit();
      const run = story.run({ more: { tool_use_id: 'toolu_2' } });
      story.wire('toolu_2', wire);
      story.stop([run], { validation: { grade, policyHash }, gate: { policyHash } });
      return story.end();
    };
    expect(await codes(tell('corroborated'))).toEqual([]);
    const none = { asked: null, told: null };
    expect(await codes(tell('reported', none))).toEqual(['CLAIM_UNPROVEN@12', 'VALIDATION_WRONG@13']);
  });

  it.each<[string, WireOptions]>([
    ['the wire saw nothing of', { asked: null, told: null }],
    ['the model asked for with other arguments', { asked: { inputHash: '0'.repeat(64) } }],
    ['the model asked for of another tool', { asked: { tool: 'Read' } }],
    ['broke off as the model asked for it', { asked: { whole: false } }],
    ['the model was told nothing of', { told: null }],
    ['the model was told to have failed', { told: { error: true } }],
    ['showed the model other tests', { told: { tests: null } }],
  ])('does not believe "corroborated" of a run that %s', async (_, wire) => {
    const story = new Story().policy().begin().ask();
    story.edit();
    const run = story.run({ more: { tool_use_id: 'toolu_2' } });
    story.wire('toolu_2', wire);
    story.stop([run], { validation: { grade: 'corroborated' } });
    const found = await codes(story.end());
    expect(found.map((each) => each.replace(/@.*/, ''))).toEqual(['CLAIM_UNPROVEN', 'VALIDATION_WRONG']);
  });

  it('a policy that is not understood makes passes unknown, not wrong', async () => {
    const claimPolicy = { claims: { tested: ['test_pass_2'] } };
    const policyHash = policyHashOf(claimPolicy);
    const story = new Story().policy(claimPolicy, policyHash).begin().ask();
    story.edit();
    story.stop([story.run()], { validation: { policyHash }, gate: { policyHash } });
    expect(await codes(story.end())).toEqual(['VALIDATOR_UNKNOWN@13']);
  });

  it.each([
    ['foil validate was asked about', 'cli'],
    ['no gate judged', 'hook:claude-code'],
  ])(
    'a pass of a validator that is not known leaves a claim that %s unknown, not unproven',
    async (_, source) => {
      const story = new Story().policy().begin().ask();
      story.edit();
      const run = story.run();
      const claim = { type: 'tested', about: null, whole: false, names: [], agentId: null } as const;
      const quote = { hash: '0'.repeat(64), ref: null };
      const seq = story.of('claim', encodeClaim({ ...claim, quote }), { source });
      const validation = story.validate(seq, [run], { validation: { validator: 'lint_clean' } });
      expect(await codes(story.end())).toEqual([`VALIDATOR_UNKNOWN@${validation}`]);
    },
  );

  it('a claim that foil validate was asked about is proven by a pass alone', async () => {
    const answered = async (outcome: 'pass' | 'fail') => {
      const story = new Story().policy().begin().ask();
      story.edit();
      const run = story.run();
      const claim = { type: 'tested', about: null, whole: false, names: [], agentId: null } as const;
      const quote = { hash: '0'.repeat(64), ref: null };
      const seq = story.of('claim', encodeClaim({ ...claim, quote }), { source: 'cli' });
      const code = outcome === 'pass' ? null : 'failed';
      story.validate(seq, [run], { validation: { outcome, code } });
      const { counts } = await verify(story.end().seal().files, { keys: [story.signer] });
      return [counts.claimsProven, counts.claimsUnproven];
    };
    expect(await answered('pass')).toEqual([1, 0]);
    expect(await answered('fail')).toEqual([0, 0]);
  });

  it('a claim limited by its own words to a target is judged by the names on record', async () => {
    const tell = (names: string[]): Story => {
      const story = new Story().begin().ask();
      story.edit();
      const run = story.run({ check: { targets: ['test/other.test.ts'] } });
      story.stop([run], { claims: [{ names }] });
      return story.end();
    };
    expect(await codes(tell(['other.test.ts']))).toEqual([]);
    expect(await codes(tell([]))).toContain('VALIDATION_WRONG@12');
  });

  it('a validation that comes after its session ended still finds its claim', async () => {
    const story = new Story().begin().ask();
    story.edit();
    const run = story.run();
    const claim = story.stop([run]).claims[0] ?? 0;
    story.end();
    story.validate(claim, [run]);
    expect(await codes(story)).toEqual([]);
  });
});

describe('hostile ledgers', () => {
  function checked(entries: readonly Entry[], bytes: number): string[] {
    const findings = new Findings();
    const story = new Story();
    const check = new EvidenceCheck(findings, { origin: story.origin, current: story.signer });
    for (const entry of entries) check.entry(entry, bytes);
    check.finish(new Set());
    return findings.of('evidence').map(({ code }) => code);
  }

  it('what does not fit into memory is not known, and that is said once', () => {
    const story = new Story();
    for (let i = 0; i < 5; i++) {
      story.begin().ask();
      story.edit();
      story.stop([story.run()]);
    }
    const found = checked(entriesOf(story), 4 * 1024 * 1024);
    expect(found).toEqual(['EVIDENCE_TOO_MUCH']);
    expect(checked(entriesOf(story), 100)).toEqual([]);
  });

  it('nothing but findings comes out, whatever the payloads are', () => {
    const entries = entriesOf(honest());
    const places = entries.flatMap(({ kind, payload }, at) =>
      [
        'claim',
        'validation',
        'gate',
        'contract',
        'validator.key',
        'policy',
        'tool.call',
        'tool.result',
      ].includes(kind)
        ? Object.keys(payload).map((name) => ({ at, name }))
        : [],
    );
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.jsonValue(), ({ at, name }, value) => {
        const changed = entries.map(
          (entry, i): Entry =>
            i === at
              ? { ...entry, payload: { ...entry.payload, [name]: value as Json } as JsonObject }
              : entry,
        );
        checked(changed, 500);
      }),
      { numRuns: 300 },
    );
  });
});

describe('what is handed out to be looked at', () => {
  const pick = (made: LedgerMaker): number => {
    const bytes = made.files.get(made.path) as Uint8Array;
    return checkLines(bytes, 0, bytes.length, { kinds: [] }).picked.length;
  };

  it('results of recorders that know no gate are left alone', () => {
    const made = new LedgerMaker();
    for (let i = 0; i < 20; i++)
      made.append('tool.result', { tool: 'tree', exit_code: 0, tool_use_id: null });
    expect(pick(made)).toBe(0);
    made.append('tool.result', { tree: null });
    expect(pick(made)).toBe(1);
    made.append('tool.result', { mcp: { server: 'fs' } });
    expect(pick(made)).toBe(2);
  });
});
