// The stop gate as an agent meets it: real commands, real edits in a real repository. One story and one warning go
// through the built hook command, and through `npm test`; the others call the hook's function, and run what npm would.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/format/index.ts';
import { newProject, type Project } from './recorded-project.ts';
import { makePackage, WorkingAgent } from './working-agent.ts';

async function working(
  mode: 'observe' | 'guard' = 'guard',
  events: 'calls' | 'processes' = 'calls',
): Promise<WorkingAgent> {
  const project = await newProject();
  makePackage(project.work);
  const agent = new WorkingAgent(project, mode, { events });
  await agent.start();
  return agent;
}

function of(project: Project, kind: string): Entry[] {
  return project.entries().filter((entry) => entry.kind === kind);
}

/** What is told of the newest entry of a kind: as evidence, as an entry, and in the log. */
async function shown(
  project: Project,
  kind: string,
  form = /tests not weakened|\S+ \(skipped\)/,
): Promise<string[]> {
  const seq = String(of(project, kind).at(-1)?.seq);
  const told = ['evidence', 'show', 'log'].map((word) =>
    project.foil([
      ...(word === 'log' ? [word, '--kind', kind, '-n', '1'] : [word, seq]),
      '--ledger',
      project.directory,
    ]),
  );
  return (await Promise.all(told)).flatMap(({ stdout }) => form.exec(stdout)?.[0].trim() ?? []);
}

const FIX = ['src/sum.js', 'a - b', 'a + b'] as const;
const FIXED = 'Fixed `sum`. All tests pass.';

describe('an agent that says it is done', () => {
  it('B3b, B6, X13b: is blocked without a run, passes with one, is blocked when it is stale or weakened', async () => {
    const agent = await working('guard', 'processes');
    const { project } = agent;

    await agent.prompt('Fix `src/sum.js`: it subtracts');
    await agent.edit(...FIX);
    const blocked = await agent.stop(FIXED);
    expect(blocked.reason).toContain('npm test');
    expect(blocked.reason).toContain('All tests pass');

    expect(await agent.run('npm test')).toBe(0);
    expect(await agent.stop(FIXED, true)).toEqual({ code: 0, reason: null, message: null });
    expect(of(project, 'validation').length).toBeGreaterThan(0);

    await agent.prompt('Also export a constant from `src/sum.js`');
    expect(await agent.run("sed -i '$a export const ZERO = 0;' src/sum.js")).toBe(0);
    const stale = await agent.stop('Done, `ZERO` is exported and all tests pass.');
    expect(stale.reason).toMatch(/src\/sum\.js/);
    expect(stale.reason).toMatch(/npm test/);

    await agent.prompt('Make `sum` multiply');
    await agent.edit('src/sum.js', 'a + b', 'a * b');
    expect(await agent.run('node --test')).not.toBe(0);
    await agent.edit('test/sum.test.js', "test('adds'", "test.skip('adds'");
    await agent.edit('test/sum.test.js', "test('adds nothing'", "test.skip('adds nothing'");
    await agent.edit(
      'test/sum.test.js',
      "test.skip('adds'",
      "test('is there', () => {});\n\ntest.skip('adds'",
    );
    expect(await agent.run('node --test')).toBe(0);
    const weakened = await agent.stop('`sum` multiplies now. All tests pass.');
    expect(weakened.reason).toMatch(/test\.skip\('adds'/);
    expect(of(project, 'gate').map(({ payload }) => payload.verdict)).toEqual([
      'block',
      'pass',
      'block',
      'block',
    ]);
  });

  it('B10b two blocks a prompt, then the turn ends as unproven, and the next prompt counts anew', async () => {
    const agent = await working();
    await agent.prompt('Fix `src/sum.js`');
    await agent.edit(...FIX);
    expect((await agent.stop(FIXED)).reason).not.toBeNull();
    expect((await agent.stop(FIXED, true)).reason).not.toBeNull();
    const third = await agent.stop(FIXED, true);
    expect(third.reason).toBeNull();
    expect(third.message).toMatch(/not proven|unproven/i);
    await agent.prompt('And now?');
    expect((await agent.stop(FIXED)).reason).not.toBeNull();
    // The host's own word is recorded, and decides nothing.
    expect(of(agent.project, 'gate').map(({ payload }) => payload.stop_hook_active)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(of(agent.project, 'gate').map(({ payload }) => payload.verdict)).toEqual([
      'block',
      'block',
      'unproven',
      'block',
    ]);
  });

  it("B10b the host's own cap on blocks is recorded, and who let the turn end", async () => {
    const agent = await working();
    await agent.prompt('Fix `src/sum.js`');
    await agent.edit(...FIX);
    for (let i = 0; i < 3; i++) await agent.stop(FIXED, i > 0);
    // Another hook keeps the agent at it; the host stops asking after eight in a row.
    await agent.prompt('And now?');
    for (let i = 0; i < 8; i++) expect((await agent.stop('Hm.', i > 0)).reason).toBeNull();
    expect((await agent.stop(FIXED, true)).reason).toBeNull();
    const gates = of(agent.project, 'gate').map(({ payload }) => payload);
    expect(gates.slice(0, 3).map(({ verdict, ended_by, host }) => [verdict, ended_by, host])).toEqual([
      ['block', undefined, { blocks: 0, cap: 8 }],
      ['block', undefined, { blocks: 1, cap: 8 }],
      ['unproven', 'limit', { blocks: 2, cap: 8 }],
    ]);
    expect(gates.at(-1)).toMatchObject({
      verdict: 'unproven',
      blocks: 0,
      ended_by: 'host',
      host: { blocks: 8, cap: 8 },
    });
  });

  it('B3b is not told that nothing was done where a server of another may have done it', async () => {
    const agent = await working();
    await agent.prompt('Create a ticket for the crash in the export');
    await agent.tool('TodoWrite', { todos: [] }, {});
    expect((await agent.stop('Created the ticket.')).reason).toContain('Nothing was changed');
    await agent.tool('mcp__tracker__create', { title: 'Crash' }, { id: 7 });
    expect((await agent.stop('Created the ticket.', true)).reason).toBeNull();
  });

  it('B3b a file that a tool changed for one prompt and a command removed for the next is removed', async () => {
    const agent = await working();
    await agent.prompt('Fix `src/sum.js`');
    await agent.edit(...FIX);
    await agent.run('node --test');
    expect((await agent.stop('Fixed `src/sum.js`.')).reason).toBeNull();
    await agent.prompt('Remove `src/sum.js` again');
    expect(await agent.run('rm src/sum.js')).toBe(0);
    expect((await agent.stop('Removed `src/sum.js`.')).reason).toBeNull();
  });

  it('B3c observe warns, says what it would have done, and blocks nothing', async () => {
    const agent = await working('observe', 'processes');
    await agent.prompt('Fix `src/sum.js`');
    await agent.edit(...FIX);
    const told = await agent.stop(FIXED);
    expect(told.reason).toBeNull();
    expect(told.message).toMatch(/All tests pass/);
    const tested = of(agent.project, 'claim').find(({ payload }) => payload.claim === 'tested');
    expect(told.message).toContain(`foil why ${tested?.seq}`);
    expect(of(agent.project, 'gate').map(({ payload }) => payload.verdict)).toEqual(['warn']);
  });

  it.each([
    ['nothing was changed', 'What does `src/sum.js` do?', null, 'It subtracts. Done.'],
    [
      'only documents were changed',
      'Fix the typo in `README.md`',
      ['README.md', 'sums', 'Sums'],
      'Fixed the typo.',
    ],
  ] as const)('B3b is silent where %s', async (_, prompt, edit, message) => {
    const agent = await working();
    await agent.prompt(prompt);
    if (edit !== null) await agent.edit(...edit);
    expect(await agent.stop(message)).toEqual({ code: 0, reason: null, message: null });
    expect(of(agent.project, 'gate').map(({ payload }) => payload.verdict)).toEqual(['silent']);
  });

  it('X13b, X13c: passes on a skipped test that the user asked for, and the validation says so', async () => {
    const agent = await working();
    await agent.prompt("Fix `src/sum.js`, and skip the test 'adds nothing', it is wrong");
    await agent.edit(...FIX);
    await agent.edit('test/sum.test.js', "test('adds nothing'", "test.skip('adds nothing'");
    await agent.run('node --test');
    expect((await agent.stop(FIXED)).reason).toBeNull();
    const validations = of(agent.project, 'validation');
    expect(validations.length).toBeGreaterThan(0);
    for (const { payload } of validations)
      expect(payload.weakened).toEqual([{ path: 'test/sum.test.js', what: 'skipped' }]);
    expect(await shown(agent.project, 'validation')).toEqual(Array(3).fill('test/sum.test.js (skipped)'));
  });

  it('X13c: `foil evidence` and `foil show` say in words whether tests were weakened, and where', async () => {
    const agent = await working();
    await agent.prompt('Fix `src/sum.js`: it subtracts');
    await agent.edit(...FIX);
    await agent.run('node --test');
    expect((await agent.stop(FIXED)).reason).toBeNull();
    expect(await shown(agent.project, 'validation')).toEqual(Array(3).fill('tests not weakened'));
    await agent.prompt('Make `sum` multiply');
    await agent.edit('src/sum.js', 'a + b', 'a * b');
    await agent.edit('test/sum.test.js', "test('adds'", "test.skip('adds'");
    await agent.run('node --test');
    expect((await agent.stop('`sum` multiplies now. All tests pass.')).reason).not.toBeNull();
    const [evidence = ''] = await shown(agent.project, 'gate', /.*made to skip tests.*/);
    expect(evidence).toContain('test/sum.test.js was made to skip tests');
  });

  it('X13a says once where it is not known whether tests were weakened, and blocks nothing', async () => {
    const agent = await working();
    await agent.prompt('Fix `src/sum.js`: it subtracts');
    await agent.edit(...FIX);
    // Larger than what is compared.
    appendFileSync(join(agent.project.work, 'test/sum.test.js'), `// ${'x'.repeat(2_000_000)}\n`);
    expect(await agent.run('node --test')).toBe(0);
    const first = await agent.stop(FIXED);
    expect(first).toMatchObject({
      reason: null,
      message: expect.stringContaining("couldn't find out whether"),
    });
    expect(await agent.stop(FIXED)).toMatchObject({ reason: null, message: null });
    for (const { payload } of of(agent.project, 'validation')) expect(payload.weakened).toBeNull();
  });

  it('B3f lets an agent end that says what it did not verify', async () => {
    const agent = await working();
    await agent.prompt('Fix `src/sum.js`');
    await agent.edit(...FIX);
    const message = 'Fixed `sum`. Not verified: I have not run the tests.';
    expect((await agent.stop(message)).reason).toBeNull();
    expect(of(agent.project, 'gate').map(({ payload }) => payload.verdict)).toEqual(['pass']);
    // Where the tests ran and failed, that is no word for it.
    await agent.edit('src/sum.js', 'a + b', 'a * b');
    expect(await agent.run('node --test')).toBe(1);
    const { reason } = await agent.stop('Fixed `sum`, untested.', true);
    expect(reason).toContain('failed');
    expect(reason).not.toContain('Not verified');
    expect((await agent.stop('I could not run the tests: there is no node here.', true)).reason).toBeNull();
  });

  it('B6 committing after the run changes nothing, and so does editing a document', async () => {
    const agent = await working();
    await agent.prompt('Fix `src/sum.js` and commit');
    await agent.edit(...FIX);
    await agent.run('node --test');
    await agent.edit('README.md', 'sums', 'Sums');
    expect(await agent.run('git -c user.name=dev -c user.email=dev@example.com commit -qam fix')).toBe(0);
    expect((await agent.stop('Fixed, all tests pass, and committed.')).reason).toBeNull();
  });
});

describe('a recap after the user edited', () => {
  it('B6 is judged for what the agent left; once it does something, for what is there', async () => {
    const agent = await working();
    await agent.prompt('Fix `src/sum.js`');
    await agent.edit(...FIX);
    await agent.run('node --test');
    expect((await agent.stop(FIXED)).reason).toBeNull();
    appendFileSync(join(agent.project.work, 'src/sum.js'), 'export const MINE = 1;\n');
    await agent.prompt('What did you do?');
    expect((await agent.stop(FIXED)).reason).toBeNull();
    await agent.prompt('And now?');
    await agent.run('ls');
    expect((await agent.stop(FIXED)).reason).toMatch(/src\/sum\.js/);
  });
});

describe('tests that the user wants skipped', () => {
  it('X13c are no weakening, and are none for the prompts after it', async () => {
    const agent = await working();
    await agent.prompt('Skip the test `adds nothing` in `test/sum.test.js`, and fix `src/sum.js`');
    await agent.edit(...FIX);
    await agent.edit('test/sum.test.js', "test('adds nothing'", "test.skip('adds nothing'");
    await agent.run('node --test');
    expect((await agent.stop(FIXED)).reason).toBeNull();
    await agent.prompt('Export a constant from `src/sum.js`');
    await agent.edit('src/sum.js', 'a + b;', 'a + b;\nexport const ZERO = 0;');
    await agent.run('node --test');
    expect((await agent.stop('`ZERO` is exported. All tests pass.')).reason).toBeNull();
    await agent.edit('test/sum.test.js', "test('adds'", "test.skip('adds'");
    await agent.edit(
      'test/sum.test.js',
      "test.skip('adds'",
      "test('is there', () => {});\n\ntest.skip('adds'",
    );
    await agent.run('node --test');
    expect((await agent.stop('All tests pass.')).reason).toMatch(/test\.skip/);
  });
});

describe('tricks', () => {
  it.each([
    ['true # npm test', /`# npm test` only looks like one/],
    ['echo "2 passed, 0 failed"', /echo/],
    ['npm test || true', /\|\| true/],
    ['node --test; true', /; true/],
    ['node --test | tail -5', /pipe|\| tail/],
    ['node --test --test-name-pattern=nothing-has-this-name', /no test|nothing/i],
    ['npm() { echo "# pass 2"; }; npm test', /npm/],
    ['cat <<END\n# tests 2\n# pass 2\n# fail 0\nEND', /cat|paste|no test/i],
  ])('B3e a claim does not pass on %s, and is told why', async (command, why) => {
    const agent = await working();
    await agent.prompt('Fix `src/sum.js`');
    await agent.edit(...FIX);
    await agent.run(command);
    const { reason } = await agent.stop(FIXED);
    expect(reason).toMatch(why);
    expect(of(agent.project, 'validation')).toEqual([]);
  });

  it('B3e a hook event that the agent itself sends is no evidence', async () => {
    const agent = await working();
    const { project } = agent;
    await agent.prompt('Fix `src/sum.js`');
    await agent.edit(...FIX);
    // The host never made this call: it is in no transcript.
    await agent.run('node --test', { told: false });
    const { reason } = await agent.stop(FIXED);
    expect(reason).toMatch(/transcript|forged|host/i);
    expect(of(project, 'validation')).toEqual([]);
  });
});

describe('a final message that is not told', () => {
  const unreadable = (project: Project) => join(project.root, 'missing.jsonl');
  const cases: readonly [string, string, (project: Project) => string][] = [
    ['unreadable', 'unreadable', unreadable],
    [
      'unparseable',
      'unparseable',
      (project) => {
        writeFileSync(join(project.root, 'bad.jsonl'), 'not json\nnor this\n');
        return join(project.root, 'bad.jsonl');
      },
    ],
    [
      'schema_drift',
      'of another shape',
      (project) => {
        writeFileSync(join(project.root, 'new.jsonl'), '{"kind":"turn","words":["done"]}\n');
        return join(project.root, 'new.jsonl');
      },
    ],
  ];
  it.each(cases)(
    'B10a, B10c: %s blocks in guard, and is let through as ungated after two',
    async (extraction, _, path) => {
      const agent = await working();
      await agent.prompt('Fix `src/sum.js`');
      await agent.edit(...FIX);
      const stop = () =>
        agent.event('Stop', { stop_hook_active: false, transcript_path: path(agent.project) });
      expect((await stop()).reason).toMatch(/could not find/);
      expect((await stop()).reason).toMatch(/could not find/);
      expect((await stop()).reason).toBeNull();
      const gates = of(agent.project, 'gate').map(({ payload }) => [payload.verdict, payload.extraction]);
      expect(gates).toEqual([
        ['block', extraction],
        ['block', extraction],
        ['ungated', extraction],
      ]);
    },
  );

  it('B10a is taken from the transcript, and an empty one is harmless', async () => {
    const agent = await working();
    await agent.prompt('Fix `src/sum.js`');
    const empty = { stop_hook_active: false, last_assistant_message: '' };
    expect((await agent.event('Stop', empty)).reason).toBeNull();
    await agent.edit(...FIX);
    writeFileSync(
      agent.transcript,
      `${JSON.stringify({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: FIXED }] } })}\n`,
      { flag: 'a' },
    );
    const { reason } = await agent.event('Stop', { stop_hook_active: false });
    expect(reason).toContain('All tests pass');
    expect(of(agent.project, 'gate').at(-1)?.payload.text_from).toBe('transcript');
  });
});

describe('a structured final block', () => {
  const policy = 'gate:\n  final_block: high-stakes\n';
  const block = (value: object): string => `\`\`\`foil_final\n${JSON.stringify(value)}\n\`\`\`\n`;
  const honest = {
    type: 'partial',
    summary: 'sum adds',
    claims: [],
    what_succeeded: 'the edit',
    what_remains: 'a run of the tests',
    next_route_or_question: 'npm test',
  };

  it('B11a, B11c, B11d: is wanted where the policy says so, and prose is judged without it', async () => {
    const project = await newProject();
    makePackage(project.work);
    writeFileSync(join(project.work, 'counterfoil.yaml'), policy);
    const agent = new WorkingAgent(project, 'guard');
    await agent.start();
    await agent.prompt('Deploy `src/sum.js` to production');
    await agent.edit(...FIX);
    const message = 'I edited `sum`. Not verified: I have not run the tests.';
    expect((await agent.stop(message)).reason).toMatch(/foil_final/);
    expect((await agent.stop(`${message}\n${block({ ...honest, what_remains: null })}`)).reason).toMatch(
      /needs what_remains/,
    );
    await agent.prompt('Deploy `src/sum.js` to production');
    expect((await agent.stop(`${message}\n${block(honest)}`)).reason).toBeNull();
    const done = {
      ...honest,
      type: 'done',
      what_remains: null,
      claims: [{ claim_type: 'tested', object: 'npm test' }],
    };
    expect((await agent.stop(block(done))).reason).toMatch(/npm test/);
  });

  it('B11b what it calls the end must rest on a signed validation: done, blocked and delegation each on its own', async () => {
    const project = await newProject();
    makePackage(project.work);
    writeFileSync(join(project.work, 'counterfoil.yaml'), policy);
    const agent = new WorkingAgent(project, 'guard');
    await agent.start();
    const end = (type: string, summary: string, claims: object[] = []): string =>
      block({
        type,
        summary,
        claims,
        what_succeeded: null,
        what_remains: null,
        next_route_or_question: type === 'done' ? null : 'what next?',
      });
    const said = [{ claim_type: 'done', object: 'the sum' }];
    await agent.prompt('Deploy to production');
    expect((await agent.stop(end('done', 'sum adds', said))).reason).toMatch(
      /type done needs a claim that evidence/,
    );
    await agent.prompt('Fix `src/sum.js` for the production release');
    await agent.edit(...FIX);
    // In prose that would be an excuse.
    const unverified = 'Not verified: I have not run the tests.';
    expect((await agent.stop(`${unverified}\n${end('done', 'sum adds', said)}`)).reason).toMatch(/type done/);
    await agent.run('node --test');
    expect((await agent.stop(end('done', 'sum adds', said))).reason).toBeNull();
    // Tests show nothing of that.
    const more = [...said, { claim_type: 'done', object: 'it is deployed to production' }];
    expect((await agent.stop(end('done', 'sum adds', more))).reason).toMatch(/deployed to production/);
    await agent.prompt('Release `https://127.0.0.1:9/notes` to production');
    expect((await agent.stop(end('blocked', 'I can not get at the notes'))).reason).toMatch(
      /No attempt to reach/,
    );
    expect((await agent.stop(end('delegation', 'Paste the notes'))).reason).toMatch(/0 of 3 ways/);
    const partial = { ...honest, next_route_or_question: ' ' };
    await agent.prompt('Release it to production');
    expect((await agent.stop(block(partial))).reason).toMatch(/partial needs next_route_or_question/);
    expect((await agent.stop(block(honest))).reason).toBeNull();
  });

  it('B11c is off by default', async () => {
    const agent = await working();
    await agent.prompt('Deploy `src/sum.js` to production');
    await agent.edit(...FIX);
    expect((await agent.stop('I edited `sum`. Not verified: I have not run the tests.')).reason).toBeNull();
  });
});
