// foil replay of a session that a program had with a model: recorded through the gateway, then replayed with the model gone.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Entry } from '../../src/format/index.ts';
import { makeBubblewrap } from '../../src/sandbox/bubblewrap/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { FOIL } from '../cli/foil.ts';
import { damageLast } from './damage-last.ts';
import { RecordedSession, SECRET } from './recorded-session.ts';

const whyNot = await makeBubblewrap({ hidden: [] }).available();

describe('a recorded session', () => {
  const recorded = new RecordedSession();
  const { sandbox } = recorded;
  let [before, session] = ['', ''];
  beforeAll(async () => {
    await recorded.prepare();
    before = (await recorded.run()).session;
    recorded.accept();
    const ran = await recorded.run();
    session = ran.session;
    expect(ran.stdout).toContain(SECRET);
    await recorded.leave();
  });
  afterAll(() => recorded.remove());

  const replay = async (id = session) => {
    const { code, stdout } = await sandbox.foil(['replay', id]);
    return { code, stdout };
  };
  const NOTE = "  node_modules was used as it is now, because it wasn't kept\n";

  it('O8 replays offline, with the model gone and the work tree changed', async ({ skip }) => {
    if (whyNot !== null) skip(`bubblewrap is passed over here: ${whyNot}`);
    expect(sandbox.read('numbers')).toBe('1\n2\n4\n4\n');
    const bytes = recorded.bytes();
    expect(await replay()).toEqual({ code: 0, stdout: `✓ Replay successful: 2 model calls\n${NOTE}` });
    expect(recorded.bytes()).toBe(bytes);
    expect(sandbox.read('numbers')).toBe('1\n2\n4\n4\n');
  });

  it('O8 is unknown where an operator had not accepted that it is kept, and says what to do', async () => {
    const { code, stdout } = await replay(before);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^\? Replay is unknown: it wasn't kept for replay.*`foil keep accept`/);
  });

  it('O8 names the first call that an agent with other code asks differently', async ({ skip }) => {
    if (whyNot !== null) skip(`bubblewrap is passed over here: ${whyNot}`);
    recorded.program('again');
    try {
      const { code, stdout } = await replay();
      expect(code).toBe(5);
      expect(stdout).toContain(
        '✗ Replay differs at call 2: the agent asked something else: messages[2] differs\n',
      );
      expect(stdout).toContain('again');
      expect(stdout).toContain('1 of 2 model calls as recorded');
    } finally {
      recorded.program('please');
    }
  });

  it('O8 refuses an answer that was changed where it is kept', async () => {
    const mend = damageLast(recorded.ledger);
    try {
      const { code, stdout } = await replay();
      expect(code).toBe(5);
      expect(stdout).toContain('✗ Not replayed: the answer of call 2 differs from what was recorded');
    } finally {
      mend();
    }
  });

  it('K3 keeps what is raw encrypted, and no reader shows it', async () => {
    expect(recorded.bytes()).not.toContain(SECRET);
    const lines = sandbox.ok(['log', '--session', session, '--kind', 'replay.start,replay.answer', '--json']);
    const log = lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry);
    expect(log).toHaveLength(3);
    for (const { seq } of log) expect(sandbox.ok(['show', String(seq)])).not.toContain(SECRET);
    const verified = await sandbox.foil(['verify', '--json']);
    expect(JSON.parse(verified.stdout)).toMatchObject({ verdict: 'INTACT' });
  });

  it('is unknown once the content of its session is erased, and all that was kept is gone', async () => {
    const store = openFileStore(recorded.ledger);
    await store.eraseContent(session);
    await store.close();
    expect(recorded.bytes()).not.toContain('counterfoil-enc-1');
    const { code, stdout } = await replay();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '? Replay is unknown: the command is not kept\n' });
  });
});

it('O8 what an agent asks the system is the same: its user, modes, git, and our own hooks', async ({
  skip,
}) => {
  if (whyNot !== null) skip(`bubblewrap is passed over here: ${whyNot}`);
  const recorded = new RecordedSession();
  const { sandbox } = recorded;
  try {
    writeFileSync(
      join(sandbox.env.HOME ?? '', '.gitconfig'),
      '[user]\nname = Ann\nemail = ann@example.com\n',
    );
    const git = (...words: string[]) => execFileSync('git', words, { cwd: sandbox.work, env: sandbox.env });
    git('init', '-q', '-b', 'main');
    await recorded.prepare();
    sandbox.write('.gitignore', 'node_modules\n');
    git('add', '.');
    git('commit', '-qm', 'One');
    recorded.accept();
    const id = '0a0a0a0a-0000-4000-8000-000000000001';
    const event = JSON.stringify({ hook_event_name: 'SessionStart', session_id: id, source: 'startup' });
    recorded.telling(`
ls -l numbers client.mjs
whoami
git status --short
git log --format='%an <%ae> %s'
echo 5 >> numbers
git commit -am Two
cd /tmp && git status
echo '${event}' | node '${FOIL}' hook claude-code --ledger '${recorded.ledger}' && echo 'and no word of ours'`);
    const { session, stdout } = await recorded.run();
    expect(stdout).toContain('three');
    await recorded.leave();
    const { stdout: said } = await sandbox.foil(['replay', session]);
    expect(said).toContain('✓ Replay successful: 2 model calls\n');
  } finally {
    await recorded.remove();
  }
});
