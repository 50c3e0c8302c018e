// Our own vectors, spec/vectors/*.json, which any implementation in any language can run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ed25519Verify } from '#platform';
import {
  encodeHex,
  encodeTilePath,
  encodeVerifierKey,
  keyRotateMessage,
  leafHash,
  openCheckpoint,
  ParseError,
  parseBase64,
  parseCanonicalJson,
  parseCheckpoint,
  parseHex,
  parseNote,
  parseSignerKey,
  parseTilePath,
  parseTlogProof,
  parseVerifierKey,
  type Tile,
  verifyConsistency,
  verifyInclusion,
  verifyNote,
} from '../../src/core/index.ts';
import { bytes, parseOrUndefined, text } from './parser-property.ts';
import { rootOf } from './tree.ts';

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../spec/vectors', `${name}.json`), 'utf8')) as T;

/** Each list holds at least as many cases that must fail as cases that must pass. */
function atLeastAsManyFail(passes: readonly boolean[]): void {
  it('fail at least as often as they pass', () => {
    const good = passes.filter((pass) => pass).length;
    expect(good).toBeGreaterThan(0);
    expect(passes.length - good).toBeGreaterThanOrEqual(good);
  });
}

interface Merkle {
  leaf_hashes: { data: string; hash: string }[];
  roots: { leaves: number; root: string }[];
  inclusion: {
    name: string;
    index: number;
    size: number;
    leaf_hash: string;
    proof: string[];
    root: string;
    valid: boolean;
  }[];
  consistency: {
    name: string;
    size1: number;
    root1: string;
    size2: number;
    root2: string;
    proof: string[];
    valid: boolean;
  }[];
  tile_paths: { path: string; tile: Tile | null }[];
}

describe('merkle.json', () => {
  const vectors = read<Merkle>('merkle');
  const hex = (h: string) => parseHex(h);
  const all = [...vectors.inclusion, ...vectors.consistency].map(({ valid }) => valid);
  atLeastAsManyFail([...all, ...vectors.tile_paths.map(({ tile }) => tile !== null)]);

  it.each(vectors.leaf_hashes)('leaf hash of $data', ({ data, hash }) => {
    expect(encodeHex(leafHash(hex(data)))).toBe(hash);
  });
  it.each(vectors.roots)('root of $leaves leaves', ({ leaves, root }) => {
    const hashes = Array.from({ length: leaves }, (_, i) => leafHash(bytes(`entry ${i}`)));
    expect(encodeHex(rootOf(hashes))).toBe(root);
  });
  it.each(vectors.inclusion)('inclusion: $name', (v) => {
    expect(verifyInclusion(v.index, v.size, hex(v.leaf_hash), v.proof.map(hex), hex(v.root))).toBe(v.valid);
  });
  it.each(vectors.consistency)('consistency: $name', (v) => {
    expect(verifyConsistency(v.size1, hex(v.root1), v.size2, hex(v.root2), v.proof.map(hex))).toBe(v.valid);
  });
  it.each(vectors.tile_paths)('tile path $path', ({ path, tile }) => {
    if (tile === null) return expect(() => parseTilePath(path)).toThrow(ParseError);
    expect(parseTilePath(path)).toEqual(tile);
    expect(encodeTilePath(tile)).toBe(path);
  });
});

interface Notes {
  verifier_keys: { name: string; vkey: string; valid: boolean }[];
  signer_keys: { name: string; skey: string; vkey: string | null }[];
  notes: {
    name: string;
    note_hex: string | null;
    note_repeat?: { prefix_hex: string; times: number; rest_hex: string };
    vkeys: string[];
    result: 'malformed' | { verified: string[]; invalid: string[]; unknown: number };
  }[];
}

describe('note.json', () => {
  const vectors = read<Notes>('note');
  atLeastAsManyFail(vectors.verifier_keys.map(({ valid }) => valid));
  atLeastAsManyFail(vectors.signer_keys.map(({ vkey }) => vkey !== null));
  atLeastAsManyFail(vectors.notes.map(({ result }) => result !== 'malformed' && result.invalid.length === 0));

  it.each(vectors.verifier_keys)('verifier key: $name', ({ vkey, valid }) => {
    if (!valid) return expect(() => parseVerifierKey(vkey)).toThrow(ParseError);
    expect(encodeVerifierKey(parseVerifierKey(vkey))).toBe(vkey);
  });
  it.each(vectors.signer_keys)('signer key: $name', ({ skey, vkey }) => {
    if (vkey === null) return expect(() => parseSignerKey(skey)).toThrow(ParseError);
    expect(encodeVerifierKey(parseSignerKey(skey))).toBe(vkey);
  });
  it.each(vectors.notes)('note: $name', ({ note_hex, note_repeat: repeat, vkeys, result }) => {
    const whole = note_hex ?? (repeat ? repeat.prefix_hex.repeat(repeat.times) + repeat.rest_hex : '');
    const note = parseOrUndefined(parseNote, parseHex(whole));
    if (note === undefined) return expect(result).toBe('malformed');
    const { verified, invalid, unknown } = verifyNote(note, vkeys.map(parseVerifierKey));
    const names = (keys: typeof verified) => keys.map(encodeVerifierKey);
    expect({ verified: names(verified), invalid: names(invalid), unknown }).toEqual(result);
  });
});

interface Checkpoints {
  checkpoints: {
    name: string;
    text: string;
    checkpoint: { origin: string; size: number; root: string } | null;
  }[];
  key_rotations: {
    name: string;
    origin: string;
    seq: number;
    prev_hash: string;
    root: string;
    old_key: string;
    new_key: string;
    signature: string;
    message?: string;
    valid: boolean;
  }[];
}

describe('checkpoint.json', () => {
  const vectors = read<Checkpoints>('checkpoint');
  atLeastAsManyFail(vectors.checkpoints.map(({ checkpoint }) => checkpoint !== null));
  atLeastAsManyFail(vectors.key_rotations.map(({ valid }) => valid));

  it.each(vectors.checkpoints)('checkpoint: $name', ({ text: body, checkpoint }) => {
    if (checkpoint === null) return expect(() => parseCheckpoint(body)).toThrow(ParseError);
    const { root, ...rest } = parseCheckpoint(body);
    expect({ ...rest, root: encodeHex(root) }).toEqual(checkpoint);
  });
  it.each(vectors.key_rotations)('key rotation: $name', (v) => {
    const message = keyRotateMessage({
      origin: v.origin,
      seq: v.seq,
      prevHash: v.prev_hash,
      root: parseHex(v.root),
      oldKey: parseHex(v.old_key),
      newKey: parseHex(v.new_key),
    });
    if (v.message !== undefined) expect(text(message)).toBe(v.message);
    expect(ed25519Verify(parseHex(v.old_key), message, parseBase64(v.signature))).toBe(v.valid);
  });
});

interface Proofs {
  proofs: { name: string; proof: string; entry: string; vkey: string; result: string }[];
}

function judge(proof: string, entry: string, vkey: string): string {
  const parsed = parseOrUndefined(parseTlogProof, bytes(proof));
  if (parsed === undefined) return 'malformed';
  const { checkpoint, note } = openCheckpoint(parsed.checkpoint);
  const { verified, invalid } = verifyNote(note, [parseVerifierKey(vkey)]);
  if (invalid.length > 0) return 'bad signature';
  if (verified.length === 0) return 'unknown key';
  const leaf = leafHash(bytes(entry));
  const included = verifyInclusion(parsed.index, checkpoint.size, leaf, parsed.hashes, checkpoint.root);
  return included ? 'ok' : 'not included';
}

describe('tlog-proof.json', () => {
  const { proofs } = read<Proofs>('tlog-proof');
  atLeastAsManyFail(proofs.map(({ result }) => result === 'ok'));
  it.each(proofs)('$name', ({ proof, entry, vkey, result }) => {
    expect(judge(proof, entry, vkey)).toBe(result);
  });
});

interface Texts {
  texts: { name: string; hex: string; canonical: boolean }[];
}

describe('canonical-json.json', () => {
  const { texts } = read<Texts>('canonical-json');
  atLeastAsManyFail(texts.map(({ canonical }) => canonical));
  it.each(texts)('$name', ({ hex, canonical }) => {
    expect(parseOrUndefined(parseCanonicalJson, parseHex(hex)) !== undefined).toBe(canonical);
  });
});
