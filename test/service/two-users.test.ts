// Locked, with two real users: the service's, who owns ledger and keys, and the agent's, who may connect and do nothing
// else. Needs root, to be both of them; the users need no names.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runWarmSync } from '../cli/warm.ts';
import { expectIntact } from '../file-ledger.ts';
import {
  AGENT,
  ASK,
  asAgent,
  asFoil,
  become,
  CLIENTS,
  locked,
  type Place,
  SERVICE,
  serve,
} from './locked-place.ts';

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
    const log = runWarmSync(['log', '--json', '--ledger', place.ledger], { cwd: '/', env: process.env });
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
