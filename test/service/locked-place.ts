// A locked ledger with two real users, as docs/locked.md has it made: the service's, who owns ledger and keys, and the
// agent's, who may connect. Needs root, to be both of them; the users need no names.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { writeSettings } from '../../src/ledger/index.ts';
import { FOIL } from '../cli/foil.ts';
import { Child } from '../fault/child.ts';

export const SERVICE = { uid: 54320, gid: 54320 };
export const AGENT = { uid: 54321, gid: 54321 };
export const CLIENTS = 54322;

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Becomes a user with the clients' group beside its own, then does `then`. node's spawn sets no further groups. */
export function become({ uid, gid }: User, then: string, groups: readonly number[]): string[] {
  return [
    '-e',
    `process.setgroups([${groups.join()}]); process.setgid(${gid}); process.setuid(${uid}); ${then}`,
  ];
}

export const asFoil = `process.argv.splice(1, 0, ${JSON.stringify(FOIL)}); require('node:module')._load(${JSON.stringify(FOIL)}, null, true)`;

export interface Place {
  readonly base: string;
  readonly ledger: string;
  readonly socket: string;
  readonly env: NodeJS.ProcessEnv;
}

let template: string | undefined;

/** As docs/locked.md has it made. The ledger is made once, and copied with its owners and modes. */
export function locked(): Place {
  if (template === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'foil-locked-'));
    process.on('exit', () => rmSync(made, { recursive: true, force: true }));
    makePlace(made);
    template = made;
  }
  const base = mkdtempSync(join(tmpdir(), 'foil-locked-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const { status, stderr } = spawnSync('cp', ['-a', `${template}/.`, base], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return placeIn(base);
}

function placeIn(base: string): Place {
  const state = join(base, 'state');
  const env = { PATH: process.env.PATH, HOME: state, XDG_CONFIG_HOME: join(state, 'config') };
  return { base, ledger: join(state, 'project'), socket: join(base, 'run', 'socket'), env };
}

/** State for the service alone, and a directory for the socket that others may pass. */
function makePlace(base: string): void {
  chmodSync(base, 0o755);
  const [state, run] = [join(base, 'state'), join(base, 'run')];
  mkdirSync(state, { mode: 0o700 });
  mkdirSync(run, { mode: 0o711 });
  chmodSync(run, 0o711);
  for (const path of [state, run]) chownSync(path, SERVICE.uid, SERVICE.gid);
  const { env, ledger } = placeIn(base);
  const made = spawnSync(
    process.execPath,
    [...become(SERVICE, asFoil, []), '--', 'init', '--ledger', ledger],
    { env, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(made.stderr);
  writeSettings(ledger, { mode: 'locked', port: null });
  chownSync(join(ledger, 'settings'), SERVICE.uid, SERVICE.gid);
}

export async function serve({ ledger, socket, env }: Place): Promise<Child> {
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
export function asAgent(
  script: string,
  words: readonly string[],
  groups: readonly number[] = [CLIENTS],
): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, [...become(AGENT, script, groups), '--', ...words], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

export const ASK = `
  const [socketPath, method, path] = process.argv.slice(1);
  const request = require('node:http').request({ socketPath, method, path }, (response) => {
    let body = '';
    response.on('data', (piece) => { body += piece; }).on('end', () => console.log(JSON.stringify({ status: response.statusCode, body })));
  });
  request.end();`;
