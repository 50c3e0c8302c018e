// Our keys, notes and proofs against Go's own implementation (spec/interop/go), which shares no code with ours.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  encodeSignerKey,
  encodeTlogProof,
  encodeVerifierKey,
  leafHash,
  makeSigner,
  parseNote,
  proveInclusion,
  signCheckpoint,
  signNote,
  verifyNote,
} from '../../src/core/index.ts';
import { bytes, text } from './parser-property.ts';
import { flipped, rootOf, tilesOf } from './tree.ts';

const GOPATH = '/usr/share/gocode';
const missing = !existsSync(join(GOPATH, 'src/golang.org/x/mod/sumdb/note'))
  ? 'the package golang-golang-x-mod-dev'
  : spawnSync('go', ['version']).status !== 0
    ? 'go'
    : undefined;

describe.skipIf(missing !== undefined)(
  missing === undefined ? 'Go' : `Go: skipped, ${missing} is not installed`,
  () => {
    let directory: string;
    let interop: string;

    beforeAll(() => {
      directory = mkdtempSync(join(tmpdir(), 'counterfoil-go-'));
      interop = join(directory, 'interop');
      const env = {
        ...process.env,
        GO111MODULE: 'off',
        GOPATH,
        GOFLAGS: '',
        GOCACHE: join(directory, 'cache'),
      };
      execFileSync('go', ['build', '-o', interop, 'main.go'], {
        cwd: join(import.meta.dirname, '../../spec/interop/go'),
        env,
      });
    }, 300_000);
    afterAll(() => rmSync(directory, { recursive: true, force: true }));

    function file(name: string, content: Uint8Array | string): string {
      const path = join(directory, name);
      writeFileSync(path, content);
      return path;
    }

    function go(...args: string[]): { status: number | null; output: string; bytes: Uint8Array } {
      const { status, stdout } = spawnSync(interop, args);
      return { status, output: stdout.toString('utf8'), bytes: new Uint8Array(stdout) };
    }

    const origin = 'counterfoil/0123456789abcdef';
    const seed = new Uint8Array(32).map((_, i) => 3 * i);
    const signer = makeSigner(origin, seed);
    const vkey = encodeVerifierKey(signer);
    const entries = Array.from({ length: 700 }, (_, i) => `{"kind":"note","seq":${i + 1}}`);
    const leaves = entries.map((entry) => leafHash(bytes(entry)));

    async function proofOf(index: number, size: number): Promise<Parameters<typeof encodeTlogProof>[0]> {
      const part = leaves.slice(0, size);
      const checkpoint = signCheckpoint({ origin, size, root: rootOf(part) }, signer);
      return { index, hashes: await proveInclusion(index, size, tilesOf(part).read), checkpoint };
    }

    function check(proof: Uint8Array | string, entry: string, key = vkey): ReturnType<typeof go> {
      return go('check', file('proof', proof), file('entry', entry), key);
    }

    it('accepts our proofs at many tree sizes', async () => {
      for (const size of [1, 2, 3, 5, 7, 8, 100, 255, 256, 257, 511, 512, 513, 700]) {
        for (const index of new Set([0, Math.floor(size / 2), size - 1])) {
          const { status, output } = check(encodeTlogProof(await proofOf(index, size)), entries[index]!);
          expect(output).toBe(`OK: entry ${index + 1} of ${size} in ${origin}\n`);
          expect(status).toBe(0);
        }
      }
      const extra = encodeTlogProof({ ...(await proofOf(6, 9)), extra: bytes('any') });
      expect(check(extra, entries[6]!).status).toBe(0);
    });

    it('refuses the broken ones', async () => {
      const proof = await proofOf(300, 700);
      const encoded = text(encodeTlogProof(proof));
      expect(check(encoded, entries[300]!).status).toBe(0);
      const other = makeSigner(origin, new Uint8Array(32).fill(8));
      const broken: [string, string | Uint8Array, string, string?][] = [
        ['another entry', encoded, entries[301]!],
        ['a newline after the entry', encoded, `${entries[300]}\n`],
        ['another index', encoded.replace('index 300', 'index 301'), entries[300]!],
        ['a hash less', encodeTlogProof({ ...proof, hashes: proof.hashes.slice(1) }), entries[300]!],
        ['a hash more', encodeTlogProof({ ...proof, hashes: [...proof.hashes, leaves[0]!] }), entries[300]!],
        ['another size', encoded.replace('\n700\n', '\n701\n'), entries[300]!],
        ['another origin', encoded.replace(origin, 'counterfoil/0123456789abcdee'), entries[300]!],
        ['another key', encoded, entries[300]!, encodeVerifierKey(other)],
        ...proof.hashes.map((_, i): [string, Uint8Array, string] => {
          const hashes = proof.hashes.map((hash, j) => (i === j ? flipped(hash, i) : hash));
          return [`a bit of hash ${i}`, encodeTlogProof({ ...proof, hashes }), entries[300]!];
        }),
      ];
      for (const [what, wrong, entry, key] of broken) {
        const { status, output } = check(wrong, entry, key);
        expect([what, status, output.startsWith('FAILED: ')]).toEqual([what, 1, true]);
      }
    });

    it('reads our signer key, and we verify what it signs', () => {
      const body = 'a note\n\nwith a blank line — and é\n';
      const skey = file('skey', `${encodeSignerKey(origin, seed)}\n`);
      const { status, bytes: signed } = go('sign', skey, file('text', body));
      expect(status).toBe(0);
      const note = parseNote(signed);
      expect(note.text).toBe(body);
      expect(verifyNote(note, [signer]).verified).toEqual([signer]);
      // Ed25519 is deterministic, so the two notes are the same to the byte.
      expect(signed).toEqual(signNote(body, [signer]));
    });

    it('opens the notes we sign, and not the changed ones', () => {
      const signed = signNote('text\n', [signer, makeSigner('other', new Uint8Array(32))]);
      expect(go('open', file('note', signed), vkey)).toMatchObject({ status: 0, output: 'text\n' });
      expect(go('open', file('note', flipped(signed, 0)), vkey).status).toBe(1);
    });
  },
);
