// What a patch, an archive or a script does to the settings that our hooks stand in is not in its command line. It is seen
// as soon as the call has ended, and not only when the host says so by itself.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { opencodePlugin } from '../../src/capture/hooks/index.ts';
import { applyPlan, planInstall } from '../../src/capture/settings/index.ts';
import { localWiring } from '../../src/cli/installed.ts';
import { codes, type Guarded, guardedProject } from './guarded-project.ts';

const places = ({ work, env }: Guarded['project']) => ({ project: work, home: env.HOME ?? '', env });
const file = ({ work }: Guarded['project']): string => join(work, '.claude/settings.local.json');

/** All of them, less those that are left out. */
function install({ project }: Guarded, without: readonly string[] = [], more: object = {}): void {
  const { directory, env } = project;
  mkdirSync(join(project.work, '.git'), { recursive: true });
  writeFileSync(join(project.work, '.git/HEAD'), 'ref: refs/heads/main\n');
  const wiring = localWiring('guard', directory, env);
  applyPlan(planInstall({ agent: 'claude-code', places: places(project), wiring, plugin: opencodePlugin }));
  const { hooks, ...rest } = JSON.parse(readFileSync(file(project), 'utf8')) as { hooks: object };
  const left = Object.entries(hooks).filter(([event]) => !without.includes(event));
  writeFileSync(file(project), JSON.stringify({ hooks: Object.fromEntries(left), ...rest, ...more }));
}

async function called(command: string, happens: (guarded: Guarded) => void): Promise<Guarded> {
  const guarded = await guardedProject();
  const { agent, tell } = guarded;
  install(guarded);
  await tell(agent.start());
  await tell(agent.prompt('Fix it'));
  await tell(agent.call('c-1', { command }));
  happens(guarded);
  await tell(agent.result('c-1', { command }));
  return guarded;
}

const changes = ({ project }: Guarded) =>
  project
    .recorded()
    .filter(({ kind, payload }) => kind === 'config.change' && payload.what === 'hooks')
    .map(({ payload }) => payload.missing);

describe('after a call', () => {
  it.each(['patch -p1 < fix.patch', 'tar xf release.tar', 'npm run generate', 'git pull', './build.sh'])(
    '`%s` that took our hooks away is HOOKS_MISSING before the turn is over',
    async (command) => {
      const guarded = await called(command, (each) => install(each, ['PreToolUse', 'PostToolUse']));
      expect(changes(guarded)).toEqual([['PostToolUse', 'PreToolUse']]);
      expect(codes(await guarded.verify(), 'completeness')).toEqual(['HOOKS_MISSING']);
    },
  );

  it('a file that is gone is HOOKS_MISSING, and is told once', async () => {
    const guarded = await called('unzip x.zip', ({ project }) =>
      rmSync(join(project.work, '.claude'), { recursive: true }),
    );
    expect(changes(guarded)).toEqual([expect.arrayContaining(['PostToolUse', 'PreToolUse', 'Stop'])]);
    await guarded.tell(guarded.agent.call('c-2'));
    await guarded.tell(guarded.agent.result('c-2'));
    expect(changes(guarded)).toHaveLength(1);
  });

  it('settings that only changed beside the hooks are nobody’s business', async () => {
    const guarded = await called('npm test', (each) =>
      install(each, [], { permissions: { allow: ['Bash'] } }),
    );
    expect(changes(guarded)).toEqual([]);
    expect(codes(await guarded.verify(), 'completeness')).toEqual([]);
  });
});
