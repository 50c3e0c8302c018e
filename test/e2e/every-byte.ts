// A small ledger made by the built command, with a file of each kind, and what flipping bytes of it does. The table is in
// spec/ledger.md.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseVerifierKey, type VerifierKey } from '../../src/core/index.ts';
import { filesFromMap, type Report, verifyLedger } from '../../src/verify/index.ts';
import { runWarmSync } from '../cli/warm.ts';
import { fastDirectory, temporary } from '../temporary.ts';

let directory = '';
let key: VerifierKey;
let files: Map<string, Uint8Array>;

/** The exit code and everything printed. */
export function attempt(
  args: readonly string[],
  ledger: string,
  cwd = '/',
): { exit: number | null; output: string } {
  const env = { PATH: process.env.PATH, HOME: cwd };
  const { code, stdout, stderr } = runWarmSync([...args, '--ledger', ledger], { cwd, env });
  return { exit: code, output: `${stdout}${stderr}` };
}

export function foil(args: readonly string[], ledger: string): string {
  // As the user who made it, whose state directory says so.
  const { exit, output } = attempt(args, ledger, dirname(ledger));
  if (exit !== 0) throw new Error(output);
  return output;
}

/** The ledger is there for each test of the file that asks. */
export function withSmallLedger(): void {
  beforeAll(makeLedger);
  afterAll(() => rmSync(join(directory, '..'), { recursive: true, force: true }));
}

/** What is in it, and whose it is. */
export const smallLedger = () => ({ directory, key, files });

function makeLedger(): void {
  const project = mkdtempSync(join(fastDirectory, 'foil-every-byte-'));
  const env = { PATH: process.env.PATH, HOME: project };
  if (runWarmSync(['init', '--here'], { cwd: project, env }).code !== 0) throw new Error('no ledger');
  directory = join(project, '.foil');
  foil(['append', 'note', '--payload', '{"text":"first"}'], directory);
  foil(['archive', '--all'], directory);
  writeFileSync(join(project, 'small.txt'), 'small content');
  foil(['append', 'x.file', '--content', join(project, 'small.txt')], directory);
  writeFileSync(join(project, 'large.bin'), Buffer.alloc(530_000, 'large '));
  foil(['append', 'x.file', '--content', join(project, 'large.bin')], directory);
  foil(['checkpoint'], directory);
  foil(['append', 'note', '--payload', '{"text":"unsealed"}'], directory);
  const [{ vkey }] = JSON.parse(foil(['key', 'list', '--json'], directory)) as [{ vkey: string }];
  key = parseVerifierKey(vkey);
  files = new Map(
    walk(directory).map((path) => [relative(directory, path), new Uint8Array(readFileSync(path))]),
  );
}

function walk(path: string): string[] {
  return statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => walk(join(path, name))) : [path];
}

async function flipped(path: string, at: number): Promise<Report> {
  const bytes = files.get(path) as Uint8Array;
  const changed = bytes.with(at, (bytes[at] as number) ^ (at % 2 === 0 ? 0x01 : 0x20));
  return verifyLedger(filesFromMap(new Map(files).set(path, changed)), { keys: [key] });
}

/** A copy on disk with one byte of one file changed. */
export function copyWithFlip(path: string, at: number): string {
  const copy = join(temporary(fastDirectory), 'copy');
  cpSync(directory, copy, { recursive: true });
  const bytes = readFileSync(join(copy, path));
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(join(copy, path), bytes);
  return copy;
}

export const named = (pattern: RegExp): string[] => [...files.keys()].filter((path) => pattern.test(path));

/** Every byte, or one in so many. */
export function flipEach(step: number): void {
  it('is INTACT before, and has a file of each kind', async () => {
    const report = await verifyLedger(filesFromMap(files), { keys: [key] });
    expect(report.verdict).toBe('INTACT');
    expect(report.counts).toMatchObject({ contentChecked: 2, unsealed: 1 });
    for (const pattern of [
      /\.jsonl$/,
      /\.jsonl\.gz$/,
      /^tile\//,
      /^checkpoint$/,
      /^checkpoints\//,
      /^head$/,
      /^lock$/,
      /\/pack$/,
      /^blobs\/.*sha256-/,
      /^salts\//,
      /^keys\//,
      /^\.gitignore$/,
    ]) {
      expect(named(pattern), String(pattern)).not.toEqual([]);
    }
    expect(files.get('lock')).toHaveLength(0);
  });

  it('segments, plain and gzipped, tiles, checkpoints and content: BROKEN, and what was hit is named', async () => {
    for (const path of named(/^(ledger|tile|checkpoints?|blobs|salts)(\/|$)/)) {
      const { length } = files.get(path) as Uint8Array;
      // Within large content one byte in a thousand: each is hashed the same way.
      for (let at = 0; at < length; at += length > 60_000 ? 1009 * step : step) {
        const report = await flipped(path, at);
        const found = Object.values(report.facets).flatMap((facet) => facet.findings);
        const where = `${path} at ${at}`;
        expect(report.verdict, where).toBe('BROKEN');
        expect(report.valid, where).toBe(false);
        const isNamed = found.some(({ file }) => file === path);
        // A salt that is still well formed shows in the content that was salted with it.
        expect(
          isNamed || (path.startsWith('salts/') && found.some(({ file }) => file?.startsWith('blobs/'))),
          where,
        ).toBe(true);
        if (path.endsWith('.jsonl'))
          expect(
            found.some(({ file, seq }) => file === path && seq !== null),
            where,
          ).toBe(true);
      }
    }
  });

  it('the head: noticed, and no harm done', async () => {
    const { length } = files.get('head') as Uint8Array;
    for (let at = 0; at < length; at += step) {
      const report = await flipped('head', at);
      expect(report.verdict).toBe('INTACT');
      expect(report.facets.truncation.findings.map(({ code }) => code)).toContain('HEAD_DAMAGED');
    }
  });

  it('private keys and .gitignore: no evidence, so no difference', async () => {
    for (const path of named(/^(keys\/|\.gitignore)/)) {
      for (let at = 0; at < (files.get(path) as Uint8Array).length; at += step) {
        expect((await flipped(path, at)).verdict).toBe('INTACT');
      }
    }
  });
}
