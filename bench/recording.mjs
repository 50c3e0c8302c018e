// What recording costs: the hook as a process, the same through the service, switched off, and a program's tool call. 2 kB
// of content a call, kept, every entry durable before the answer. bench/main.mjs prints the rows; `node bench/recording.mjs`
// runs these alone.
import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  write,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRecorder } from '../dist/index.js';

const here = dirname(fileURLToPath(import.meta.url));
const foil = join(here, '../dist/foil.cjs');
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const percentile = (list, p) =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * p))];

/** About 2 kB of arguments, as a long command has them. No check: those also cost a look at the work tree (gate.mjs). */
const COMMAND = `cd /home/dev/project && cat ${'test/core/merkle.test.ts '.repeat(78)}`;

function eventsOf(cwd, session, call) {
  const base = { session_id: session, transcript_path: `${cwd}/t.jsonl`, cwd, permission_mode: 'default' };
  const tool = {
    ...base,
    tool_name: 'Bash',
    tool_use_id: `toolu_${call}`,
    tool_input: { command: COMMAND, description: 'look at the tests' },
  };
  return {
    before: JSON.stringify({ ...tool, hook_event_name: 'PreToolUse' }),
    after: JSON.stringify({
      ...tool,
      hook_event_name: 'PostToolUse',
      tool_response: {
        stdout: 'Tests  12 passed (12)\n'.repeat(90),
        stderr: '',
        interrupted: false,
        isImage: false,
      },
      duration_ms: 12,
    }),
  };
}

function place() {
  const root = mkdtempSync(join(process.env.BENCH_ROOT ?? tmpdir(), 'foil-bench-'));
  const project = join(root, 'project');
  mkdirSync(project);
  const env = {
    ...process.env,
    XDG_STATE_HOME: join(root, 's'),
    XDG_CONFIG_HOME: join(root, 'c'),
    XDG_RUNTIME_DIR: join(root, 'r'),
    HOME: root,
  };
  delete env.NODE_EXTRA_CA_CERTS; // triples node's start where it is set
  delete env.FOIL;
  mkdirSync(env.XDG_RUNTIME_DIR, { mode: 0o700 });
  const { directory } = JSON.parse(
    execFileSync(process.execPath, [foil, 'init', '--json'], { cwd: project, env }),
  );
  return { root, project, env, directory, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Milliseconds: bare node, the hook before and after a tool, and the hook that is switched off. Interleaved. */
export async function hookProcess(rounds = 31) {
  const { project, env, directory, root, remove } = place();
  const empty = join(root, 'empty.cjs');
  writeFileSync(empty, '');
  const times = { bare: [], before: [], after: [], off: [] };
  const time = (list, args, input, more = {}) => {
    const started = process.hrtime.bigint();
    execFileSync(process.execPath, args, {
      input,
      cwd: project,
      env: { ...env, ...more },
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    list.push(Number(process.hrtime.bigint() - started) / 1e6);
  };
  const hook = [foil, 'hook', 'claude-code', '--ledger', directory, '--mode', 'observe'];
  try {
    for (let i = 0; i < rounds; i++) {
      const { before, after } = eventsOf(project, 'bench-1', i);
      time(times.bare, [empty], before);
      time(times.before, hook, before);
      time(times.after, hook, after);
      time(times.off, hook, eventsOf(project, 'bench-off', i).before, { FOIL: 'off' });
      // What was off is told by the next event; here that would be part of the figure.
      rmSync(join(env.XDG_RUNTIME_DIR, 'counterfoil'), { recursive: true, force: true });
    }
    const report = JSON.parse(execFileSync(process.execPath, [foil, 'verify', directory, '--json'], { env }));
    const recorded = report.verdict === 'INTACT' && report.entries === 3 + 2 * rounds;
    return {
      bare: median(times.bare),
      before: median(times.before),
      after: median(times.after),
      off: median(times.off),
      recorded,
    };
  } finally {
    remove();
  }
}

/** Milliseconds a call, through the service over HTTP, with `inFlight` calls at a time. */
export async function hookService({ calls = 4000, warmUp = 1000, inFlight = 20 } = {}) {
  const { project, env, directory, remove } = place();
  const service = spawn(process.execPath, [foil, 'serve', '--port', '0', '--json', '--ledger', directory], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const port = await new Promise((resolve, reject) => {
      let text = '';
      service.stdout.on('data', (piece) => {
        text += piece;
        const line = text.split('\n')[0];
        if (text.includes('\n')) resolve(JSON.parse(line).port);
      });
      service.once('exit', () => reject(new Error('the service ended')));
    });
    const token = readFileSync(join(directory, 'service/token'), 'utf8').trim();
    const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
    const post = (body) =>
      new Promise((resolve, reject) => {
        const started = process.hrtime.bigint();
        const sent = request(
          {
            agent,
            host: '127.0.0.1',
            port,
            method: 'POST',
            path: '/v1/hook/claude-code',
            headers: {
              authorization: `Bearer ${token}`,
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(body),
            },
          },
          (answer) => {
            answer
              .resume()
              .once('end', () =>
                answer.statusCode === 200
                  ? resolve(Number(process.hrtime.bigint() - started) / 1e6)
                  : reject(new Error(`status ${answer.statusCode}`)),
              );
          },
        );
        sent.once('error', reject);
        sent.end(body);
      });
    const times = [];
    let next = 0;
    const total = warmUp + calls;
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        // As a host does it: a call's result comes after the call was answered.
        for (let pair = next++; pair < total / 2; pair = next++) {
          const { before, after } = eventsOf(project, 'bench-http', pair);
          for (const event of [before, after]) {
            const took = await post(event);
            if (2 * pair >= warmUp) times.push(took);
          }
        }
      }),
    );
    agent.destroy();
    const ended = new Promise((resolve) => service.once('exit', resolve));
    service.kill('SIGTERM');
    await ended;
    const report = JSON.parse(execFileSync(process.execPath, [foil, 'verify', directory, '--json'], { env }));
    return {
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      recorded: report.verdict === 'INTACT' && report.entries === 3 + total,
    };
  } finally {
    service.kill('SIGKILL');
    remove();
  }
}

/**
 * Seconds: tool() around nothing with 2 kB of arguments and of result, against two raw writes with their syncs, made as
 * tool() makes its own, with the event loop free, and made in one go.
 */
export async function programTool(rounds = 1500) {
  const { root, directory, project, remove } = place();
  const recorder = await openRecorder({
    place: { directory, keyDirectory: join(root, 'c/counterfoil/keys') },
    cwd: project,
  });
  const fd = openSync(join(root, 'raw'), 'a');
  const line = Buffer.alloc(2048 + 700, 'x');
  const call = (f) => new Promise((resolve, reject) => f((error) => (error ? reject(error) : resolve())));
  const times = { ours: [], free: [], blocking: [] };
  const time = async (list, work) => {
    const started = process.hrtime.bigint();
    await work();
    list.push(Number(process.hrtime.bigint() - started) / 1e9);
  };
  try {
    const session = await recorder.session();
    for (let i = 0; i < rounds; i++) {
      await time(times.ours, () =>
        session.tool('noop', { command: COMMAND, i }, () => ({ stdout: COMMAND, i })),
      );
      await time(times.free, async () => {
        for (let half = 0; half < 2; half++) {
          await call((done) => write(fd, line, 0, line.length, null, done));
          await call((done) => fdatasync(fd, done));
        }
      });
      await time(times.blocking, () => {
        for (let half = 0; half < 2; half++) {
          writeSync(fd, line);
          fdatasyncSync(fd);
        }
      });
    }
  } finally {
    closeSync(fd);
    await recorder.close();
    remove();
  }
  const settled = (list) => median(list.slice(rounds / 3));
  return { ours: settled(times.ours), free: settled(times.free), blocking: settled(times.blocking) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const which = process.argv[2];
  if (which === undefined || which === 'process') console.log('hook as a process', await hookProcess());
  if (which === undefined || which === 'service') {
    console.log(
      'hook through the service, one at a time',
      await hookService({ calls: 1500, warmUp: 500, inFlight: 1 }),
    );
    console.log('hook through the service, 20 in flight', await hookService());
  }
  if (which === undefined || which === 'tool') console.log('tool()', await programTool());
}
