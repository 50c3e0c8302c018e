// One simple command: what the shell itself does with it (cd, set, exit …), what runs it, and what it is as a check.
import { type Command, type ParsedScript, parse, type Word, type WordPart } from 'unbash';
import { runsTests } from '../ecosystems/index.ts';
import { assigned, builtin, isBuiltin } from './builtins.ts';
import { classify } from './classify.ts';
import { printsReport } from './decoys.ts';
import { talksToHooks } from './effects.ts';
import { clip, MAX_COMMAND } from './facts.ts';
import { check, effects, shadow, withOptions } from './found-check.ts';
import { printed, withInput } from './input-files.ts';
import { lookup } from './lookup.ts';
import { inWorkspace, resolvePath } from './places.ts';
import { PRINTS_PASSED, remember } from './printed-text.ts';
import { mayBeProgram, programName } from './programs.ts';
import { known } from './runner-names.ts';
import { isLook } from './runners/aside.ts';
import { shadowingAssignment } from './shadows.ts';
import {
  assign,
  bitsOf,
  calculated,
  type Defined,
  eachEnd,
  either,
  forget,
  type Result,
  type State,
  settle,
  startState,
} from './shell-state.ts';
import { inputOf, redirections, started } from './started-programs.ts';
import { tell } from './told.ts';
import { type Frame, frame, newSink, sinkTo, type Walk } from './walk.ts';
import { isHeavy } from './weight.ts';
import {
  argv,
  assignmentText,
  expressions,
  hereDocs,
  type Lookup,
  substitutions,
  unresolved,
  wordsOf,
  wordValue,
} from './words.ts';
import { type Unwrapped, unwrap } from './wrappers.ts';

const MAX_NESTED = 6;

export function simpleCommand(walk: Walk, whole: Command, before: State, at: Frame): Result {
  let state = before;
  let inner: Result | null = null;
  for (const word of wordsOf(whole)) {
    inner = substituted(walk, word, state, at) ?? inner;
    state = evaluated(state, word);
  }
  // What a here-document runs while it is written out.
  for (const { body } of hereDocs(whole)) {
    substituted(walk, body, state, at);
    state = evaluated(state, body);
  }
  const look = lookup(walk, state, at);
  state = redirections(walk, whole, state, look);
  if (whole.name === undefined)
    return settle(assignments(walk, whole, inner ?? { zero: state, fail: null }, state, look));
  const node = bare(whole, argv(whole, look), state);
  const words = argv(node, look);
  const [first = ''] = words;
  if (talksToHooks(words)) walk.feedsHooks = true;
  const kept = walk.shadows.all;
  for (const item of node.prefix)
    if (item.type === 'Assignment' && item.value.type === 'Word')
      walk.shadows.all ??= shadowingAssignment(item.name, wordValue(item.value, look));
  state = dynamic(walk, node, state, look);
  // A function may have the name of a command of the shell, and then stands in its place.
  const called = state.functions.get(first);
  const named = walk.shadows.names.get(first);
  const hidden = called !== undefined || named !== undefined;
  // It may be the shell's own command all the same.
  if (named !== undefined && isBuiltin(first)) walk.unclear ??= clip(named, 100);
  const own = hidden ? null : builtin(walk, node, words, state, at, inner, look);
  if (own !== null) {
    walk.started.push({ argv: words, cwd: state.cwd, env: [], input: inputOf(node, look) });
    if (own.text) remember(walk, node, words, state.cwd);
    if (first === 'echo') tell(walk, node, words.slice(1), state);
    return own.result;
  }
  if (called === null) walk.unclear ??= `${first}, which may be a function`;
  const result =
    called === undefined || called === null
      ? external(walk, node, words, state, at)
      : calling(walk, node, words, state, at, called);
  walk.shadows.all = kept;
  return result;
}

/** The state after the expressions of a word were worked out. */
export function evaluated(state: State, { parts }: Pick<Word, 'parts'>): State {
  let after = state;
  for (const text of expressions(parts)) after = calculated(after, text);
  return after;
}

/** `command exit`, `builtin read`: the shell's own command all the same. */
function bare(node: Command, [first = '', ...args]: readonly string[], { functions }: State): Command {
  if (!/^(?:command|builtin)$/.test(first) || functions.has(first)) return node;
  const at = args.findIndex((arg) => arg !== '--' && arg !== '-p');
  const name = node.args[at];
  if (at < 0 || args[at]?.startsWith('-') || name?.type !== 'Word' || !isBuiltin(args[at] ?? '')) return node;
  const { redirects } = node;
  return { ...node, name, redirects, args: node.args.slice(at + 1) };
}

/** Tools whose output is made for `eval`, or can only be the name of a program. */
const KNOWN_TOOL =
  /^"?(?:\$\(|`)\s*(?:[\w./~$-]*\/)?(pyenv|rbenv|nodenv|goenv|jenv|direnv|opam|fnm|mise|rtx|asdf|conda|mamba|micromamba|brew|ssh-agent|keychain|luarocks|docker-machine|minikube|pixi|devbox|dircolors|which|command|type|go|npm)\b[^|;&<>]*[)`]"?$/;

function isKnownTool(walk: Walk, state: State, text: string): boolean {
  const tool = KNOWN_TOOL.exec(text)?.[1];
  return tool !== undefined && !state.functions.has(tool) && !walk.shadows.names.has(tool);
}

/** Words that nobody knows, where the shell takes them for what it is to do. */
function dynamic(walk: Walk, { name, args }: Command, state: State, look: Lookup): State {
  const word = unresolved(name?.parts, look);
  if (word !== null && !/^[^$`]*\//.test(name?.text.replace(word, '') ?? '')) {
    if (/^(?:\$\(|`)/.test(word) && !isKnownTool(walk, state, word)) walk.unclear ??= clip(word, 100);
    return forget(state, null);
  }
  if (name?.value !== 'eval') return state;
  const open = args.flatMap((arg) => (arg.type === 'Word' ? (unresolved(arg.parts, look) ?? []) : []));
  for (const text of open) if (!isKnownTool(walk, state, text)) walk.unclear ??= clip(`eval ${text}`, 100);
  return open.length === 0 ? state : forget(state, null);
}

/** A function of the line: its body runs. With a runner's name it stands in its place. */
function calling(
  walk: Walk,
  node: Command,
  words: readonly string[],
  state: State,
  at: Frame,
  called: Defined,
): Result {
  const found = classify(unwrap(words).argv);
  if (found !== null) check(walk, node, found, state, { code: 'shadowed', detail: `function ${words[0]}` });
  if (walk.depth >= MAX_NESTED || called.node.body.type === 'CompoundList') {
    // A function that calls itself starts nothing that was not seen before.
    const isOwn = walk.source === called.source && node.pos >= called.node.pos && node.end <= called.node.end;
    if (!isOwn) walk.cut = true;
    return either(state);
  }
  const { body } = called.node;
  const source = walk.source;
  walk.source = called.source;
  walk.depth++;
  const back = newSink();
  const one = {
    type: 'Statement' as const,
    pos: body.pos,
    end: body.end,
    command: body,
    background: undefined,
  };
  const inner = { ...state, given: null };
  const locals = new Set<string>();
  const result = walk.list(walk, [one], inner, { ...at, back, locals, given: words.slice(1) });
  walk.depth--;
  walk.source = source;
  sinkTo(back, result);
  return settle(
    eachEnd(back, (end) => {
      let next = end;
      for (const name of locals) next = assign(next, name, { zero: 0, text: null });
      return { ...next, given: state.given };
    }),
  );
}

/** A program of the system by its whole path is the same as by its name. */
const OF_SYSTEM = /^\/(?:usr\/(?:local\/)?)?s?bin\/(?=[^/]+$)/;

function external(walk: Walk, node: Command, words: readonly string[], state: State, at: Frame): Result {
  const step = unwrap(words);
  for (const text of step.assignments) {
    const equals = text.indexOf('=');
    walk.shadows.all ??= shadowingAssignment(text.slice(0, equals), text.slice(equals + 1));
  }
  const cwd =
    step.directory === undefined
      ? state.cwd
      : step.directory === null
        ? null
        : resolvePath(step.directory, state.cwd);
  const moved = cwd === state.cwd ? state : { ...state, cwd };
  started(walk, node, words, step, moved, at);
  let result: Result;
  if (step.sourced !== null) result = sourcing(walk, step.sourced, state);
  else if (step.elsewhere) {
    remember(walk, node, words, state.cwd);
    effects(walk, node, words, null, null);
    result = either(state);
  } else if (step.script !== null) result = nested(walk, step, withPrefix(walk, node, step, moved, at), at);
  else {
    if (!/^(?:echo|printf|true|sleep|date|clear)$/.test(step.argv[0] ?? '')) walk.programs++;
    const seen = walk.seen.length;
    result = program(walk, node, step, moved, at, words[0] ?? '');
    const name = (step.argv[0] ?? ':').replace(OF_SYSTEM, '');
    const found = walk.seen.length > seen ? walk.seen.at(-1)?.check : undefined;
    const isKnown =
      found === undefined
        ? (!mayBeProgram(programName(name)) || known(name) !== undefined) && !name.includes('/')
        : found.kind !== 'run' || isLook(found.runner);
    if (!isKnown) walk.foreign = seen;
    // What a script prints that a shell runs is anybody's word.
    if (!isKnown)
      walk.firstForeign = /\/|^(?:ba|da|k|z|fi)?sh$/.test(name) ? 0 : Math.min(seen, walk.firstForeign);
    const isOwn = SHOWS_TEXT.test(programName(name)) && !(walk.follows && isOfPipe(words));
    if (isOwn && walk.isInView) walk.showsText = true;
  }
  if (step.masked !== null && result.zero !== null) {
    walk.lose(result.zero.known, state.known, step.masked, step.detached ? 'background' : 'masked');
    if (step.detached) walk.background = true;
    result = either(state);
  }
  if (step.directory !== undefined) result = eachEnd(result, (end) => ({ ...end, cwd: state.cwd }));
  if (!step.ends) return result;
  if (step.argv.length === 0 && step.script === null) {
    // `exec >file`: what is printed from here on goes elsewhere.
    walk.through = null;
    return result;
  }
  walk.lastExit = walk.textOf(node);
  sinkTo(at.exit, result);
  return { zero: null, fail: null };
}

/** It shows what comes through the pipe, and reads no file. */
function isOfPipe([path = '', ...args]: readonly string[]): boolean {
  const bare = args.filter((arg) => !/^(?:-(?!-?(?:e|f|regexp|file|include|r|R))\S*|\d+)$/.test(arg));
  const patterns = /^e?grep$|^rg$/.test(programName(path)) ? 1 : 0;
  return /^(?:cat|head|tail|less|more|tac|nl|e?grep|rg)$/.test(programName(path)) && bare.length <= patterns;
}

const SHOWS_TEXT = /^(?:cat|head|tail|less|more|bat|tac|nl|e?grep|rg|sed|g?awk|git|printf)$/;

/** `F=file sh -c 'rm $F'`: what stands before a shell is a variable of its own. */
function withPrefix(walk: Walk, node: Command, step: Unwrapped, state: State, at: Frame): State {
  const look = lookup(walk, state, at);
  let next = state;
  const set = node.prefix.flatMap((item) => (item.type === 'Assignment' ? [assignmentText(item, look)] : []));
  for (const text of [...set, ...step.assignments]) {
    const equals = text.indexOf('=');
    if (equals <= 0 || /[$`*?]/.test(text)) continue;
    walk.exports.add(text.slice(0, equals));
    next = assign(next, text.slice(0, equals), { zero: 0, text: clip(text.slice(equals + 1), 4096) });
  }
  return next;
}

/** A file of this session that is read into the shell can put a function in a runner's place. */
function sourcing(walk: Walk, file: string, state: State): Result {
  const path = resolvePath(file, state.cwd);
  const inside = path === null ? file : (inWorkspace(path, walk.where.root) ?? path);
  if (
    walk.written.has(inside) ||
    walk.where.changed?.includes(inside) === true ||
    /^(?:\/tmp\/|\/dev\/|<\()/.test(inside)
  ) {
    walk.shadows.sourced ??= `source ${file}`;
    walk.unclear ??= clip(`source ${file}`, 100);
  }
  return either(forget(state, null));
}

/** A text that a shell runs: `bash -c`, `eval`, a here-document. */
function nested(walk: Walk, step: Unwrapped, state: State, at: Frame): Result {
  const text = step.script ?? '';
  const here = step.options === 'here';
  if (walk.depth >= MAX_NESTED || text.length > MAX_COMMAND || isHeavy(text)) {
    walk.cut = true;
    return either(state);
  }
  const script = parse(text);
  if (script.errors !== undefined && script.errors.length > 0) return either(state);
  const source = walk.source;
  walk.source = text;
  walk.depth++;
  const errexit = here ? state.errexit : /\berrexit\b/.test(step.options);
  const pipefail = here ? state.pipefail : /\bpipefail\b/.test(step.options);
  const inner = {
    ...state,
    errexit,
    pipefail,
    last: startState(null).last,
    given: here ? state.given : null,
    variables: here ? state.variables : handedOn(walk, state),
    functions: here
      ? state.functions
      : new Map([...state.functions].filter(([name]) => walk.exports.has(name))),
  };
  const result = here
    ? walk.list(walk, script.commands, inner, at)
    : walk.inSubshell((own) => walk.list(walk, script.commands, inner, own), frame(step.given?.slice(1)));
  walk.depth--;
  walk.source = source;
  if (here) return result;
  return settle(eachEnd(result, ({ known }) => ({ ...state, known })));
}

/** What a shell gets from the one that starts it: texts, and of no exit code what it means. */
function handedOn(walk: Walk, { variables }: State): State['variables'] {
  const given = [...variables].filter(([name, { text }]) => text !== null && walk.exports.has(name));
  return new Map(given.map(([name, { text }]) => [name, { zero: 0, text }]));
}

function program(walk: Walk, node: Command, step: Unwrapped, state: State, at: Frame, first: string): Result {
  const words = [...step.argv];
  const name = programName(words[0] ?? '');
  const shell = /^(?:bash|sh|zsh|dash|ksh)$/.test(name);
  const [doc] = hereDocs(node);
  if (shell && doc !== undefined && !words.slice(1).some((word) => !word.startsWith('-'))) {
    const options = words.slice(1).some((word) => /^-\w*e/.test(word)) ? 'errexit' : '';
    return nested(walk, { ...step, script: doc.body.text, options }, state, at);
  }
  const found = withInput(
    walk,
    node,
    words,
    withOptions(classify(words), node, step, lookup(walk, state, at)),
  );
  effects(walk, node, words, found, state.cwd);
  if (name === 'cat') printed(walk, node, words);
  if (found === null) {
    remember(walk, node, words, state.cwd);
    return either(state);
  }
  const evaluates = words.some((word) => /^(?:--?e(?:val|xpr|xec)?|-c|-X|--call)$/.test(word));
  const inline = evaluates || / -(?:c|e|r)$|^python -$/.test(found.runner) || doc !== undefined;
  const code = inline
    ? [...words, ...hereDocs(node).map((one) => one.body.text)].join('\n').slice(0, 8192)
    : '';
  const detail = clip(code.replace(/\s+/g, ' '), 120);
  const isReport = inline && printsReport(code);
  if (isReport || (inline && PRINTS_PASSED.test(code))) walk.pasted ??= detail;
  if (isReport) return check(walk, node, found, state, { code: 'not-a-check', detail });
  const given =
    walk.piped || node.redirects.some(({ type, operator }) => type !== 'Redirect' || operator === '<');
  if (given && found.kind === 'run' && runsTests(found.runner))
    return check(walk, node, found, state, { code: 'not-a-check', detail: 'what it is given to read' });
  if (found.kind === 'run' && runsTests(found.runner) && printsReport(words.join(' ')))
    walk.pasted ??= clip(words.join(' '), 120);
  return check(walk, node, found, state, shadow(walk, words, found, state, step.past, first));
}

/** Scripts inside a word run before the command, and only their output reaches it. */
export function substituted(
  walk: Walk,
  word: Pick<Word, 'text' | 'parts'>,
  state: State,
  at: Frame,
): Result | null {
  if (!/[$`<>]/.test(word.text)) return null;
  let last: Result | null = null;
  for (const part of substitutions(word.parts)) {
    if (walk.depth >= MAX_NESTED) {
      walk.cut = true;
      return last;
    }
    const script = (part as WordPart & { script: ParsedScript | undefined }).script;
    if (script === undefined) continue;
    if (script.errors !== undefined && script.errors.length > 0)
      throw new RangeError('a script inside that can not be read');
    const source = walk.source;
    if (script.source !== undefined) walk.source = script.source;
    walk.depth++;
    const quiet = { ...at, quiet: true };
    last = walk.apart(() =>
      walk.inSubshell((inner) => walk.list(walk, script.commands, state, inner), quiet),
    );
    walk.depth--;
    walk.source = source;
    walk.lose(bitsOf(last.zero), state.known, part.text);
    if (part.type === 'ProcessSubstitution') last = null;
  }
  return last;
}

/** A command that only assigns ends as its last `$(…)` did. */
function assignments(walk: Walk, node: Command, result: Result, state: State, look: Lookup): Result {
  let after = state;
  for (const item of node.prefix) if (item.type === 'Assignment') after = assigned(walk, item, after, look);
  return eachEnd(result, ({ known }) => ({ ...after, known }));
}
