// foil run with an agent whose hooks will not run, or that can't be pointed at the gateway: guard does not start it, and
// observe puts on record that nothing was recorded. Nothing is written about an agent that never ran.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyUnhooked } from '../../src/cli/run-hooks.ts';
import { type Entry, parseEntry } from '../../src/format/index.ts';
import { locate } from '../../src/ledger/index.ts';
import { Sandbox } from './foil.ts';

const UNHOOKED = ['copilot', 'cursor-agent', 'codex', 'gemini'];

let sandbox: Sandbox;
let ran: string;
beforeAll(() => {
  sandbox = new Sandbox();
  const bin = join(sandbox.root, 'bin');
  mkdirSync(bin);
  ran = join(sandbox.root, 'ran');
  for (const name of [...UNHOOKED, 'claude']) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >> '${ran}'\n`);
    chmodSync(join(bin, name), 0o755);
  }
  sandbox.env.PATH = `${bin}:${process.env.PATH}`;
  sandbox.ok(['init']);
});
afterAll(() => sandbox.remove());

const ledger = (): string => locate({ cwd: sandbox.work, env: sandbox.env }).directory;

function entries(): Entry[] {
  const directory = join(ledger(), 'ledger');
  return readdirSync(directory)
    .flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n').slice(0, -1))
    .map((line) => parseEntry(Buffer.from(line)));
}

describe('an agent whose hooks will not run', () => {
  it.each(UNHOOKED)('%s in observe: a gap is on record, and one note and the headline say so', (name) => {
    const before = entries().length;
    const { code, stderr } = sandbox.run(['run', '--', name]);
    expect(code).toBe(0);
    const told = entries().slice(before);
    const gaps = told.filter(({ kind }) => kind === 'gap');
    expect(gaps.map(({ payload }) => payload.reason)).toEqual(['unrecorded']);
    expect(gaps[0]?.session_id).toBe(told[0]?.session_id);
    expect(stderr).toMatch(/^NOT recorded by foil$/m);
    expect(stderr).not.toMatch(/^recorded by foil/m);
    expect(stderr.match(/^ {2}note /gm)).toHaveLength(1);
    expect(stderr).toMatch(/^ {2}note +foil recorded nothing that .*foil install/m);
  });

  it.each(UNHOOKED)('%s in guard is not started, and nothing is written', (name) => {
    sandbox.ok(['mode', 'guard']);
    const before = entries().length;
    const ranBefore = readFileSync(ran, 'utf8');
    const { code, stderr } = sandbox.run(['run', '--', name]);
    sandbox.ok(['mode', 'observe']);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/`foil run` can't record .*foil install/);
    expect(readFileSync(ran, 'utf8')).toBe(ranBefore);
    expect(
      entries()
        .slice(before)
        .map(({ kind }) => kind),
    ).toEqual(['config.change']);
  });

  it('is known from what the host itself keeps', () => {
    const located = { ...locate({ cwd: sandbox.work, env: sandbox.env }) };
    const why = (agent: string, words: string[] = [], env: NodeJS.ProcessEnv = {}) =>
      whyUnhooked(agent, words, located, { cwd: sandbox.work, env: { ...sandbox.env, ...env } });
    expect(why('claude-code')).toBe(null);
    expect(why('opencode')).toBe(null);
    expect(why('opencode', [], { OPENCODE_CONFIG_DIR: '/x' })).toContain('OPENCODE_CONFIG_DIR');
    expect(why('codex')).toContain('/hooks');
    expect(why('codex', ['--dangerously-bypass-hook-trust'])).toBe(null);
    const home = join(sandbox.root, 'codex-home');
    mkdirSync(home);
    writeFileSync(join(home, 'config.toml'), '[hooks.state."a"]\ntrusted_hash = "sha256:1"\n');
    expect(why('codex', [], { CODEX_HOME: home })).toBe(null);
    // Root's all the way up, where the tests run as root.
    if (process.getuid?.() === 0) expect(why('gemini', [], { XDG_STATE_HOME: '/usr/lib' })).toBe(null);
    sandbox.ok(['install', 'copilot', 'codex']);
    expect(why('copilot')).toBe(null);
    expect(why('codex')).not.toContain('foil install');
    sandbox.ok(['install', 'claude-code']);
    expect(why('claude-code')).toBe(null);
    const settings = join(sandbox.work, '.claude/settings.local.json');
    const before = JSON.parse(readFileSync(settings, 'utf8')) as object;
    writeFileSync(settings, JSON.stringify({ ...before, disableAllHooks: true }, null, 2));
    expect(why('claude-code')).toContain('disableAllHooks');
    sandbox.ok(['uninstall']);
  });
});

describe('an agent that can not be pointed at the gateway', () => {
  it.each([
    ['claude', { ANTHROPIC_BASE_URL: 'http://other' }],
    ['copilot', {}],
  ])('%s is not started, and nothing is written', (name, env) => {
    const before = entries().length;
    const { code } = sandbox.run(['run', '--gateway', '--', name], { env });
    expect(code).toBe(2);
    expect(entries()).toHaveLength(before);
    expect(existsSync(join(ledger(), 'service/state'))).toBe(false);
  });
});
