// The full round: an agent runs with a pack through an independent gateway, its run becomes a bundle, an attester tests what it
// made, and somebody on another machine, who has only a trust.yaml, verifies it. Then what each tier rests on is taken away.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeBubblewrap } from '../../src/sandbox/bubblewrap/index.ts';
import { Sandbox } from '../cli/foil.ts';
import { upstream } from '../service/gateway/stage.ts';
import { endService, projectLedger } from '../service/run-ledger.ts';
import { running, startGateway } from './gateway-process.ts';

const ANSWER = '{"id":"msg_1","type":"message","content":[],"model":"m-1","stop_reason":"end_turn"}';
const AGENT = `
  import { writeFileSync } from 'node:fs';
  const response = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
    method: 'POST',
    headers: { 'x-api-key': 'none', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Write add.' }] }),
  });
  await response.text();
  writeFileSync('src/add.mjs', 'export const add = (a, b) => a + b;\\n');`;
const TEST = `
  import assert from 'node:assert/strict';
  import test from 'node:test';
  import { add } from '../src/add.mjs';
  test('adds', () => assert.equal(add(2, 3), 5));`;
const CONFIG = `
pack:
  tools: { deny: [WebFetch] }
  outputs: ["src/**"]
  verification:
    method: tests
    command: [node, --test, --test-reporter=tap, test/add.test.mjs]
    files: ["test/**"]
    report: tap
    tests: [adds]
`;

const bubblewrap = makeBubblewrap({ hidden: [] });
const whyNot = process.platform === 'linux' ? await bubblewrap.available() : 'bubblewrap is for Linux';
if (whyNot !== null) {
  if (process.env.FOIL_TEST_SANDBOX === 'required') throw new Error(whyNot);
  console.warn(`no sandbox here, so the full round is passed over: ${whyNot}`);
}

it.skipIf(whyNot !== null)('C7, C10, C13, C14 a run is verified by somebody who has one file', async () => {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  const to = await upstream((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER),
  );
  const gateway = await startGateway(sandbox, to.url);
  sandbox.write('counterfoil.yaml', CONFIG);
  sandbox.write('AGENTS.md', 'Be brief.\n');
  for (const name of ['test', 'src']) mkdirSync(sandbox.path(name));
  sandbox.write('test/add.test.mjs', TEST);
  sandbox.write('src/.keep', '');
  const agent = sandbox.write('agent.mjs', AGENT);
  const { vkey: ledgerKey } = sandbox.json(['init']) as { vkey: string };
  const ledger = projectLedger(sandbox.root);
  onTestFinished(() => endService(ledger));
  const upstreams = [`anthropic=${to.url}`];
  writeFileSync(join(ledger, 'settings'), JSON.stringify({ v: 1, mode: 'observe', port: null, upstreams }));

  const words = ['run', '--pack', '.', '--through', gateway.url, '--token-file', gateway.token];
  expect(await running(sandbox, [...words, '--', process.execPath, agent])).toMatchObject({ code: 0 });
  await endService(ledger);
  const bundle = join(sandbox.root, 'run.bundle');
  const made = sandbox.json(['bundle', 'create', '--artifacts', '--out', bundle]) as { pack_root: string };
  expect(made).toMatchObject({ receipts: 1, disclosed: 0 });
  const attestation = join(sandbox.root, 'attestation.json');
  const attester = join(sandbox.root, 'attester');
  sandbox.ok(['attest', bundle, '--state', attester, '--out', attestation]);

  const { vkey: attesterKey } = sandbox.json(['attester', 'show', '--state', attester]) as { vkey: string };
  const trust = {
    ledgers: [{ vkey: ledgerKey }],
    packs: [made.pack_root],
    gateways: [{ vkey: gateway.vkey, upstreams: [to.url] }],
    attesters: [{ vkey: attesterKey }],
  };
  const elsewhere = verifier(sandbox);
  const attested = ['--attestation', attestation];
  expect(elsewhere(trust, bundle, ...attested, '--require', 'sandbox')).toEqual([0, 'PASS', 'sandbox']);
  expect(elsewhere(trust, bundle)).toEqual([0, 'PASS', 'gateway']);
  expect(elsewhere(trust, bundle, '--require', 'sandbox')).toEqual([6, 'PASS', 'gateway']);
  expect(elsewhere({ ...trust, gateways: [] }, bundle)).toEqual([0, 'PASS', 'self']);
  expect(elsewhere({ ...trust, attesters: [] }, bundle, ...attested)).toEqual([0, 'PASS', 'gateway']);
  const elsewhereUp = [{ vkey: gateway.vkey, upstreams: ['https://api.example.com'] }];
  expect(elsewhere({ ...trust, gateways: elsewhereUp }, bundle)).toEqual([0, 'PASS', 'self']);
  // Nobody here has read the tests.
  expect(elsewhere({ ...trust, packs: [] }, bundle, ...attested, '--require', 'sandbox')).toEqual([
    6,
    'PASS',
    'sandbox',
  ]);
  // The ledger's own key vouches for nothing but the ledger.
  const swapped = { ...trust, attesters: [{ vkey: ledgerKey }], gateways: [] };
  expect(elsewhere(swapped, bundle, ...attested)).toEqual([0, 'PASS', 'self']);
  expect(elsewhere({ ...trust, ledgers: [{ vkey: attesterKey }] }, bundle, ...attested)).toEqual([
    6,
    'UNKNOWN',
    'self',
  ]);
  expect(elsewhere(trust, bundle, '--replay')).toEqual([0, 'PASS', 'gateway']);
});

/** Another machine: nothing of the first HOME is there. */
function verifier(sandbox: Sandbox) {
  const home = join(sandbox.root, 'elsewhere');
  mkdirSync(home);
  const env = { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: home };
  return (trust: unknown, bundle: string, ...words: readonly string[]) => {
    const file = join(home, 'trust.yaml');
    writeFileSync(file, JSON.stringify(trust));
    const run = sandbox.run(['verify', bundle, '--trust', file, '--json', ...words], { env, cwd: home });
    const { verdict, tier } = JSON.parse(run.stdout) as { verdict: string; tier: string };
    return [run.code, verdict, tier];
  };
}
