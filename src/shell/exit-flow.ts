// The shell's flow of control: which commands must have exited 0 if the whole line did. The tree is walked once, with
// what is known on every path (shell-state.ts). Where bash could go either way, the answer is the careful one.
import type * as bash from 'unbash';
import { clip, type View } from './facts.ts';
import { lookup } from './lookup.ts';
import { HARMLESS, programName } from './programs.ts';
import {
  ALL,
  assign,
  type Bits,
  bitsOf,
  calculated,
  define,
  differs,
  eachEnd,
  either,
  entering,
  forget,
  join,
  type Result,
  type State,
  settle,
} from './shell-state.ts';
import { evaluated, simpleCommand, substituted } from './simple-command.ts';
import { inputOf } from './started-programs.ts';
import { compared, comparison, type Frame, frame, newSink, stopOnFailure, type Walk } from './walk.ts';
import { argv, NO_LOOKUP, wordValues } from './words.ts';

/** What is put behind a check only to end with 0; and at the end of a list, to have the last word. */
const IDLE = /^(?:true|:|exit(?: 0)?)$/;
const LAST_WORD = /^(?:true|:|exit(?: 0)?|(?:echo|printf)\b[^$]*)$|\|\| (?:true|:|echo\b.*)$/;

export function list(walk: Walk, statements: readonly bash.Statement[], state: State, at: Frame): Result {
  let result: Result = { zero: state, fail: null };
  const last = statements.at(-1);
  const isSpoken = last !== undefined && LAST_WORD.test(walk.textOf(last));
  for (const [index, statement] of statements.entries()) {
    const before = join(result.zero, result.fail);
    const words = walk.textOf(statement);
    const isSeen = !isSpoken && !IDLE.test(words);
    if (index > 0) walk.lose(bitsOf(result.zero), bitsOf(before), `; ${words}`, 'masked', isSeen);
    if (before === null) {
      walk.unreached(walk.lastExit, () => oneStatement(walk, statement, state, unseen(at)));
      continue;
    }
    result = oneStatement(walk, statement, before, at);
  }
  return result;
}

const quietly = (at: Frame): Frame => ({ ...at, quiet: true });
/** Exits of what is never reached lead nowhere. */
const unseen = ({ given, quiet }: Frame): Frame => frame(given, quiet);

function oneStatement(walk: Walk, statement: bash.Statement, state: State, at: Frame): Result {
  walk.spend();
  if (statement.background !== true) return andOr(walk, statement.command, state, at);
  walk.background = true;
  const { zero } = walk.inSubshell((inner) => andOr(walk, statement.command, state, inner), quietly(at));
  walk.lose(bitsOf(zero), state.known, `${clip(walk.textOf(statement.command), 80)} &`, 'background');
  const after = { ...state, job: bitsOf(zero) };
  return settle({ zero: after, fail: null });
}

/** What says why it failed, if it does. */
const TELLS_WHY = /^(?:cd|pushd|git|mkdir|export)\b[^|]*$/;

function andOr(walk: Walk, node: bash.PipelineNode | bash.AndOr, state: State, at: Frame): Result {
  if (node.type !== 'AndOr') return pipeline(walk, node, state, at);
  const last = node.commands.length - 1;
  let result: Result = { zero: state, fail: null };
  for (const [index, command] of node.commands.entries()) {
    const operator = node.operators[index - 1];
    const inner = index < last ? quietly(at) : at;
    if (operator === undefined) {
      result = pipeline(walk, command, state, inner);
      continue;
    }
    const words = `${operator} ${walk.textOf(command)}`;
    const taken = operator === '&&' ? result.zero : result.fail;
    const passed = operator === '&&' ? result.fail : result.zero;
    const left = node.commands[index - 1];
    const why = `${left === undefined ? '' : walk.textOf(left)} ${operator}`;
    if (taken === null) {
      walk.unreached(why, () => pipeline(walk, command, state, unseen(inner)));
      continue;
    }
    const isTold = node.commands.slice(0, index).every((each) => TELLS_WHY.test(walk.textOf(each)));
    const told = walk.told.length;
    const visit = () => pipeline(walk, command, taken, inner);
    const right = isTold && operator === '&&' ? visit() : walk.perhaps(visit);
    if (operator === '&&') result = { zero: right.zero, fail: join(passed, right.fail) };
    else {
      const zero = join(passed, right.zero);
      walk.lose(bitsOf(passed), bitsOf(zero), words);
      walk.lose(bitsOf(right.zero), bitsOf(zero), why);
      // `|| echo "no answer"`: what it says is not there unless it failed.
      const [alone, ...more] = walk.told.slice(told);
      if (alone !== undefined && more.length === 0 && command.type === 'Command' && walk.doubts === 0)
        alone.absent = bitsOf(passed) === ALL ? 0 : bitsOf(passed) & ~bitsOf(taken);
      result = { zero, fail: right.fail };
    }
  }
  return result;
}

function pipeline(walk: Walk, node: bash.PipelineNode, state: State, at: Frame): Result {
  if (node.type !== 'Pipeline') return commandNode(walk, node, state, at);
  const negated = node.prefixes.filter((prefix) => prefix.type === 'Negation').length % 2 === 1;
  const [only] = node.commands;
  let result: Result;
  if (node.commands.length === 1 && only !== undefined) {
    result = commandNode(walk, only, state, negated ? quietly(at) : at);
  } else {
    result = piped(walk, node, state, at);
    if (!negated) result = stopOnFailure(result, state, at);
  }
  if (!negated) return result;
  const { zero, fail } = result;
  walk.lose(bitsOf(zero), bitsOf(fail), `! ${walk.textOf(only ?? node)}`);
  return settle({ zero: fail, fail: zero });
}

function piped(walk: Walk, node: bash.Pipeline, state: State, at: Frame): Result {
  const ends: Bits[] = [];
  let all: Bits = state.known;
  let variables = state.variables;
  for (const [index, command] of node.commands.entries()) {
    const next = node.commands[index + 1];
    const before = walk.printed;
    walk.printed = [];
    const visit = () => walk.inSubshell((inner) => commandNode(walk, command, state, inner), quietly(at));
    const follows = walk.follows;
    walk.follows = index > 0 && command.type === 'Command';
    const view =
      next === undefined ? [] : viewOf(walk, state, node.commands.slice(index, index + 2 + MOST_VIEWERS));
    const { zero, fail } = walk.apart(visit, view);
    // What is no `cat` does with it what it likes.
    const passes = command.type === 'Command' && command.name?.value === 'cat';
    walk.fed = passes ? [...(index === 0 ? [] : walk.fed), ...walk.printed] : [];
    walk.printed = before;
    walk.follows = follows;
    walk.piped =
      command.type === 'Command' && HARMLESS.includes(` ${programName(command.name?.value ?? ':')} `);
    ends.push(bitsOf(zero));
    // Some shells run the last part themselves.
    variables = join(state, join(zero, fail))?.variables ?? variables;
    all = all === ALL || zero === null ? ALL : all | zero.known;
    if (next !== undefined && !state.pipefail) {
      const words = `${node.operators[index]} ${walk.textOf(next)}`;
      walk.lose(bitsOf(zero), state.known, words, 'masked', true);
    }
  }
  walk.fed = [];
  walk.piped = false;
  const bits = state.pipefail ? all : (ends.at(-1) ?? 0);
  const after = { ...state, variables };
  return settle({ zero: bits === ALL ? null : { ...after, known: state.known | bits }, fail: after }, ends);
}

/** Nobody looks at output through more programs than these, and each check of a line would have to look at all of them. */
const MOST_VIEWERS = 8;

/** Null where the check does not print into the pipe, or a viewer shows something else than what comes through it. */
function viewOf(
  walk: Walk,
  { functions }: State,
  [check, ...viewers]: readonly bash.CommandNode[],
): View | null {
  if (viewers.length > MOST_VIEWERS || check === undefined || walk.isLed(check, '>')) return null;
  const { shadows } = walk;
  const words = viewers.map((node) => (node.type === 'Command' ? argv(node, NO_LOOKUP) : []));
  const isPlain = ([name = '']: readonly string[]): boolean =>
    name !== '' && !functions.has(name) && !shadows.names.has(name) && shadows.all === null;
  return words.every(isPlain) && !viewers.some((node) => walk.isLed(node, '<>')) ? words : null;
}

function commandNode(walk: Walk, node: bash.CommandNode, before: State, at: Frame): Result {
  walk.spend();
  const state = before;
  switch (node.type) {
    case 'Command':
      return stopOnFailure(simpleCommand(walk, node, state, at), state, at);
    case 'Redirected': {
      let state = before;
      for (const redirect of node.redirects)
        if (redirect.type !== 'HereDoc' && redirect.target !== undefined) {
          substituted(walk, redirect.target, state, at);
          state = evaluated(state, redirect.target);
        }
      walk.started.push({
        argv: ['<'],
        cwd: state.cwd,
        env: [],
        input: inputOf(node, lookup(walk, state, at)),
      });
      for (const redirect of node.redirects)
        if (redirect.type === 'Redirect' && redirect.operator.includes('>')) {
          const path = redirect.target?.value ?? '';
          walk.started.push({ argv: ['>', path], cwd: state.cwd, env: [], input: [] });
          if (/^(?:\/dev\/(?!shm\/)|\d|-$|nul:?$)/i.test(path)) continue;
          walk.writes = true;
          walk.noteWrite({ path, op: redirect.operator === '>>' ? 'edit' : 'write' }, state.cwd);
          const inner = node.command;
          if (node.redirects.length === 1)
            return walk.apart(() =>
              walk.copied(path, redirect.operator === '>>', () => commandNode(walk, inner, state, at)),
            );
        }
      const visit = () => commandNode(walk, node.command, state, at);
      return walk.isLed(node, '>') ? walk.apart(visit) : visit();
    }
    case 'BraceGroup':
      return list(walk, node.body.commands, state, at);
    case 'Subshell': {
      const ended = walk.inSubshell((inner) => list(walk, node.body.commands, state, inner), at);
      // Directory, variables and options are as they were.
      return stopOnFailure(settle(eachEnd(ended, ({ known }) => ({ ...state, known }))), state, at);
    }
    case 'If':
      return branches(walk, node, state, at);
    case 'Case':
      return cases(walk, node, state, at);
    case 'While':
      return whileLoop(walk, node, state, at);
    case 'For': {
      const values = (node.wordlist ?? []).flatMap((word) => wordValues(word, lookup(walk, state, at)));
      walk.loops.set(node.name.value, values);
      let before = state;
      for (const word of node.wordlist ?? []) {
        substituted(walk, word, before, at);
        before = evaluated(before, word);
      }
      const isNumber = values.every((value) => /^\d+$/.test(value));
      before = walk.odd.has(node.name.value)
        ? forget(before, null)
        : assign(before, node.name.value, { zero: 0, text: null, isNumber });
      return forLoop(walk, node, node.wordlist, before, at, `for ${node.name.text}`);
    }
    case 'Select':
      return forLoop(walk, node, undefined, forget(state, node.name.text), at, 'select');
    case 'ArithmeticFor': {
      const head = walk.source.slice(node.pos, node.body.pos).replaceAll(';', ' ');
      return forLoop(walk, node, undefined, calculated(state, head), at, 'for');
    }
    case 'Function': {
      walk.defines = true;
      const after = define(state, node.name.value, { node, source: walk.source });
      if (after === null) walk.unclear ??= 'too many functions';
      // It answers for every program that is not there.
      if (node.name.value === 'command_not_found_handle') walk.shadows.sourced ??= node.name.value;
      return settle({ zero: after ?? state, fail: null });
    }
    case 'Coproc': {
      walk.background = true;
      const after = forget(state, `${node.name?.text ?? ''} COPROC`);
      if (node.body.type === 'CompoundList') return settle({ zero: after, fail: null });
      const body = node.body;
      const { zero } = walk.inSubshell((inner) => commandNode(walk, body, state, inner), quietly(at));
      walk.lose(bitsOf(zero), state.known, 'coproc', 'background');
      return settle({ zero: after, fail: null });
    }
    case 'TestCommand': {
      const { expression } = node;
      const words = walk.textOf(node).slice(2, -2);
      // What stands around such a sign is worked out as an expression.
      const isNumeric = /-(?:eq|ne|[lg][te]|v)\b|\[|\$\(\(/.test(words);
      const after = isNumeric ? calculated(state, words) : state;
      const binary = expression.type === 'TestBinary' ? expression : null;
      const result = binary && comparison(binary.left, binary.operator, binary.right, after);
      return stopOnFailure(result ?? either(after), state, at);
    }
    case 'ArithmeticCommand': {
      const after = calculated(state, node.body);
      const match = /^\s*(\w+|\$\?|\$\w+)\s*(==|!=|>)\s*0\s*$/.exec(node.body);
      const name = match?.[1]?.replace(/^\$/, '');
      const result =
        name === undefined || /^\d/.test(name) ? null : compared(name, match?.[2] === '==', after);
      return stopOnFailure(result ?? either(after), state, at);
    }
  }
}

function branches(walk: Walk, node: bash.If, state: State, at: Frame): Result {
  let zero: State | null = null;
  let fail: State | null = null;
  let open: State | null = state;
  const arms: { bits: Bits; words: string }[] = [];
  const body = (block: bash.CompoundList, from: State | null, words: string): void => {
    if (from === null) {
      walk.unreached(words, () => list(walk, block.commands, state, unseen(at)));
      return;
    }
    const result = walk.perhaps(() => list(walk, block.commands, from, at));
    arms.push({ bits: bitsOf(result.zero), words });
    zero = join(zero, result.zero);
    fail = join(fail, result.fail);
  };
  for (const { clause, then } of [node, ...node.elif]) {
    const words = `if ${walk.textOf(clause)}`;
    if (open === null) {
      walk.unreached(words, () =>
        list(walk, [...clause.commands, ...then.commands], state, unseen(quietly(at))),
      );
      continue;
    }
    const asked: Result = list(walk, clause.commands, open, quietly(at));
    arms.push({ bits: bitsOf(asked.zero), words });
    body(then, asked.zero, words);
    open = asked.fail;
  }
  if (node.else !== undefined) body(node.else, open, 'else');
  else zero = join(zero, open);
  for (const { bits, words } of arms) walk.lose(bits, bitsOf(zero), words);
  return settle({ zero, fail });
}

function cases(walk: Walk, node: bash.Case, before: State, at: Frame): Result {
  substituted(walk, node.word, before, at);
  const state = evaluated(before, node.word);
  let result: Result = { zero: state, fail: null };
  for (const item of node.items) {
    const arm = walk.perhaps(() => list(walk, item.body.commands, state, at));
    walk.lose(bitsOf(arm.zero), state.known, `case ${node.word.text}`);
    result = { zero: join(result.zero, arm.zero), fail: join(result.fail, arm.fail) };
  }
  return settle(result);
}

function whileLoop(walk: Walk, node: bash.While, before: State, at: Frame): Result {
  const loop = newSink();
  const state = entering(before, walk.textOf(node));
  const words = `${node.kind} ${walk.textOf(node.clause)}`;
  const asked = list(walk, node.clause.commands, state, { ...at, loop, quiet: true });
  const [inside, after] = node.kind === 'while' ? [asked.zero, asked.fail] : [asked.fail, asked.zero];
  if (inside !== null) {
    walk.rounds++;
    const body = walk.perhaps(() => list(walk, node.body.commands, inside, { ...at, loop }));
    walk.rounds--;
    walk.lose(bitsOf(body.zero), state.known, words);
    again(walk, state, join(join(body.zero, body.fail), join(loop.zero, loop.fail)), words);
  }
  const ended = join(after, join(loop.zero, loop.fail));
  walk.lose(bitsOf(asked.zero), bitsOf(ended), words);
  return settle({ zero: ended && { ...ended, cwd: state.cwd }, fail: inside });
}

/** A loop is walked once. What a round leaves behind for the next one must be what that one began with. */
function again(walk: Walk, before: State, after: State | null, words: string): void {
  if (differs(before, after)) walk.unclear ??= words;
}

/** A list that is written out runs its body; one that comes from elsewhere may be empty. */
function forLoop(
  walk: Walk,
  node: { readonly pos: number; readonly end: number; readonly body: bash.CompoundList },
  words: readonly bash.Word[] | undefined,
  before: State,
  at: Frame,
  name: string,
): Result {
  const loop = newSink();
  const state = entering(before, walk.textOf(node.body));
  walk.rounds++;
  const { zero, fail } = walk.perhaps(() => list(walk, node.body.commands, state, { ...at, loop }));
  walk.rounds--;
  const runs = words?.some((word) => !/[$`]/.test(word.text)) === true;
  const once = words?.length === 1 && runs && !/[*?{[]/.test(words[0]?.text ?? '');
  const on = once ? zero : join(zero, fail);
  if (!once) again(walk, state, join(join(zero, fail), join(loop.zero, loop.fail)), name);
  let ended = join(on, join(loop.zero, loop.fail));
  if (!runs) ended = join(ended, state);
  walk.lose(bitsOf(zero), bitsOf(ended), name);
  return settle({ zero: ended, fail });
}
