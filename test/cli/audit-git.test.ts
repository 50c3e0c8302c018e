// foil audit session beside a git repository: plain git tells of each interaction what the audit does, and where it does
// not, that is said.
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitDirectory } from '../../src/anchor/git/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { real } from '../anchor/blocks/servers.ts';
import { updated } from '../anchor/git/repository.ts';
import { speak } from './bound-ledger.ts';
import { Sandbox } from './foil.ts';

const BLOCK = real(900_001);
const TURNS = [
  ['add a test', 'I added one.'],
  ['and run it', 'It passes, I think.'],
] as const;

interface Audited {
  readonly git: { readonly status: string; readonly commits: number } | null;
  readonly final_hash: string;
  readonly turns: readonly Record<string, string | number>[];
}

let sandbox: Sandbox;
let bound = '';
let other = '';
beforeEach(async () => {
  sandbox = new Sandbox();
  sandbox.ledger();
  // Both on one branch, the second within the first.
  bound = await speak(sandbox, {
    turns: TURNS,
    block: BLOCK,
    meanwhile: async () => {
      other = await speak(sandbox, { turns: TURNS.slice(0, 1), block: BLOCK });
    },
  });
});
afterEach(() => sandbox.remove());

async function tell(): Promise<void> {
  const store = openFileStore(sandbox.path('.foil'));
  try {
    await updated({ directory: sandbox.path('.foil'), store });
  } finally {
    await store.close();
  }
}

const git = (...words: string[]): string =>
  execFileSync('git', ['--git-dir', gitDirectory(sandbox.path('.foil')), ...words], { encoding: 'utf8' });
const audit = (id: string): string => sandbox.ok(['audit', 'session', id]);

describe('foil audit session beside a git repository', () => {
  it('G11d: agrees with git log, interaction by interaction', async () => {
    expect(audit(bound)).not.toContain('Git:');
    await tell();
    expect(audit(bound)).toMatch(/^Git: agrees \(3 commits\)$/m);
    expect(audit(other)).toMatch(/^Git: agrees \(2 commits\)$/m);

    const { turns, final_hash } = sandbox.json(['audit', 'session', bound]) as Audited;
    expect(turns).toHaveLength(2);
    const ids = git('log', '--format=%H %an %s', 'branch-5')
      .split('\n')
      .filter((line) => line.split(' ')[1] === bound.slice(0, 16))
      .reverse();
    expect(ids.map((line) => line.split(' ')[2])).toEqual([
      'interaction-1',
      'interaction-2',
      `session_end:${final_hash.slice(0, 16)}:btc-${BLOCK.height}`,
    ]);
    for (const [i, turn] of turns.entries()) {
      const id = ids[i]?.split(' ')[0] ?? '';
      const file = (name: string): string => git('show', `${id}:${name}`).trim();
      expect(file('prompt_hash')).toBe(turn.prompt_hash);
      expect(file('response_hash')).toBe(turn.response_hash);
      expect(file('chain_entry')).toBe(turn.chain_hash);
      expect(file('session')).toBe(bound);
    }
  });

  it('G11d: says that git lags behind, which is no fault', async () => {
    await tell();
    const third = await speak(sandbox, { turns: TURNS });
    const { code, stdout } = sandbox.run(['audit', 'session', third]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Chain integrity: VALID$/m);
    expect(stdout).toMatch(/^Git: lags behind \(3 commits not there yet/m);
  });

  it('G11d: names what git has otherwise', async () => {
    await tell();
    // An interaction taken out, and the rest put on what was before it.
    const [first = '', , ...rest] = git('rev-list', '--reverse', 'branch-5').trim().split('\n');
    let tip = first;
    for (const id of rest) {
      const tree = git('rev-parse', `${id}^{tree}`).trim();
      const message = git('log', '-1', '--format=%s', id).trim();
      const who = [git('log', '-1', '--format=%an', id).trim(), git('log', '-1', '--format=%ae', id).trim()];
      tip = git(
        '-c',
        `user.name=${who[0]}`,
        '-c',
        `user.email=${who[1]}`,
        'commit-tree',
        '-p',
        tip,
        '-m',
        message,
        tree,
      ).trim();
    }
    git('update-ref', 'refs/heads/branch-5', tip);
    git('update-ref', '-d', 'refs/heads/main');
    const { code, stdout } = sandbox.run(['audit', 'session', bound]);
    expect(code).toBe(4);
    expect(stdout).toMatch(/^Chain integrity: BROKEN$/m);
    expect(stdout).toMatch(/^Git: DISAGREES \(commits: 2 matching, 1 missing/m);
    expect(stdout).toMatch(/^Wrong: GIT_COMMIT_DIFFERS/m);

    // A commit of the session that the ledger does not know.
    const tree = git('rev-parse', `${tip}^{tree}`).trim();
    const extra = git(
      '-c',
      'user.name=x',
      '-c',
      'user.email=x@y',
      'commit-tree',
      '-p',
      tip,
      '-m',
      'interaction-9',
      tree,
    );
    git('update-ref', 'refs/heads/branch-5', extra.trim());
    const seen = sandbox.run(['audit', 'session', bound, '--json']);
    expect(seen.code).toBe(4);
    expect((JSON.parse(seen.stdout) as Audited).git).toMatchObject({ status: 'disagrees' });
  });
});
