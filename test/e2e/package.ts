// The packed tarball, installed elsewhere: what a user gets from npm. Needs a registry for the dependencies; where
// none can be reached the test says so and is skipped.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../cli/foil.ts';

const root = join(import.meta.dirname, '../..');

function npm(words: readonly string[], cwd: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('npm', words, { cwd, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}

/** The installed command, or why there is none. */
export function install(sandbox: Sandbox): { command: string } | { skipped: string } {
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
