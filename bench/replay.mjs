// How fast a run is replayed, from its beginning and from a snapshot near its end, and how many steps 100 runs make at once.
// By itself: `node bench/replay.mjs [EVENTS [EVENTS OF A LONG RUN]]`, after a build. It prints lines of JSON.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLedger, openLedger } from '../dist/index.js';
import { openRuntime } from '../dist/runtime.js';

const here = dirname(fileURLToPath(import.meta.url));
const foil = join(here, '../dist/foil.cjs');
export const agent = new URL('./run-agent.mjs', import.meta.url);
delete process.env.NODE_EXTRA_CA_CERTS;
/** Of one call: a decision, a call and a result. */
const EVENTS_EACH = 3;
/** Its line is as long as that of an event of these runs on the average. */
const BARE_ENTRY = {
  kind: 'note',
  source: 'bench',
  session_id: null,
  cause: null,
  payload: { text: 'x'.repeat(809) },
};
const WRITES_AT_ONCE = 1000;
const SHORT = 20_000;

/** From the first event to the last, as a process. */
export async function replaySpeed(events = 100_000) {
  return inProject(async (place, folder) => {
    const run = await longRun(place, folder, (one) =>
      one.observe({ calls: Math.ceil(events / EVENTS_EACH) }),
    );
    const whole = replay(place, folder, run, []);
    // Fewer would mean that its calls were denied.
    const isRight = whole.isRight && whole.events >= events;
    return { ...whole, isRight, perSecond: whole.events / whole.seconds };
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

/**
 * Steps with a durable call and a durable result, of many runs at once, beside as many callers that make the same number of
 * entries of the same size durable in the same way: a step is three events, which are written together before the call is
 * made. Both ledgers seal by themselves. `two` are callers that wait for each of two such entries.
 */
export async function stepsAtOnce(runs = 100, steps = 200) {
  return inProject(async (place, folder) => {
    const each = Array.from({ length: runs });
    const runtime = await openRuntime({ place, cwd: folder });
    const started = await Promise.all(each.map(() => runtime.startRun({ agent })));
    const ours = await measured(runs * steps, () =>
      Promise.all(started.map((run) => run.observe({ calls: steps }))),
    );
    await runtime.close();
    const directory = join(folder, 'bare');
    const own = { directory, keyDirectory: join(directory, 'keys') };
    await (await createLedger(own)).close();
    const ledger = openLedger(own);
    const step = Array.from({ length: EVENTS_EACH }, () => BARE_ENTRY);
    const appending = (entries, times) =>
      measured(runs * steps, () =>
        Promise.all(
          each.map(async () => {
            for (let n = 0; n < times; n++) await ledger.append(entries);
          }),
        ),
      );
    const bare = await appending(step, steps);
    const two = await appending(BARE_ENTRY, 2 * steps);
    await ledger.close();
    return { ours, bare, two };
  });
}

async function longRun(place, cwd, work) {
  const runtime = await openRuntime({ place, cwd });
  const run = await runtime.startRun({ agent });
  await work(run);
  await runtime.close();
  return run.id;
}

/** By the clock, and by the processor time of all threads of this process. */
async function measured(count, work) {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await work();
  const perSecond = count / ((performance.now() - begun) / 1000);
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond, cpuMicros: (user + system) / count };
}

/** In a ledger of its own, with grants that an operator of its own accepted. */
export async function inProject(work) {
  const folder = mkdtempSync(join(tmpdir(), 'foil-bench-'));
  const directory = join(folder, 'ledger');
  const before = { ...process.env };
  // Of this process, too: its runs look there for whom this user trusts.
  process.env.HOME = folder;
  process.env.XDG_CONFIG_HOME = join(folder, 'config');
  process.env.XDG_STATE_HOME = join(folder, 'state');
  try {
    writeFileSync(join(folder, 'counterfoil.yaml'), 'grants:\n  allow:\n    - tool:call:add\n');
    for (const words of [['init'], ['operator', 'init', '--no-passphrase'], ['grants', 'accept']])
      execFileSync(process.execPath, [foil, ...words, '--ledger', directory], {
        cwd: folder,
        stdio: 'pipe',
      });
    return await work({ directory, keyDirectory: join(folder, 'config/counterfoil/keys') }, folder);
  } finally {
    for (const name of ['HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME'])
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    rmSync(folder, { recursive: true, force: true });
  }
}

function replay({ directory }, cwd, run, words) {
  const begun = performance.now();
  const text = execFileSync(
    process.execPath,
    [foil, 'replay', run, '--json', '--ledger', directory, ...words],
    { cwd },
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
