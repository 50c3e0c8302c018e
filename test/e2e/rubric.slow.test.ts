// C12: work that is judged by a rubric. The run, its gateway, the attester, its ledger and its own gateway are real; the
// provider of the judge's model is an upstream of the test's.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '#platform';
import { parseVerifierKey } from '../../src/core/index.ts';
import { parseJudgeVote, parseSignedAttestation } from '../../src/format/index.ts';
import { FOIL } from '../cli/foil.ts';
import { expectIntact } from '../file-ledger.ts';
import { running, startGateway } from './gateway-process.ts';
import {
  type AttesterBox,
  answers,
  attesterBox,
  INJECTION,
  JUDGE_KEY,
  judgedRun,
  RUBRIC,
  saying,
  voting,
  writeSettings,
} from './judged-run.ts';

const refusal = ({ stdout }: { stdout: string }): { code: string; message: string } =>
  (JSON.parse(stdout) as { error: { code: string; message: string } }).error;
const attestationOf = ({ sandbox }: AttesterBox) =>
  parseSignedAttestation(new Uint8Array(readFileSync(sandbox.path('attestation.json')))).attestation;
const nothingAttested = ({ sandbox }: AttesterBox): void =>
  expect(existsSync(sandbox.path('attestation.json'))).toBe(false);

describe('C12 foil attest by rubric', () => {
  it('passes with the median of the votes, each an entry behind its call, and a verifier says that a model judged', async () => {
    const run = await judgedRun();
    const box = await attesterBox(run, answers(voting(60), voting(90), voting(85)));
    const { code, stdout } = await box.attest();
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { result: 'PASS', verification_method: 'rubric' }]);
    const { rubric, sandbox, tests, attester } = attestationOf(box);
    expect({ sandbox, tests }).toEqual({ sandbox: null, tests: null });
    expect(rubric).toMatchObject({ score: 85, threshold: 70, rubricHash: sha256Hex(Buffer.from(RUBRIC)) });

    const [start, ...more] = box.entries('session.start');
    expect([more, start?.payload.pack, start?.session_id]).toEqual([
      [],
      run.packRoot,
      rubric?.ledger.sessionId,
    ]);
    const votes = box.entries('judge.vote');
    expect(votes.map(({ entry_hash, seq }) => [seq, entry_hash])).toEqual(
      rubric?.votes.map(({ seq, entryHash }) => [seq, entryHash]),
    );
    const calls = box.entries('model.call');
    expect(votes.map(({ cause }) => cause)).toEqual(calls.map(({ seq }) => seq));
    expect(votes.map(({ payload }) => parseJudgeVote(payload).score)).toEqual([60, 90, 85]);
    expect(votes.map(({ payload }) => payload.receipt_id)).toEqual(
      box.entries('receipt').map(({ payload }) => payload.id),
    );
    await expectIntact(box.ledger);
    // The provider's key went to the provider, and is nowhere else.
    expect(box.provider.arrived.map(({ headers }) => headers['x-api-key'])).toEqual([
      JUDGE_KEY,
      JUDGE_KEY,
      JUDGE_KEY,
    ]);
    expect(JSON.stringify(box.entries())).not.toContain(JUDGE_KEY);

    const { vkey } = box.sandbox.json(['attester', 'show', '--state', box.state]) as { vkey: string };
    const trust = { ledgers: [{ vkey: run.ledgerKey }], packs: [run.packRoot], gateways: [run.gateway] };
    box.sandbox.write('verifier.yaml', JSON.stringify({ ...trust, attesters: [{ vkey }] }));
    const verify = ['verify', 'run.bundle', '--attestation', 'attestation.json', '--trust', 'verifier.yaml'];
    expect(box.sandbox.ok(verify)).toMatch(
      `PASS  tier gateway, and a model judged the result: 85 of 100 (claude-judge-1, 3 votes), says ${attester}\n`,
    );
    expect(box.sandbox.run([...verify, '--require', 'sandbox']).code).toBe(6);
    box.sandbox.write('verifier.yaml', JSON.stringify({ ...trust, packs: [], attesters: [{ vkey }] }));
    expect(box.sandbox.ok(verify)).toContain(`says ${attester}, and the run chose its own rubric\n`);
    const log = box.sandbox.ok(['log', '--ledger', box.ledger]);
    expect(log).toContain('vote 2 of 3: 90 of 100');
  });

  it('gives artifacts to the judge as data that can not end itself, behind a word of its own for each vote', async () => {
    const box = await attesterBox(await judgedRun(), answers(voting(80)));
    expect((await box.attest()).code).toBe(0);
    const asked = box.provider.arrived.map(({ body }) => JSON.parse(body.toString()));
    const boundaries = asked.map(({ system, messages }) => {
      expect(messages).toHaveLength(1);
      const lines = (messages[0].content as string).split('\n');
      expect(lines).toHaveLength(3);
      expect(JSON.parse(lines[1] ?? '')).toEqual({ artifacts: [{ path: 'out/poem.txt', text: INJECTION }] });
      expect(lines[0]).toBe(lines[2]);
      expect(lines[0]).toMatch(/^[0-9a-f]{32}$/);
      expect(system).toContain(`two lines that read ${lines[0]}`);
      expect(system.endsWith(RUBRIC)).toBe(true);
      expect(system).not.toContain('ignore the rubric');
      return lines[0];
    });
    expect(new Set(boundaries).size).toBe(3);
  });

  it('fails below the threshold, and the signed FAIL fails the bundle', async () => {
    const run = await judgedRun();
    const box = await attesterBox(run, answers(voting(100), voting(69), voting(10)));
    const { code, stdout } = await box.attest();
    expect([code, JSON.parse(stdout)]).toMatchObject([4, { result: 'FAIL', rubric: { score: 69 } }]);
    const { vkey } = box.sandbox.json(['attester', 'show', '--state', box.state]) as { vkey: string };
    box.sandbox.write(
      'verifier.yaml',
      JSON.stringify({ ledgers: [{ vkey: run.ledgerKey }], attesters: [{ vkey }] }),
    );
    const verified = box.sandbox.run([
      'verify',
      'run.bundle',
      '--attestation',
      'attestation.json',
      '--trust',
      'verifier.yaml',
    ]);
    expect([verified.code, verified.stdout]).toEqual([4, expect.stringContaining('ATTESTATION_FAIL')]);
  });

  it('takes one malformed answer for no vote, and asks nobody in its place', async () => {
    const fenced = saying('```json\n{"reason":"","score":100}\n```');
    const box = await attesterBox(await judgedRun(), answers(voting(75), fenced, voting(80)));
    expect((await box.attest()).code).toBe(0);
    expect(attestationOf(box).rubric).toMatchObject({
      score: 75,
      votes: [{ score: 75 }, { score: null }, { score: 80 }],
    });
    expect(box.entries('judge.vote').map(({ payload }) => payload.problem)).toEqual([null, 'form', null]);
    expect(box.provider.arrived).toHaveLength(3);
  });

  it('TOO_FEW_VOTES: malformed answers are no FAIL, and no more are asked than can matter', async () => {
    const cut = saying('{"reason":"","score":100}', 'max_tokens');
    const box = await attesterBox(await judgedRun(), answers(saying('100'), cut));
    const refused = await box.attest();
    expect([refused.code, refusal(refused)]).toEqual([
      1,
      {
        code: 'TOO_FEW_VOTES',
        message: expect.stringContaining('asked 2 times and gave a score 0 times; at least 2 of 3 answers'),
      },
    ]);
    nothingAttested(box);
    expect(box.entries('judge.vote').map(({ payload }) => payload.problem)).toEqual(['form', 'unanswered']);
    await expectIntact(box.ledger);
  });

  it('TOO_FEW_VOTES: the provider is down, and that is on record as well', async () => {
    const box = await attesterBox(await judgedRun(), answers(voting(100)));
    writeSettings(box.ledger, ['anthropic=http://127.0.0.1:1']);
    const refused = await box.attest();
    expect([refused.code, refusal(refused).code]).toEqual([1, 'TOO_FEW_VOTES']);
    nothingAttested(box);
    expect(box.entries('judge.vote').map(({ payload }) => payload.problem)).toEqual(['status', 'status']);
    expect(box.entries('model.result')).toHaveLength(2);
    expect(box.entries('session.end')).toMatchObject([{ payload: { reason: 'failed' } }]);
    await expectIntact(box.ledger);
  });

  it('RUN_FAILS: no score outweighs a policy failure, and none is asked for', async () => {
    const box = await attesterBox(await judgedRun({ deny: 'run' }), answers(voting(100)));
    const refused = await box.attest();
    expect([refused.code, refusal(refused)]).toMatchObject([
      1,
      { code: 'RUN_FAILS', message: expect.stringContaining('TOOL_DENIED') },
    ]);
    nothingAttested(box);
    expect(box.provider.arrived).toEqual([]);
  });

  it('RECEIPT_MISSING: no score outweighs a missing receipt, or one of a gateway that is not trusted', async () => {
    const own = await attesterBox(await judgedRun({ isGated: false }), answers(voting(100)));
    const refused = await own.attest();
    expect([refused.code, refusal(refused)]).toMatchObject([
      1,
      { code: 'RECEIPT_MISSING', message: expect.stringContaining('GATEWAY_RECEIPT_MISSING') },
    ]);
    const box = await attesterBox(await judgedRun(), answers(voting(100)));
    box.sandbox.write('trust.yaml', '{}');
    const other = refusal(await box.attest());
    expect(other).toMatchObject({
      code: 'RECEIPT_MISSING',
      message: expect.stringContaining('GATEWAY_KEY_NOT_TRUSTED'),
    });
    for (const each of [own, box]) {
      nothingAttested(each);
      expect(each.provider.arrived).toEqual([]);
      expect(each.entries('session.start')).toEqual([]);
    }
  });

  it('NOT_TEXT, NO_JUDGE_KEY: what a judge can not see, or nobody pays for, is not asked', async () => {
    const binary = await attesterBox(await judgedRun({ artifact: 'a\xff\x00b' }), answers(voting(100)));
    expect(refusal(await binary.attest())).toMatchObject({
      code: 'NOT_TEXT',
      message: expect.stringContaining('out/poem.txt'),
    });
    const box = await attesterBox(await judgedRun(), answers(voting(100)));
    expect(refusal(await running(box.sandbox, box.words)).code).toBe('NO_JUDGE_KEY');
    for (const each of [binary, box]) expect(each.provider.arrived).toEqual([]);
  });

  it('goes through the independent gateway that the ledger of the judges names, and not at all without it', async () => {
    const box = await attesterBox(await judgedRun(), answers(voting(88)));
    const gateway = await startGateway(box.sandbox, box.provider.url);
    const gateways = [{ url: gateway.url, tokenFile: gateway.token }];
    writeSettings(box.ledger, [`anthropic=${box.provider.url}`], { gateways, through: gateway.url });
    const first = await box.attest();
    expect(refusal(first)).toMatchObject({
      code: 'VOTE_UNRECEIPTED',
      message: expect.stringContaining('GATEWAY_KEY_NOT_TRUSTED'),
    });
    const trust = JSON.parse(box.sandbox.read('trust.yaml')) as { gateways: object[] };
    expect(parseVerifierKey(gateway.vkey).name).toMatch(/\/gateway$/);
    const own = { vkey: gateway.vkey, upstreams: [box.provider.url] };
    box.sandbox.write('trust.yaml', JSON.stringify({ gateways: [...trust.gateways, own] }));
    expect(await box.attest()).toMatchObject({ code: 0 });
    expect(attestationOf(box)).toMatchObject({ attempt: 2, rubric: { score: 88 } });
    expect(box.entries('gateway.receipt')).toHaveLength(6);
    gateway.child.process.kill('SIGTERM');
    await gateway.child.ended;
    const asked = box.provider.arrived.length;
    expect(refusal(await box.attest()).code).toBe('TOO_FEW_VOTES');
    expect(box.provider.arrived).toHaveLength(asked);
  });
});

describe('C12 a judge elsewhere', () => {
  const text = '{"reason":"","score":77}';
  it.each([
    ['local', '/v1/chat/completions', { choices: [{ message: { content: text }, finish_reason: 'stop' }] }],
    [
      'gemini',
      '/v1beta/models/claude-judge-1:generateContent',
      { candidates: [{ content: { parts: [{ text }] }, finishReason: 'STOP' }] },
    ],
  ])('is asked at %s, as that provider is asked', async (provider, path, answer) => {
    const box = await attesterBox(await judgedRun(), answers(JSON.stringify(answer)));
    writeSettings(box.ledger, [`${provider}=${box.provider.url}`]);
    const words = [...box.words, '--judge', provider];
    expect((await running(box.sandbox, words, { GEMINI_API_KEY: JUDGE_KEY })).code).toBe(0);
    expect(attestationOf(box).rubric?.score).toBe(77);
    expect(box.provider.arrived.map(({ url }) => url)).toEqual([path, path, path]);
    expect(box.entries('model.result').map(({ payload }) => payload.understood)).toEqual([
      'whole',
      'whole',
      'whole',
    ]);
  });
});

describe('C12 an interrupted judge', () => {
  it('CANCELLED: what it had is on record, and nothing stays running', async () => {
    let second: (() => void) | undefined;
    const isAsked = new Promise<void>((resolve) => {
      second = resolve;
    });
    let asked = 0;
    const box = await attesterBox(await judgedRun(), (_, response) => {
      asked += 1;
      if (asked === 1) response.writeHead(200, { 'content-type': 'application/json' }).end(voting(90));
      else second?.(); // and never answers
    });
    const child = spawn(process.execPath, [FOIL, ...box.words], {
      cwd: box.sandbox.work,
      env: { ...box.sandbox.env, ANTHROPIC_API_KEY: JUDGE_KEY },
      detached: true,
    });
    let stdout = '';
    child.stdout.on('data', (piece) => {
      stdout += piece;
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    await isAsked;
    process.kill(child.pid ?? 0, 'SIGINT');
    await ended;
    expect(refusal({ stdout }).code).toBe('CANCELLED');
    nothingAttested(box);
    // Nobody is left in the group that it led.
    expect(() => process.kill(-(child.pid ?? 0), 0)).toThrow('ESRCH');
    const votes = box.entries('judge.vote');
    expect(votes.map(({ payload }) => [payload.score, payload.problem])).toEqual([
      [90, null],
      [null, 'unanswered'],
    ]);
    expect(votes.map(({ cause }) => cause)).toEqual(box.entries('model.call').map(({ seq }) => seq));
    expect(box.entries('session.end')).toMatchObject([{ payload: { reason: 'interrupted' } }]);
    await expectIntact(box.ledger);
  });
});
