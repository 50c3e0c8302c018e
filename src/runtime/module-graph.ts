// The code of an agent: its module with everything that it imports, read from disk and kept as text, so that a replay runs
// the very code that the run ran. Functions are never turned into text. What can't be kept whole (CommonJS, an import whose
// name is computed) is refused, because a replay would run something else. spec/run.md.
import { readFileSync, realpathSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve as resolvePath, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { init, parse } from 'es-module-lexer';
import { sha256Hex } from '#platform';
import { canonicalize, type JsonObject } from '../core/index.ts';
import { OWN_MODULE } from './cell-form.ts';
import { RunError } from './run-error.ts';

export interface CodeBundle {
  /** SHA-256 of `text`. */
  readonly root: string;
  readonly entry: string;
  /** The directory that names of files are relative to. */
  readonly folder: string;
  readonly files: number;
  /** Canonical JSON of `entry` and `files`. */
  readonly text: string;
}

const MOST_FILES = 2000;
const MOST_BYTES = 16 * 1024 * 1024;
const MANIFEST = 'package.json';
/** Of a package.json, what decides how imports are found. */
const RESOLVING = ['name', 'type', 'main', 'exports', 'imports'];

export interface GraphOptions {
  /** Finds what a bare name stands for, seen from a module. */
  readonly resolve?: (specifier: string, from: URL) => string;
  /** Throws where the text must not be kept. */
  readonly assertClean?: (path: string, text: string) => void;
}

/** Throws RunError. */
export async function readCode(module: URL, options: GraphOptions = {}): Promise<CodeBundle> {
  await init;
  const texts = new Map<string, string>();
  const entry = realPath(fileURLToPath(module));
  const waiting = [entry];
  let bytes = 0;
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (texts.has(path)) continue;
    const text = readText(path);
    bytes += text.length;
    if (texts.size >= MOST_FILES || bytes > MOST_BYTES)
      throw new RunError(
        'NOT_A_MODULE',
        `the agent imports more than Counterfoil can keep: at most ${MOST_FILES} files with 16 MiB in total.`,
      );
    texts.set(path, text);
    if (path.endsWith('.json')) continue;
    for (const found of importsOf(path, text, options)) waiting.push(found);
  }
  for (const path of [...texts.keys()]) addManifest(path, texts);
  return bundle(entry, texts, options);
}

function importsOf(path: string, text: string, { resolve = resolveBare }: GraphOptions): string[] {
  const from = pathToFileURL(path);
  let imports: ReturnType<typeof parse>[0];
  try {
    [imports] = parse(text, path);
  } catch (error) {
    throw new RunError('NOT_A_MODULE', `${path} can't be read as an ES module.`, { cause: error });
  }
  return imports.flatMap(({ n: name, d: at }) => {
    if (at === -2) return [];
    if (name === undefined)
      throw new RunError('NOT_A_MODULE', `${path} imports a computed name. Write the name itself.`);
    if (isBuiltin(name) || name === OWN_MODULE) return [];
    const isPath = /^\.{0,2}\//.test(name);
    const url = isPath ? pathToFileURL(resolvePath(dirname(path), name)).href : resolve(name, from);
    if (!url.startsWith('file:'))
      throw new RunError('NOT_A_MODULE', `${path} imports ${name}, which is not a file.`);
    return [assertModule(realPath(fileURLToPath(url)))];
  });
}

function assertModule(path: string): string {
  if (/\.(?:cjs|cts|node|wasm)$/.test(path) || (path.endsWith('.js') && manifestOf(path)?.type !== 'module'))
    throw new RunError(
      'NOT_A_MODULE',
      `${path} is not an ES module, and Counterfoil can't keep anything else for a replay.`,
    );
  return path;
}

function resolveBare(specifier: string, from: URL): string {
  let directory = dirname(fileURLToPath(from));
  const [first = '', second = ''] = specifier.split('/');
  const name = specifier.startsWith('@') ? `${first}/${second}` : first;
  const inner = specifier.slice(name.length);
  for (;;) {
    const place = join(directory, 'node_modules', name);
    const manifest = readManifest(join(place, MANIFEST));
    if (manifest !== undefined) return pathToFileURL(join(place, target(manifest, inner, specifier))).href;
    if (dirname(directory) === directory) break;
    directory = dirname(directory);
  }
  throw new RunError(
    'NOT_A_MODULE',
    `${specifier} is not installed where ${fileURLToPath(from)} can find it.`,
  );
}

/** The conditions of Node for an import: the first that is there counts. */
function target(manifest: JsonObject, inner: string, specifier: string): string {
  const { exports, main } = manifest;
  if (exports === undefined) return inner === '' ? String(main ?? 'index.js') : `.${inner}`;
  const wanted = `.${inner}`;
  const isMap =
    typeof exports === 'object' &&
    exports !== null &&
    Object.keys(exports).some((key) => key.startsWith('.'));
  let found: unknown = isMap ? (exports as JsonObject)[wanted] : inner === '' ? exports : undefined;
  while (typeof found === 'object' && found !== null) {
    const conditions = found as Record<string, unknown>;
    found = Object.entries(conditions).find(([name]) => ['node', 'import', 'default'].includes(name))?.[1];
  }
  if (typeof found !== 'string')
    throw new RunError('NOT_A_MODULE', `its package doesn't export ${specifier} by name.`);
  return found;
}

function addManifest(path: string, texts: Map<string, string>): void {
  const found = manifestPath(path);
  if (found === undefined || texts.has(found)) return;
  const manifest = readManifest(found) ?? {};
  // Our own would lead to files that a replay has not.
  const kept = manifest.name === 'counterfoil' ? ['type'] : RESOLVING;
  const members = kept.filter((name) => manifest[name] !== undefined).map((name) => [name, manifest[name]]);
  texts.set(found, canonicalize(Object.fromEntries(members)));
}

function manifestPath(path: string): string | undefined {
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    const found = join(directory, MANIFEST);
    if (readManifest(found) !== undefined) return found;
    if (dirname(directory) === directory) return undefined;
  }
}

function manifestOf(path: string): JsonObject | undefined {
  const found = manifestPath(path);
  return found === undefined ? undefined : readManifest(found);
}

function readManifest(path: string): JsonObject | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as JsonObject;
  } catch {
    return undefined;
  }
}

function bundle(entry: string, texts: Map<string, string>, { assertClean }: GraphOptions): CodeBundle {
  const paths = [...texts.keys()];
  let root = dirname(entry);
  while (!paths.every((path) => path.startsWith(root === sep ? sep : `${root}${sep}`))) root = dirname(root);
  const name = (path: string): string => relative(root, path).split(sep).join('/');
  for (const [path, text] of texts) assertClean?.(name(path), text);
  const files = Object.fromEntries(paths.map((path) => [name(path), texts.get(path) ?? '']));
  const text = canonicalize({ entry: name(entry), files });
  return { root: sha256Hex(text), entry: name(entry), folder: root, files: paths.length, text };
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new RunError('NOT_A_MODULE', `${path} doesn't exist.`, { cause: error });
  }
}

function readText(path: string): string {
  const bytes = readFileSync(path);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new RunError('NOT_A_MODULE', `${path} is not UTF-8.`, { cause: error });
  }
}
