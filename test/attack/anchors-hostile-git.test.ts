// The git repository beside a ledger, as somebody hostile left it: pipes and devices where files belong, settings that would
// run programs, other ways to objects, grafts and replaced ones, words for the terminal. Nothing of it is waited for, run
// or obeyed, and none of it makes a story pass that is not the ledger's.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFileStore } from '../../src/store/files/index.ts';
import type { Report } from '../../src/verify/index.ts';
import { real } from '../anchor/blocks/servers.ts';
import { updated } from '../anchor/git/repository.ts';
import { speak } from '../cli/bound-ledger.ts';
import { type Result, Sandbox } from '../cli/foil.ts';

const TURNS = [
  ['one', 'First.'],
  ['two', 'Second.'],
  ['three', 'Third.'],
] as const;
const BLOCK = real(900_001);

let sandbox: Sandbox;
let git = '';
let branch = '';
let session = '';
beforeEach(async () => {
  sandbox = new Sandbox();
  sandbox.ledger();
  session = await speak(sandbox, { turns: TURNS, block: BLOCK });
  const directory = sandbox.path('.foil');
  const store = openFileStore(directory);
  try {
    await updated({ directory, store });
  } finally {
    await store.close();
  }
  git = join(directory, 'git');
  branch = `refs/heads/branch-${(BLOCK.height % 7) + 1}`;
});
afterEach(() => sandbox.remove());

/** Throws where it waits for something that does not come. */
const run = (...words: string[]): Result => sandbox.run(words);

const plain = (...words: string[]): string =>
  execFileSync('git', ['--git-dir', git, ...words], { encoding: 'utf8' }).trim();
const codes = (): string[] => {
  const { code, stdout, stderr } = run('verify', '--json');
  expect(code, stderr).not.toBeNull();
  const { facets } = JSON.parse(stdout) as Report;
  return facets.sessions.findings.map(({ code: name }) => name);
};
const put = (name: string, text: string): void => {
  mkdirSync(dirname(join(git, name)), { recursive: true });
  writeFileSync(join(git, name), text);
};

describe('a hostile repository beside a ledger', () => {
  it.each(['config', 'packed-refs', 'foil.json', 'refs/heads/main'])(
    'G7 is not waited for: %s is a pipe, or a device behind a link',
    (name) => {
      const path = join(git, name);
      rmSync(path, { force: true });
      execFileSync('mkfifo', [path]);
      expect(codes().filter((code) => code !== 'GIT_COMMIT_MISSING' && code !== 'GIT_UNREADABLE')).toEqual(
        [],
      );
      expect(run('audit', 'session', session).code).toBe(0);
      expect(run('anchor', 'git').code).not.toBeNull();
      rmSync(path, { force: true });
      symlinkSync('/dev/zero', path);
      expect(codes().filter((code) => code !== 'GIT_COMMIT_MISSING' && code !== 'GIT_UNREADABLE')).toEqual(
        [],
      );
    },
  );

  it('G7 its settings, hooks and filters run nothing', () => {
    const flag = join(sandbox.root, 'ran');
    const script = join(sandbox.root, 'script');
    writeFileSync(script, `#!/bin/sh\ntouch ${flag}\n`, { mode: 0o755 });
    const settings = [
      `[core]\n\tfsmonitor = ${script}\n\thooksPath = ${sandbox.root}\n\tpager = ${script}\n\tsshCommand = ${script}\n\talternateRefsCommand = ${script}`,
      `[gc]\n\trecentObjectsHook = ${script}`,
      `[filter "x"]\n\tclean = ${script}\n\tsmudge = ${script}`,
      `[remote "origin"]\n\tpromisor = true\n\turl = ext::${script}`,
      `[protocol "ext"]\n\tallow = always`,
      `[include]\n\tpath = ${join(sandbox.root, 'more')}`,
    ];
    writeFileSync(join(sandbox.root, 'more'), `[core]\n\tfsmonitor = ${script}\n`);
    put('config', `${sandbox.read('.foil/git/config')}${settings.join('\n')}\n`);
    for (const name of ['post-checkout', 'reference-transaction', 'pre-auto-gc', 'post-rewrite'])
      put(`hooks/${name}`, `#!/bin/sh\ntouch ${flag}\n`);
    put('info/attributes', '* filter=x\n');
    expect(codes()).toEqual([]);
    expect(run('audit', 'session', session).stdout).toMatch(/^Git: agrees/m);
    expect(run('anchor', 'git').code).toBe(0);
    expect(existsSync(flag)).toBe(false);
  });

  it('G7 replaced objects, grafts and a shallow end hide nothing and add nothing', () => {
    const tip = plain('rev-parse', branch);
    const tree = plain('rev-parse', `${branch}^{tree}`);
    const other = plain(
      '-c',
      'user.name=x',
      '-c',
      'user.email=x',
      'commit-tree',
      tree,
      '-m',
      'interaction-1',
    );
    put(`refs/replace/${tip}`, `${other}\n`);
    put('info/grafts', `${tip}\n`);
    put('shallow', `${tip}\n`);
    expect(codes()).toEqual([]);
    expect(run('audit', 'session', session).stdout).toMatch(/^Git: agrees \(4 commits\)/m);
    // The other way round: a branch of another story, that git itself would show as the right one.
    plain('update-ref', branch, other);
    put(`refs/replace/${other}`, `${tip}\n`);
    rmSync(join(git, 'foil.json'));
    expect(codes().some((code) => code === 'GIT_COMMIT_DIFFERS' || code === 'GIT_BRANCH_MOVED')).toBe(true);
    expect(run('audit', 'session', session).stdout).toContain('Chain integrity: BROKEN');
  });

  it('G7 other places for objects make no difference', () => {
    const elsewhere = join(sandbox.root, 'elsewhere');
    execFileSync('git', ['init', '-q', '--bare', elsewhere]);
    put('objects/info/alternates', `${join(elsewhere, 'objects')}\n/nowhere\n../../objects\n`);
    expect(codes()).toEqual([]);
  });

  it('names with words for the terminal are shown harmless', () => {
    const words = '\u001b]0;owned\u0007\u001b[2J';
    put(branch, `${words}\n`);
    put(`refs/heads/${words.replaceAll('/', '')}`, 'x\n');
    const tree = plain('rev-parse', 'main^{tree}');
    const other = plain('-c', `user.name=${words}`, '-c', 'user.email=x', 'commit-tree', tree, '-m', words);
    put('refs/heads/main', `${other}\n`);
    for (const shown of [
      run('verify'),
      run('audit', 'session', session),
      run('audit', 'verify'),
      run('anchor', 'git'),
      run('anchor', 'push', join(sandbox.root, words.replaceAll('/', ''))),
    ]) {
      expect(shown.code).not.toBeNull();
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
      expect(shown.stdout + shown.stderr).not.toMatch(/[\u001b\u0007\u009b]/);
    }
  });
});
