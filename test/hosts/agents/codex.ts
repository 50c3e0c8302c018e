// Codex, `codex exec`. It trusts a project by its folder and a hook by the hash of its command. Both are written by the
// host itself: the same two requests to its own app server that its terminal makes for "Trust all" in /hooks.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Host, onCommandLine } from '../host.ts';
import type { Place } from '../place.ts';

const MODEL = 'gpt-5.2';

export const codex: Host = {
  agent: 'codex',
  name: 'Codex, codex exec',
  hooksFile: '.codex/hooks.json',
  headless: true,
  served: false,
  holds: true,
  model: MODEL,
  shell(command, tools) {
    if (tools.includes('exec_command')) return { name: 'exec_command', args: { cmd: command } };
    if (tools.includes('shell_command')) return { name: 'shell_command', args: { command } };
    if (tools.includes('shell')) return { name: 'shell', args: { command: ['bash', '-lc', command] } };
    return undefined;
  },
  async setUp(place) {
    place.write('home/.codex/config.toml', configOf(place));
    await trustHooks(place);
  },
  drive: onCommandLine('codex', (prompt, api) => [
    'exec',
    '--sandbox',
    'danger-full-access',
    ...providerOf(api),
    prompt,
  ]),
  env: () => ({ STAND_IN_KEY: 'none' }),
};

/** On the command line: the host owns its file once hooks are trusted. */
function providerOf(api: string): string[] {
  const provider = {
    name: 'stand-in',
    base_url: `${api}/v1`,
    env_key: 'STAND_IN_KEY',
    wire_api: 'responses',
  };
  const settings = Object.entries(provider).map(
    ([name, value]) => `model_providers.stand-in.${name}="${value}"`,
  );
  return ['model_provider="stand-in"', ...settings].flatMap((each) => ['-c', each]);
}

function configOf({ project }: Place): string {
  return `model = "${MODEL}"
check_for_update_on_startup = false
[projects."${project}"]
trust_level = "trusted"
`;
}

const TRUST_SECONDS = 60;

interface Hook {
  readonly key: string;
  readonly currentHash: string;
}

export async function trustHooks(place: Place): Promise<void> {
  const server = spawn('codex', ['app-server'], { cwd: place.project, env: place.env, stdio: 'pipe' });
  const limit = setTimeout(() => server.kill('SIGKILL'), TRUST_SECONDS * 1000);
  try {
    const ask = asker(server);
    await ask('initialize', { clientInfo: { name: 'foil-hosts', version: '0' } });
    const listed = (await ask('hooks/list', { cwds: [place.project] })) as { data: { hooks: Hook[] }[] };
    const hooks = listed.data.flatMap((each) => each.hooks);
    const value = Object.fromEntries(
      hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]),
    );
    const edits = [{ keyPath: 'hooks.state', value, mergeStrategy: 'upsert' }];
    await ask('config/batchWrite', { edits, reloadUserConfig: true });
  } finally {
    clearTimeout(limit);
    server.kill('SIGKILL');
  }
}

function asker(server: ChildProcessWithoutNullStreams) {
  const waiting = new Map<number, (answer: { result?: unknown; error?: unknown }) => void>();
  createInterface({ input: server.stdout }).on('line', (line) => {
    const answer = JSON.parse(line) as { id?: number; result?: unknown; error?: unknown };
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });
  let last = 0;
  return (method: string, params: object): Promise<unknown> =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, ({ result, error }) =>
        error === undefined ? resolve(result) : reject(new Error(`${method}: ${JSON.stringify(error)}`)),
      );
      server.on('exit', () => reject(new Error(`codex app-server ended during ${method}`)));
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: last, method, params })}\n`);
    });
}
