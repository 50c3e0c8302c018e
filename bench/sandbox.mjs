// What the sandbox of attestations adds to a command: the same command by itself, in our sandbox with its folder
// read-only, with all of it writable, and in a bare bubblewrap, taking turns. `node bench/sandbox.mjs` prints the figures.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const ROUNDS = 41;
const FILES = 20;
const COMMAND = ['/bin/true'];
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

const ended = ([program, ...args]) =>
  new Promise((resolve, reject) => {
    spawn(program, args, { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] })
      .on('error', reject)
      .on('close', resolve);
  });

async function timed(times, deed) {
  const started = performance.now();
  const result = await deed();
  times.push(performance.now() - started);
  return result;
}

/** Milliseconds at the median; `why` where there is no bubblewrap to measure. */
export async function sandboxStart() {
  const work = mkdtempSync(join(tmpdir(), 'foil-bench-sandbox-'));
  try {
    const outfile = join(work, 'sandbox.mjs');
    const entry = join(root, 'src/sandbox/bubblewrap/index.ts');
    await build({
      entryPoints: [entry],
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      alias: { '#platform': join(root, 'src/core/platform/node.ts') },
      outfile,
      logLevel: 'error',
    });
    const { makeBubblewrap } = await import(pathToFileURL(outfile).href);
    const sandbox = makeBubblewrap({ hidden: [] });
    const why = await sandbox.available();
    if (why !== null) return { why };
    const folder = join(work, 'folder');
    mkdirSync(folder);
    for (let n = 0; n < FILES; n++) writeFileSync(join(folder, `file-${n}.js`), 'export {};\n'.repeat(100));
    const run = (writable) =>
      sandbox.runFolder({
        argv: COMMAND,
        folder,
        writable,
        report: { path: 'report', maxBytes: 1024 },
        timeoutMs: 60_000,
        maxOutput: 65_536,
      });
    const [alone, ours, writable, bare] = [[], [], [], []];
    let isRight = true;
    for (let round = 0; round < ROUNDS; round++) {
      await timed(alone, () => ended(COMMAND));
      for (const { exit } of [await timed(ours, () => run([])), await timed(writable, () => run(['.']))])
        isRight &&= exit === 0;
      await timed(bare, () =>
        ended(['bwrap', '--ro-bind', '/', '/', '--dev', '/dev', '--unshare-all', ...COMMAND]),
      );
    }
    const [command, readOnly, open, wrapped] = [alone, ours, writable, bare].map(median);
    return {
      why,
      isRight,
      command,
      readOnly: readOnly - command,
      writable: open - command,
      bare: wrapped - command,
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { why, command, readOnly, writable, bare } = await sandboxStart();
  const ms = (time) => `${time.toFixed(1)} ms`;
  console.log(
    why ??
      `the command ${ms(command)}; added by our sandbox ${ms(readOnly)}, with all of it writable ${ms(writable)}, by bare bubblewrap ${ms(bare)}`,
  );
}
