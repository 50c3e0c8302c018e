// A salt is deleted while its session goes on. Another one in its place would make everything said before look forged.
// So none is made: in guard nothing more is done, in observe a gap tells of it, and the verifier says what is missing.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRecorder, verifyDirectory } from '../../src/entry/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { MemoryStore } from '../../src/store/memory/index.ts';
import { type HookedLedger, hookedLedger } from '../cli/hooked-ledger.ts';
import { seededRandom } from '../temporary.ts';
import { codesOf } from '../verify/expect.ts';

const SESSION = 'ab'.repeat(32);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Whose notes are not with those of the user who runs the tests. */
async function place(): Promise<HookedLedger> {
  const made = await hookedLedger();
  const runtime = join(made.root, 'run/counterfoil');
  const settings = { v: 1, mode: 'observe', port: null, runtime };
  writeFileSync(join(made.directory, 'settings'), JSON.stringify(settings));
  return made;
}

function takeSalt(ledger: HookedLedger): void {
  const session = ledger.entries().find(({ kind }) => kind === 'session.start')?.session_id ?? '';
  rmSync(join(ledger.directory, 'salts', session));
}

const codes = async (ledger: HookedLedger): Promise<string[]> => [
  ...new Set(codesOf(await verifyDirectory(ledger.directory, { content: true, threads: 0 }), ['integrity'])),
];

describe('a salt that is deleted while its session goes on', () => {
  it('stops an agent in guard, and what was said before is here, not checkable, and not called forged', async () => {
    const ledger = await place();
    await ledger.hook(ledger.prompt('write me a poem'), { mode: 'guard' });
    takeSalt(ledger);
    const { answer, failure } = await ledger.hook(ledger.call(), { mode: 'guard' });
    expect(answer.stdout).toContain('deny');
    expect(failure?.message).toContain('is gone, but the content that it decrypts is still here');
    expect(await codes(ledger)).toEqual(['SALT_MISSING']);
  });

  it('lets an agent go on in observe, and the next session tells the gap', async () => {
    const ledger = await place();
    await ledger.hook(ledger.prompt('write me a poem'));
    takeSalt(ledger);
    const { answer } = await ledger.hook(ledger.call());
    expect(answer.stdout).not.toContain('deny');
    await ledger.hook({ ...ledger.prompt('another'), session_id: 'other' });
    const gap = ledger.entries().find(({ kind }) => kind === 'gap');
    expect(gap?.payload).toMatchObject({ reason: 'unrecorded', events: 1, calls: ['c1'] });
    expect(gap?.payload.why).toContain('is gone, but the content that it decrypts');
    expect(await codes(ledger)).toEqual(['SALT_MISSING']);
  });

  it('fails closed in a program: nothing runs, and the end of its session tells the gap', async () => {
    const ledger = await place();
    const recorder = await openRecorder({ place: ledger.located, cwd: ledger.work });
    const session = await recorder.session();
    await session.prompt('write me a poem');
    takeSalt(ledger);
    let ran = 0;
    await expect(session.tool('t', {}, () => ++ran)).rejects.toMatchObject({ code: 'AUDIT_APPEND_FAILED' });
    await recorder.close();
    expect(ran).toBe(0);
    expect(ledger.entries().map(({ kind }) => kind)).toContain('gap');
    expect(await codes(ledger)).toEqual(['SALT_MISSING']);
  });
});

describe('the stores', () => {
  it.each([
    ['in a pack', 10],
    ['in a file of its own', 600 * 1024],
  ])('make no second salt beside content %s, for content, a hash or a key', async (_, length) => {
    const ledger = await place();
    const store = openFileStore(ledger.directory);
    await store.putContent(SESSION, new Uint8Array(length));
    rmSync(join(ledger.directory, 'salts', SESSION));
    const damaged = { code: 'DAMAGED' };
    await expect(store.putContent(SESSION, bytes('more'))).rejects.toMatchObject(damaged);
    await expect(store.commitContent(SESSION, bytes('more'))).rejects.toMatchObject(damaged);
    await expect(store.deriveKey(SESSION, 'receipt x')).rejects.toMatchObject(damaged);
    // Evidence needs none.
    await store.putContent(SESSION, bytes('more'), { plain: true });
    await store.close();
  });

  it('make one beside evidence, which needs none, and after a session was erased', async () => {
    const ledger = await place();
    const store = openFileStore(ledger.directory);
    await store.putContent(SESSION, bytes('evidence'), { plain: true });
    await store.putContent(SESSION, bytes('first'));
    await store.eraseContent(SESSION);
    await store.putContent(SESSION, bytes('again'));
    await store.close();
  });

  it('in memory do the same', async () => {
    const store = new MemoryStore(seededRandom());
    await store.putContent(SESSION, bytes('first'));
    store.map.delete(`salts/${SESSION}`);
    await expect(store.putContent(SESSION, bytes('more'))).rejects.toMatchObject({ code: 'DAMAGED' });
  });
});
