// The key store on real files: who is let in, who is not, and what those find who touch its files.
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ParseError } from '../../src/core/index.ts';
import {
  addKey,
  encodeAuthKey,
  openAuth,
  parseAuthKey,
  presentKey,
  readKeys,
  revokeKey,
  withdrawKey,
} from '../../src/session/index.ts';
import { temporary } from '../temporary.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const made = (directory: string, name = 'laptop') =>
  addKey(directory, name, { random: randomBytes, now: NOW });
/** A store with one key, which is presented. */
function store(): { readonly directory: string; readonly id: string; readonly key: string } {
  const directory = join(temporary(), 'auth');
  const { id, key } = made(directory);
  presentKey(directory, key, NOW);
  return { directory, id, key };
}
const begin = (directory: string, given?: string) => openAuth(directory, { given, now: () => NOW }).begin();
const reason = (directory: string, given?: string) => begin(directory, given).failure?.reason;

describe('an auth key', () => {
  it('G1a is 256 random bits, as text that says what it is', () => {
    const bytes = randomBytes(32);
    const text = encodeAuthKey(bytes);
    expect(text).toMatch(/^foilkey_[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(parseAuthKey(text))).toEqual(bytes);
    const { directory } = store();
    expect(new Set(Array.from({ length: 20 }, (_, i) => made(directory, `k${i}`).key)).size).toBe(20);
  });

  it.each([
    '',
    'foilkey_',
    `foilkey_${'A'.repeat(42)}`,
    `foilkey_${'A'.repeat(44)}`,
    // 258 bits: the last two must be nothing.
    `foilkey_${'A'.repeat(42)}B`,
    `foilkey_${'A'.repeat(42)}+`,
    ` foilkey_${'A'.repeat(43)}`,
    `FOILKEY_${'A'.repeat(43)}`,
  ])('has one form: not %j', (text) => {
    expect(() => parseAuthKey(text)).toThrow(ParseError);
    const { directory } = store();
    expect(reason(directory, text)).toBe('malformed');
  });
});

describe('the key store', () => {
  it('G1b holds the id of a key and not the key, for its owner alone', () => {
    const { directory, id, key } = store();
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(directory))
      expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(directory, id), 'utf8'))).toEqual({
      v: 1,
      id,
      name: 'laptop',
      created: '2026-01-02T03:04:05.000Z',
      revoked: null,
    });
    withdrawKey(directory);
    const letters = key.slice('foilkey_'.length);
    for (const name of readdirSync(directory)) {
      const text = `${name} ${readFileSync(join(directory, name), 'utf8')}`;
      for (const form of [letters, Buffer.from(parseAuthKey(key)).toString('hex')])
        expect(text).not.toContain(form);
    }
  });

  it('G1b whatever the umask is', () => {
    const before = process.umask(0);
    try {
      const { directory } = store();
      for (const name of ['.', ...readdirSync(directory)])
        expect(statSync(join(directory, name)).mode & 0o077, name).toBe(0);
    } finally {
      process.umask(before);
    }
  });

  it('asks for nothing where there is none, and for a key once there is one, revoked or not', () => {
    const directory = join(temporary(), 'auth');
    const auth = openAuth(directory);
    expect(auth.begin()).toEqual({ key: null, failure: null });
    expect(auth.check(null)).toBeNull();
    made(directory);
    expect(auth.begin().failure).toMatchObject({ reason: 'none-presented', key: null });
    expect(auth.check(null)?.reason).toBe('none-presented');
    revokeKey(directory, 'laptop', NOW);
    expect(auth.begin().failure?.reason).toBe('none-presented');
    expect(auth.check(null)?.message).toContain('foil auth present');
  });

  it('lets in what is presented, and what is given in its place', () => {
    const { directory, id, key } = store();
    expect(begin(directory)).toEqual({ key: { id, name: 'laptop' }, failure: null });
    const other = made(directory, 'ci');
    expect(begin(directory, other.key).key?.name).toBe('ci');
    withdrawKey(directory);
    expect(reason(directory)).toBe('none-presented');
    expect(begin(directory, key).key?.id).toBe(id);
  });

  it('a key that is given where there is no store is not passed over', () => {
    expect(reason(join(temporary(), 'auth'), encodeAuthKey(randomBytes(32)))).toBe('unknown-key');
  });

  it('G1d revoking holds at once, for sessions that have begun and for those to come', () => {
    const { directory, id } = store();
    const auth = openAuth(directory);
    expect(auth.check(id)).toBeNull();
    revokeKey(directory, id.slice(0, 12), NOW);
    expect(auth.check(id)).toMatchObject({ reason: 'revoked', key: id });
    expect(auth.begin().failure).toMatchObject({ reason: 'revoked', key: id });
    expect(auth.check(id)?.message).toMatch(/laptop was revoked on 2026-01-02.*foil auth add/);
  });

  it('names are those of good keys: a revoked one leaves its name, and can not be revoked twice', () => {
    const { directory, id } = store();
    expect(() => made(directory)).toThrow(/already/);
    revokeKey(directory, 'laptop', NOW);
    expect(() => revokeKey(directory, 'laptop', NOW)).toThrow(/no valid key/);
    expect(made(directory).id).not.toBe(id);
    expect(() => made(directory, '../up')).toThrow(RangeError);
    expect(() => made(directory, encodeAuthKey(randomBytes(32)))).toThrow(RangeError);
  });

  it('what is presented must be good, else what was presented before stays', () => {
    const { directory, id } = store();
    expect(() => presentKey(directory, encodeAuthKey(randomBytes(32)), NOW)).toThrow(/not in the key store/);
    expect(() => presentKey(directory, 'nonsense', NOW)).toThrow(/not an auth key/);
    expect(begin(directory).key?.id).toBe(id);
    expect(readKeys(directory).keys).toMatchObject([{ id, presented: true }]);
  });

  it('no failure says anything of the key that was tried', () => {
    const { directory } = store();
    const wrong = encodeAuthKey(randomBytes(32));
    for (const given of [wrong, `${wrong}x`, wrong.slice(0, 20)]) {
      const failure = begin(directory, given).failure;
      expect(failure?.key).toBeNull();
      expect(JSON.stringify(failure)).not.toContain(given.slice(8, 18));
    }
  });
});

describe('files that were touched are a problem that is named, never a pass', () => {
  it.each<[string, (directory: string, id: string) => void]>([
    ['the directory is open to others', (directory) => chmodSync(directory, 0o755)],
    [
      'the directory is a link',
      (directory) => {
        renameSync(directory, `${directory}-real`);
        symlinkSync(`${directory}-real`, directory);
      },
    ],
    [
      'the directory is a file',
      (directory) => {
        renameSync(directory, `${directory}-real`);
        writeFileSync(directory, '');
      },
    ],
    ["the key's file is open to others", (directory, id) => chmodSync(join(directory, id), 0o644)],
    [
      "the key's file is a link",
      (directory, id) => {
        renameSync(join(directory, id), join(directory, 'elsewhere'));
        symlinkSync(join(directory, 'elsewhere'), join(directory, id));
      },
    ],
    [
      "the key's file is a directory",
      (directory, id) => {
        unlinkSync(join(directory, id));
        mkdirSync(join(directory, id), { mode: 0o700 });
      },
    ],
    ["the key's file is no JSON", (directory, id) => writeFileSync(join(directory, id), '{"v":1')],
    ["the key's file is empty", (directory, id) => writeFileSync(join(directory, id), '')],
    [
      "the key's file is of another version",
      (directory, id) => writeFileSync(join(directory, id), '{"v":2}'),
    ],
    ["the key's file is long", (directory, id) => writeFileSync(join(directory, id), ' '.repeat(5000))],
    [
      'the file of another key was put in its place',
      (directory, id) => copyFileSync(join(directory, made(directory, 'other').id), join(directory, id)),
    ],
  ])('%s', (_, touch) => {
    const { directory, id, key } = store();
    touch(directory, id);
    const auth = openAuth(directory, { given: key });
    expect(auth.check(id)).toMatchObject({ reason: 'unreadable' });
    expect(auth.begin()).toMatchObject({ key: null, failure: { reason: 'unreadable' } });
  });

  it('two files that were swapped: neither key is good, so a revoked one does not come back', () => {
    const { directory, id, key } = store();
    const other = made(directory, 'other');
    revokeKey(directory, 'laptop', NOW);
    renameSync(join(directory, id), join(directory, 'aside'));
    renameSync(join(directory, other.id), join(directory, id));
    renameSync(join(directory, 'aside'), join(directory, other.id));
    for (const [which, text] of [
      [id, key],
      [other.id, other.key],
    ] as const) {
      expect(openAuth(directory).check(which)?.reason).toBe('unreadable');
      expect(reason(directory, text)).toBe('unreadable');
    }
    expect(readKeys(directory)).toMatchObject({ keys: [], problems: [{}, {}] });
  });

  it('a session whose key file was removed, or whose whole store, does not go on', () => {
    const { directory, id } = store();
    unlinkSync(join(directory, id));
    expect(openAuth(directory).check(id)).toMatchObject({ reason: 'unknown-key', key: id });
    // What is presented is still there, and nobody knows it.
    expect(reason(directory)).toBe('unknown-key');
    renameSync(directory, `${directory}-away`);
    expect(openAuth(directory).check(id)?.reason).toBe('unknown-key');
  });

  it.each<[string, (file: string) => void]>([
    ['open to others', (file) => chmodSync(file, 0o640)],
    [
      'a link',
      (file) => {
        renameSync(file, `${file}-real`);
        symlinkSync(`${file}-real`, file);
      },
    ],
    ['long', (file) => writeFileSync(file, 'x'.repeat(300))],
  ])('what is presented is not taken from a file that is %s', (_, touch) => {
    const { directory } = store();
    touch(join(directory, 'presented'));
    expect(reason(directory)).toBe('unreadable');
  });

  it.skipIf(process.getuid?.() !== 0)('what belongs to another user is not believed', async () => {
    const { chownSync } = await import('node:fs');
    const { directory, id } = store();
    chownSync(join(directory, id), 65_534, 65_534);
    expect(openAuth(directory).check(id)).toMatchObject({ reason: 'unreadable', message: /another user/ });
    chownSync(directory, 65_534, 65_534);
    expect(openAuth(directory).check(null)?.reason).toBe('unreadable');
  });
});

describe('wrong keys', () => {
  const wrong = (): string => encodeAuthKey(randomBytes(32));
  /** One try at a moment, in seconds. */
  const tryAt = (directory: string, seconds: number, given = wrong()) =>
    openAuth(directory, { given, now: () => NOW + 1000 * seconds }).begin();

  it('G1e after five there is a pause, in which a right one is refused as well', () => {
    const { directory, key, id } = store();
    for (let i = 0; i < 5; i++) expect(tryAt(directory, i).failure?.reason).toBe('unknown-key');
    expect(tryAt(directory, 5, key).failure).toMatchObject({ reason: 'too-many-attempts', key: null });
    expect(tryAt(directory, 33, key).failure?.reason).toBe('too-many-attempts');
    expect(tryAt(directory, 35, key).key?.id).toBe(id);
    // A right one begins the count anew.
    expect(tryAt(directory, 36).failure?.reason).toBe('unknown-key');
    expect(tryAt(directory, 37, key).key?.id).toBe(id);
  });

  it('G1e a look at what is presented is no attempt, and forgets none', () => {
    const { directory, key } = store();
    const look = (given: string) => openAuth(directory, { given, now: () => NOW }).isPresented();
    for (let i = 0; i < 9; i++) expect(look(wrong())).toBe(false);
    expect(look(key)).toBe(true);
    for (let i = 0; i < 5; i++) expect(tryAt(directory, 0).failure?.reason).toBe('unknown-key');
    expect(look(key)).toBe(false);
    expect(tryAt(directory, 1, key).failure?.reason).toBe('too-many-attempts');
  });

  it('G1e each further one makes the pause longer, up to an hour', () => {
    const { directory, key } = store();
    for (let i = 0; i < 5; i++) tryAt(directory, 0);
    let at = 0;
    for (const pause of [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]) {
      expect(tryAt(directory, at + pause - 1, key).failure?.reason).toBe('too-many-attempts');
      at += pause;
      expect(tryAt(directory, at).failure?.reason).toBe('unknown-key');
    }
    // A minute of quiet behind the pause, and it is forgotten.
    at += 3600 + 61;
    for (let i = 0; i < 4; i++) expect(tryAt(directory, at).failure?.reason).toBe('unknown-key');
    expect(tryAt(directory, at, key).failure).toBeNull();
  });

  it('G1e a thousand tries are looked at five times, and leave a small file', () => {
    const { directory, key } = store();
    const seen = Array.from({ length: 1000 }, () => tryAt(directory, 1).failure?.reason);
    expect(seen.filter((each) => each === 'unknown-key').length).toBe(5);
    expect(tryAt(directory, 1, key).key).toBeNull();
    // Those of a year, each looked at.
    for (let i = 1; i < 200; i++) tryAt(directory, 7200 * i);
    expect(statSync(join(directory, 'attempts')).size).toBeLessThan(2000);
  });

  it('the count can not be kept elsewhere, nor a clock that was set back make a pause of a year', () => {
    const { directory, key } = store();
    for (let i = 0; i < 5; i++) tryAt(directory, 0);
    expect(tryAt(directory, -86_400 * 365, key).key).not.toBeNull();
    for (let i = 0; i < 5; i++) tryAt(directory, 0);
    renameSync(join(directory, 'attempts'), join(directory, 'aside'));
    symlinkSync('/dev/null', join(directory, 'attempts'));
    expect(tryAt(directory, 1, key).failure?.reason).toBe('unreadable');
  });

  it('keys that were revoked and texts that are no keys are no guesses', () => {
    const { directory, key } = store();
    const other = made(directory, 'other');
    revokeKey(directory, 'other', NOW);
    for (let i = 0; i < 20; i++) {
      expect(tryAt(directory, 0, other.key).failure?.reason).toBe('revoked');
      expect(tryAt(directory, 0, 'nothing').failure?.reason).toBe('malformed');
    }
    expect(tryAt(directory, 0, key).failure).toBeNull();
  });
});
