// What a line for a shell needs, before it runs: a program for each simple command, files for the operands of well-known
// commands and for redirections. The line is hostile. What can't be read needs leave to run anything, and so does every
// program that runs what it is told.
import {
  type Command,
  type For,
  forEachChild,
  parse,
  type Redirect,
  type SyntaxNode,
  type Word,
} from 'unbash';
import { FILE_COMMANDS } from './file-commands.ts';
import { fileOperands, isFolder, takesAlike } from './file-operands.ts';
import { absolute, resolved } from './files.ts';
import { type CallNeeds, FoundNeeds, type LineReading, type ShellPlace } from './found-needs.ts';
import { shapeOf } from './line-shape.ts';
import { doubtOf, noteTrick, ODD } from './line-tricks.ts';
import { programNeed } from './need.ts';
import { isOddLine } from './odd-words.ts';
import { endsElsewhere } from './old-bash.ts';
import { oddityOf } from './plain-line.ts';
import {
  asksVersion,
  HARMLESS,
  isInterpreter,
  isPlainComparison,
  isPlainOption,
  isPlainPrint,
  isWrapper,
  ownWords,
} from './programs.ts';
import { isGlued, whyTooLong } from './raw-line.ts';
import { choicesOf, countedBy, type StaticWord, textOf } from './static-words.ts';
import { TooMuch } from './steps.ts';
import { type Folders, isWrittenFreely, listed, touch } from './touched-files.ts';

const MOST_FOLDERS = 16;
/** Commands and expansions that give variables a value which is not seen. */
const SETS_VARIABLES =
  /\b(?:read|getopts|declare|typeset|local|export|readonly|unset|let|mapfile|readarray|eval|source|coproc|select|trap|wait|printf\s+-v)\b|\(\(|\$\[|\$\{!|(?:^|[\s;&|(])\.\s/;
/** `[ -n "$A" ]`, `[ "$A" = b ]`: whatever is in quotes, these run nothing. */
const PLAIN_TEST =
  /^(?:exit|return) "?\$\?"?$|^wait "?\$!"?$|^(?:test|\[)(?: !)?(?: -[a-suw-zA-QS-Z])? "\S*"(?: \])?$|^(?:test|\[) "?\$[?#]"? -[egln][eqt] \d+(?: \])?$|^(?:test|\[) "\S*" (?:!?=|==) (?:"\S*"|[\w./-]+)(?: \])?$/;
/** Words of the shell by which it ends something, or does nothing. No program is started. */
const STARTS_NOTHING = /^(?:break|continue|return|exit|:|true|false)$/;
/** They run a text later, or in a way that the folder is not followed. */
const RUNS_TEXT = /^(?:eval|trap)$/;
const FINDS = 'what its wildcards find is known only at run time';
const NETWORK_FILE = /^\/dev\/(?:tcp|udp)\//;

const OF_SYSTEM = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$|^\/opt\/homebrew\/bin\//;

/** Where the shell may be behind a command that did what it should, and behind one that did not. */
interface Ends {
  readonly ok: Folders;
  readonly fail: Folders;
}

export function shellNeeds(line: string, place: ShellPlace): CallNeeds {
  return found(line, place).all();
}

export function readLine(line: string, place: ShellPlace): LineReading {
  return found(line, place, true).reading();
}

function found(line: string, place: ShellPlace, keeps = false): FoundNeeds {
  const found = new FoundNeeds(place, keeps);
  try {
    readInto(found, line);
  } catch (error) {
    // It is nested deeper than the stack is.
    if (!(error instanceof TooMuch || error instanceof RangeError)) throw error;
    found.lose('it takes too long to be read');
  }
  return found;
}

function readInto(found: FoundNeeds, line: string): void {
  const tooLong = whyTooLong(line);
  const script = tooLong === null ? parse(line) : null;
  if (script === null || (script.errors ?? []).length > 0) {
    found.lose(tooLong ?? 'its syntax is not understood');
    return;
  }
  found.line = `${line.replaceAll('\\\n', '')}\n${line}`;
  found.shape = shapeOf(script);
  const oddity = found.place.readsChoices === true ? null : oddityOf(line, script);
  if (oddity !== null) found.lose(`it has ${oddity}`);
  if (isOddLine(found.line) || isGlued(line, script) || endsElsewhere(line, script, found.steps))
    found.lose(ODD);
  run(found, script, new Set([found.place.cwd]));
  found.end();
}

function run(found: FoundNeeds, node: SyntaxNode, at: Folders): Ends {
  if (found.isFull) return same(at);
  found.steps.take();
  switch (node.type) {
    case 'Command':
      return simpleCommand(found, node, at);
    case 'Script':
    case 'CompoundList':
      // The parser reports an error in `$(…)` only there, and leaves out the rest of that text.
      if (node.type === 'Script' && (node.errors ?? []).length > 0)
        found.lose('its syntax is not understood');
      return sequence(found, node.commands, at);
    case 'Statement': {
      const ends = run(found, node.command, at);
      if (node.background !== true) return ends;
      // Some shells run only the last command of `cd a && b &` in the background.
      return node.command.type === 'AndOr'
        ? same(either(found, at, either(found, ends.ok, ends.fail)))
        : same(at);
    }
    case 'AndOr': {
      let ends = run(found, node.commands[0] as SyntaxNode, at);
      for (const [i, operator] of node.operators.entries()) {
        const isAnd = operator === '&&';
        const next = run(found, node.commands[i + 1] as SyntaxNode, isAnd ? ends.ok : ends.fail);
        ends = isAnd
          ? { ok: next.ok, fail: either(found, ends.fail, next.fail) }
          : { ok: either(found, ends.ok, next.ok), fail: next.fail };
      }
      return ends;
    }
    case 'Pipeline': {
      const [only] = node.commands;
      if (node.commands.length === 1 && only !== undefined) {
        const { ok, fail } = run(found, only, at);
        if (node.prefixes.length > 1) found.lose(ODD);
        return node.prefixes.some(({ type }) => type === 'Negation') ? { ok: fail, fail: ok } : { ok, fail };
      }
      // Each runs beside the others.
      found.effects.acts();
      // Some shells run the last one themselves, so that it may change their folder.
      let all = at;
      for (const command of node.commands) {
        const { ok, fail } = run(found, command, at);
        all = either(found, all, either(found, ok, fail));
      }
      return same(all);
    }
    case 'BraceGroup':
      return run(found, node.body, at);
    case 'Subshell':
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
      children(found, node, at);
      return same(at);
    case 'Redirect':
      redirection(found, node, at);
      return children(found, node, at);
    case 'While':
    case 'ArithmeticFor':
    case 'Function':
    case 'Select':
      noteTrick(found, node);
      return loop(found, node, at);
    case 'For':
      noteTrick(found, node);
      return loopOver(found, node, at);
    default:
      noteTrick(found, node);
      return children(found, node, at);
  }
}

const same = (at: Folders): Ends => ({ ok: at, fail: at });

function either(found: FoundNeeds, one: Folders, other: Folders): Folders {
  const all = new Set([...one, ...other]);
  if (all.size <= MOST_FOLDERS) return all;
  found.lose('it may be in too many folders', 'files');
  return one;
}

function sequence(found: FoundNeeds, commands: readonly SyntaxNode[], at: Folders): Ends {
  let ends = same(at);
  for (const command of commands) ends = run(found, command, either(found, ends.ok, ends.fail));
  return ends;
}

/** Any of them may have been the last. */
function children(found: FoundNeeds, node: SyntaxNode, at: Folders): Ends {
  let all = at;
  forEachChild(node, (child) => {
    const { ok, fail } = run(found, child, all);
    all = either(found, all, either(found, ok, fail));
  });
  return same(all);
}

/** Again, until it leads to no further folder; also of a line that is lost: whoever asks for its commands wants them all. */
function loop(found: FoundNeeds, node: SyntaxNode, at: Folders): Ends {
  let all = at;
  for (let size = -1; size !== all.size; ) {
    size = all.size;
    all = children(found, node, all).ok;
  }
  return same(all);
}

/** Once for each of its words, where these are known. */
function loopOver(found: FoundNeeds, node: For, at: Folders): Ends {
  const name = node.name.text;
  const words = (node.wordlist ?? []).flatMap((word) =>
    found.shape.hasFunction ? found.word(word) : (countedBy(word) ?? found.word(word)),
  );
  if (found.mayFind(node.wordlist ?? [])) found.lose(FINDS, 'files');
  // They stand for what is in the folder now, and not for what is in the one that it goes to.
  if (found.shape.goes && words.some((word) => word !== null && 'glob' in word))
    found.lose('it goes on to another folder with what wildcards find in this one', 'files');
  // What prints the variable tells the names that wildcards find.
  listed(found, words, at);
  if (words.length === 0 || !isSetOnce(name, found)) return loop(found, node, at);
  let all = at;
  for (const word of words) {
    const isKnown = found.mayLoop();
    found.loops.set(name, isKnown ? word : null);
    all = either(found, all, loop(found, node, all).ok);
    if (!isKnown) break;
  }
  found.loops.delete(name);
  return same(all);
}

/** Nothing else in the line can give the variable a value. */
function isSetOnce(name: string, { line, shape }: FoundNeeds): boolean {
  if (shape.loops !== 1 || !/^[a-z][a-z0-9_]*$/.test(name) || SETS_VARIABLES.test(line)) return false;
  // `${x:=y}`
  if (line.lastIndexOf('}') > line.indexOf('=') && line.includes('=')) return false;
  return !new RegExp(`(?:^|[^\\w$-])${name}(?:\\+?=|\\[)`).test(line);
}

function simpleCommand(found: FoundNeeds, node: Command, at: Folders): Ends {
  noteTrick(found, node);
  children(found, node, at);
  if (node.name === undefined) return same(at);
  // An assignment among the words has lost the line already.
  const takesAny = found.place.readsChoices === true && takesAlike(node.name.text);
  const args = node.args.flatMap((arg) => {
    if (arg.type !== 'Word') return [];
    return (takesAny ? choicesOf(arg) : null) ?? [found.word(arg)];
  });
  const words = node.args.filter((arg): arg is Word => arg.type === 'Word');
  if ((found.shape.hasFunction || printsWords(node.name.value)) && found.mayFind(words))
    found.lose(FINDS, 'files');
  return program(found, [found.word(node.name), ...args], at, {
    isPlain: isPlainTest(node),
    isOfShell: true,
  });
}

/** It prints its words, or starts a program that may. What other programs do with theirs is ambient. */
function printsWords(written: string): boolean {
  const name = written.slice(written.lastIndexOf('/') + 1);
  return HARMLESS.has(name) || isWrapper(name) || FILE_COMMANDS.get(name)?.operands === 'none';
}

function isPlainTest({ name, args }: Command): boolean {
  const texts = args.map((arg) => (arg.type === 'Word' && (arg.parts?.length ?? 0) <= 1 ? arg.text : '?'));
  // `"$@"` is several words.
  return PLAIN_TEST.test([name?.text, ...texts].join(' ')) && !texts.some((text) => text.includes('@'));
}

function program(
  found: FoundNeeds,
  [first = null, ...args]: readonly (StaticWord | null)[],
  at: Folders,
  { isPlain = false, isOfShell = false } = {},
): Ends {
  const written = textOf(first);
  // `time -o FILE` is a program's option to some shells, and a program's name to others.
  if (written === null || written === '' || written.startsWith('-')) {
    found.lose('the name of a program is known only at run time');
    return same(at);
  }
  found.steps.take(args.length);
  found.command([first, ...args], at);
  const names = new Set<string>();
  if (!isWrapper(written) && !HARMLESS.has(written) && written !== 'cd') found.effects.acts();
  for (const cwd of at) {
    found.effects.runsIn(cwd);
    if (written.includes('/')) found.effects.passes(written, cwd, found.place.view);
    const path = written.includes('/') ? resolved(written, cwd, found.place.view) : written;
    // No grant can be written for `[`, which is `test` by another name.
    if (!(isOfShell && STARTS_NOTHING.test(written))) found.need(programNeed(path === '[' ? 'test' : path));
    // A script of that name may do anything.
    if (written.includes('/') && !OF_SYSTEM.test(path)) found.actsAlone(written);
    for (const each of [written, path]) names.add(each.slice(each.lastIndexOf('/') + 1));
  }
  for (const name of names) {
    if (/^(?:cd|chdir|pushd|popd)$/.test(written)) return changeFolder(found, name, args, at);
    if (RUNS_TEXT.test(name) && found.shape.goes)
      found.lose(`what ${name} runs may be in another folder`, 'files');
    if (isWrapper(name)) return wrapped(found, name, args, at);
    const texts = args.map(textOf);
    if (isInterpreter(name)) {
      if (!asksVersion(name, texts)) found.lose(`${name} runs what it is told`, 'told');
    } else if (!isPlain && !isPlainPrint(name, texts) && !texts.every((text) => isPlainOption(name, text)))
      found.lose(`an option of ${name} may run a text, or read a file`);
    else if (!isPlain && !isPlainComparison(name, texts)) found.lose(`${name} may calculate with a variable`);
    else if (!fileOperands(found, name, args, at)) {
      if (!HARMLESS.has(name)) found.actsAlone(name);
      listed(found, args, at);
    }
  }
  return same(at);
}

function changeFolder(
  found: FoundNeeds,
  name: string,
  args: readonly (StaticWord | null)[],
  at: Folders,
): Ends {
  const { home, view } = found.place;
  const target = args.length === 0 ? home : textOf(args[0] ?? null);
  if (name !== 'cd' || args.length > 1 || target === null || /^[-+]/.test(target)) {
    found.lose('the folder that it goes to is known only at run time', 'files');
    return same(at);
  }
  const reached = new Set<string>();
  for (const cwd of at) {
    // `..` behind a link leads back by the name that the shell was given, or above what the link leads to.
    const named = absolute(target, cwd);
    const led = resolved(target, cwd, view);
    reached.add(named);
    found.effects.passes(target, cwd, view);
    if (view.real(named) !== led) reached.add(led);
  }
  return { ok: reached, fail: at };
}

function wrapped(found: FoundNeeds, name: string, args: readonly (StaticWord | null)[], at: Folders): Ends {
  const texts = args.map(textOf);
  // `command -v node` only tells where it is.
  if (name === 'command' && /^-[vV]$/.test(texts[0] ?? '')) {
    listed(found, args, at);
    return same(at);
  }
  const own = ownWords(name, texts);
  if (own !== null) {
    // Whether `command cd` or `builtin cd` takes the shell along depends on which one it is.
    const { ok } = program(found, args.slice(own), at);
    return same(either(found, ok, at));
  }
  if (args.length > 0) found.lose(`it is unknown what ${name} starts`, 'told');
  return same(at);
}

function redirection(found: FoundNeeds, { operator, target, descriptor }: Redirect, at: Folders): void {
  const given = target === undefined ? null : found.word(target);
  const text = textOf(given);
  const word = text === '-' ? { text: './-' } : given;
  if (descriptor?.type === 'FileDescriptorVariable')
    found.lose(`it sets ${descriptor.name}`, doubtOf(descriptor.name));
  // Some shells allow only one digit, and read `10` as a word.
  else if (descriptor !== undefined && descriptor.value > 9) found.lose(ODD);
  if (text === null) found.lose('the target of a redirection is known only at run time', 'files');
  else if (isOddTarget(operator, text)) found.lose(ODD);
  else if (NETWORK_FILE.test(text)) found.lose('a redirection opens a connection', 'files');
  else if (!operator.endsWith('&') || !/^(?:\d+|-)$/.test(text)) {
    if (text !== '/dev/null') found.effects.acts();
    if (operator.startsWith('<')) {
      touch(found, 'read', word, at, 'itself');
      if (isFolder(found, word, at)) found.lose('its standard input is a folder', 'variable');
    }
    // A shell without `&>` reads `cd a &> b` as `cd a &` and `> b`.
    if (operator.startsWith('&') && found.shape.goes) found.lose(ODD, 'files');
    if (operator !== '<' && !isWrittenFreely(found, text)) touch(found, 'write', word, at, 'itself');
  }
}

/** `>! x` and `>&2-` write to files in zsh, and `>&p` to a coprocess. */
function isOddTarget(operator: string, text: string): boolean {
  return text.startsWith('!') || (operator.endsWith('&') && /^(?:\d+-|p)$/.test(text));
}
