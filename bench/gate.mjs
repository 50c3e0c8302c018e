// What the end of a turn costs in a session of 5,000 entries: the stop hook as a process, with and without the service,
// and the service alone. A claim with evidence, so that everything is done: claims, the work tree, validators, signed
// validations, the verdict. `node bench/gate.mjs` runs it alone.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const foil = join(dirname(fileURLToPath(import.meta.url)), '../dist/foil.cjs');
const share = (list, part) => list.toSorted((a, b) => a - b)[Math.floor(list.length * part)];
const median = (list) => share(list, 0.5);

function place() {
  const root = mkdtempSync(join(process.env.BENCH_ROOT ?? tmpdir(), 'foil-bench-'));
  const project = join(root, 'project');
  mkdirSync(join(project, 'src'), { recursive: true });
  const env = {
    ...process.env,
    XDG_STATE_HOME: join(root, 's'),
    XDG_CONFIG_HOME: join(root, 'c'),
    XDG_RUNTIME_DIR: join(root, 'r'),
    HOME: root,
  };
  delete env.NODE_EXTRA_CA_CERTS; // triples node's start where it is set
  delete env.FOIL;
  mkdirSync(env.XDG_RUNTIME_DIR, { mode: 0o700 });
  for (let i = 0; i < 200; i++) writeFileSync(join(project, `src/m${i}.js`), `export const m${i} = ${i};\n`);
  const git = (...words) => execFileSync('git', words, { cwd: project, env, stdio: 'ignore' });
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=dev', '-c', 'user.email=dev@example.com', 'commit', '-qm', 'first');
  const { directory } = JSON.parse(
    execFileSync(process.execPath, [foil, 'init', '--json'], { cwd: project, env }),
  );
  return { root, project, env, directory, remove: () => rmSync(root, { recursive: true, force: true }) };
}

async function serve(env, directory, project) {
  const child = spawn(process.execPath, [foil, 'serve', '--ledger', directory, '--port', '0', '--json'], {
    env,
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const piece of child.stdout) {
    text += piece;
    if (text.includes('\n')) break;
  }
  const { port } = JSON.parse(text.slice(0, text.indexOf('\n')));
  const token = readFileSync(join(directory, 'service/token'), 'utf8').trim();
  const agent = new Agent({ keepAlive: true });
  const post = (body) =>
    new Promise((resolve, reject) => {
      const sent = request(
        {
          agent,
          port,
          host: '127.0.0.1',
          method: 'POST',
          path: '/v1/hook/claude-code',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        },
        (response) => {
          let answer = '';
          response.on('data', (piece) => {
            answer += piece;
          });
          response.on('end', () => resolve(answer));
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  return {
    post,
    stop: () =>
      new Promise((resolve) => {
        agent.destroy();
        child.once('exit', resolve);
        child.kill('SIGTERM');
      }),
  };
}

/** Milliseconds: bare node, the stop hook with the service and without it, and the service alone. */
export async function stopGate({ rounds = 15, entries = 5000 } = {}) {
  const { project, env, directory, root, remove } = place();
  const empty = join(root, 'empty.cjs');
  writeFileSync(empty, '');
  const event = (name, members) =>
    JSON.stringify({
      session_id: 'bench-gate',
      transcript_path: '',
      cwd: project,
      hook_event_name: name,
      ...members,
    });
  const call = (id, command, name, more = {}) =>
    event(name, { tool_name: 'Bash', tool_input: { command }, tool_use_id: id, ...more });
  const ended = (stdout) => ({ tool_response: { stdout, stderr: '', interrupted: false, isImage: false } });
  const file = join(project, 'src/m1.js');
  const edit = {
    tool_name: 'Edit',
    tool_input: { file_path: file, old_string: '1', new_string: '2' },
    tool_use_id: 'e',
  };
  const stop = event('Stop', {
    stop_hook_active: false,
    last_assistant_message: 'Fixed `m1`. All tests pass.',
  });
  const hook = [foil, 'hook', 'claude-code', '--ledger', directory, '--mode', 'observe'];
  const timed = async (list, work) => {
    const started = process.hrtime.bigint();
    const answer = await work();
    list.push(Number(process.hrtime.bigint() - started) / 1e6);
    return answer;
  };
  const run = (args, input) => execFileSync(process.execPath, args, { input, cwd: project, env });
  const times = { bare: [], direct: [], relayed: [], service: [], check: [] };
  let silent = true;
  try {
    const service = await serve(env, directory, project);
    await service.post(event('SessionStart', { source: 'startup' }));
    await service.post(event('UserPromptSubmit', { prompt: 'Fix `src/m1.js`' }));
    for (let i = 0; i < entries / 2; i++) {
      await service.post(call(`t${i}`, 'ls src', 'PreToolUse'));
      await service.post(call(`t${i}`, 'ls src', 'PostToolUse', ended('m1.js\n')));
    }
    await service.post(event('PreToolUse', edit));
    writeFileSync(file, 'export const m1 = 2;\n');
    await service.post(event('PostToolUse', { ...edit, tool_response: { filePath: file } }));
    await service.post(call('test', 'npm test', 'PreToolUse'));
    await service.post(call('test', 'npm test', 'PostToolUse', ended('# tests 2\n# pass 2\n# fail 0\n')));
    for (let i = 0; i < rounds; i++) {
      await timed(times.bare, () => run([empty], stop));
      silent &&= (await timed(times.relayed, () => run(hook, stop))).length === 0;
      silent &&= (await timed(times.service, () => service.post(stop))).length === 0;
      await timed(times.check, () => run(hook, call(`c${i}`, 'npm test', 'PreToolUse')));
    }
    // Enough of them for a p95.
    for (let i = 0; i < 6 * rounds; i++)
      silent &&= (await timed(times.service, () => service.post(stop))).length === 0;
    await service.stop();
    for (let i = 0; i < rounds; i++) {
      silent &&= (await timed(times.direct, () => run(hook, stop))).length === 0;
      run([foil, 'checkpoint', '--ledger', directory]); // waits for the process that seals apart
    }
    const report = JSON.parse(execFileSync(process.execPath, [foil, 'verify', directory, '--json'], { env }));
    const recorded = silent && report.verdict === 'INTACT' && report.facets.evidence.status === 'pass';
    return {
      bare: median(times.bare),
      relayed: median(times.relayed),
      service: median(times.service),
      serviceP95: share(times.service, 0.95),
      direct: median(times.direct),
      check: median(times.check),
      entries: report.entries,
      recorded,
    };
  } finally {
    remove();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { bare, relayed, service, serviceP95, direct, check, entries, recorded } = await stopGate();
  console.log(
    `bare node ${bare.toFixed(1)} ms · stop by process, service there ${relayed.toFixed(1)} (× ${(relayed / bare).toFixed(2)}) · service alone ${service.toFixed(1)}, p95 ${serviceP95.toFixed(1)} · without a service ${direct.toFixed(1)} (× ${(direct / bare).toFixed(2)}) · a call that is a check ${check.toFixed(1)} (× ${(check / bare).toFixed(2)}) · ${entries} entries, ${recorded ? 'all judged and verified' : 'NOT as it must be'}`,
  );
}
