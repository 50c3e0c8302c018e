// Hooks for one run: what each agent is given, and that nothing of the user's is lost by it.
import { describe, expect, it } from 'vitest';
import { opencodePlugin } from '../../../src/capture/hooks/index.ts';
import { HOSTS, type RunOptions, runSettings, type Wiring } from '../../../src/capture/settings/index.ts';

const wiring: Wiring = {
  scope: 'local',
  mode: 'observe',
  node: '/bin/node',
  foil: '/lib/foil.cjs',
  ledger: "/o'neil",
  service: { port: 4711, token: 'a'.repeat(64) },
};
const options: RunOptions = {
  wiring,
  folder: '/run/foil',
  env: {},
  plugin: opencodePlugin,
  systemSettings: null,
};
const eventsOf = (agent: string) =>
  Object.keys(HOSTS.find((host) => host.agent === agent)?.hooks?.(wiring) ?? {});

describe('X7 hooks for one run', () => {
  it('are a file of settings for Claude Code', () => {
    const made = runSettings('claude-code', options);
    expect(made).toMatchObject({ args: ['--settings', '/run/foil/claude-code.json'], env: {} });
    const { hooks } = JSON.parse(made?.files[0]?.text ?? '') as { hooks: Record<string, unknown[]> };
    expect(Object.keys(hooks)).toEqual(eventsOf('claude-code'));
    expect(hooks.PreToolUse).toHaveLength(1);
  });

  it('are added to the system’s settings for Gemini, which they stand in for', () => {
    const alone = runSettings('gemini', options);
    expect(alone?.env).toEqual({ GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/run/foil/gemini.json' });
    expect(JSON.parse(alone?.files[0]?.text ?? '')).toHaveProperty('hooks.BeforeTool');
    const systemSettings = '{"tools": {"sandbox": "docker"}, "hooks": {"BeforeTool": [{"hooks": []}]}}';
    const both = JSON.parse(runSettings('gemini', { ...options, systemSettings })?.files[0]?.text ?? '');
    expect(both.tools).toEqual({ sandbox: 'docker' });
    expect(both.hooks.BeforeTool).toHaveLength(2);
  });

  it('are words of configuration for Codex, which must be trusted', () => {
    const made = runSettings('codex', options);
    expect(made?.args.filter((word) => word === '-c')).toHaveLength(eventsOf('codex').length);
    expect(made?.args[1]?.replace(/exec \/usr\/bin\/env (?:-u \w+ )+/, '').replace(/; else .*; fi/, '')).toBe(
      `hooks.SessionStart=[{hooks=[{type="command",command="if [ -r /lib/foil.cjs ]; then /bin/node /lib/foil.cjs hook codex --ledger '/o'\\\\''neil'",timeout=30}]}]`,
    );
    expect(made?.notes[0]).toContain('/hooks');
  });

  it('are a folder of plugins for OpenCode, unless there is one', () => {
    const made = runSettings('opencode', options);
    expect(made?.env).toEqual({ OPENCODE_CONFIG_DIR: '/run/foil/opencode' });
    expect(made?.files[0]?.path).toBe('/run/foil/opencode/plugins/counterfoil.js');
    expect(runSettings('opencode', { ...options, env: { OPENCODE_CONFIG_DIR: '/mine' } })).toBeNull();
  });

  it('can’t be had for the others', () => {
    for (const agent of ['copilot', 'cursor', 'unknown', 'constructor'])
      expect(runSettings(agent, options)).toBeNull();
  });
});
