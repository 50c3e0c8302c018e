// The archive of spec/pack.md, read and written byte by byte. test/harness/vectors.test.ts has more that is refused.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeTar, parseTar } from '../../src/format/index.ts';
import { refusalOf } from '../harness/pack-vectors.ts';
import { BLOCK, file, paxFile, TAR_END, tarFile, tarHeader, tarOf, tarPadded } from './tar-writer.ts';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

describe('an archive', () => {
  it('of no files is 1,024 zero bytes', () => {
    expect(encodeTar([])).toEqual(new Uint8Array(1024));
    expect(parseTar(new Uint8Array(1024))).toEqual([]);
  });

  it('C1 has, for each file in order, a header with nothing but name and size, the content, and zeros', () => {
    const archive = encodeTar([file('b', 'x'.repeat(512)), file('a/z', 'hello'), file('C')]);
    expect(archive).toEqual(tarOf(tarFile('C'), tarFile('a/z', 'hello'), tarFile('b', 'x'.repeat(512))));
    expect(archive.length).toBe(4 * BLOCK + BLOCK + 2 * BLOCK);
  });

  it('C1 is sorted by UTF-16 code units, not by code points and not by a locale', () => {
    // By code points U+FB00 comes before U+1F9FE; by a locale, ä comes before z and b before C.
    const order = ['C', 'a-b', 'a.b', 'a/b', 'b', 'z', 'ä', '🧾', 'ﬀ'];
    const archive = encodeTar([...order].reverse().map((path) => file(path)));
    expect(parseTar(archive).map(({ path }) => path)).toEqual(order);
  });

  it.each([
    ['of 100 bytes in the name', 'n'.repeat(100), 'n'.repeat(100), ''],
    ['of 101 bytes cut at its slash', `d/${'n'.repeat(99)}`, 'n'.repeat(99), 'd'],
    ['of 257 bytes cut at 155', `${'d'.repeat(155)}/${'n'.repeat(100)}`, 'n'.repeat(100), 'd'.repeat(155)],
    [
      'cut at the first slash of two that fit',
      `${'d'.repeat(50)}/${'e'.repeat(50)}/${'n'.repeat(20)}`,
      `${'e'.repeat(50)}/${'n'.repeat(20)}`,
      'd'.repeat(50),
    ],
  ])('has a path %s', (_, path, name, prefix) => {
    expect(encodeTar([file(path)])).toEqual(tarOf(tarHeader(name, 0, { 345: prefix })));
    expect(parseTar(encodeTar([file(path)]))).toEqual([file(path)]);
  });

  it.each([
    ['not ASCII', 'ä', '11 path=ä\n'],
    ['without a slash to cut at', 'n'.repeat(101), `111 path=${'n'.repeat(101)}\n`],
    ['with too much before every slash', `${'d'.repeat(156)}/n`, undefined],
    ['with too much behind every slash', `d/${'n'.repeat(101)}`, undefined],
    // The length counts its own digits: 99 bytes would be 100 with the third.
    ['whose length gains a digit', `ä${'n'.repeat(88)}`, `99 path=ä${'n'.repeat(88)}\n`],
    ['whose length gains another digit', `ä${'n'.repeat(89)}`, `101 path=ä${'n'.repeat(89)}\n`],
  ])('has a path %s in a pax header', (_, path, record) => {
    const archive = encodeTar([file(path, 'content')]);
    const size = Number.parseInt(text(archive.subarray(124, 135)), 8);
    const written = Buffer.from(archive.subarray(BLOCK, BLOCK + size)).toString();
    expect(written).toBe(record ?? `${size} path=${path}\n`);
    expect(Buffer.byteLength(written)).toBe(Number.parseInt(written, 10));
    expect(archive).toEqual(tarOf(paxFile(written, 'content')));
    expect(parseTar(archive)).toEqual([file(path, 'content')]);
  });

  it('of any set of files is read back as that set, and has no other encoding', () => {
    const name = fc.stringMatching(/^[a-zäß🧾 _-]{0,60}[a-z]$/u).filter((each) => each === each.trim());
    const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((all) => all.join('/'));
    fc.assert(
      fc.property(fc.dictionary(path, fc.uint8Array({ maxLength: 1100 }), { maxKeys: 6 }), (contents) => {
        const files = Object.entries(contents).map(([each, bytes]) => ({ path: each, bytes }));
        let archive: Uint8Array;
        try {
          archive = encodeTar(files);
        } catch (error) {
          // Two of them can't lie in one folder, or one is a device.
          expect(['DOUBLED_PATH', 'BAD_PATH']).toContain((error as { code?: unknown }).code);
          return;
        }
        const read = parseTar(archive);
        expect(read.map((each) => each.path)).toEqual(files.map((each) => each.path).sort());
        for (const each of read)
          expect(Buffer.compare(each.bytes, contents[each.path] ?? new Uint8Array(1))).toBe(0);
        expect(Buffer.compare(encodeTar(read), archive)).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a reader of archives', () => {
  const whole = tarOf(tarFile('a', 'one'), paxFile('11 path=ä\n', 'two'));

  it('C1 takes no byte of an archive that is different: the files change, or it is refused', () => {
    for (let at = 0; at < whole.length; at++) {
      const changed = whole.slice();
      changed[at] = (changed[at] ?? 0) ^ 0x01;
      let read: unknown;
      if (refusalOf(() => (read = parseTar(changed))) !== undefined) continue;
      // The contents, and a path in a pax header, have no checksum here; they make another set of files.
      expect(read).not.toEqual(parseTar(whole));
    }
  });

  it('refuses an archive that is cut anywhere', () => {
    for (let length = 0; length < whole.length; length++)
      if (refusalOf(() => parseTar(whole.subarray(0, length))) !== 'CUT_SHORT')
        throw new Error(`cut at ${length}`);
  });

  it('refuses anything at all behind the end', () => {
    for (const behind of [1, 511, 512, 1024])
      for (const byte of [0, 1]) {
        const longer = new Uint8Array(Buffer.concat([whole, Buffer.alloc(behind, byte)]));
        expect(refusalOf(() => parseTar(longer))).toBe('TRAILING');
      }
  });

  it('does nothing but refuse what is no archive', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2048 }), (bytes) => {
        if (refusalOf(() => parseTar(bytes)) === undefined) expect(bytes).toEqual(new Uint8Array(1024));
      }),
    );
  });

  it('does nothing but refuse headers with any field', () => {
    const fields = fc.dictionary(
      fc.constantFrom('0', '100', '108', '116', '124', '136', '156', '157', '257', '265', '329', '345'),
      fc.string({ maxLength: 12, unit: 'binary-ascii' }),
    );
    fc.assert(
      fc.property(fields, (each) => {
        const archive = tarOf(tarHeader('a', 3, each as Record<number, string>), tarPadded('abc'));
        let read: ReturnType<typeof parseTar> = [];
        if (refusalOf(() => (read = parseTar(archive))) === undefined)
          expect(Buffer.compare(encodeTar(read), archive)).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['two pax headers', [tarFile('PaxHeader', '11 path=ä\n', { 156: 'x' }), paxFile('11 path=ä\n')]],
    ['a pax header at the end', [tarFile('PaxHeader', '11 path=ä\n', { 156: 'x' })]],
    ['a pax header with a size', [paxFile('11 path=ä\n9 size=3\n', 'abc')]],
    ['a pax header with an empty path', [paxFile('8 path=\n')]],
    ['a pax header with a line break in the path', [paxFile('13 path=ä\nx\n')]],
    ['a pax header in front of another name', [paxFile('11 path=ä\n', '', { 0: 'other' })]],
  ])('refuses %s', (_, members) => {
    expect(refusalOf(() => parseTar(tarOf(...members)))).toBeDefined();
  });

  it('refuses a link behind a pax header as a link', () => {
    expect(refusalOf(() => parseTar(tarOf(paxFile('11 path=ä\n', '', { 156: '2' }))))).toBe('LINK');
  });

  it('refuses a size over the bound before it looks for the content', () => {
    const header = tarHeader('a', 256 * 1024 * 1024 + 1);
    expect(refusalOf(() => parseTar(tarOf(header)))).toBe('TOO_LARGE');
    expect(refusalOf(() => parseTar(tarOf(tarHeader('a', 256 * 1024 * 1024))))).toBe('CUT_SHORT');
  });

  it('refuses more files than a pack has, without reading on', () => {
    const members = Array.from({ length: 20_001 }, (_, i) => tarFile(String(i).padStart(5, '0')));
    // What stands behind them is no archive at all.
    const archive = new Uint8Array(Buffer.concat([...members, Buffer.alloc(BLOCK, 1), TAR_END]));
    expect(refusalOf(() => parseTar(archive))).toBe('TOO_MANY_FILES');
  });
});
