// A project in git whose files an agent changed in a session: one that is written whole and committed, one that is edited and
// committed, one that is written and left as it is, one that is gone, and one with a secret.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/core/index.ts';
import { ClaudeSession } from '../e2e/claude-host.ts';
import type { Project } from '../e2e/recorded-project.ts';

export const OLD = 'export const a = 1;\nexport const b = 2;\n';
export const NEW = 'export const a = 1;\nexport const b = 3;\n';
/** A name that would be markup, and one that would turn the order of the text. */
export const HOSTILE = 'src/<img src=x onerror=window.__ran=1>\u202e.js';

export interface ChangedProject {
  readonly base: string;
  readonly commit: string;
  readonly secret: string;
}

/** With `loose`, also a file of which neither git nor the ledger knows how it was left. */
export async function changeFiles(project: Project, loose = false): Promise<ChangedProject> {
  const { work } = project;
  const at = (path: string): string => join(work, path);
  const git = (...words: string[]): string =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@example.com', ...words], {
      cwd: work,
      env: { PATH: process.env.PATH, HOME: work, GIT_CONFIG_NOSYSTEM: '1' },
      encoding: 'utf8',
    });
  mkdirSync(at('src'));
  for (const name of ['whole.js', 'edited.js', 'gone.js']) writeFileSync(at(`src/${name}`), OLD);
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'one');
  const base = git('rev-parse', 'HEAD').trim();
  const secret = `ghp_${'aB3dE5fG7h'.repeat(4).slice(0, 36)}`;
  const host = new ClaudeSession('one', work);
  const tell = async (...events: JsonObject[]): Promise<void> => {
    for (const event of events) await project.tell('claude-code', event);
  };
  let calls = 0;
  const wrote = async (path: string, content: string): Promise<void> => {
    const id = `w${calls++}`;
    const args = { file_path: at(path), content };
    await tell(host.call(id, args, 'Write'));
    writeFileSync(at(path), content);
    await tell(host.result(id, args, 'Write'));
  };
  await tell(host.start(), host.prompt('Set b to 3.'));
  await wrote('src/whole.js', NEW);
  const edited = async (path: string): Promise<void> => {
    const id = `e${calls++}`;
    const edit = { file_path: at(path), old_string: '2', new_string: '3' };
    await tell(host.call(id, edit, 'Edit'));
    writeFileSync(at(path), NEW);
    await tell(host.result(id, edit, 'Edit'));
  };
  await edited('src/edited.js');
  const command = { command: 'git commit -am two' };
  await tell(host.call('c1', command));
  git('commit', '-q', '-am', 'two');
  const commit = git('rev-parse', 'HEAD').trim();
  await tell(
    host.result('c1', command, 'Bash', {
      tool_response: { stdout: `[main ${commit.slice(0, 7)}] two\n 2 files changed`, stderr: '' },
    }),
  );
  await wrote('src/left.js', `const token = '${secret}';\n`);
  await wrote(HOSTILE, 'hostile\n');
  await wrote('src/gone.js', 'gone\n');
  if (loose) await edited('src/loose.js');
  await tell(host.stop('Set b to 3.'), host.end());
  rmSync(at('src/gone.js'));
  return { base, commit, secret };
}
