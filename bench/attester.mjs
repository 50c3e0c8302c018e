// 100 attestations queued, two at a time, and a kill -9 of the attester again and again: none may be lost, and none answered
// in two ways. The attester is `foil attester serve` with its real sandbox; the submissions are one run whose pack was
// encrypted anew for each. `node bench/attester.mjs` prints the figures.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const FOIL = join(root, 'dist/foil.cjs');
const JOBS = 100;
/** The attester is killed when so many have their answers. */
const KILLS = [5, 30, 60, 90];
const CLIENTS = 16;

const SOURCES = `
export { encodeArtifacts, parseSignedAttestation } from './src/format/index.ts';
export { encryptPack } from './src/harness/index.ts';
export { encodeSubmission } from './src/service/attester/submission.ts';
export { makeBubblewrap } from './src/sandbox/bubblewrap/index.ts';
`;

const SETTINGS = `pack:
  outputs: ['src/**']
  verification:
    method: tests
    command: [sh, test/check.sh]
    report: tap
    tests: [says hello]
    files: ['test/**']
    timeout_seconds: 60
`;
const CHECK = `echo "TAP version 13"; echo 1..1
grep -q hello src/a.txt && echo "ok 1 - says hello" || echo "not ok 1 - says hello"
`;

async function load(work) {
  const outfile = join(work, 'sources.mjs');
  await build({
    stdin: { contents: SOURCES, resolveDir: root, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['fs-native-extensions'],
    alias: { '#platform': join(root, 'src/core/platform/node.ts') },
    outfile,
    logLevel: 'error',
  });
  return import(pathToFileURL(outfile).href);
}

/** A run, recorded by `foil run` in a project of its own, and its bundle. */
function record(work) {
  const project = join(work, 'project');
  for (const folder of ['src', 'test']) mkdirSync(join(project, folder), { recursive: true });
  mkdirSync(join(work, 'run'), { mode: 0o700 });
  writeFileSync(join(project, 'counterfoil.yaml'), SETTINGS);
  writeFileSync(join(project, 'AGENTS.md'), 'Be brief.\n');
  writeFileSync(join(project, 'test/check.sh'), CHECK);
  const env = {
    PATH: process.env.PATH,
    HOME: work,
    XDG_STATE_HOME: join(work, 'xdg-state'),
    XDG_CONFIG_HOME: join(work, 'xdg-config'),
    XDG_RUNTIME_DIR: join(work, 'run'),
  };
  const foil = (...words) =>
    execFileSync(process.execPath, [FOIL, ...words], {
      cwd: project,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  foil('init');
  foil('pack', 'create');
  foil('run', '--pack', 'harness-pack.tar.gz', '--', 'sh', '-c', 'echo hello > src/a.txt');
  foil('bundle', 'create', '--out', 'run.bundle');
  const bytes = (name) => new Uint8Array(readFileSync(join(project, name)));
  return { pack: bytes('harness-pack.tar.gz'), bundle: bytes('run.bundle'), artifact: bytes('src/a.txt') };
}

/** The submissions of one run: its pack, encrypted anew for each. */
async function submissions(work, sources, encryptionKey) {
  const { pack, bundle, artifact } = record(work);
  const artifacts = sources.encodeArtifacts([{ path: 'src/a.txt', bytes: artifact }]);
  const bodies = [];
  for (let i = 0; i < JOBS; i++) {
    const sealed = Buffer.from(JSON.stringify(await sources.encryptPack(pack, [encryptionKey])));
    bodies.push(sources.encodeSubmission({ pack: sealed, bundle, artifacts }));
  }
  return bodies;
}

async function start(state) {
  const words = ['attester', 'serve', '--listen', '127.0.0.1:0', '--state', state, '--jobs', '2', '--json'];
  const child = spawn(process.execPath, [FOIL, ...words], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const line = await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    ended.then(() => reject(new Error('the attester did not start')));
  });
  const { url, token_file } = JSON.parse(line);
  return { child, ended, url, token: readFileSync(token_file, 'latin1').trim() };
}

/** `why` where there is no bubblewrap to attest in. */
export async function attestations() {
  const work = mkdtempSync(join(tmpdir(), 'foil-bench-attester-'));
  let up;
  try {
    const sources = await load(work);
    const why = await sources.makeBubblewrap({ hidden: [] }).available();
    if (why !== null) return { why };
    const state = join(work, 'state');
    up = start(state);
    await up;
    const shown = execFileSync(process.execPath, [FOIL, 'attester', 'show', '--state', state, '--json']);
    const bodies = await submissions(work, sources, JSON.parse(shown).encryption_key);

    const ask = async (path, init) => {
      for (;;) {
        const server = await up;
        try {
          const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/x-tar' };
          const response = await fetch(`${server.url}${path}`, { ...init, headers });
          return { status: response.status, text: await response.text() };
        } catch {
          await server.ended;
        }
      }
    };
    const answers = new Map();
    let [lost, killed] = [0, 0];
    const kill = async () => {
      const server = await up;
      server.child.kill('SIGKILL');
      up = server.ended.then(() => start(state));
      await up;
    };
    const answered = async (id) => {
      for (;;) {
        const { status, text } = await ask(`/v1/attestations/${id}?wait=30`);
        if (status !== 200) return null;
        if (!/"status":"(?:queued|running)"/.test(text)) return text;
      }
    };
    const begun = performance.now();
    const ids = bodies.map((body) => createHash('sha256').update(body).digest('hex'));
    const waiting = bodies.entries();
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        for (const [, body] of waiting) await ask('/v1/attestations', { method: 'POST', body });
      }),
    );
    const accepted = performance.now() - begun;
    await Promise.all(
      ids.map(async (id) => {
        const text = await answered(id);
        if (text === null) lost++;
        else answers.set(id, text);
        if (answers.size === KILLS[killed]) {
          killed++;
          await kill();
        }
      }),
    );
    const seconds = (performance.now() - begun) / 1000;
    await kill();
    let [different, passed] = [0, 0];
    for (const id of ids) {
      const text = await answered(id);
      if (text !== answers.get(id)) different++;
      const { attestation } = JSON.parse(text ?? '{}');
      const bytes = new TextEncoder().encode(JSON.stringify(attestation ?? null));
      if (attestation && sources.parseSignedAttestation(bytes).attestation.result === 'PASS') passed++;
    }
    const attempts = [...answers.values()].map((text) => JSON.parse(text).attempt);
    return {
      why: null,
      ...{ jobs: JOBS, kills: killed + 1, lost, different, passed, seconds },
      acceptMs: accepted / JOBS,
      again: attempts.filter((attempt) => attempt > 1).length,
    };
  } finally {
    const server = await up?.catch(() => undefined);
    server?.child.kill('SIGTERM');
    await server?.ended;
    rmSync(work, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const result = await attestations();
  console.log(
    result.why ??
      `${result.jobs} submissions, ${result.kills} kills: ${result.lost} lost, ${result.different} answered in two ways, ${result.passed} PASS in ${result.seconds.toFixed(1)} s; ${result.again} were begun more than once; accepting one took ${result.acceptMs.toFixed(1)} ms`,
  );
}
