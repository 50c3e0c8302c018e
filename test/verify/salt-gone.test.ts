// Somebody takes a salt away and leaves the content: nobody can check it any more, and that is a finding. Erasing takes
// both and leaves a tombstone, so an honest ledger never looks like this.
import { describe, expect, it } from 'vitest';
import { utf8Decode, utf8Encode } from '#platform';
import { encodeBase64, eraseMessage } from '../../src/core/index.ts';
import { encodeErase, encodeHead, packPath, parseHead, saltPath } from '../../src/format/index.ts';
import { contentPresence, filesFromMap, verifyLedger } from '../../src/verify/index.ts';
import { codesOf, filesNamed, verify } from './expect.ts';
import { LedgerMaker, SESSION } from './make-ledger.ts';

const SALT = saltPath(SESSION);
const ZEROS = utf8Encode(`${'0'.repeat(64)}\n`);

function ledger({ big = false } = {}): LedgerMaker {
  const made = new LedgerMaker();
  made.append('prompt', { text: made.content('write me a poem', { big }) }, { session_id: SESSION });
  return made.seal();
}

function bury(made: LedgerMaker): void {
  const payload = encodeErase({
    reason: 'retention',
    checkpoint: utf8Decode(made.checkpoint()),
    sessions: [{ session: SESSION, files: 1, bytes: 100 }],
  });
  const prevHash = made.hashes.at(-1) as string;
  const message = eraseMessage({ origin: made.origin, seq: made.size + 1, prevHash, payload });
  made.append('erase', { ...payload, signature: encodeBase64(made.signer.sign(message)) });
}

describe('a salt that is gone with the content still here', () => {
  it.each([
    ['removed, content in a pack', undefined, false],
    ['removed, content in a file of its own', undefined, true],
    ['overwritten with zeros, content in a pack', ZEROS, false],
    ['overwritten with zeros, content in a file of its own', ZEROS, true],
  ])('is SALT_MISSING and names the salt: %s', async (_, salt, big) => {
    const made = ledger({ big });
    if (salt === undefined) made.files.delete(SALT);
    else made.files.set(SALT, salt);
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual(['SALT_MISSING']);
    expect(filesNamed(report, 'SALT_MISSING')).toEqual([SALT]);
    expect(report.verdict).toBe('BROKEN');
    expect(report.counts).toMatchObject({ contentAbsent: 0, contentUnsalted: 1 });
  });

  it('is found also of content that no entry refers to', async () => {
    const made = new LedgerMaker();
    made.content('kept for an entry that never came');
    made.seal().files.delete(SALT);
    expect(codesOf(await verify(made.files, { keys: [made.signer] }))).toEqual(['SALT_MISSING']);
  });

  it('is nothing where a tombstone says that the session was erased, or where the content is gone too', async () => {
    const buried = ledger();
    bury(buried);
    buried.seal().files.set(SALT, ZEROS);
    const report = await verify(buried.files, { keys: [buried.signer] });
    expect(codesOf(report)).toEqual([]);
    expect(report.counts).toMatchObject({ contentErased: 1, contentUnsalted: 0 });
    const gone = ledger();
    for (const path of [SALT, packPath(SESSION)]) gone.files.delete(path);
    expect(codesOf(await verify(gone.files, { keys: [gone.signer] }))).toEqual([]);
  });

  it('content that came after the tombstone is not excused by it', async () => {
    const made = ledger();
    bury(made);
    made.append('prompt', { text: made.content('another poem') }, { session_id: SESSION });
    made.seal().files.delete(SALT);
    expect(codesOf(await verify(made.files, { keys: [made.signer] }))).toEqual(['SALT_MISSING']);
  });

  it('nothing is said while the ledger grows: the tombstone may stand behind what was read', async () => {
    const made = ledger();
    made.files.set(SALT, ZEROS);
    const files = filesFromMap(made.files);
    let asked = 0;
    const growing = {
      ...files,
      list: files.list,
      gunzip: files.gunzip,
      async read(path: string, from?: number, to?: number) {
        const bytes = await files.read(path, from, to);
        if (path !== 'head' || bytes === undefined || asked++ === 0) return bytes;
        return encodeHead({ ...parseHead(bytes), seq: made.size + 1 });
      },
    };
    expect(codesOf(await verifyLedger(growing, { keys: [made.signer] }))).toEqual([]);
  });

  it('a salt of a wrong length is SALT_DAMAGED, and not missing as well', async () => {
    const made = ledger();
    made.files.set(SALT, utf8Encode('5a5a\n'));
    expect(codesOf(await verify(made.files, { keys: [made.signer] }))).toEqual(['SALT_DAMAGED']);
  });
});

describe('why content can not be shown', () => {
  it('tells not here, here and not checkable, and here and changed apart', async () => {
    const made = new LedgerMaker();
    const payload = { text: made.content('write me a poem') };
    made.append('prompt', payload, { session_id: SESSION });
    const hash = String(payload.text.$content).slice('hmac-sha256:'.length);
    const ref = { algorithm: 'hmac-sha256', hash, bytes: 15 } as const;
    const presence = () => contentPresence(filesFromMap(made.files), SESSION, ref);
    const salt = made.files.get(SALT) as Uint8Array;
    for (const bad of [ZEROS, utf8Encode('short\n')]) {
      made.files.set(SALT, bad);
      expect(await presence()).toBe('unsalted');
    }
    made.files.set(SALT, utf8Encode(`${'77'.repeat(32)}\n`));
    expect(await presence()).toBe('damaged');
    made.files.set(SALT, salt);
    const pack = made.files.get(packPath(SESSION)) as Uint8Array;
    made.files.set(packPath(SESSION), pack.slice(0, pack.length - 5));
    expect(await presence()).toBe('damaged');
    made.files.delete(packPath(SESSION));
    expect(await presence()).toBe('absent');
  });
});
