// What sessions have sent already, in one bounded place for all of them.
import { describe, expect, it } from 'vitest';
import type { Kept } from '../../src/format/index.ts';
import { MessageMemory, Traces } from '../../src/record/index.ts';
import { KeptMessages } from '../../src/record/model/message-memory.ts';

const SESSIONS = ['ab', 'cd'].map((byte) => byte.repeat(32));

/** Says whether it had to be kept. */
async function isKept(memory: MessageMemory, text: string): Promise<boolean> {
  let asked = false;
  const kept: Kept = { hash: '', bytes: text.length, ref: null };
  await memory.keep(memory.keyOf('user', text), text, new Traces(), async () => {
    asked = true;
    return kept;
  });
  return asked;
}

describe('what was sent', () => {
  it('is kept once in a session, and by each session for itself', async () => {
    const shared = new KeptMessages();
    const [one, other] = SESSIONS.map((id) => new MessageMemory(id, shared)) as [
      MessageMemory,
      MessageMemory,
    ];
    expect([await isKept(one, 'a'), await isKept(one, 'a')]).toEqual([true, false]);
    expect(await isKept(other, 'a')).toBe(true);
  });

  it('is forgotten once there is too much, unless somebody sends it again and again', async () => {
    const memory = new MessageMemory(SESSIONS[0] ?? '');
    await isKept(memory, 'once');
    await isKept(memory, 'often');
    for (let i = 0; i < 20_000; i++) {
      await isKept(memory, String(i));
      if (i % 1000 === 0) expect(await isKept(memory, 'often')).toBe(false);
    }
    expect([await isKept(memory, 'often'), await isKept(memory, 'once')]).toEqual([false, true]);
  });

  it('that could not be kept is not known', async () => {
    const memory = new MessageMemory(SESSIONS[0] ?? '');
    const key = memory.keyOf('user', 'a');
    const failing = memory.keep(key, 'a', new Traces(), () => Promise.reject(new Error('full')));
    await expect(failing).rejects.toThrow('full');
    expect(await isKept(memory, 'a')).toBe(true);
  });
});
