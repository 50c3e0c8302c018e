// The rooms of src/, and examples/demo, which the command shows, and who may import whom, as data, and the checker that
// holds the code to it.
// It works on a map of paths to sources, so that the test can show it each violation in memory.
// It trusts no build: it reads every import there is, type-only and computed ones included.
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { type Import, readImports } from './imports.ts';
import { type Token, tokenize } from './tokens.ts';

type Tier = 'pure' | 'domain' | 'adapter' | 'entry';

/** From top to bottom. A room may import the rooms above it; adapters stand side by side. */
export const ROOMS: readonly { name: string; tier: Tier }[] = [
  ...['core', 'format', 'ecosystems', 'shell', 'policy', 'claims', 'rules', 'verify', 'exports'].map(
    (name) => ({ name, tier: 'pure' as const }),
  ),
  ...['ledger', 'redact', 'session', 'config', 'record', 'gate', 'harness', 'runtime'].map((name) => ({
    name,
    tier: 'domain' as const,
  })),
  ...['store', 'anchor', 'capture', 'sandbox', 'index'].map((name) => ({
    name,
    tier: 'adapter' as const,
  })),
  ...['report', 'entry', 'service', 'app', 'view', 'examples', 'cli'].map((name) => ({
    name,
    tier: 'entry' as const,
  })),
];

/** What `#platform` may resolve to: the only files of the pure rooms that may touch the platform. */
export const PLATFORM_FILES = [
  'src/core/platform/node.ts',
  'src/core/platform/browser.ts',
  'src/core/platform/start.ts',
  'src/core/platform/command.ts',
  'src/core/platform/settable.ts',
];

/** Packages that are themselves pure, and so may be used by a pure room. */
const PURE_PACKAGES = ['@noble/curves', '@noble/hashes', 'unbash'];

/** Files of dist/ that sources load by name, and what each is built from. */
const BUILT: Readonly<Record<string, string>> = {
  'foil.cjs': 'src/cli/foil.ts',
  'worker.cjs': 'src/ledger/worker.ts',
};

/** A file that goes past another room's door, and why. Only the worker and the command may be listed. */
export type DeepImport = { from: string; to: string; reason: string };
export const DEEP_IMPORTS: readonly DeepImport[] = [
  ...[
    ['attest-elsewhere', 'attester-client'],
    ['judge-options', 'rubric-judge'],
    ['verify-bundle', 'fetch-pack'],
  ].map(([from, to]) => ({
    from: `src/cli/${from}.ts`,
    to: `src/app/attest/${to}.ts`,
    reason: 'loaded only when it is asked for, without the rest of the room',
  })),
];

export type Rule =
  | 'room' // a file outside the rooms
  | 'direction' // an import of a room further down
  | 'adapter' // an adapter that knows another
  | 'pure' // the platform, the clock, randomness or I/O in a pure room
  | 'door' // another room's file imported past its index.ts
  | 'unresolved' // an import that can't be followed, and so can't be judged
  | 'cycle'
  | 'exception'; // an entry of the list of exceptions that may not be there

export type Violation = { rule: Rule; file: string; message: string };

type Place = { room: string; rank: number; tier: Tier; folder: string };

export function checkLayering(
  sources: ReadonlyMap<string, string>,
  exceptions: readonly DeepImport[] = DEEP_IMPORTS,
): Violation[] {
  const violations: Violation[] = [];
  const edges = new Map<string, string[]>();
  const used = new Set<DeepImport>();
  for (const [file, source] of sources) {
    const report = (rule: Rule, message: string) => violations.push({ rule, file, message });
    const from = placeOf(file);
    if (from === undefined) {
      report('room', 'stands in no room of the table');
      continue;
    }
    const tokens = tokenize(source);
    const strict = from.tier === 'pure' && !PLATFORM_FILES.includes(file);
    if (strict) for (const name of impureNames(tokens)) report('pure', `uses ${name}`);
    const targets: string[] = [];
    for (const found of readImports(tokens)) {
      if (strict) checkPureImport(found, report);
      for (const to of resolve(file, found, from, sources, report)) {
        checkEdge(from, file, to, found, exceptions, used, report);
        if (!isBuilt(found)) targets.push(to);
      }
    }
    edges.set(file, targets);
  }
  return [...violations, ...findCycles(edges), ...checkExceptions(exceptions, used)];
}

function placeOf(file: string): Place | undefined {
  const [, name, folder, ...rest] = (file.startsWith('examples/') ? `src/${file}` : file).split('/');
  const rank = ROOMS.findIndex((room) => room.name === name);
  const room = ROOMS[rank];
  if (room === undefined || folder === undefined) return undefined;
  return { room: room.name, rank, tier: room.tier, folder: rest.length > 0 ? folder : '' };
}

function isBuilt(found: Import): boolean {
  return found.specifier !== undefined && posix.basename(found.specifier) in BUILT;
}

/** The source files an import leads to; none for packages and platform modules. */
function resolve(
  file: string,
  found: Import,
  from: Place,
  sources: ReadonlyMap<string, string>,
  report: (rule: Rule, message: string) => void,
): string[] {
  const { specifier, form } = found;
  if (specifier === undefined) {
    if (from.tier === 'pure' || from.tier === 'domain') report('unresolved', `${form} of a computed name`);
    return [];
  }
  if (specifier === '#platform') return PLATFORM_FILES.filter((path) => sources.has(path));
  if (specifier.startsWith('#')) {
    report('unresolved', `${specifier} is not a subpath import this table knows`);
    return [];
  }
  if (isBuilt(found)) return [BUILT[posix.basename(specifier)] as string];
  if (!/^\.\.?(\/|$)/.test(specifier)) return [];
  const path = posix.join(posix.dirname(file), specifier);
  if (sources.has(path)) return [path];
  const isData = !path.startsWith('src/') && path.endsWith('.json') && from.tier === 'entry';
  if (!isData && form !== 'URL') report('unresolved', `${specifier} is no file of src/ or examples/demo/`);
  return [];
}

function checkEdge(
  from: Place,
  file: string,
  target: string,
  found: Import,
  exceptions: readonly DeepImport[],
  used: Set<DeepImport>,
  report: (rule: Rule, message: string) => void,
): void {
  const to = placeOf(target);
  if (to === undefined) return; // reported at the target itself
  const what = `${from.room} imports ${target}`;
  const bothAdapters = from.tier === 'adapter' && to.tier === 'adapter';
  if (bothAdapters && from.room !== to.room) {
    report('adapter', `${what}: adapters never import each other`);
  } else if (bothAdapters && from.folder !== '' && to.folder !== '' && from.folder !== to.folder) {
    report('adapter', `${what}: ${from.folder}/ and ${to.folder}/ are adapters of their own`);
  } else if (to.rank > from.rank) {
    report('direction', `${what}: ${to.room} is further down`);
  }
  const sameUnit =
    from.room === to.room && (from.tier !== 'adapter' || to.folder === '' || to.folder === from.folder);
  if (sameUnit || isDoor(to, target) || found.specifier === '#platform' || isBuilt(found)) return;
  const exception = exceptions.find((entry) => entry.from === file && entry.to === target);
  if (exception === undefined) report('door', `${what}: go through its index.ts`);
  else used.add(exception);
}

/** The door of the one example that has one. */
const DEMO = 'examples/demo/index.ts';

function isDoor(to: Place, target: string): boolean {
  if (target === `src/${to.room}/index.ts` || target === DEMO) return true;
  return to.tier === 'adapter' && target === `src/${to.room}/${to.folder}/index.ts`;
}

function checkPureImport(found: Import, report: (rule: Rule, message: string) => void): void {
  const { specifier } = found;
  if (specifier === undefined || /^[.#]/.test(specifier)) return;
  if (isBuiltin(specifier)) report('pure', `imports ${specifier}`);
  else if (!PURE_PACKAGES.some((name) => specifier === name || specifier.startsWith(`${name}/`))) {
    report('pure', `imports the package ${specifier}, which is not on the list of pure packages`);
  }
}

const IMPURE_GLOBALS = new Set(
  `process Buffer require setTimeout setInterval setImmediate fetch crypto performance console
   XMLHttpRequest WebSocket EventSource Worker navigator localStorage sessionStorage indexedDB
   __dirname __filename Deno Bun`.split(/\s+/),
);

/** Every use of the clock, randomness, timers, I/O or a platform's own objects, by name. */
export function impureNames(tokens: readonly Token[]): string[] {
  const names: string[] = [];
  const text = (at: number) => (tokens[at]?.type === 'string' ? '' : (tokens[at]?.text ?? ''));
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'word') continue;
    const before = text(at - 1);
    const isMember = (before === '.' || before === '?.') && text(at - 2) !== 'globalThis';
    if (isMember) continue;
    const after = text(at + 1);
    const isKey = after === ':' && (before === '{' || before === ',' || before === ';');
    const isDeclared = before === 'readonly' && (after === ':' || after === '?');
    if (IMPURE_GLOBALS.has(token.text) && !isKey && !isDeclared) names.push(token.text);
    if (token.text === 'globalThis' && after === '[') names.push('globalThis[…]');
    const member = after === '.' || after === '?.' ? text(at + 2) : '';
    if (token.text === 'Math' && member === 'random') names.push('Math.random');
    if (token.text === 'import' && member === 'meta') names.push('import.meta');
    if (token.text === 'Date') {
      if (member === 'now') names.push('Date.now');
      else if (after === '(' && text(at + 2) === ')') names.push(before === 'new' ? 'new Date()' : 'Date()');
      else if (before === 'new' && after !== '(') names.push('new Date');
    }
  }
  return names;
}

/** One violation for each set of files that import each other in a circle. */
function findCycles(edges: ReadonlyMap<string, readonly string[]>): Violation[] {
  const violations: Violation[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      const circle = [...path.slice(start), file].join(' → ');
      violations.push({ rule: 'cycle', file, message: `is in an import cycle: ${circle}` });
      return;
    }
    if (done.has(file)) return;
    path.push(file);
    for (const next of edges.get(file) ?? []) visit(next);
    path.pop();
    done.add(file);
  };
  for (const file of edges.keys()) visit(file);
  return violations;
}

function checkExceptions(exceptions: readonly DeepImport[], used: ReadonlySet<DeepImport>): Violation[] {
  return exceptions.flatMap((entry): Violation[] => {
    const report = (message: string): Violation[] => [{ rule: 'exception', file: entry.from, message }];
    if (entry.from !== 'src/ledger/worker.ts' && !entry.from.startsWith('src/cli/')) {
      return report('only src/ledger/worker.ts and src/cli may be listed');
    }
    if (entry.reason.trim().length < 10) return report(`the exception for ${entry.to} gives no reason`);
    return used.has(entry) ? [] : report(`the exception for ${entry.to} is not used: remove it`);
  });
}
