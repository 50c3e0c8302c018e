// What git would do to our files depends on what they are to git: tracked, changed, ignored or none of these. Only what
// really takes them is refused.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attackByCommand } from '../../src/rules/index.ts';
import { guardedProject } from './guarded-project.ts';
import { allows, LOCAL, ourPlaces, ROOT, refuses, repository, SHARED } from './our-places.ts';

const ALWAYS: readonly string[] = [
  'git -C ~ clean -fdx',
  'git --work-tree=$HOME clean -fdx',
  'git --git-dir=/tmp/evil/.git --work-tree=. checkout -f',
  'GIT_DIR=/tmp/evil/.git git checkout -f',
  'git diff --output=.claude/settings.json',
  'git show HEAD:x --output .claude/settings.json',
  'git archive -o .claude/settings.json HEAD',
  'git config -f .claude/settings.json a.b c',
  'git apply --include=.claude/settings.json x.patch',
  "git apply <<'EOF'\n--- a/.claude/settings.json\n+++ b/.claude/settings.json\nEOF",
  "git submodule foreach 'rm -rf ~/.claude'",
  "git rebase -x 'rm -rf .claude' HEAD~1",
  'git bisect run rm -rf .claude',
  'git clone http://x ~/.config/counterfoil/x',
  'git checkout main -- .claude/settings.json',
  'git restore .claude',
  'git mv .claude x',
];

describe('git that names our files, or another place', () => {
  refuses(ALWAYS);
});

describe('git, where our file is ignored', () => {
  const ours = ourPlaces({ git: repository(LOCAL, 'ignored', 'evil') });
  refuses(
    [
      'git clean -fdx',
      'git clean -xdf',
      'git clean -fdX',
      'git clean -fdx -e foo',
      'git clean -fdx .',
      'git stash -a',
      'git stash --all',
      'git stash push -a -m x',
      'git checkout evil',
      'git checkout evil -- .',
      'git switch evil',
      'git restore -s evil .',
      'git restore --source=evil .',
      'git reset --hard evil',
      'git read-tree --reset -u evil',
      'git add -f .claude && git stash',
      'git add -Af; git reset --hard',
    ],
    ours,
  );
  allows(
    [
      'git status',
      'git stash list',
      'git stash pop',
      'git stash drop',
      'git checkout main',
      'git checkout -b x',
      'git switch main',
      'git checkout main -- src/a.ts',
      'git checkout -- src/a.ts',
      'git restore src/a.ts',
      'git restore --staged .',
      'git clean -fd',
      'git clean -nfdx',
      'git clean -fdx node_modules',
      'git clean -fdx dist/ build/',
      'git clean -fdx -e .claude',
      'git reset HEAD~1',
      'git reset --soft HEAD~1',
      "git add -A && git commit -m 'x'",
      'git add -A && git stash',
      'git add .claude/settings.json',
      'git diff .claude/settings.json',
      'git log -- .claude/settings.json',
      'git blame .claude/settings.json',
      'git pull --rebase',
      'git merge main',
      'git rebase main',
      'git cherry-pick abc',
      'git apply fix.patch',
      'git rm -r --cached .claude',
      'git rm -r old',
      'git mv a b',
      'git show HEAD:.claude/settings.json',
      'git ls-files .claude',
      'git check-ignore -v .claude/settings.local.json',
      'git config --get -f .claude/x a',
      'git worktree add ../wt',
      'git commit -m "kill 4242 and rm -rf .claude"',
    ],
    ours,
  );
});

describe('git, where our file is neither tracked nor ignored', () => {
  const ours = ourPlaces({ git: repository(LOCAL, 'open') });
  refuses(
    [
      'git stash -u',
      'git stash push --include-untracked',
      'git clean -fd',
      'git clean -f .claude',
      'git add -A && git stash',
      'git add . && git stash push -m wip',
      'git add .claude && git reset --hard',
      'git add .claude/*; git checkout -f',
      'git stage --all; git reset --hard HEAD',
      'git update-index --add .claude/settings.local.json && git reset --hard',
      "sh -c 'git add -A; git stash'",
    ],
    ours,
  );
  allows(
    [
      'git stash',
      'git clean -fdX',
      'git clean -fd src',
      'git reset --hard',
      'git checkout .',
      'git add src && git stash',
      'git add -u && git stash',
      'git add -An && git stash',
      'git stash; git add -A',
      'git add -A && git commit -m x && git push',
      'git add -A && git checkout main',
      'git add -A && git reset',
    ],
    ours,
  );
});

describe('git, where our hooks are in a tracked file and not committed', () => {
  const ours = ourPlaces({ git: repository(SHARED, 'changed') });
  refuses(
    [
      'git stash',
      'git stash push -m wip',
      'git checkout .',
      'git checkout -- .',
      'git checkout HEAD -- .',
      'git checkout -f',
      'git checkout -f main',
      'git restore .',
      'git reset --hard',
      'git reset --hard origin/main',
      'git read-tree -u --reset HEAD',
      'git checkout-index -f -a',
      'git rm -rf .',
      'git restore -s HEAD~3 .',
    ],
    ours,
  );
  allows(
    [
      'git clean -fdx',
      'git checkout main',
      'git checkout -- src',
      'git stash -- src',
      'git restore --staged .',
    ],
    ours,
  );
});

describe('git, where our hooks are committed', () => {
  const ours = ourPlaces({ git: repository(SHARED, 'tracked') });
  refuses(['git rm -rf .'], ours);
  allows(
    [
      'git stash',
      'git stash -u',
      'git reset --hard',
      'git checkout .',
      'git clean -fdx',
      'git checkout main',
    ],
    ours,
  );
});

describe('a real repository', () => {
  it('is asked what our file is to it', async () => {
    const { project, agent, tell } = await guardedProject();
    const git = (...words: string[]): void =>
      void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
        cwd: project.work,
        stdio: 'ignore',
      });
    const denied = async (command: string): Promise<boolean> =>
      (await tell(agent.call(command, { command }))).stdout.includes('"deny"');
    git('init', '-q');
    const hook = { type: 'command', command: 'foil hook claude-code' };
    mkdirSync(join(project.work, '.claude'), { recursive: true });
    const file = join(project.work, '.claude/settings.local.json');
    writeFileSync(file, JSON.stringify({ hooks: { Stop: [{ hooks: [hook] }] } }));
    writeFileSync(join(project.work, 'a'), 'a');
    git('add', 'a');
    git('commit', '-qm', 'a');
    expect(await denied('git stash -u')).toBe(true);
    expect(await denied('git clean -fd')).toBe(true);
    expect(await denied('git stash')).toBe(false);
    writeFileSync(join(project.work, '.git/info/exclude'), '.claude/\n');
    expect(await denied('git stash -u')).toBe(false);
    expect(await denied('git clean -fdx')).toBe(true);
    git('add', '-f', file);
    expect(await denied('git reset --hard')).toBe(true);
    git('commit', '-qm', 'b');
    expect(await denied('git reset --hard')).toBe(false);
    git('branch', 'evil');
    git('reset', '-q', '--soft', 'HEAD~1');
    git('rm', '-q', '--cached', file);
    expect(await denied('git checkout evil')).toBe(true);
    expect(await denied('git checkout -b other')).toBe(false);
  });
});

it('nothing is refused for a file that is not there', () => {
  const git = { state: () => 'absent' as const, holds: () => true };
  expect(attackByCommand('git clean -fdx', ROOT, ourPlaces({ git }))).toBeNull();
});
