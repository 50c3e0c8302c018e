// Sets of files as spec/pack.md defines them: which paths can lie in one folder everywhere, and the root over them.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assertPath,
  type FileHash,
  fileHashes,
  filesRoot,
  isFileOf,
  proveFile,
  sortedFiles,
} from '../../src/format/index.ts';
import { refusalOf } from '../harness/pack-vectors.ts';
import { file } from './tar-writer.ts';

const BAD_PATHS: readonly [why: string, path: string][] = [
  ['empty', ''],
  ['absolute', '/etc/passwd'],
  ['a drive', 'C:/x'],
  ['climbing', '../x'],
  ['climbing in the middle', 'a/../../x'],
  ['climbing at the end', 'a/..'],
  ['a dot', './a'],
  ['an empty segment', 'a//b'],
  ['a slash at the end', 'a/'],
  ['a backslash', 'a\\b'],
  ['NUL', 'a\0b'],
  ['a line break', 'a\nb'],
  ['DEL', 'a\x7fb'],
  ['a control character of the second set', 'a\x85b'],
  ...[...'<>:"|?*'].map((sign): [string, string] => [`a ${sign}`, `a${sign}b`]),
  ...[0x061c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2066, 0x2069].map((code): [string, string] => [
    `a mark of direction, ${code.toString(16)}`,
    `a${String.fromCodePoint(code)}b`,
  ]),
  ['a dot at the end of a name', 'a./b'],
  ['a space at the end of a name', 'a /b'],
  ['three dots', '...'],
  ['half a surrogate pair', 'a\ud800'],
  ['the other half', '\udc00a'],
  ['decomposed', 'u\u0308'],
  ['a character that NFC replaces', '\u212b'],
  ...['con', 'PRN', 'aux.txt', 'NUL.tar.gz', 'com1', 'Lpt9.md', 'a/nul/b'].map((path): [string, string] => [
    'a device',
    path,
  ]),
  ['1,025 bytes', 'a'.repeat(1025)],
  ['1,025 bytes in 514 characters', `${'ä'.repeat(511)}abc`],
  ['33 segments', 'a/'.repeat(32).concat('a')],
];

describe('a path', () => {
  it.each(BAD_PATHS)('is refused for %s: %j', (_, path) => {
    expect(refusalOf(() => assertPath(path))).toBe('BAD_PATH');
  });

  it.each([
    'AGENTS.md',
    '.claude/skills/x y/SKILL.md',
    '..a/b..c',
    '...a',
    ' a',
    'console',
    'com10',
    'nul-',
    'xcon',
    'com',
    '__proto__',
    'constructor',
    '你好/🧾',
    'a'.repeat(1024),
    'ä'.repeat(512),
    'a/'.repeat(31).concat('a'),
    "~$&'()+,;=@[]^`{}!#%",
  ])('is taken: %j', (path) => {
    expect(refusalOf(() => assertPath(path))).toBeUndefined();
  });

  it('is taken or refused with its code, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (path) => {
        expect([undefined, 'BAD_PATH']).toContain(refusalOf(() => assertPath(path)));
      }),
    );
  });
});

describe('a set of files', () => {
  it.each([
    ['the same path', 'a', 'a'],
    ['another case', 'a/README', 'a/readme'],
    ['another case beyond ASCII', 'Ä', 'ä'],
    ['capitals that are longer', 'straße', 'STRASSE'],
    ['a final sigma', 'ΟΔΟΣ', 'οδοσ'],
    ['two forms of the small sigma', 'οδος', 'οδοσ'],
    ['a ligature', 'ﬁle', 'file'],
    ['full width', 'Ａ', 'a'],
    ['a long s', 'ſ', 'S'],
    ['a superscript', 'x²', 'x2'],
    ['a file that is a folder', 'a', 'a/b'],
    ['a file that is a folder in another case', 'A', 'a/b'],
    ['a folder in two cases', 'A/b', 'a/c'],
    ['a folder in two cases further down', 'x/A/b', 'x/a/c'],
    ['a folder in two Unicode forms', 'ﬁ/b', 'fi/c'],
  ])('is refused for %s: %j, %j', (_, one, other) => {
    expect(refusalOf(() => sortedFiles([file(one), file(other)]))).toBe('DOUBLED_PATH');
    expect(refusalOf(() => sortedFiles([file(other), file(one)]))).toBe('DOUBLED_PATH');
    // Neither of them is at fault by itself.
    for (const path of [one, other]) expect(sortedFiles([file(path)])).toHaveLength(1);
  });

  it('takes files that share folders, and names that begin alike', () => {
    const paths = ['a/b', 'a/c/d', 'a/c/e', 'a-b', 'ab', 'a.b', 'b/a'];
    expect(sortedFiles(paths.map((path) => file(path))).map(({ path }) => path)).toEqual([...paths].sort());
  });

  it('has at most 20,000 files', () => {
    const files = Array.from({ length: 20_001 }, (_, i) => file(`f${i}`));
    expect(refusalOf(() => sortedFiles(files))).toBe('TOO_MANY_FILES');
    expect(sortedFiles(files.slice(1))).toHaveLength(20_000);
  });

  it('has at most 268,435,456 bytes together', () => {
    // Memory that nobody writes to is not taken from the machine.
    const half = new Uint8Array(134_217_728);
    const two = [
      { path: 'a', bytes: half },
      { path: 'b', bytes: half },
    ];
    expect(sortedFiles(two)).toHaveLength(2);
    expect(refusalOf(() => sortedFiles([...two, file('c', 'x')]))).toBe('TOO_LARGE');
  });
});

const sha256 = (...parts: (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** RFC 6962, section 2.1, as it is written there. */
function rootOf(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256('');
  if (leaves.length === 1) return leaves[0] as Buffer;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return sha256(Uint8Array.of(1), rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}

function hashesOf(size: number): FileHash[] {
  const files = Array.from({ length: size }, (_, i) =>
    file(`static/${String(i).padStart(2, '0')}.md`, `${i}`),
  );
  return fileHashes(files);
}

describe('C2 the root', () => {
  it.each(Array.from({ length: 21 }, (_, size) => size))('of %i files is that of RFC 6962', (size) => {
    const hashes = hashesOf(size);
    const leaves = hashes.map((pair) => sha256(Uint8Array.of(0), JSON.stringify(pair)));
    expect(filesRoot(hashes)).toBe(rootOf(leaves).toString('hex'));
  });

  it('changes with a path, a content, an order and a number', () => {
    const hashes = hashesOf(5);
    const [first, second, ...others] = hashes as [FileHash, FileHash, ...FileHash[]];
    const roots = [
      hashes,
      [['static/x.md', first[1]], second, ...others] as FileHash[],
      [[first[0], second[1]], second, ...others] as FileHash[],
      [second, first, ...others],
      [first, ...others],
      [...hashes, first],
    ].map(filesRoot);
    expect(new Set(roots).size).toBe(roots.length);
  });
});

describe('C2 a proof that a file is in a set', () => {
  const flipped = (hash: string): string => `${hash.startsWith('0') ? '1' : '0'}${hash.slice(1)}`;

  it.each(Array.from({ length: 20 }, (_, i) => i + 1))(
    'holds for each of %i files, and for nothing else',
    (size) => {
      const hashes = hashesOf(size);
      const root = filesRoot(hashes);
      const others = hashesOf(size + 1);
      hashes.forEach((each, index) => {
        const proof = proveFile(hashes, index);
        expect(isFileOf(each, proof, root)).toBe(true);
        const [path, hash] = each;
        const changes: [FileHash, typeof proof, string][] = [
          [[`${path}x`, hash], proof, root],
          [[path, flipped(hash)], proof, root],
          [others[index + 1] as FileHash, proof, root],
          [each, { ...proof, index: index + 1 }, root],
          [each, { ...proof, index: index - 1 }, root],
          [each, { ...proof, hashes: [...proof.hashes, root] }, root],
          [each, { ...proof, hashes: [root, ...proof.hashes] }, root],
          [each, proof, flipped(root)],
          [each, proof, filesRoot(others)],
          ...proof.hashes.flatMap((_, at): [FileHash, typeof proof, string][] => [
            [each, { ...proof, hashes: proof.hashes.map((one, i) => (i === at ? flipped(one) : one)) }, root],
            [each, { ...proof, hashes: proof.hashes.filter((_, i) => i !== at) }, root],
          ]),
        ];
        for (const [at, [one, wrong, of]] of changes.entries())
          if (isFileOf(one, wrong, of)) throw new Error(`file ${index} of ${size}: change ${at} was taken`);
      });
    },
  );

  it('is never thrown at: it holds or does not', () => {
    const hashes = hashesOf(3);
    const [root, proof] = [filesRoot(hashes), proveFile(hashes, 1)];
    const each = hashes[1] as FileHash;
    const odd: [FileHash, typeof proof, string][] = [
      [each, { ...proof, index: -1 }, root],
      [each, { ...proof, index: Number.NaN }, root],
      [each, { ...proof, index: 1.5 }, root],
      [each, { ...proof, size: 0 }, root],
      [each, { ...proof, size: Number.POSITIVE_INFINITY }, root],
      [each, { ...proof, hashes: [''] }, root],
      [each, { ...proof, hashes: ['zz'.repeat(32)] }, root],
      [each, { ...proof, hashes: Array.from({ length: 10_000 }, () => root) }, root],
      [each, proof, ''],
      [each, proof, root.toUpperCase().replace(/^[0-9]*/, '')],
      [['', ''], proof, root],
      [['a\ud800', each[1]], proof, root],
    ];
    for (const [one, wrong, of] of odd) expect(isFileOf(one, wrong, of)).toBe(false);
  });
});
