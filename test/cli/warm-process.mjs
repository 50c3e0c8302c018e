// A process that has loaded the built command once and runs it many times: what a start of node and of the command
// costs is paid once. Each run gets what a process of its own would have: standard input, output and error as real
// file descriptors, its own environment, working directory and arguments. It goes through dist/foil.cjs from the first
// line on. A file that a run leaves open, and with it a lock, is closed, as the end of a process does. Whatever else it
// leaves behind (a timer, a socket, a thread) ends this process, and the next run gets a new one. See warm.ts.
import fs, { closeSync, openSync, ReadStream, readdirSync, rmSync, writeSync } from 'node:fs';
import Module from 'node:module';
import { join } from 'node:path';
import { inspect } from 'node:util';

const [, , directory] = process.argv;
const reallyExit = process.exit.bind(process);
/** Thrown where process.exit would not have come back. */
const ENDED = Symbol('ended');
const umask = process.umask();
let running = false;
let stdin;
let openFiles = 0;

/** The files that a run has open. */
const opened = new Set();
fs.openSync = (...words) => {
  const fd = openSync(...words);
  opened.add(fd);
  return fd;
};
fs.closeSync = (fd) => {
  opened.delete(fd);
  closeSync(fd);
};
const { close } = fs;
fs.close = (fd, ...words) => {
  opened.delete(fd);
  close(fd, ...words);
};

process.exit = (code) => {
  end(code ?? process.exitCode ?? 0);
  throw ENDED;
};
Object.defineProperty(process, 'stdin', {
  get: () => {
    stdin ??= new ReadStream(null, { fd: 0, autoClose: false });
    return stdin;
  },
});
process.on('uncaughtException', (error) => {
  if (error === ENDED || process.listenerCount('uncaughtException') > 1) return;
  writeSync(2, `${inspect(error)}\n`);
  reallyExit(1);
});
process.on('unhandledRejection', (error) => {
  if (error !== ENDED) throw error;
});
process.on('disconnect', () => {
  rmSync(directory, { recursive: true, force: true });
  reallyExit(0);
});
// A command that ends because nothing is left to do.
process.on('beforeExit', () => end(process.exitCode ?? 0));
process.on('message', run);
process.stdout.on('error', () => undefined);
const own = new Map(process.eventNames().map((name) => [name, new Set(process.listeners(name))]));

function run({ words, command, cwd, env }) {
  running = true;
  stdin = undefined;
  process.exitCode = undefined;
  redirect(0, 'in', 'r');
  redirect(1, 'out', 'w');
  redirect(2, 'err', 'w');
  openFiles = countOpenFiles();
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, command, ...words];
  process.channel.unref();
  delete Module._cache[command];
  try {
    Module._load(command, null, true); // as the main module, which is what node itself does
  } catch (error) {
    if (error !== ENDED) throw error;
  }
}

/** A file that is opened gets the lowest number that is free. */
function redirect(fd, name, flags) {
  closeSync(fd);
  if (openSync(join(directory, name), flags) !== fd) throw new Error(`another file became ${fd}`);
}

function end(code) {
  if (!running) return;
  running = false;
  process.channel.ref();
  for (const fd of opened) fs.closeSync(fd);
  answer(code, 20);
}

/** What is being read or closed needs a moment to be gone. */
function answer(code, moments) {
  const left = process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap' && name !== 'Immediate');
  if (left.length > 0 || countOpenFiles() > openFiles) {
    if (moments === 0) reallyExit(code);
    setTimeout(answer, 1, code, moments - 1).unref();
    return;
  }
  for (const name of process.eventNames())
    for (const listener of process.listeners(name))
      if (!own.get(name)?.has(listener)) process.off(name, listener);
  process.umask(umask);
  process.chdir('/'); // the next directory may be removed
  process.exitCode = undefined;
  process.send({ code });
}

function countOpenFiles() {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0; // no such list on this system
  }
}
