// The demo's second act: a scripted agent works in a project where `foil install` was run, its steps go through the real
// hooks and the real local service, and then everything is asked of what was written. Nothing of the machine's own state
// or configuration is read or written, and the service is ended with the act.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { withLedger } from '../../src/app/index.ts';
import type { JsonObject } from '../../src/core/index.ts';
import { verifyDirectory } from '../../src/entry/index.ts';
import { locate } from '../../src/ledger/index.ts';
import { harmless } from '../../src/report/index.ts';
import { readState } from '../../src/service/index.ts';
import { recorded } from './recorded.ts';
import { hostMembers, type ScriptedAgent, startAgent } from './scripted-agent.ts';
import { type Ended, foilWords, indented, readEntries, runProgram, type Stage } from './stage.ts';

const SESSION = '5f0c6c2e-8a41-4f7e-9d0b-2c7d1e9a4b63';
const PROMPT = 'the checkout test is flaky, please fix it';
const LEAVES = 5000;

interface Scene {
  readonly project: string;
  readonly env: NodeJS.ProcessEnv;
  readonly ledger: string;
  readonly settings: string;
  /** What must not be found afterwards. Random, so that it can be nowhere else. */
  readonly secrets: readonly string[];
  foil(words: readonly string[], input?: string): Promise<Ended>;
}

export async function* recordingAct(stage: Stage): AsyncGenerator<string> {
  const { paint, told } = stage;
  const scene = setScene(stage.base);
  const { foil, ledger, settings, project } = scene;
  try {
    yield `${paint.bold('Record an agent.')} Somebody runs \`foil install claude-code\` in its project.\n`;
    const installed = await foil(['install', 'claude-code']);
    if (installed.exit !== 0) throw new Error(`foil install failed: ${installed.stderr}`);
    const first = startAgent({ ...scene, session: SESSION });
    const made = filesIn(project);
    const own = settings.slice(project.length + 1);
    yield told({ name: 'install', verdict: made.join(', '), held: made.length === 1 && made[0] === own }, [
      `Hooks are in ${own}; nothing else in the project was touched.`,
    ]);

    yield `${paint.bold('The agent works,')} and the demo calls its hooks the way Claude Code does.\n`;
    await work(first, scene);
    const { command, http } = first.sent;
    yield told(
      { name: 'hooks', verdict: `${command + http} answered`, held: first.held.length === 0 && http > 0 },
      [
        `${command + http} events, ${command} by the command \`foil hook\`, ${http} over HTTP to the local service. Nothing was blocked.`,
      ],
    );

    yield `${paint.bold('FOIL=off is set for a while.')}\n`;
    yield told(...(await switchedOff(scene)));

    yield `${paint.bold('`foil mode guard`,')} and then a hook that can't write a byte to any file (ulimit -f 0), as on a full disk.\n`;
    yield told(...(await guarded(scene)));

    await startAgent({ ...scene, session: SESSION }).step('SessionEnd', { reason: 'other' });
    await endService(ledger);
    const entries = await readEntries(ledger);
    yield `${paint.bold('This is what was recorded:')} \`foil log\`\n${indented((await foil(['log'])).stdout)}\n`;
    for (const [step, line] of recorded(entries)) yield told(step, [line]);

    yield `${paint.bold('The output of a command had two secrets.')} The demo searches every written file for them.\n`;
    yield told(...search(stage.base, scene.secrets));

    yield `${paint.bold('The ledger is verified.')}\n`;
    const report = await verified(ledger, scene.env);
    const held = report.verdict === 'INTACT' && report.marks.signed?.to === entries.length;
    yield told({ name: 'verify the recording', verdict: report.verdict, held }, [
      `${report.verdict}: ${report.sentence}`,
    ]);
  } finally {
    await endService(ledger);
  }
}

function setScene(base: string): Scene {
  const project = join(base, 'shop');
  for (const name of ['shop', 'home', 'run']) mkdirSync(join(base, name), { mode: 0o700 });
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: join(base, 'home'),
    XDG_STATE_HOME: join(base, 'state'),
    XDG_CONFIG_HOME: join(base, 'config'),
    XDG_RUNTIME_DIR: join(base, 'run'),
    TMPDIR: base,
  };
  return {
    project,
    env,
    ledger: locate({ cwd: project, env }).directory,
    settings: join(project, '.claude/settings.local.json'),
    secrets: [`ghp_${randomBytes(18).toString('hex')}`, randomBytes(12).toString('hex')],
    foil: (words, input = '') => runProgram([...foilWords(), ...words], { cwd: project, env, input }),
  };
}

/** A turn as it goes: a secret in an output, tests that fail, a subagent, a permission, a call that is denied. */
async function work(agent: ScriptedAgent, { project, secrets }: Scene): Promise<void> {
  const [token = '', password = ''] = secrets;
  const call = async (
    id: string,
    tool: string,
    input: JsonObject,
    more: JsonObject = {},
  ): Promise<JsonObject> => {
    const members = { tool_name: tool, tool_input: input, tool_use_id: id, ...more };
    await agent.step('PreToolUse', members);
    return members;
  };
  await agent.step('SessionStart', { source: 'startup' });
  await agent.step('UserPromptSubmit', { prompt: PROMPT });

  const env = await call('toolu_1', 'Bash', { command: 'cat .env' });
  const stdout = `GITHUB_TOKEN=${token}\nDATABASE_URL=postgres://shop:${password}@db.internal/shop\n`;
  await agent.step('PostToolUse', { ...env, tool_response: bash(stdout), duration_ms: 9 });

  const tests = await call('toolu_2', 'Bash', { command: 'npx vitest run' });
  const error = 'Exit code 1\n Test Files  1 failed | 3 passed (4)\n      Tests  2 failed | 10 passed (12)\n';
  await agent.step('PostToolUseFailure', { ...tests, error, is_interrupt: false });

  await agent.step('SubagentStart', { agent_id: 'a7', agent_type: 'Explore' });
  const grep = await call('toolu_3', 'Bash', { command: 'grep -rn sleep test' }, { agent_id: 'a7' });
  await agent.step('PostToolUse', { ...grep, tool_response: bash('test/checkout.ts:41\n'), duration_ms: 12 });
  await agent.step('SubagentStop', {
    agent_id: 'a7',
    agent_type: 'Explore',
    last_assistant_message: 'line 41',
  });

  const edit = { file_path: 'test/checkout.ts', old_string: 'sleep(50)', new_string: 'await paid' };
  const edited = await call('toolu_4', 'Edit', edit);
  await agent.step('PermissionRequest', { tool_name: 'Edit', tool_input: edit, permission_suggestions: [] });
  mkdirSync(join(project, 'test'), { recursive: true });
  writeFileSync(join(project, edit.file_path), 'await paid\n');
  await agent.step('PostToolUse', {
    ...edited,
    tool_response: { filePath: 'test/checkout.ts' },
    duration_ms: 0,
  });

  const pushed = await call('toolu_5', 'Bash', { command: 'git push --force' });
  const refusal = 'Permission to use Bash with command git push --force has been denied.';
  await agent.step('PostToolBatch', { tool_calls: [{ ...pushed, tool_response: refusal }] });
  await agent.step('Stop', {
    stop_hook_active: false,
    last_assistant_message:
      'I changed the test so that it waits for the payment. Not verified: I have not run it again.',
  });
}

function bash(stdout: string): JsonObject {
  return { stdout, stderr: '', interrupted: false, isImage: false };
}

type Told = Parameters<Stage['told']>;

async function switchedOff(scene: Scene): Promise<Told> {
  const since = Date.now();
  const off = startAgent({ ...scene, env: { ...scene.env, FOIL: 'off' }, session: SESSION });
  await off.step('UserPromptSubmit', { prompt: 'something private' });
  await off.step('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'toolu_6' });
  await off.step('Stop', { stop_hook_active: false, last_assistant_message: 'private too' });
  const until = Date.now();
  const on = startAgent({ ...scene, session: SESSION });
  await on.step('UserPromptSubmit', { prompt: 'and run the tests again' });
  // By their times: a hook is answered before readers see the new head, so two counts could differ by older entries.
  const during = (await readEntries(scene.ledger)).filter(({ ts }) => {
    const at = Date.parse(ts);
    return at > since && at < until;
  }).length;
  return [
    { name: 'off', verdict: `${during} of 3 events recorded`, held: during === 0 && off.held.length === 0 },
    [
      '3 events happened while it was off, and none is in the ledger. Then it is on again, and the next entry records the gap.',
    ],
  ];
}

async function guarded(scene: Scene): Promise<Told> {
  const { foil, project, env, ledger } = scene;
  await foil(['mode', 'guard']);
  const input = JSON.stringify({
    ...hostMembers(SESSION, project),
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'npm publish' },
    tool_use_id: 'toolu_7',
  });
  const hook = [...foilWords(), 'hook', 'claude-code', '--ledger', ledger, '--mode', 'guard'];
  const limited = ['/bin/sh', '-c', 'ulimit -f 0; exec "$@"', 'sh', ...hook];
  const refused = await runProgram(limited, { cwd: project, env, input });
  const again = await runProgram(hook, { cwd: project, env, input });
  const denied = refused.exit === 0 && decisionOf(refused.stdout) === 'deny';
  return [
    {
      name: 'guard',
      verdict: denied ? 'refused' : 'let through',
      held: denied && again.exit === 0 && again.stdout === '',
    },
    [
      `The call is refused. This is what the agent gets: ${harmless(refused.stdout)}`,
      'Once it can write again, the same call is recorded and runs.',
    ],
  ];
}

function decisionOf(stdout: string): unknown {
  try {
    const { hookSpecificOutput } = JSON.parse(stdout) as {
      hookSpecificOutput?: { permissionDecision?: unknown };
    };
    return hookSpecificOutput?.permissionDecision;
  } catch {
    return undefined;
  }
}

/** Every file but the project's own. That the search can find something is part of it: the prompt is there. */
function search(base: string, secrets: readonly string[]): Told {
  const files = ['state', 'config', 'run'].flatMap((name) =>
    filesIn(join(base, name)).map((file) => readFileSync(join(base, name, file))),
  );
  const withSecret = files.filter((bytes) => secrets.some((secret) => bytes.includes(secret))).length;
  const withPrompt = files.filter((bytes) => bytes.includes(PROMPT)).length;
  return [
    { name: 'no secret', verdict: `in ${withSecret} files`, held: withSecret === 0 && withPrompt > 0 },
    [`${files.length} files: the prompt is in ${withPrompt} of them, a secret in ${withSecret}.`],
  ];
}

/** Their paths from there. */
function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => relative(directory, join(file.parentPath, file.name)));
}

async function verified(ledger: string, env: NodeJS.ProcessEnv) {
  const { firstKey: key } = await withLedger(locate({ ledger, env }), (opened) => opened.identity());
  return verifyDirectory(ledger, { keys: [key] });
}

/** Tells the service of this demo to leave, and waits until it has. */
async function endService(ledger: string): Promise<void> {
  const pid = readState(ledger)?.pid;
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGTERM');
    for (let waited = 0; waited < LEAVES; waited += 20) {
      process.kill(pid, 0);
      await pause(20);
    }
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has left.
  }
}
