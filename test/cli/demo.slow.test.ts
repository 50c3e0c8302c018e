// The demo as a person sees it.
import { mkdirSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { left } from './demo-left.ts';
import { Sandbox } from './foil.ts';

const sandbox = new Sandbox();
afterAll(() => sandbox.remove());

it('the demo tells its story in seven acts', () => {
  const tmp = sandbox.path('tmp');
  mkdirSync(tmp);
  const { code, stdout: story, stderr } = sandbox.spawn(['demo'], { env: { TMPDIR: tmp } });
  expect(story.split('\n\n').filter((step) => step.includes('✗ not as expected'))).toEqual([]);
  expect([code, stderr]).toEqual([0, '']);
  expect(story).toContain('entry 500 was changed');
  expect(story).toMatch(/^ +\d+ {2}\S+ \S+ {2}tool\.denied {4}\w{8} {2}Bash {2}by host$/m);
  expect(story).toMatch(/"permissionDecision":"deny".+In guard mode nothing runs unrecorded\./);
  // Two of them need a sandbox.
  expect(story).toMatch(/Everything went as expected\. (41 of 41|43 of 43) expectations held\./);
  expect(story).toMatch(/^ +All hashes verified: YES$/m);
  expect(story).toMatch(/^ +session_end:[0-9a-f]{16}:btc-204 {2}[0-9a-f]{16}$/m);
  expect(story).toContain('regtest');
  expect(story).toMatch(/^Open the report: file:\/\/\S+\/report\.html$/m);
  expect(left(tmp)).toEqual([]);
});
