// What the bench measures, one task a process, so that none warms up or burdens another:
//     node bench/tasks.mjs NAME DIRECTORY [NUMBER]
// prints one line of JSON. Everything of ours comes from dist/, as a user would have it.
import { Buffer } from 'node:buffer';
import { closeSync, fdatasync, openSync, readdirSync, readFileSync, write } from 'node:fs';
import { join } from 'node:path';
import { createLedger, openLedger, verifyDirectory } from '../dist/index.js';

const [, , name, directory, count, warmUp] = process.argv;
const place = { directory, keyDirectory: join(directory, 'keys') };
const SESSION = 'a1'.repeat(32);

/** A tool result of about 550 bytes, as an agent's hook would record it. */
const entry = (i) => ({
  kind: 'tool.result',
  source: 'hook:claude-code',
  session_id: SESSION,
  cause: 1,
  payload: {
    bytes: 2048,
    command: 'npm test -- --run test/core',
    duration_ms: 1200 + (i % 100),
    exit_code: 0,
    exit_origin: 'host',
    paths: ['src/index.ts', 'src/core/merkle.ts'],
    tool: 'Bash',
    tool_use_id: `toolu_01AbCdEfGhJkLm${i % 10}`,
  },
});
const LINE = Buffer.alloc(550, 'x');

/** A plain file with the calls that make a write durable; what the ledger is measured against. */
function rawFile(path) {
  const fd = openSync(path, 'a');
  const call = (f) => new Promise((resolve, reject) => f((error) => (error ? reject(error) : resolve())));
  return {
    async append(bytes) {
      await call((done) => write(fd, bytes, 0, bytes.length, null, done));
      await call((done) => fdatasync(fd, done));
    },
    close: () => closeSync(fd),
  };
}

/** Callers that share one write and one sync: the most that any group commit could reach. */
function sharedRawFile(path) {
  const file = rawFile(path);
  let waiting = [];
  let running = false;
  const run = async () => {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await file.append(Buffer.concat(batch.map(({ bytes }) => bytes)));
      for (const { resolve } of batch) resolve();
      await new Promise((resolve) => setImmediate(resolve));
    }
    running = false;
  };
  return {
    append: (bytes) =>
      new Promise((resolve) => {
        waiting.push({ bytes, resolve });
        if (!running) queueMicrotask(run);
        running = true;
      }),
    close: file.close,
  };
}

async function seconds(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

async function sequential(append, n) {
  for (let i = 0; i < n; i++) await append(i);
}

async function concurrent(append, n, callers = 64) {
  let next = 0;
  const caller = async () => {
    while (next < n) await append(next++);
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

async function ledgerFor(options) {
  await (await createLedger(place)).close();
  return openLedger(place, options);
}

async function openHypercore() {
  const { default: Hypercore } = await import('hypercore');
  const core = new Hypercore(directory);
  await core.ready();
  return core;
}

const tasks = {
  /** Ours and a raw file in turns, so that both see the same disk. */
  async single() {
    const ledger = await ledgerFor({ sealEvery: 0 });
    const raw = rawFile(join(directory, 'raw'));
    const n = 1000;
    const ours = [];
    const theirs = [];
    for (let round = 0; round < 7; round++) {
      ours.push((await seconds(() => sequential((i) => ledger.append(entry(i)), n))) / n);
      theirs.push((await seconds(() => sequential(() => raw.append(LINE), n))) / n);
    }
    await ledger.close();
    raw.close();
    return { ours: median(ours.slice(2)), raw: median(theirs.slice(2)) };
  },

  async callers() {
    const ledger = await ledgerFor({ sealEvery: 0 });
    const raw = sharedRawFile(join(directory, 'raw'));
    const n = 30_000;
    const ours = [];
    const theirs = [];
    for (let round = 0; round < 5; round++) {
      ours.push(n / (await seconds(() => concurrent((i) => ledger.append(entry(i)), n))));
      theirs.push(n / (await seconds(() => concurrent(() => raw.append(LINE), n))));
    }
    await ledger.close();
    raw.close();
    return { ours: median(ours.slice(2)), raw: median(theirs.slice(2)) };
  },

  async hypercore() {
    const core = await openHypercore();
    const batch = Array.from({ length: 1000 }, () => LINE);
    const singles = [];
    const batches = [];
    for (let round = 0; round < 5; round++) {
      singles.push(2000 / (await seconds(() => sequential(() => core.append(LINE), 2000))));
      batches.push(20_000 / (await seconds(() => sequential(() => core.append(batch), 20))));
    }
    await core.close();
    return { single: median(singles.slice(1)), batch: median(batches.slice(1)) };
  },

  /** Appends in batches of 1,000 while a thread seals; the clock stops when all of it is sealed. */
  async batches() {
    const ledger = await ledgerFor();
    const batch = Array.from({ length: 1000 }, (_, i) => entry(i));
    const rates = [];
    for (let round = 0; round < 5; round++) {
      const took = await seconds(async () => {
        await sequential(() => ledger.append(batch), 40);
        await ledger.seal();
      });
      rates.push(40_000 / took);
    }
    await ledger.close();
    return { ours: median(rates.slice(1)) };
  },

  /** One of several writers on a ledger that is there already. Warms up, then waits for the others. */
  async writer() {
    const ledger = openLedger(place, { sealEvery: 0 });
    await concurrent((i) => ledger.append(entry(i)), Number(warmUp));
    process.send('ready');
    await new Promise((resolve) => process.once('message', resolve));
    const start = Date.now();
    await concurrent((i) => ledger.append(entry(i)), Number(count));
    const end = Date.now();
    await ledger.close();
    process.disconnect();
    return { start, end };
  },

  async init() {
    await (await createLedger(place)).close();
    return {};
  },

  async fill() {
    const ledger = await ledgerFor();
    const n = Number(count);
    for (let from = 0; from < n - 1; from += 1000) {
      await ledger.append(Array.from({ length: Math.min(1000, n - 1 - from) }, (_, i) => entry(from + i)));
    }
    await ledger.seal();
    await ledger.close();
    return {};
  },

  /** The limit for anything that reads JSON Lines in one thread of node. */
  async parse() {
    const took = await seconds(() => {
      for (const file of readdirSync(join(directory, 'ledger'))) {
        for (const line of readFileSync(join(directory, 'ledger', file), 'utf8').split('\n')) {
          if (line !== '') JSON.parse(line);
        }
      }
    });
    return { seconds: took };
  },

  async verify() {
    let report;
    const options = count === undefined ? {} : { threads: Number(count) };
    const took = await seconds(async () => {
      report = await verifyDirectory(directory, options);
    });
    return { seconds: took, verdict: report.verdict, megabytes: process.resourceUsage().maxRSS / 1024 };
  },

  async open() {
    const times = [];
    for (let i = 0; i < 60; i++) {
      times.push(
        await seconds(async () => {
          const ledger = openLedger(place, { sealEvery: 0 });
          await ledger.append(entry(i));
          await ledger.close();
        }),
      );
    }
    return { seconds: median(times.slice(10)) };
  },
};

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

const result = await tasks[name]();
console.log(JSON.stringify(result));
