import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../cli/foil.ts';
import { install } from './package.ts';

const sandbox = new Sandbox();
afterAll(() => sandbox.remove());

describe('the packed tarball', () => {
  let command = '';
  let reason = '';
  let shipped: string[] = [];
  beforeAll(() => {
    const outcome = install(sandbox);
    if ('command' in outcome) command = outcome.command;
    else reason = outcome.skipped;
    // Before anything is run: the command may compile what is there.
    const dist = join(sandbox.root, 'project/node_modules/counterfoil/dist');
    if (existsSync(dist)) shipped = readdirSync(dist, { recursive: true, encoding: 'utf8' });
  }, 120_000);
  beforeEach(({ skip }) => skip(reason !== '', reason));

  function foil(...words: string[]): { code: number | null; stdout: string; stderr: string } {
    const { status, stdout, stderr } = spawnSync(command, words, {
      cwd: sandbox.work,
      env: sandbox.env,
      encoding: 'utf8',
    });
    return { code: status, stdout, stderr };
  }

  it('K1a K6b has a working foil in an empty folder', () => {
    expect(foil('init', '--here')).toMatchObject({ code: 0, stderr: '' });
    expect(foil('append', 'note', '--payload', '{"text":"hi"}')).toMatchObject({ code: 0, stderr: '' });
    const { code, stdout } = foil('verify', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'INTACT', valid: true, status: 'VALID', entries: 2 });
    expect(foil('checkpoint').code).toBe(0);
    expect(foil('log').stdout).toContain('hi');
    expect(foil('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(foil('nonsense').code).toBe(2);
  });

  it('can be imported', () => {
    const script = `import { openLedger, locateHere } from 'counterfoil';
      import { parseVerifierKey } from 'counterfoil/verify';
      const ledger = openLedger(locateHere(process.argv[1]));
      console.log((await ledger.store.head()).seq, typeof parseVerifierKey);
      await ledger.close();`;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', script, sandbox.work],
      {
        cwd: join(sandbox.root, 'project'),
        encoding: 'utf8',
      },
    );
    expect(stderr).toBe('');
    expect(stdout).toBe('2 function\n');
  });

  it('holds what it should and no sources, tests or development files', () => {
    const files = readdirSync(join(sandbox.root, 'project/node_modules/counterfoil')).sort();
    expect(files).toContain('dist');
    for (const name of ['src', 'test', 'bench', 'node_modules', 'scripts']) expect(files).not.toContain(name);
    expect(shipped).toContain('cli/main.script');
    expect(shipped.filter((name) => name.endsWith('.cache'))).toEqual([]);
  });
});
