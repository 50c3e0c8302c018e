// Valid JSON that Claude Code passes over as a whole, our hooks with it: a member of a wrong kind, hooks that it can't use
// or that stand in a wrong place, a file that is too large. What it does with each was seen with 2.1.325.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localWiring } from '../../src/app/hosts/installed.ts';
import { opencodePlugin } from '../../src/capture/hooks/index.ts';
import { whyPassedOver } from '../../src/capture/settings/claude-code-passes-over.ts';
import {
  applyPlan,
  findInstalled,
  findRunning,
  type Places,
  planInstall,
  planUninstall,
  runSettings,
} from '../../src/capture/settings/index.ts';
import { doctor } from '../../src/cli/commands/doctor.ts';
import { init } from '../../src/cli/commands/init.ts';
import { install } from '../../src/cli/commands/install.ts';
import { status } from '../../src/cli/commands/status.ts';
import { temporary } from '../temporary.ts';
import { codes, guardedProject } from './guarded-project.ts';
import { Machine } from './hostile-clone.ts';

const WIRING = {
  scope: 'local',
  mode: 'guard',
  node: process.execPath,
  foil: '/lib/foil.cjs',
  ledger: '/ledger',
  service: { port: 4711, token: 'f'.repeat(64) },
} as const;
const GROUP = { hooks: [{ type: 'command', command: 'true' }] };

const DROPPED: [object, string][] = [
  [{ permissions: 5 }, '"permissions" that is not an object'],
  [{ permissions: { allow: 'Bash' } }, '"permissions.allow" that is not a list'],
  [{ permissions: { defaultMode: 'yolo' } }, '"permissions.defaultMode" that is not "acceptEdits"'],
  [{ disableAllHooks: 'true' }, '"disableAllHooks" that is not true or false'],
  [{ disableAllHooks: null }, '"disableAllHooks"'],
  [{ env: [] }, '"env" that is not an object'],
  [{ env: null }, '"env"'],
  [{ model: 5 }, '"model" that is not a text'],
  [{ availableModels: ['x', 5] }, '"availableModels" that is not a list of texts'],
  [{ cleanupPeriodDays: 0 }, '"cleanupPeriodDays" that is not a whole number above 0'],
  [{ autoUpdatesChannel: 'nightly' }, '"autoUpdatesChannel" that is not "latest" or "stable" or "rc"'],
  [{ statusLine: {} }, '"statusLine.command" that is not a text'],
  [{ sandbox: { network: { allowedDomains: 5 } } }, '"sandbox.network.allowedDomains"'],
  [{ allowedMarketplaces: 5 }, '"allowedMarketplaces"'],
  [{ allowManagedHooksOnly: 'yes' }, '"allowManagedHooksOnly"'],
  [{ PreToolUse: [GROUP] }, 'outside "hooks"'],
  [{ x: { y: { PermissionRequest: 5 } } }, 'outside "hooks"'],
  [{ x: [GROUP] }, 'outside "hooks"'],
  [{ hooks: { PermissionRequest: 5 } }, '"hooks.PermissionRequest" that is not a list'],
  [{ hooks: { PreToolUse: [GROUP, { matcher: {}, hooks: [] }] } }, '(number 2)'],
  [{ hooks: { PreToolUse: [{ hooks: [{ type: 'x' }] }] } }, '"hooks.PreToolUse"'],
  [{ hooks: { PreToolUse: [{ hooks: [{ ...GROUP.hooks[0], timeout: '5' }] }] } }, '"hooks.PreToolUse"'],
  [{ hooks: { Nonsense: { PreToolUse: [GROUP] } } }, 'outside "hooks"'],
  [{ hooks: { Stop: [{ PreToolUse: [GROUP], hooks: [] }] } }, 'outside "hooks"'],
];

const READ: object[] = [
  { env: { A: 5, B: null, C: {} } },
  { nonsense: 5, hookz: [] },
  { bashOutputMaxChars: 'x', viewMode: 5, strictPluginOnlyCustomization: 5 },
  { allowManagedHooksOnly: null, disableAutoMode: null },
  { permissions: { allow: [5, 'Bash('], nonsense: 5 } },
  { hooks: 'x' },
  { hooks: { Stop: 5, PostToolUse: [{ matcher: 5, hooks: [] }], Nonsense: [GROUP], PreToolUse: null } },
  { hooks: { PreToolUse: [GROUP, { matcher: '*', hooks: [{ type: 'http', url: 'http://[::1]/' }] }] } },
  { Stop: [GROUP], PreToolUse: [], env: { PreToolUse: 'x' }, mcpServers: { PreToolUse: 5 } },
];

function written(): { at: Places; path: string; settings: Record<string, Record<string, unknown>> } {
  const at = { project: temporary(), home: temporary(), env: {} };
  const path = join(at.project, '.claude/settings.local.json');
  applyPlan(planInstall({ agent: 'claude-code', places: at, wiring: WIRING, plugin: opencodePlugin }));
  return { at, path, settings: JSON.parse(readFileSync(path, 'utf8')) };
}

/** Beside our hooks. */
function beside(settings: Record<string, Record<string, unknown>>, more: object): string {
  const { hooks = {}, ...rest } = more as { hooks?: object };
  const lists = Object.entries(hooks).map(([event, list]) => {
    const ours = settings.hooks?.[event];
    return [event, Array.isArray(ours) && Array.isArray(list) ? [...ours, ...list] : list];
  });
  return JSON.stringify({ ...settings, ...rest, hooks: { ...settings.hooks, ...Object.fromEntries(lists) } });
}

describe('a file that Claude Code passes over', () => {
  it.each(DROPPED)('holds no hooks of ours, and gets none: %j', (more, said) => {
    const { at, path, settings } = written();
    expect(findInstalled(at)).toHaveLength(1);
    writeFileSync(path, beside(settings, more));
    expect(findInstalled(at)).toEqual([]);
    expect(findRunning(at)).toEqual([]);
    writeFileSync(path, JSON.stringify(more));
    const plan = () =>
      planInstall({ agent: 'claude-code', places: at, wiring: WIRING, plugin: opencodePlugin });
    expect(plan).toThrow(/settings\.local\.json.*(?:ignores such a file|not a list)/);
    expect(whyPassedOver(JSON.stringify(more))).toContain(said);
  });

  it.each([
    '{"cleanupPeriodDays":1e300}',
    '{"statusLine":{"type":"command","command":"x","padding":1e999}}',
    '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x","timeout":1e999}]}]}}',
    '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x","rewakeMessage":""}]}]}}',
    '\uFEFF\uFEFF{}',
    '{}\u0000',
  ])('is one with what is no number, no text or no JSON to it: %j', (text) => {
    expect(whyPassedOver(text)).not.toBeNull();
  });

  it('is one of more than 2 MB, too', () => {
    const { at, path } = written();
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text + ' '.repeat((2 << 20) - text.length));
    expect(findInstalled(at)).toHaveLength(1);
    writeFileSync(path, text + ' '.repeat((2 << 20) - text.length + 1));
    expect(findInstalled(at)).toEqual([]);
  });

  it('still has our hooks taken out by foil uninstall', () => {
    const { at, path, settings } = written();
    writeFileSync(path, JSON.stringify({ ...settings, permissions: 5 }));
    expect(planUninstall('claude-code', 'local', at).after).not.toContain('/lib/foil.cjs');
  });
});

it.each(READ)('a file with what Claude Code passes over by itself keeps its hooks: %j', (more) => {
  expect(whyPassedOver(JSON.stringify(more))).toBeNull();
});

it('foil status and foil doctor say OFF of such a file, NOT SURE where other hooks run, and install refuses', async () => {
  const machine = new Machine();
  machine.file('home/me/project/.git/HEAD', 'ref: refs/heads/main\n');
  await machine.run(init);
  await machine.run(install, ['claude-code']);
  const path = join(machine.project, '.claude/settings.local.json');
  const good = readFileSync(path, 'utf8');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(good), permissions: 5 }));
  const said = `${path} has "permissions" that is not an object, so claude-code ignores the whole file`;
  expect((await machine.run(status)).text).toContain(`OFF for claude-code: ${said}`);
  expect((await machine.run(doctor)).text).toContain(said);
  await expect(machine.run(install, ['claude-code'])).rejects.toThrow('"permissions" that is not an object');
  writeFileSync(path, good);
  machine.file('home/me/project/.claude/settings.json', '{"env":5}');
  expect((await machine.run(status)).text).toMatch(
    /^recording +NOT SURE for claude-code: .*"env" that is not/m,
  );
});

it('settings that a user hands to Claude Code in foil run are refused where ours would go with them', () => {
  const run = (givenSettings: string) =>
    runSettings('claude-code', {
      wiring: WIRING,
      folder: '/run',
      env: {},
      plugin: opencodePlugin,
      givenSettings,
      systemSettings: null,
    });
  expect(run('{"model":"x"}')?.files[0]?.text).toContain('"model": "x"');
  expect(() => run('{"model":5}')).toThrow(
    '--settings: has "model" that is not a text, so Claude Code would',
  );
});

it('a user’s own file that Claude Code passes over does not keep the clone’s switch in force', () => {
  const at = { project: temporary(), home: temporary(), env: {} };
  mkdirSync(join(at.home, '.claude'));
  const user = join(at.home, '.claude/settings.json');
  const kept = () =>
    planInstall({ agent: 'claude-code', places: at, wiring: WIRING, plugin: opencodePlugin }).after;
  writeFileSync(user, '{"disableAllHooks":true}');
  expect(kept()).not.toContain('"disableAllHooks"');
  writeFileSync(user, '{"disableAllHooks":true,"env":[]}');
  expect(kept()).toContain('"disableAllHooks": false');
});

describe('in guard, while a session runs,', () => {
  it.each(DROPPED.filter(([, said]) => /env" that|outside|number 2/.test(said)).slice(0, 4))(
    'settings that Claude Code would pass over are refused, and HOOKS_MISSING: %j',
    async (more) => {
      const { project, agent, tell, verify } = await guardedProject();
      const { work, env, directory } = project;
      mkdirSync(join(work, '.git'));
      writeFileSync(join(work, '.git/HEAD'), 'ref: refs/heads/main\n');
      const places = { project: work, home: env.HOME ?? '', env };
      const wiring = localWiring('guard', directory, env);
      const plan = planInstall({ agent: 'claude-code', places, wiring, plugin: opencodePlugin });
      applyPlan(plan);
      await tell(agent.start());
      await tell(agent.prompt('Fix it'));
      mkdirSync(dirname(plan.path), { recursive: true });
      writeFileSync(plan.path, beside(JSON.parse(plan.after ?? ''), more));
      const event = agent.event('ConfigChange', { source: 'local_settings', file_path: plan.path });
      expect(JSON.parse((await tell(event)).stdout)).toMatchObject({ decision: 'block' });
      expect(codes(await verify(), 'completeness')).toEqual(['HOOKS_MISSING']);
    },
  );
});
