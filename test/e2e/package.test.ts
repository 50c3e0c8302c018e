// The packed tarball, installed elsewhere: what a user gets from npm. Needs a registry for the dependencies; where
// none can be reached the test says so and is skipped.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../cli/foil.ts';

const root = join(import.meta.dirname, '../..');
const sandbox = new Sandbox();
afterAll(() => sandbox.remove());

function npm(words: readonly string[], cwd: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('npm', words, { cwd, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}

/** The installed command, or why there is none. */
function install(): { command: string } | { skipped: string } {
  const packed = npm(['pack', '--ignore-scripts', '--pack-destination', sandbox.root], root);
  if (packed.status !== 0) throw new Error(packed.output);
  const [tarball = ''] = readdirSync(sandbox.root).filter((name) => name.endsWith('.tgz'));
  const project = join(sandbox.root, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"name":"user","private":true}\n');
  const installed = npm(
    ['install', '--no-audit', '--no-fund', '--prefer-offline', join(sandbox.root, tarball)],
    project,
  );
  if (installed.status === 0) return { command: join(project, 'node_modules/.bin/foil') };
  if (
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED|SELF_SIGNED|UNABLE_TO_GET_ISSUER/.test(
      installed.output,
    )
  ) {
    return {
      skipped: `npm could not reach a registry: ${installed.output.split('\n').find((line) => line.includes('code')) ?? ''}`,
    };
  }
  throw new Error(installed.output);
}

describe('the packed tarball', () => {
  let command = '';
  let reason = '';
  let shipped: string[] = [];
  beforeAll(() => {
    const outcome = install();
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

  it('runs its demo', () => {
    expect(foil('demo')).toMatchObject({ code: 0, stderr: '' });
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
