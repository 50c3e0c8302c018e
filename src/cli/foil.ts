// The command. It starts with every tool call of an agent, so it does `append` itself, with nothing loaded that an
// append does not need, and leaves everything else to cli.cjs beside it.
import { blockingFs, openFileLog } from '../store/files/index.ts';
import { makeAppend, wantsMore } from './commands/append.ts';
import { runCommand } from './rim.ts';

const [name, ...words] = process.argv.slice(2);
const running =
  name === 'append' && !wantsMore(words)
    ? runCommand(
        makeAppend((directory) => openFileLog(directory, { fs: blockingFs })),
        words,
      )
    : (require('./cli.cjs') as typeof import('./main.ts')).main(process.argv.slice(2));
// Everything is written and closed by now; a pipe that is still open on standard input must not keep us here.
running.then((exit) => process.exit(exit));
