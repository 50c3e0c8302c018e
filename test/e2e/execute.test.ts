// Checks run again by ourselves: a real agent's claims in a real repository, real tests in a real sandbox, and a verifier
// that repeats the judgement. Passed over, with the reason, where no sandbox works.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wholeLedger } from '../../src/app/hook/whole-ledger.ts';
import { type ExecuteHere, executeHere } from '../../src/app/service/execute-here.ts';
import { runExecute } from '../../src/cli/validate-execute.ts';
import { verifyDirectory } from '../../src/entry/index.ts';
import type { Entry, Validation } from '../../src/format/index.ts';
import type { Sandbox } from '../../src/gate/index.ts';
import { encodeBlock } from '../../src/ledger/index.ts';
import { DEFAULT_POLICY, policyHash } from '../../src/policy/index.ts';
import { makeBubblewrap } from '../../src/sandbox/bubblewrap/index.ts';
import { makeUnprivileged } from '../../src/sandbox/unprivileged/index.ts';
import { serviceFiles, socketPath, type ValidateRequest } from '../../src/service/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { send } from '../service/serving.ts';
import { newProject, type Project } from './recorded-project.ts';
import { makePackage, WorkingAgent } from './working-agent.ts';

const NOTHING: ValidateRequest = {
  session: null,
  claim: null,
  validator: null,
  command: null,
  network: false,
  timeoutMs: 120_000,
};
/** What `npm test` runs, without what it takes to start npm. */
const PLAIN = { command: 'node --test' };
const FIX = ['src/sum.js', 'a - b', 'a + b'] as const;
const FIXED = 'Fixed `sum`. All tests pass.';

const SANDBOXES = await Promise.all(
  [makeBubblewrap({ hidden: [] }), makeUnprivileged()].map(async (sandbox) => ({
    name: sandbox.name,
    sandbox,
    why: await sandbox.available(),
  })),
);
const working = SANDBOXES.find(({ why }) => why === null)?.sandbox;

async function claiming(policy = ''): Promise<WorkingAgent> {
  const project = await newProject();
  // The sandbox of another user has its copy in there.
  chmodSync(project.root, 0o711);
  makePackage(project.work);
  if (policy !== '') writeFileSync(join(project.work, 'counterfoil.yaml'), policy);
  const agent = new WorkingAgent(project, 'guard');
  await agent.start();
  await agent.prompt('Fix `src/sum.js`: it subtracts');
  await agent.edit(...FIX);
  return agent;
}

function again(
  { located, env }: Project,
  more: Partial<ValidateRequest> = {},
  how: Partial<ExecuteHere> = {},
) {
  const here: ExecuteHere = { located, source: 'foil', locked: false, env, ...how };
  return executeHere(here, { ...NOTHING, ...more });
}

function of(project: Project, kind: string): Entry[] {
  return project.entries().filter((entry) => entry.kind === kind);
}

async function evidenceFindings(project: Project): Promise<string[]> {
  const { facets } = await verifyDirectory(project.directory, { threads: 0 });
  const findings = Object.values(facets).flatMap((facet) => facet.findings);
  return findings.map(({ code }) => code).filter((code) => /VALID|EVIDENCE|GATE_M/.test(code));
}

describe.each(SANDBOXES)('a check run again, $name', ({ name, sandbox, why }) => {
  it('can be used here, or says why not', ({ skip }) => {
    if (why !== null) skip(`${name} is passed over here: ${why}`);
  });

  it.skipIf(why !== null)(
    'B5c passes: entries of our own, a signed validation, and it verifies',
    async () => {
      const agent = await claiming();
      const { project } = agent;
      expect((await agent.stop(FIXED)).reason).toContain('npm test');
      const before = readFileSync(join(project.work, 'src/sum.js'), 'utf8');
      const answer = await again(project, {}, { sandboxes: [sandbox] });
      expect(answer).toMatchObject({
        outcome: 'pass',
        validator: 'test_pass',
        command: 'npm test',
        sandbox: name,
        exit: 0,
      });
      expect(readFileSync(join(project.work, 'src/sum.js'), 'utf8')).toBe(before);
      const [call, result, validation] = project.entries().slice(-3);
      expect([call?.kind, result?.kind, validation?.kind]).toEqual([
        'tool.call',
        'tool.result',
        'validation',
      ]);
      expect(result).toMatchObject({
        source: 'foil',
        cause: call?.seq,
        payload: { role: 'validator', exit_code: 0, exit_origin: 'host', tests: { passed: 2, failed: 0 } },
      });
      expect(result?.payload.tree).toBe(call?.payload.tree);
      expect(validation?.payload).toMatchObject({
        outcome: 'pass',
        grade: 're-executed',
        evidence: [result?.seq],
      });
      expect(await evidenceFindings(project)).toEqual([]);
      // The gate takes it for the next word of the agent.
      expect(await agent.stop(FIXED, true)).toEqual({ code: 0, reason: null, message: null });
      expect(of(project, 'validation').at(-1)?.payload.grade).toBe('re-executed');
      await project.expectIntact();
    },
  );

  it.skipIf(why !== null)('B5c fails: tests that fail, and the validation says so', async () => {
    const agent = await claiming();
    const { project } = agent;
    await agent.edit('src/sum.js', 'a + b', 'a * b');
    await agent.stop(FIXED);
    const answer = await again(project, {}, { sandboxes: [sandbox] });
    expect(answer).toMatchObject({ outcome: 'fail', code: 'failed' });
    expect(of(project, 'validation').at(-1)?.payload).toMatchObject({
      outcome: 'fail',
      grade: 're-executed',
    });
    expect((await agent.stop(FIXED, true)).reason).toMatch(/failed/);
  });
});

describe.skipIf(working === undefined)('a check run again', () => {
  const sandboxes = [working as Sandbox];

  it('B5c satisfies a policy that wants it, where a run of the agent does not', async () => {
    const agent = await claiming(
      'gate:\n  claims:\n    tested: { validators: [test_pass], grade: re-executed }\n    done: { validators: [test_pass], grade: re-executed }\n    changed: [file_diff_present]\n',
    );
    expect(await agent.run('node --test')).toBe(0);
    expect((await agent.stop(FIXED)).reason).toMatch(/re-executed/);
    expect(await again(agent.project, PLAIN, { sandboxes })).toMatchObject({ outcome: 'pass' });
    // A run of the agent's afterwards does not push ours out.
    expect(await agent.run('node --test')).toBe(0);
    expect((await agent.stop(FIXED, true)).reason).toBeNull();
    expect(await evidenceFindings(agent.project)).toEqual([]);
  });

  it('B5c proves nothing where the tree changes meanwhile', async () => {
    const agent = await claiming();
    const { project } = agent;
    await agent.stop(FIXED);
    const meddled: Sandbox = {
      ...(working as Sandbox),
      async run(run) {
        const ran = await (working as Sandbox).run(run);
        writeFileSync(join(project.work, 'src/sum.js'), 'export const sum = () => 3;\n');
        return ran;
      },
    };
    const answer = await again(project, PLAIN, { sandboxes: [meddled] });
    expect(answer).toMatchObject({
      outcome: 'fail',
      code: 'stale',
      reason: expect.stringContaining('src/sum.js'),
    });
  });

  it('B5c counts weakened tests for nothing', async () => {
    const agent = await claiming();
    await agent.edit('test/sum.test.js', "test('adds nothing'", "test.skip('adds nothing'");
    await agent.stop(FIXED);
    expect(await again(agent.project, PLAIN, { sandboxes })).toMatchObject({
      outcome: 'fail',
      code: 'weakened',
    });
  });

  it.each([
    ['npm test || true', 'masked'],
    ['echo all tests pass', 'not-a-check'],
    ['node --test test/other.test.js', 'another-target'],
    ['git push', 'not-repeatable'],
    ['npm test & sleep 1', 'background'],
    ['npm test [REDACTED:token]', 'incomplete'],
    ["echo '# pass 2'; npm test", 'pasted'],
    ['if', 'unreadable'],
  ])('B5c refuses %s, and runs nothing', async (command, code) => {
    const agent = await claiming();
    await agent.stop(FIXED);
    const before = agent.project.entries().length;
    expect(await again(agent.project, { command }, { sandboxes })).toMatchObject({
      outcome: 'refused',
      code,
    });
    expect(agent.project.entries().length).toBe(before);
  });

  it('runs a command that is given, where it binds', async () => {
    const agent = await claiming();
    await agent.stop(FIXED);
    const answer = await again(agent.project, { command: 'node --test test/sum.test.js' }, { sandboxes });
    expect(answer).toMatchObject({ outcome: 'pass', command: 'node --test test/sum.test.js' });
    expect(await evidenceFindings(agent.project)).toEqual([]);
  });

  it('B5c has no way to the ledger and the keys, wherever they are', async () => {
    const agent = await claiming();
    const { project } = agent;
    const look = `import { readdirSync } from 'node:fs';\nconst see = (path) => { try { return readdirSync(path).length; } catch { return 0; } };\ntest('sees nothing', () => { assert.equal(see(${JSON.stringify(project.directory)}) + see(${JSON.stringify(project.located.keyDirectory)}) + see(${JSON.stringify(project.env.XDG_RUNTIME_DIR)}), 0); });\n`;
    writeFileSync(
      join(project.work, 'test/look.test.js'),
      `import assert from 'node:assert';\nimport { test } from 'node:test';\n${look}`,
    );
    await agent.stop(FIXED);
    expect(await again(project, PLAIN, { sandboxes })).toMatchObject({
      outcome: 'pass',
      tests: { passed: 3 },
    });
  });

  it('B5c ends as a time-out, which is no success', async () => {
    const agent = await claiming();
    writeFileSync(
      join(agent.project.work, 'test/slow.test.js'),
      'setInterval(() => {}, 1000);\nawait new Promise(() => {});\n',
    );
    await agent.stop(FIXED);
    const answer = await again(agent.project, { ...PLAIN, timeoutMs: 2000 }, { sandboxes });
    expect(answer).toMatchObject({ outcome: 'fail', exit: null });
    expect(of(agent.project, 'tool.result').at(-1)?.payload).toMatchObject({
      result: 'timeout',
      exit_code: null,
    });
  });

  it("B5c a hook's word is not re-executed, whoever signs that it is", async () => {
    const agent = await claiming();
    const { project } = agent;
    await agent.run('node --test');
    await agent.stop(FIXED);
    const signer = await wholeLedger.openValidator(project.located);
    const [result, claim] = [of(project, 'tool.result').at(-1), of(project, 'claim').at(-1)];
    const good = of(project, 'validation').at(-1)?.payload;
    const validation: Validation = {
      validator: 'test_pass',
      validatorVersion: 1,
      claim: claim?.seq ?? 0,
      contract: (good?.contract ?? null) as number | null,
      args: {},
      outcome: 'pass',
      code: null,
      evidence: [result?.seq ?? 0],
      tree: good?.tree as string,
      changed: ['src/sum.js'],
      weakened: [],
      grade: 're-executed',
      policyHash: policyHash(DEFAULT_POLICY),
    };
    const store = openFileStore(project.directory);
    const session = claim?.session_id ?? '';
    const write = (grade: Validation['grade']) =>
      store.append((head) =>
        encodeBlock(
          [
            {
              kind: 'validation',
              source: 'foil',
              session_id: session,
              cause: validation.claim,
              payload: signer.sign({ ...validation, grade }, session),
            },
          ],
          head,
          Date.now(),
        ),
      );
    await write('reported');
    expect(await evidenceFindings(project)).toEqual([]);
    await write('re-executed');
    await store.close();
    expect(await evidenceFindings(project)).toEqual(['VALIDATION_WRONG']);
  });

  it('B5c is refused with exit 3 where there is no sandbox, no claim, or the ledger is locked', async () => {
    const agent = await claiming();
    const { project } = agent;
    expect(await again(project)).toMatchObject({ outcome: 'refused', code: 'no-claim' });
    await agent.stop(FIXED);
    const none: Sandbox = { ...(working as Sandbox), available: async () => 'bubblewrap is not installed' };
    expect(await again(project, {}, { sandboxes: [none] })).toMatchObject({
      outcome: 'refused',
      code: 'no-sandbox',
      reason: expect.stringContaining('not installed'),
    });
    project.settings('locked');
    const { exit, json } = await runExecute({ located: project.located, request: NOTHING });
    expect([exit, json]).toMatchObject([3, { code: 'locked' }]);
  });

  it('B5c foil validate --execute: exit 0, then 2 once the code is broken, 3 where nothing is run', async () => {
    const agent = await claiming();
    const { project } = agent;
    await agent.stop(FIXED);
    const words = ['validate', '--execute', '--ledger', project.directory];
    const passed = await project.foil([...words, '--claim', 'tested']);
    expect([passed.code, passed.stdout, passed.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^pass \(test_pass, re-executed, entry \d+\): `npm test` in \w+: exit 0, 2 passed/,
      ),
      '',
    ]);
    // What we ran ourselves is in no transcript of the host, and is evidence all the same.
    const asked = [
      'validate',
      '--ledger',
      project.directory,
      '--claim',
      'tested',
      '--validator',
      'test_pass',
    ];
    const answer = await project.foil([...asked, '--json']);
    expect([answer.code, JSON.parse(answer.stdout)]).toMatchObject([0, { grade: 're-executed' }]);
    await agent.edit('src/sum.js', 'a + b', 'a * b');
    const failed = await project.foil([...words, '--json']);
    expect([failed.code, JSON.parse(failed.stdout)]).toMatchObject([2, { outcome: 'fail', code: 'failed' }]);
    const refused = await project.foil([...words, '--command', 'npm test || true']);
    expect([refused.code, refused.stdout]).toEqual([3, expect.stringMatching(/^refused \(masked\): /)]);
  });

  it('B5c is run by the service over its socket, and over TCP only with the token', async () => {
    const agent = await claiming();
    const { project } = agent;
    await agent.stop(FIXED);
    const { port, token } = await project.serve();
    const headers = { 'content-type': 'application/json' };
    const tcp = { host: '127.0.0.1', port, path: '/v1/validate', method: 'POST' };
    expect((await send({ ...tcp, headers }, JSON.stringify(NOTHING))).status).toBe(401);
    const known = { ...headers, authorization: `Bearer ${token}` };
    expect((await send({ ...tcp, headers: known }, '{"rm":true}')).status).toBe(400);
    const state = JSON.parse(readFileSync(serviceFiles(project.directory).state, 'utf8')) as {
      socket: string;
    };
    expect(state.socket).toBe(socketPath(project.directory, project.env));
    const [first, second] = await Promise.all(
      [1, 2].map(() => runExecute({ located: project.located, request: NOTHING, socket: state.socket })),
    );
    expect([first?.exit, second?.exit]).toEqual([0, 0]);
    // One after the other.
    const own = project.entries().filter(({ source }) => source === 'service');
    const kinds = ['tool.call', 'tool.result', 'validation'];
    expect(own.map(({ kind }) => kind)).toEqual([...kinds, ...kinds]);
    expect(await evidenceFindings(project)).toEqual([]);
  });

  it('B5c is cancelled when the asker leaves, and the service goes on', async () => {
    const agent = await claiming();
    const { project } = agent;
    writeFileSync(
      join(project.work, 'test/slow.test.js'),
      'setInterval(() => {}, 1000);\nawait new Promise(() => {});\n',
    );
    await agent.stop(FIXED);
    const { child } = await project.serve();
    const { socket } = JSON.parse(readFileSync(serviceFiles(project.directory).state, 'utf8')) as {
      socket: string;
    };
    const abort = new AbortController();
    const asked = runExecute({ located: project.located, request: NOTHING, socket, signal: abort.signal });
    await until(() => of(project, 'tool.call').some(({ source }) => source === 'service'));
    abort.abort();
    expect((await asked).exit).toBe(3);
    await until(() => of(project, 'tool.result').some(({ source }) => source === 'service'));
    expect(of(project, 'tool.result').at(-1)?.payload).toMatchObject({ result: 'aborted', exit_code: null });
    expect(child.exitCode).toBeNull();
  });
});

/** Looks again until it holds. */
async function until(test: () => boolean): Promise<void> {
  while (!test()) await new Promise((resolve) => setTimeout(resolve, 20));
}
