// `npm run bench`: each figure is a ratio to a peer or a limit measured in the same run, with syncs on. Prints the
// table and writes bench/RESULTS.md. `npm run bench -- --entries 100000` for a quicker look.
import { execFile, execFileSync, fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { attestations } from './attester.mjs';
import { revocationCheck } from './auth.mjs';
import { authority } from './authority.mjs';
import { blockStart } from './blocks.mjs';
import { bundling, packing } from './bundle.mjs';
import { stopGate } from './gate.mjs';
import { modelGateway } from './gateway.mjs';
import { gitAnchor } from './git-anchor.mjs';
import { headerRun } from './headers.mjs';
import { besideLangGraph } from './langgraph.mjs';
import { mcpCall } from './mcp.mjs';
import { hookProcess, hookService, programTool } from './recording.mjs';
import { redaction } from './redact.mjs';
import { replaySpeed, snapshotReplay, stepsAtOnce } from './replay.mjs';
import { reporting } from './report.mjs';
import { sandboxStart } from './sandbox.mjs';
import { scanning } from './scan.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const { dependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const missing = Object.keys(dependencies).filter((name) => !existsSync(join(here, 'node_modules', name)));
if (missing.length > 0) {
  console.error(
    `The bench compares with ${missing.join(' and ')}. Install them first: npm ci --prefix bench`,
  );
  process.exit(1);
}
const { values } = parseArgs({ options: { entries: { type: 'string', default: '1000000' } } });
const entries = Number(values.entries);
const root = mkdtempSync(join(here, '.work-'));
const env = { ...process.env };
delete env.NODE_EXTRA_CA_CERTS; // triples node's start where it is set
const run = promisify(execFile);
let folder = 0;

process.on('SIGINT', () => {
  rmSync(root, { recursive: true, force: true });
  process.exit(130);
});

async function task(name, directory = join(root, String(folder++)), count = undefined) {
  const args = [join(here, 'tasks.mjs'), name, directory, ...(count === undefined ? [] : [String(count)])];
  const { stdout } = await run(process.execPath, args, { env, maxBuffer: 1 << 20 });
  return { directory, ...JSON.parse(stdout) };
}

const WARM_UP = 60_000;

/** Writers that begin together, once each has warmed up: entries a second from the first start to the last end. */
async function startTogether(count, directory, entriesEach) {
  const args = ['writer', directory, String(entriesEach), String(WARM_UP)];
  const children = Array.from({ length: count }, () =>
    fork(join(here, 'tasks.mjs'), args, { env, silent: true }),
  );
  const outputs = children.map(async (child) => {
    let text = '';
    for await (const piece of child.stdout) text += piece;
    return JSON.parse(text);
  });
  await Promise.all(children.map((child) => new Promise((resolve) => child.once('message', resolve))));
  for (const child of children) child.send('go');
  const spans = await Promise.all(outputs);
  const seconds =
    (Math.max(...spans.map(({ end }) => end)) - Math.min(...spans.map(({ start }) => start))) / 1000;
  return { rate: (count * entriesEach) / seconds, appended: count * (entriesEach + WARM_UP) };
}

function startTime(args, times) {
  const started = process.hrtime.bigint();
  execFileSync(process.execPath, args, { env, stdio: 'ignore' });
  times.push(Number(process.hrtime.bigint() - started) / 1e6);
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const rate = (n) => `${Math.round(n).toLocaleString('en-US')}/s`;
const rows = [];

function row(what, bar, ours, peer, ratio, holds, note = '') {
  rows.push({ what, bar, ours, peer, ratio: ratio.toFixed(2), holds, note });
  console.log(
    `${holds ? 'ok  ' : 'MISS'}  ${what}: ${ours} against ${peer}: × ${ratio.toFixed(2)} (bar: ${bar})${note && ` — ${note}`}`,
  );
}

try {
  const single = await task('single');
  const latency = (s) => `${Math.round(s * 1e6)} µs`;
  row(
    'one durable append, event loop free',
    '≤ 1.6 × raw asynchronous write + fdatasync',
    latency(single.ours),
    latency(single.raw),
    single.ours / single.raw,
    single.ours <= 1.6 * single.raw,
  );

  const hypercore = await task('hypercore');
  const never = 'hypercore never syncs to disk';
  const callers = await task('callers');
  row(
    'durable appends, 64 callers',
    '≥ 50,000/s',
    rate(callers.ours),
    '50,000/s',
    callers.ours / 50_000,
    callers.ours >= 50_000,
  );
  row(
    'durable appends, 64 callers',
    "≥ 6 × hypercore's single appends",
    rate(callers.ours),
    rate(hypercore.single),
    callers.ours / hypercore.single,
    callers.ours >= 6 * hypercore.single,
    never,
  );
  row(
    'durable appends, 64 callers, against the raw limit',
    '≥ 0.35 × 64 callers sharing one plain write + fdatasync',
    rate(callers.ours),
    rate(callers.raw),
    callers.ours / callers.raw,
    callers.ours >= 0.35 * callers.raw,
  );

  const batches = await task('batches');
  row(
    'durable appends in batches of 1,000, sealing included',
    "≥ 1.2 × hypercore's batches of 1,000",
    rate(batches.ours),
    rate(hypercore.batch),
    batches.ours / hypercore.batch,
    batches.ours >= 1.2 * hypercore.batch,
    never,
  );

  const perWriter = 30_000;
  const { directory: own } = await task('init');
  const byItself = await startTogether(1, own, perWriter);
  const { directory: shared } = await task('init');
  const together = await startTogether(4, shared, perWriter);
  const { entries: found, verdict } = JSON.parse(
    execFileSync(process.execPath, [join(here, '../dist/foil.cjs'), 'verify', shared, '--json'], { env }),
  );
  row(
    'four processes, 64 callers each, in total',
    '≥ 0.5 × one process doing the same alone; no loss, no fork',
    rate(together.rate),
    rate(byItself.rate),
    together.rate / byItself.rate,
    together.rate >= byItself.rate / 2 && found === 1 + together.appended && verdict === 'INTACT',
    `${found.toLocaleString('en-US')} entries, ${verdict}`,
  );

  const tenth = await task('fill', undefined, entries / 10);
  const full = await task('fill', undefined, entries);
  const parse = await task('parse', full.directory);
  const threads = await task('verify', full.directory);
  const one = await task('verify', full.directory, 0);
  const small = await task('verify', tenth.directory);
  const took = (s) => `${s.toFixed(2)} s`;
  const intact = [threads, one, small].every(({ verdict }) => verdict === 'INTACT');
  const million = entries.toLocaleString('en-US');
  row(
    `strict verify of ${million} entries`,
    '≤ 2 × read-split-JSON.parse of the same lines in one thread',
    took(threads.seconds),
    took(parse.seconds),
    threads.seconds / parse.seconds,
    intact && threads.seconds <= 2 * parse.seconds,
  );
  row(
    `the same in one thread`,
    'printed only',
    took(one.seconds),
    took(parse.seconds),
    one.seconds / parse.seconds,
    intact,
  );
  const growth = threads.megabytes / small.megabytes;
  row(
    `memory of that verify`,
    '< 250 MB, flat from a tenth of the entries (our reading: ≤ 1.5 ×)',
    `${Math.round(threads.megabytes)} MB`,
    `${Math.round(small.megabytes)} MB`,
    growth,
    threads.megabytes < 250 && growth <= 1.5,
  );

  const { directory: empty } = await task('init');
  const openEmpty = await task('open', empty);
  const openFull = await task('open', full.directory);
  row(
    `open + append on ${million} entries`,
    '≤ 1.3 × the same on an empty ledger',
    latency(openFull.seconds),
    latency(openEmpty.seconds),
    openFull.seconds / openEmpty.seconds,
    openFull.seconds <= 1.3 * openEmpty.seconds,
  );

  const bare = [];
  const foil = [];
  const append = [
    join(here, '../dist/foil.cjs'),
    'append',
    'note',
    '--payload',
    '{"text":"hi"}',
    '--ledger',
    empty,
  ];
  for (let i = 0; i < 41; i++) {
    startTime(['-e', '0'], bare);
    startTime(append, foil);
  }
  const ms = (n) => `${n.toFixed(1)} ms`;
  row(
    '`foil append` as a process',
    '≤ 1.5 × bare node start',
    ms(median(foil)),
    ms(median(bare)),
    median(foil) / median(bare),
    median(foil) <= 1.5 * median(bare),
  );

  process.env.BENCH_ROOT = root; // the same disk
  const hook = await hookProcess();
  row(
    '`foil hook claude-code` as a process, 2 kB kept, service not running',
    '≤ 1.4 × bare node start',
    ms(hook.before),
    ms(hook.bare),
    hook.before / hook.bare,
    hook.recorded && hook.before <= 1.4 * hook.bare,
    `${ms(hook.after)} for a result`,
  );
  row(
    'the same with FOIL=off',
    '≤ 1.1 × bare node start',
    ms(hook.off),
    ms(hook.bare),
    hook.off / hook.bare,
    hook.off <= 1.1 * hook.bare,
  );
  const alone = await hookService({ calls: 1500, warmUp: 500, inFlight: 1 });
  row(
    'a hook through the service over HTTP, durable',
    'p50 ≤ 2.5 ms (our reading: one at a time)',
    ms(alone.p50),
    '2.5 ms',
    alone.p50 / 2.5,
    alone.recorded && alone.p50 <= 2.5,
    `p99 ${ms(alone.p99)}`,
  );
  const crowd = await hookService();
  row(
    'the same with 20 in flight, all the time',
    'p99 ≤ 12 ms',
    ms(crowd.p99),
    '12 ms',
    crowd.p99 / 12,
    crowd.recorded && crowd.p99 <= 12,
    `p50 ${ms(crowd.p50)}`,
  );
  const tool = await programTool();
  row(
    'tool() around a no-op, 2 kB of arguments and of result kept',
    '≤ 3 × two raw asynchronous write + fdatasync',
    latency(tool.ours),
    latency(tool.free),
    tool.ours / tool.free,
    tool.ours <= 3 * tool.free,
    `× ${(tool.ours / tool.blocking).toFixed(2)} of two that block the process`,
  );

  const mcp = await mcpCall();
  row(
    '`foil mcp wrap`, added to a tools/call at the median, 2 kB, two durable entries and their content',
    '≤ 3 × what a bare tee with two synced lines adds; nothing lost',
    latency(mcp.wrapped / 1000),
    latency(mcp.synced / 1000),
    mcp.wrapped / mcp.synced,
    mcp.wrapped <= 3 * mcp.synced && mcp.recorded,
    `a tee that syncs nothing adds ${latency(mcp.tee / 1000)}, the server alone takes ${latency(mcp.direct / 1000)}`,
  );
  const redacted = await redaction({ hostileMegabytes: 1 });
  row(
    'redaction of typical arguments and outputs',
    '≥ 50 MB/s; linear on hostile input',
    `${redacted.mbPerSecond.toFixed(0)} MB/s`,
    '50 MB/s',
    redacted.mbPerSecond / 50,
    redacted.mbPerSecond >= 50 && redacted.hostileRatio < 2,
    `four times as much hostile text takes at most × ${(4 * redacted.hostileRatio).toFixed(1)} the time`,
  );
  const gate = await stopGate();
  row(
    `the stop gate in a session of ${gate.entries} entries, as a process, the service running`,
    '≤ 1.7 × bare node',
    ms(gate.relayed),
    ms(gate.bare),
    gate.relayed / gate.bare,
    gate.recorded && gate.relayed <= 1.7 * gate.bare,
    `× ${(gate.direct / gate.bare).toFixed(1)} without a service, which then seals apart; ${ms(gate.check)} (× ${(gate.check / gate.bare).toFixed(1)}) for a call that is a check, with its fingerprint`,
  );
  row(
    'the end of a turn in the service: claims, work tree, validations and the verdict',
    '≤ 15 ms p50',
    ms(gate.service),
    '15 ms',
    gate.service / 15,
    gate.recorded && gate.service <= 15,
    `p95 ${ms(gate.serviceP95)}`,
  );
  const gateway = await modelGateway();
  const beside = (added) =>
    Object.entries(added)
      .filter(([name]) => name !== 'counterfoil')
      .map(([name, took]) => `${name} ${ms(took)}`)
      .join(', ');
  for (const [kind, share] of [
    ['one at a time', 0.5],
    ['32 in flight', 0.2],
  ]) {
    const added = gateway.added[kind];
    row(
      `the gateway, added p50 of a request, ${kind}, recorded durably with a receipt`,
      `≤ ${share} × @portkey-ai/gateway, which records nothing`,
      ms(added.counterfoil),
      added.portkey === undefined ? 'not installed' : ms(added.portkey),
      added.counterfoil / (added.portkey ?? Number.NaN),
      added.counterfoil <= share * added.portkey,
      beside(added),
    );
  }
  for (const [kind, bar] of [
    ['first byte of a stream', 1],
    ['first byte of a stream, 300 kB request', 8],
  ]) {
    const added = gateway.added[kind];
    row(
      `the gateway, added time to the ${kind}`,
      `≤ ${bar} ms p50`,
      ms(added.counterfoil),
      `${bar} ms`,
      added.counterfoil / bar,
      added.counterfoil <= bar,
      beside(added),
    );
  }
  const { load } = gateway;
  const grown = load.memory.at(-1) - load.memory[Math.floor(load.memory.length / 2)];
  row(
    `the gateway under load, ${load.requests} requests, 32 in flight`,
    '≥ 1,000 requests/s recorded, none lost, memory flat',
    `${load.rate.toFixed(0)}/s`,
    '1,000/s',
    load.rate / 1000,
    load.rate >= 1000 && load.verdict === 'INTACT' && load.receipts === 'pass' && grown < 50,
    `${load.memory.at(-1).toFixed(0)} MiB at the end, ${load.memory[Math.floor(load.memory.length / 2)].toFixed(0)} MiB half way; ${load.recorded} receipts`,
  );
  const headers = await headerRun();
  row(
    `verifying ${headers.count.toLocaleString('en-US')} block headers, the first time in a process`,
    '≤ 150 ms',
    ms(headers.node.first),
    '150 ms',
    headers.node.first / 150,
    headers.node.first <= 150,
    `${ms(headers.node.best)} once warm; ${ms(headers.browser.first)} and ${ms(headers.browser.best)} with the hashes for browsers`,
  );
  const revocation = await revocationCheck();
  row(
    'revocation check before each prompt, in a process that has just started',
    '≤ 1 ms',
    `${revocation.check.toFixed(2)} ms`,
    '1 ms',
    revocation.check,
    revocation.good && revocation.check <= 1,
    `the hook at a prompt takes ${ms(revocation.keyed)} with a key and ${ms(revocation.plain)} without`,
  );
  const anchored = await gitAnchor(root);
  const us = (milliseconds) => `${Math.round(milliseconds * 1000)} µs`;
  row(
    `a git commit for each interaction, ${anchored.commits.toLocaleString('en-US')} caught up with, all durable`,
    '≥ 20 × `git commit` as a process each time',
    us(anchored.together),
    us(anchored.process),
    anchored.process / anchored.together,
    anchored.process >= 20 * anchored.together,
    `caught up with one at a time ${ms(anchored.single)}; fast-import kept open ${us(anchored.fastImport.together)}, with a checkpoint each ${ms(anchored.fastImport.single)}; plumbing ${ms(anchored.plumbing)}; an append meanwhile ${ms(anchored.append.meanwhile)}, else ${ms(anchored.append.alone)}`,
  );
  const block = await blockStart();
  const added = block.asked - block.without;
  row(
    'session start with a local Esplora, a hook as a process, the block asked for',
    '≤ 20 ms over the same without an anchor',
    ms(added),
    '20 ms',
    added / 20,
    block.recorded && added <= 20,
    `${ms(block.atHand - block.without)} where another process asked a moment ago; ${ms(block.without)} without`,
  );
  const scanned = scanning(200, root);
  row(
    `\`foil scan\` of ${Math.round(scanned.megabytes)} MB of transcripts, as a process`,
    '≥ 50 MB/s; finds exactly what is there',
    `${scanned.mbPerSecond.toFixed(0)} MB/s`,
    '50 MB/s',
    scanned.mbPerSecond / 50,
    scanned.isRight && scanned.mbPerSecond >= 50,
    `${scanned.cpuSeconds.toFixed(1)} s of processor time; × ${(scanned.seconds / scanned.parsing).toFixed(1)} of reading and JSON.parse of every line`,
  );
  const granted = await authority();
  row(
    'a decision with 1,000 grants, each on another need',
    '≥ 1,000,000/s',
    rate(granted.decisions),
    '1,000,000/s',
    granted.decisions / 1_000_000,
    granted.decisions >= 1_000_000,
    'by processor time, one thread',
  );
  row(
    'a Bash line of 20 commands, read and held against 1,000 grants',
    '≥ 1,000/s',
    rate(granted.lines),
    '1,000/s',
    granted.lines / 1000,
    granted.lines >= 1000,
    'by processor time, with the file system asked for every path',
  );
  const sandbox = await sandboxStart();
  if (sandbox.why !== null) console.log(`pass  the start of the sandbox: ${sandbox.why}`);
  else
    row(
      'the start of the sandbox for attestations, over the command itself',
      '≤ 25 ms',
      ms(sandbox.readOnly),
      '25 ms',
      sandbox.readOnly / 25,
      sandbox.isRight && sandbox.readOnly <= 25,
      `${ms(sandbox.writable)} with 20 files that may be written; bare bubblewrap adds ${ms(sandbox.bare)}`,
    );
  if (sandbox.why === null) {
    const replayed = await replaySpeed();
    row(
      `\`foil replay\` of a run of ${replayed.events} events, state below 1 kB, verified from the log`,
      '≥ 20,000 events/s',
      rate(replayed.perSecond),
      '20,000/s',
      replayed.perSecond / 20_000,
      replayed.isRight && replayed.perSecond >= 20_000,
      'as a process, with its start and that of the sandbox; the goal is 100,000/s',
    );
    const { long, short } = await snapshotReplay(entries);
    row(
      `\`foil replay --from last\` of a run of ${entries} events`,
      'under 1 s, independent of length',
      `${long.seconds.toFixed(2)} s`,
      '1 s',
      long.seconds,
      long.isRight && short.isRight && long.seconds < 1,
      `${short.seconds.toFixed(2)} s for a run of 20000`,
    );
  }
  const stepped = await stepsAtOnce();
  row(
    'steps of 100 runs at once, each a durable call and a durable result',
    '≥ 5,000/s, and ≥ 0.5 × bare appends in the same run (our reading: 100 callers, as many entries of that size, three in an append)',
    rate(stepped.ours.perSecond),
    rate(stepped.bare.perSecond),
    stepped.ours.perSecond / stepped.bare.perSecond,
    stepped.ours.perSecond >= 5000 && stepped.ours.perSecond >= 0.5 * stepped.bare.perSecond,
    `${Math.round(stepped.ours.cpuMicros)} µs of processor time each, bare ${Math.round(stepped.bare.cpuMicros)} µs; ${rate(stepped.two.perSecond)} with two bare appends each, one after the other`,
  );
  const { LANGGRAPH } = process.env;
  if (LANGGRAPH === undefined)
    console.log(
      'pass  LangGraph.js: the head of bench/langgraph.mjs says how to install it; then set LANGGRAPH to its folder',
    );
  else {
    const { ours, theirs, ratio, versions } = await besideLangGraph(LANGGRAPH);
    row(
      'durable steps of one run',
      '≥ 3 × LangGraph.js with its SQLite checkpointer, `synchronous=FULL`',
      rate(ours.perSecond),
      rate(theirs.perSecond),
      ratio,
      ratio >= 3,
      `${Math.round(ours.cpuMicros)} µs of processor time each, theirs ${Math.round(theirs.cpuMicros)} µs; ${versions.join(', ')}`,
    );
  }
  const pack = packing();
  row(
    `\`foil pack create\` of ${pack.files} files, ${pack.megabytes} MB`,
    '≤ 2.5 × `tar c | gzip -n`',
    `${pack.ours.toFixed(2)} s`,
    `${pack.peer.toFixed(2)} s`,
    pack.ours / pack.peer,
    pack.ours <= 2.5 * pack.peer,
    'as processes',
  );
  const bundle = await bundling();
  for (const [what, seconds] of [
    ['create', bundle.create],
    ['verify', bundle.verify],
  ])
    row(
      `the bundle of a run of ${bundle.entries} entries: ${what}`,
      '≤ 3 × verifying them in place',
      `${seconds.toFixed(2)} s`,
      `${bundle.inPlace.toFixed(2)} s`,
      seconds / bundle.inPlace,
      seconds <= 3 * bundle.inPlace,
      `${bundle.megabytes.toFixed(1)} MB; as processes`,
    );
  if (bundle.browser !== null)
    row(
      'the same bundle, verified in Chromium',
      'under 3 s',
      `${bundle.browser.toFixed(2)} s`,
      '3 s',
      bundle.browser / 3,
      bundle.browser < 3,
      '`dist/verify.js`',
    );
  const report = await reporting();
  if (report.opens !== null)
    row(
      `the report of a run of ${report.entries} entries: opened and verified in Chromium`,
      '≤ 2 s',
      `${report.opens.toFixed(2)} s`,
      '2 s',
      report.opens / 2,
      report.opens <= 2,
      `from disk, ${report.megabytes.toFixed(1)} MB; median of 5`,
    );
  row(
    'the page of a report, without the run',
    '≤ 300 kB',
    `${(report.shell / 1000).toFixed(0)} kB`,
    '300 kB',
    report.shell / 300_000,
    report.shell <= 300_000,
    '`dist/report.html`, with the verifier in it',
  );
  const attested = await attestations();
  if (attested.why !== null) console.log(`pass  attestations over kills: ${attested.why}`);
  else
    row(
      `${attested.jobs} attestations queued, 2 at a time, the attester killed ${attested.kills} times meanwhile`,
      'none lost, none answered in two ways',
      `${attested.passed} answered`,
      `${attested.jobs} accepted`,
      attested.passed / attested.jobs,
      attested.lost === 0 && attested.different === 0 && attested.passed === attested.jobs,
      `${attested.seconds.toFixed(1)} s; ${attested.again} were begun again; accepting one takes ${ms(attested.acceptMs)} with 16 at a time`,
    );
} finally {
  rmSync(root, { recursive: true, force: true });
}

const missed = rows.filter(({ holds }) => !holds);
const machine = `${cpus().length} cores (${cpus()[0]?.model || process.arch}), ${Math.round(totalmem() / 2 ** 30)} GiB, node ${process.version}, ${process.platform} ${process.arch}`;
const table = rows.map(
  ({ what, bar, ours, peer, ratio, holds, note }) =>
    `| ${what} | ${bar} | ${ours} | ${peer} | ${ratio} | ${holds ? 'yes' : '**no**'} | ${note} |`,
);
const text = `# What the bench measured

Written by \`npm run bench\`. Each figure stands beside a peer or a limit measured in the same run on the same disk, with syncs
on for everything of ours: every append was durable before it was acknowledged. Ratios carry over to other machines, times do not.

Machine: ${machine}.

| what | bar | ours | against | ratio | met | note |
| --- | --- | --- | --- | --- | --- | --- |
${table.join('\n')}

${missed.length === 0 ? 'Every bar is met.' : `Not met: ${missed.map(({ what, bar, ratio }) => `${what} (${bar}; × ${ratio})`).join('; ')}.`}
`;
writeFileSync(join(here, 'RESULTS.md'), text);
console.log(`\n${machine}\nwritten to bench/RESULTS.md`);
