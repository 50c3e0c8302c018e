// Faults that the kernel itself makes, one of each class, met by the built command: a file size limit, permissions, a
// directory that goes away, a full disk. The command says what to do, has told nobody that something is kept which is
// not, and goes on once the reason is gone.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { verifyDirectory } from '../file-ledger.ts';
import { diskDirectory, temporary } from '../temporary.ts';
import { Child, root } from './child.ts';
import { segmentPath } from './directory.ts';

const FOIL = join(root, 'dist/foil.cjs');
const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;

interface As {
  /** A limit to set first, as ulimit takes it. */
  readonly limit?: string;
  readonly uid?: number;
}

function foil(
  directory: string,
  words: readonly string[],
  { limit, uid }: As = {},
): SpawnSyncReturns<string> {
  const env = { PATH: process.env.PATH, HOME: directory, FOIL_LEDGER: directory };
  const who = uid === undefined ? {} : { uid, gid: uid };
  const command = limit === undefined ? 'exec "$@"' : `ulimit ${limit} && exec "$@"`;
  const args = ['-c', command, 'sh', process.execPath, FOIL, ...words];
  return spawnSync('/bin/sh', args, { env, encoding: 'utf8', cwd: '/', ...who });
}

function init(directory: string, as: As = {}): void {
  fs.mkdirSync(join(directory, 'keys'), { recursive: true });
  if (as.uid !== undefined)
    for (const path of [directory, join(directory, 'keys')]) fs.chownSync(path, as.uid, as.uid);
  const { status, stderr } = foil(directory, ['init'], as);
  expect(status, stderr).toBe(0);
}

const append = (directory: string, text: string, as?: As): SpawnSyncReturns<string> =>
  foil(directory, ['append', 'note', '--payload', JSON.stringify({ text })], as);

/** Texts of all notes, from the lines themselves. */
function notesOf(directory: string): string[] {
  const { stdout, status } = foil(directory, ['log', '--json', '--kind', 'note']);
  expect(status).toBe(0);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).payload.text);
}

function expectVerified(directory: string, as?: As): void {
  expect(foil(directory, ['checkpoint'], as).status).toBe(0);
  const { status, stdout, stderr } = foil(directory, ['verify', '--json'], as);
  expect(status, stdout + stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ verdict: 'INTACT', facets: { truncation: { status: 'pass' } } });
}

it('K1d a file size limit (ulimit -f): NO_SPACE, and the part that was written is named by a gap', () => {
  const directory = join(temporary(diskDirectory), 'ledger');
  init(directory);
  expect(append(directory, 'before').status).toBe(0);
  const { size } = fs.statSync(segmentPath(directory, 1));
  // In blocks of 512 bytes for sh: one that the next entry only half fits under.
  const limit = `-f ${Math.floor(size / 512) + 1}`;
  const { status, stderr, stdout } = append(directory, 'x'.repeat(1500), { limit });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/file size limit \(ulimit -f\)/);
  expect(fs.statSync(segmentPath(directory, 1)).size).toBeGreaterThan(size);
  expect(append(directory, 'after').status).toBe(0);
  expect(notesOf(directory)).toEqual(['before', 'after']);
  expect(foil(directory, ['log', '--json', '--kind', 'gap']).stdout).toContain('"reason":"torn"');
  expectVerified(directory);
});

it.skipIf(!isRoot)('no permission (needs root to become another user): DENIED, with what to check', () => {
  const parent = temporary(diskDirectory);
  fs.chmodSync(parent, 0o755);
  const directory = join(parent, 'ledger');
  const as = { uid: NOBODY };
  fs.mkdirSync(directory);
  init(directory, as);
  expect(append(directory, 'before', as).status).toBe(0);
  const places: [string, number][] = [
    [segmentPath(directory, 1), 0o400],
    [join(directory, 'head'), 0o400],
    [join(directory, 'lock'), 0o400],
    [join(directory, 'ledger'), 0o000],
    [directory, 0o000],
  ];
  for (const [path, mode] of places) {
    const { mode: before } = fs.statSync(path);
    fs.chmodSync(path, mode);
    const { status, stderr, stdout } = append(directory, 'denied', as);
    fs.chmodSync(path, before);
    expect({ status, stdout }, path).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/permission denied.*its owner/s);
    expect(stderr).toContain(directory);
  }
  expect(append(directory, 'after', as).status).toBe(0);
  expect(notesOf(directory)).toEqual(['before', 'after']);
  expectVerified(directory, as);
});

it('a directory that is removed under a writer: REMOVED, and nothing more is acknowledged', async () => {
  const directory = join(temporary(diskDirectory), 'ledger');
  init(directory);
  const env = { PATH: process.env.PATH, HOME: directory, FOIL_LEDGER: directory };
  const child = new Child(FOIL, ['append', 'note', '--lines'], { env });
  child.tell('{"text":"before"}');
  await child.until(() => child.lines.length === 1);
  fs.rmSync(directory, { recursive: true });
  child.tell('{"text":"after"}');
  child.process.stdin?.end();
  const { code } = await child.ended;
  expect(code).toBe(1);
  expect(child.lines.length).toBe(1);
  expect(child.errors).toMatch(/removed|no longer exists/);
  expect(child.errors).toContain(directory);
  expect(fs.existsSync(directory)).toBe(false);
});

const mountable = isRoot && tryMount();
it.skipIf(!mountable)(
  'K1d a full disk (needs root and mount): NO_SPACE; every acknowledged entry stays',
  async () => {
    const disk = mountSmall(temporary(diskDirectory), '300k');
    const directory = join(disk, 'ledger');
    init(directory);
    const acknowledged: string[] = [];
    let failure: SpawnSyncReturns<string> | undefined;
    for (let i = 0; failure === undefined && i < 100; i++) {
      const text = `${i} ${'y'.repeat(20_000)}`;
      const result = append(directory, text);
      if (result.status === 0) acknowledged.push(text);
      else failure = result;
    }
    expect(failure?.status).toBe(1);
    expect(failure?.stderr).toMatch(/disk or quota is full. Free some space/);
    expect(acknowledged.length).toBeGreaterThan(2);
    // Trying again does not help, and does no harm.
    expect(append(directory, 'z'.repeat(20_000)).status).toBe(1);
    expect(append(directory, 'z'.repeat(20_000)).status).toBe(1);
    expect((await verifyDirectory(directory)).failures).toEqual([]);
    expect(spawnSync('mount', ['-o', 'remount,size=2m', disk]).status).toBe(0);
    expect(append(directory, 'after').status).toBe(0);
    expect(notesOf(directory)).toEqual([...acknowledged, 'after']);
    expectVerified(directory);
  },
);

function tryMount(): boolean {
  const place = fs.mkdtempSync('/tmp/foil-mount-');
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'foil', place]);
  if (status === 0) spawnSync('umount', [place]);
  fs.rmdirSync(place);
  return status === 0;
}

function mountSmall(parent: string, size: string): string {
  const place = join(parent, 'disk');
  fs.mkdirSync(place);
  expect(spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'foil', place]).status).toBe(0);
  onTestFinished(() => void spawnSync('umount', [place]));
  return place;
}
