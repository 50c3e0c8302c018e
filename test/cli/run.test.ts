// foil run: one whole session of an agent, by a stand-in that calls the hooks it is given as the real one does.
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Entry, parseEntry } from '../../src/format/index.ts';
import { upstream } from '../service/gateway/stage.ts';
import { endService, projectLedger } from '../service/run-ledger.ts';
import { ends, FOIL, prints, Sandbox } from './foil.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
  const bin = join(sandbox.root, 'bin');
  mkdirSync(bin);
  copyFileSync(join(import.meta.dirname, 'agent.mjs'), join(bin, 'claude'));
  chmodSync(join(bin, 'claude'), 0o755);
  // A script without an extension is an ES module only by its package.
  copyFileSync(join(import.meta.dirname, '../../package.json'), join(bin, 'package.json'));
  sandbox.env.PATH = `${bin}:${process.env.PATH}`;
  sandbox.env.XDG_RUNTIME_DIR = join(sandbox.root, 'run');
});
afterEach(async () => {
  // Some tests begin nothing.
  if (existsSync(join(sandbox.root, 'state/counterfoil'))) await endService(ledger());
  sandbox.remove();
});

const ledger = (): string => projectLedger(sandbox.root);

function entries(): Entry[] {
  const directory = join(ledger(), 'ledger');
  return readdirSync(directory)
    .sort()
    .flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n').slice(0, -1))
    .map((line) => parseEntry(Buffer.from(line)));
}

describe('foil run --gateway', () => {
  /** The stand-in: asks a model as an SDK would, where its environment says. */
  const AGENT = `
    const response = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
      method: 'POST',
      headers: { 'x-api-key': 'none', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    console.log(response.status, (await response.json()).id, process.argv.slice(2).join(' '));`;

  async function running(
    words: readonly string[],
  ): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const child = sandbox.start(words);
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (piece) => {
      stdout += piece;
    });
    child.stderr.on('data', (piece) => {
      stderr += piece;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stdout, stderr };
  }

  it('G15j the model calls of a run are in its session, with receipts', async () => {
    const to = await upstream((_, response) => response.end('{"id":"msg_1","type":"message","content":[]}'));
    sandbox.ok(['init']);
    writeFileSync(
      join(ledger(), 'settings'),
      JSON.stringify({ v: 1, mode: 'observe', port: null, upstreams: [`anthropic=${to.url}`] }),
    );
    const agent = join(sandbox.root, 'agent.mjs');
    writeFileSync(agent, AGENT);
    writeFileSync(join(sandbox.work, 'AGENTS.md'), 'Be brief.\n');
    const words = ['run', '--gateway', '--pack', '.', '--', process.execPath, agent, 'x'];
    const { code, stdout, stderr } = await running(words);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '200 msg_1 x\n' });
    expect(stderr).toContain('models    1 call, 1 receipt');
    const told = entries();
    const [start] = told.filter(({ kind }) => kind === 'session.start');
    const [receipt] = told.filter(({ kind }) => kind === 'receipt');
    expect(start?.payload.mode).toBe('observe');
    expect(receipt?.payload.pack).toBe(start?.payload.pack);
    expect(receipt?.payload.pack).toMatch(/^[0-9a-f]{64}$/);
    for (const kind of ['model.call', 'model.result', 'receipt'])
      expect(told.filter((entry) => entry.kind === kind).map(({ session_id }) => session_id)).toEqual([
        start?.session_id,
      ]);
    expect(told.filter(({ kind }) => kind === 'session.start').length).toBe(1);
    // Settings are as they were, but for the port.
    expect(JSON.parse(readFileSync(join(ledger(), 'settings'), 'utf8')).upstreams).toEqual([
      `anthropic=${to.url}`,
    ]);
  });

  it('where the user points the agent elsewhere, or the agent can not be pointed, it says so and starts nothing', () => {
    const set = sandbox.run(['run', '--gateway', '--', 'claude'], {
      env: { ANTHROPIC_BASE_URL: 'http://other' },
    });
    expect([set.code, set.stdout]).toEqual([2, '']);
    expect(set.stderr).toContain('ANTHROPIC_BASE_URL is already set');
    const cursor = sandbox.run(['run', '--gateway', '--agent', 'cursor', '--', 'claude']);
    expect([cursor.code, cursor.stdout]).toEqual([2, '']);
  });
});

describe('foil run --pack', () => {
  const project = (): void => writeFileSync(join(sandbox.work, 'AGENTS.md'), 'Be brief.\n');
  const starts = (): Entry[] => entries().filter(({ kind }) => kind === 'session.start');

  it('G3, C18: the session names the root of the pack, which is kept beside the ledger', () => {
    project();
    const { root } = sandbox.json(['pack', 'create', '--out', '../given.tar.gz']) as { root: string };
    for (const given of ['../given.tar.gz', '.'])
      expect(sandbox.run(['run', '--pack', given, '--', 'true']).code).toBe(0);
    writeFileSync(join(sandbox.work, 'counterfoil.yaml'), 'pack: auto\n');
    expect(sandbox.run(['run', '--', 'true']).code).toBe(0);
    const [first, second, auto] = starts().map(({ payload }) => payload.pack);
    expect([first, second]).toEqual([root, root]);
    // counterfoil.yaml is a part of the harness, so this is another pack.
    expect(auto).toMatch(/^[0-9a-f]{64}$/);
    expect(auto).not.toBe(root);
    const kept = (name: unknown): string => join(ledger(), 'packs', `${name}.tar.gz`);
    for (const each of [root, auto])
      expect(sandbox.json(['pack', 'verify', kept(each)])).toMatchObject({ valid: true, root: each });
    expect(entries().some(({ kind }) => kind === 'harness.change')).toBe(false);
  });

  it('C9 an agent whose hooks record in another session leaves a gap in the run', () => {
    writeFileSync(join(sandbox.work, 'AGENTS.md'), 'Be brief.\n');
    const event = {
      session_id: 'of-its-own',
      cwd: sandbox.work,
      hook_event_name: 'UserPromptSubmit',
      transcript_path: '',
      prompt: 'and now for something else',
    };
    sandbox.write('event.json', JSON.stringify(event));
    const script = `unset FOIL_SESSION FOIL_LEDGER; "${process.execPath}" "${FOIL}" hook claude-code < event.json`;
    expect(sandbox.run(['run', '--pack', '.', '--', 'sh', '-c', script]).code).toBe(0);
    const run = starts().find(({ payload }) => payload.pack !== null)?.session_id;
    const other = starts().find(({ payload }) => payload.pack === null)?.session_id;
    const gaps = entries().filter(({ kind, session_id }) => kind === 'gap' && session_id === run);
    expect(gaps.map(({ payload }) => payload.why)).toEqual([
      `hooks recorded in another session meanwhile: ${other}`,
    ]);
    expect(sandbox.json(['bundle', 'create', '--out', '../run.bundle'])).toMatchObject({ run });
    const { code, stdout } = sandbox.run(['verify', '../run.bundle']);
    expect([code, stdout.split(' ')[0]]).toEqual([6, 'UNKNOWN']);
  });

  it('C9 a host that goes on with a session of its own under a second run is recorded in that run', () => {
    const event = { session_id: 's', cwd: sandbox.work, transcript_path: '', prompt: 'go' };
    sandbox.write('event.json', JSON.stringify({ ...event, hook_event_name: 'UserPromptSubmit' }));
    const agent = ['sh', '-c', `"${process.execPath}" "${FOIL}" hook claude-code < event.json`];
    for (const _ of [1, 2]) expect(sandbox.run(['run', '--', ...agent]).code).toBe(0);
    const [first, second] = starts().map(({ session_id }) => session_id);
    const prompts = entries().filter(({ kind }) => kind === 'prompt');
    expect(prompts.map(({ session_id }) => session_id)).toEqual([first, second]);
  });

  it('C1 a pack with checksums of variables: their names count, and with the key their values, too', () => {
    project();
    writeFileSync(join(sandbox.work, 'counterfoil.yaml'), 'pack: {env: [DEPLOY_TARGET]}\n');
    writeFileSync(join(sandbox.work, '../env.key'), 'k'.repeat(32));
    const [as, other] = ['staging', 'production'].map((value) => ({ env: { DEPLOY_TARGET: value } }));
    const create = ['pack', 'create', '--env-key', '../env.key', '--out', '../given.tar.gz'];
    sandbox.ok(create, as);
    const run = (...words: string[]): string[] => [
      'run',
      '--pack',
      '../given.tar.gz',
      ...words,
      '--',
      'true',
    ];
    expect(sandbox.run(run(), other).code).toBe(0);
    expect(sandbox.run(run('--env-key', '../env.key'), as).code).toBe(0);
    const wrong = sandbox.run(run('--env-key', '../env.key'), other);
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringContaining('env/variables.json (DEPLOY_TARGET)'),
    ]);
    expect(entries().some(({ kind }) => kind === 'harness.change')).toBe(false);
    writeFileSync(join(sandbox.work, 'counterfoil.yaml'), 'pack: {env: [DEPLOY_TARGET, MORE]}\n');
    expect(sandbox.run(run(), as).code).toBe(1);
  });

  it('a project that differs from the pack starts nothing', () => {
    project();
    sandbox.ok(['pack', 'create', '--out', '../given.tar.gz']);
    writeFileSync(join(sandbox.work, 'AGENTS.md'), 'Be long.\n');
    const { code, stderr } = sandbox.run(['run', '--pack', '../given.tar.gz', '--', 'touch', 'ran']);
    expect([code, existsSync(join(sandbox.work, 'ran'))]).toEqual([1, false]);
    expect(stderr).toContain('this project differs from the pack ../given.tar.gz: static/AGENTS.md.');
  });

  it.each([
    ['changed', 'echo more >> AGENTS.md', ['static/AGENTS.md']],
    ['added', 'echo new > CLAUDE.md', ['static/CLAUDE.md']],
    ['removed', 'rm AGENTS.md; echo x > GEMINI.md', ['static/AGENTS.md', 'static/GEMINI.md']],
  ])(
    'a file of the harness that is %s while the agent runs is an entry and a finding',
    (_, script, paths) => {
      project();
      const { stderr } = sandbox.run(['run', '--pack', '.', '--', 'sh', '-c', script]);
      expect(stderr).toContain('the harness changed while the agent ran');
      const told = entries().filter(({ kind }) => kind === 'harness.change');
      const changes = told.flatMap(({ payload }) => payload.changes as unknown as { path: string }[]);
      expect(changes.map(({ path }) => path).sort()).toEqual(paths);
      expect(told[0]?.payload.pack).toBe(starts()[0]?.payload.pack);
      expect(sandbox.run(['verify']).stdout).toContain('HARNESS_CHANGED');
    },
  );
});

describe('foil run', () => {
  it('X7 records the whole session of claude, and touches no file of the project', () => {
    const { code, stdout, stderr } = sandbox.run(['run', '--', 'claude', '-p', 'build it']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: 'ran --settings -p build it\n' });
    expect(readdirSync(sandbox.work)).toEqual([]);
    const told = entries();
    expect(told.slice(1).map(({ kind }) => kind)).toEqual([
      'session.start',
      'tool.call',
      'policy',
      'agent.start',
      'prompt',
      'contract',
      'tool.call',
      'tool.result',
      'tool.call',
      'tool.denied',
      'response',
      'gate',
      'agent.end',
      'tool.result',
      'session.end',
    ]);
    const own = told.slice(1).filter(({ kind }) => kind !== 'policy');
    const sessions = new Set(own.map(({ session_id }) => session_id));
    expect(sessions.size).toBe(1);
    expect(told.at(-2)?.payload).toMatchObject({ tool: 'run', exit_code: 3, exit_origin: 'host' });
    expect(told.at(-1)?.payload).toMatchObject({
      exit_code: 3,
      counts: { prompts: 1, responses: 1, calls: 3, results: 2, denied: 1 },
    });
    expect(stderr).toMatch(/^ {2}tools +Bash 2/m);
    expect(stderr).toMatch(/^ {2}denied +1$/m);
    expect(stderr).toMatch(/^ {2}record +INTACT, sealed up to entry 16$/m);
    const hooks = readdirSync(join(sandbox.root, 'run'), { recursive: true, encoding: 'utf8' });
    expect(hooks.filter((name) => name.includes('run-'))).toEqual([]);
  });

  it('X7 leaves hooks that are installed to do it', () => {
    sandbox.ok(['install', 'claude-code']);
    const { stdout } = sandbox.run(['run', '--', 'claude']);
    expect(stdout).toBe('ran \n');
  });

  it('records any program as one call, and nothing of one that can not be started', () => {
    const { code } = sandbox.run(['run', '--', 'sh', '-c', 'exit 7']);
    expect(code).toBe(7);
    expect(entries().map(({ kind }) => kind)).toEqual([
      'ledger.open',
      'session.start',
      'tool.call',
      'tool.result',
      'session.end',
    ]);
    const missing = sandbox.run(['run', '--', 'no-such-program']);
    expect(missing.code).toBe(127);
    expect(missing.stderr).toContain(
      "can't start no-such-program: it isn't installed, or it isn't on your PATH.",
    );
    expect(entries()).toHaveLength(5);
  });

  it('passes signals on, and ends as the program did', async () => {
    const child = sandbox.start(['run', '--', 'claude', '--wait']);
    const ended = ends(child);
    await prints(child, /^ran /m);
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 128 + 15, signal: null });
    expect(entries().at(-1)).toMatchObject({
      kind: 'session.end',
      payload: { reason: 'SIGTERM', exit_code: 143 },
    });
  });

  it('with FOIL=off only runs the program', () => {
    sandbox.ok(['init']);
    const { code, stdout } = sandbox.run(['run', '--', 'claude'], { env: { FOIL: 'off' } });
    expect({ code, stdout }).toEqual({ code: 3, stdout: 'ran \n' });
    expect(entries()).toHaveLength(1);
  });
});
