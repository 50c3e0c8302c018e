// What of a call may turn against its own recording, found cheaply: commands and paths, and only where they look as if
// they were about us. What they would do is judged by whoever knows what is ours, which is loaded only then.
import type { Json, JsonObject } from '../../core/index.ts';
import { commandText } from '../../format/index.ts';
import { looksLikeAttack } from '../../rules/index.ts';
import { shellLine } from '../facts/facts.ts';
import { pathsOf } from '../facts/paths.ts';
import { gitLine, joinedPaths, nestedCommands, patchedPaths } from './defence-members.ts';
import type { HostCall } from './host-event.ts';

export interface Suspect {
  readonly commands: readonly string[];
  /** As they were written: relative ones begin where the host works. */
  readonly paths: readonly string[];
}

/** What the suspect would do, behind "it would"; null where it does nothing to us. */
export type Defence = (
  suspect: Suspect,
  at: {
    readonly agent: string | null;
    readonly cwd: string | null;
    /** Where the host was started: its settings are there. */
    readonly began?: string | null;
  },
) => string | null;

/** Tools that no table knows, by how such tools are called. */
const RUNS =
  /shell|exec|bash|command|terminal|process|script|python|repl|notebook|send_?(?:keys|input)|keystroke|(?:^|[_.-])(?:run|eval|cmd|code|cell|node|tmux|pty|tty)/i;
/** Whatever is not called so may write: no list of the names of writing tools is complete. */
const READS =
  /(?:^|[_.-])(?:read|get|list|ls|search|view|show|grep|glob|find|stat|fetch|query|look|inspect|describe|count|exists|info|tree|diff|cat|head|tail|open|load|analyze|lint|check|validate)|^(?:Read|Grep|Glob|LS|WebFetch|WebSearch|TodoRead)/;
const WRITES =
  /write|edit|creat|delet|remove|move|rename|patch|replace|append|insert|save|update|put|copy|trunc|upload|unlink|modify|set(?!tings)/i;
/** Tools that take a path away, with all that lies below it; of the second kind, they put it somewhere else. */
const REMOVES = /delet|remove|unlink|trash|(?:^|[_.-])rm/i;
const MOVES = /(?<!re)move|rename|(?:^|[_.-])mv/i;
/** Members that say where something is put, or what it is called then. */
const TARGET = /^(?:dest|dst|to|target|new|output|out)/i;
/** Members that hold a program, and those that hold its words. */
const PROGRAM = /^(?:program|executable|exe|binary|bin|command|cmd|process)(?:_?(?:name|path|file))?$/i;
const WORDS = /^(?:args?|argv|arguments|params|parameters|options)$/i;
/** Tools that keep what is said of things, not the things: a name that they are given is only a name. */
const TELLS =
  /entit(?:y|ies)|observation|relation|memor(?:y|ies)|knowledge|issue|comment|message|ticket|todo/i;
/** Tools of hosts that hand a text to a model: what comes of it are calls of their own. */
const TALKS = /^(?:SlashCommand|Skill|Task|Agent)$/;
const MOST_VALUES = 64;
const LONGEST_PATH = 1024;
const LONGEST = 64 * 1024;

/** `names` are last parts of our own paths. Where the host works in such a place, every word may be about us. */
export function suspectIn(
  call: Pick<HostCall, 'tool' | 'args' | 'shell' | 'files'>,
  names: readonly string[],
  cwd: string | null = null,
): Suspect | null {
  const found = partsOf(call);
  const isThere = cwd !== null && looksLikeAttack(cwd, names);
  const commands = found.commands.filter((command) => isThere || looksLikeAttack(command, names));
  const paths = found.paths.filter((path) => isThere || looksLikeAttack(path, names));
  return commands.length + paths.length === 0 ? null : { commands, paths };
}

function partsOf({ tool, args, shell, files }: Pick<HostCall, 'tool' | 'args' | 'shell' | 'files'>): Suspect {
  if (shell === true) {
    // Of PowerShell as it is written, and in bash's words.
    const line = shellLine({ tool, shell, args });
    return { commands: [...new Set([...textOf(args), ...(line === null ? [] : [line])])], paths: [] };
  }
  if (files !== undefined)
    return { commands: [], paths: files.filter(({ op }) => op !== 'read').map(({ path }) => path) };
  if (TALKS.test(tool)) return { commands: [], paths: [] };
  const name = tool.replace(/^.*__/s, '');
  const reads = READS.test(name) && !WRITES.test(name);
  const started = programLine(args);
  return {
    commands: [
      ...(RUNS.test(tool) || (commandText(args) !== null && typeof args !== 'string') ? textOf(args) : []),
      ...(started === null ? [] : [started]),
      ...(reads ? [] : nestedCommands(args)),
      ...gitLine(name, args),
      ...(TELLS.test(name) ? [] : takenBy(name, args)),
    ],
    paths: reads
      ? []
      : [
          ...new Set([
            ...pathsOf(args, null, null),
            ...(TELLS.test(name) ? [] : [...valuesOf(args), ...joinedPaths(args)]),
            ...patchedPaths(name, args),
          ]),
        ],
  };
}

/** A program and its words in two members are one command. */
function programLine(args: Json): string | null {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return null;
  const members = Object.entries(args as JsonObject);
  const program = members.find(([key, value]) => PROGRAM.test(key) && typeof value === 'string')?.[1];
  const words = members.find(([key]) => WORDS.test(key))?.[1];
  if (typeof program !== 'string') return null;
  if (typeof words === 'string') return `${program} ${words}`;
  if (!Array.isArray(words)) return null;
  return [program, commandText({ command: words })].join(' ');
}

/** What a tool that removes or moves does, as the command that does the same: a folder goes with all that it holds. */
function takenBy(name: string, args: Json): string[] {
  const moves = MOVES.test(name);
  if ((!moves && !REMOVES.test(name)) || typeof args !== 'object' || args === null) return [];
  const members = Object.entries(args as JsonObject).slice(0, MOST_VALUES);
  // Where there is a target, it comes last, as `mv` has it.
  const ordered = moves
    ? [...members.filter(([key]) => !TARGET.test(key)), ...members.filter(([key]) => TARGET.test(key))]
    : members;
  // An address of the web may be `/`; nobody means to remove the whole disk.
  const paths = ordered.flatMap(([, value]) => valuesOf(value)).filter((path) => !/^\/*$/.test(path));
  if (paths.length === 0) return [];
  const program = moves && paths.length > 1 ? ['mv'] : ['rm', '-r'];
  return [commandText({ command: [...program, '--', ...paths] }) ?? ''];
}

/** Every text that may be a path: a member may be called anything. */
function valuesOf(args: Json, depth = 0): string[] {
  if (typeof args === 'string') return args.length <= LONGEST_PATH && !/\s/.test(args) ? [args] : [];
  if (typeof args !== 'object' || args === null || depth > 2) return [];
  return Object.values(args as JsonObject)
    .slice(0, MOST_VALUES)
    .flatMap((value) => valuesOf(value, depth + 1))
    .slice(0, MOST_VALUES);
}

/** The command, wherever it stands: hosts and servers name the member as they like. */
function textOf(args: Json): string[] {
  const named = commandText(args);
  if (named !== null) return [named];
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return [];
  return (
    Object.values(args as JsonObject)
      .flatMap((value) =>
        Array.isArray(value) ? [value.filter((each) => typeof each === 'string').join(' ')] : [value],
      )
      .filter((value) => typeof value === 'string')
      // What is that long beside a path is what the file is to hold.
      .filter((value) => value.length <= LONGEST || pathsOf(args, null, null).length === 0)
  );
}

/** What is told of a refusal: to the model, without a word on how to get around it, and to the person. */
export function refusalOf(act: string): { readonly reason: string; readonly person: string } {
  return {
    reason: `Counterfoil refuses this call: it would ${act}. An agent may not do that. The attempt is on record. Continue without it, or tell the person you work for why it is needed.`,
    person: `Counterfoil refused a call by the agent that would ${act}. If you want that, do it yourself in your own terminal.`,
  };
}
