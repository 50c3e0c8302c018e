// foil auth as a person meets it: a key shown once, presented from a terminal, a file or a pipe, and never seen again.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FOIL, Sandbox } from './foil.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

const directory = (): string => join(sandbox.root, 'config', 'counterfoil', 'auth');
const KEY = /^foilkey_[\w-]{43}$/m;

interface Added {
  readonly id: string;
  readonly key: string;
  readonly presented: boolean;
}
const add = (name: string, ...more: string[]): Added => sandbox.json(['auth', 'add', name, ...more]) as Added;
const list = () => sandbox.json(['auth', 'list']) as { keys: Record<string, unknown>[]; problems: unknown[] };

/** Typed at a terminal when it is asked for. Gives all that the terminal showed. */
function typing(words: readonly string[], typed: string): Promise<{ code: number | null; stdout: string }> {
  const command = [process.execPath, FOIL, ...words].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: sandbox.work,
    env: { ...sandbox.env, NO_COLOR: '1' },
    timeout: 20_000,
  });
  let stdout = '';
  let asked = false;
  child.stdout.on('data', (piece: Buffer) => {
    stdout += piece.toString();
    if (!asked && stdout.includes('Auth key: ')) {
      asked = true;
      child.stdin.write(`${typed}\r`);
    }
  });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, stdout }));
  });
}

describe('foil auth', () => {
  it('G1a add prints the key alone, once, and says on the side what it is for', () => {
    const { code, stdout, stderr } = sandbox.run(['auth', 'add', 'laptop']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^foilkey_[\w-]{43}\n$/);
    expect(stderr).toContain('It is shown only this once');
    expect(stderr).toContain('From now on every session needs a key');
    expect(stderr).not.toMatch(KEY);
    expect(sandbox.ok(['auth', 'list'])).toMatch(/^[0-9a-f]{16} {2}laptop {2}made /);
    for (const words of [
      ['auth', 'list'],
      ['auth', 'list', '--json'],
      ['status'],
      ['auth', 'revoke', 'laptop'],
    ])
      expect(JSON.stringify(sandbox.run(words))).not.toContain(stdout.trim());
    expect(sandbox.run(['auth', 'add', 'second']).stderr).not.toContain('From now on');
  });

  it('on a terminal it warns that the key is on the screen', () => {
    const { stdout } = sandbox.onTerminal(['auth', 'add', 'laptop'], 100);
    expect(stdout).toMatch(/foilkey_/);
    expect(stdout).toContain('clear the screen');
  });

  it('G1b the store is in the user’s configuration, or in a ledger that has its keys inside', () => {
    add('laptop');
    expect(statSync(directory()).mode & 0o777).toBe(0o700);
    sandbox.ledger();
    expect(list().keys).toEqual([]);
    add('here');
    expect(existsSync(sandbox.path('.foil', 'auth'))).toBe(true);
    expect(list().keys).toMatchObject([{ name: 'here', presented: false }]);
  });

  it('revokes by name and by the beginning of an id, and says when it was the one presented', () => {
    const first = add('laptop', '--present');
    const second = add('ci');
    expect(first.presented).toBe(true);
    expect(sandbox.ok(['auth', 'revoke', second.id.slice(0, 10)])).toContain('The key ci');
    expect(sandbox.ok(['auth', 'revoke', 'laptop'])).toContain('foil auth present');
    expect(list().keys).toMatchObject([
      { name: 'laptop', revoked: expect.any(String), presented: true },
      { name: 'ci', revoked: expect.any(String), presented: false },
    ]);
    expect(sandbox.run(['auth', 'revoke', 'laptop'])).toMatchObject({ code: 3 });
    expect(sandbox.run(['auth', 'revoke', first.id.slice(0, 3)]).stderr).toContain('foil auth list');
  });

  it('G1c a key is presented at the terminal without an echo', async () => {
    const { key, id } = add('laptop');
    const { code, stdout } = await typing(['auth', 'present'], key);
    expect({ code, shown: stdout.includes(key) }).toEqual({ code: 0, shown: false });
    expect(list().keys).toMatchObject([{ id, presented: true }]);
    expect(sandbox.ok(['auth', 'withdraw'])).toContain('present no key from now on');
    expect(list().keys).toMatchObject([{ presented: false }]);
    expect(sandbox.ok(['auth', 'withdraw'])).toContain('No key was presented');
  });

  it('G1c from a pipe, and from a file that is its owner’s alone', () => {
    const { key } = add('laptop');
    sandbox.ok(['auth', 'present', '-'], { input: `${key}\n` });
    expect(readFileSync(join(directory(), 'presented'), 'utf8')).toBe(`${key}\n`);
    sandbox.ok(['auth', 'withdraw']);
    const file = sandbox.write('key', `${key}\n`);
    chmodSync(file, 0o644);
    const open = sandbox.run(['auth', 'present', 'key']);
    expect({ code: open.code, told: open.stderr.includes(`chmod 600 ${file}`) }).toEqual({
      code: 1,
      told: true,
    });
    chmodSync(file, 0o600);
    symlinkSync(file, sandbox.path('link'));
    expect(sandbox.run(['auth', 'present', 'link']).stderr).toContain('is a link');
    sandbox.ok(['auth', 'present', 'key']);
    expect(list().keys).toMatchObject([{ presented: true }]);
  });

  it('G1c never from the command line or the environment', () => {
    const { key } = add('laptop');
    for (const words of [
      ['auth', 'present', key],
      ['auth', 'add', key],
      ['auth', 'revoke', key],
      ['auth', key],
    ]) {
      const { code, stdout, stderr } = sandbox.run(words);
      expect(code, words[1]).toBe(2);
      expect(stdout + stderr).not.toContain(key);
    }
    const env = { FOIL_AUTH_KEY: key, FOIL_AUTH_KEY_FILE: key, AUTH_KEY: key };
    expect(sandbox.run(['auth', 'present', '-'], { env }).code).toBe(1);
    expect(existsSync(join(directory(), 'presented'))).toBe(false);
  });

  it('foil doctor says whether sessions have a key to present', () => {
    sandbox.ledger();
    const told = () => {
      const { code, stdout } = sandbox.run(['doctor', '--json']);
      const { checks } = JSON.parse(stdout) as {
        checks: { name: string; status: string; message: string }[];
      };
      const check = checks.find(({ name }) => name === 'auth');
      return [code, check?.status, check?.message];
    };
    expect(told()).toEqual([0, 'ok', expect.stringContaining("aren't authenticated")]);
    add('laptop');
    expect(told()).toEqual([0, 'warn', expect.stringContaining('foil auth present')]);
    add('second', '--present');
    expect(told()).toEqual([0, 'ok', expect.stringContaining('second presented here')]);
    sandbox.ok(['auth', 'revoke', 'second']);
    expect(told()).toEqual([0, 'warn', expect.stringContaining('revoked')]);
    chmodSync(sandbox.path('.foil', 'auth'), 0o755);
    expect(told()).toEqual([1, 'fail', expect.stringContaining('chmod 700')]);
  });

  it('what is wrong is said with the next step, and nothing is changed by it', () => {
    const { id } = add('laptop');
    for (const [words, code, told] of [
      [['auth', 'add', 'laptop'], 1, 'already'],
      [['auth', 'add'], 2, 'foil auth add laptop'],
      [['auth', 'add', 'a b'], 2, 'letters'],
      [['auth', 'revoke'], 2, 'Which key'],
      [['auth', 'lst'], 2, 'list'],
      [['auth', 'list', 'x'], 2, 'no argument'],
      [['auth', 'present', 'nowhere'], 1, 'there is no file'],
      [['auth', 'list', '--present'], 2, 'foil auth add'],
    ] as const) {
      const { code: exit, stderr } = sandbox.run(words);
      expect([words.join(' '), exit]).toEqual([words.join(' '), code]);
      expect(stderr).toContain(told);
    }
    expect(readdirSync(directory())).toEqual([id]);
    chmodSync(directory(), 0o755);
    for (const words of [
      ['auth', 'add', 'x'],
      ['auth', 'revoke', 'laptop'],
      ['auth', 'list'],
    ])
      expect(JSON.stringify(sandbox.run(words))).toContain('chmod 700');
  });
});
