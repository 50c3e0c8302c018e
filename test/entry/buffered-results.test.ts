// K7: a call that was refused before its session began has its end at that time, not at the time it was written.
import { expect, it, vi } from 'vitest';
import { record } from './recording.ts';

it('K7a the result of a call that was refused before the session is buffered, with its own time', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 15, 10) });
  try {
    const { recorder, done } = await record();
    await recorder.refused('early', {}, new Error('no such tool'));
    vi.setSystemTime(Date.UTC(2026, 10, 15, 10, 0, 9));
    await recorder.session();
    await recorder.refused('later', {}, new Error('no such tool'));
    const results = (await done()).filter(({ kind }) => /^tool\./.test(kind));
    expect(results.map(({ kind, ts, payload }) => [kind, ts, payload.buffered])).toEqual([
      ['tool.call', '2026-11-15T10:00:00.000Z', true],
      ['tool.result', '2026-11-15T10:00:00.000Z', true],
      ['tool.call', '2026-11-15T10:00:09.000Z', undefined],
      ['tool.result', '2026-11-15T10:00:09.000Z', undefined],
    ]);
  } finally {
    vi.useRealTimers();
  }
});

it('K7a so is that of a call that waited for a session which never began', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 15, 10) });
  try {
    const { recorder, done } = await record();
    const waiting = recorder.tool('early', {}, () => 1);
    const refused = expect(waiting).rejects.toThrow();
    vi.setSystemTime(Date.UTC(2026, 10, 15, 10, 0, 5));
    const entries = await done();
    await refused;
    const told = entries.filter(({ kind }) => /^tool\./.test(kind));
    expect(told.map(({ kind, ts, payload }) => [kind, ts, payload.buffered])).toEqual([
      ['tool.call', '2026-11-15T10:00:00.000Z', true],
      ['tool.result', '2026-11-15T10:00:05.000Z', true],
    ]);
  } finally {
    vi.useRealTimers();
  }
});
