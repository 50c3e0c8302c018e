// The plugin in a process of its own, as `opencode run` and `opencode serve` are: what stands on the command line, and the
// signals that end it. The host that it runs in is a few lines that do what OpenCode does with them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { opencodePlugin } from '../../../src/capture/hooks/index.ts';
import { temporary } from '../../temporary.ts';

const HOOK = `
const fs = require('node:fs');
fs.appendFileSync(process.argv[2], fs.readFileSync(0, 'utf8') + '\\n');
`;

const HOST = `
import { Counterfoil } from './counterfoil.mjs';
const [kind, text, own] = process.argv.slice(2);
if (own) process.on(own, () => console.log('heard'));
const hooks = await Counterfoil({ directory: '/p' });
await hooks.event({ event: { type: 'session.created', properties: { info: { id: 'ses_1' } } } });
const quoted = '"' + text.replace(/"/g, '\\\\"') + '"';
const parts = [{ type: 'text', text: kind === 'run' ? quoted + '\\npiped' : quoted }];
await hooks['chat.message']({ sessionID: 'ses_1' }, { parts });
console.log('ready');
setInterval(() => {}, 1000);
`;

function start(...words: string[]) {
  const directory = temporary();
  const at = (name: string) => join(directory, name);
  const command = [process.execPath, at('hook.cjs'), at('log')];
  writeFileSync(at('hook.cjs'), HOOK);
  writeFileSync(at('host.mjs'), HOST);
  writeFileSync(at('counterfoil.mjs'), opencodePlugin({ command, strict: false }));
  const child = spawn(process.execPath, [at('host.mjs'), ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const says = async () => (await lines.next()).value as string | undefined;
  const told = (): Record<string, unknown>[] =>
    readFileSync(at('log'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { child, says, told, ended: once(child, 'exit') };
}

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends the server and its sessions', async (signal) => {
  const { child, says, told, ended } = start('serve', 'Go on.');
  expect(await says()).toBe('ready');
  child.kill(signal);
  expect(await ended).toEqual([null, signal]);
  const ends = told().filter(({ hook_event_name }) => hook_event_name === 'session.end');
  expect(ends).toMatchObject([{ session_id: 'ses_1', reason: signal }]);
});

it('a signal that the host listens to is the host’s', async () => {
  const { child, says, told, ended } = start('serve', 'Go on.', 'SIGINT');
  expect(await says()).toBe('ready');
  child.kill('SIGINT');
  expect(await says()).toBe('heard');
  child.kill('SIGKILL');
  await ended;
  expect(told().map(({ hook_event_name }) => hook_event_name)).not.toContain('session.end');
});

it.each([
  ['run', 'Say "hi" to them.\npiped'],
  ['serve', '"Say \\"hi\\" to them."'],
])('the prompt of `opencode %s` is what was typed', async (kind, prompt) => {
  const { child, says, told, ended } = start(kind, 'Say "hi" to them.');
  expect(await says()).toBe('ready');
  child.kill('SIGKILL');
  await ended;
  expect(told().find(({ hook_event_name }) => hook_event_name === 'chat.message')).toMatchObject({ prompt });
});
