// Done at every byte of a small ledger made by the built command: what flipping it does. The table is in spec/ledger.md.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeHex, parseVerifierKey, type VerifierKey } from '../../src/core/index.ts';
import { filesFromMap, type Report, verifyLedger } from '../../src/verify/index.ts';
import { temporary } from '../temporary.ts';

const FOIL = resolve('dist/foil.cjs');
let directory = '';
let key: VerifierKey;
let files: Map<string, Uint8Array>;

function foil(args: readonly string[], ledger: string, input = ''): string {
  return execFileSync(process.execPath, [FOIL, ...args, '--ledger', ledger], { input, encoding: 'utf8' });
}

/** The exit code and everything printed. */
function attempt(args: readonly string[], ledger: string): { exit: number; output: string } {
  try {
    return { exit: 0, output: foil(args, ledger) };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
    return { exit: status, output: `${stdout}${stderr}` };
  }
}

beforeAll(() => {
  const project = mkdtempSync(join(tmpdir(), 'foil-every-byte-'));
  execFileSync(process.execPath, [FOIL, 'init', '--here'], { cwd: project });
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
});

afterAll(() => rmSync(join(directory, '..'), { recursive: true, force: true }));

function walk(path: string): string[] {
  return statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => walk(join(path, name))) : [path];
}

async function flipped(path: string, at: number): Promise<Report> {
  const bytes = files.get(path) as Uint8Array;
  const changed = bytes.with(at, (bytes[at] as number) ^ (at % 2 === 0 ? 0x01 : 0x20));
  return verifyLedger(filesFromMap(new Map(files).set(path, changed)), { keys: [key] });
}

/** A copy on disk with one byte of one file changed. */
function copyWithFlip(path: string, at: number): string {
  const copy = join(temporary(), 'copy');
  cpSync(directory, copy, { recursive: true });
  const bytes = readFileSync(join(copy, path));
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(join(copy, path), bytes);
  return copy;
}

const named = (pattern: RegExp): string[] => [...files.keys()].filter((path) => pattern.test(path));

describe('K6a one byte of a ledger made by the command flipped, at every byte', () => {
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
      for (let at = 0; at < length; at += length > 60_000 ? 1009 : 1) {
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
    for (let at = 0; at < length; at++) {
      const report = await flipped('head', at);
      expect(report.verdict).toBe('INTACT');
      expect(report.facets.truncation.findings.map(({ code }) => code)).toContain('HEAD_DAMAGED');
    }
  });

  it('private keys and .gitignore: no evidence, so no difference', async () => {
    for (const path of named(/^(keys\/|\.gitignore)/)) {
      for (let at = 0; at < (files.get(path) as Uint8Array).length; at++) {
        expect((await flipped(path, at)).verdict).toBe('INTACT');
      }
    }
  });

  it('through the command: exit 4 for a segment, a tile, a checkpoint, content; 0 for the head, which an append rebuilds', () => {
    for (const path of [
      ...named(/\.jsonl$/),
      ...named(/^tile\//),
      'checkpoint',
      ...named(/^checkpoints\//),
      ...named(/^blobs\//),
    ]) {
      const { exit, output } = attempt(['verify'], copyWithFlip(path, 40));
      expect([path, exit]).toEqual([path, 4]);
      expect(output).toContain('BROKEN');
      expect(output).toContain(path);
    }
    const copy = copyWithFlip('head', 40);
    expect(attempt(['verify'], copy).exit).toBe(0);
    expect(attempt(['append', 'note'], copy).exit).toBe(0);
    const report = JSON.parse(foil(['verify', '--json'], copy)) as Report;
    expect(report.facets.truncation.findings.map(({ code }) => code)).not.toContain('HEAD_DAMAGED');
  });

  it('a flipped private key: sealing refuses', () => {
    const [path = ''] = named(/^keys\//);
    const { exit, output } = attempt(['checkpoint'], copyWithFlip(path, 60));
    expect(exit).toBe(1);
    expect(output).toMatch(/key/);
    expect(output).not.toContain(encodeHex(key.publicKey));
  });

  it('a valid head that is ahead of the log: appends refuse, BROKEN', () => {
    const copy = join(temporary(), 'copy');
    cpSync(directory, copy, { recursive: true });
    const [segment = ''] = named(/\.jsonl$/).slice(-1);
    const bytes = readFileSync(join(copy, segment));
    writeFileSync(join(copy, segment), bytes.subarray(0, bytes.lastIndexOf(0x0a, bytes.length - 2) + 1));
    const append = attempt(['append', 'note'], copy);
    expect(append.exit).toBe(1);
    expect(append.output).toContain('foil recover');
    const verify = attempt(['verify'], copy);
    expect(verify.exit).toBe(4);
    expect(verify.output).toContain('HEAD_AHEAD');
  });
});
