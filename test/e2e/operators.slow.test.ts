// What an operator can ask and decide, on sessions of a scripted agent that really works: every command is the built one,
// and each event of the agent a call of the hook's function.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type JsonObject, policyHashOf } from '../../src/core/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { type ClaimPolicy, DEFAULT_POLICY, encodeClaimPolicy } from '../../src/policy/index.ts';
import { newProject, type Project } from './recorded-project.ts';
import { makePackage, WorkingAgent } from './working-agent.ts';

const FIX = ['src/sum.js', 'a - b', 'a + b'] as const;
const FIXED = 'Fixed `sum`. All tests pass.';

async function working(mode: 'observe' | 'guard' = 'guard', config?: string): Promise<WorkingAgent> {
  const project = await newProject();
  makePackage(project.work);
  if (config !== undefined) writeFileSync(join(project.work, 'counterfoil.yaml'), config);
  const agent = new WorkingAgent(project, mode);
  await agent.start();
  return agent;
}

function kindsOf(project: Project, kind: string): Entry[] {
  return project.entries().filter((entry) => entry.kind === kind);
}

async function foil(project: Project, ...words: string[]) {
  const { code, stdout, stderr } = await project.foil([...words, '--ledger', project.directory]);
  return { code, stdout, stderr };
}

async function json(
  project: Project,
  ...words: string[]
): Promise<{ code: number | null; value: JsonObject }> {
  const { code, stdout } = await foil(project, ...words, '--json');
  return { code, value: JSON.parse(stdout) as JsonObject };
}

describe('a claim', () => {
  it('B2c, B3b: is explained: the contract as YAML, why it was blocked, what would settle it, what it rests on then', async () => {
    const agent = await working();
    const { project } = agent;
    await agent.prompt('Fix `src/sum.js`: it subtracts');
    await agent.edit(...FIX);
    await agent.stop(FIXED);

    const shown = await foil(project, 'contract', 'show');
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('intent: fix\n');
    expect(shown.stdout).toMatch(/paths:\n {4}- src\/sum\.js\n/);
    expect((await json(project, 'contract', 'show')).value).toMatchObject({
      objective: 'Fix `src/sum.js`: it subtracts',
      contract: { intent: 'fix' },
    });

    const tested = kindsOf(project, 'claim').find(({ payload }) => payload.claim === 'tested');
    const blocked = await json(project, 'why', String(tested?.seq));
    expect(blocked.value).toMatchObject({
      type: 'tested',
      quote: 'All tests pass',
      prompt: 'Fix `src/sum.js`: it subtracts',
      status: 'unbacked',
      code: 'nothing-ran',
      reason: 'No test run is on record.',
      validator: 'test_pass',
      command: 'npm test',
      verdict: 'block',
    });
    expect((await foil(project, 'why', String(tested?.seq))).stdout).toMatch(/to settle it +npm test/);
    expect((await foil(project, 'evidence', String(tested?.seq))).stdout).toContain(
      'no evidence: see foil why',
    );

    await agent.run('npm test');
    await agent.stop(FIXED, true);

    // As much as the agent was told: what was edited, which lines, and the way out.
    await agent.run("sed -i '$a export const ZERO = 0;' src/sum.js");
    await agent.prompt('Is it so?');
    await agent.stop('All tests pass.');
    const stale = kindsOf(project, 'claim').at(-1);
    expect((await json(project, 'why', String(stale?.seq))).value).toMatchObject({
      reason: '`npm test` passed, but then src/sum.js changed. Run it again.',
      or: expect.stringContaining('Not verified'),
    });
    await agent.edit('test/sum.test.js', "test('adds'", "test.skip('adds'");
    await agent.run('node --test');
    await agent.stop('All tests pass.', true);
    const weakened = await foil(project, 'why', String(kindsOf(project, 'claim').at(-1)?.seq));
    expect(weakened.stdout).toContain("test.skip('adds'");
    expect(weakened.stdout).toContain('Put that back');
    await agent.edit('test/sum.test.js', "test.skip('adds'", "test('adds'");
    await agent.run('node --test');
    await agent.stop('All tests pass.', true);
    const validation = kindsOf(project, 'validation').at(-1);
    const rests = await foil(project, 'evidence', String(validation?.seq));
    expect(rests.stdout).toContain('signature good');
    expect(rests.stdout).toMatch(/node --test\n +exit 0/);
    const backed = kindsOf(project, 'claim').at(-1);
    expect((await json(project, 'why', String(backed?.seq))).value).toMatchObject({ status: 'backed' });
    const all = await json(project, 'evidence');
    expect((all.value.claims as JsonObject[]).length).toBe(kindsOf(project, 'claim').length);

    // The entry knows its session, whatever the newest one is.
    const [first] = kindsOf(project, 'contract');
    const other = new WorkingAgent(project, 'guard', { session: 's-2' });
    await other.start();
    await other.prompt('hello');
    const bySeq = await foil(project, 'contract', 'show', '--seq', String(first?.seq));
    expect([bySeq.code, bySeq.stdout]).toEqual([0, expect.stringContaining('intent: fix')]);
    expect((await foil(project, 'contract', 'show', '--seq', '1')).code).toBe(3);
    await project.expectIntact();
  });

  it.each([
    ['there is none', ['why', '999999'], 3],
    ['it is another entry', ['why', '1'], 3],
    ['it is a word', ['why', 'nothing'], 2],
    ['no transcript has it', ['why', 'abc.1.1'], 3],
    ['evidence of an entry without a session', ['evidence', '1'], 3],
  ] as const)('is not found where %s', async (_, words, exit) => {
    const agent = await working();
    expect((await foil(agent.project, ...words)).code).toBe(exit);
  });
});

describe('foil validate', () => {
  it('B4d passes, fails and refuses with exit 0, 2 and 3, and only a pass is written, signed', async () => {
    const agent = await working();
    const { project } = agent;
    await agent.prompt('Fix `src/sum.js`: it subtracts');
    await agent.edit(...FIX);
    const ask = (claim: string, validator: string, args: object | string) =>
      json(
        project,
        'validate',
        '--claim',
        claim,
        '--validator',
        validator,
        '--args',
        typeof args === 'string' ? args : JSON.stringify(args),
      );
    expect(await ask('tested', 'test_pass', { target: 'src/sum.js' })).toMatchObject({
      code: 2,
      value: { outcome: 'fail', code: 'nothing-ran' },
    });
    await agent.run('node --test');
    const before = project.entries().length;
    const refusals = [
      ['shipped', 'test_pass', {}, 'wrong-validator'],
      ['tested', 'test_pass', { target: 'src/other.js' }, 'not-bound'],
      ['tested', 'test_pass', { target: 'test' }, 'weak-arguments'],
      ['changed', 'file_diff_present', {}, 'weak-arguments'],
      ['tested', 'test_pass', { tests: 'all' }, 'bad-arguments'],
      ['tested', 'test_pass', '{', 'bad-arguments'],
      ['tested', 'no_such', {}, 'unknown-validator'],
      ['finished', 'test_pass', {}, 'no-claim'],
    ] as const;
    for (const [claim, validator, args, code] of refusals)
      expect(await ask(claim, validator, args)).toMatchObject({
        code: 3,
        value: { outcome: 'refused', code },
      });
    expect(project.entries().length).toBe(before);

    const { code, value } = await ask('tested', 'pytest_pass', { target: 'src/sum.js' });
    expect({ code, outcome: value.outcome }).toEqual({ code: 0, outcome: 'pass' });
    const [validation] = kindsOf(project, 'validation');
    expect(validation).toMatchObject({
      source: 'cli',
      cause: value.claim,
      payload: { validator: 'test_pass' },
    });
    expect((await foil(project, 'evidence', String(value.validation))).stdout).toContain('signature good');
    // A claim that is on record needs no other, and the gate goes on beside it.
    await agent.stop(FIXED);
    const claimed = kindsOf(project, 'claim').find(
      ({ source, payload }) => source !== 'cli' && payload.claim === 'tested',
    );
    expect(await ask(String(claimed?.seq), 'test_pass', {})).toMatchObject({
      code: 0,
      value: { claim: claimed?.seq },
    });
    const verified = await foil(project, 'verify', '--json');
    expect(JSON.parse(verified.stdout)).toMatchObject({
      verdict: 'INTACT',
      facets: { evidence: { status: 'pass' } },
    });
  });

  it('B4d refuses where nothing was asked: there is no contract', async () => {
    const agent = await working();
    const { code, value } = await json(
      agent.project,
      ...['validate', '--claim', 'done', '--validator', 'test_pass'],
    );
    expect({ code, reason: value.code }).toEqual({ code: 3, reason: 'no-contract' });
  });

  it('B4d a prompt that names nothing goes on with what was asked before it', async () => {
    const agent = await working();
    await agent.prompt('Fix `src/sum.js`: it subtracts');
    await agent.edit(...FIX);
    await agent.run('node --test');
    await agent.prompt('thanks!');
    const words = ['validate', '--claim', 'tested', '--validator', 'test_pass'];
    expect(await json(agent.project, ...words)).toMatchObject({ code: 0, value: { outcome: 'pass' } });
  });

  it('B4d can still be asked after the session ended, as long as the work tree is as it was', async () => {
    const agent = await working();
    await agent.prompt('Fix `src/sum.js`: it subtracts');
    await agent.edit(...FIX);
    await agent.run('node --test');
    await agent.stop(FIXED);
    await agent.event('SessionEnd', { reason: 'other' });
    const words = ['validate', '--claim', 'tested', '--validator', 'test_pass'];
    expect(await json(agent.project, ...words)).toMatchObject({ code: 0, value: { outcome: 'pass' } });
    writeFileSync(join(agent.project.work, 'src/sum.js'), 'export const sum = 0;\n');
    expect(await json(agent.project, ...words)).toMatchObject({ code: 2, value: { code: 'stale' } });
  });

  it('B4d an exit code of 2 is an answer: wrong usage, and a session that is not there, are 1', async () => {
    const { project } = await working();
    for (const words of [
      ['--claim', 'tested'],
      ['--no-such'],
      ['--session', 'abcd', '--claim', 'tested', '--validator', 'test_pass'],
    ])
      expect((await foil(project, 'validate', ...words)).code).toBe(1);
  });

  it('B3e, B4d: an event that the host never had is no evidence here either', async () => {
    const agent = await working();
    await agent.prompt('Fix `src/sum.js`: it subtracts');
    await agent.edit(...FIX);
    await agent.run('node --test', { told: false });
    const { code, value } = await json(
      agent.project,
      ...['validate', '--claim', 'tested', '--validator', 'test_pass'],
    );
    expect({ code, reason: value.code }).toEqual({ code: 2, reason: 'forged' });
  });
});

describe('foil gate --transcript', () => {
  it('B12 judges the last turn again, with the ledger, and exits with 5 where it would block', async () => {
    const agent = await working('observe');
    const { project } = agent;
    await agent.prompt('Fix `src/sum.js`: it subtracts');
    await agent.edit(...FIX);
    await agent.stop(FIXED);
    const before = project.entries().length;
    const blocked = await json(project, 'gate', '--transcript', agent.transcript);
    expect(blocked).toMatchObject({ code: 5, value: { verdict: 'block', extraction: 'ok' } });
    expect(blocked.value.session).toBe(kindsOf(project, 'session.start')[0]?.session_id);
    const text = await foil(project, 'gate', '--transcript', agent.transcript, '--explain');
    expect(text.stdout).toMatch(/^would block\n/);
    expect(text.stdout).toContain('No test run is on record.');
    expect(text.stdout).toContain('the agent would be told');
    expect(text.stdout).toContain('intent: fix');
    await agent.run('node --test');
    await agent.stop(FIXED);
    expect(await json(project, 'gate', '--transcript', agent.transcript)).toMatchObject({
      code: 0,
      value: { verdict: 'pass', claims: [{ status: 'backed' }, { status: 'backed' }] },
    });
    expect(project.entries().length).toBeGreaterThan(before);
  });

  it('B12 goes by the transcript alone where nothing was recorded, and says what it could not read', async () => {
    const project = await newProject();
    const line = (role: string, content: unknown) =>
      `${JSON.stringify({ type: role, cwd: '/p', sessionId: 'host', message: { role, content } })}\n`;
    const edit = {
      type: 'tool_use',
      id: 't1',
      name: 'Edit',
      input: { file_path: '/p/a.js', old_string: 'a', new_string: 'b' },
    };
    const told = [
      line('user', 'Fix `a.js`'),
      line('assistant', [edit]),
      line('user', [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }]),
      line('assistant', [{ type: 'text', text: 'Fixed. All tests pass.' }]),
    ].join('');
    const path = join(project.root, 'host.jsonl');
    writeFileSync(path, told);
    const judged = await json(project, 'gate', '--transcript', path);
    expect(judged).toMatchObject({
      code: 5,
      value: { verdict: 'block', session: null, host_session: 'host' },
    });
    const explained = await foil(project, 'gate', '--transcript', path, '--explain');
    expect(explained.stdout).toContain('intent: fix');
    expect(explained.stdout).toContain('the agent would be told\n  Not finished yet');
    writeFileSync(path, 'nothing\nof JSON\n');
    expect(await json(project, 'gate', '--transcript', path)).toMatchObject({
      code: 5,
      value: { extraction: 'unparseable', verdict: 'block' },
    });
    writeFileSync(path, '');
    expect(await json(project, 'gate', '--transcript', path)).toMatchObject({
      code: 3,
      value: { verdict: 'unknown', why: 'no-turn' },
    });
    expect((await foil(project, 'gate', '--transcript', path)).stdout).toMatch(/^unknown: there is nothing/);
    expect((await foil(project, 'gate', '--transcript', `${path}.missing`)).code).toBe(3);
  });
});

describe('the policy', () => {
  const STRICT = 'gate:\n  claims:\n    done: [test_pass]\n';
  const LAX = 'gate:\n  claims:\n    done: [file_diff_present, test_pass]\n    tested: []\n  blocks: 8\n';

  it('B7b, B7c: is recorded at the first session, and stays in force when the agent edits the file', async () => {
    const agent = await working('guard', STRICT);
    const { project } = agent;
    const [recorded] = kindsOf(project, 'policy');
    expect(recorded).toMatchObject({ payload: { accepted_by: null, signature: null } });
    await agent.prompt('Fix `src/sum.js`: it subtracts');
    await agent.edit(...FIX);
    writeFileSync(join(project.work, 'counterfoil.yaml'), 'gate:\n  claims:\n    tested: []\n    done: []\n');
    const { reason } = await agent.stop(FIXED);
    expect(reason).toContain('No test run is on record.');
    const hash = recorded?.payload.policy_hash;
    expect(kindsOf(project, 'gate').map(({ payload }) => payload.policy_hash)).toEqual([hash]);

    // The person is told once a session, with the next prompt.
    const next = await agent.prompt('Go on with `src/sum.js`');
    expect(next.message).toMatch(
      /policy in counterfoil\.yaml differs from the one on record.*`foil policy accept`/,
    );
    expect((await agent.prompt('And on')).message).toBeNull();
    expect(kindsOf(project, 'notice').map(({ payload }) => payload.notice)).toEqual(['policy']);
    expect(kindsOf(project, 'policy')).toHaveLength(1);
    expect((await foil(project, 'status')).stdout).toContain('differs from the policy on record');
    const explained = await json(project, 'policy', 'explain');
    expect(explained.value).toMatchObject({ policy_hash: hash, differs: true, seq: recorded?.seq });
    const report = await foil(project, 'verify', '--json');
    expect(report.stdout).not.toContain('POLICY_MISMATCH');
  });

  it('B7c the note is derived: without it the entries decide, and nothing is recorded twice', async () => {
    const agent = await working('guard', STRICT);
    const { project } = agent;
    const note = join(project.directory, 'sessions', 'foil.policy');
    writeFileSync(join(project.work, 'counterfoil.yaml'), LAX);
    for (const content of ['', '{"seq":2,"payload":{}}']) {
      writeFileSync(note, content);
      await agent.prompt('Fix `src/sum.js`: it subtracts');
      expect(kindsOf(project, 'policy')).toHaveLength(1);
    }
    await agent.edit(...FIX);
    expect((await agent.stop('Fixed `sum`.')).reason).not.toBeNull();
  });

  it.each<readonly [string, Partial<ClaimPolicy>]>([
    [
      'asks for less',
      {
        claims: {
          ...DEFAULT_POLICY.claims,
          done: { ...DEFAULT_POLICY.claims.done, validators: ['file_diff_present'] },
        },
      },
    ],
    ['finds no claim', { phrases: { add: [], remove: ['fixed'] } }],
  ])('B7c refuses to judge by a note whose policy %s, and is not that of its entry', async (_, weaker) => {
    const agent = await working('guard', STRICT);
    const { project } = agent;
    await agent.prompt('Fix `src/sum.js`: it subtracts');
    await agent.edit(...FIX);
    const [recorded] = kindsOf(project, 'policy');
    const claim_policy = encodeClaimPolicy({ ...DEFAULT_POLICY, ...weaker });
    const payload = {
      claim_policy,
      policy_hash: policyHashOf(claim_policy),
      accepted_by: null,
      signature: null,
    };
    const note = join(project.directory, 'sessions', 'foil.policy');
    writeFileSync(note, JSON.stringify({ seq: recorded?.seq, payload }));
    expect((await agent.stop('Fixed `sum`.')).reason).toContain('is not the one on record');
    const refused = kindsOf(project, 'gate').at(-1)?.payload;
    expect(refused).toMatchObject({ why: 'crash', policy_hash: recorded?.payload.policy_hash });
    rmSync(note);
    expect((await agent.stop('Fixed `sum`.', true)).reason).toContain('sum.js');
  });

  it('B7c an older policy that was put back into the note is refused, at the gate and by foil validate', async () => {
    const agent = await working('guard', LAX);
    const { project } = agent;
    const note = join(project.directory, 'sessions', 'foil.policy');
    const older = readFileSync(note);
    writeFileSync(join(project.work, 'counterfoil.yaml'), STRICT);
    await foil(project, 'operator', 'init', '--no-passphrase');
    expect((await foil(project, 'policy', 'accept')).code).toBe(0);
    expect((await foil(project, 'log', '--kind', 'policy')).stdout).toMatch(
      /the project's policy, not accepted by an operator\n.*accepted by /,
    );
    await agent.prompt('Fix `src/sum.js`: it subtracts');
    await agent.edit(...FIX);
    writeFileSync(note, older);
    expect((await agent.stop('Fixed `sum`.')).reason).toContain('is not the one on record');
    const asked = ['validate', '--claim', 'done', '--validator', 'file_diff_present'];
    expect(await foil(project, ...asked, '--args', '{"path":"src/sum.js"}')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not the one on record'),
    });
    rmSync(note);
    expect((await agent.stop('Fixed `sum`.', true)).reason).toContain('sum.js');
  });

  it('B7d an operator accepts another, by a signature over that place; nobody else can', async () => {
    const agent = await working('guard', STRICT);
    const { project } = agent;
    writeFileSync(join(project.work, 'counterfoil.yaml'), LAX);
    const refused = await foil(project, 'policy', 'accept');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('foil operator init');

    const made = await json(project, 'operator', 'init', '--no-passphrase');
    expect(made.value).toMatchObject({ encrypted: false });
    const accepted = await json(project, 'policy', 'accept');
    expect(accepted).toMatchObject({ code: 0, value: { accepted_by: made.value.vkey, changed: true } });
    expect((await json(project, 'policy', 'accept')).value).toMatchObject({ changed: false });
    const explained = await json(project, 'policy', 'explain');
    expect(explained.value).toMatchObject({
      differs: false,
      accepted: { by: made.value.vkey, signature: 'good', trusted: true },
    });
    const words = await foil(project, 'policy', 'explain');
    expect(words.stdout).toMatch(/tested "the tests pass" +must not be claimed/);
    expect(words.stdout).toMatch(/sent back at most 8 times/);
    await agent.prompt('Fix `src/sum.js`: it subtracts');
    await agent.edit(...FIX);
    await agent.stop('Fixed `sum`.');
    expect(kindsOf(project, 'gate').at(-1)?.payload.policy_hash).toBe(accepted.value.policy_hash);
    await project.expectIntact();
  });

  it('B7d a colleague who accepted before he was enrolled accepts anew, policy and grants, and once is enough', async () => {
    const { project } = await working('guard', STRICT);
    await foil(project, 'operator', 'init', '--no-passphrase');
    const env = { XDG_CONFIG_HOME: join(project.root, 'colleague') };
    const colleague = async (...words: string[]): Promise<JsonObject> => {
      const told = await project.foil([...words, '--json', '--ledger', project.directory], { env });
      return JSON.parse(told.stdout) as JsonObject;
    };
    const { vkey } = await colleague('operator', 'init', '--no-passphrase');
    writeFileSync(join(project.work, 'counterfoil.yaml'), `${LAX}grants:\n  allow: ['fs:read:src/**']\n`);
    for (const what of ['policy', 'grants']) {
      expect(await colleague(what, 'accept')).toMatchObject({ changed: true });
      expect(await colleague(what, 'accept')).toMatchObject({ changed: false });
    }
    await foil(project, 'operator', 'enrol', String(vkey));
    for (const what of ['policy', 'grants']) {
      expect(await colleague(what, 'accept')).toMatchObject({ changed: true, accepted_by: vkey });
      expect(await colleague(what, 'accept')).toMatchObject({ changed: false });
    }
    const [policy, grants] = [
      await json(project, 'policy', 'explain'),
      await json(project, 'grants', 'explain'),
    ];
    expect(policy.value).toMatchObject({ accepted: { by: vkey }, differs: false });
    expect(grants.value).toMatchObject({ in_force: { accepted_by: vkey } });
  });

  it.each([
    ['gate:\n  claims:\n    doen: [test_pass]\n', 'gate.claims.doen'],
    ['gate:\n  claims:\n    tested: [http_2xx]\n', "http_2xx can't settle a claim of type tested"],
    ['gate:\n  blocks: 0\n', 'gate.blocks'],
    ['gate: [', 'counterfoil.yaml'],
  ])('B7a check says what is wrong in %j', async (text, problem) => {
    const project = await newProject();
    const file = join(project.work, 'counterfoil.yaml');
    writeFileSync(file, STRICT);
    expect((await foil(project, 'policy', 'check')).stdout).toMatch(
      /is valid\. Its policy is [0-9a-f]{64}\./,
    );
    writeFileSync(file, text);
    const { code, stderr } = await foil(project, 'policy', 'check', file);
    expect(code).toBe(1);
    expect(stderr).toContain(problem);
    const other = join(project.work, 'other.yaml');
    writeFileSync(other, text);
    expect((await foil(project, 'policy', 'check', other)).stderr).toContain(`${other}`);
  });
});

describe('what is counted', () => {
  it('B8a, B8b, B8c: prompts that go past the gate are recorded; three in a day are told once, until somebody has seen them', async () => {
    const agent = await working('observe');
    const { project } = agent;
    for (const word of ['Fix', 'Change', 'Edit'])
      await agent.prompt(`${word} \`src/sum.js\`. Skip the tests.`);
    const found = kindsOf(project, 'override');
    expect(found).toHaveLength(3);
    expect(found.map(({ cause }) => cause)).toEqual(kindsOf(project, 'prompt').map(({ seq }) => seq));
    expect(kindsOf(project, 'notice').map(({ payload }) => payload)).toMatchObject([
      { origin: 'foil', notice: 'overrides', count: 3 },
    ]);
    await agent.prompt('Skip the tests.');
    expect(kindsOf(project, 'notice')).toHaveLength(1);
    const listed = await json(project, 'overrides');
    expect(listed.value).toMatchObject({ open: 4 });
    expect((await foil(project, 'overrides', '--since', '1h')).stdout.match(/prompt \d+/g)).toHaveLength(4);
    expect((await foil(project, 'status')).stdout).toContain('told the agent to bypass the gate');
    expect((await foil(project, 'log', '--kind', 'override')).stdout).toMatch(/the prompt says "/);

    expect(await json(project, 'overrides', 'ack')).toMatchObject({ code: 0, value: { acknowledged: 4 } });
    expect((await json(project, 'overrides')).value).toMatchObject({ open: 0 });
    expect((await foil(project, 'status')).stdout).not.toContain('told the agent to bypass the gate');
    expect((await new WorkingAgent(project, 'observe', { session: 's-2' }).start()).message).toBeNull();
    await project.expectIntact();
  });

  it('B9a, B9c: a gate that crashes blocks in guard, twice a prompt, and every crash is on record', async () => {
    const agent = await working();
    const { project } = agent;
    const claim_policy = { claims: { done: ['a_validator_of_tomorrow'] } };
    const payload = {
      claim_policy,
      policy_hash: policyHashOf(claim_policy),
      accepted_by: null,
      signature: null,
    };
    writeFileSync(join(project.directory, 'sessions', 'foil.policy'), JSON.stringify({ seq: 2, payload }));
    expect(await agent.prompt('Fix `src/sum.js`: it subtracts')).toMatchObject({ code: 0, reason: null });
    await agent.edit(...FIX);
    for (const active of [false, true]) {
      const { code, reason } = await agent.stop(FIXED, active);
      expect(code).toBe(0);
      expect(reason).toMatch(
        /could not judge this turn: the policy on record .* can't be read by this version/,
      );
    }
    expect(await agent.stop(FIXED, true)).toMatchObject({ reason: null, message: expect.any(String) });
    expect(kindsOf(project, 'gate').map(({ payload: { verdict, why } }) => [verdict, why])).toEqual([
      ['block', 'crash'],
      ['block', 'crash'],
      ['ungated', 'crash'],
    ]);
    const crashed = kindsOf(project, 'crash').map(({ payload: { hook, from } }) => [hook, from]);
    expect(crashed).toEqual([
      ['contract intake', 'ledger'],
      ...Array.from({ length: 3 }, () => ['gate', 'ledger']),
    ]);
    expect(kindsOf(project, 'notice').map(({ payload: { notice, about } }) => [notice, about])).toEqual([
      ['crashes', 'gate'],
    ]);
    expect((await foil(project, 'crashes')).stdout).toMatch(/gate \(stop\): the policy on record/);
  });

  it('B9a, B9b: three failures of a hook within an hour are told once, at the next session, and listed', async () => {
    const project = await newProject();
    makePackage(project.work);
    const agent = new WorkingAgent(project, 'guard');
    await agent.start();
    const secret = `sk-ant-${'api03-'}${'Q7'.repeat(40)}`;
    const broken = join(project.work, 'counterfoil.yaml');
    writeFileSync(broken, `gate: {${secret}: 1}\n`);
    for (let i = 0; i < 3; i++)
      await agent.event('PreToolUse', { tool_name: 'WebSearch', tool_input: {}, tool_use_id: `t${i}` });
    const waiting = await json(project, 'crashes');
    expect((waiting.value.crashes as JsonObject[]).map(({ seq, from }) => [seq, from])).toEqual(
      Array.from({ length: 3 }, () => [null, 'fallback']),
    );
    writeFileSync(broken, '');
    await agent.prompt('Hello again');
    expect(kindsOf(project, 'crash').map(({ payload }) => [payload.hook, payload.from])).toEqual(
      Array.from({ length: 3 }, () => ['hook claude-code', 'fallback']),
    );
    expect(JSON.stringify(project.entries())).not.toContain(secret);
    expect(kindsOf(project, 'notice').map(({ payload }) => payload)).toMatchObject([
      { origin: 'foil', notice: 'crashes', about: 'hook claude-code', count: 3 },
    ]);
    expect((await foil(project, 'crashes')).stdout.split('\n')).toHaveLength(4);
    expect((await foil(project, 'status')).stdout).toMatch(/notices +The hook "hook claude-code"/);

    const next = new WorkingAgent(project, 'guard', { session: 's-2' });
    expect((await next.start()).message).toMatch(/failed 3 times within an hour/);
    const third = new WorkingAgent(project, 'guard', { session: 's-3' });
    expect((await third.start()).message).toBeNull();
    expect((await foil(project, 'log', '--kind', 'crash,notice')).stdout).toMatch(
      /hook claude-code at PreToolUse: /,
    );
    await project.expectIntact();
  });

  it('status counts claims of today: backed, not backed, and what observe let through', async () => {
    const agent = await working('observe');
    const { project } = agent;
    await agent.prompt('Fix `src/sum.js`: it subtracts');
    await agent.edit(...FIX);
    await agent.stop(FIXED);
    await agent.run('node --test');
    await agent.stop(FIXED);
    const { value } = await json(project, 'status');
    expect(value.today).toMatchObject({ claims: 4, proven: 2, unproven: 2, would_block: 1, blocks: 0 });
    expect((await foil(project, 'status')).stdout).toMatch(
      /claims +4 today: 2 proven, 2 not proven, 0 excused, 0 sent back/,
    );
    const log = (await foil(project, 'log')).stdout;
    for (const line of [
      /policy +- +[0-9a-f]{16} {2}default policy, not accepted by an operator/,
      /contract +\S+ +fix {2}src\/sum\.js/,
      /claim +\S+ +tested {2}"All tests pass"/,
      /gate +\S+ +warn {2}2 unbacked/,
      /validation +\S+ +test_pass pass {2}of claim \d+ {2}rests on \d+ {2}reported/,
      /gate +\S+ +pass {2}2 backed/,
      /validator\.key +- +version 1 {2}key [0-9a-f]{16}/,
    ])
      expect(log).toMatch(line);
  });
});
