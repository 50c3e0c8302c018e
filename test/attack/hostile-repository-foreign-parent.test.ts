// Another user has put a `.git` or a counterfoil.yaml above the place where somebody works, as anybody can in /tmp. Git
// does not go by such a directory (safe.directory), and neither do we: hooks, ledger and policy are of the own place.
import { chownSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { install } from '../../src/cli/commands/install.ts';
import { projectId, workspaceRoot } from '../../src/ledger/index.ts';
import { Machine } from './hostile-clone.ts';

const isRoot = process.getuid?.() === 0;
const STRANGER = 65_534;

function below(
  sign: string,
  owners: { readonly folder: number; readonly sign: number; readonly here: number },
) {
  const machine = new Machine();
  const folder = join(machine.root, 'shared');
  const path =
    sign === '.git'
      ? join(machine.file('shared/.git/HEAD', 'ref: x\n'), '..')
      : machine.file(`shared/${sign}`, '');
  const here = join(folder, 'mine');
  mkdirSync(here);
  chownSync(folder, owners.folder, owners.folder);
  chownSync(path, owners.sign, owners.sign);
  chownSync(here, owners.here, owners.here);
  return { machine, folder, here };
}

it.runIf(isRoot).each([
  ['all is one’s own', { folder: 0, sign: 0, here: 0 }, true],
  ['the directory is a stranger’s', { folder: STRANGER, sign: 0, here: 0 }, false],
  ['the sign is a stranger’s', { folder: 0, sign: STRANGER, here: 0 }, false],
  // As the service sees it, which runs as another user in locked.
  ['all is of whoever works there', { folder: STRANGER, sign: STRANGER, here: STRANGER }, true],
])('where %s, it is the root or not', (_, owners, isTheirs) => {
  for (const sign of ['.git', 'counterfoil.yaml']) {
    const { folder, here } = below(sign, owners);
    expect(workspaceRoot(here), sign).toBe(isTheirs ? folder : here);
    expect(projectId(here) === projectId(folder), sign).toBe(isTheirs);
  }
});

it.runIf(isRoot)(
  'foil install writes hooks where the user is, and not beside a stranger’s .git',
  async () => {
    const { machine, folder, here } = below('.git', { folder: STRANGER, sign: STRANGER, here: 0 });
    await machine.run(install, ['claude-code'], here);
    expect(existsSync(join(here, '.claude/settings.local.json'))).toBe(true);
    expect(existsSync(join(folder, '.claude'))).toBe(false);
  },
);
