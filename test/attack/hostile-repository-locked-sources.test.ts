// In `locked` the project's counterfoil.yaml is the agent's to write. It does not choose which network addresses the
// service asks: only a counterfoil.yaml in the ledger's own directory does, which is the service's user's.

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { anchorInForce } from '../../src/cli/anchor/anchor-in-force.ts';
import { init } from '../../src/cli/commands/init.ts';
import { recordingOf } from '../../src/cli/open-recording.ts';
import { locate } from '../../src/entry/index.ts';
import { parseYaml, readConfig, readSettings, writeSettings } from '../../src/record/index.ts';
import { ClaudeSession } from '../e2e/claude-host.ts';
import { Machine } from './hostile-clone.ts';

/** An address that counts who asks it, and knows nothing. */
async function listener(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function session(machine: Machine, directory: string, id: string): Promise<void> {
  const located = locate({ ledger: directory, env: machine.env });
  const recording = await recordingOf(located, { upstreams: new Map(), cwd: machine.project })({
    sealSoon: () => undefined,
  });
  const event = JSON.stringify(new ClaudeSession(id, machine.project).start());
  await recording.hook('claude-code', Buffer.from(event), null);
  await recording.seal();
  await recording.close();
}

it('the service asks no address that the project’s file names, and those that its own names', async () => {
  const machine = new Machine();
  const { directory } = (await machine.run(init)).json as { directory: string };
  const theirs = await listener();
  const own = await listener();
  machine.file(
    'home/me/project/counterfoil.yaml',
    `anchor:\n  blocks: [${theirs.url}]\n  stamps: [${theirs.url}]\n`,
  );
  await session(machine, directory, 'observed');
  expect(theirs.asked.length).toBeGreaterThan(0);
  theirs.asked.length = 0;
  writeSettings(directory, { ...readSettings(directory, machine.env), mode: 'locked' }, machine.env);
  await session(machine, directory, 'locked');
  expect(theirs.asked).toEqual([]);
  writeFileSync(join(directory, 'counterfoil.yaml'), `anchor:\n  blocks: [${own.url}]\n`, { mode: 0o600 });
  await session(machine, directory, 'locked-own');
  expect(theirs.asked).toEqual([]);
  expect(own.asked.length).toBeGreaterThan(0);
});

it('settings that can’t be understood count as locked here: nothing of the project’s is asked', async () => {
  const machine = new Machine();
  const { directory } = (await machine.run(init)).json as { directory: string };
  machine.file('home/me/project/counterfoil.yaml', 'anchor:\n  blocks: [https://attacker.example]\n');
  const project = () => readConfig(machine.project, parseYaml).anchor;
  expect(anchorInForce(directory, project).blocks).toHaveLength(1);
  writeFileSync(join(directory, 'settings'), 'nonsense');
  expect(anchorInForce(directory, project).blocks).toEqual([]);
});
