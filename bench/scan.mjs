// How fast `foil scan` reads transcripts: generated ones in Claude Code's form, with the mix that sessions have (short
// texts, results of 2 to 30 kB, a few that are huge), and of all of it known what must be found. As a process, from its
// start to its end. `node bench/scan.mjs [MB]` prints the figures.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const MEGABYTE = 1_000_000;

/** The same numbers in each run. */
function numbers(seed) {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

const SOURCE = readFileSync(join(root, 'src/report/text.ts'), 'utf8');
const LOG = Array.from(
  { length: 400 },
  (_, i) => `src/module-${i}.ts:${i}: compiled in ${i % 90} ms — ok\n`,
).join('');
const LOOKS = [
  'ls -la src',
  'git status --short',
  'git diff HEAD~1 -- src',
  'grep -rn "parse" src | head -40',
];

/** One session: turns of looking, editing, testing and claiming. Gives the text and what must be found in it. */
export function session(number, random, turns = 12) {
  const lines = [];
  let count = 0;
  const id = (kind) => `${kind}-${number}-${++count}`;
  const sessionId = `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`;
  const line = (type, message, more = {}) =>
    lines.push(
      JSON.stringify({
        parentUuid: id('p'),
        isSidechain: false,
        userType: 'external',
        cwd: '/home/dev/project',
        sessionId,
        version: '2.1.0',
        gitBranch: 'main',
        type,
        message,
        uuid: id('u'),
        timestamp: new Date(Date.UTC(2026, 9, 1 + (number % 40), 8, 0, count % 60)).toISOString(),
        ...more,
      }),
    );
  const says = (...content) =>
    line('assistant', {
      id: id('msg'),
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content,
      usage: { input_tokens: 4, output_tokens: 120 },
    });
  const calls = (name, input, toolUseResult, content) => {
    const call = id('toolu');
    says({
      type: 'thinking',
      thinking: 'Let me see what is there. '.repeat(8),
      signature: 'c2ln'.repeat(40),
    });
    says({ type: 'tool_use', id: call, name, input });
    line(
      'user',
      { role: 'user', content: [{ tool_use_id: call, type: 'tool_result', content }] },
      { toolUseResult },
    );
  };
  const text = (most) => {
    const from = random(LOG.length / 2);
    return `${SOURCE}${LOG}`.repeat(4).slice(from, from + most);
  };
  const reads = () => {
    const content = text(2000 + random(28_000));
    const file = `/home/dev/project/src/m${random(90)}.ts`;
    calls(
      'Read',
      { file_path: file },
      { type: 'text', file: { filePath: file, content, numLines: 90 } },
      content,
    );
  };
  const runs = (command, stdout) =>
    calls(
      'Bash',
      { command, description: 'run it' },
      { stdout, stderr: '', interrupted: false, isImage: false },
      stdout,
    );
  const found = { backed: 0, stale: 0, unbacked: 0 };
  let hasRun = false;
  for (let turn = 0; turn < turns; turn++) {
    line('user', {
      role: 'user',
      content: `Fix the parser in src/m${turn}.ts so that empty lines are kept.`,
    });
    lines.push(
      JSON.stringify({ type: 'file-history-snapshot', messageId: id('m'), snapshot: { files: text(1500) } }),
    );
    for (let i = 0; i < 3 + random(4); i++) reads();
    for (let i = 0; i < 2 + random(3); i++) runs(LOOKS[random(LOOKS.length)], text(500 + random(6000)));
    lines.push(
      JSON.stringify({ type: 'progress', data: { type: 'bash_progress', output: text(800) }, uuid: id('g') }),
    );
    const edit = () => {
      const file = `/home/dev/project/src/m${turn}.ts`;
      const change = {
        filePath: file,
        oldString: 'a',
        newString: 'b',
        originalFile: text(8000),
        structuredPatch: [],
      };
      calls(
        'Edit',
        { file_path: file, old_string: 'a', new_string: 'b' },
        change,
        'The file has been updated.',
      );
    };
    edit();
    const kind = ['backed', 'stale', 'unbacked'][random(3)];
    if (random(40) === 0) runs('cat build.log', text(60_000).repeat(10));
    if (kind !== 'unbacked')
      runs(
        'npx vitest run 2>&1',
        `${text(3000)}\n Test Files  3 passed (3)\n      Tests  ${40 + turn} passed (${40 + turn})\n`,
      );
    if (kind === 'stale') edit();
    says({ type: 'text', text: 'The parser keeps empty lines now.\n\nAll tests pass.' });
    // A run of an earlier turn is still there, and out of date.
    found[kind === 'unbacked' && hasRun ? 'stale' : kind]++;
    hasRun ||= kind !== 'unbacked';
  }
  return { text: `${lines.join('\n')}\n`, found };
}

/** What any reader of these files has to do at least, unless it knows what it can leave out. */
const PARSE_ALL = `
const { readdirSync, readFileSync } = require('node:fs');
const folder = process.env.HOME + '/.claude/projects/-home-dev-project/';
for (const name of readdirSync(folder))
  for (const line of readFileSync(folder + name, 'utf8').split('\\n')) if (line !== '') JSON.parse(line);
`;

const TELL = "process.on('exit', () => require('node:fs').writeSync(2, JSON.stringify(process.cpuUsage())))";

/** One process, from its start to its end: time on the wall and of processors, and what it printed. */
function timed(args, env) {
  const teller = join(env.HOME, 'tell.cjs');
  writeFileSync(teller, TELL);
  const started = process.hrtime.bigint();
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-r', teller, ...args], {
    env,
    maxBuffer: 1 << 28,
  });
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  if (status !== 0) throw new Error(`${args[0]} ended with ${status}: ${stderr}`);
  const { user, system } = JSON.parse(stderr);
  return { seconds, cpuSeconds: (user + system) / 1e6, out: stdout };
}

/** Megabytes a second as a process, once it has been read from the disk; and whether it found what there is. */
export function scanning(megabytes = 200, parent = tmpdir()) {
  const home = mkdtempSync(join(parent, 'foil-scan-'));
  const env = { PATH: process.env.PATH, HOME: home };
  try {
    const { bytes, files, wanted } = generate(home, megabytes);
    let seconds = Number.POSITIVE_INFINITY;
    let cpuSeconds = Number.POSITIVE_INFINITY;
    let parsing = Number.POSITIVE_INFINITY;
    let result;
    for (let i = 0; i < 3; i++) {
      const scan = timed([join(root, 'dist/foil.cjs'), 'scan', '--json'], env);
      seconds = Math.min(seconds, scan.seconds);
      cpuSeconds = Math.min(cpuSeconds, scan.cpuSeconds);
      result = JSON.parse(scan.out);
      parsing = Math.min(parsing, timed(['-e', PARSE_ALL], env).seconds);
    }
    const { tested } = result.types;
    const isRight =
      result.bytes === bytes && Object.entries(wanted).every(([kind, count]) => tested[kind] === count);
    const size = bytes / MEGABYTE;
    return { mbPerSecond: size / seconds, megabytes: size, seconds, cpuSeconds, parsing, files, isRight };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Writes so many megabytes to a folder, to be looked at. */
export function generate(home, megabytes) {
  const folder = join(home, '.claude/projects/-home-dev-project');
  mkdirSync(folder, { recursive: true });
  const random = numbers(7);
  const wanted = { backed: 0, stale: 0, unbacked: 0 };
  let bytes = 0;
  let files = 0;
  while (bytes < megabytes * MEGABYTE) {
    const { text, found } = session(++files, random, 4 + random(24));
    writeFileSync(join(folder, `${String(files).padStart(8, '0')}-0000-4000-8000-000000000000.jsonl`), text);
    bytes += Buffer.byteLength(text);
    for (const kind of Object.keys(wanted)) wanted[kind] += found[kind];
  }
  return { bytes, files, wanted };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(scanning(Number(process.argv[2] ?? 200)));
