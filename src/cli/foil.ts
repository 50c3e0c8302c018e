// The command's first lines. A hook starts with every step of an agent, so this loads as little as it can: start.script
// beside it, or relay.script for what the service records.
import { fstatSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs';
import type { Given } from './relay.ts';

/**
 * Runs start.script, gate.script, project.script or relay.script, each one function, from its compiled form where
 * there is one for this Node. With `--compile` as the first word the run leaves a compiled form of the one that it names,
 * of every function that it used: see compile-start.ts. It is no variable: those of a hook are not the user's alone.
 */
function load(name: string, given: Given = { pieces: [], failure: null }): unknown {
  const file = `${__dirname}/${name}.script`;
  const cache = `${__dirname}/${name}-${process.version}-${process.arch}.cache`;
  const compiles = compiled === name;
  let cachedData: Buffer | undefined;
  try {
    if (!compiles) cachedData = readFileSync(cache);
  } catch {
    // Another version of Node: the source does the same, a little later.
  }
  const { Script } = require('node:vm') as typeof import('node:vm');
  const source = readFileSync(file, 'latin1');
  const script = new Script(
    source,
    cachedData === undefined ? { filename: file } : { filename: file, cachedData },
  );
  if (compiles)
    process.on('exit', () => {
      try {
        // On the disk before it has its name: Node runs what is torn without a look at it.
        writeFileSync(`${cache}.${process.pid}`, script.createCachedData(), { flush: true });
        renameSync(`${cache}.${process.pid}`, cache);
      } catch {
        // An error here would change the exit code, and with it a refusal into a pass.
      }
    });
  const module = { exports: {} };
  script.runInThisContext()(require, __filename, __dirname, module, load, given);
  return module.exports;
}

const STOP =
  /"(?:hook_event_name|hookEventName)"\s*:\s*"(?:Stop|SubagentStop|AfterAgent|agentStop|subagentStop|stop)"/;
const STOP_LINE = /(?:^| )--event[= ](?:Stop|SubagentStop|AfterAgent|agentStop|subagentStop|stop)(?: |$)/;
/** The names of events come first, or last, and are short. */
const HEAD = 4096;

/** The first that a host says. A person at a terminal, and a host that has not begun, are for others to wait for. */
function firstPieces(): Uint8Array[] {
  try {
    if (fstatSync(0).isCharacterDevice()) return [];
    const piece = Buffer.allocUnsafe(65_536);
    const length = readSync(0, piece);
    return length === 0 ? [] : [piece.subarray(0, length)];
  } catch {
    return [];
  }
}

/** Is it for the service to record, if there is one? See relay.ts. */
function isRelayed(pieces: readonly Uint8Array[]): boolean {
  if (words.some((word) => /^--socket(=|$)/.test(word))) return true;
  const [first] = pieces;
  if (first === undefined) return false;
  const text = Buffer.from(first.buffer, first.byteOffset, first.length);
  return (
    STOP_LINE.test(words.join(' ')) ||
    STOP.test(text.toString('latin1', 0, HEAD)) ||
    STOP.test(text.toString('latin1', Math.max(HEAD, text.length - HEAD)))
  );
}

function hook(): void {
  const pieces = firstPieces();
  if (!isRelayed(pieces)) {
    load('start', { pieces, failure: null });
    return;
  }
  process.exitCode = 1; // should it never come to an end
  const { relay } = load('relay') as typeof import('./relay.ts');
  relay(words, pieces).then((left) => {
    if (typeof left === 'number') process.exit(left);
    load('start', left);
  });
}

const compiled = process.argv[2] === '--compile' ? process.argv.splice(2, 2)[1] : undefined;
const [, , name, ...words] = process.argv;
if (name === 'hook' && !words.some((word) => word === '--help' || word === '-h')) hook();
else load('start');
