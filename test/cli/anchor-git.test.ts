// foil anchor git and push as processes, after sessions that hooks recorded; and the service, which keeps up by itself.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitDirectory } from '../../src/anchor/git/index.ts';
import { recordingOf } from '../../src/app/service/open-recording.ts';
import { parseUpstreams } from '../../src/service/index.ts';
import { real, serveEsplora } from '../anchor/blocks/servers.ts';
import { expectSound, git } from '../anchor/git/repository.ts';
import { createFileLedger } from '../file-ledger.ts';
import { temporary } from '../temporary.ts';
import { ends, Sandbox } from './foil.ts';

const BLOCK = real(900_001);
const BRANCH = `branch-${(BLOCK.height % 7) + 1}`;

let sandbox: Sandbox;
let directory: string;
beforeEach(() => {
  sandbox = new Sandbox();
  sandbox.ledger();
  directory = sandbox.path('.foil/git');
});
afterEach(() => sandbox.remove());

/** Not synchronously: the block source is in this process. */
async function foil(words: readonly string[], input = ''): Promise<{ code: number | null; out: string }> {
  const child = sandbox.start(words);
  let out = '';
  child.stdout.on('data', (piece: Buffer) => {
    out += piece.toString();
  });
  child.stdin.end(input);
  const { code } = await ends(child);
  return { code, out };
}

async function hook(event: string, more: Record<string, unknown> = {}): Promise<void> {
  const input = {
    session_id: 'host',
    cwd: sandbox.work,
    hook_event_name: event,
    transcript_path: '',
    ...more,
  };
  expect(await foil(['hook', 'claude-code'], JSON.stringify(input))).toMatchObject({ code: 0 });
}

/** A session bound to a block, of two turns. Gives its id. */
async function record(): Promise<string> {
  const esplora = await serveEsplora(BLOCK, []);
  sandbox.write('counterfoil.yaml', `anchor:\n  blocks: [${esplora.url}]\n  git: true\n`);
  sandbox.ok(['anchor', 'accept']);
  await hook('SessionStart', { source: 'startup' });
  for (const [prompt, answer] of [
    ['look at it', 'I looked.'],
    ['thanks', 'You are welcome.'],
  ]) {
    await hook('UserPromptSubmit', { prompt });
    await hook('Stop', { last_assistant_message: answer, stop_hook_active: false });
  }
  await hook('SessionEnd', { reason: 'exit' });
  const { sessions } = sandbox.json(['session', 'list']) as { sessions: { id: string }[] };
  return sessions[0]?.id ?? '';
}

/** One that says nothing, begun and ended by hand: quickly made, on branch-0. */
function recordBriefly(): void {
  sandbox.write('counterfoil.yaml', 'anchor:\n  git: true\n');
  const { session } = sandbox.json(['session', 'start', '--agent', 'script']) as { session: string };
  sandbox.ok(['session', 'end', session]);
}

describe('foil anchor git', () => {
  it('G6a, G6b, G6d tells plain git of a session that hooks recorded, and foil verify holds the two together', async () => {
    const session = await record();
    const { code, out } = await foil(['anchor', 'git', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ directory, commits: 4, end: 'merge' });
    expectSound(directory);
    const short = session.slice(0, 16);
    expect(git(directory, 'log', '--format=%an %s', BRANCH).split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^${short} session_end:[0-9a-f]{16}:btc-${BLOCK.height}$`)),
      `${short} interaction-2`,
      `${short} interaction-1`,
    ]);
    expect(sandbox.ok(['anchor', 'git'])).toContain(`${BRANCH}  `);
    const findings = async (): Promise<string[]> => {
      const report = JSON.parse((await foil(['verify', '--json'])).out) as {
        facets: { sessions: { findings: { code: string }[] } };
      };
      return report.facets.sessions.findings.map(({ code: found }) => found);
    };
    expect(await findings()).toEqual([]);
    git(directory, 'update-ref', `refs/heads/${BRANCH}`, `${BRANCH}~1`);
    expect(await findings()).toEqual(['GIT_BRANCH_MOVED']);
    expect((await foil(['verify'])).code).toBe(4);
    expect((await foil(['anchor', 'git'])).code).toBe(0);
    expect(await findings()).toEqual([]);
  });

  it('names what contradicts the ledger, and changes nothing about it', async () => {
    recordBriefly();
    sandbox.ok(['anchor', 'git']);
    const tree = git(directory, 'rev-parse', `branch-0^{tree}`);
    const forged = git(directory, 'commit-tree', tree, '-m', 'interaction-1');
    git(directory, 'update-ref', `refs/heads/branch-0`, forged);
    expect(sandbox.ok(['anchor', 'status'])).toMatch(/^git +at entry \d+ of \d+$/m);
    const { code, out } = await foil(['anchor', 'git', '--json']);
    expect(code).toBe(1);
    expect(sandbox.ok(['anchor', 'status'])).toMatch(/^git +CONTRADICTION: refs\/heads\/branch-0\. /m);
    expect(JSON.parse(out)).toMatchObject({ problem: 'CONTRADICTION', refs: [`refs/heads/branch-0`] });
    expect((await foil(['anchor', 'push', temporary()])).code).toBe(1);
    expect(git(directory, 'rev-parse', 'branch-0')).toBe(forged);
  });

  it('works where git is not installed, but for pushing', async () => {
    recordBriefly();
    const env = { PATH: temporary() };
    expect(sandbox.run(['anchor', 'git'], { env })).toMatchObject({ code: 0 });
    expect(sandbox.run(['anchor', 'push', temporary()], { env })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('git is not installed'),
    });
    expectSound(directory);
  });

  it('writes objects again that are gone', async () => {
    recordBriefly();
    sandbox.ok(['anchor', 'git']);
    rmSync(join(directory, 'objects'), { recursive: true });
    expect(sandbox.run(['anchor', 'git', '--repair'])).toMatchObject({ code: 1 });
    rmSync(directory, { recursive: true });
    sandbox.ok(['anchor', 'git', '--repair']);
    expectSound(directory);
  });

  it('pushes to another repository', async () => {
    recordBriefly();
    const remote = join(temporary(), 'remote.git');
    git('/', 'init', '-q', '--bare', remote);
    expect(sandbox.ok(['anchor', 'push', remote, '--dry-run'])).toContain('Nothing was sent');
    expect(git(remote, 'for-each-ref')).toBe('');
    expect(sandbox.ok(['anchor', 'push', remote])).toContain(`refs/heads/branch-0`);
    expect(git(remote, 'rev-parse', 'branch-0')).toBe(git(directory, 'rev-parse', 'branch-0'));
    expectSound(remote);
  });

  it.each([
    [['anchor', 'push']],
    [['anchor', 'push', 'a', 'b']],
    [['anchor', 'git', 'x']],
    [['anchor', 'git', '--dry-run']],
    [['anchor', 'stamp', '--repair']],
  ])('is told how to call it: %s', (words) => {
    expect(sandbox.run(words)).toMatchObject({ code: 2 });
  });
});

describe('the service', () => {
  it.each([
    ['where the project asks for it', 'anchor:\n  git: true\n', true],
    ['not where it does not', 'content: none\n', false],
  ])('G6e keeps the repository up by itself, %s', async (_, config, isKept) => {
    const project = temporary();
    writeFileSync(join(project, 'counterfoil.yaml'), config);
    const ledger = temporary();
    await (await createFileLedger(ledger)).store.close();
    const located = { directory: ledger, keyDirectory: join(ledger, 'keys'), how: 'option' } as const;
    const recording = await recordingOf(located, { upstreams: parseUpstreams([]), cwd: project })({
      sealSoon: () => undefined,
    });
    const tell = (event: string, more: object = {}): Promise<unknown> =>
      recording.hook(
        'claude-code',
        Buffer.from(JSON.stringify({ session_id: 's', cwd: project, hook_event_name: event, ...more })),
        event,
      );
    await tell('SessionStart', { source: 'startup' });
    await tell('UserPromptSubmit', { prompt: 'hello' });
    await tell('Stop', { last_assistant_message: 'Hello.', stop_hook_active: false });
    await recording.seal();
    const repository = gitDirectory(ledger);
    if (isKept) {
      await expect
        .poll(() => existsSync(join(repository, 'refs/heads/branch-0')), { timeout: 20_000 })
        .toBe(true);
    }
    await tell('SessionEnd', { reason: 'exit' });
    await recording.close();
    expect(existsSync(repository)).toBe(isKept);
    if (!isKept) return;
    expectSound(repository);
    expect(git(repository, 'log', '--format=%s', 'branch-0').split('\n')).toEqual([
      expect.stringMatching(/^session_end:[0-9a-f]{16}:btc-none$/),
      'interaction-1',
    ]);
  });
});
