// The thread between a test, which may wait without an event loop, and the warm processes: see warm.ts.
import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';

const { port, parent, program, signal } = workerData;
const idle = [];
const running = new Map();

port.on('message', ({ id, kill, ...run }) => {
  if (kill) running.get(id)?.child.kill('SIGKILL');
  else begin(id, run);
});

function begin(id, { words, command, cwd, env, input }) {
  const warm = idle.pop() ?? start();
  running.set(id, warm);
  warm.id = id;
  writeFileSync(join(warm.directory, 'in'), input);
  warm.child.send({ words, command, cwd, env });
}

function start() {
  const directory = mkdtempSync(join(parent, 'foil-warm-'));
  for (const name of ['in', 'out', 'err']) writeFileSync(join(directory, name), '');
  const child = fork(program, [directory], { env: { PATH: process.env.PATH }, execArgv: [] });
  const warm = { child, directory, id: undefined };
  child.on('message', ({ code }) => {
    answer(warm, code);
    idle.push(warm);
  });
  // Also where it ends by itself, in a run: that is the end of the run.
  child.on('exit', (code) => {
    if (warm.id !== undefined) answer(warm, code);
    if (idle.includes(warm)) idle.splice(idle.indexOf(warm), 1);
    rmSync(directory, { recursive: true, force: true });
  });
  return warm;
}

function answer(warm, code) {
  const { id, directory } = warm;
  running.delete(id);
  warm.id = undefined;
  const [stdout, stderr] = ['out', 'err'].map((name) => readFileSync(join(directory, name), 'utf8'));
  port.postMessage({ id, result: { code, stdout, stderr } });
  Atomics.add(signal, 0, 1);
  Atomics.notify(signal, 0);
}
