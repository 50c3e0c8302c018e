// The shell's own commands, as far as they decide where the line goes on, in which directory, and with which options.
import type { Assignment, Command, Word } from 'unbash';
import { clip, MAX_WORDS } from './facts.ts';
import { resolvePath } from './places.ts';
import { shadowingAssignment } from './shadows.ts';
import {
  ALL,
  assign,
  type Bits,
  calculated,
  define,
  either,
  forget,
  MAX_GIVEN,
  type Result,
  type State,
  settle,
  without,
} from './shell-state.ts';
import { comparison, type Frame, sinkTo, statusBits, type Walk } from './walk.ts';
import { type Lookup, referenceIn, wordValue } from './words.ts';

/** What this file knows of the shell's own commands; those behind the bar may write to any variable. */
const BUILTINS =
  ' : true false echo printf cd pushd popd set shift exit return break continue trap alias unalias hash enable export declare typeset local readonly unset wait test [ shopt | read mapfile readarray getopts let compgen complete compopt bind fc history print vared zparseopts float integer ';

export const isBuiltin = (name: string): boolean => BUILTINS.includes(` ${name} `);

/** Null where it is no command of the shell; `text` where its words are only text. */
export function builtin(
  walk: Walk,
  node: Command,
  words: readonly string[],
  state: State,
  at: Frame,
  inner: Result | null,
  look: Lookup,
): { result: Result; text: boolean } | null {
  const [name = '', ...args] = words;
  const plain = (result: Result, text = false) => ({ result, text });
  const both = either(state);
  switch (name) {
    case ':':
    case 'true':
      return plain(settle({ zero: state, fail: null }), true);
    case 'false':
      return plain(settle({ zero: null, fail: state }), true);
    case 'echo':
    case 'printf': {
      const isStored = name === 'printf' && /^-v/.test(args[0] ?? '');
      const after = isStored ? written(walk, state, args.slice(0, 2)) : state;
      return plain(either(after), true);
    }
    case 'cd':
    case 'pushd': {
      const path = args.find((arg) => !/^-[LPe@]+$|^--$/.test(arg));
      // With CDPATH a name may lead anywhere.
      const sought = node.prefix.some((item) => item.type === 'Assignment' && item.name === 'CDPATH');
      const led = (sought || state.variables.has('CDPATH')) && !/^\.{0,2}\//.test(path ?? '');
      const cwd = led ? null : placeOf(throughLoop(walk, path), state);
      const moved = assign({ ...state, cwd }, 'OLDPWD', { zero: 0, text: state.cwd });
      return plain(either(moved));
    }
    case 'popd':
      return plain(either({ ...state, cwd: null }));
    case 'set':
      return plain(settle({ zero: withGiven(options(walk, state, args), args), fail: null }));
    case 'shopt': {
      const sign = args.some((arg) => /^-\w*u/.test(arg)) ? '+o' : '-o';
      const names = args.filter((arg) => !arg.startsWith('-')).flatMap((arg) => [sign, arg]);
      const isSet = args.some((arg) => /^-\w*o/.test(arg)) && args.some((arg) => /^-\w*[su]/.test(arg));
      const after = isSet ? options(walk, state, names) : state;
      return plain(either(after));
    }
    case 'shift': {
      const given = state.given?.slice(/^\d+$/.test(args[0] ?? '') ? Number(args[0]) : 1) ?? null;
      return plain(settle({ zero: { ...state, given }, fail: state }));
    }
    case 'exit':
    case 'return': {
      walk.lastExit = walk.textOf(node);
      const sink = name === 'return' && at.back !== null ? at.back : at.exit;
      sinkTo(sink, ending(node, args[0], state));
      // Outside of a function bash does not return but goes on; other shells end there.
      if (name === 'return' && at.back === null) return plain(settle({ zero: null, fail: state }));
      return plain({ zero: null, fail: null });
    }
    case 'break':
    case 'continue':
      walk.lastExit = name;
      if (at.loop === null) {
        // In a subshell it ends that; outside of all loops it does nothing.
        sinkTo(at.exit, settle({ zero: state, fail: null }));
        return plain(settle({ zero: state, fail: null }));
      }
      sinkTo(at.loop, settle({ zero: state, fail: null }));
      return plain({ zero: null, fail: null });
    case 'trap':
      trap(walk, args);
      return plain(settle({ zero: state, fail: null }));
    case 'alias':
      for (const arg of args) {
        const equals = arg.indexOf('=');
        if (equals > 0) walk.shadows.names.set(arg.slice(0, equals), `alias ${arg}`);
      }
      return plain(both);
    case 'unalias':
      return plain(both);
    case 'hash': {
      const place = args.indexOf('-p');
      if (place >= 0)
        for (const runner of args.slice(place + 2))
          walk.shadows.names.set(runner, `hash -p ${args[place + 1]} ${runner}`);
      return plain(both);
    }
    case 'enable':
      for (const arg of args) if (!arg.startsWith('-')) walk.shadows.names.set(arg, `enable ${arg}`);
      return plain(both);
    case 'export':
    case 'declare':
    case 'typeset':
    case 'local':
    case 'readonly':
      if (name === 'export' || args.some((arg) => /^-[a-zA-Z]*x/.test(arg)))
        for (const arg of args.slice(0, MAX_WORDS)) walk.exports.add(arg.replace(/=.*$/s, ''));
      return plain(settle({ zero: declared(walk, node, words, state, at, look), fail: null }));
    case 'unset': {
      let after = written(walk, state, args);
      for (const arg of args) if (state.functions.has(arg)) after = define(after, arg, null) ?? after;
      return plain(settle({ zero: after, fail: null }));
    }
    case 'wait': {
      if (args.some((arg) => arg.startsWith('-'))) return plain(either(forget(state, null)));
      const id = node.args[0];
      const named = id?.type === 'Word' ? referenceIn(id) : null;
      const bits = named === null ? null : statusBits(named, state);
      if (bits === null) return plain(args.length === 0 ? settle({ zero: state, fail: null }) : both);
      return plain(
        settle({ zero: bits === ALL ? null : { ...state, known: state.known | bits }, fail: state }),
      );
    }
    case 'test':
    case '[': {
      const [left, operator, right] = node.args;
      const simple = node.args.length === (name === '[' ? 4 : 3);
      if (simple && left?.type === 'Word' && right?.type === 'Word' && operator?.type === 'Word') {
        return plain(comparison(left, operator.value, right, state) ?? both);
      }
      // `test -z "$(gofmt -l .)"`: no output is what such a check says when all is well.
      if (node.args[0]?.type === 'Word' && node.args[0].value === '-z' && inner?.zero) {
        const listed = listing(walk, inner.zero.known);
        return plain(settle({ zero: { ...state, known: state.known | listed }, fail: state }));
      }
      return plain(both);
    }
    default: {
      if (!isBuiltin(name)) return null;
      const isNamed = /^(?:read|mapfile|readarray)$/.test(name) && !args.some((arg) => arg.startsWith('-C'));
      const after = isNamed ? written(walk, state, args) : forget(state, args.join(' '));
      return plain(either(after));
    }
  }
}

/** A command writes to the variables that its words name, where these are names and nothing else. */
function written(walk: Walk, state: State, args: readonly string[]): State {
  const isPlain = args.every((arg) => /^[-\w]*$/.test(arg) && !walk.odd.has(arg));
  return isPlain ? without(state, args) : forget(state, args.join(' '));
}

/** Longer ones no system takes. */
const LONGEST_PATH = 4096;

/** Where `cd` leads: home without a word or by `~`, where that is known, and back by `-`. */
function placeOf(path: string | undefined, { cwd, variables }: State): string | null {
  if (path === '-') return variables.get('OLDPWD')?.text ?? null;
  const home = variables.get('HOME')?.text ?? null;
  if (path === undefined) return home;
  const text = home === null ? path : path.replace(/^~(?=\/|$)/, home);
  const place = resolvePath(text, cwd);
  return place !== null && place.length > LONGEST_PATH ? null : place;
}

/** `cd "$d"` in a loop over `packages/*`: some folder of those, unless a word could lead elsewhere. */
function throughLoop({ guesses, loops }: Walk, path: string | undefined): string | undefined {
  const name = /^\$\{?(\w+)\}?\/?$/.exec(path ?? '')?.[1];
  const words = (guesses && name !== undefined ? loops.get(name) : undefined) ?? [];
  const isBelow = (word: string): boolean =>
    /^(?:\.\/)?[\w*?-][\w*?./-]*$/.test(word) && !word.includes('..');
  const depths = new Set(words.map((word) => word.replace(/^\.\/|\/+$/g, '').split('/').length));
  if (words.length === 0 || !words.every(isBelow) || depths.size !== 1) return path;
  return words.length === 1 ? words[0] : Array.from({ length: [...depths][0] ?? 1 }, () => '*').join('/');
}

/** Of these checks, those that tell by what they list. */
function listing(walk: Walk, bits: Bits): Bits {
  let listed = 0;
  for (const [bit, { check }] of walk.seen.entries()) {
    if (bit < 31 && (bits & (1 << bit)) !== 0 && (check.kind === 'format' || check.kind === 'lint'))
      listed |= 1 << bit;
  }
  return listed;
}

/** With `exit $rc` the line ends as the command whose code that is. */
function ending(node: Command, word: string | undefined, state: State): Result {
  const arg = node.args[0];
  const name = word === undefined ? '?' : arg?.type === 'Word' ? referenceIn(arg) : null;
  if (name !== null) {
    const bits: Bits = statusBits(name, state) ?? 0;
    return { zero: bits === ALL ? null : { ...state, known: state.known | bits }, fail: state };
  }
  if (word !== undefined && /^\d+$/.test(word))
    return Number(word) % 256 === 0 ? { zero: state, fail: null } : { zero: null, fail: state };
  return { zero: state, fail: state };
}

/** `set -- a b`, `set a b`: the words that `$1` and `$@` stand for from now on. */
function withGiven(state: State, args: readonly string[]): State {
  const dashes = args.indexOf('--');
  const first = args.findIndex(
    (arg, at) => !/^[-+]/.test(arg) && !/^[-+][a-zA-Z]*o$/.test(args[at - 1] ?? ''),
  );
  if (dashes < 0 && first < 0) return state;
  return { ...state, given: args.slice(dashes < 0 ? first : dashes + 1).slice(0, MAX_GIVEN) };
}

/** Options that change nothing about what is run and in which order, by letter and by name. */
const KNOWN_OPTIONS =
  /^(?:[abefhmuvxBCEHPT]*|allexport|braceexpand|emacs|err(?:exit|trace)|functrace|hashall|histexpand|history|monitor|noclobber|noglob|notify|nounset|physical|pipefail|verbose|vi|xtrace)$/;

function options(walk: Walk, state: State, args: readonly string[]): State {
  let { errexit, pipefail } = state;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (/^--?$/.test(arg)) break;
    const on = arg.startsWith('-');
    if (!on && !arg.startsWith('+')) break;
    const letters = arg.slice(1).replaceAll('o', '');
    const name = arg.includes('o') ? (args[++at] ?? '') : '';
    if (letters.includes('e') || name === 'errexit') errexit = on;
    if (name === 'pipefail') pipefail = on;
    if (!KNOWN_OPTIONS.test(letters) || !KNOWN_OPTIONS.test(name))
      walk.unclear ??= clip(`set ${arg} ${name}`, 100);
  }
  return { ...state, errexit, pipefail };
}

/** What a trap does is looked at when the shell ends: its functions may be written later. */
function trap(walk: Walk, args: readonly string[]): void {
  const [action = '', ...signals] = args.filter((arg) => !/^-[lp-]$/.test(arg));
  if (action === '-' || action === '' || signals.length === 0) return;
  // It runs before every command, and can keep it from being run.
  if (signals.includes('DEBUG')) walk.unclear ??= clip(`trap '${action}' DEBUG`, 100);
  for (const signal of signals)
    if (!walk.traps.some((other) => other.action === action && other.signals === signal))
      walk.traps.push({ action, signals: signal });
}

/** Variables of the shell itself: they hold something else than what is assigned to them. */
const ITS_OWN =
  /^(?:_|BASH\w*|COMP_\w+|DIRSTACK|EPOCH\w+|E?UID|FUNCNAME|GROUPS|HISTCMD|LINENO|OPTIND|PPID|S?RANDOM|SECONDS)$/;
/** What is a number whoever gave it. */
const NUMBER =
  /^"?\$(?:[?!#]|\?|SECONDS|\{(?:PIPESTATUS\[\d\]|#\w+(?:\[[@*]\])?)\}|\(date \+%s(?:%N)?\)|\(\(.*\)\))"?$/;

/** `rc=$?` and the like, alone or behind `export`. */
export function assigned(walk: Walk, item: Assignment, before: State, look: Lookup): State {
  const { name, value, index, append } = item;
  const state = index === undefined ? before : calculated(before, index.text);
  if (walk.odd.has(name)) return forget(state, null);
  if (value.type !== 'Word') {
    // An array: each of its words, for whoever asks what they could be.
    walk.loops.set(
      name,
      value.elements.slice(0, MAX_WORDS).map((word) => wordValue(word, look)),
    );
    return assign(state, name, { zero: 0, text: null });
  }
  const text = wordValue(value, look);
  walk.shadows.all ??= shadowingAssignment(name, text);
  const isKnown = !/[$`*?]/.test(text) && append !== true && index === undefined;
  // Words are split at these, exit codes too; and what stands in the other is worked out at every command.
  if ((name === 'IFS' && (!isKnown || /\d/.test(text))) || (name === 'PS4' && !isKnown))
    walk.unclear ??= clip(item.text, 100);
  const plain = { text: isKnown ? clip(text, 4096) : null, isNumber: NUMBER.test(value.text) };
  const zero = ITS_OWN.test(name) || append === true ? 0 : statusOf(value, text, state);
  return assign(state, name, { ...plain, zero: index === undefined ? zero : 0 });
}

function statusOf(word: Word, text: string, state: State): Bits {
  const name = referenceIn(word);
  if (name !== null) return statusBits(name, state) ?? 0;
  // 256 is 0 again.
  return /^[1-9]\d{0,2}$/.test(text) && Number(text) < 256 ? ALL : 0;
}

/** `export`, `local`, `declare` …: what they set, and with which attributes. */
function declared(
  walk: Walk,
  node: Command,
  [name = '', ...args]: readonly string[],
  before: State,
  at: Frame,
  look: Lookup,
): State {
  const flags = args.filter((arg) => /^[-+]/.test(arg)).join('');
  const isOdd = name === 'readonly' || /[ilnrtu]/.test(flags);
  let state = before;
  for (const arg of node.args) {
    const text = arg.type === 'Assignment' ? arg.text : wordValue(arg, look);
    const own = /^\w+/.exec(text)?.[0] ?? '';
    if (own === '') continue;
    if (arg.type === 'Assignment' && !flags.includes('n')) state = assigned(walk, arg, state, look);
    else if (text.includes('=') || name !== 'export') {
      state = forget(state, text);
      const value = text.slice(text.indexOf('=') + 1);
      if (text.startsWith(`${own}=`)) walk.shadows.all ??= shadowingAssignment(own, value);
    }
    if (isOdd) walk.odd.add(own);
    if (name !== 'export' && name !== 'readonly' && !flags.includes('g')) at.locals?.add(own);
  }
  return state;
}
