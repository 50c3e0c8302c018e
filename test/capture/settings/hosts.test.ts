// What stands in each host's settings: its events, the form of its hooks in each scope and mode, and that a host's own
// shell, or none, runs what we meant.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { ADAPTERS } from '../../../src/capture/hooks/index.ts';
import { DROPPED, hookLine, hookWords, readHook } from '../../../src/capture/settings/host.ts';
import { HOSTS, type Wiring } from '../../../src/capture/settings/index.ts';
import { temporary } from '../../temporary.ts';

const root = join(import.meta.dirname, '../../..');
const LOCAL: Wiring = {
  scope: 'local',
  mode: 'observe',
  node: '/opt/node 20/bin/node',
  foil: "/home/o'neil/dist/foil.cjs",
  ledger: '/state/proj ect',
  service: { port: 4711, token: 'f'.repeat(64) },
};
const PROJECT: Wiring = { ...LOCAL, scope: 'project', ledger: null, service: null };
const USER: Wiring = { ...LOCAL, scope: 'user', ledger: null, service: null };

type Hook = Record<string, unknown>;
type Group = { matcher?: string; hooks: Hook[] };

function hooksOf(agent: string, wiring: Wiring): Record<string, unknown> {
  return HOSTS.find((host) => host.agent === agent)?.hooks?.(wiring) ?? {};
}

function allHooks(agent: string, wiring: Wiring): Hook[] {
  return Object.values(hooksOf(agent, wiring)).flatMap((value) => (value as Group).hooks ?? [value as Hook]);
}

describe('every host', () => {
  it('has its adapter, and is asked for the events that its adapter knows', () => {
    expect(HOSTS.map(({ agent }) => agent)).toEqual(ADAPTERS.map(({ agent }) => agent));
    const more: Record<string, string[]> = { 'claude-code': ['Notification'] };
    for (const { agent, events } of ADAPTERS) {
      const names = [...events.map(({ name }) => name), ...(more[agent] ?? [])].sort();
      expect(Object.keys(hooksOf(agent, LOCAL)).sort(), agent).toEqual(names);
    }
  });

  it('X7 knows its own hooks again, in every scope and mode, and nobody else’s', () => {
    for (const { agent } of HOSTS) {
      for (const wiring of [LOCAL, PROJECT, USER]) {
        for (const mode of ['observe', 'guard', 'locked'] as const) {
          for (const hook of allHooks(agent, { ...wiring, mode })) {
            expect(readHook(hook, agent), JSON.stringify(hook)).toBeDefined();
            expect(readHook(hook, `${agent}-x`)).toBeUndefined();
          }
        }
      }
    }
    for (const hook of [
      null,
      'foil hook codex',
      {},
      { type: 'command', command: 'echo foil hook codex' },
      { type: 'command', command: 'foil hook codex; rm -rf x' },
      { type: 'command', command: 'foil verify' },
      { type: 'command', command: 'node', args: ['tool.cjs', 'hook', 'codex'] },
      { type: 'command', command: '/bin/sh -c "foil hook codex"' },
      { type: 'http', url: 'http://127.0.0.1:80/v1/hook/codex/x' },
      { type: 'http', url: 'https://example.com/v1/hook/codex' },
      { type: 'prompt', prompt: 'foil hook codex' },
    ])
      expect(readHook(hook, 'codex'), JSON.stringify(hook)).toBeUndefined();
  });

  it('pins nothing of the machine in project scope', () => {
    for (const { agent } of HOSTS) {
      const text = JSON.stringify(
        hooksOf(agent, { ...PROJECT, ledger: LOCAL.ledger, service: LOCAL.service }),
      );
      expect(text).not.toMatch(/node 20|neil|proj ect|4711|ffff|"http"/);
    }
  });

  it('pins no ledger in user scope, but the paths', () => {
    for (const { agent, hooks } of HOSTS) {
      if (hooks === undefined) continue;
      const text = JSON.stringify(hooksOf(agent, { ...USER, ledger: LOCAL.ledger, service: LOCAL.service }));
      expect(text).not.toMatch(/--ledger|"http"/);
      expect(text).toContain('foil.cjs');
    }
  });
});

describe('Claude Code', () => {
  const group = (wiring: Wiring, event: string) => hooksOf('claude-code', wiring)[event] as Group;

  it('B15 gets commands where a session and a turn begin and end, and HTTP calls in between', () => {
    const hooks = Object.entries(hooksOf('claude-code', LOCAL)) as [string, Group][];
    const commands = hooks
      .filter(
        ([
          ,
          {
            hooks: [hook],
          },
        ]) => hook?.type === 'command',
      )
      .map(([event]) => event);
    expect(commands).toEqual(['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd']);
    expect(hooks.map(([event]) => event)).not.toContain('WorktreeCreate');
    expect(hooks.map(([event]) => event)).not.toContain('MessageDisplay');
    expect(group(LOCAL, 'Stop').hooks).toEqual([
      {
        type: 'command',
        command: hookLine('claude-code', LOCAL),
        timeout: 30,
      },
    ]);
    expect(group(LOCAL, 'PreToolUse')).toEqual({
      matcher: '*',
      hooks: [
        {
          type: 'http',
          url: 'http://127.0.0.1:4711/v1/hook/claude-code',
          headers: { Authorization: `Bearer ${'f'.repeat(64)}` },
          timeout: 10,
        },
      ],
    });
  });

  it('blocks in guard where it can’t be recorded, and nowhere in observe', () => {
    const blocking = (wiring: Wiring) =>
      Object.entries(hooksOf('claude-code', wiring)).flatMap(([event, value]) =>
        (value as Group).hooks[0]?.onFailure === 'block' ? [event] : [],
      );
    expect(blocking(LOCAL)).toEqual([]);
    for (const mode of ['guard', 'locked'] as const) {
      expect(blocking({ ...LOCAL, mode })).toEqual(
        expect.arrayContaining(['UserPromptSubmit', 'PreToolUse', 'PostToolUse']),
      );
      expect(blocking({ ...LOCAL, mode })).not.toContain('Stop');
    }
  });

  it('gets commands alone in locked mode, and where the service is not known', () => {
    for (const wiring of [
      { ...LOCAL, mode: 'locked' as const },
      { ...LOCAL, service: null },
    ])
      expect(new Set(allHooks('claude-code', wiring).map(({ type }) => type))).toEqual(new Set(['command']));
  });

  it('B15 has a plugin that does what project scope does', () => {
    const read = (name: string) => JSON.parse(readFileSync(join(root, 'plugin', name), 'utf8'));
    const lists = Object.entries(hooksOf('claude-code', PROJECT)).map(([event, value]) => [event, [value]]);
    expect(read('hooks/hooks.json')).toEqual({ hooks: Object.fromEntries(lists) });
    expect(read('.claude-plugin/plugin.json')).toMatchObject({
      name: 'counterfoil',
      version: manifest.version,
    });
    expect(manifest.files).toContain('plugin');
  });
});

describe('the others', () => {
  it('have their own words for the same', () => {
    expect(hooksOf('gemini', PROJECT).BeforeTool).toEqual({
      matcher: '*',
      hooks: [
        { name: 'counterfoil', type: 'command', command: hookLine('gemini', PROJECT), timeout: 30_000 },
      ],
    });
    // The host calls it before each request to the model, with `auto`, whether it compresses or not.
    expect(hooksOf('gemini', PROJECT).PreCompress).toMatchObject({ matcher: 'manual' });
    expect(hooksOf('codex', LOCAL).PreToolUse).toEqual({
      hooks: [{ type: 'command', command: hookLine('codex', LOCAL), timeout: 30 }],
    });
    expect(hooksOf('copilot', LOCAL).PreToolUse).toEqual({
      type: 'command',
      bash: hookLine('copilot', LOCAL),
      timeoutSec: 30,
    });
    expect((hooksOf('copilot', LOCAL).subagentStart as Hook).bash).toContain('--event subagentStart');
  });

  it('Cursor fails closed in guard, but not where there may be no foil', () => {
    const closed = (wiring: Wiring) =>
      Object.entries(hooksOf('cursor', wiring)).flatMap(([event, value]) =>
        (value as Hook).failClosed === true ? [event] : [],
      );
    expect(closed(LOCAL)).toEqual([]);
    expect(closed({ ...LOCAL, mode: 'guard' })).toEqual(['beforeSubmitPrompt', 'preToolUse']);
    expect(closed({ ...PROJECT, mode: 'guard' })).toEqual([]);
  });
});

describe('a line for a shell', () => {
  /** Runs it with a `foil` or `node` that prints its arguments. */
  function sh(line: string, path: string): { code: number | null; words: string[]; stderr: string } {
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', line], {
      env: { PATH: path },
      encoding: 'utf8',
    });
    return { code: status, words: stdout.split('\0').slice(0, -1), stderr };
  }

  function program(folder: string, name: string, end = ''): string {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\nprintf '%s\\0' "$@"\n${end}`);
    chmodSync(path, 0o755);
    return path;
  }

  it('says exactly the words, whatever is in them', () => {
    const folder = join(temporary(), "it's a $HOME `x` \\ folder");
    const node = program(folder, 'node');
    for (const ledger of ['/plain', '/o\'neil\'s "ledger" $x;&|\\', '/ünïcode/ 😀']) {
      // The script need only be there: the program that would read it only prints its words.
      const wiring = { ...LOCAL, node, ledger, foil: join(folder, 'foil.cjs') };
      writeFileSync(wiring.foil, '');
      expect(sh(hookLine('codex', wiring), '').words).toEqual(hookWords('codex', wiring).slice(1));
      const hook = { type: 'command', command: hookLine('codex', wiring) };
      expect(readHook(hook, 'codex')).toEqual({ words: hookWords('codex', wiring), drops: DROPPED });
    }
  });

  it('B15 in project scope finds foil on PATH, passes on how it ends, and without foil is silent success', () => {
    const folder = temporary();
    program(folder, 'foil', 'exit 2\n');
    const line = hookLine('copilot', { ...PROJECT, mode: 'guard' });
    expect(sh(line, folder)).toEqual({ code: 2, words: ['hook', 'copilot', '--mode', 'guard'], stderr: '' });
    expect(sh(line, '/nowhere')).toEqual({ code: 0, words: [], stderr: '' });
  });
});
