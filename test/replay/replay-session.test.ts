// foil replay of a session that a program had with a model: recorded through the gateway, then replayed with the model gone.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecordedSession, SECRET } from './recorded-session.ts';

describe('a recorded session', () => {
  const recorded = new RecordedSession();
  let session = '';
  beforeAll(async () => {
    await recorded.record();
    recorded.accept();
    const ran = await recorded.run();
    session = ran.session;
    expect(ran.stdout).toContain('three, and');
    await recorded.leave();
  });
  afterAll(() => recorded.remove());

  const replay = (...words: string[]) => recorded.sandbox.foil(['replay', session, ...words]);

  it('O8 replays offline, with the model gone and the work tree changed', async () => {
    expect(recorded.sandbox.read('numbers')).toBe('1\n2\n4\n');
    const before = recorded.bytes().length;
    const { code, stdout, stderr } = await replay();
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '✓ Replay successful: 2 model calls\n  node_modules was used as it is now: it is not kept\n',
      stderr: '',
    });
    expect(recorded.bytes().length).toBe(before);
    expect(recorded.sandbox.read('numbers')).toBe('1\n2\n4\n');
  });
});
