// What the events that Claude Code hands to a process take beside a bare start of node, with the service up and without
// one: processor time of the process (user + system), and the clock. `node bench/hook-starts.mjs [rounds]`.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { place } from './place.mjs';

const foil = join(dirname(fileURLToPath(import.meta.url)), '../dist/foil.cjs');
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const TIMED = 'TIMEFORMAT="%3U %3S %3R"; time "$@" >/dev/null 2>/dev/null';

function projectWithLedger() {
  const { root, project, env } = place();
  mkdirSync(join(project, 'src'));
  writeFileSync(join(project, 'package.json'), '{"scripts":{"test":"node --test"}}\n');
  writeFileSync(join(project, 'src/m.js'), 'export const m = 1;\n');
  const git = (...words) => execFileSync('git', words, { cwd: project, env });
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.name=b', '-c', 'user.email=b@example.com', 'commit', '-qm', 'a');
  const { directory: ledger } = JSON.parse(
    execFileSync(process.execPath, [foil, 'init', '--json'], { cwd: project, env }),
  );
  return { root, project, env, ledger };
}

async function serve({ project, env, ledger }) {
  const child = spawn(process.execPath, [foil, 'serve', '--ledger', ledger, '--port', '0', '--json'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  };
}

const EVENTS = [
  ['SessionStart', { source: 'startup' }],
  ['UserPromptSubmit', { prompt: 'Fix `src/m.js`' }],
  ['Stop', { stop_hook_active: false, last_assistant_message: 'I looked at `m` and changed nothing.' }],
  ['SessionEnd', { reason: 'other' }],
];

/** Medians in milliseconds, each `{ cpu, wall }`: of bare node, and of each event in both ways. */
export async function hookStarts(rounds = 15) {
  const here = projectWithLedger();
  const { root, project, env, ledger } = here;
  const empty = join(root, 'empty.cjs');
  writeFileSync(empty, '');
  const timed = (words, input) => {
    const { stderr } = spawnSync('bash', ['-c', TIMED, 'time', process.execPath, ...words], {
      cwd: project,
      env,
      input,
      encoding: 'utf8',
    });
    const [user = NaN, system = NaN, real = NaN] = stderr.trim().split(' ').map(Number);
    return { cpu: (user + system) * 1000, wall: real * 1000 };
  };
  const middle = (list) => ({
    cpu: median(list.map(({ cpu }) => cpu)),
    wall: median(list.map(({ wall }) => wall)),
  });
  const bare = [];
  const session = (label, times) => {
    for (const [name, members] of EVENTS) {
      const body = {
        session_id: label,
        transcript_path: '',
        cwd: project,
        hook_event_name: name,
        ...members,
      };
      bare.push(timed([empty], ''));
      times.get(name).push(timed([foil, 'hook', 'claude-code', '--ledger', ledger], JSON.stringify(body)));
      // Whoever seals apart is done before the next is timed.
      if (label.startsWith('direct'))
        execFileSync(process.execPath, [foil, 'checkpoint', '--ledger', ledger], { env, cwd: project });
    }
  };
  const made = () => new Map(EVENTS.map(([name]) => [name, []]));
  const ways = { served: made(), direct: made() };
  try {
    const leave = await serve(here);
    for (let round = 0; round < rounds; round++) session(`served-${round}`, ways.served);
    await leave();
    for (let round = 0; round < rounds; round++) session(`direct-${round}`, ways.direct);
    const of = (times) => Object.fromEntries([...times].map(([name, list]) => [name, middle(list)]));
    return { bare: middle(bare), served: of(ways.served), direct: of(ways.direct) };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { bare, ...ways } = await hookStarts(Number(process.argv[2] ?? 15));
  console.log(`bare node          cpu ${bare.cpu.toFixed(0)} ms, wall ${bare.wall.toFixed(0)} ms`);
  for (const [way, events] of Object.entries(ways))
    for (const [name, { cpu, wall }] of Object.entries(events))
      console.log(
        `${way} ${name.padEnd(16)} cpu × ${(cpu / bare.cpu).toFixed(2)}, wall × ${(wall / bare.wall).toFixed(2)}`,
      );
}
