// What a commit of the git anchor costs: caught up in one go, and after each interaction, against `git commit` as a process
// each time; and the two ways of having git write it that were not taken, a fast-import that is kept open and plumbing. All
// on the same disk. And what an append takes while the repository is written. `node bench/git-anchor.mjs` prints it.
import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const MANY = 2000;
const FEW = 40;
const env = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C' };
const FILES = ['chain_entry', 'prompt_hash', 'response_hash', 'session'];
const hash = () => createHash('sha256').update(randomBytes(16)).digest('hex');
const git = (directory, args, input) =>
  execFileSync('git', ['-C', directory, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    env,
    input,
    encoding: 'utf8',
  }).trim();
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

async function load(directory) {
  const outfile = join(directory, 'anchor.mjs');
  const contents = `
    export { catchUp } from './src/anchor/git/index.ts';
    export { createLedger, encodeBlock } from './src/ledger/index.ts';
    export { createFileStore, gitLock, openKeyring } from './src/store/files/index.ts';
    export { encodeInteraction, encodeSessionStart } from './src/format/index.ts';
    export { advance, newChain } from './src/session/index.ts';`;
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
    external: ['fs-native-extensions'],
    logLevel: 'error',
  });
  return import(pathToFileURL(outfile));
}

/** A ledger with one session that is open, and a function that records interactions in it. */
async function openSession(library, directory) {
  const {
    createFileStore,
    createLedger,
    encodeBlock,
    encodeInteraction,
    encodeSessionStart,
    advance,
    newChain,
    gitLock,
  } = library;
  const store = await createFileStore(directory);
  const keyring = library.openKeyring(join(directory, 'keys'));
  await createLedger({ store, keyring, random: randomBytes });
  const session = hash();
  let chain = newChain(session);
  const start = {
    agent: 'bench',
    agentSession: null,
    workspaceRoot: null,
    trigger: 'bench',
    resumes: null,
    interaction: 'sdk',
    interactionKind: 'response',
    mode: 'observe',
    content: 'none',
    hashes: 'plain',
    redaction: '',
    configHash: null,
    transcript: null,
    hostProcess: null,
  };
  const payload = encodeSessionStart(start, { authKey: null, block: null, branch: 'branch-4' });
  const write = (drafts) => store.append((head) => encodeBlock(drafts, head, Date.now()));
  await write([{ kind: 'session.start', source: 'sdk', session_id: session, payload }]);
  return {
    store,
    note: () =>
      write([{ kind: 'note', source: 'bench', session_id: null, payload: { text: 'while git is written' } }]),
    interact(count) {
      const drafts = Array.from({ length: count }, () => {
        const response = hash();
        const next = advance(chain, hash(), response);
        chain = next.chain;
        const said = { response_hash: response, ...encodeInteraction(next.interaction) };
        return { kind: 'response', source: 'sdk', session_id: session, payload: said };
      });
      return write(drafts);
    },
    async catchUp(gentle = false) {
      const result = await library.catchUp({ directory, store, lock: gitLock(directory), gentle });
      if ('problem' in result) throw new Error(result.message);
      return result.commits;
    },
  };
}

/** Milliseconds a commit. */
function commitAsProcess(directory) {
  git('/', ['init', '-q', directory]);
  const times = [];
  for (let i = 0; i < FEW; i++) {
    for (const name of FILES) writeFileSync(join(directory, name), `${hash()}\n`);
    git(directory, ['add', '.']);
    const start = performance.now();
    git(directory, ['commit', '-q', '-m', `interaction-${i}`]);
    times.push(performance.now() - start);
  }
  return median(times);
}

function plumbing(directory) {
  git('/', ['init', '-q', '--bare', directory]);
  const times = [];
  let parent = '';
  for (let i = 0; i < FEW / 4; i++) {
    const start = performance.now();
    const tree = FILES.map(
      (name) => `100644 blob ${git(directory, ['hash-object', '-w', '--stdin'], `${hash()}\n`)}\t${name}\n`,
    );
    const made = git(directory, ['mktree'], tree.join(''));
    const before = parent === '' ? [] : ['-p', parent];
    const id = git(directory, ['commit-tree', made, ...before, '-m', `interaction-${i}`]);
    git(directory, ['update-ref', 'refs/heads/branch-4', id, ...(parent === '' ? [] : [parent])]);
    parent = id;
    times.push(performance.now() - start);
  }
  return median(times);
}

async function fastImport(directory, count, each) {
  git('/', ['init', '-q', '--bare', directory]);
  const child = spawn('git', ['-C', directory, 'fast-import', '--quiet', '--date-format=raw'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let told = () => undefined;
  child.stdout.on('data', () => told());
  const start = performance.now();
  for (let i = 0; i < count; ) {
    let text = '';
    for (let n = 0; n < each; n++, i++) {
      const message = `interaction-${i}\n`;
      const files = FILES.map((name) => `M 100644 inline ${name}\ndata 65\n${hash()}\n`).join('');
      text += `commit refs/heads/branch-4\ncommitter a <a@b> 1794736804 +0000\ndata ${message.length}\n${message}${files}\n`;
    }
    const done = new Promise((resolve) => {
      told = resolve;
    });
    child.stdin.write(`${text}checkpoint\n\nprogress done\n`);
    await done;
  }
  const time = (performance.now() - start) / count;
  child.stdin.end();
  await new Promise((resolve) => child.on('close', resolve));
  return time;
}

async function appendsFor(session, work) {
  const times = [];
  let done = false;
  const ending = work().finally(() => {
    done = true;
  });
  while (!done || times.length < FEW) {
    const start = performance.now();
    await session.note();
    times.push(performance.now() - start);
  }
  await ending;
  return times;
}

/** Milliseconds each, all of them. `parent` is where it may write. */
export async function gitAnchor(parent) {
  const directory = mkdtempSync(join(parent, 'git-'));
  const place = (name) => join(directory, name);
  try {
    const library = await load(directory);
    const process = commitAsProcess(place('commit'));
    const session = await openSession(library, place('ledger'));
    await session.interact(FEW);
    await session.catchUp();
    await session.interact(MANY);
    const start = performance.now();
    const commits = await session.catchUp();
    const together = (performance.now() - start) / commits;
    const single = [];
    for (let i = 0; i < FEW; i++) {
      await session.interact(1);
      const since = performance.now();
      await session.catchUp();
      single.push(performance.now() - since);
    }
    const alone = await appendsFor(session, async () => undefined);
    await session.interact(MANY);
    const meanwhile = await appendsFor(session, () => session.catchUp(true));
    await session.store.close();
    return {
      commits,
      process,
      together,
      single: median(single),
      append: { alone: median(alone), meanwhile: median(meanwhile) },
      fastImport: {
        together: await fastImport(place('kept'), MANY, MANY),
        single: await fastImport(place('each'), FEW, 1),
      },
      plumbing: plumbing(place('plumbing')),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const work = join(root, 'bench', `.work-${process.pid}`);
  mkdirSync(work);
  try {
    console.log(await gitAnchor(work));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
