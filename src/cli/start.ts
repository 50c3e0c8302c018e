// What must start fast: `foil hook` does all it needs here, with nothing loaded that it does not use. What it seldom needs is
// in scripts of its own.
import { EXIT } from './command.ts';
import { runHook } from './hook.ts';
import { more, openRecord } from './open-record.ts';
import type { Pieces } from './pieces.ts';
import type { Given } from './relay.ts';

/** foil.ts gives it: runs a script beside this one. */
declare const load: (name: string) => unknown;

/** `given` is what was read already, and why the event must not be recorded here. */
export function start(given: Given): void {
  // Should the hook never come to an end, for a bug, node would leave quietly: that must not look like success.
  process.exitCode = EXIT.FAILED;
  const piece = <Name extends keyof Pieces>(name: Name): Pieces[Name] => (load(name) as Pieces)[name];
  const rooms = {
    openRecord,
    more,
    gate: () => piece('gate'),
    hooksSeen: () => piece('hooks-seen'),
    defence: () => piece('defence'),
    authority: () => piece('authority'),
    project: () => piece('project'),
  };
  // Everything is written and closed by now; a pipe that is still open on standard input must not keep us here.
  runHook(process.argv.slice(3), rooms, given).then((exit) => process.exit(exit));
}
