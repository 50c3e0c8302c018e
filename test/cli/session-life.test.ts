// Sessions by hand, and sessions whose process is gone: with the built command and real processes that are killed.
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { finalHashOf, sessionIdOf } from '../../src/core/index.ts';
import { type Entry, parseEntry, parseSessionCut, parseSessionEnd } from '../../src/format/index.ts';
import { ends, Sandbox } from './foil.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
  sandbox.ledger();
});
afterEach(() => sandbox.remove());

function entries(): Entry[] {
  const directory = join(sandbox.work, '.foil/ledger');
  return readdirSync(directory)
    .sort()
    .flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n').slice(0, -1))
    .map((line) => parseEntry(Buffer.from(line)));
}
const of = (kind: string): Entry[] => entries().filter((entry) => entry.kind === kind);

describe('foil session start and end', () => {
  it('G3, G5 begin a session whose id follows from its place, and end it with its final hash', () => {
    const { session } = sandbox.json(['session', 'start', '--agent', 'script']) as { session: string };
    const [start] = of('session.start');
    expect(start?.session_id).toBe(session);
    expect(session).toBe(sessionIdOf({ prevHash: start?.prev_hash ?? '' }));
    expect(start?.payload).toMatchObject({
      agent: 'script',
      pid: null,
      auth_key: '0'.repeat(64),
      block: null,
    });
    const list = sandbox.json(['session', 'list']) as { sessions: { state: string }[] };
    expect(list.sessions).toMatchObject([{ id: session, state: 'open' }]);

    const ended = sandbox.json(['session', 'end', session.slice(0, 8), '--reason', 'lunch']);
    const final = finalHashOf(session, null, null);
    expect(ended).toEqual({ session, interactions: 0, final_hash: final });
    expect(parseSessionEnd(of('session.end')[0]?.payload ?? {})).toMatchObject({
      finalHash: final,
      interactions: 0,
    });
    expect(of('session.end')[0]?.payload).toMatchObject({ reason: 'lunch' });
    expect(sandbox.ok(['session', 'show', session.slice(0, 8)])).toContain(final.slice(0, 16));
  });

  it('end nothing twice, nothing that is not there, and no host’s session', () => {
    const { session } = sandbox.json(['session', 'start']) as { session: string };
    sandbox.ok(['session', 'end', session]);
    expect(sandbox.run(['session', 'end', session])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already ended'),
    });
    expect(sandbox.run(['session', 'end', 'ffff'])).toMatchObject({ code: 3 });
    expect(sandbox.run(['session', 'end'])).toMatchObject({ code: 2 });
    expect(sandbox.run(['session', 'start', 'x'])).toMatchObject({ code: 2 });
    const prompt = {
      session_id: 'h',
      cwd: sandbox.work,
      hook_event_name: 'UserPromptSubmit',
      prompt: 'hello',
    };
    sandbox.ok(['hook', 'claude-code'], { input: JSON.stringify(prompt) });
    const host = of('session.start').at(-1)?.session_id ?? '';
    expect(sandbox.run(['session', 'end', host])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('itself'),
    });
    expect(of('session.end')).toHaveLength(1);
  });
});

it('sessions of a copy without the key are nobody’s to begin, end or cut', () => {
  const { session } = sandbox.json(['session', 'start']) as { session: string };
  const copy = join(sandbox.root, 'copy');
  cpSync(sandbox.path('.foil'), copy, { recursive: true, filter: (path) => !path.endsWith('/keys') });
  const before = readFileSync(join(copy, 'head'));
  for (const words of [['start'], ['end', session], ['cut']])
    expect(sandbox.run(['session', ...words, '--ledger', copy]), words[0]).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("isn't here, so foil can't write"),
    });
  expect(readFileSync(join(copy, 'head'))).toEqual(before);
});

const hasProc = existsSync('/proc/self/stat');

describe.skipIf(!hasProc)('foil session cut (passed over where there is no /proc)', () => {
  it('cuts the session of a run that was killed, and none of one that goes on', async () => {
    const sleeper = 'process.stdin.resume(); console.log("up")';
    const runs = [0, 1].map(() => sandbox.start(['run', '--', process.execPath, '-e', sleeper]));
    await Promise.all(runs.map((run) => once(run.stdout, 'data')));
    const [killed, going] = runs;
    expect(sandbox.json(['session', 'cut'])).toEqual({ cut: [] });
    killed?.kill('SIGKILL');
    if (killed !== undefined) await once(killed, 'exit');
    const gone = of('session.start').find(({ payload }) => payload.pid === killed?.pid)?.session_id;
    expect(sandbox.json(['session', 'cut'])).toMatchObject({
      cut: [{ session: gone, reason: 'process-gone' }],
    });
    expect(sandbox.json(['session', 'cut'])).toEqual({ cut: [] });
    const cut = of('session.cut');
    expect(cut).toMatchObject([{ session_id: gone }]);
    expect(parseSessionCut(cut[0]?.payload ?? {})).toMatchObject({
      reason: 'process-gone',
      hostProcess: { pid: killed?.pid },
      interactions: 0,
      chainHash: null,
    });
    const before = entries().filter(({ seq, session_id }) => session_id === gone && seq < (cut[0]?.seq ?? 0));
    expect(cut[0]?.payload).toMatchObject({ entries: before.length });
    // The killed one's child had its standard input from us, too.
    killed?.stdin.end();
    going?.stdin.end();
    expect(going && (await ends(going))).toMatchObject({ code: 0 });
    const { sessions } = sandbox.json(['session', 'list']) as { sessions: { state: string }[] };
    expect(sessions.map(({ state }) => state).sort()).toEqual(['cut', 'ended']);
    expect(sandbox.run(['verify']).code).toBe(0);
  });
});
