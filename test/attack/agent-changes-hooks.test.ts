// Hooks that still bear our name and tell us nothing: switched off around them, pointed elsewhere, run in the background or
// for a millisecond. The host asks before such settings count, and in guard it keeps the old ones; where it does not ask,
// `foil verify` calls the rest of the session blind. And a session that only works elsewhere is not blind.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localWiring, updateInstalled } from '../../src/app/hosts/installed.ts';
import { opencodePlugin } from '../../src/capture/hooks/index.ts';
import { applyPlan, planInstall } from '../../src/capture/settings/index.ts';
import { writeSettings } from '../../src/ledger/index.ts';
import { ClaudeSession } from '../e2e/claude-host.ts';
import { codes, type Guarded, guardedProject } from './guarded-project.ts';

type Hook = Record<string, unknown>;
interface Settings {
  disableAllHooks?: boolean;
  allowedHttpHookUrls?: string[];
  env?: Record<string, string>;
  hooks: Record<string, { matcher?: string; hooks: Hook[] }[]>;
}

async function installed(): Promise<Guarded & { settings: string }> {
  const guarded = await guardedProject();
  const { project } = guarded;
  mkdirSync(join(project.work, '.git'));
  writeFileSync(join(project.work, '.git/HEAD'), 'ref: refs/heads/main\n');
  const places = { project: project.work, home: project.env.HOME ?? '', env: project.env };
  const wiring = localWiring('guard', project.directory, project.env);
  applyPlan(planInstall({ agent: 'claude-code', places, wiring, plugin: opencodePlugin }));
  await guarded.tell(guarded.agent.start());
  await guarded.tell(guarded.agent.prompt('Fix it'));
  return { ...guarded, settings: join(project.work, '.claude/settings.local.json') };
}

function edit(path: string, change: (settings: Settings) => void): void {
  const settings = JSON.parse(readFileSync(path, 'utf8')) as Settings;
  change(settings);
  writeFileSync(path, JSON.stringify(settings));
}

const everyHook = (settings: Settings, change: (hook: Hook) => void): void => {
  for (const group of Object.values(settings.hooks).flat()) for (const hook of group.hooks) change(hook);
};

const CHANGES: [string, (settings: Settings) => void][] = [
  ['disableAllHooks', (settings) => void Object.assign(settings, { disableAllHooks: true })],
  [
    'another program',
    (settings) =>
      everyHook(settings, (hook) => {
        hook.command = String(hook.command).replaceAll(process.execPath, '/bin/true');
      }),
  ],
  ['async', (settings) => everyHook(settings, (hook) => void Object.assign(hook, { async: true }))],
  [
    'a timeout of a millisecond',
    (settings) => everyHook(settings, (hook) => void Object.assign(hook, { timeout: 0.001 })),
  ],
  [
    'another shell',
    (settings) => everyHook(settings, (hook) => void Object.assign(hook, { shell: 'powershell' })),
  ],
  [
    'a condition',
    (settings) => everyHook(settings, (hook) => void Object.assign(hook, { if: 'Bash(never)' })),
  ],
  ['no onFailure', (settings) => everyHook(settings, (hook) => void delete hook.onFailure)],
  [
    'a program before each hook',
    (settings) => void Object.assign(settings, { env: { CLAUDE_CODE_SHELL_PREFIX: '/tmp/drop-all' } }),
  ],
  [
    'a library in each hook',
    (settings) => void Object.assign(settings, { env: { LD_PRELOAD: '/tmp/evil.so' } }),
  ],
  [
    'a narrower matcher',
    (settings) => {
      for (const group of settings.hooks.PreToolUse ?? []) group.matcher = 'Read';
    },
  ],
];

describe('settings with', () => {
  it.each(CHANGES)('%s are refused when the host asks, and HOOKS_MISSING', async (_, change) => {
    const { settings, tell, agent, verify } = await installed();
    edit(settings, change);
    const event = agent.event('ConfigChange', { source: 'local_settings', file_path: settings });
    const { stdout } = await tell(event);
    expect(JSON.parse(stdout)).toMatchObject({ decision: 'block' });
    expect(codes(await verify(), 'completeness')).toEqual(['HOOKS_MISSING']);
  });

  it.each(CHANGES.slice(0, 3))(
    '%s are seen at the end of the turn where it does not ask',
    async (_, change) => {
      const { settings, tell, agent, verify } = await installed();
      edit(settings, change);
      await tell(agent.stop('Hello.'));
      expect(codes(await verify(), 'completeness')).toEqual(['HOOKS_MISSING']);
    },
  );

  it('nothing in them any more are seen after the next call', async () => {
    const { project, tell, agent, verify, settings } = await installed();
    rmSync(settings);
    await tell(agent.call('c-1'));
    await tell(agent.result('c-1'));
    expect(codes(await verify(), 'completeness')).toEqual(['HOOKS_MISSING']);
    expect(project.recorded().at(-2)?.payload).toMatchObject({ what: 'hooks' });
  });
});

describe('the same settings', () => {
  it('are refused again when they are written again, and told of once', async () => {
    const { project, settings, tell, agent } = await installed();
    const event = agent.event('ConfigChange', { source: 'local_settings', file_path: settings });
    edit(settings, (each) => void Object.assign(each, { disableAllHooks: true }));
    for (const times of [1, 2, 3])
      expect(JSON.parse((await tell(event)).stdout), `${times} times`).toMatchObject({ decision: 'block' });
    const told = project.recorded().filter(({ payload }) => payload.what === 'hooks');
    expect(told).toHaveLength(1);
    edit(settings, (each) => void Object.assign(each, { disableAllHooks: false }));
    expect((await tell(event)).stdout).toBe('');
  });

  it('with a comment, which the host does not read, have no hooks', async () => {
    const { settings, tell, agent, verify } = await installed();
    writeFileSync(settings, `// x\n${readFileSync(settings, 'utf8')}`);
    const event = agent.event('ConfigChange', { source: 'local_settings', file_path: settings });
    expect(JSON.parse((await tell(event)).stdout)).toMatchObject({ decision: 'block' });
    expect(codes(await verify(), 'completeness')).toEqual(['HOOKS_MISSING']);
  });

  it('without a local hook are missing it, whatever stands in the project’s file', async () => {
    const { project, settings, tell, agent, verify } = await installed();
    const places = { project: project.work, home: project.env.HOME ?? '', env: project.env };
    const wiring = {
      ...localWiring('guard', project.directory, project.env),
      scope: 'project',
      ledger: null,
    } as const;
    applyPlan(planInstall({ agent: 'claude-code', places, wiring, plugin: opencodePlugin }));
    edit(settings, (each) => void delete each.hooks.Stop);
    await tell(agent.stop('Hello.'));
    expect(codes(await verify(), 'completeness')).toEqual(['HOOKS_MISSING']);
  });
});

describe('a turn that was sent back', () => {
  it.each([
    ['the session ends', (agent: ClaudeSession) => agent.end()],
    ['another prompt comes', (agent: ClaudeSession) => agent.prompt('Go on')],
  ])('and has no further answer before %s is BLIND from there on', async (_, then) => {
    const { tell, agent, verify } = await installed();
    expect((await tell(agent.stop('I ran all the tests and all tests pass.'))).stdout).toContain('"block"');
    await tell(then(agent));
    const { sentence } = await verify();
    expect(sentence).toMatch(/BLIND: from .* sent back had to continue, but no further answer is on record/);
  });

  it('and goes on is not', async () => {
    const { tell, agent, verify } = await installed();
    await tell(agent.stop('I ran all the tests and all tests pass.'));
    await tell(agent.stop('I take that back. Not verified: the tests were not run.'));
    await tell(agent.end());
    expect(codes(await verify(), 'completeness')).toEqual([]);
  });
});

describe('a session stays sighted', () => {
  it('where other settings change, and the host is told nothing', async () => {
    const { settings, tell, agent, verify } = await installed();
    edit(settings, (each) => void Object.assign(each, { permissions: { allow: ['Bash'] }, model: 'x' }));
    const event = agent.event('ConfigChange', { source: 'local_settings', file_path: settings });
    expect(await tell(event)).toMatchObject({ exit: 0, stdout: '' });
    await tell(agent.stop('Hello.'));
    expect(codes(await verify(), 'completeness')).toEqual([]);
  });

  it('where foil mode writes its hooks anew', async () => {
    const { project, tell, agent, verify } = await installed();
    const { directory, env, work } = project;
    writeSettings(directory, { mode: 'observe', port: null }, env);
    await updateInstalled('observe', { cwd: work, env, ledger: directory });
    await tell(agent.stop('Hello.'));
    expect(codes(await verify(), 'completeness')).not.toContain('HOOKS_MISSING');
  });

  it.each(['sub', '../elsewhere'])('where the agent goes on in another repository: %s', async (name) => {
    const { project, tell, verify } = await installed();
    const other = join(project.work, name);
    execFileSync('git', ['init', '-q', other]);
    const there = new ClaudeSession('s-1', other);
    await tell(there.call('c-1', { command: 'git clean -fdx; git stash -u; echo hi' }));
    await tell(there.result('c-1', { command: 'git clean -fdx; git stash -u; echo hi' }));
    await tell(there.stop('Hello.'));
    const denied = project.recorded().filter(({ kind }) => kind === 'tool.denied');
    expect(denied).toEqual([]);
    expect(codes(await verify(), 'completeness')).toEqual([]);
  });
});

describe('from another repository', () => {
  it.each([
    ['rm -rf ../.claude', 'sub'],
    ['git -C .. clean -fdx', 'sub'],
    ['cp x ../.claude/settings.local.json', 'sub'],
    ['rm -rf ../work/.claude', '../elsewhere'],
  ])('`%s` is refused all the same', async (command, name) => {
    const { project, tell } = await installed();
    const other = join(project.work, name);
    mkdirSync(other, { recursive: true });
    execFileSync('git', ['init', '-q', other]);
    const { stdout } = await tell(new ClaudeSession('s-1', other).call('c-1', { command }));
    expect(stdout).toContain('"permissionDecision":"deny"');
  });

  it('so is a file tool with the settings’ whole path', async () => {
    const { project, tell, settings } = await installed();
    const other = join(project.work, 'sub');
    execFileSync('git', ['init', '-q', other]);
    const args = { file_path: settings, content: '{}' };
    const { stdout } = await tell(new ClaudeSession('s-1', other).call('c-1', args, 'Write'));
    expect(stdout).toContain('"permissionDecision":"deny"');
  });
});
