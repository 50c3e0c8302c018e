// A program that says something before its session begins, on a disk that is full just then: it is told, nothing runs, and
// whatever was asked for is on record once, as soon as there is a session that can be written.
import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/config/index.ts';
import { Intake, Recorder } from '../../src/record/index.ts';
import { makeRedactor } from '../../src/redact/index.ts';
import { MemoryStore } from '../../src/store/memory/index.ts';

import { notes, readEntries } from '../read-log.ts';
import { seededRandom } from '../temporary.ts';

async function onDisk({ bufferLimit }: { bufferLimit?: number } = {}) {
  const store = new MemoryStore(seededRandom());
  await store.append((head) => notes(head, 'the first entry'));
  const disk = { left: Number.POSITIVE_INFINITY };
  const redactor = makeRedactor({});
  let now = 1_000_000;
  const recorder = new Recorder({
    store: {
      head: () => store.head(),
      read: (from, to) => store.read(from, to),
      append: (build, options) =>
        disk.left-- > 0 ? store.append(build, options) : Promise.reject(new Error('the disk is full')),
    },
    intake: new Intake({ store, redactor, policy: DEFAULT_CONFIG }),
    config: DEFAULT_CONFIG,
    redaction: redactor.id,
    agent: 'test',
    source: 'sdk',
    workspaceRoot: '/work',
    now: () => (now += 1000),
    ...(bufferLimit === undefined ? {} : { bufferLimit }),
    seal: async () => undefined,
    close: async () => undefined,
  });
  const entries = async (kind?: string) =>
    (await readEntries(store)).slice(1).filter((entry) => kind === undefined || entry.kind === kind);
  return { recorder, disk, entries };
}

const refusal = Object.assign(new Error('not yet'), { code: 'SESSION_NOT_BEGUN' });

describe('K7 a disk that is full when a session begins', () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'after %i writes: each call is on record once, with its own time',
    async (left) => {
      const { recorder, disk, entries } = await onDisk();
      await recorder.prompt('first');
      await recorder.refused('early', { a: 1 }, refusal);
      const waiting = recorder.tool('waits', {}, () => 'ran').catch((error: Error) => error.name);
      await recorder.refused('late', {}, refusal);
      disk.left = left;
      const begun = await recorder.session().then(
        () => true,
        () => false,
      );
      disk.left = Number.POSITIVE_INFINITY;
      if (!begun) {
        expect(await waiting).toBe('RecordError');
        await recorder.session();
      }
      await recorder.close();
      const calls = await entries('tool.call');
      const told = calls.map(({ payload }) => payload.tool);
      expect([...new Set(told)].sort()).toEqual(['early', 'late', 'waits']);
      expect(calls.every(({ payload }) => payload.buffered === true)).toBe(true);
      const [start] = (await entries('session.start')).slice(-1);
      if (!begun) expect(calls.some(({ ts }) => ts < (start?.ts ?? ''))).toBe(true);
      expect((await entries('prompt')).length).toBe(1);
    },
  );

  it('again and again: they wait for as long as it takes', async () => {
    const { recorder, disk, entries } = await onDisk();
    await recorder.refused('early', {}, refusal);
    for (let i = 0; i < 5; i++) {
      disk.left = 0;
      await expect(recorder.session()).rejects.toThrow('the disk is full');
    }
    disk.left = Number.POSITIVE_INFINITY;
    await recorder.session();
    expect((await entries('tool.result')).map(({ payload }) => payload.error_code)).toEqual([
      'SESSION_NOT_BEGUN',
    ]);
    await recorder.close();
  });

  it('and no session ever after: what waited is told when the recorder closes', async () => {
    const { recorder, disk, entries } = await onDisk();
    await recorder.prompt('first');
    const waiting = recorder.tool('waits', {}, () => 'ran').catch(() => 'refused');
    disk.left = 1;
    await recorder.session().catch(() => undefined);
    disk.left = Number.POSITIVE_INFINITY;
    await recorder.close();
    expect(await waiting).toBe('refused');
    expect((await entries('tool.call')).map(({ payload }) => payload.tool)).toEqual(['waits']);
    expect((await entries('session.end')).length).toBe((await entries('session.start')).length);
  });

  it('in the middle of a session: what is refused then is told at the end', async () => {
    const { recorder, disk, entries } = await onDisk();
    await recorder.session();
    disk.left = 0;
    await expect(recorder.refused('odd', {}, refusal)).rejects.toMatchObject({ code: 'AUDIT_APPEND_FAILED' });
    disk.left = Number.POSITIVE_INFINITY;
    await recorder.close();
    expect((await entries('tool.call')).map(({ payload }) => payload.tool)).toEqual(['odd']);
  });

  it('what there is no room for is a gap, with how many', async () => {
    const { recorder, entries } = await onDisk({ bufferLimit: 2 });
    for (let i = 0; i < 5; i++)
      await recorder.refused(`t${i}`, {}, refusal).catch((error: { code: string }) => {
        expect(error.code).toBe('AUDIT_BUFFER_FULL');
      });
    await recorder.session();
    expect(await entries('tool.call')).toHaveLength(2);
    expect(await entries('gap')).toMatchObject([{ payload: { reason: 'unrecorded', events: 3 } }]);
    await recorder.close();
  });

  it('a recorder that closes while its session begins runs nothing that waits', async () => {
    const { recorder, entries } = await onDisk();
    let ran = 0;
    const waiting = [1, 2, 3].map((i) => recorder.tool(`t${i}`, {}, () => ++ran).catch(() => 'refused'));
    const begun = recorder.session().catch(() => undefined);
    const closed = recorder.close();
    await Promise.all([begun, closed]);
    const ended = await Promise.all(waiting);
    expect((await entries('tool.call')).map(({ payload }) => payload.tool)).toEqual(['t1', 't2', 't3']);
    expect((await entries('tool.result')).length).toBe(3);
    expect(ended.filter((each) => each !== 'refused').length).toBe(ran);
  });
});
