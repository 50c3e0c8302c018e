// What must start fast: `append` and `hook` do all they need here, with nothing loaded that they do not use. What they
// seldom need is in scripts of its own.
import { openRecordStore, type RecordStore, Unsettled } from '../store/files/index.ts';
import { EXIT } from './command.ts';
import { makeAppend, wantsMore } from './commands/append.ts';
import type { Pieces } from './foil.ts';
import { runHook } from './hook.ts';
import type { Given } from './relay.ts';
import { runCommand } from './rim.ts';

/** foil.ts gives it: runs a script beside this one. */
declare const load: (name: string) => unknown;
/** And this: what it read already, and why the event must not be recorded here. */
declare const given: Given;
const more = (): Pieces['hook-more'] => (load('cli/hook-more') as Pieces)['hook-more'];
const gate = (): Pieces['gate'] => (load('gate') as Pieces).gate;
const hooksSeen = (): typeof import('./hooks-seen.ts') =>
  load('hooks-seen') as typeof import('./hooks-seen.ts');
const defence = (): typeof import('./defence.ts') => load('defence') as typeof import('./defence.ts');
const authority = (): typeof import('./authority.ts') => load('authority') as typeof import('./authority.ts');
const project = (): typeof import('./project.ts') => load('project') as typeof import('./project.ts');

/** The log and content alone. Where it turns out that a crash left something, the whole store takes over. */
function openRecord(directory: string): RecordStore {
  let store = openRecordStore(directory);
  return {
    async append(build, options) {
      try {
        return await store.append(build, options);
      } catch (error) {
        if (!(error instanceof Unsettled)) throw error;
        await store.close();
        store = more().openFileStore(directory);
        return store.append(build, options);
      }
    },
    readState: (name) => store.readState(name),
    putContent: (...args) => store.putContent(...args),
    commitContent: (...args) => store.commitContent(...args),
    close: () => store.close(),
  };
}

// Should a command never come to an end, for a bug, node would leave quietly: that must not look like success.
process.exitCode = EXIT.FAILED;
const [name, ...words] = process.argv.slice(2);

function run(): Promise<number> {
  if (name === 'hook')
    return runHook(words, { openRecord, gate, hooksSeen, defence, authority, project, more }, given);
  if (!wantsMore(words)) return runCommand(makeAppend(openRecord), words);
  return (load('cli/main') as Pieces).main.main(process.argv.slice(2));
}

// Everything is written and closed by now; a pipe that is still open on standard input must not keep us here.
run().then((exit) => process.exit(exit));
