// K7: what a program says and calls before its session begins.
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it, vi } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/config/index.ts';
import { Intake, RecordError, Recorder } from '../../src/record/index.ts';
import { makeRedactor } from '../../src/redact/index.ts';
import { MemoryStore } from '../../src/store/memory/index.ts';
import { notes, readEntries } from '../read-log.ts';
import { seededRandom } from '../temporary.ts';
import { deferred, kinds, record } from './recording.ts';

describe('calls before the session', () => {
  it('K7a wait for it, and are written right behind its start, with their own time and marked', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 15, 10) });
    try {
      const { recorder, done, content } = await record();
      const args = { n: 1 };
      await recorder.prompt('early');
      vi.setSystemTime(Date.UTC(2026, 10, 15, 10, 0, 1));
      let ran = 0;
      const waiting = recorder.tool('early tool', args, () => ++ran);
      args.n = 2; // what was passed in is what is recorded
      await recorder.response('early answer', { model: 'm' });
      vi.setSystemTime(Date.UTC(2026, 10, 15, 10, 0, 9));
      await new Promise((resolve) => setImmediate(resolve));
      expect(ran).toBe(0);
      const session = await recorder.session();
      expect(await waiting).toBe(1);
      expect(await recorder.tool('now', {}, () => 2)).toBe(2);
      const entries = await done();
      expect(kinds(entries)).toEqual([
        'session.start',
        'prompt',
        'tool.call',
        'response',
        'tool.result',
        'tool.call',
        'tool.result',
        'session.end',
      ]);
      const [, prompt, call, response, result, now] = entries;
      expect(entries.map(({ payload }) => payload.buffered)).toEqual([
        undefined,
        true,
        true,
        true,
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
      expect([prompt?.ts, call?.ts, response?.ts, result?.ts]).toEqual([
        '2026-11-15T10:00:00.000Z',
        '2026-11-15T10:00:01.000Z',
        '2026-11-15T10:00:01.000Z',
        '2026-11-15T10:00:09.000Z',
      ]);
      expect([call?.cause, response?.cause, result?.cause, now?.cause]).toEqual([
        prompt?.seq,
        prompt?.seq,
        call?.seq,
        prompt?.seq,
      ]);
      expect(await content(call, 'args')).toEqual({ n: 1 });
      expect(entries.every(({ session_id }) => session_id === session.id)).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it('K7b are bounded: by their number, and by their bytes', async () => {
    const { recorder } = await record({ bufferLimit: 2 });
    await recorder.prompt('1');
    const waiting = recorder.tool('2', {}, () => 2);
    await expect(recorder.prompt('3')).rejects.toMatchObject({ code: 'AUDIT_BUFFER_FULL' });
    await expect(recorder.tool('3', {}, () => 3)).rejects.toMatchObject({ code: 'AUDIT_BUFFER_FULL' });
    await recorder.session();
    expect(await waiting).toBe(2);
    const large = await record();
    for (let i = 0; i < 3; i++) await large.recorder.prompt('x'.repeat(20_000_000));
    await expect(large.recorder.prompt('x'.repeat(20_000_000))).rejects.toMatchObject({
      code: 'AUDIT_BUFFER_FULL',
    });
  });

  it('run in the surroundings they were made in, and nested ones know their cause', async () => {
    const { recorder, done } = await record();
    const surroundings = new AsyncLocalStorage<string>();
    const waiting = surroundings.run('mine', () =>
      recorder.tool('outer', {}, async () => {
        await recorder.tool('inner', {}, () => undefined);
        return surroundings.getStore();
      }),
    );
    await surroundings.run('other', () => recorder.session());
    expect(await waiting).toBe('mine');
    const calls = (await done()).filter(({ kind }) => kind === 'tool.call');
    expect(calls[1]?.cause).toBe(calls[0]?.seq);
  });

  it('all go into one session, where two begin at once', async () => {
    const { recorder, done } = await record();
    for (let i = 0; i < 20; i++) await recorder.prompt(`${i}`);
    const [one, two] = await Promise.all([recorder.session(), recorder.session()]);
    const entries = await done();
    const prompts = entries.filter(({ kind }) => kind === 'prompt');
    expect(prompts).toHaveLength(20);
    expect(new Set(prompts.map(({ session_id }) => session_id))).toEqual(new Set([one.id]));
    expect(two.id).not.toBe(one.id);
  });

  it('are refused when the recorder is closed before one began', async () => {
    const { recorder } = await record();
    const waiting = recorder.tool('x', {}, () => 1);
    await Promise.all([
      expect(waiting).rejects.toMatchObject({ name: 'RecordError', code: 'NO_SESSION' }),
      recorder.close(),
    ]);
  });
});

/** A recorder on a store whose `fails`-th append, counted from the beginning, fails, and perhaps all after it. */
async function failing(fails: (nth: number) => boolean) {
  const store = new MemoryStore(seededRandom());
  await store.append((head) => notes(head, 'the first entry'));
  let nth = 0;
  const redactor = makeRedactor({});
  const recorder = new Recorder({
    store: {
      head: () => store.head(),
      read: (from, to) => store.read(from, to),
      append: (build, options) =>
        fails(++nth) ? Promise.reject(new Error('the disk is full')) : store.append(build, options),
    },
    intake: new Intake({ store, redactor, policy: DEFAULT_CONFIG }),
    config: DEFAULT_CONFIG,
    redaction: redactor.id,
    agent: 'test',
    source: 'sdk',
    workspaceRoot: '/work',
    seal: async () => undefined,
    close: () => store.close(),
  });
  return { recorder, entries: async () => (await readEntries(store)).slice(1) };
}

describe('a flush that fails', () => {
  it.each([1, 2, 3, 4, 5])(
    'K7c refuses the session and everybody who waits; nothing has run (append %i)',
    async (broken) => {
      const { recorder, entries } = await failing((nth) => nth === broken);
      let ran = 0;
      await recorder.prompt('kept for the next try');
      const run = (): number => ++ran;
      const waiting = [1, 2, 3].map((i) => recorder.tool(`t${i}`, {}, run));
      const outcomes = Promise.allSettled(waiting);
      const begun = recorder.session();
      await expect(begun).rejects.toMatchObject({ name: 'RecordError', code: 'AUDIT_APPEND_FAILED' });
      for (const outcome of await outcomes)
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'AUDIT_APPEND_FAILED' } });
      expect(ran).toBe(0);
      const refused = await entries();
      const calls = refused.filter(({ kind }) => kind === 'tool.call');
      expect(calls).toHaveLength(Math.max(0, broken - 3));
      // What is there of the refused session says that it was refused, and that its calls never ran.
      const results = refused.filter(({ kind }) => kind === 'tool.result');
      expect(results.map(({ payload }) => payload.result)).toEqual(calls.map(() => 'aborted'));
      expect(refused.at(-1)?.kind).toBe(broken === 1 ? undefined : 'session.end');
      if (broken > 1) expect(refused.at(-1)?.payload.reason).toBe('refused');
      const session = await recorder.session();
      expect(await recorder.tool('again', {}, run)).toBe(1);
      const after = (await entries()).filter(({ session_id }) => session_id === session.id);
      const again = broken <= 2 ? ['prompt'] : [];
      // Those that are not on record yet are told now: each of them is there once.
      const told = Array(3 - calls.length)
        .fill(['tool.call', 'tool.result'])
        .flat();
      expect(kinds(after)).toEqual(['session.start', ...again, ...told, 'tool.call', 'tool.result']);
      const made = (await entries()).filter(({ kind }) => kind === 'tool.call');
      expect(made.map(({ payload }) => payload.tool)).toEqual(['t1', 't2', 't3', 'again']);
    },
  );

  it('for good leaves nothing half begun, and closing says so', async () => {
    const { recorder } = await failing((nth) => nth >= 3);
    const waiting = recorder.tool('t', {}, () => 1);
    const later = recorder.tool('u', {}, () => 1);
    await Promise.all([
      expect(waiting).rejects.toBeInstanceOf(RecordError),
      expect(later).rejects.toBeInstanceOf(RecordError),
      expect(recorder.session()).rejects.toBeInstanceOf(RecordError),
    ]);
    await expect(recorder.close()).rejects.toMatchObject({ code: 'AUDIT_APPEND_FAILED' });
  });

  it('what comes while the buffer is written goes behind it, and into the same session', async () => {
    const gate = deferred();
    const { recorder, entries } = await failing(() => false);
    await recorder.prompt('first');
    const first = recorder.tool('first', {}, async () => {
      await gate.promise;
      return 1;
    });
    const begun = recorder.session();
    const second = recorder.tool('second', {}, () => 2);
    gate.resolve();
    expect(await Promise.all([first, second])).toEqual([1, 2]);
    const session = await begun;
    const all = await entries();
    expect(all.every(({ session_id }) => session_id === session.id)).toBe(true);
    expect(all.filter(({ kind }) => kind === 'tool.call').map(({ payload }) => payload.tool)).toEqual([
      'first',
      'second',
    ]);
  });
});
