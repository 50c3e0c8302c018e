// The command of `foil run` as a process: started without auth keys in its environment, signals passed on to it, its exit code
// as a shell tells it.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { unstarted } from '../app/index.ts';
import type { Context } from './command.ts';

/** Sent to us, they are meant for the agent. */
const PASSED_ON = ['SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export function startCommand(
  { cwd, env: own }: Context,
  command: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const handedOn = { ...own, ...env };
    for (const name of namesWithKeys(own)) delete handedOn[name];
    const child = spawn(command, words, { cwd, env: handedOn, stdio: 'inherit' });
    const handlers = PASSED_ON.map((signal) => ({ signal, pass: () => void child.kill(signal) }));
    // Ctrl-C reaches everybody at the terminal; sent to us alone, it is meant for the agent.
    const interrupt = (): void => void (process.stdin.isTTY || child.kill('SIGINT'));
    for (const { signal, pass } of handlers) process.on(signal, pass);
    process.on('SIGINT', interrupt);
    const done = (): void => {
      for (const { signal, pass } of handlers) process.off(signal, pass);
      process.off('SIGINT', interrupt);
    };
    child.on('error', (cause) => {
      done();
      reject(new Error(unstarted(command, cause), { cause }));
    });
    child.on('exit', (code, signal) => {
      done();
      resolve({ code, signal });
    });
  });
}

/** Auth keys are presented by people, not by agents: what is in an agent's environment is in its hands. */
export function namesWithKeys(env: NodeJS.ProcessEnv): readonly string[] {
  return Object.keys(env).filter((name) => /foilkey_[\w-]{43}/.test(env[name] ?? ''));
}

/** As a shell tells it. */
export function exitOf({ code, signal }: Ended): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

export function reasonOf({ signal }: Ended): string {
  return signal === null ? 'exit' : signal;
}
