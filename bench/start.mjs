// What small commands take beside a bare start of node, in processor time (user + system), which a busy machine changes
// less than it does the clock. Commands and bare node take turns, in a project with a session on record.
// `node bench/start.mjs` prints the ratios; `node bench/start.mjs 'status' 'log --last 5'` those of these command lines.
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { place } from './place.mjs';

const foil = join(dirname(fileURLToPath(import.meta.url)), '../dist/foil.cjs');
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

export const SMALL = [
  '--version',
  '--help',
  'mode',
  'auth list',
  'log',
  'crashes',
  'session list',
  'evidence',
  'key list',
  'show 1',
  'checkpoint',
  'status',
  'verify',
];
/** A shell that does nothing else times a child to a millisecond; Node itself tells nothing of its children. */
const TIMED = 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null 2>/dev/null';

/** A session of a few calls, a claim at its end, and an auth key. */
function record(project, env) {
  const run = (words, input = '') =>
    execFileSync(process.execPath, [foil, ...words], { cwd: project, env, input, stdio: 'pipe' });
  const hook = (name, members) =>
    run(
      ['hook', 'claude-code'],
      JSON.stringify({ session_id: 's', cwd: project, hook_event_name: name, ...members }),
    );
  const ended = { tool_response: { stdout: 'a\n', stderr: '', interrupted: false, isImage: false } };
  execFileSync('git', ['init', '-q'], { cwd: project, env });
  run(['init']);
  run(['auth', 'add', 'bench', '--present']);
  hook('UserPromptSubmit', { prompt: 'Fix `a.ts` and run `npm test`' });
  for (const command of ['ls', 'npm test', 'git status']) {
    const call = { tool_name: 'Bash', tool_input: { command }, tool_use_id: command };
    hook('PreToolUse', call);
    hook('PostToolUse', { ...call, ...ended });
  }
  hook('Stop', { stop_hook_active: false, last_assistant_message: 'Fixed `a.ts`. All tests pass.' });
  run(['checkpoint']);
}

/** The milliseconds of bare node, and of each command, at the median. */
export function commandStarts(lines = SMALL, rounds = 15) {
  const { root, project, env } = place();
  const timed = (words) => {
    const { stderr } = spawnSync('bash', ['-c', TIMED, 'time', process.execPath, ...words], {
      cwd: project,
      env,
      encoding: 'utf8',
    });
    const [user = NaN, system = NaN] = stderr.trim().split(' ').map(Number);
    return (user + system) * 1000;
  };
  try {
    record(project, env);
    const bare = [];
    const commands = new Map(lines.map((line) => [line, []]));
    for (let round = 0; round < rounds; round++)
      for (const [line, times] of commands) {
        bare.push(timed(['-e', '0']));
        times.push(timed([foil, ...line.split(' ')]));
      }
    return { bare: median(bare), commands: [...commands].map(([line, times]) => [line, median(times)]) };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const given = process.argv.slice(2);
  const { bare, commands } = commandStarts(given.length === 0 ? SMALL : given);
  console.log(`${'node -e 0'.padEnd(14)} ${bare.toFixed(0).padStart(4)} ms`);
  for (const [line, time] of commands)
    console.log(`${line.padEnd(14)} ${time.toFixed(0).padStart(4)} ms  × ${(time / bare).toFixed(2)}`);
}
