// Locked, with two real users: the service's, who owns ledger and keys, and the agent's, who may connect and do nothing
// else. Needs root, to be both of them; the users need no names.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeSettings } from '../../src/record/index.ts';
import { FOIL } from '../cli/foil.ts';
import { Child } from '../fault/child.ts';
import { expectIntact } from '../file-ledger.ts';

const SERVICE = { uid: 54320, gid: 54320 };
const AGENT = { uid: 54321, gid: 54321 };
const CLIENTS = 54322;

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Becomes a user with the clients' group beside its own, then does `then`. node's spawn sets no further groups. */
function become({ uid, gid }: User, then: string, groups: readonly number[]): string[] {
  return [
    '-e',
    `process.setgroups([${groups.join()}]); process.setgid(${gid}); process.setuid(${uid}); ${then}`,
  ];
}

const asFoil = `process.argv.splice(1, 0, ${JSON.stringify(FOIL)}); require(${JSON.stringify(FOIL)})`;

interface Place {
  readonly base: string;
  readonly ledger: string;
  readonly socket: string;
  readonly env: NodeJS.ProcessEnv;
}

/** As docs/locked.md has it made: state for the service alone, and a directory for the socket that others may pass. */
function locked(): Place {
  const base = mkdtempSync(join(tmpdir(), 'foil-locked-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  chmodSync(base, 0o755);
  const [state, run] = [join(base, 'state'), join(base, 'run')];
  mkdirSync(state, { mode: 0o700 });
  mkdirSync(run, { mode: 0o711 });
  chmodSync(run, 0o711);
  for (const path of [state, run]) chownSync(path, SERVICE.uid, SERVICE.gid);
  const env = { PATH: process.env.PATH, HOME: state, XDG_CONFIG_HOME: join(state, 'config') };
  const ledger = join(state, 'project');
  const made = spawnSync(
    process.execPath,
    [...become(SERVICE, asFoil, []), '--', 'init', '--ledger', ledger],
    { env, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(made.stderr);
  writeSettings(ledger, { mode: 'locked', port: null });
  chownSync(join(ledger, 'settings'), SERVICE.uid, SERVICE.gid);
  return { base, ledger, socket: join(run, 'socket'), env };
}

async function serve({ ledger, socket, env }: Place): Promise<Child> {
  const words = [
    'serve',
    '--ledger',
    ledger,
    '--socket',
    socket,
    '--socket-group',
    String(CLIENTS),
    '--idle',
    'never',
  ];
  const [flag, script] = become(SERVICE, asFoil, [CLIENTS]) as [string, string];
  const child = new Child(flag, [script, '--', ...words], { env });
  await child.until(() => child.lines.some((line) => line.startsWith('serving on')));
  return child;
}

/** Runs a piece of script as the agent; it prints JSON. */
function asAgent(script: string, words: readonly string[], groups: readonly number[] = [CLIENTS]): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, [...become(AGENT, script, groups), '--', ...words], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

/** The hook command as the agent's host runs it: what it printed, and how it ended. */
function hook(place: Place, id: string, groups: readonly number[] = [CLIENTS]): [number | null, string] {
  const words = [
    'hook',
    'claude-code',
    '--mode',
    'locked',
    '--socket',
    place.socket,
    '--ledger',
    place.ledger,
  ];
  const input = {
    session_id: 'a-session',
    transcript_path: '/nowhere',
    cwd: place.base,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'true' },
    tool_use_id: id,
  };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...become(AGENT, asFoil, groups), '--', ...words],
    { input: JSON.stringify(input), encoding: 'utf8', env: { PATH: process.env.PATH, HOME: '/' } },
  );
  return [status, stdout + stderr];
}

/** Each path with how reading, listing and writing it ended. */
const TRY = `
  const fs = require('node:fs');
  const attempt = (work) => { try { work(); return 'done'; } catch ({ code }) { return code; } };
  console.log(JSON.stringify(process.argv.slice(1).map((path) => [
    attempt(() => fs.readFileSync(path)), attempt(() => fs.readdirSync(path)),
    attempt(() => fs.appendFileSync(path, 'x')), attempt(() => fs.unlinkSync(path)),
    attempt(() => fs.writeFileSync(path + '/new', 'x')),
  ])));`;

const ASK = `
  const [socketPath, method, path] = process.argv.slice(1);
  const request = require('node:http').request({ socketPath, method, path }, (response) => {
    let body = '';
    response.on('data', (piece) => { body += piece; }).on('end', () => console.log(JSON.stringify({ status: response.statusCode, body })));
  });
  request.end();`;

describe.skipIf(process.getuid?.() !== 0)('locked, as two users (needs root)', () => {
  it("the agent's user can tell events, and they are recorded and sealed", async () => {
    const place = locked();
    const service = await serve(place);
    const { uid, gid, mode } = statSync(place.socket);
    expect([uid, gid, mode & 0o777]).toEqual([SERVICE.uid, CLIENTS, 0o660]);
    for (let i = 0; i < 3; i++) expect(hook(place, `toolu_${i}`)).toEqual([0, '']);
    service.process.kill('SIGTERM');
    expect(await service.ended).toEqual({ code: 0, signal: null });
    const { counts } = await expectIntact(place.ledger);
    expect(counts).toMatchObject({ unsealed: 0 });
    const log = spawnSync(process.execPath, [FOIL, 'log', '--json', '--ledger', place.ledger], {
      encoding: 'utf8',
    });
    const entries = log.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const calls = entries.filter(({ kind }) => kind === 'tool.call');
    expect(calls.map(({ payload }) => payload.tool_use_id)).toEqual(['toolu_0', 'toolu_1', 'toolu_2']);
    // Nobody there: no record, no action, and nothing was written around it.
    const [, denied] = hook(place, 'toolu_3');
    expect(denied).toContain('"permissionDecision":"deny"');
    expect((await expectIntact(place.ledger)).counts.entries).toBe(counts.entries);
  });

  it('and can neither read nor write ledger, key, token, salts or settings, nor put a socket in its place', async () => {
    const place = locked();
    await serve(place);
    const everything = readdirSync(place.ledger, { recursive: true, encoding: 'utf8' });
    const keys = join(place.env.XDG_CONFIG_HOME ?? '', 'counterfoil/keys');
    const key = readdirSync(keys).map((name) => join(keys, name));
    expect(everything).toEqual(expect.arrayContaining(['service/token', 'settings', 'head', 'checkpoint']));
    expect(key.length).toBe(1);
    const paths = [place.ledger, ...everything.map((name) => join(place.ledger, name)), keys, ...key];
    const outcomes = asAgent(TRY, paths) as string[][];
    expect(new Set(outcomes.flat())).toEqual(new Set(['EACCES']));
    const [socket, directory] = asAgent(TRY, [place.socket, join(place.base, 'run')]) as string[][];
    // Listed and opened it can't be, only connected to.
    expect(socket).toEqual(['ENXIO', 'ENOTDIR', 'ENXIO', 'EACCES', 'ENOTDIR']);
    expect(directory).toEqual(['EACCES', 'EACCES', 'EISDIR', 'EACCES', 'EACCES']);
    // The same attempts by the owner go through: it is the user that makes the difference.
    expect(statSync(place.ledger).uid).toBe(SERVICE.uid);
    expect(readdirSync(place.ledger).length).toBeGreaterThan(3);
  });

  it('and can not stop it, seal with it, or learn where the ledger is', async () => {
    const place = locked();
    const service = await serve(place);
    expect(asAgent(ASK, [place.socket, 'POST', '/v1/stop'])).toMatchObject({ status: 403 });
    expect(asAgent(ASK, [place.socket, 'POST', '/v1/seal'])).toMatchObject({ status: 403 });
    const { body } = asAgent(ASK, [place.socket, 'GET', '/v1/health']) as { body: string };
    expect(JSON.parse(body)).toMatchObject({ mode: 'locked', port: null });
    expect(body).not.toContain(place.ledger);
    const kill = `try { process.kill(${service.process.pid}, 9); console.log('"killed"'); } catch ({ code }) { console.log(JSON.stringify(code)); }`;
    expect(asAgent(kill, [])).toBe('EPERM');
    expect(service.process.exitCode).toBe(null);
  });

  it('a user who is not of the group can not even connect', async () => {
    const place = locked();
    await serve(place);
    expect(hook(place, 'toolu_0', [])[1]).toContain('"permissionDecision":"deny"');
    expect(hook(place, 'toolu_1')).toEqual([0, '']);
  });
});
