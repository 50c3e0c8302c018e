// append.script: `foil append`, with nothing loaded that it does not use.
import { EXIT } from './command.ts';
import { makeAppend, wantsMore } from './commands/append.ts';
import { openRecord } from './open-record.ts';
import type { Pieces } from './pieces.ts';
import { runCommand } from './rim.ts';

/** foil.ts gives it: runs a script beside this one. */
declare const load: (name: string) => unknown;

export function append(): void {
  // Should the command never come to an end, for a bug, node would leave quietly: that must not look like success.
  process.exitCode = EXIT.FAILED;
  const [, ...words] = process.argv.slice(2);
  const run = wantsMore(words)
    ? (load('cli/main') as Pieces).main.main(process.argv.slice(2))
    : runCommand(makeAppend(openRecord), words);
  // Everything is written and closed by now; a pipe that is still open on standard input must not keep us here.
  run.then((exit) => process.exit(exit));
}
