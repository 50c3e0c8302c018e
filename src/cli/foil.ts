// The command's first lines. A hook starts with every step of an agent, so this loads as little as it can: start.script
// beside it, relay.script for what the service records, or off.script where nothing is recorded. Every other command begins in cli/main.script.
import { fstatSync, readdirSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs';
import type { Script } from 'node:vm';
import type { HelpTexts } from './main.ts';
import type { Pieces } from './pieces.ts';
import type { Given } from './relay.ts';

interface Read {
  readonly file: string;
  readonly source: string;
  readonly cache: string;
  readonly cachedData?: Buffer;
}

function read(name: string): Read {
  const file = `${__dirname}/${name}.script`;
  const cache = `${__dirname}/${name}-${process.version}-${process.arch}.cache`;
  const source = readFileSync(file, 'latin1');
  try {
    return { file, source, cache, cachedData: readFileSync(cache) };
  } catch {
    return { file, source, cache }; // Another version of Node: the source does the same, a little later.
  }
}

const kept = new Map<string, Read>();
const loaded = new Map<string, { exports: unknown }>();

/**
 * Of which scripts this process leaves a compiled form, of every function that it used, where there was none: see
 * compile-start.ts. A first word asks for it, not a variable: a repository can set the variables of a hook.
 */
let compiles: RegExp | null = null;

export function compile(these = /./): void {
  compiles = these;
}

/** Runs a script beside this file, once: one function, from its compiled form where there is one for this Node. */
export function load(name: string): unknown {
  const before = loaded.get(name);
  if (before !== undefined) return before.exports;
  const { file, source, cache, ...compiled } = kept.get(name) ?? read(name);
  const { Script } = require('node:vm') as typeof import('node:vm');
  const script = new Script(source, { filename: file, ...compiled });
  // Both hooks and commands use core, and not the same of it.
  if (compiles?.test(name) && (script.cachedDataRejected !== false || name === 'core'))
    compileAtExit(cache, script);
  const module = { exports: {} };
  loaded.set(name, module);
  script.runInThisContext()(require, __filename, __dirname, module, load);
  return module.exports;
}

/** A process that lives long may outlive an upgrade of this package: it must not run half of another version. */
function keepScripts(): void {
  for (const folder of ['', 'cli/'])
    for (const file of readdirSync(`${__dirname}/${folder}`)) {
      const [, name] = /^(.*)\.script$/.exec(file) ?? [];
      if (name !== undefined) kept.set(`${folder}${name}`, read(`${folder}${name}`));
    }
}

function compileAtExit(cache: string, script: Script): void {
  process.setMaxListeners(0);
  process.on('exit', () => {
    try {
      // On the disk before it has its name: Node runs what is torn without a look at it.
      writeFileSync(`${cache}.${process.pid}`, script.createCachedData(), { flush: true });
      renameSync(`${cache}.${process.pid}`, cache);
    } catch {
      // An error here would change the exit code, and with it a refusal into a pass.
    }
  });
}

/** Sessions and turns that begin or end, by the names that hosts have for them. */
const NAMES =
  '(?:[Ss]essionStart|[Ss]essionEnd|UserPromptSubmit|userPromptSubmitted|beforeSubmitPrompt|BeforeAgent|(?:[Ss]ubagent|agent)?[Ss]top|AfterAgent)';
const TOLD = new RegExp(`"(?:hook_event_name|hookEventName)"\\s*:\\s*"${NAMES}"`);
const ON_LINE = new RegExp(`(?:^| )--event[= ]${NAMES}(?: |$)`);
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
  const [first] = pieces;
  if (first === undefined) return false;
  const text = Buffer.from(first.buffer, first.byteOffset, first.length);
  return (
    ON_LINE.test(words.join(' ')) ||
    TOLD.test(text.toString('latin1', 0, HEAD)) ||
    TOLD.test(text.toString('latin1', Math.max(HEAD, text.length - HEAD)))
  );
}

/** As isFoilOff of the ledger's settings says, which is not loaded yet. */
const OFF = /^(?:off|0|no|false)$/i;

function hook(): void {
  const pieces = firstPieces();
  const isPinned = words.some((word) => /^--socket(=|$)/.test(word));
  if (OFF.test(process.env.FOIL ?? '') && !isPinned)
    elsewhere((load('off') as typeof import('./off.ts')).leaveOff, pieces);
  else if (isPinned || isRelayed(pieces))
    elsewhere((load('relay') as typeof import('./relay.ts')).relay, pieces);
  else start({ pieces, failure: null });
}

function start(given: Given): void {
  (load('start') as typeof import('./start.ts')).start(given);
}

/** Where it is not done there, it is done here. */
function elsewhere(tried: typeof import('./relay.ts')['relay'], pieces: Uint8Array[]): void {
  process.exitCode = 1; // should it never come to an end
  tried(words, pieces).then((left) => {
    if (typeof left === 'number') process.exit(left);
    start(left);
  });
}

const LIVES_LONG = /^(?:(?:serve|mcp|run|demo|view)(?! (?:-h|--help)$)|log .*(?:-f|--follow))/;

function command(): void {
  process.exitCode = 1; // should it never come to an end
  if (LIVES_LONG.test(process.argv.slice(2).join(' '))) keepScripts();
  const { main } = (load('cli/main') as Pieces).main;
  const help = () => JSON.parse(readFileSync(`${__dirname}/help.json`, 'utf8')) as HelpTexts;
  main(process.argv.slice(2), help).then((exit) => process.exit(exit));
}

if (process.argv[2] === '--compile') {
  process.argv.splice(2, 1);
  compile();
}
const [, , name, ...words] = process.argv;
const asksHelp = words.some((word) => word === '--help' || word === '-h');
if (require.main !== module) {
  // The build, which compiles what is here.
} else if (name === 'hook' && !asksHelp) hook();
else if (name === 'append' && !asksHelp) (load('append') as typeof import('./append.ts')).append();
else command();
