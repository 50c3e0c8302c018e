// The ledger held against its repository as `foil verify` does it, with real git doing the harm.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readGitEvidence } from '../../../src/anchor/git/index.ts';
import { verifyDirectory } from '../../../src/entry/index.ts';
import type { Code, Finding, Report } from '../../../src/verify/index.ts';
import { temporary } from '../../temporary.ts';
import { git, newScene, type Scene, updated } from './repository.ts';

interface Recorded extends Scene {
  readonly first: string;
  readonly second: string;
}

/** Two sessions on branch-4, the first one ended, and one on branch-5. */
async function recorded(end: 'merge' | 'archive' = 'merge'): Promise<Recorded> {
  const scene = await newScene();
  const { sessions } = scene;
  const first = await sessions.begin(930_226);
  for (const each of ['a', 'b', 'c']) await sessions.interact(first, each, `${each}!`);
  await sessions.end(first, 930_227);
  const other = await sessions.begin(930_227);
  await sessions.interact(other);
  await sessions.end(other, 930_228);
  const second = await sessions.begin(930_233);
  for (const each of ['d', 'e']) await sessions.interact(second, each, `${each}!`);
  await updated(scene, { end });
  return { ...scene, first, second };
}

async function found({ directory }: Scene): Promise<{ report: Report; findings: Finding[]; codes: Code[] }> {
  const report = await verifyDirectory(directory, { threads: 0 });
  const findings = report.facets.sessions.findings.filter(({ code }) => code.startsWith('GIT_'));
  return { report, findings, codes: findings.map(({ code }) => code) };
}

/** Rewrites a branch with some of its commits changed or left out, each as it was but for that. */
function rewrite(
  directory: string,
  ref: string,
  change: (message: string, index: number) => string | null,
): void {
  const ids = git(directory, 'rev-list', '--reverse', ref).split('\n');
  let parent = '';
  for (const [index, id] of ids.entries()) {
    const message = git(directory, 'log', '-1', '--format=%B', id).trimEnd();
    const changed = change(message, index);
    if (changed === null) continue;
    const who = git(directory, 'log', '-1', '--format=%an <%ae> %at +0000', id);
    const tree = git(directory, 'rev-parse', `${id}^{tree}`);
    const before = parent === '' ? '' : `parent ${parent}\n`;
    const file = join(temporary(), 'commit');
    writeFileSync(file, `tree ${tree}\n${before}author ${who}\ncommitter ${who}\n\n${changed}\n`);
    parent = git(directory, 'hash-object', '-t', 'commit', '-w', file);
  }
  git(directory, 'update-ref', ref, parent);
}

describe('a ledger with a git repository', () => {
  it.each(['merge', 'archive'] as const)('G6d agrees with it: %s', async (end) => {
    const scene = await recorded(end);
    const { report, findings } = await found(scene);
    expect(findings).toEqual([]);
    expect(report.facets.sessions.status).toBe('pass');
    git(scene.git, 'gc', '-q', '--prune=now');
    expect((await found(scene)).findings).toEqual([]);
  });

  it('is not held against commits that git has not got yet', async () => {
    const scene = await recorded();
    await scene.sessions.interact(scene.second);
    await scene.sessions.end(scene.second, 930_240);
    const { report, codes, findings } = await found(scene);
    expect(codes).toEqual(['GIT_COMMIT_MISSING', 'GIT_COMMIT_MISSING']);
    expect(findings[0]?.message).toContain(
      `branch-4 lags behind: 2 commits are missing, first interaction-3 of session ${scene.second.slice(0, 16)}`,
    );
    expect(report.facets.sessions.status).toBe('unknown');
    await updated(scene);
    expect((await found(scene)).codes).toEqual([]);
  });

  it('G6d names the interaction that was taken out of a branch', async () => {
    const scene = await recorded();
    rewrite(scene.git, 'refs/heads/branch-4', (message, index) => (index === 1 ? null : message));
    const { report, findings } = await found(scene);
    expect(findings).toMatchObject([
      {
        code: 'GIT_COMMIT_DIFFERS',
        message: expect.stringContaining(`in place of interaction-2 of session ${scene.first.slice(0, 16)}`),
      },
    ]);
    expect(findings[0]?.message).toContain('interaction-3');
    expect(report.facets.sessions.status).toBe('fail');
  });

  it('names the commit whose words were changed', async () => {
    const scene = await recorded();
    rewrite(scene.git, 'refs/heads/branch-4', (message, index) => (index === 2 ? 'interaction-7' : message));
    expect((await found(scene)).findings).toMatchObject([
      { code: 'GIT_COMMIT_DIFFERS', message: expect.stringContaining('interaction-7') },
    ]);
  });

  it('names the file that was changed', async () => {
    const scene = await recorded();
    const file = join(temporary(), 'file');
    writeFileSync(file, `${'0'.repeat(64)}\n`);
    const id = git(scene.git, 'hash-object', '-w', file);
    const input = git(scene.git, 'ls-tree', 'branch-5~1').replace(
      /(blob )[0-9a-f]{40}(\tresponse_hash)/,
      `$1${id}$2`,
    );
    const forgedTree = execFileSync('git', ['-C', scene.git, 'mktree'], { input, encoding: 'utf8' }).trim();
    const who = git(scene.git, 'log', '-1', '--format=%an <%ae> %at +0000', 'branch-5~1');
    const commit = join(temporary(), 'commit');
    writeFileSync(commit, `tree ${forgedTree}\nauthor ${who}\ncommitter ${who}\n\ninteraction-1\n`);
    git(
      scene.git,
      'update-ref',
      'refs/heads/branch-5',
      git(scene.git, 'hash-object', '-t', 'commit', '-w', commit),
    );
    const { findings } = await found(scene);
    expect(findings).toMatchObject([
      {
        code: 'GIT_COMMIT_DIFFERS',
        message: expect.stringMatching(
          /interaction-1 of session [0-9a-f]{16} in [^ ]+ differs from the ledger: .*response_hash/,
        ),
      },
    ]);
  });

  it('names a branch that was moved, to another, back, or to something else', async () => {
    const scene = await recorded();
    const tip = git(scene.git, 'rev-parse', 'branch-4');
    const moved = async (to: string): Promise<Finding[]> => {
      git(scene.git, 'update-ref', 'refs/heads/branch-4', to);
      return (await found(scene)).findings;
    };
    expect(await moved('branch-5')).toMatchObject([
      {
        code: 'GIT_BRANCH_MOVED',
        message: expect.stringContaining('branch-4 was moved to what branch-5 has'),
      },
    ]);
    expect(await moved(`${tip}~2`)).toMatchObject([
      { code: 'GIT_BRANCH_MOVED', message: expect.stringContaining('moved back') },
    ]);
    const tree = git(scene.git, 'rev-parse', `${tip}^{tree}`);
    const stranger = git(scene.git, 'commit-tree', tree, '-m', 'hello');
    expect(await moved(stranger)).toMatchObject([
      { code: 'GIT_BRANCH_MOVED', message: expect.stringContaining(stranger) },
    ]);
    writeFileSync(join(scene.git, 'refs/heads/branch-4'), 'ref: refs/heads/branch-5\n');
    expect((await found(scene)).findings).toMatchObject([
      { code: 'GIT_BRANCH_MOVED', message: expect.stringContaining('leads to no commit') },
    ]);
  });

  it('names commits that it does not know', async () => {
    const scene = await recorded();
    const tree = git(scene.git, 'rev-parse', 'branch-4^{tree}');
    const extra = git(scene.git, 'commit-tree', tree, '-p', 'branch-4', '-m', 'interaction-3');
    git(scene.git, 'update-ref', 'refs/heads/branch-4', extra);
    git(scene.git, 'update-ref', 'refs/heads/branch-6', 'branch-5');
    git(scene.git, 'update-ref', 'refs/archive/0123456789abcdef', 'branch-5');
    git(scene.git, 'update-ref', 'refs/heads/somebody-elses', extra);
    const { findings } = await found(scene);
    expect(findings.map(({ code }) => code)).toEqual(Array(3).fill('GIT_EXTRA_COMMIT'));
    expect(findings.map(({ file }) => file)).toEqual([
      'git/refs/heads/branch-4',
      'git/refs/heads/branch-6',
      'git/refs/archive/0123456789abcdef',
    ]);
  });

  it('names a session in the archive that was moved or is gone', async () => {
    const scene = await recorded('archive');
    const name = `refs/archive/${scene.first.slice(0, 16)}`;
    git(scene.git, 'update-ref', name, 'branch-5');
    expect((await found(scene)).findings).toMatchObject([{ code: 'GIT_BRANCH_MOVED', file: `git/${name}` }]);
    git(scene.git, 'update-ref', '-d', name);
    expect((await found(scene)).codes).toEqual(['GIT_COMMIT_MISSING']);
  });

  it('says so where the repository can not be read', async () => {
    const scene = await recorded();
    const path = process.env.PATH;
    try {
      process.env.PATH = temporary();
      const { findings, codes } = await found(scene);
      expect(codes).toEqual(['GIT_UNREADABLE']);
      expect(findings[0]?.message).toContain('git is not installed');
    } finally {
      process.env.PATH = path;
    }
    expect((await found(scene)).codes).toEqual([]);
    const evidence = await readGitEvidence(scene.directory, { commits: 3 });
    expect(evidence?.unreadable).toContain('more than 3 commits');
    expect((await readGitEvidence(scene.directory, { bytes: 100 }))?.unreadable).toContain(
      'printed too much',
    );
    expect((await readGitEvidence(scene.directory, { timeoutMs: 0 }))?.unreadable).toContain('took longer');
    writeFileSync(join(scene.git, 'config'), '');
    expect((await found(scene)).codes).toEqual(['GIT_UNREADABLE']);
  });

  it('says so where objects are gone or damaged', async () => {
    const scene = await recorded();
    const packs = join(scene.git, 'objects/pack');
    const [pack = ''] = readdirSync(packs).filter((name) => name.endsWith('.pack'));
    const bytes = readFileSync(join(packs, pack));
    // The last one is a commit: the words in it are not compressed.
    const at = bytes.lastIndexOf('interaction-2');
    bytes.write('interaction-9', at);
    chmodSync(join(packs, pack), 0o600);
    writeFileSync(join(packs, pack), bytes);
    const damaged = await found(scene);
    expect(damaged.codes.length).toBeGreaterThan(0);
    expect(damaged.codes.every((code) => code === 'GIT_UNREADABLE')).toBe(true);
    rmSync(packs, { recursive: true });
    mkdirSync(packs);
    const gone = await found(scene);
    expect(new Set(gone.codes)).toEqual(new Set(['GIT_UNREADABLE']));
    await updated(scene, { rewrite: true });
    expect((await found(scene)).codes).toEqual([]);
  });

  it('runs nothing that the repository says', async () => {
    const scene = await recorded();
    const mark = join(temporary(), 'mark');
    const script = join(temporary(), 'evil');
    writeFileSync(script, `#!/bin/sh\ntouch ${mark}\nexit 1\n`, { mode: 0o700 });
    const config = join(scene.git, 'config');
    writeFileSync(
      config,
      `${readFileSync(config, 'utf8')}\n\tx = y\n[core]\n\tfsmonitor = ${script}\n\tpager = ${script}\n\thooksPath = ${script}\n[remote "o"]\n\tpromisor = true\n\turl = ext::${script}\n\tuploadpack = ${script}\n`,
    );
    rmSync(join(scene.git, 'objects/pack'), { recursive: true });
    mkdirSync(join(scene.git, 'objects/pack'));
    expect(new Set((await found(scene)).codes)).toEqual(new Set(['GIT_UNREADABLE']));
    expect(() => readFileSync(mark)).toThrow();
  });
});
