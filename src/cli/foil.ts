// The command. It starts with every tool call of an agent, so it does `append` itself, with nothing loaded that an
// append does not need, and leaves everything else to cli.cjs beside it.
import { blockingFs, openFileLog, Unsettled } from '../store/files/index.ts';
import { EXIT } from './command.ts';
import { type Log, makeAppend, wantsMore } from './commands/append.ts';
import { runCommand } from './rim.ts';

type Cli = typeof import('./main.ts');
const cli = (): Cli => require('./cli.cjs') as Cli;

/** The log alone. Where it turns out that a crash left something, the whole store takes over. */
function openLog(directory: string): Log {
  let log: Log = openFileLog(directory, { fs: blockingFs });
  return {
    async append(build, options) {
      try {
        return await log.append(build, options);
      } catch (error) {
        if (!(error instanceof Unsettled)) throw error;
        await log.close();
        log = cli().openFileStore(directory);
        return log.append(build, options);
      }
    },
    close: () => log.close(),
  };
}

// Should a command never come to an end, for a bug, node would leave quietly: that must not look like success.
process.exitCode = EXIT.FAILED;
const [name, ...words] = process.argv.slice(2);
const running =
  name === 'append' && !wantsMore(words)
    ? runCommand(makeAppend(openLog), words)
    : cli().main(process.argv.slice(2));
// Everything is written and closed by now; a pipe that is still open on standard input must not keep us here.
running.then((exit) => process.exit(exit));
