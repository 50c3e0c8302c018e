// Long output on a terminal, through the reader's own pager: $FOIL_PAGER, else $PAGER, else less. An empty value or `cat`
// turns it off, and so does a pager that is not there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startProblem } from '../app/index.ts';
import type { Bytes } from './command.ts';

/** Shows `pieces`; false where there is no pager. A reader who quits early has seen enough: nothing more is asked for. */
export async function page(pieces: AsyncIterable<Bytes>, env: NodeJS.ProcessEnv): Promise<boolean> {
  const command = pagerOf(env);
  if (command === null) return false;
  // As git has it: colours pass, and a text that fits the screen needs no key.
  const pager = spawn(command, {
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { LESS: 'FRX', ...env },
  });
  const ended = once(pager, 'close');
  let isOpen = true;
  pager.stdin.on('error', () => {
    isOpen = false;
  });
  // While the pager shows something, Ctrl-C is its own.
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  try {
    for await (const piece of pieces) {
      if (!isOpen) break;
      if (!pager.stdin.write(piece)) await Promise.race([ended, once(pager.stdin, 'drain').catch(ignore)]);
    }
    pager.stdin.end();
    await ended;
    return true;
  } finally {
    process.off('SIGINT', ignore);
  }
}

/** The command line of the pager; null where there is none, or the terminal is too plain for one. */
function pagerOf(env: NodeJS.ProcessEnv): string | null {
  const command = (env.FOIL_PAGER ?? env.PAGER ?? 'less').trim();
  const [program = ''] = command.split(/\s+/);
  const isPlain = env.TERM === undefined || env.TERM === 'dumb';
  if (program === '' || program === 'cat' || (isPlain && env.FOIL_PAGER === undefined)) return null;
  return startProblem(program, { cwd: process.cwd(), env }) === null ? command : null;
}
