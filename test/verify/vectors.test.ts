// The pinned vectors of spec/vectors: entries, whole ledgers and proofs. The same ones run in a browser.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import {
  type ContentAlgorithm,
  contentCommitment,
  encodeBase64,
  ParseError,
  parseHex,
} from '../../src/core/index.ts';
import * as verifier from '../../src/entry/verify.ts';
import {
  EntryScan,
  encodeContentRef,
  hashOfEntry,
  parseContentRef,
  parseEntry,
} from '../../src/format/index.ts';
import { scanPack } from '../../src/verify/index.ts';
import {
  type ContentVectors,
  contentVectors,
  type EntryVector,
  entryVectors,
  type LedgerVector,
  ledgerFiles,
  type ProofVector,
  proofVectors,
} from './make-vectors.ts';
import { entryBytes, runEntry, runLedger, runProof } from './run-vectors.ts';

const root = join(import.meta.dirname, '../../spec/vectors');
const read = <T>(name: string): T => JSON.parse(readFileSync(join(root, name), 'utf8')) as T;
const write = (name: string, value: unknown): void =>
  writeFileSync(join(root, name), `${JSON.stringify(value, null, 1)}\n`);

if (process.env.UPDATE_VECTORS === '1') {
  mkdirSync(join(root, 'ledger'), { recursive: true });
  write('entry.json', {
    about:
      'Lines without their newline: text, hex where they are no UTF-8, or before + text × times + after. ok: the one encoding of an entry, with its entry_hash; else the code of what is wrong.',
    vectors: entryVectors(),
  });
  write('content.json', contentVectors());
  const proofs: ProofVector[] = [];
  for (const vector of await proofVectors())
    proofs.push({ ...vector, ...(await runProof(verifier, vector)) });
  write('proof.json', {
    about:
      'A proof of one entry with its ledger absent: tlog-proof and entry in base64, pinned verifier keys.',
    vectors: proofs,
  });
  for (const [name, { made, keys }] of Object.entries(await ledgerFiles())) {
    const files = Object.fromEntries([...made.files].map(([path, bytes]) => [path, encodeBase64(bytes)]));
    const vector = { name, files, keys };
    write(`ledger/${name}.json`, { ...vector, expect: await runLedger(verifier, vector) });
  }
}

describe('spec/vectors/entry.json', () => {
  const { vectors } = read<{ vectors: EntryVector[] }>('entry.json');
  const scan = new EntryScan();

  it('is what the maker gives, with at least as many that must fail', () => {
    expect(vectors).toEqual(entryVectors());
    const good = vectors.filter(({ expect: expected }) => expected === 'ok').length;
    expect(good).toBeGreaterThan(15);
    expect(vectors.length).toBeGreaterThanOrEqual(2 * good);
  });

  for (const vector of vectors) {
    it(`${vector.expect}: ${vector.name}`, () => {
      const bytes = entryBytes(vector);
      let found = 'ok';
      try {
        const entry = parseEntry(bytes);
        expect(hashOfEntry(entry)).toBe(entry.entry_hash);
      } catch (error) {
        if (!(error instanceof ParseError)) throw error;
        found = error.code;
      }
      expect(found).toBe(vector.expect);
      expect(scan.scan(bytes, 0, bytes.length)).toBe(vector.expect === 'ok');
      expect(runEntry(verifier, vector)).toBe(vector.expect);
    });
  }
});

describe('spec/vectors/content.json', () => {
  const vectors = read<ContentVectors>('content.json');

  it('is what the maker gives', () => expect(vectors).toEqual(contentVectors()));

  it('commitments', () => {
    for (const { salt, content, commitment } of vectors.commitments) {
      const algorithm = commitment.slice(0, commitment.indexOf(':')) as ContentAlgorithm;
      const hash = contentCommitment(algorithm, salt === null ? null : parseHex(salt), utf8Encode(content));
      expect(`${algorithm}:${hash}`).toBe(commitment);
    }
  });

  for (const { name, reference, expect: expected } of vectors.references) {
    it(`a reference, ${expected}: ${name}`, () => {
      if (expected === 'ok') expect(encodeContentRef(parseContentRef(reference))).toEqual(reference);
      else expect(() => parseContentRef(reference)).toThrow(expect.objectContaining({ code: expected }));
    });
  }

  for (const { name, hex, kept, torn, damaged } of vectors.packs) {
    it(`a pack: ${name}`, async () => {
      const found = { kept: [] as string[], torn: 0, damaged: false };
      await scanPack(verifier.filesFromMap(new Map([['pack', parseHex(hex)]])), 'pack', 0, undefined, {
        record: (header, good) => {
          if (good) found.kept.push(header.hash);
          else found.damaged = true;
        },
        torn: (bytes) => {
          found.torn += bytes;
        },
        damaged: () => {
          found.damaged = true;
        },
      });
      expect(found).toEqual({ kept, torn, damaged });
    });
  }
});

describe('spec/vectors/ledger', () => {
  const names = readdirSync(join(root, 'ledger'));
  const vectors = names.map((name) => read<LedgerVector>(`ledger/${name}`));

  it('holds at least as many broken ledgers as intact ones', () => {
    const intact = vectors.filter(({ expect: expected }) => expected.verdict === 'INTACT').length;
    expect(intact).toBeGreaterThan(5);
    expect(vectors.length).toBeGreaterThanOrEqual(2 * intact);
  });

  it('is made as the maker makes it', async () => {
    const ledgers = await ledgerFiles();
    expect(vectors.map(({ name }) => name).sort()).toEqual(Object.keys(ledgers).sort());
    for (const { name, files } of vectors) {
      const made = ledgers[name]?.made.files ?? new Map<string, Uint8Array>();
      expect(Object.keys(files)).toEqual([...made.keys()]);
      // Compressors differ from version to version, and what is signed over their result with them.
      if (name.startsWith('archive')) continue;
      for (const [path, bytes] of made) expect(encodeBase64(bytes), `${name} ${path}`).toBe(files[path]);
    }
  });

  for (const vector of vectors) {
    it(`${vector.expect.verdict}: ${vector.name}`, async () => {
      expect(await runLedger(verifier, vector)).toEqual(vector.expect);
    });
  }
});

describe('spec/vectors/proof.json', () => {
  const { vectors } = read<{ vectors: ProofVector[] }>('proof.json');
  for (const vector of vectors) {
    it(`${vector.valid ? 'holds' : 'does not hold'}: ${vector.name}`, async () => {
      expect(await runProof(verifier, vector)).toEqual({ valid: vector.valid, codes: vector.codes });
    });
  }
});
