// After an upgrade: the service that runs was started by the build before. The first foil that meets it has it finish and
// puts one of its own build in its place. A service of a newer build stays.
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { ownBuild } from '../../src/app/service/own-build.ts';
import { otherBuildText } from '../../src/app/service/service-status.ts';
import {
  type Age,
  ageOf,
  type Build,
  ensureService,
  readState,
  serviceFiles,
} from '../../src/service/index.ts';
import { Sandbox } from '../cli/foil.ts';
import { bundle, Child } from '../fault/child.ts';

const { version } = manifest;
const mark = (hash: string, made: number) => ({ hash: hash.repeat(16), made });

describe('which of two builds is newer', () => {
  it.each<[Build, Build, Age]>([
    [{ version: '1.2.3', build: mark('a', 1) }, { version: '1.2.3', build: mark('a', 2) }, 'same'],
    [{ version: '1.2.3', build: mark('a', 1) }, { version: '1.2.3', build: mark('b', 2) }, 'older'],
    [{ version: '1.2.3', build: mark('a', 3) }, { version: '1.2.3', build: mark('b', 2) }, 'newer'],
    [{ version: '1.2.3' }, { version: '1.2.3', build: mark('b', 2) }, 'older'],
    [{ version: '1.2.3', build: mark('b', 2) }, { version: '1.2.3' }, 'newer'],
    [{ version: '1.2.3' }, { version: '1.2.3', build: null }, 'same'],
    [{ version: '1.2.3', build: mark('a', 9) }, { version: '1.10.0', build: mark('b', 1) }, 'older'],
    [{ version: '1.10.0', build: mark('a', 1) }, { version: '1.9.9', build: mark('b', 9) }, 'newer'],
    [{ version: '' }, { version: '0.1.0' }, 'older'],
  ])('%j beside %j is %s', (running, own, age) => {
    expect(ageOf(running, own)).toBe(age);
  });
});

describe('a service that an upgrade left', () => {
  /** In the place of the one that ran before; `made` is when its build was. */
  async function left(made?: number) {
    const sandbox = new Sandbox();
    sandbox.ledger();
    const ledger = sandbox.path('.foil');
    const words = ['serve', ledger, version, ...(made === undefined ? [] : [String(made)])];
    const old = new Child(await bundle('old-service', 'service'), words);
    onTestFinished(async () => {
      const pid = readState(ledger)?.pid;
      if (pid !== undefined) process.kill(pid, 'SIGTERM');
      if (pid === old.process.pid) await old.ended;
      else await gone(pid);
      sandbox.remove();
    });
    await old.until(() => old.lines.includes('ready'));
    return { sandbox, ledger, old };
  }

  const stop = JSON.stringify({ hook_event_name: 'Stop', session_id: 's', last_assistant_message: 'Hi.' });

  it.each<[string, (sandbox: Sandbox, ledger: string) => string]>([
    ['foil install', (sandbox) => sandbox.run(['install', 'codex']).stdout],
    ['foil status', (sandbox) => sandbox.run(['status']).stdout],
    ['foil run', (sandbox) => sandbox.run(['run', '--', 'true']).stderr],
    [
      'a hook',
      (sandbox, ledger) => sandbox.spawn(['hook', 'claude-code', '--ledger', ledger], { input: stop }).stdout,
    ],
  ])('is replaced by %s, and finishes what it has', async (name, meet) => {
    const { sandbox, ledger, old } = await left(name === 'foil status' ? 1 : undefined);
    const said = meet(sandbox, ledger);
    expect(await old.ended).toEqual({ code: 0, signal: null });
    expect(old.lines).toEqual(['ready', 'signal']);
    await served(ledger);
    expect(said).not.toContain('the service runs');
    if (name === 'foil install') expect(said).toContain('Service: replaced');
    // Not the service but the hook itself judged the end of the turn.
    const entries = readFileSync(join(ledger, 'ledger/0000000000000001.jsonl'), 'utf8');
    if (name === 'a hook') expect(entries).toContain('"kind":"response"');
    expect(entries).not.toContain('"kind":"note"');
  });

  it('is not signalled twice: a second signal would end one of 0.1.0 in the middle of its work', async () => {
    const { ledger, old } = await left();
    const { leaving } = serviceFiles(ledger);
    const nothing = [process.execPath, '--version'];
    const meet = () => ensureService({ ledger, ...ownBuild(), command: nothing });
    writeFileSync(leaving, '');
    expect(await meet()).toEqual({ service: 'started' }); // which waits for it to leave
    expect(readState(ledger)?.pid).toBe(old.process.pid);
    // Whoever asked never did.
    utimesSync(leaving, 1, 1);
    expect(await meet()).toEqual({ service: 'replaced' });
    expect(await old.ended).toEqual({ code: 0, signal: null });
  });

  it('stays where its build is newer, and status says so', async () => {
    const { sandbox, ledger, old } = await left(Date.now() + 86_400_000);
    expect(sandbox.run(['status']).stdout).toContain('the service runs a newer build of foil.');
    expect(sandbox.run(['install', 'codex']).stdout).toContain('a newer build of foil');
    sandbox.spawn(['hook', 'claude-code', '--ledger', ledger], { input: stop });
    expect(old.lines).toEqual(['ready']);
    expect(readState(ledger)?.pid).toBe(old.process.pid);
    // One that was killed is nobody's to replace.
    old.process.kill('SIGKILL');
    await old.ended;
    expect(sandbox.run(['status']).stdout).toMatch(/^service +not running$/m);
    rmSync(join(ledger, 'service/state'));
  });

  it('stays in locked, and the words say who can replace it', async () => {
    const { sandbox, ledger, old } = await left();
    sandbox.ok(['mode', 'locked']);
    expect(sandbox.run(['status']).stdout).toContain('ask the operator to restart it');
    expect(readState(ledger)?.pid).toBe(old.process.pid);
    const service = { alive: true, pid: 7, port: null, version, build: null, problem: null };
    expect(otherBuildText({ ...service, age: 'older' }, 'locked')).toContain('docs/locked.md');
    expect(otherBuildText({ ...service, age: 'older' }, 'guard')).toContain('kill 7');
    expect(otherBuildText({ ...service, age: 'same' }, 'guard')).toBe(null);
  });
});

async function served(ledger: string): Promise<void> {
  while (readState(ledger)?.build?.hash !== ownBuild().build?.hash)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

async function gone(pid: number | undefined): Promise<void> {
  try {
    for (;;) {
      if (pid === undefined) return;
      process.kill(pid, 0);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  } catch {
    // It has ended.
  }
}
