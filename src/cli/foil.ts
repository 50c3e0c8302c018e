// The command. It starts with every tool call of an agent, so it does `append` itself, with nothing loaded that an
// append does not need, and leaves everything else to cli.cjs beside it.
import { openFileLog } from '../store/files/index.ts';
import { makeAppend } from './commands/append.ts';
import { runCommand } from './rim.ts';

const words = process.argv.slice(2);
const whole = words[0] !== 'append' || words.some((word) => /^(-h|--help|--content)/.test(word));
const running = whole
  ? (require('./cli.cjs') as typeof import('./main.ts')).main(words)
  : runCommand(makeAppend(openFileLog), words.slice(1));
// Everything is written and closed by now; a pipe that is still open on standard input must not keep us here.
running.then((exit) => process.exit(exit));
