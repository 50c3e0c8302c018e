// Tombstones: what they excuse, and everything that may be wrong with one. Whoever can only write the directory must not
// be able to make one, move one, or use one for what it is not about.
import { describe, expect, it } from 'vitest';
import { utf8Decode } from '#platform';
import { encodeBase64, eraseMessage, type JsonObject, makeSigner } from '../../src/core/index.ts';
import { encodeErase, packPath, saltPath } from '../../src/format/index.ts';
import { codesOf, verify } from './expect.ts';
import { LedgerMaker, SESSION } from './make-ledger.ts';

const OTHER = 'd4'.repeat(32);

/** Two sessions with salted content, and plain evidence in the first. */
function ledger(): LedgerMaker {
  const made = new LedgerMaker();
  made.append('prompt', { text: made.content('write me a poem') }, { session_id: SESSION });
  made.append('response', { text: made.content('roses are red') }, { session_id: SESSION });
  made.append('pack', { it: made.content('evidence', { plain: true, big: true }) }, { session_id: SESSION });
  made.append('prompt', { text: made.content('of another', { session: OTHER }) }, { session_id: OTHER });
  return made.seal();
}

interface Forgery {
  readonly sessions?: readonly string[];
  readonly note?: Uint8Array;
  readonly signer?: LedgerMaker['signer'];
  readonly seq?: number;
  readonly change?: (payload: JsonObject) => JsonObject;
}

function bury(made: LedgerMaker, forgery: Forgery = {}): number {
  const {
    sessions = [SESSION],
    note = made.checkpoint(),
    signer = made.signer,
    change = (it) => it,
  } = forgery;
  const payload = encodeErase({
    reason: 'retention',
    checkpoint: utf8Decode(note),
    sessions: sessions.map((session) => ({ session, files: 1, bytes: 100 })),
  });
  const seq = forgery.seq ?? made.size + 1;
  const prevHash = made.hashes.at(-1) as string;
  const message = eraseMessage({ origin: made.origin, seq, prevHash, payload });
  return made.append('erase', change({ ...payload, signature: encodeBase64(signer.sign(message)) }));
}

function remove(made: LedgerMaker, session = SESSION): void {
  made.files.delete(packPath(session));
  made.files.delete(saltPath(session));
}

const check = async (made: LedgerMaker) => {
  const report = await verify(made.files, { keys: [made.signer] });
  const {
    contentChecked: checked,
    contentAbsent: absent,
    contentErased: erased,
    contentUnsalted: unsalted,
  } = report.counts;
  return { codes: codesOf(report), verdict: report.verdict, checked, absent, erased, unsalted };
};

describe('B13d content under a tombstone', () => {
  it('is erased, not absent, and what is still there is checked as ever', async () => {
    const made = ledger();
    bury(made);
    made.seal();
    expect(await check(made)).toMatchObject({
      codes: [],
      verdict: 'INTACT',
      checked: 4,
      erased: 0,
      absent: 0,
    });
    made.files.set(saltPath(SESSION), new TextEncoder().encode(`${'0'.repeat(64)}\n`));
    expect(await check(made)).toMatchObject({ codes: [], checked: 2, erased: 2, unsalted: 0 });
    remove(made);
    expect(await check(made)).toMatchObject({ codes: [], checked: 2, erased: 2, absent: 0 });
    remove(made, OTHER);
    expect(await check(made)).toMatchObject({ codes: [], checked: 1, erased: 2, absent: 1 });
  });

  it('that was changed instead of removed is still a failure', async () => {
    const made = ledger();
    bury(made);
    made.seal();
    const pack = (made.files.get(packPath(SESSION)) as Uint8Array).slice();
    pack[pack.length - 3] = 0;
    made.files.set(packPath(SESSION), pack);
    expect(await check(made)).toMatchObject({ verdict: 'BROKEN' });
  });

  it('says nothing about what comes after it, nor about evidence', async () => {
    const made = ledger();
    bury(made);
    made.append('prompt', { text: made.content('and again') }, { session_id: SESSION });
    made.seal();
    remove(made);
    for (const path of [...made.files.keys()]) if (path.includes('/sha256-')) made.files.delete(path);
    expect(await check(made)).toMatchObject({ codes: [], erased: 2, absent: 2, checked: 1 });
  });

  it('is judged under the key of its place, also after a rotation', async () => {
    const made = ledger();
    bury(made);
    made.seal().rotateKey(9);
    bury(made, { sessions: [OTHER] });
    made.seal();
    remove(made);
    remove(made, OTHER);
    const report = await verify(made.files);
    expect(codesOf(report)).toEqual(['NO_PINNED_KEY']);
    expect(report.counts).toMatchObject({ contentErased: 3, contentAbsent: 0 });
  });
});

describe('B13d a tombstone that does not hold', () => {
  const stranger = makeSigner('x', new Uint8Array(32).fill(77));
  const forgeries: Record<string, (made: LedgerMaker) => Forgery> = {
    'signed by somebody else': () => ({ signer: stranger }),
    'whose checkpoint somebody else signed': (made) => ({
      note: made.checkpoint(made.size, makeSigner(made.origin, new Uint8Array(32).fill(77))),
    }),
    'whose checkpoint covers fewer entries than stand before it': (made) => ({
      note: made.checkpoint(made.size - 1),
    }),
    'whose checkpoint is of another ledger': () => {
      const other = new LedgerMaker(5).notes(4);
      return { note: other.checkpoint() };
    },
    'whose checkpoint is over other entries': (made) => {
      const other = new LedgerMaker().notes(made.size - 1);
      return { note: other.checkpoint(made.size) };
    },
    'signed for another place': (made) => ({ seq: made.size + 2 }),
    'with a session added after it was signed': () => ({
      change: (payload) => ({
        ...payload,
        sessions: [...(payload.sessions as JsonObject[]), { session: OTHER, files: 1, bytes: 1 }],
      }),
    }),
    'without a signature': () => ({ change: ({ signature: _, ...rest }) => rest }),
    'without a checkpoint': () => ({ change: (payload) => ({ ...payload, checkpoint: '' }) }),
    'for a reason that is none': () => ({ change: (payload) => ({ ...payload, reason: 'tidiness' }) }),
  };

  it.each(Object.keys(forgeries))('%s is ERASE_INVALID, sealed or not, and excuses nothing', async (name) => {
    const made = ledger();
    const seq = bury(made, forgeries[name]?.(made));
    remove(made);
    const unsealed = await check(made);
    expect(unsealed.codes).toContain(`ERASE_INVALID@${seq}`);
    made.seal();
    expect(await check(made)).toMatchObject({
      codes: [`ERASE_INVALID@${seq}`],
      verdict: 'BROKEN',
      erased: 0,
      absent: 2,
    });
  });

  it('copied to a later place is ERASE_INVALID there', async () => {
    const made = ledger();
    const first = bury(made);
    const { payload } = JSON.parse(made.lines[first - 1] as string) as { payload: JsonObject };
    made.append('prompt', { text: made.content('later') }, { session_id: SESSION });
    const second = made.append('erase', payload);
    remove(made);
    made.seal();
    expect(await check(made)).toMatchObject({ codes: [`ERASE_INVALID@${second}`], erased: 2, absent: 1 });
  });
});
