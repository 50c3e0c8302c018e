// Files that a session wrote and that are in no commit, against real git.
import { expect, it } from 'vitest';
import { Trees } from '../../src/gate/tree-moment.ts';
import { Project } from './git-project.ts';

const SESSION = 'c'.repeat(64);

it('B3 a file that is new or only staged is not committed; one that is ignored, hidden, gone or elsewhere is not asked for', async () => {
  const project = new Project({ 'src/a.js': 'a', '.gitignore': 'out/\n', 'sub/b.js': 'b' });
  const trees = new Trees({ root: project.root, trees: project.directory, hash: async (_id, text) => text });
  (await trees.begin(project.root)).keep(SESSION);
  const paths = [
    'src/a.js',
    'src/new.js',
    'src/staged.js',
    'src/kept.js',
    'out/x.js',
    '.env.local',
    'gone.js',
  ];
  project.write(Object.fromEntries(paths.slice(1, -1).map((path) => [path, 'x'])));
  project.git('add', 'src/kept.js');
  project.git('commit', '-qm', 'kept');
  project.git('add', 'src/staged.js');
  project.git('init', '-q', 'nested');
  project.write({ 'nested/c.js': 'c' });
  project.git('-C', 'nested', 'add', '.');
  project.git('-C', 'nested', 'commit', '-qm', 'c');
  const { uncommitted } = await trees.moment(SESSION, []);
  expect(uncommitted?.([...paths, '/elsewhere/d.js'])).toEqual(['src/new.js', 'src/staged.js']);
  expect(uncommitted?.(['nested/c.js'])).toEqual([]);
});
