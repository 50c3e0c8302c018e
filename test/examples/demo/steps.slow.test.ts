// The demo, as a process: every expectation of all acts holds, and nothing of it is left, no file and no process.
import { mkdirSync, readdirSync } from 'node:fs';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { boundAct } from '../../../examples/demo/bound.ts';
import { makeStage, type Step } from '../../../examples/demo/stage.ts';
import type { Context } from '../../../src/cli/command.ts';
import { plain } from '../../../src/report/text.ts';
import { makeBubblewrap } from '../../../src/sandbox/bubblewrap/index.ts';
import { left } from '../../cli/demo-left.ts';
import { FOIL, Sandbox } from '../../cli/foil.ts';

// Some hundred processes, one after the other, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 240_000 });

const whyNot = process.platform === 'linux' ? await makeBubblewrap({ hidden: [] }).available() : 'not Linux';
const sandbox = new Sandbox();
afterAll(() => sandbox.remove());

interface Told {
  readonly ok: boolean;
  readonly steps: { readonly name: string; readonly verdict: string; readonly held: boolean }[];
}

describe('demo', () => {
  const tmp = sandbox.path('tmp');
  mkdirSync(tmp);
  const env = { TMPDIR: tmp };

  it('B1 K3 X7 counts what held, and leaves nothing behind', () => {
    const { code, stdout, stderr } = sandbox.spawn(['demo', '--json'], { env });
    const { ok, steps } = JSON.parse(stdout) as Told;
    expect(steps.filter(({ held }) => !held)).toEqual([]);
    expect([ok, code, stderr]).toEqual([true, 0, '']);
    expect(steps.map(({ name, verdict }) => `${name}: ${verdict}`)).toEqual([
      'many writers: 1000 acknowledged',
      'verify: INTACT',
      'a byte flipped: BROKEN',
      'a line dropped: BROKEN',
      'two lines swapped: BROKEN',
      'the tail cut: BROKEN',
      'the unsealed tail cut: INTACT',
      'rewritten with a fresh key: BROKEN',
      'the same copy, without the pin: INTACT',
      'install: .claude/settings.local.json',
      'hooks: 16 answered',
      'off: 0 of 3 events recorded',
      'guard: refused',
      'redacted: token, url-password',
      'failing tests: exit 1, 2 failed',
      'subagent: its call is its own',
      'permission: granted',
      'denied call: seen in PostToolBatch',
      'gap: recorded',
      'no secret: in 0 files',
      'verify the recording: INTACT',
      'a claim without a run: block',
      'a claim with a run: pass',
      'a stale claim: blocked',
      'gateway: the same bytes',
      'mcp proxy: 3.20',
      'receipt: holds',
      'three views: pass',
      'a call kept from the hooks: VIOLATION',
      'a session at a block: block 204, branch-2',
      'a revoked key: refused',
      'every hash again: YES',
      'git tells the same: 4 commits',
      'both sides of time: ANCHORED',
      'rewritten with the same keys: INTACT',
      'whoever holds the stamp: BROKEN',
      'a branch moved by hand: BROKEN',
      'bundle: PASS, self',
      'changed bundle: FAIL',
      ...(whyNot === null ? ['attested: PASS, sandbox', 'cheat: FAIL, self'] : []),
      'report: PASS',
      'changed report: FAIL',
    ]);
    expect(readdirSync(tmp).filter((name) => name.startsWith('foil-report-'))).toHaveLength(1);
    expect(left(tmp)).toEqual([]);
  });
});

describe('the act about time', () => {
  it('passes over the steps of git where there is none', async () => {
    const base = sandbox.path('without-git');
    const [PATH, command] = [process.env.PATH, process.argv[1]];
    mkdirSync(base);
    process.env.PATH = base;
    process.argv[1] = FOIL;
    try {
      const steps: Step[] = [];
      let story = '';
      for await (const text of boundAct(makeStage({ paint: plain, now: Date.now } as Context, base, steps)))
        story += text;
      expect(story).toContain('There is no git on this machine');
      expect(steps.map(({ name, held }) => `${name}: ${held}`)).toEqual([
        'a session at a block: true',
        'a revoked key: true',
        'every hash again: true',
        'both sides of time: true',
        'rewritten with the same keys: true',
        'whoever holds the stamp: true',
      ]);
    } finally {
      process.env.PATH = PATH;
      process.argv[1] = command ?? '';
    }
  });
});
