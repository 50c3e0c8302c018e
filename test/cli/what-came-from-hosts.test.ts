// `foil status` goes by what came, not by a file on disk; `foil run` says so where no hook ran; and a hook whose package was
// removed says what to do.
import { spawnSync } from 'node:child_process';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hookLine, readHook } from '../../src/capture/settings/host.ts';
import { Sandbox } from './foil.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
  sandbox.ledger();
});
afterEach(() => sandbox.remove());

const recording = (): string => /^recording +(.*)$/m.exec(sandbox.ok(['status']))?.[1] ?? '';

describe('foil status', () => {
  const event = { session_id: 'a', cwd: '/p', hook_event_name: 'UserPromptSubmit', prompt: 'Hello?' };

  it('says that nothing came from a host yet, and why that may be', () => {
    sandbox.ok(['install', 'codex']);
    expect(recording()).toBe(
      'not seen yet; no event came from codex yet: trust the hooks: type /hooks in Codex',
    );
    sandbox.ok(['hook', 'codex'], { input: JSON.stringify(event) });
    expect(recording()).toBe('on');
    const { hooks, unheard } = sandbox.json(['status']) as {
      hooks: { last_event: string; groups?: unknown }[];
      unheard: unknown[];
    };
    expect(Date.parse(hooks[0]?.last_event ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(unheard).toEqual([]);
    sandbox.ok(['install', 'claude-code']);
    expect(recording()).toBe('on for codex; no event came from claude-code yet: restart it');
  });

  it('says that nothing came since the hooks were written', () => {
    sandbox.ok(['install', 'codex']);
    sandbox.ok(['hook', 'codex'], { input: JSON.stringify(event) });
    const later = Date.now() / 1000 + 60;
    utimesSync(sandbox.path('.codex/hooks.json'), later, later);
    expect(recording()).toMatch(
      /^not seen yet; no event came from codex since its hooks were written: trust/,
    );
  });

  it('prints no token of the service', () => {
    sandbox.ok(['install', 'claude-code']);
    expect(sandbox.ok(['status', '--json'])).not.toContain('Bearer');
  });
});

describe('foil run', () => {
  it('says so, on record as well, where no hook of the agent ran', () => {
    const codex = sandbox.path('codex');
    writeFileSync(codex, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    const { stdout, stderr } = sandbox.run(['run', '--', codex, 'exec', 'Hello?']);
    expect(stdout + stderr).toMatch(
      /foil recorded nothing that codex was told, said or did, because none of its hooks ran/,
    );
    const gaps = sandbox.ok(['log', '--json', '--kind', 'gap']);
    expect(gaps).toContain('codex ran, and none of its hooks told of anything');
    expect(sandbox.ok(['verify'])).toContain('BLIND');
  });
});

describe('a hook whose package was removed', () => {
  const wiring = {
    scope: 'local',
    mode: 'guard',
    node: process.execPath,
    foil: "/no where/it's/foil.cjs",
    ledger: '/ledger',
    service: null,
  } as const;

  it('says in its own words what is wrong, and fails', () => {
    const { status, stderr } = spawnSync('/bin/sh', ['-c', hookLine('codex', wiring)], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^Counterfoil was removed and its hooks are still here.*A person has to install it again/,
    );
    expect(stderr).not.toContain('Error');
  });

  it('is known as ours, and so are the lines of earlier versions', () => {
    const line = hookLine('codex', wiring);
    const words = [process.execPath, wiring.foil, 'hook', 'codex', '--ledger', '/ledger'];
    expect(readHook({ type: 'command', command: line }, 'codex')).toMatchObject({ words });
    for (const old of [
      `${process.execPath} /a/foil.cjs hook codex`,
      `exec /usr/bin/env -u NODE_OPTIONS ${process.execPath} /a/foil.cjs hook codex --mode guard`,
    ])
      expect(readHook({ type: 'command', command: old }, 'codex')).toBeDefined();
    expect(readHook({ type: 'command', command: `${line}; rm -rf /` }, 'codex')).toBeUndefined();
  });

  it('runs where the package is there', () => {
    const foil = join(sandbox.root, 'foil.cjs');
    writeFileSync(foil, "console.log('recorded')");
    const { stdout } = spawnSync('/bin/sh', ['-c', hookLine('codex', { ...wiring, foil })], {
      encoding: 'utf8',
    });
    expect(stdout).toBe('recorded\n');
  });
});
