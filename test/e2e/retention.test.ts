// Retention of a session that really worked: its prompts and outputs go, and what it claimed is judged again as before,
// from the entries alone.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tidyUp } from '../../src/app/upkeep/upkeep.ts';
import { verifyDirectory } from '../../src/entry/index.ts';
import { DAY } from '../../src/ledger/index.ts';
import { newProject } from './recorded-project.ts';
import { makePackage, WorkingAgent } from './working-agent.ts';

it('B13c, B3e: verdicts on claims and validations are the same after the content has gone', async () => {
  const project = await newProject();
  makePackage(project.work);
  const agent = new WorkingAgent(project, 'observe');
  await agent.start();
  await agent.prompt('Fix `src/sum.js`: it subtracts');
  await agent.edit('src/sum.js', 'a - b', 'a + b');
  expect(await agent.run('node --test')).toBe(0);
  await agent.stop('Fixed `sum`. All tests pass.');
  await agent.prompt('Also export a constant from `src/sum.js`');
  expect(await agent.run("sed -i '$a export const ZERO = 0;' src/sum.js")).toBe(0);
  await agent.stop('Done, `ZERO` is exported and all tests pass.');

  const verify = () => verifyDirectory(project.directory, { content: true, threads: 0 });
  const before = await verify();
  expect(before.counts).toMatchObject({ contentAbsent: 0, contentErased: 0 });
  expect(before.counts.validations).toBeGreaterThan(0);
  expect(before.counts.claimsProven).toBeGreaterThan(0);
  expect(before.counts.claimsUnproven).toBeGreaterThan(0);

  const now = Date.now() + 400 * DAY;
  const done = await tidyUp(project.located, { roots: [project.work], now, automatic: false });
  expect(done?.erased.length).toBe(1);
  expect(readdirSync(join(project.directory, 'blobs'))).toEqual([]);
  expect(existsSync(join(project.directory, 'salts', done?.erased[0]?.session ?? ''))).toBe(false);

  const after = await verify();
  expect(after.failures).toEqual([]);
  expect(after.verdict).toBe(before.verdict);
  expect(after.facets.evidence).toEqual(before.facets.evidence);
  const { gates, claims, claimsProven, claimsUnproven, validations } = before.counts;
  expect(after.counts).toMatchObject({ gates, claims, claimsProven, claimsUnproven, validations });
  expect(after.counts).toMatchObject({
    contentChecked: 0,
    contentAbsent: 0,
    contentUnsalted: 0,
    contentErased: before.counts.contentChecked,
  });

  // The host comes back to it: under a new salt, beside what is gone.
  await agent.prompt('And now?');
  const resumed = await verify();
  expect(resumed.failures).toEqual([]);
  expect(resumed.counts).toMatchObject({ contentAbsent: 0, contentErased: before.counts.contentChecked });
  expect(resumed.counts.contentChecked).toBeGreaterThan(0);
});
