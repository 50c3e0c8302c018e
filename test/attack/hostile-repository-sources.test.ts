// counterfoil.yaml of a clone names addresses. Nobody asks them until a person has accepted exactly these, and everything
// that could ask says which command to run.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anchor } from '../../src/cli/commands/anchor.ts';
import { init } from '../../src/cli/commands/init.ts';
import { install } from '../../src/cli/commands/install.ts';
import { mode } from '../../src/cli/commands/mode.ts';
import { status } from '../../src/cli/commands/status.ts';
import { assertOutside } from '../../src/cli/own-commands.ts';
import { acceptedAnchor, parseYaml, readConfig } from '../../src/config/index.ts';
import { openRecorder } from '../../src/entry/index.ts';
import { readSettings } from '../../src/ledger/index.ts';
import { ownAct } from '../../src/rules/index.ts';
import { Machine } from './hostile-clone.ts';

const FILE = 'home/me/project/counterfoil.yaml';
const THEIRS =
  'anchor:\n  blocks: [https://attacker.example/api]\n  stamps: [https://10.0.0.1]\n  git: true\n';

async function clone(text: string) {
  const machine = new Machine();
  const { directory } = (await machine.run(init)).json as { directory: string };
  machine.file(FILE, text);
  const counts = () => acceptedAnchor(readConfig(machine.project, parseYaml).anchor, directory, machine.env);
  return { machine, directory, counts };
}

it.each([
  ['nobody’s', '{}\n', true],
  ['public ones, which we name ourselves', 'anchor: {blocks: true, stamps: true}\n', true],
  ['the same, spelt out', 'anchor: {blocks: ["https://mempool.space/api/"]}\n', true],
  [
    'one public and one not',
    'anchor: {blocks: ["https://mempool.space/api", "http://127.0.0.1:1"]}\n',
    false,
  ],
  ['a public name on another port', 'anchor: {blocks: ["https://mempool.space:8443/api"]}\n', false],
  ['a public one for calendars', 'anchor: {stamps: ["https://mempool.space/api"]}\n', false],
  ['a node', 'anchor: {blocks: [{rpc: "http://127.0.0.1:8332", cookie: c}]}\n', false],
  ['a file', 'anchor: {blocks: [{file: ../headers.json}]}\n', false],
])('sources that are %s count before anybody accepted them: %s %s', async (_, text, known) => {
  const { machine, counts } = await clone(text);
  const { anchor: named } = readConfig(machine.project, parseYaml);
  expect(counts()).toEqual(known ? named : { blocks: [], stamps: [], git: null, network: 'main' });
});

describe('sources of a clone', () => {
  it('are not asked, and status, stamp and anchor status say what to do', async () => {
    const { machine, counts } = await clone(THEIRS);
    expect(counts()).toEqual({ blocks: [], stamps: [], network: 'main', git: { end: 'merge' } });
    const told = /you haven't accepted.*`foil anchor accept`/;
    expect((await machine.run(status)).text).toMatch(told);
    expect((await machine.run(install, ['codex', '--dry-run'])).text).toMatch(told);
    await expect(machine.run(anchor, ['stamp'])).rejects.toThrow(told);
    await expect(machine.run(anchor, ['upgrade'])).rejects.toThrow(told);
    expect((await machine.run(anchor, ['status'])).json).toMatchObject({ blocks: [], calendars: [] });
  });

  it('are, once accepted; the next change is not', async () => {
    const { machine, counts, directory } = await clone(THEIRS);
    const { text } = await machine.run(anchor, ['accept']);
    expect(text).toContain('  https://attacker.example/api\n  https://10.0.0.1\n');
    expect(counts().blocks).toHaveLength(1);
    expect((await machine.run(anchor, ['accept'])).json.changed).toBe(false);
    // What else is set keeps it.
    await machine.run(mode, ['guard']);
    expect(readSettings(directory, machine.env).anchor).toMatch(/^[0-9a-f]{64}$/);
    expect(counts().blocks).toHaveLength(1);
    machine.file(FILE, THEIRS.replace('10.0.0.1', '10.0.0.2'));
    expect(counts().blocks).toEqual([]);
    machine.file(FILE, THEIRS.replace('git: true', 'git: false'));
    expect(counts().blocks).toHaveLength(1);
  });

  it('with a password do not show it', async () => {
    const secret = ['hunt', 'er2'].join('');
    const { machine } = await clone(`anchor: {blocks: [{rpc: "http://me:${secret}@127.0.0.1:8332"}]}\n`);
    const { text, json } = await machine.run(anchor, ['accept']);
    expect(text + JSON.stringify(json)).not.toContain(secret);
  });

  it('are not accepted by an agent', async () => {
    const { machine, directory } = await clone(THEIRS);
    const aim = { ledger: directory, cwd: machine.project, env: [], real: (path: string) => path };
    for (const words of [
      ['anchor', 'accept'],
      ['anchor', '--json', 'accept'],
    ])
      expect(ownAct(words, aim), words.join(' ')).toContain('which addresses');
    for (const words of [
      ['anchor', 'status'],
      ['anchor', 'stamp', '--calendar', 'accept'],
    ])
      expect(ownAct(words, aim), words.join(' ')).toBeNull();
    await expect(
      assertOutside(['anchor', 'status'], { cwd: machine.project, env: machine.env }),
    ).resolves.toBeUndefined();
  });

  it('are not asked by a program either, which may give its own', async () => {
    const asked: string[] = [];
    const server = createServer(({ url = '' }, response) => {
      asked.push(url);
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { machine, directory } = await clone(`anchor: {blocks: ["${url}"]}\n`);
    const place = { directory, keyDirectory: `${machine.env.XDG_CONFIG_HOME}/counterfoil/keys` };
    const talk = async (config?: object) => {
      const recorder = await openRecorder({ place, cwd: machine.project, ...(config && { config }) });
      await (await recorder.session()).end();
      await recorder.close();
      return asked.length;
    };
    expect(await talk()).toBe(0);
    expect(await talk({ anchor: { blocks: [url] } })).toBeGreaterThan(0);
  });
});
