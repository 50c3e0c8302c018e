// What the gate recorded, verified by the built command: what an honest agent ended on proves itself again, and a
// validation that was forged or copied is a VIOLATION, whoever signed the ledger.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { encodeBlock, type NewEntry } from '../../src/ledger/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import type { Report } from '../../src/verify/index.ts';
import { newProject, type Project } from './recorded-project.ts';
import { makePackage, WorkingAgent } from './working-agent.ts';

async function working(mode: 'observe' | 'guard' = 'guard'): Promise<WorkingAgent> {
  const project = await newProject();
  makePackage(project.work);
  const agent = new WorkingAgent(project, mode);
  await agent.start();
  return agent;
}

async function verified(project: Project): Promise<{ code: number | null; report: Report; text: string }> {
  const { code, stdout } = await project.foil(['verify', project.directory, '--json']);
  const { stdout: text } = await project.foil(['verify', project.directory]);
  return { code, report: JSON.parse(stdout) as Report, text };
}

const codes = (report: Report): string[] => report.facets.evidence.findings.map(({ code }) => code);

const last = (project: Project, kind: string): Entry =>
  project.entries().findLast((entry) => entry.kind === kind) as Entry;

async function append(project: Project, ...drafts: NewEntry[]): Promise<void> {
  const store = openFileStore(project.directory);
  await store.append((head) => encodeBlock(drafts, head, Date.now()));
  await store.close();
}

const FIX = ['src/sum.js', 'a - b', 'a + b'] as const;

async function fixed(): Promise<WorkingAgent> {
  const agent = await working();
  await agent.prompt('Fix `src/sum.js`: it subtracts');
  await agent.edit(...FIX);
  expect(await agent.run('node --test')).toBe(0);
  expect((await agent.stop('Fixed `sum`. All tests pass.')).reason).toBeNull();
  return agent;
}

describe('foil verify and the evidence facet', () => {
  it('B3e every way to an honest end proves itself again', async () => {
    const agent = await fixed();
    const { project } = agent;
    await agent.prompt('Also export a constant from `src/sum.js`');
    expect(await agent.run("sed -i '$a export const ZERO = 0;' src/sum.js")).toBe(0);
    expect((await agent.stop('Added the constant `ZERO`.')).reason).toBeNull();
    await agent.prompt('Now a module for products');
    expect(await agent.run("echo 'export const product = (a, b) => a * b;' > src/product.js")).toBe(0);
    expect(await agent.run('node --check src/product.js')).toBe(0);
    await agent.stop('Added `src/product.js`. I have not run the tests.');
    await agent.prompt('Run the tests of `test/sum.test.js` and commit');
    expect(await agent.run('node --test test/sum.test.js')).toBe(0);
    expect(await agent.run('git add -A')).toBe(0);
    expect(await agent.run('git -c user.name=dev -c user.email=dev@example.com commit -qm more')).toBe(0);
    await agent.stop('`node --test test/sum.test.js` passes, and I committed it.');
    await agent.prompt('Read `https://example.invalid/page` and `notes/missing.md`');
    for (const command of [
      'curl -sf https://example.invalid/page',
      'cat notes/missing.md',
      'grep -r x notes/missing.md',
    ])
      await agent.run(command);
    await agent.stop("I can't read `notes/missing.md`: it is not there.");
    await agent.prompt('Change the readme');
    await agent.edit('README.md', 'sums', 'Sums');
    expect((await agent.stop('Fixed the heading.')).reason).toBeNull();
    const { code, report } = await verified(project);
    expect(report.facets.evidence).toMatchObject({ status: 'pass', findings: [] });
    expect(code).toBe(0);
    expect(report.counts.claimsProven).toBeGreaterThan(3);
  });

  it('B3b an unproven claim is a VIOLATION, in guard as in observe', async () => {
    const agent = await working('observe');
    await agent.prompt('Fix `src/sum.js`');
    await agent.edit(...FIX);
    await agent.stop('Fixed `sum`. All tests pass.');
    const { code, report, text } = await verified(agent.project);
    expect([code, report.verdict, report.valid]).toEqual([5, 'VIOLATION', true]);
    expect(new Set(codes(report))).toEqual(new Set(['CLAIM_UNPROVEN']));
    const [headline, first] = text.split('\n');
    const seq = report.facets.evidence.findings[0]?.seq;
    expect(headline).toMatch(
      /^VIOLATION: The record is intact, and shows something that shouldn't have happened: 2 of 2 claims not proven, first entry/,
    );
    expect(first).toBe(`"Fixed \`sum\`": foil why ${seq}`);
    expect(text).toMatch(/evidence +fail/);
  });

  it('B5a a validation copied to another claim or session, or changed, is a VIOLATION', async () => {
    const wrong: [
      string,
      (validation: Entry, claim: Entry) => Partial<NewEntry> & { payload: JsonObject },
    ][] = [
      ['VALIDATION_FORGED', ({ payload }, { seq }) => ({ cause: seq, payload: { ...payload, claim: seq } })],
      ['VALIDATION_MISPLACED', ({ payload }, { seq }) => ({ cause: seq, payload })],
      ['VALIDATION_FORGED', ({ payload }) => ({ session_id: 'ab'.repeat(32), payload })],
    ];
    const agent = await fixed();
    const { project } = agent;
    const validation = last(project, 'validation');
    for (const [code, change] of wrong) {
      const claims = project.entries().filter(({ kind }) => kind === 'claim');
      const other = claims.find(({ seq }) => seq !== validation.payload.claim) as Entry;
      const { source, session_id, cause } = validation;
      await append(project, { kind: 'validation', source, session_id, cause, ...change(validation, other) });
      const { code: exit, report } = await verified(project);
      expect(exit).toBe(5);
      expect(codes(report)).toContain(code);
    }
  });

  it('B5d rotating the validator key leaves what it signed verifying', async () => {
    const agent = await fixed();
    const { project } = agent;
    const { code, stdout } = await project.foil([
      'key',
      'rotate',
      '--validator',
      '--ledger',
      project.directory,
      '--json',
    ]);
    expect([code, (JSON.parse(stdout) as { version: number }).version]).toEqual([0, 2]);
    await agent.prompt('Again');
    expect(await agent.run('node --test')).toBe(0);
    expect((await agent.stop('All tests pass.')).reason).toBeNull();
    expect(last(project, 'validation').payload.key_version).toBe(2);
    expect(await verified(project)).toMatchObject({ code: 0, report: { verdict: 'INTACT' } });
  });
});
