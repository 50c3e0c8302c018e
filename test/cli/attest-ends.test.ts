// foil attest that is told to end, or killed, while the tests run: nothing of it runs any more, and nothing of a secret pack
// is left on the machine.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeArtifacts } from '../../src/format/index.ts';
import { encodePack, encryptPack, parseEncryptionKey } from '../../src/harness/index.ts';
import {
  attesterFiles,
  makeAttesterDirectory,
  makeKeys,
  publicEncryptionKey,
} from '../../src/service/index.ts';
import { bundleOf, NODE_TEST, packOf, treeFiles, whyNot } from '../harness/attest-jobs.ts';
import { listing, running } from '../sandbox/attacks.ts';
import { ends, FOIL, Sandbox } from './foil.ts';

let count = 0;
/** Nobody here. */
const USER = { uid: 54_321, gid: 54_321 };
const isRoot = process.getuid?.() === 0;
const userHasNamespaces =
  isRoot && spawnSync('bwrap', ['--dev-bind', '/', '/', 'true'], { ...USER, cwd: '/' }).status === 0;

/** foil attest, once the tests of its pack run. The mark is in a file of the pack, and names the process of its tests. */
async function going(isSecret: boolean, user?: typeof USER) {
  const mark = `foil-ends-${process.pid}-${++count}`;
  const box = new Sandbox();
  onTestFinished(() => box.remove());
  const place = box.path('laid-out');
  mkdirSync(place);
  box.env.TMPDIR = place;
  const files = attesterFiles(join(box.root, 'state/counterfoil-attester'));
  makeAttesterDirectory(files);
  const { jwk } = publicEncryptionKey(await makeKeys(files));
  const command = ['bash', '-c', `exec -a ${mark} sleep 600`];
  const pack = packOf({ verification: { command }, tests: { ...NODE_TEST, 'test/secret.txt': mark } });
  const made = treeFiles({ 'src/add.mjs': 'export const add = (a, b) => a + b;\n' });
  writeFileSync(box.path('artifacts.tar'), encodeArtifacts(made));
  writeFileSync(box.path('run.bundle'), bundleOf(pack, made));
  const archive = encodePack(pack);
  const given = isSecret
    ? JSON.stringify(await encryptPack(archive, [parseEncryptionKey(jwk, false)]))
    : archive;
  writeFileSync(box.path('pack'), given);
  if (user !== undefined) spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, box.root]);
  const words = ['attest', 'run.bundle', '--artifacts', 'artifacts.tar', '--pack', 'pack'];
  const child = spawn(process.execPath, [FOIL, ...words], { cwd: box.work, env: box.env, ...user });
  let said = '';
  child.stdout.on('data', (piece: Buffer) => (said += piece.toString()));
  const ended = ends(child);
  onTestFinished(() => void child.kill('SIGKILL'));
  await until(() => running(mark).some((pid) => nameOf(pid) === mark));
  return { mark, box, place, child, ended, said: () => said };
}

/** What the process of the tests calls itself; bubblewrap has the mark among its arguments as well. */
function nameOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] ?? '';
  } catch {
    return '';
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** Files that hold the mark, where things are laid out and in the machine's memory. */
function holding(mark: string, ...places: readonly string[]): string[] {
  const { stdout } = spawnSync('grep', ['-rslF', mark, '/dev/shm', ...places], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line !== '');
}

describe.skipIf(whyNot !== null)('C10 foil attest, while the tests run,', () => {
  it.for([
    ['as whoever runs the tests', undefined],
    ['as a user without rights', USER],
  ] as const)(
    'of a secret pack, %s: kill -9 leaves no process, and nothing that was decrypted',
    async ([, user], { skip }) => {
      if (user !== undefined && !userHasNamespaces) skip('this needs root, and namespaces for users');
      const { mark, box, place, child, ended } = await going(true, user);
      // Not even while it runs.
      expect([holding(mark, place), readdirSync(place)]).toEqual([[], []]);
      child.kill('SIGKILL');
      expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
      await until(() => running(mark).length === 0);
      expect([holding(mark, place), listing(place)]).toEqual([[], []]);
      expect(existsSync(box.path('attestation.json'))).toBe(false);
    },
  );

  it('of an open pack: kill -9 leaves no process', async () => {
    const { mark, child, ended } = await going(false);
    child.kill('SIGKILL');
    await ended;
    await until(() => running(mark).length === 0);
  });

  it.each([
    ['SIGTERM', true],
    ['SIGTERM', false],
    ['SIGHUP', true],
    ['SIGINT', false],
  ] as const)('%s leaves no process, no folder and no attestation (secret: %s)', async (signal, isSecret) => {
    const { mark, box, place, child, ended, said } = await going(isSecret);
    child.kill(signal);
    expect(await ended).toEqual({ code: 1, signal: null });
    expect(said()).toMatch(/^NOT ATTESTED \(CANCELLED\)/);
    expect(running(mark)).toEqual([]);
    expect([listing(place), holding(mark, place).filter((path) => path !== box.path('pack'))]).toEqual([
      [],
      [],
    ]);
    expect(existsSync(box.path('attestation.json'))).toBe(false);
  });
});
