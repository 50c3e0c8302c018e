// The demo's sixth act: one run for somebody who was not there. An agent runs with a harness pack, its run becomes one file, an
// attester tests what it made, and a verifier with nothing but a trust.yaml says what holds. Then the agent cheats.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { harmless } from '../../src/report/index.ts';
import { makeBubblewrap } from '../../src/sandbox/bubblewrap/index.ts';
import { type Ended, foilWords, runProgram, type Stage } from './stage.ts';

const CONFIG = `pack:
  tools: { deny: [WebFetch] }
  outputs: ["src/**"]
  verification:
    method: tests
    command: [node, --test, --test-reporter=tap, test/add.test.mjs]
    files: ["test/**"]
    report: tap
    tests: [adds]
`;
const TEST = `import assert from 'node:assert/strict';
import test from 'node:test';
import { add } from '../src/add.mjs';
test('adds', () => assert.equal(add(2, 3), 5));
`;
const WORK = 'export const add = (a, b) => a + b;\n';
/** Ends the process of the tests before they are done, and looks like a pass to whoever asks for an exit code. */
const CHEAT = 'export const add = () => 0;\nconsole.log("ok 1 - adds"); process.exit(0);\n';

interface Scene {
  readonly project: string;
  foil(...words: string[]): Promise<Ended>;
  /** As somebody else, on another machine. */
  verify(
    ...words: string[]
  ): Promise<{ readonly verdict: string; readonly tier: string; readonly exit: number | null }>;
}

export async function* provenAct(stage: Stage): AsyncGenerator<string> {
  const { paint, told } = stage;
  const scene = await setScene(join(stage.base, 'proven'));
  const { project } = scene;
  yield `${paint.bold('One run, for somebody who was not there.')} An agent runs with \`foil run --pack\`; \`foil bundle create\` puts the run into one file.\n`;
  await runAgent(scene, WORK);
  const bundle = await bundleOf(scene, 'run.bundle');
  const first = await scene.verify(bundle);
  yield told(
    {
      name: 'bundle',
      verdict: `${first.verdict}, ${first.tier}`,
      held: first.verdict === 'PASS' && first.tier === 'self',
    },
    [`Anyone with that file and a trust.yaml can verify it offline: ${first.verdict}, tier ${first.tier}.`],
  );

  yield `${paint.bold('One byte of the file is changed.')}\n`;
  const bytes = readFileSync(bundle);
  const at = bytes.indexOf('session.end');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  const changed = join(project, 'changed.bundle');
  writeFileSync(changed, bytes);
  const second = await scene.verify(changed);
  yield told({ name: 'changed bundle', verdict: second.verdict, held: second.verdict === 'FAIL' }, [
    `${second.verdict}.`,
  ]);

  const why =
    process.platform === 'linux'
      ? await makeBubblewrap({ hidden: [] }).available()
      : 'bubblewrap is for Linux';
  if (why !== null) {
    yield `   Now an attester would test the result in a sandbox, but there is none here: ${harmless(why)}\n\n`;
    return;
  }
  yield `${paint.bold('`foil attest`:')} an attester runs the pack's tests on the result of the run, in a sandbox.\n`;
  await must(scene.foil('attest', bundle, '--out', 'attestation.json'));
  const third = await scene.verify(
    bundle,
    '--attestation',
    join(project, 'attestation.json'),
    '--require',
    'sandbox',
  );
  yield told(
    {
      name: 'attested',
      verdict: `${third.verdict}, ${third.tier}`,
      held: third.exit === 0 && third.tier === 'sandbox',
    },
    [`With the attestation: ${third.verdict}, tier ${third.tier}.`],
  );

  yield `${paint.bold('Another agent cheats:')} its code ends the tests with exit code 0 and prints that they passed.\n`;
  await runAgent(scene, CHEAT);
  const cheated = await bundleOf(scene, 'cheat.bundle');
  const { exit } = await scene.foil('attest', cheated, '--out', 'cheat.json');
  const fourth = await scene.verify(cheated, '--attestation', join(project, 'cheat.json'));
  yield told(
    {
      name: 'cheat',
      verdict: `${fourth.verdict}, ${fourth.tier}`,
      held: exit === 4 && fourth.verdict === 'FAIL',
    },
    ['The attester trusts only the report of the listed tests and signs a FAIL, so the bundle fails.'],
  );
}

async function setScene(base: string): Promise<Scene> {
  const project = join(base, 'sums');
  for (const name of ['', 'sums', 'sums/test', 'sums/src', 'home', 'run', 'elsewhere'])
    mkdirSync(join(base, name), { mode: 0o700 });
  const env = {
    PATH: process.env.PATH,
    HOME: join(base, 'home'),
    XDG_RUNTIME_DIR: join(base, 'run'),
    TMPDIR: base,
  };
  const foil = (...words: string[]) => runProgram([...foilWords(), ...words], { cwd: project, env });
  writeFileSync(join(project, 'counterfoil.yaml'), CONFIG);
  writeFileSync(join(project, 'AGENTS.md'), 'Write small functions.\n');
  writeFileSync(join(project, 'test/add.test.mjs'), TEST);
  const { vkey } = await json(foil('init', '--json'));
  const { root } = await json(foil('pack', 'create', '--json'));
  const trust = join(base, 'elsewhere/trust.yaml');
  const home = join(base, 'elsewhere');
  const elsewhere = { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: home, TMPDIR: base };
  return {
    project,
    foil,
    async verify(...words) {
      const shown = await foil('attester', 'show', '--json');
      const attesters =
        shown.exit === 0 ? [{ vkey: (JSON.parse(shown.stdout) as { vkey: string }).vkey }] : [];
      writeFileSync(trust, JSON.stringify({ ledgers: [{ vkey }], packs: [root], attesters }));
      const all = [...foilWords(), 'verify', ...words, '--trust', trust, '--json'];
      const { exit, stdout } = await runProgram(all, { cwd: home, env: elsewhere });
      const { verdict, tier } = JSON.parse(stdout) as { verdict: string; tier: string };
      return { verdict, tier, exit };
    },
  };
}

async function runAgent({ project, foil }: Scene, work: string): Promise<void> {
  const script = `require('node:fs').writeFileSync('src/add.mjs', ${JSON.stringify(work)})`;
  await must(
    foil('run', '--pack', join(project, 'harness-pack.tar.gz'), '--', process.execPath, '-e', script),
  );
}

async function bundleOf({ project, foil }: Scene, name: string): Promise<string> {
  await must(foil('bundle', 'create', '--artifacts', '--out', name));
  return join(project, name);
}

async function must(running: Promise<Ended>): Promise<Ended> {
  const ended = await running;
  if (ended.exit !== 0) throw new Error(ended.stderr);
  return ended;
}

async function json(running: Promise<Ended>): Promise<Record<string, string>> {
  return JSON.parse((await must(running)).stdout) as Record<string, string>;
}
