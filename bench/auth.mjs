// What looking up an auth key costs before a prompt, under the conditions of a hook: a process that has just started and has
// found its ledger, code from its compiled form, and a file or two read before. Timed from finding the key store to the
// answer. Beside it the whole hook with and without a key. `node bench/auth.mjs` prints the figures.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const foil = join(root, 'dist/foil.cjs');
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

/** One function, as start.script is. */
const PROBE = `
  import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
  import { locate } from './src/ledger/index.ts';
  import { authDirectory, openAuth } from './src/session/index.ts';
  const [, ledger, id] = process.argv.slice(1);
  const fd = openSync(ledger + '/head', 'r');
  readSync(fd, Buffer.alloc(fstatSync(fd).size));
  closeSync(fd);
  existsSync(ledger + '/settings');
  const located = locate({ ledger, env: process.env });
  const started = process.hrtime.bigint();
  const failure = openAuth(authDirectory(located)).check(id);
  const took = Number(process.hrtime.bigint() - started) / 1e6;
  console.log(JSON.stringify({ took, good: failure === null }));`;

/** As foil.ts loads start.script; the first run leaves the compiled form. */
const LOADER = `
  const { existsSync, readFileSync, writeFileSync } = require('node:fs');
  const { Script } = require('node:vm');
  const [file, cache] = [__dirname + '/probe.script', __dirname + '/probe.cache'];
  const options = { filename: file, ...(existsSync(cache) ? { cachedData: readFileSync(cache) } : {}) };
  const script = new Script(readFileSync(file, 'latin1'), options);
  script.runInThisContext()(require);
  if (!existsSync(cache)) writeFileSync(cache, script.createCachedData());`;

export async function revocationCheck(rounds = 21) {
  const base = mkdtempSync(join(process.env.BENCH_ROOT ?? tmpdir(), 'foil-auth-'));
  try {
    const probe = join(base, 'probe.cjs');
    writeFileSync(probe, LOADER);
    await build({
      stdin: { contents: PROBE, resolveDir: root, loader: 'ts' },
      outfile: join(base, 'probe.script'),
      banner: { js: '(function(require){' },
      footer: { js: '})' },
      charset: 'ascii',
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'cjs',
      conditions: ['start'],
      external: ['fs-native-extensions'],
      logLevel: 'error',
      logOverride: { 'empty-import-meta': 'silent' },
    });
    const place = (name, keyed) => {
      const home = join(base, name);
      const work = join(home, 'work');
      mkdirSync(work, { recursive: true });
      const env = {
        ...process.env,
        HOME: home,
        XDG_STATE_HOME: join(home, 's'),
        XDG_CONFIG_HOME: join(home, 'c'),
      };
      delete env.NODE_EXTRA_CA_CERTS; // triples node's start where it is set
      delete env.FOIL;
      const run = (words, input = '') => execFileSync(process.execPath, words, { cwd: work, env, input });
      const { directory } = JSON.parse(run([foil, 'init', '--json']));
      const key = keyed ? JSON.parse(run([foil, 'auth', 'add', 'bench', '--present', '--json'])) : null;
      let prompts = 0;
      const prompt = () => {
        const body = JSON.stringify({
          session_id: 's',
          cwd: work,
          hook_event_name: 'UserPromptSubmit',
          prompt: `prompt ${prompts++}`,
        });
        const started = process.hrtime.bigint();
        run([foil, 'hook', 'claude-code', '--ledger', directory, '--mode', 'guard'], body);
        return Number(process.hrtime.bigint() - started) / 1e6;
      };
      return { run, directory, key, prompt };
    };
    const [keyed, plain] = [place('keyed', true), place('plain', false)];
    const checks = [];
    const hooks = { keyed: [], plain: [] };
    let good = true;
    keyed.run([probe, keyed.directory, keyed.key.id]);
    for (let i = 0; i < rounds; i++) {
      const found = JSON.parse(keyed.run([probe, keyed.directory, keyed.key.id]));
      checks.push(found.took);
      good &&= found.good;
      hooks.keyed.push(keyed.prompt());
      hooks.plain.push(plain.prompt());
    }
    console.log(
      checks
        .toSorted((a, b) => a - b)
        .slice(0, 6)
        .join(' '),
    );
    return { check: median(checks), keyed: median(hooks.keyed), plain: median(hooks.plain), good };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { check, keyed, plain, good } = await revocationCheck();
  process.stdout.write(
    `revocation check ${check.toFixed(3)} ms, good: ${good}; hook at a prompt ${keyed.toFixed(1)} ms with a key, ${plain.toFixed(1)} ms without\n`,
  );
}
