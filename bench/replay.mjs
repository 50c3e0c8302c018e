// How fast a run is replayed, from its beginning and from a snapshot near its end, and how many steps 100 runs make at once.
// By itself: `node bench/replay.mjs [EVENTS]`, after a build. It prints one line of JSON.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRuntime } from '../dist/runtime.js';

const here = dirname(fileURLToPath(import.meta.url));
const foil = join(here, '../dist/foil.cjs');
const agent = new URL('../examples/counter/agent.mjs', import.meta.url);
const env = { ...process.env };
delete env.NODE_EXTRA_CA_CERTS;
/** Of one count: a decision, a call, a result and a memory write. */
const EVENTS_EACH = 4;

export async function replaySpeed(events) {
  return inProject(async (place, folder) => {
    const runtime = await openRuntime({ place, cwd: folder });
    const run = await runtime.startRun({ agent });
    await run.observe({ last: Math.ceil(events / EVENTS_EACH) });
    await runtime.close();
    const whole = timed(() => replay(place, folder, run.id, []));
    const tail = timed(() => replay(place, folder, run.id, ['--from', 'last']));
    return {
      events: whole.value.events,
      outcome: whole.value.outcome,
      events_per_second: Math.round(whole.value.events / whole.seconds),
      from_snapshot_seconds: tail.seconds,
      from_snapshot_outcome: tail.value.outcome,
    };
  });
}

/** A step is a call and its result, both durable. */
export async function stepsAtOnce(runs = 100, steps = 200) {
  return inProject(async (place, folder) => {
    const runtime = await openRuntime({ place, cwd: folder });
    const started = await Promise.all(Array.from({ length: runs }, () => runtime.startRun({ agent })));
    const begun = performance.now();
    await Promise.all(started.map((run) => run.observe({ last: steps })));
    const seconds = (performance.now() - begun) / 1000;
    await runtime.close();
    return { runs, steps: runs * steps, steps_per_second: Math.round((runs * steps) / seconds) };
  });
}

/** In a ledger of its own, with grants that an operator of its own accepted. */
async function inProject(work) {
  const folder = mkdtempSync(join(tmpdir(), 'foil-bench-'));
  const directory = join(folder, 'ledger');
  const home = {
    ...env,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
  };
  try {
    writeFileSync(join(folder, 'counterfoil.yaml'), 'grants:\n  allow:\n    - tool:call:add\n');
    for (const words of [['init'], ['operator', 'init', '--no-passphrase'], ['grants', 'accept']])
      execFileSync(process.execPath, [foil, ...words, '--ledger', directory], {
        cwd: folder,
        env: home,
        stdio: 'pipe',
      });
    return await work({ directory, keyDirectory: join(folder, 'config/counterfoil/keys') }, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function replay({ directory }, cwd, run, words) {
  const text = execFileSync(
    process.execPath,
    [foil, 'replay', run, '--json', '--ledger', directory, ...words],
    { cwd, env },
  );
  return JSON.parse(text.toString());
}

function timed(work) {
  const begun = performance.now();
  const value = work();
  return { value, seconds: (performance.now() - begun) / 1000 };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [events = '100000'] = process.argv.slice(2);
  console.log(JSON.stringify({ ...(await stepsAtOnce()), ...(await replaySpeed(Number(events))) }));
}
