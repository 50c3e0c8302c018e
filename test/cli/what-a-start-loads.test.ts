// A start of `foil` loads what the command needs and nothing else, which is seen in the process itself: the scripts of
// ours that ran, and what of Node was loaded. And nothing but speed depends on the compiled forms beside the scripts.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeHelp } from '../../src/cli/main.ts';
import { ends, FOIL, prints, Sandbox } from './foil.ts';

const dist = dirname(FOIL);
const sandbox = new Sandbox();
afterAll(() => sandbox.remove());

/** Tells at the end of a process which scripts it ran, and which modules of Node's it has. */
const TELL = `const vm = require('node:vm');
const scripts = [];
const { Script } = vm;
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options);
    scripts.push({ file: options.filename, compiled: this.cachedDataRejected === false });
  }
};
process.on('exit', () => require('node:fs').writeFileSync(process.env.TELL, JSON.stringify({
  scripts,
  modules: process.moduleLoadList.filter((name) => /^NativeModule [a-z_/]+$/.test(name)).map((name) => name.slice(13)),
})));
`;

interface Loaded {
  readonly scripts: readonly { readonly file: string; readonly compiled: boolean }[];
  readonly modules: readonly string[];
}

/** What Node loads before it comes to us. */
let bare: ReadonlySet<string>;

function told(words: readonly string[], command: string[] = [FOIL]): Loaded {
  const preload = sandbox.write('tell.cjs', TELL);
  const tell = sandbox.path('told.json');
  const env = { ...sandbox.env, TELL: tell };
  execFileSync(process.execPath, ['-r', preload, ...command, ...words], { cwd: sandbox.work, env });
  return JSON.parse(readFileSync(tell, 'utf8'));
}

const scriptsOf = ({ scripts }: Loaded): string[] => scripts.map(({ file }) => basename(file, '.script'));
const modulesOf = ({ modules }: Loaded): string[] => modules.filter((name) => !bare.has(name));

/** Each takes from a twentieth to a quarter of Node's own start. */
const HEAVY = ['child_process', 'http', 'https', 'net', 'stream', 'tls', 'tty', 'worker_threads', 'zlib'];

beforeAll(() => {
  bare = new Set(told([], [sandbox.write('empty.cjs', '')]).modules);
  sandbox.ledger(3);
});

describe('a start loads', () => {
  it.each([[['--version']], [['--help']], [['verify', '--help']], [['help', 'serve']], [['hook', '--help']]])(
    'one script and nothing of Node for %j',
    (words) => {
      const loaded = told(words);
      expect(scriptsOf(loaded)).toEqual(['main']);
      expect(modulesOf(loaded)).toEqual([]);
    },
  );

  it.each([
    [['mode'], []],
    [['auth', 'list'], []],
    [['log'], ['crypto', 'stream']],
    [
      ['show', '1'],
      ['crypto', 'stream'],
    ],
    [['status'], ['crypto', 'stream']],
    [
      ['session', 'list'],
      ['crypto', 'stream'],
    ],
    [
      ['key', 'list'],
      ['crypto', 'stream'],
    ],
    [['checkpoint'], ['crypto', 'stream']],
    [
      ['prove', '1'],
      ['crypto', 'stream'],
    ],
    [['verify'], ['crypto', 'stream']],
  ])('nothing heavy of Node for %j but %j', (words, needed) => {
    const heavy = modulesOf(told(words)).filter((name) => HEAVY.includes(name) || name === 'crypto');
    expect(heavy.filter((name) => !needed.includes(name))).toEqual([]);
  });

  it('no parser of shells or YAML, no classifier and no server for a look at the log', () => {
    const source = told(['log']).scripts.map(({ file }) => readFileSync(file));
    expect(Buffer.concat(source).length).toBeLessThan(885_000);
    const all = readdirSync(dist, { recursive: true, encoding: 'utf8' });
    const whole = Buffer.concat(
      all.filter((name) => name.endsWith('.script')).map((name) => readFileSync(join(dist, name))),
    );
    expect(whole.length).toBeGreaterThan(2_000_000); // so the line above can fail
  });
});

it('the help that the build wrote down is what the commands say', async () => {
  expect(JSON.parse(readFileSync(join(dist, 'help.json'), 'utf8'))).toEqual(await writeHelp());
});

describe('without compiled forms', () => {
  const copy = join(sandbox.root, 'package/dist');
  const foil = join(copy, 'foil.cjs');
  const plain = new Sandbox(foil);
  afterAll(() => plain.remove());
  const compiled = (): string[] =>
    readdirSync(copy, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.cache'));

  beforeAll(() => {
    mkdirSync(dirname(copy));
    cpSync(dist, copy, { recursive: true, filter: (path) => !path.endsWith('.cache') });
    symlinkSync(join(dist, '../node_modules'), join(copy, '../node_modules'));
  });

  it('every command has its help, and small ones work', () => {
    const expected = JSON.parse(readFileSync(join(dist, 'help.json'), 'utf8'));
    expect(plain.ok(['--help'])).toBe(expected['']);
    // Not as the build wrote it down: the command itself is loaded.
    expect(plain.ok(['serve', '--json', '--help'])).toBe(expected.serve);
    plain.ledger(2);
    for (const words of [['log'], ['status'], ['mode'], ['checkpoint'], ['key', 'list']]) plain.ok(words);
    expect(plain.json(['verify'])).toMatchObject({ verdict: 'INTACT', entries: 3 });
    expect(compiled()).toEqual([]);
  });

  it('a run that compiles leaves them whole, and the next run has them from there', () => {
    plain.ok(['--compile', 'mode']);
    expect(compiled().filter((name) => !name.endsWith('.cache'))).toEqual([]);
    const { scripts } = told(['mode'], [foil]);
    expect(scripts.length).toBeGreaterThan(1);
    for (const { file, compiled } of scripts) expect([file, compiled]).toEqual([file, true]);
    const cache = join(copy, compiled()[0] ?? '');
    writeFileSync(cache, 'not what V8 wrote');
    expect(plain.ok(['mode'])).toMatch(/^observe/);
    expect(existsSync(cache)).toBe(true);
  });

  it('a command that lives on when the package is replaced needs none of its files any more', async () => {
    const child = plain.start(['mcp', 'serve']);
    const say = (id: number, method: string, params: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const clientInfo = { name: 'test', version: '1' };
    say(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    await prints(child, /"id":1,"result"/);
    renameSync(join(copy, 'cli'), join(copy, 'replaced'));
    const begun = prints(child, /"id":2,.*\n/);
    const where = { workspace_root: plain.work, role: 'executor' };
    say(2, 'tools/call', { name: 'begin_session', arguments: where });
    expect(await begun).toContain('session');
    expect(await begun).not.toMatch(/ENOENT|isError/);
    child.stdin.end();
    expect(await ends(child)).toEqual({ code: 0, signal: null });
  });
});
