// The shell that starts git for the service: what it is told it takes as it is, what it answers is what was printed, and
// whatever becomes of it, the question is answered.
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { GIT_ALWAYS } from '../../src/gate/git-door.ts';
import { type GitRun, keepGitShell, runGit } from '../../src/gate/git-process.ts';
import { temporary } from '../temporary.ts';

/** A program in git's place. */
function program(text: string): string {
  const path = join(temporary(), 'git');
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

const ask = (git: string, more: Partial<GitRun> = {}): Promise<Buffer | null> =>
  runGit({ git, args: [], cwd: '/', env: {}, timeoutMs: 50_000, maxBytes: 1 << 20, ...more });
/** Which process started it, and what that is. */
const parent = async (): Promise<{ pid: number; name: string }> => {
  const [pid = '', name = ''] = String(await ask(program('echo $PPID; cat /proc/$PPID/comm'))).split('\n');
  return { pid: Number(pid), name };
};

const linux = describe.runIf(existsSync('/proc/self/comm'));

linux('git by a shell', () => {
  beforeEach(() => {
    const shell = keepGitShell();
    onTestFinished(() => shell.close());
  });

  it('is started by it, and by the same one each time', async () => {
    const first = await parent();
    expect(first.name).toBe('sh');
    expect(first.pid).not.toBe(process.pid);
    expect(await parent()).toEqual(first);
  });

  it.each([
    "it's",
    '$(echo no)',
    '`echo no`',
    'a\nb\n',
    '"; echo no; "',
    '\\n\\',
    '~ *  ?',
    'größe 雪',
    '',
    '-n',
    '\u0001',
  ])('%j arrives as it is, as a word, a setting and input', async (text) => {
    const git = program('printf "%s|" "$@"; printf %s "$GIT_DIR"; printf "|"; cat');
    const answer = await ask(git, { args: [text, 'end'], env: { GIT_DIR: text }, input: text });
    expect(String(answer)).toBe(`-C|/|${GIT_ALWAYS.join('|')}|${text}|end|${text}|${text}`);
  });

  it('gives bytes as they were printed, and many of them', async () => {
    const git = program("printf 'a\\000\\377\\n\\n'; head -c 900000 /dev/zero; echo");
    const answer = await ask(git);
    expect(answer?.length).toBe(900_006);
    expect(answer?.subarray(0, 5)).toEqual(Buffer.from([97, 0, 255, 10, 10]));
  });

  it('knows nothing of our environment but what git may know', async () => {
    vi.stubEnv('GIT_DIR', '/elsewhere');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const names = String(await ask(program('env')))
      .split('\n')
      .map((line) => line.split('=')[0] ?? '');
    expect(names).toContain('GIT_CONFIG_NOSYSTEM');
    expect(names.filter((name) => /^(?:GIT_DIR|HOME|NODE_.*|VITEST.*)$/.test(name))).toEqual([]);
  });

  it.each([
    ['fails', 'echo something; exit 3', {}],
    ['is not there', '', { git: '/nowhere/git' }],
    ['prints too much', 'echo 0123456789', { maxBytes: 10 }],
    ['prints without an end', 'cat /dev/zero', {}],
    ['never ends', 'exec tail -f /dev/null', { timeoutMs: 200 }],
  ])('is null where git %s, and the next one is answered', async (_, text, more) => {
    expect(await ask(program(text), more)).toBe(null);
    expect(String(await ask(program('echo next')))).toBe('next\n');
  });

  it('is answered all the same where others ask meanwhile', async () => {
    const git = program('for word; do :; done; echo "$word"');
    const answers = await Promise.all(['1', '2', '3', '4'].map((word) => ask(git, { args: [word] })));
    expect(answers.map(String)).toEqual(['1\n', '2\n', '3\n', '4\n']);
  });

  it('is answered where the shell was killed before, or is killed meanwhile', async () => {
    const first = await parent();
    process.kill(first.pid, 'SIGKILL');
    expect(String(await ask(program('echo again')))).toBe('again\n');
    const git = program('[ "$(cat /proc/$PPID/comm)" = sh ] && kill -9 $PPID; echo after');
    expect(String(await ask(git))).toBe('after\n');
    expect((await parent()).name).toBe('sh');
  });
});

linux('a shell that is closed', () => {
  it('is gone, and git is started without it', async () => {
    const shell = keepGitShell();
    const { pid } = await parent();
    shell.close();
    expect((await parent()).pid).toBe(process.pid);
    await vi.waitFor(() => {
      const state = existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : 'State: Z';
      expect(state).toMatch(/^State:\s+[ZX]/m);
    });
  });
});
