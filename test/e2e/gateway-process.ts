// An independent gateway in a process of its own, and commands that run while the test answers as the upstream.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOIL, type Sandbox } from '../cli/foil.ts';
import { Child } from '../fault/child.ts';

export async function startGateway(sandbox: Sandbox, url: string) {
  const ledger = join(sandbox.root, 'gateway');
  const env = { ...sandbox.env, XDG_CONFIG_HOME: join(sandbox.root, 'gateway-config') };
  sandbox.ok(['init', '--ledger', ledger], { env });
  const token = join(sandbox.root, 'token');
  writeFileSync(token, sandbox.ok(['gateway', 'token']));
  chmodSync(token, 0o600);
  const only = ['--tokens', token, '--upstream', `anthropic=${url}`, '--plain-upstreams'];
  const all = ['gateway', 'serve', '--json', '--ledger', ledger, '--listen', '127.0.0.1:0', ...only];
  const child = new Child(FOIL, all, { env, cwd: sandbox.root });
  await child.until(() => child.lines.length > 0);
  const said = JSON.parse(child.lines[0] ?? '{}') as { url: string; vkey: string };
  return { ...said, token, child };
}

export async function running(sandbox: Sandbox, words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [FOIL, ...words], {
    cwd: sandbox.work,
    env: { ...sandbox.env, ...env },
  });
  let [text, stdout] = ['', ''];
  child.stdout.on('data', (piece) => {
    stdout += piece;
  });
  child.stderr.on('data', (piece) => {
    text += piece;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, text: stdout + text };
}
