// Content beside the chain: what is kept must be what was committed to; what is not kept is counted; what a crash
// leaves in a pack is not damage, and anything else is.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import { type ContentAlgorithm, contentCommitment } from '../../src/core/index.ts';
import { encodePackRecord, NO_SESSION, packPath, saltPath } from '../../src/format/index.ts';
import { commitmentStream } from '../../src/verify/commitment.ts';
import { filesFromMap, scanPack } from '../../src/verify/index.ts';
import { codesOf, filesNamed, verify } from './expect.ts';
import { join, LedgerMaker, SESSION } from './make-ledger.ts';

const PACK = packPath(SESSION);
const SALT = saltPath(SESSION);

/** Salted and plain content in a pack, and one in a file of its own. */
function ledger(salted: ContentAlgorithm = 'hmac-sha256'): LedgerMaker {
  const made = new LedgerMaker();
  made.salted = salted;
  made.append('prompt', { text: made.content('write me a poem') }, { session_id: SESSION });
  made.append('response', { text: made.content('\nblob is a fine word\n') }, { session_id: SESSION });
  made.append(
    'pack',
    { list: [{ deep: made.content('evidence', { plain: true }) }] },
    { session_id: SESSION },
  );
  made.append(
    'tool.result',
    { output: made.content('b'.repeat(3000), { big: true }) },
    { session_id: SESSION },
  );
  made.append('note', { of: made.content('nobody', { session: NO_SESSION }) });
  return made.seal();
}

const big = (made: LedgerMaker): string =>
  [...made.files.keys()].find((path) => /blobs\/.*\/(hmac-|keyed-)?sha256-/.test(path)) as string;

describe('content', () => {
  it('that is kept is checked', async () => {
    const made = ledger();
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual([]);
    expect(report.counts).toMatchObject({
      contentChecked: 5,
      contentAbsent: 0,
      contentUnsalted: 0,
      tornPackBytes: 0,
    });
    expect((await verify(made.files, { keys: [made.signer], content: false })).counts.contentChecked).toBe(0);
  });

  it('under a key of its own is checked in a pack and in a file alike', async () => {
    const made = ledger('keyed-sha256');
    const options = { keys: [made.signer] };
    const report = await verify(made.files, options);
    expect(codesOf(report)).toEqual([]);
    expect(report.counts).toMatchObject({ contentChecked: 5, contentAbsent: 0, contentUnsalted: 0 });
    const changed = (path: string): Map<string, Uint8Array> => {
      const files = made.copy();
      const bytes = files.get(path) as Uint8Array;
      bytes[bytes.length - 3] = (bytes[bytes.length - 3] as number) ^ 1;
      return files;
    };
    expect(codesOf(await verify(changed(big(made)), options))).toContain('CONTENT_MISMATCH@5');
    expect(codesOf(await verify(changed(PACK), options))).toContain('PACK_DAMAGED');
  });

  it('that is erased is counted, not failed', async () => {
    const made = ledger();
    for (const path of [PACK, SALT, big(made)]) made.files.delete(path);
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual([]);
    expect(report.counts).toMatchObject({ contentChecked: 1, contentAbsent: 4 });
  });

  it('whose salt is gone, or was overwritten on the way to being erased, can not be judged', async () => {
    for (const salt of [undefined, utf8Encode(`${'0'.repeat(64)}\n`)]) {
      const made = ledger();
      if (salt === undefined) made.files.delete(SALT);
      else made.files.set(SALT, salt);
      const report = await verify(made.files, { keys: [made.signer] });
      expect(codesOf(report)).toEqual(['SALT_MISSING']);
      expect(report.counts).toMatchObject({ contentChecked: 2, contentUnsalted: 3 });
    }
  });

  it('with a reference that is malformed, or of another length', async () => {
    const made = new LedgerMaker();
    const ref = made.content('hello', { plain: true });
    made.append('note', { a: { $content: 'sha256:xyz', bytes: 1 } }, { session_id: SESSION });
    made.append('note', { a: { ...ref, bytes: 6 } }, { session_id: SESSION });
    const report = await verify(made.seal().files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual(['CONTENT_MISMATCH@3', 'CONTENT_REF_INVALID@2']);
  });

  it('every byte of a pack, a blob and a salt matters, and the entries are named', async () => {
    const made = ledger();
    for (const path of [PACK, big(made), SALT]) {
      const bytes = made.files.get(path) as Uint8Array;
      for (let at = 0; at < bytes.length; at += path === big(made) ? 97 : 1) {
        for (const mask of [1, 0x10, 0xff]) {
          const files = made.copy();
          files.set(path, bytes.with(at, (bytes[at] as number) ^ mask));
          const report = await verify(files, { keys: [made.signer] });
          expect(report.facets.integrity.status, `${path} byte ${at} ^ ${mask}`).toBe('fail');
          expect(filesNamed(report, 'CONTENT_MISMATCH', 'PACK_DAMAGED', 'SALT_DAMAGED')).toContain(
            path === SALT && !codesOf(report).includes('SALT_DAMAGED') ? PACK : path,
          );
        }
      }
    }
  });

  it('names the entry whose content was changed', async () => {
    const made = ledger();
    const text = new TextDecoder().decode(made.files.get(PACK));
    made.files.set(PACK, utf8Encode(text.replace('a poem', 'a song')));
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual(['CONTENT_MISMATCH@2', 'PACK_DAMAGED']);
    const blob = made.files.get(big(made)) as Uint8Array;
    made.files.set(big(made), blob.with(7, 0));
    expect(codesOf(await verify(made.files, { keys: [made.signer] }))).toContain('CONTENT_MISMATCH@5');
  });

  it('that no entry names is held against its own name', async () => {
    const made = new LedgerMaker().notes(1).seal();
    made.content('never named', { plain: true, big: true });
    made.content('nor this', { plain: true });
    expect(codesOf(await verify(made.files, { keys: [made.signer] }))).toEqual([]);
    made.files.set(big(made), utf8Encode('another'));
    made.files.set(PACK, utf8Encode('nonsense'));
    made.files.set(`blobs/${SESSION}/left.tmp`, utf8Encode('x'));
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual(['CONTENT_MISMATCH', 'PACK_DAMAGED']);
  });
});

describe('a pack after a crash', () => {
  const record = (text: string): Uint8Array => {
    const content = utf8Encode(text);
    return encodePackRecord(
      { algorithm: 'sha256', hash: contentCommitment('sha256', null, content) },
      content,
    );
  };
  /** What a writer appends behind whatever is there. */
  const behind = (before: Uint8Array, text: string): Uint8Array =>
    join(before, utf8Encode(before.length === 0 || before.at(-1) === 0x0a ? '' : '\n'), record(text));

  async function scan(
    bytes: Uint8Array,
  ): Promise<{ kept: string[]; torn: number; damaged: string[]; end: number }> {
    const found = { kept: [] as string[], torn: 0, damaged: [] as string[], end: 0 };
    found.end = await scanPack(filesFromMap(new Map([['p', bytes]])), 'p', 0, undefined, {
      record: (header, good) => void (good ? found.kept : found.damaged).push(header.hash),
      torn: (count) => {
        found.torn += count;
      },
      damaged: (_, message) => void found.damaged.push(message),
    });
    return found;
  }
  const hash = (text: string): string => contentCommitment('sha256', null, utf8Encode(text));

  it('cut at every byte, at its end or followed by whole records, is not damaged', async () => {
    for (const middle of ['lost', '', 'x\nblob y\n', `\nblob sha256:${hash('a')} 1\na\n`]) {
      const whole = record(middle);
      for (let cut = 0; cut < whole.length; cut++) {
        const torn = join(record('first'), whole.subarray(0, cut));
        const atEnd = await scan(torn);
        expect(atEnd.damaged).toEqual([]);
        expect(atEnd.kept[0]).toBe(hash('first'));
        const followed = await scan(behind(behind(torn, 'second'), 'third'));
        expect(followed.damaged, `${JSON.stringify(middle)} cut at ${cut}`).toEqual([]);
        expect(followed.kept).toEqual(expect.arrayContaining([hash('first'), hash('second'), hash('third')]));
      }
    }
  });

  it('cut twice in a row', async () => {
    const whole = record('a second one that is lost');
    for (let one = 0; one < whole.length; one += 7) {
      for (let two = 0; two < whole.length; two += 5) {
        const first = join(record('first'), whole.subarray(0, one));
        const gap = first.at(-1) === 0x0a ? '' : '\n';
        const torn = join(first, utf8Encode(gap), whole.subarray(0, two));
        expect((await scan(torn)).damaged, `${one} ${two}`).toEqual([]);
        const followed = await scan(behind(torn, 'third'));
        expect(followed.damaged, `${one} ${two} followed`).toEqual([]);
        expect(followed.kept).toContain(hash('third'));
      }
    }
  });

  it('given its length before its bytes, which read as zero', async () => {
    const whole = record('some content here');
    // Not the newline alone: whole content with another byte behind it is damage.
    for (let cut = 0; cut < whole.length - 1; cut++) {
      const zeroed = join(record('first'), whole.subarray(0, cut), new Uint8Array(whole.length - cut));
      for (const bytes of [zeroed, behind(zeroed, 'second')]) {
        const found = await scan(bytes);
        expect(found.damaged, `from byte ${cut}`).toEqual([]);
        expect(found.torn).toBeGreaterThan(0);
      }
    }
  });

  it('goes on from a torn tail when it has grown', async () => {
    const torn = join(record('first'), record('second').subarray(0, 82));
    const { end } = await scan(torn);
    expect(end).toBe(record('first').length);
    expect((await scan(join(record('first'), record('second')))).kept).toEqual([
      hash('first'),
      hash('second'),
    ]);
  });

  it('never throws, whatever the bytes', async () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.constantFrom(record('a'), record(''), utf8Encode('\nblob '), utf8Encode('blob sha256:')),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        const bytes = join(...pieces);
        expect((await scan(bytes)).end).toBeLessThanOrEqual(bytes.length);
      }),
      { numRuns: 500 },
    );
  });

  it('larger than a window', async () => {
    const texts = Array.from({ length: 9 }, (_, i) => String(i).repeat(1_000_000));
    const found = await scan(join(...texts.map(record)));
    expect(found).toMatchObject({ damaged: [], torn: 0 });
    expect(found.kept).toEqual(texts.map(hash));
    const holed = join(
      ...texts.slice(0, 4).map(record),
      new Uint8Array(6_000_000).fill(120),
      utf8Encode('\n'),
      ...texts.slice(4).map(record),
    );
    const broken = await scan(holed);
    expect(broken.damaged.length).toBeGreaterThan(0);
    expect(broken.kept).toEqual(texts.map(hash));
  });

  it('a referenced record that looks torn is content that does not match', async () => {
    const made = ledger();
    const bytes = made.files.get(PACK) as Uint8Array;
    const start = new TextDecoder().decode(bytes).indexOf('write me') + 4;
    made.files.set(PACK, join(bytes.subarray(0, start), utf8Encode('\n'), record('later')));
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toContain('CONTENT_MISMATCH@2');
    expect(report.counts.tornPackBytes).toBeGreaterThan(0);
  });
});

describe('commitmentStream', () => {
  it('is contentCommitment, however the content is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 200 })),
        fc.option(fc.uint8Array({ minLength: 32, maxLength: 32 })),
        (pieces, salt) => {
          const stream = commitmentStream(salt);
          for (const piece of pieces) stream.update(piece);
          expect(stream.hex()).toBe(
            contentCommitment(salt === null ? 'sha256' : 'hmac-sha256', salt, join(...pieces)),
          );
        },
      ),
    );
  });
});
