// A project's counterfoil.yaml is a clone's or an agent's to write. It does not choose which network addresses are asked:
// a person accepts them, and in `locked` only a counterfoil.yaml in the ledger's own directory names them, which is the
// service's user's.

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { anchorInForce } from '../../src/app/anchor/anchor-in-force.ts';
import { recordingOf } from '../../src/app/service/open-recording.ts';
import { anchor } from '../../src/cli/commands/anchor.ts';
import { init } from '../../src/cli/commands/init.ts';
import { parseYaml, readConfig } from '../../src/config/index.ts';
import { locate, type Mode, readSettings, writeSettings } from '../../src/ledger/index.ts';
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

/** Who was asked when a session began: the address in the project's file, and the one in the ledger's own directory. */
async function asked(
  mode: Mode,
  ownFile: boolean,
  accepts: boolean,
): Promise<{ theirs: number; own: number }> {
  const machine = new Machine();
  const { directory } = (await machine.run(init)).json as { directory: string };
  const [theirs, own] = [await listener(), await listener()];
  machine.file(
    'home/me/project/counterfoil.yaml',
    `anchor:\n  blocks: [${theirs.url}]\n  stamps: [${theirs.url}]\n`,
  );
  if (accepts) await machine.run(anchor, ['accept']);
  if (ownFile)
    writeFileSync(join(directory, 'counterfoil.yaml'), `anchor:\n  blocks: [${own.url}]\n`, { mode: 0o600 });
  writeSettings(directory, { ...readSettings(directory, machine.env), mode }, machine.env);
  await session(machine, directory, 's');
  return { theirs: theirs.asked.length, own: own.asked.length };
}

it.each([
  ['observe', false, false, { theirs: 0, own: 0 }],
  ['guard', false, false, { theirs: 0, own: 0 }],
  ['observe', false, true, { theirs: expect.any(Number), own: 0 }],
  ['guard', true, true, { theirs: expect.any(Number), own: 0 }],
  ['locked', false, true, { theirs: 0, own: 0 }],
  ['locked', true, false, { theirs: 0, own: expect.any(Number) }],
] as const)(
  'in %s, with a file of the ledger’s own: %s, accepted: %s, the service asks whom it should',
  async (mode, ownFile, accepts, told) => {
    const found = await asked(mode, ownFile, accepts);
    expect(found).toEqual(told);
    // Somebody was asked wherever somebody is named who counts.
    expect(found.theirs + found.own > 0).toBe(mode === 'locked' ? ownFile : accepts);
  },
);

it('settings that can’t be understood count as locked here: nothing of the project’s is asked', async () => {
  const machine = new Machine();
  const { directory } = (await machine.run(init)).json as { directory: string };
  machine.file('home/me/project/counterfoil.yaml', 'anchor:\n  blocks: [https://attacker.example]\n');
  const project = () => readConfig(machine.project, parseYaml).anchor;
  await machine.run(anchor, ['accept']);
  expect(anchorInForce(directory, project).blocks).toHaveLength(1);
  writeFileSync(join(directory, 'settings'), 'nonsense');
  expect(anchorInForce(directory, project).blocks).toEqual([]);
});
