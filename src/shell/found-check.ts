// A simple command that is a check, put down with where it ran, what it was narrowed to, and what takes its word away
// whatever its exit code: a stand-in, a dry run, a place that is never reached.
import type { Command } from 'unbash';
import { passedOn, runsTests, traitsOf } from '../ecosystems/index.ts';
import type { Flaw } from '../format/index.ts';
import { classify } from './classify.ts';
import { waysOf, writesFiles } from './effects.ts';
import { clip, type Found, MAX_ATTEMPTS, MAX_WORDS } from './facts.ts';
import { inWorkspace, resolvePath, targetPath } from './places.ts';
import { addsChecks, shadowingFile } from './shadows.ts';
import { MAX_FOLLOWED, type Result, type State, settle } from './shell-state.ts';
import type { Walk } from './walk.ts';
import { assignmentText, type Lookup } from './words.ts';
import type { Unwrapped } from './wrappers.ts';
import { writtenBy } from './written-files.ts';
import { givenAway } from './zero-exit-options.ts';

/** Options that come in through the environment. */
export function withOptions(found: Found | null, node: Command, step: Unwrapped, look: Lookup): Found | null {
  if (found === null) return null;
  const given = [...step.assignments];
  const own = traitsOf(found.runner)?.options;
  for (const name of own === undefined ? ['TESTOPTS'] : [own, 'TESTOPTS']) {
    const value = look.variable(name);
    if (value !== null) given.push(`${name}=${value}`);
  }
  for (const item of node.prefix) if (item.type === 'Assignment') given.push(assignmentText(item, look));
  let read = found;
  for (const text of given) {
    const equals = text.indexOf('=');
    const [name, value] = [text.slice(0, equals), text.slice(equals + 1)];
    const words = value.split(/\s+/);
    const more =
      name === own
        ? classify([...found.runner.split(' '), ...words])
        : name === 'TESTOPTS' && found.kind === 'test'
          ? passedOn('test', found.runner, words)
          : null;
    if (more !== null)
      read = { ...read, dry: read.dry ?? more.dry, selectors: [...read.selectors, ...more.selectors] };
  }
  return read;
}

export function shadow(
  walk: Walk,
  words: readonly string[],
  found: Found,
  state: State,
  past: boolean,
  first: string,
): Flaw | null {
  const name = words[0] ?? '';
  // Copied, moved or written by this very line counts as much as written before.
  const changed = new Set([
    ...(walk.where.changed ?? []),
    ...walk.written,
    ...walk.wrote.map(({ effect }) => effect.to ?? effect.path),
  ]);
  const away = givenAway(words, found, (file) => isForeign(walk, file, state.cwd, changed));
  if (away?.code === 'shadowed') return away;
  const { names, sourced, all } = walk.shadows;
  const isChecked = !name.startsWith('/') && (found.kind !== 'run' || runsTests(found.runner));
  // What is only read may be of this session.
  const isRead = / -n$/.test(found.runner);
  const by =
    (past ? undefined : (names.get(first) ?? names.get(name))) ??
    sourced ??
    (isChecked ? all : null) ??
    (isRead ? null : shadowingFile(words, found, state.cwd, walk.where.root, changed)) ??
    foreignScript(walk, words, found, state.cwd);
  if (by !== null) return { code: 'shadowed', detail: clip(by, 120) };
  // The line writes the script that it then runs.
  const scripts = /^(?:npm|pnpm|yarn|bun) /.test(found.runner)
    ? 'package.json'
    : /^make\b/.test(found.runner)
      ? 'Makefile'
      : null;
  const isScript = (path: string): boolean => path === scripts || path.endsWith(`/${scripts}`);
  if (scripts !== null && [...walk.written].some(isScript)) {
    const writes = walk.wrote.filter(({ effect }) => isScript(effect.path)).length;
    if (scripts !== 'Makefile' || !addsChecks(walk.source, words.slice(1), found.kind, writes))
      return { code: 'shadowed', detail: scripts };
  }
  return away;
}

/** Made in this session, or of no project at all. */
function isForeign(walk: Walk, file: string, cwd: string | null, changed: ReadonlySet<string>): boolean {
  const path = resolvePath(file, cwd);
  const inside = path === null ? file.replace(/^\.\//, '') : inWorkspace(path, walk.where.root);
  if (inside !== null)
    return ['', '.js', '.mjs', '.cjs', '.ts', '/index.js'].some((ending) =>
      changed.has(`${inside}${ending}`),
    );
  return walk.where.root !== null && path !== null && !INSTALLED.test(path);
}

/** Where tools are installed: what lies here is nobody's script of the day. */
const INSTALLED =
  /^\/(?:usr|bin|sbin|opt|snap|nix|Library|Applications)\/|^\/(?:home\/[^/]{1,64}|Users\/[^/]{1,64}|root)\/(?:\.[\w-]{1,64}|go)\//;

/**
 * A runner of tests that lies outside of the workspace is none of the project's: anybody can put a script in /tmp that
 * prints what he likes. What this very line compiles there is another thing.
 */
function foreignScript(
  walk: Walk,
  words: readonly string[],
  found: Found,
  cwd: string | null,
): string | null {
  if (found.kind !== 'test' || walk.where.root === null) return null;
  const [first = '', ...args] = words;
  const shell = /(?:^|\/)(?:bash|sh|zsh|dash|ksh)$/.test(first);
  const script = shell ? (args.find((arg) => !arg.startsWith('-')) ?? '') : first;
  if (!script.includes('/')) return null;
  const path = resolvePath(script, cwd);
  if (path === null || inWorkspace(path, walk.where.root) !== null || INSTALLED.test(path)) return null;
  const built = walk.seen.some(
    ({ check }) =>
      check.kind !== 'test' &&
      (check.command.includes(`-o ${script} `) || check.command.endsWith(`-o ${script}`)),
  );
  const written = walk.wrote.some(({ effect }) => effect.path === path || effect.to === path);
  return built && !shell && !written ? null : script;
}

export function check(walk: Walk, node: Command, found: Found, state: State, flaw: Flaw | null): Result {
  const { root } = walk.where;
  const cwd = found.directory === null ? state.cwd : resolvePath(found.directory, state.cwd);
  const targets = found.targets
    .map((path) => clip(targetPath(path, cwd, root), 256))
    .filter((path, at) => path !== '' || (found.targets[at] === '.' && found.runner.startsWith('go ')));
  const preset =
    flaw ??
    (walk.dead === null
      ? null
      : { code: 'not-a-check' as const, detail: clip(`never reached: ${walk.dead}`, 120) }) ??
    (found.dry === null ? null : { code: 'dry-run' as const, detail: clip(found.dry, 120) });
  if (walk.seen.length === 0) walk.opens = walk.programs <= 1;
  walk.seen.push({
    check: {
      kind: found.kind,
      runner: clip(found.runner, 64),
      command: clip(walk.textOf(node)),
      targets: [
        ...targets.map((path) => (path === '' ? '.' : path)),
        ...found.packages.map((name) => clip(name)),
      ].slice(0, MAX_WORDS),
      selectors: found.selectors.map((word) => clip(word)).slice(0, MAX_WORDS),
      directory: inWorkspace(cwd, root),
      url: found.url === null ? null : clip(found.url),
    },
    flaw: preset,
    reason: null,
    overtaken: null,
    view: null,
    through: walk.isLed(node, '>') ? null : walk.through,
    reached: walk.doubts === 0 && !state.errexit,
    after: state.known,
  });
  const bit = walk.seen.length - 1;
  if (bit >= MAX_FOLLOWED) {
    const last = walk.seen[bit];
    if (last !== undefined) last.reason = { code: 'masked', detail: 'too many commands in one line' };
    return settle({ zero: state, fail: state });
  }
  return settle({ zero: { ...state, known: state.known | (1 << bit) }, fail: state });
}

export function effects(
  walk: Walk,
  node: Command,
  words: readonly string[],
  found: Found | null,
  cwd: string | null,
): void {
  // What a build writes is its output.
  if (found?.kind === 'build') walk.writes ||= writesFiles(words, found);
  else if (writesFiles(words, found)) walk.overtake(clip(walk.textOf(node), 120));
  for (const effect of writtenBy(words)) walk.noteWrite(effect, cwd);
  if (/^(?:npm|pnpm|yarn) (?:pkg|set-script) /.test(words.slice(0, 3).join(' ')))
    walk.written.add('package.json');
  if (/^(?:npm|pnpm|yarn) .*\bset .*\b(?:script-shell|node-options|userconfig)\b/.test(words.join(' ')))
    walk.written.add('~/.npmrc');
  for (const way of waysOf(words, clip(walk.textOf(node)), found)) {
    if (walk.ways.length < MAX_ATTEMPTS) walk.ways.push({ ...way, target: clip(way.target) });
  }
}
