// How fast a run is replayed, from its beginning and from a snapshot near its end, and how many steps 100 runs make at once.
// By itself: `node bench/replay.mjs [EVENTS [EVENTS OF A LONG RUN]]`, after a build. It prints lines of JSON.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLedger } from '../dist/index.js';
import { openRuntime } from '../dist/runtime.js';

const here = dirname(fileURLToPath(import.meta.url));
const foil = join(here, '../dist/foil.cjs');
export const agent = new URL('./run-agent.mjs', import.meta.url);
const env = { ...process.env };
delete env.NODE_EXTRA_CA_CERTS;
/** Of one call: a decision, a call and a result. */
const EVENTS_EACH = 3;
const WRITES_AT_ONCE = 1000;
const SHORT = 20_000;

/** From the first event to the last, as a process. */
export async function replaySpeed(events = 100_000) {
  return inProject(async (place, folder) => {
    const run = await longRun(place, folder, (one) =>
      one.observe({ calls: Math.ceil(events / EVENTS_EACH) }),
    );
    const whole = replay(place, folder, run, []);
    return { ...whole, perSecond: whole.events / whole.seconds };
  });
}

/** From the newest snapshot, of a long run and of a short one. */
export async function snapshotReplay(events = 1_000_000) {
  const from = (count) =>
    inProject(async (place, folder) => {
      const run = await longRun(place, folder, async (one) => {
        for (let n = 0; n < count; n += WRITES_AT_ONCE) await one.observe({ writes: WRITES_AT_ONCE });
      });
      return replay(place, folder, run, ['--from', 'last']);
    });
  return { long: await from(events), short: await from(SHORT) };
}

/** Steps with a durable call and a durable result, of many runs at once, beside as many callers that append as often. */
export async function stepsAtOnce(runs = 100, steps = 200) {
  return inProject(async (place, folder) => {
    const each = Array.from({ length: runs });
    const runtime = await openRuntime({ place, cwd: folder });
    const started = await Promise.all(each.map(() => runtime.startRun({ agent })));
    const cpu = process.cpuUsage();
    const ours = await rateOf(runs * steps, () =>
      Promise.all(started.map((run) => run.observe({ calls: steps }))),
    );
    const { user, system } = process.cpuUsage(cpu);
    await runtime.close();
    const directory = join(folder, 'bare');
    const bare = await createLedger({ directory, keyDirectory: join(directory, 'keys') });
    const entry = {
      kind: 'note',
      source: 'bench',
      session_id: null,
      cause: null,
      payload: { text: 'x'.repeat(500) },
    };
    const peer = await rateOf(runs * steps, () =>
      Promise.all(
        each.map(async () => {
          for (let n = 0; n < 2 * steps; n++) await bare.append(entry);
        }),
      ),
    );
    await bare.close();
    return { ours, bare: peer, cpuMicros: (user + system) / (runs * steps) };
  });
}

async function longRun(place, cwd, work) {
  const runtime = await openRuntime({ place, cwd });
  const run = await runtime.startRun({ agent });
  await work(run);
  await runtime.close();
  return run.id;
}

async function rateOf(count, work) {
  const begun = performance.now();
  await work();
  return count / ((performance.now() - begun) / 1000);
}

/** In a ledger of its own, with grants that an operator of its own accepted. */
export async function inProject(work) {
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
  const begun = performance.now();
  const text = execFileSync(
    process.execPath,
    [foil, 'replay', run, '--json', '--ledger', directory, ...words],
    { cwd, env },
  );
  const { events, outcome } = JSON.parse(text.toString());
  return { events, isRight: outcome === 'matches', seconds: (performance.now() - begun) / 1000 };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [events = '100000', long = '1000000'] = process.argv.slice(2);
  console.log(JSON.stringify(await stepsAtOnce()));
  console.log(JSON.stringify(await replaySpeed(Number(events))));
  console.log(JSON.stringify(await snapshotReplay(Number(long))));
}
