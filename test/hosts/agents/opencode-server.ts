// OpenCode as its terminal uses it: a server that lives on after a turn, and a client that posts prompts to it. There a
// plugin's message starts the next turn, so a turn can be held; in `opencode run` the process is gone by then.
import { spawn } from 'node:child_process';
import type { Ran } from '../bounded.ts';
import type { Driven, Host } from '../host.ts';
import { opencode } from './opencode.ts';

export const opencodeServer: Host = {
  ...opencode,
  name: 'OpenCode, its server',
  headless: false,
  holds: true,
  drive,
};

const PAUSE = 300;
/** So often it must be idle before we believe that there will be no verdict: a ledger that can't be written has none. */
const NO_VERDICT = 30;

async function drive({ place, prompt, env, seconds }: Driven): Promise<Ran> {
  const words = ['serve', '--hostname', '127.0.0.1', '--port', '0'];
  const server = spawn('opencode', words, { cwd: place.project, env, detached: true, stdio: 'pipe' });
  let [stdout, stderr, killed] = ['', '', false];
  server.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString();
  });
  const ended = new Promise<number | null>((resolve) => server.on('close', resolve));
  const group = (signal: NodeJS.Signals): void => {
    try {
      process.kill(-(server.pid ?? 0), signal);
    } catch {
      // Nobody is left in it.
    }
  };
  const limit = setTimeout(() => {
    killed = true;
    group('SIGKILL');
  }, seconds * 1000);
  const judged = async () => (await place.log()).filter(({ kind }) => kind === 'gate');
  try {
    const before = (await judged()).length;
    const url = await new Promise<string>((resolve, reject) => {
      server.stdout.on('data', (piece: Buffer) => {
        stdout += piece.toString();
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(stdout) ?? [];
        if (found !== undefined) resolve(found);
      });
      server.on('exit', () => reject(new Error(`opencode serve ended\n${stdout}${stderr}`)));
    });
    const { id } = (await post(`${url}/session`, {})) as { id: string };
    const answer = await post(`${url}/session/${id}/message`, { parts: [{ type: 'text', text: prompt }] });
    stdout += JSON.stringify(answer);
    // A block starts another turn, so the session is done once it is idle and the last verdict was no block.
    let idle = 0;
    for (let verdict: unknown; !(idle > 0 && verdict !== undefined) && idle < NO_VERDICT && !killed; ) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      const status = (await get(`${url}/session/status`)) as Record<string, { type?: string } | undefined>;
      const isIdle = (status[id]?.type ?? 'idle') === 'idle';
      verdict = (await judged()).slice(before).at(-1)?.payload.verdict;
      idle = isIdle && verdict !== 'block' ? idle + 1 : 0;
    }
    server.kill('SIGTERM'); // as its user ends it: the plugin tells the end of its sessions
    return { code: await ended, stdout, stderr, killed };
  } finally {
    clearTimeout(limit);
    group('SIGKILL');
  }
}

function post(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  return get(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function get(url: string, init: RequestInit = {}): Promise<unknown> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}
