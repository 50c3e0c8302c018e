// Leaves the compiled forms of all scripts for the Node that runs this: see foil.ts. The build does it for its own Node,
// `foil install` for the user's where that is another. Hooks and commands are run for it, on a ledger that is thrown
// away and with somebody who answers in a service's place, because a compiled form holds what a run used.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownBuild } from '../app/index.ts';
import { CONFIG_FILE } from '../config/index.ts';
import {
  ANSWER_TYPE,
  beat,
  makeServiceDirectory,
  serviceFiles,
  socketPath,
  writeState,
} from '../service/index.ts';

export function compiledStart(): string {
  return join(__dirname, `start-${process.version}-${process.arch}.cache`);
}

const LONGEST_RUN = 20_000;
/** Hooks leave the others, with what hooks use, and add to what both use. */
const OF_COMMANDS = /^(?:core$|cli\/)/;

/** False where it could not be left, as in a package that another user installed: hooks then take a little longer. */
export async function compileStart(): Promise<boolean> {
  const foil = join(__dirname, 'foil.cjs');
  const directory = mkdtempSync(join(tmpdir(), 'foil-compile-'));
  const ledger = join(directory, 'ledger');
  const event = (name: string, members: object): string =>
    JSON.stringify({ session_id: 'compile', cwd: directory, hook_event_name: name, ...members });
  const call = (command: string) => ({ tool_name: 'Bash', tool_input: { command }, tool_use_id: command });
  const { FOIL: _, FOIL_SESSION: __, ...own } = process.env;
  const env = { ...own, XDG_RUNTIME_DIR: directory, XDG_CONFIG_HOME: directory, FOIL_LEDGER: ledger };
  const run = (words: readonly string[], input = '', more = {}): Promise<void> =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, words, {
        env: { ...env, ...more },
        cwd: directory,
        stdio: ['pipe', 'ignore', 'ignore'],
        timeout: LONGEST_RUN,
      });
      child.on('error', reject).on('close', (exit) => {
        if (exit === 0) resolve();
        else reject(new Error(`${words.join(' ')} failed`));
      });
      child.stdin.on('error', reject).end(input);
    });
  let server: Server | undefined;
  try {
    await run([foil, 'init']);
    await run([foil, 'auth', 'add', 'compile', '--present']);
    const words = ['hook', 'claude-code', '--ledger', ledger];
    const hook = [foil, ...words];
    const compiledHook = [foil, '--compile', ...words];
    await run(hook, event('UserPromptSubmit', { prompt: 'Fix `a.ts` and run `npm test`' }));
    const commands = `foil.load('cli/run-commands')['run-commands'].runCommands()`;
    await run([
      '-e',
      `const foil = require(${JSON.stringify(foil)}); foil.compile(${OF_COMMANDS}); ${commands}`,
    ]);
    const said = { stop_hook_active: false, last_assistant_message: 'Fixed `a.ts`. All tests pass.' };
    // Before any event that nobody answers: a compiled form is left by the first that runs the script.
    server = await answerFor(ledger, env);
    await run(compiledHook, event('Stop', said));
    server.close();
    await run(compiledHook, event('PreToolUse', call('true')));
    await run(compiledHook, event('PreToolUse', call('false')), { FOIL: 'off' });
    await run([foil, '--compile', 'append', 'note', '--payload', '{"text":"a"}']);
    const ended = { tool_response: { stdout: '1 passed', stderr: '', interrupted: false, isImage: false } };
    await run(hook, event('PostToolUse', { ...call('npm test'), ...ended }));
    await run(compiledHook, event('Stop', said));
    // It looks as if it were about us, and is not. Behind the stop, which uses more of the gate than this.
    await run([...compiledHook, '--mode', 'guard'], event('PreToolUse', call('cat foil.md > copy.md')));
    writeFileSync(join(directory, CONFIG_FILE), 'content: keep\nredact: {}\n');
    await run(compiledHook, event('PreToolUse', call('date')));
    return existsSync(compiledStart());
  } catch {
    return false;
  } finally {
    server?.close();
    remove(directory);
  }
}

/** A process that a hook left behind may still write there. That costs a few files, not the build. */
function remove(directory: string): void {
  for (let tries = 0; tries < 5; tries++) {
    try {
      rmSync(directory, { recursive: true, force: true, maxRetries: 1 });
      return;
    } catch {
      // What was written meanwhile is removed by the next try.
    }
  }
}

/** As a service would that has nothing to say. */
async function answerFor(ledger: string, env: NodeJS.ProcessEnv): Promise<Server> {
  const body = JSON.stringify({ exit: 0, stdout: '', stderr: '' });
  const answer = `HTTP/1.1 200 OK\r\ncontent-type: ${ANSWER_TYPE}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(answer));
  });
  const files = serviceFiles(ledger);
  const socket = socketPath(ledger, env);
  makeServiceDirectory(files);
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject).listen(socket, resolve);
  });
  const started = new Date().toISOString();
  beat(files);
  writeState(files, { pid: process.pid, port: null, socket, ...ownBuild(), started, problem: null });
  return server;
}
