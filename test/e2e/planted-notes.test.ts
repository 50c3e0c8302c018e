// Notes in the runtime directory that somebody else put there: another user, in a temporary directory that all share,
// can neither pause a recording, nor switch it off, nor have it tell of gaps that never were, nor make it hang.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPause, writePause } from '../../src/record/index.ts';
import { ClaudeSession } from './claude-host.ts';
import { newProject, type Project, post } from './recorded-project.ts';

/** Everything that a note can do. */
function plant({ runtime }: Project): void {
  mkdirSync(runtime, { recursive: true, mode: 0o700 });
  writeFileSync(
    join(runtime, 'pause'),
    JSON.stringify({ until: new Date(Date.now() + 60_000).toISOString() }),
  );
  writeFileSync(join(runtime, 'off-s'), '1');
  writeFileSync(
    join(runtime, 'failed'),
    '{"at":1,"agent":"x","event":"PreToolUse","call":"c0","why":"forged"}\n',
  );
}

const kinds = (project: Project): string[] => project.recorded().map(({ kind }) => kind);

describe('planted notes', () => {
  it.each([
    ['the directory', (path: string) => chmodSync(path, 0o777)],
    ['the one above', (path: string) => chmodSync(dirname(path), 0o777)],
  ])('mean nothing where others can write %s', async (_, open) => {
    const project = await newProject();
    plant(project);
    open(project.runtime);
    project.settings('guard');
    const session = new ClaudeSession('s', project.work);
    expect(await project.hook('claude-code', session.call('c1'))).toMatchObject({ code: 0, stdout: '' });
    const serving = await project.serve();
    expect(await post(serving, 'claude-code', session.call('c2'))).toMatchObject({ status: 200, body: '' });
    expect(kinds(project)).toEqual(['session.start', 'tool.call', 'tool.call']);
    const until = new Date(Date.now() + 60_000).toISOString();
    expect(() => writePause(project.directory, until, { locked: false, env: project.env })).toThrow(
      /other users/,
    );
  });

  it('K8 that are pipes are left alone', async () => {
    const project = await newProject();
    mkdirSync(project.runtime, { recursive: true, mode: 0o700 });
    for (const name of ['pause', 'failed', 'off-s'])
      expect(spawnSync('mkfifo', [join(project.runtime, name)]).status).toBe(0);
    const session = new ClaudeSession('s', project.work);
    expect(await project.hook('claude-code', session.call('c1'), { mode: 'guard' })).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect(kinds(project)).toEqual(['session.start', 'tool.call']);
    expect(readdirSync(project.runtime).sort()).toEqual(['failed', 'off-s', 'pause']);
  });

  it('a link to the pause of another ledger pauses nothing', async () => {
    const project = await newProject();
    plant(project);
    const { directory, env } = project;
    expect(readPause(directory, { locked: false, env })).not.toBeNull();
    const other = `${directory}-other`;
    const folder = `${project.runtime}-other`;
    mkdirSync(folder, { mode: 0o700 });
    symlinkSync(join(project.runtime, 'pause'), join(folder, 'pause'));
    expect(readPause(other, { locked: false, env })).toBeNull();
  });
});
