// The shell's own commands, as far as they decide where the line goes on, in which directory, and with which options.
import type { Command } from 'unbash';
import { clip, MAX_WORDS, UNNAMED } from './facts.ts';
import { resolvePath } from './places.ts';
import { shadowingAssignment } from './shadows.ts';
import { ALL, assign, type Bits, MAX_GIVEN, type Result, type State, settle } from './shell-state.ts';
import { comparison, type Frame, noteWrite, sinkTo, statusBits, textOf, type Walk } from './walk.ts';
import { referenceIn } from './words.ts';
import { writtenBy } from './written-files.ts';

/** Null where it is no command of the shell; `text` where its words are only text. */
export function builtin(
  walk: Walk,
  node: Command,
  words: readonly string[],
  state: State,
  at: Frame,
  inner: Result | null,
): { result: Result; text: boolean } | null {
  const [name = '', ...args] = words;
  const plain = (result: Result, text = false) => ({ result, text });
  const both: Result = settle({ zero: state, fail: state });
  switch (name) {
    case ':':
    case 'true':
      return plain(settle({ zero: state, fail: null }), true);
    case 'false':
      return plain(settle({ zero: null, fail: state }), true);
    case 'echo':
    case 'printf':
      return plain(settle({ zero: state, fail: state }), true);
    case 'cd':
    case 'pushd': {
      const path = args.find((arg) => !/^-[LPe@]+$|^--$/.test(arg));
      // With CDPATH a name may lead anywhere.
      const sought = node.prefix.some((item) => item.type === 'Assignment' && item.name === 'CDPATH');
      const led = (sought || state.variables.has('CDPATH')) && !/^\.{0,2}\//.test(path ?? '');
      const cwd = led ? null : placeOf(throughLoop(walk, path), state);
      const moved = assign({ ...state, cwd }, 'OLDPWD', { zero: 0, text: state.cwd });
      return plain(settle({ zero: moved, fail: moved }));
    }
    case 'popd':
      return plain(settle({ zero: { ...state, cwd: null }, fail: { ...state, cwd: null } }));
    case 'set':
      return plain(settle({ zero: withGiven(options(state, args), args), fail: null }));
    case 'shift': {
      const given = state.given?.slice(/^\d+$/.test(args[0] ?? '') ? Number(args[0]) : 1) ?? null;
      return plain(settle({ zero: { ...state, given }, fail: state }));
    }
    case 'exit':
    case 'return': {
      walk.lastExit = textOf(walk, node);
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
      trap(walk, args, state);
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
      return plain(both);
    case 'export':
    case 'declare':
    case 'typeset':
    case 'local':
    case 'readonly':
      if (name === 'export' || args.some((arg) => /^-[a-zA-Z]*x/.test(arg)))
        for (const arg of args.slice(0, MAX_WORDS)) walk.exports.add(arg.replace(/=.*$/s, ''));
      return plain(settle({ zero: exported(walk, args, state), fail: null }));
    case 'unset':
      return plain(settle({ zero: state, fail: null }));
    case 'wait': {
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
    default:
      return null;
  }
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

function options(state: State, args: readonly string[]): State {
  let { errexit, pipefail } = state;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--') break;
    const on = arg.startsWith('-');
    if (!on && !arg.startsWith('+')) continue;
    if (/e/.test(arg.slice(1)) && !arg.startsWith('--')) errexit = on;
    if (arg.endsWith('o')) {
      const name = args[++at];
      if (name === 'pipefail') pipefail = on;
      if (name === 'errexit') errexit = on;
    }
  }
  return { ...state, errexit, pipefail };
}

/** A trap at the end that exits by itself has the last word; one that cleans up has not. */
function trap(walk: Walk, args: readonly string[], state: State): void {
  const [action = '', ...signals] = args.filter((arg) => arg !== '--');
  if (!signals.some((signal) => /^(?:EXIT|0|ERR|DEBUG|RETURN|SIGEXIT|exit)$/.test(signal))) return;
  if (action === '-' || action === '') return;
  // What it writes is written after everything.
  for (const words of action.split(/[;&|\n]+/, 32).map((part) => part.trim().split(/\s+/))) {
    const effects = walk.functions.has(words[0] ?? '') ? [UNNAMED] : writtenBy(words);
    for (const effect of effects) noteWrite(walk, effect, state.cwd, Number.MAX_SAFE_INTEGER);
  }
  if (/\bexit\b(?!\s*["']?\$)/.test(action) || /\bexec\b|\breturn\b/.test(action))
    walk.trap ??= clip(`'${action}' ${signals.join(' ')}`, 100);
}

function exported(walk: Walk, args: readonly string[], state: State): State {
  let next = state;
  for (const arg of args) {
    const equals = arg.indexOf('=');
    if (equals <= 0) continue;
    const [name, value] = [arg.slice(0, equals), arg.slice(equals + 1)];
    walk.shadows.all ??= shadowingAssignment(name, value);
    next = assign(next, name, { zero: 0, text: /[$`*?]/.test(value) ? null : clip(value, 4096) });
  }
  return next;
}
