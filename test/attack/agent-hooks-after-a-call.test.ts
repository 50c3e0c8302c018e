// What a patch, an archive or a script does to the settings that our hooks stand in is not in its command line. It is seen
// as soon as the call has ended, and not only when the host says so by itself.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codes, type Guarded, guardedProject, installAll } from './guarded-project.ts';

async function called(command: string, happens: (guarded: Guarded) => void): Promise<Guarded> {
  const guarded = await guardedProject();
  const { agent, tell } = guarded;
  installAll(guarded);
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
      const guarded = await called(command, (each) => installAll(each, ['PreToolUse', 'PostToolUse']));
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
      installAll(each, [], { permissions: { allow: ['Bash'] } }),
    );
    expect(changes(guarded)).toEqual([]);
    expect(codes(await guarded.verify(), 'completeness')).toEqual([]);
  });
});
