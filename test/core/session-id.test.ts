// spec/vectors/session-id.json: the session's id, recomputed here from the formula alone, and by the product's code.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sessionIdOf } from '../../src/core/index.ts';
import { GENESIS } from '../../src/format/index.ts';

interface Vector {
  readonly name: string;
  readonly auth_key: string;
  readonly block: string;
  readonly prev_hash: string;
  readonly session_id: string;
  readonly valid: boolean;
}

const file = join(import.meta.dirname, '../../spec/vectors/session-id.json');
const ZEROS = '0'.repeat(64);
const KEY = '11'.repeat(32);
/** As explorers show it, with the zeros first. */
const BLOCK = '00000000000000000001c4d7a1d1d3f0b8e2a5c6f7e8d9c0b1a293847566abcd';
const PREV = 'fe'.repeat(32);

const reversed = (hex: string): string => Buffer.from(hex, 'hex').reverse().toString('hex');
const hash = (...parts: readonly string[]): string =>
  createHash('sha256')
    .update(Buffer.from(parts.join(''), 'hex'))
    .digest('hex');

function vectors(): Vector[] {
  const good = (name: string, auth_key: string, block: string, prev_hash: string): Vector => ({
    name,
    auth_key,
    block,
    prev_hash,
    session_id: hash(auth_key, block, prev_hash),
    valid: true,
  });
  const bad = (name: string, session_id: string): Vector => ({
    name,
    auth_key: KEY,
    block: BLOCK,
    prev_hash: PREV,
    session_id,
    valid: false,
  });
  return [
    good('no key, no block, behind the genesis hash', ZEROS, ZEROS, GENESIS),
    good('no key, no block', ZEROS, ZEROS, PREV),
    good('a key and a block, in display order', KEY, BLOCK, PREV),
    bad('the block in the order of the wire', hash(KEY, reversed(BLOCK), PREV)),
    bad('hex instead of raw bytes', createHash('sha256').update(`${KEY}${BLOCK}${PREV}`).digest('hex')),
    bad('absent parts left out instead of zeros', hash(PREV)),
    bad('the parts in another order', hash(PREV, BLOCK, KEY)),
  ];
}

if (process.env.UPDATE_VECTORS === '1') {
  const about =
    'session_id = SHA-256(auth_key ‖ block ‖ prev_hash), 32 raw bytes each, zeros where there is none; block in display order. Not valid: another value than that.';
  writeFileSync(file, `${JSON.stringify({ about, vectors: vectors() }, null, 1)}\n`);
}

describe('session-id.json', () => {
  const pinned = (JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] }).vectors;

  it('is what the formula gives', () => {
    expect(pinned).toEqual(vectors());
    expect(pinned.filter(({ valid }) => valid).length).toBeLessThanOrEqual(pinned.length / 2);
  });

  it.each(pinned)('G3 $name', ({ auth_key, block, prev_hash, session_id, valid }) => {
    const id = sessionIdOf({ authKey: auth_key, blockHash: block, prevHash: prev_hash });
    expect(id === session_id).toBe(valid);
    if (auth_key === ZEROS && block === ZEROS) expect(sessionIdOf({ prevHash: prev_hash })).toBe(session_id);
  });

  it('refuses what has not 32 bytes', () => {
    for (const prevHash of ['', 'ab', 'AB'.repeat(32), `${PREV}00`])
      expect(() => sessionIdOf({ prevHash })).toThrow();
    expect(() => sessionIdOf({ prevHash: PREV, blockHash: 'ab'.repeat(31) })).toThrow();
    expect(() => sessionIdOf({ prevHash: PREV, authKey: 'ab'.repeat(33) })).toThrow();
  });

  it('is the worked example of spec/recording.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../spec/recording.md'), 'utf8');
    expect(page).toContain(`session_id  ${hash(ZEROS, ZEROS, GENESIS)}`);
  });
});
