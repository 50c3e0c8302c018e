// Holds src/ to the table of rooms. The second half shows the checker every kind of violation in memory: a checker
// that can't fail proves nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readImports } from './imports.ts';
import { checkLayering, type DeepImport, PLATFORM_FILES, ROOMS } from './layering.ts';
import { tokenize } from './tokens.ts';

const root = join(import.meta.dirname, '..');

function readSources(): Map<string, string> {
  const files = ['src', 'examples/demo']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (name) => `${folder}/${name}`,
      ),
    )
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.[cm]?[jt]sx?$/.test(name));
  return new Map(files.sort().map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

describe('the rooms of src/', () => {
  const sources = readSources();

  it('are imported only as the table allows', () => {
    expect(checkLayering(sources).map((found) => `${found.file}: [${found.rule}] ${found.message}`)).toEqual(
      [],
    );
  });

  it('were really read', () => {
    const imports = [...sources.values()].flatMap((source) => readImports(tokenize(source)));
    expect(sources.size).toBeGreaterThan(5);
    expect(imports.length).toBeGreaterThan(5);
    for (const file of PLATFORM_FILES) expect(sources.has(file), file).toBe(true);
  });

  it('are the ones ARCHITECTURE.md lists, in the same order', () => {
    const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    const listed = [...text.matchAll(/^\| `(\w+)\/` +\|/gm)].map((match) => match[1]);
    expect(listed).toEqual(ROOMS.map((room) => room.name));
  });
});

/** The rules broken by `files`, each beside the file that breaks it. */
function broken(files: Record<string, string>, exceptions: readonly DeepImport[] = []): string[] {
  return checkLayering(new Map(Object.entries(files)), exceptions).map(
    (found) => `${found.rule} ${found.file}`,
  );
}

const CORE = { 'src/core/index.ts': '', 'src/core/merkle.ts': '' };

describe('the layering checker', () => {
  it('accepts what the table allows', () => {
    const files = {
      ...CORE,
      'src/core/platform/node.ts': "import 'node:crypto'; Buffer.alloc(1);",
      'src/core/platform/browser.ts': "import { sha256 } from '@noble/hashes/sha2.js'; crypto.subtle;",
      'src/core/hash.ts': "import '#platform'; import type { T } from './merkle.ts';",
      'src/format/index.ts': "export { leafHash } from '../core/index.ts'; import { x } from '#platform';",
      'src/ledger/index.ts':
        "import fs from 'node:fs'; import '../format/index.ts'; setTimeout(f); Date.now();",
      'src/store/port.ts': '',
      'src/store/files/index.ts': "import './lock.ts'; import '../port.ts'; import '../../ledger/index.ts';",
      'src/store/files/lock.ts': "require('fs-native-extensions');",
      'src/store/index.ts': "export * from './files/index.ts';",
      'src/entry/index.ts': "export { a } from '../store/files/index.ts';",
      'src/cli/foil.ts': "require('./worker.cjs'); import(name);",
      'src/cli/main.ts':
        "import pkg from '../../package.json' with { type: 'json' }; import '../entry/index.ts';",
    };
    expect(broken(files)).toEqual([]);
  });

  it.each([
    ['static', "import { a } from '../ledger/index.ts';"],
    ['static over lines', "import {\n  a, // from 'x'\n  b as from,\n} from '../ledger/index.ts';"],
    ['default and names', "import a, { b } from '../ledger/index.ts';"],
    ['namespace', "import * as a from '../ledger/index.ts';"],
    ['side effect', "import '../ledger/index.ts';"],
    ['double quotes', 'import "../ledger/index.ts";'],
    ['type-only', "import type { A } from '../ledger/index.ts';"],
    ['inline type', "import { type A } from '../ledger/index.ts';"],
    ['type query', "type A = import('../ledger/index.ts').A;"],
    ['dynamic', "const a = await import('../ledger/index.ts');"],
    ['dynamic with a comment', "import(/* lazy */ '../ledger/index.ts')"],
    ['dynamic template', 'import(`../ledger/index.ts`)'],
    ['inside a template', `const a = \`\${await import('../ledger/index.ts')}\`;`],
    ['re-export', "export { a } from '../ledger/index.ts';"],
    ['re-export of types', "export type { A } from '../ledger/index.ts';"],
    ['re-export of all', "export * from '../ledger/index.ts';"],
    ['re-export of all, named', "export * as a from '../ledger/index.ts';"],
    ['after a regular expression', "const r = /['\"`]/; import '../ledger/index.ts';"],
    ['after a division', "const r = (a) / 2; import '../ledger/index.ts'; const s = b / 2;"],
  ])('sees an import of a room further down: %s', (_, source) => {
    expect(broken({ 'src/verify/checks.ts': source, 'src/ledger/index.ts': '' })).toEqual([
      'direction src/verify/checks.ts',
    ]);
  });

  it.each([
    ['require', "const a = require('../record/index.ts');"],
    ['require.resolve', "require.resolve('../record/index.ts');"],
    ['import.meta.resolve', "import.meta.resolve('../record/index.ts');"],
    ['new URL', "new Worker(new URL('../record/index.ts', import.meta.url));"],
  ])('sees an import of a room further down: %s', (_, source) => {
    expect(broken({ 'src/ledger/open.ts': source, 'src/record/index.ts': '' })).toEqual([
      'direction src/ledger/open.ts',
    ]);
  });

  it.each([
    ['a line comment', "// import '../ledger/index.ts';"],
    ['a block comment', "/* import '../ledger/index.ts'; */"],
    ['a string', `const a = "import '../ledger/index.ts'";`],
    ['a template', `const a = \`import '../ledger/index.ts'; process.exit()\`;`],
    ['a regular expression', "const a = /import '..\\/ledger'/;"],
  ])('sees no import in %s', (_, source) => {
    expect(broken({ 'src/verify/checks.ts': source, 'src/ledger/index.ts': '' })).toEqual([]);
  });

  it('catches a domain room that imports an adapter, and any room that imports an entry point', () => {
    const files = {
      'src/ledger/open.ts': "import '../store/files/index.ts';",
      'src/store/files/index.ts': "import '../../cli/index.ts';",
      'src/cli/index.ts': '',
    };
    expect(broken(files)).toEqual(['direction src/ledger/open.ts', 'direction src/store/files/index.ts']);
  });

  it('catches an adapter that imports another room of adapters', () => {
    const files = {
      'src/anchor/git/index.ts': "import '../../store/files/index.ts';",
      'src/store/files/index.ts': '',
    };
    expect(broken(files)).toEqual(['adapter src/anchor/git/index.ts']);
  });

  it('catches an adapter that imports another folder of its own room', () => {
    const files = {
      'src/store/files/index.ts': "import '../memory/index.ts';",
      'src/store/memory/index.ts': '',
    };
    expect(broken(files)).toEqual(['adapter src/store/files/index.ts']);
  });

  it.each([
    "import { readFileSync } from 'node:fs';",
    "import type { Stats } from 'node:fs';",
    "import 'fs';",
    "await import('node:fs/promises');",
    "import { z } from 'zod';",
    'process.exit(1);',
    'const { env } = process;',
    'globalThis.process.exit();',
    "globalThis['process'];",
    "Buffer.from('');",
    'setTimeout(f, 1);',
    'setInterval(f, 1);',
    'setImmediate(f);',
    'const now = Date.now();',
    'const now = Date.now;',
    'const now = new Date();',
    'const now = new Date;',
    'const now = Date();',
    'const r = Math.random();',
    'await fetch(url);',
    'crypto.getRandomValues(bytes);',
    'globalThis.crypto.randomUUID();',
    'performance.now();',
    'console.log(1);',
    'import.meta.dirname;',
  ])('catches in a pure room: %s', (source) => {
    expect(broken({ 'src/format/entry.ts': source })).toEqual(['pure src/format/entry.ts']);
    expect(broken({ 'src/core/platform/other.ts': source })).toEqual(['pure src/core/platform/other.ts']);
    for (const file of PLATFORM_FILES) expect(broken({ [file]: source })).toEqual([]);
  });

  it.each([
    'const day = new Date(0); Date.parse(text); Date.UTC(2026);',
    'queue.process(job); this.fetch?.(x); ({ process: 1, fetch: 2 });',
    "import { sha256 } from '@noble/hashes/sha2.js';",
    "throw new Error('process, Buffer and setTimeout');",
  ])('lets a pure room: %s', (source) => {
    expect(broken({ 'src/format/entry.ts': source })).toEqual([]);
  });

  it('catches an import past a door', () => {
    expect(broken({ ...CORE, 'src/format/entry.ts': "import '../core/merkle.ts';" })).toEqual([
      'door src/format/entry.ts',
    ]);
    expect(broken({ ...CORE, 'src/cli/main.ts': "import '../core/merkle.ts';" })).toEqual([
      'door src/cli/main.ts',
    ]);
    const store = { 'src/store/files/index.ts': '', 'src/store/files/lock.ts': '' };
    expect(broken({ ...store, 'src/cli/main.ts': "import '../store/files/lock.ts';" })).toEqual([
      'door src/cli/main.ts',
    ]);
    expect(broken({ ...store, 'src/store/index.ts': "import './files/lock.ts';" })).toEqual([
      'door src/store/index.ts',
    ]);
  });

  it('holds the demo to the table as well', () => {
    const door = { 'examples/demo/index.ts': "import './acts.ts';", 'examples/demo/acts.ts': '' };
    const shown = { ...door, 'src/cli/demo.ts': "import '../../examples/demo/index.ts';" };
    expect(broken(shown)).toEqual([]);
    expect(broken({ ...door, 'src/cli/demo.ts': "import '../../examples/demo/acts.ts';" })).toEqual([
      'door src/cli/demo.ts',
    ]);
    expect(broken({ ...door, 'src/app/index.ts': "import '../../examples/demo/index.ts';" })).toEqual([
      'direction src/app/index.ts',
    ]);
    const past = { ...CORE, 'examples/demo/index.ts': "import '../../src/core/merkle.ts';" };
    expect(broken(past)).toEqual(['door examples/demo/index.ts']);
  });

  it('lets a listed exception past a door, but not down the table', () => {
    const reason = 'keeps the append path small';
    const deep = { from: 'src/cli/foil.ts', to: 'src/core/merkle.ts', reason };
    expect(broken({ ...CORE, 'src/cli/foil.ts': "import '../core/merkle.ts';" }, [deep])).toEqual([]);
    const down = { from: 'src/ledger/worker.ts', to: 'src/record/join.ts', reason };
    const files = { 'src/ledger/worker.ts': "import '../record/join.ts';", 'src/record/join.ts': '' };
    expect(broken(files, [down])).toEqual(['direction src/ledger/worker.ts']);
  });

  it('catches an exception for another file, without a reason, or no longer used', () => {
    const reason = 'keeps the append path small';
    const deep = { from: 'src/format/entry.ts', to: 'src/core/merkle.ts', reason };
    const files = { ...CORE, 'src/format/entry.ts': "import '../core/merkle.ts';" };
    expect(broken(files, [deep])).toEqual(['exception src/format/entry.ts']);
    const cli = { ...CORE, 'src/cli/foil.ts': "import '../core/merkle.ts';" };
    expect(broken(cli, [{ ...deep, from: 'src/cli/foil.ts', reason: ' ' }])).toEqual([
      'exception src/cli/foil.ts',
    ]);
    expect(broken(CORE, [{ ...deep, from: 'src/cli/foil.ts' }])).toEqual(['exception src/cli/foil.ts']);
  });

  it('catches an import cycle, of types too, and across rooms', () => {
    const pair = { 'src/core/a.ts': "import './b.ts';", 'src/core/b.ts': "import type { A } from './a.ts';" };
    expect(broken(pair)).toEqual(['cycle src/core/a.ts']);
    expect(broken({ 'src/core/a.ts': "export * from './a.ts';" })).toEqual(['cycle src/core/a.ts']);
    const platform = {
      'src/core/platform/node.ts': "import '../x.ts';",
      'src/core/x.ts': "import '#platform';",
    };
    expect(broken(platform)).toEqual(['cycle src/core/platform/node.ts']);
    const cli = {
      'src/cli/index.ts': "import '../entry/index.ts';",
      'src/entry/index.ts': "import '../cli/index.ts';",
    };
    expect(broken(cli)).toEqual(['direction src/entry/index.ts', 'cycle src/cli/index.ts']);
  });

  it('sees through the files of dist/ that sources load by name', () => {
    const files = { 'src/verify/index.ts': "import('./worker.cjs');", 'src/ledger/worker.ts': '' };
    expect(broken(files)).toEqual(['direction src/verify/index.ts']);
  });

  it('catches a file in no room, and an import it can not follow', () => {
    expect(broken({ 'src/main.ts': '' })).toEqual(['room src/main.ts']);
    expect(broken({ 'src/utils/x.ts': '' })).toEqual(['room src/utils/x.ts']);
    expect(broken({ 'src/core/a.ts': "import './missing.ts';" })).toEqual(['unresolved src/core/a.ts']);
    expect(broken({ 'src/core/a.ts': "import '#other';" })).toEqual(['unresolved src/core/a.ts']);
    expect(broken({ 'src/ledger/a.ts': 'import(name);' })).toEqual(['unresolved src/ledger/a.ts']);
    expect(broken({ 'src/ledger/a.ts': "import '../../bench/main.ts';" })).toEqual([
      'unresolved src/ledger/a.ts',
    ]);
  });
});
