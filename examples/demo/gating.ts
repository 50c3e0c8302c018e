// The demo's third act: in guard, an agent says that it is done. The commands really run and the file really changes;
// only the agent is a script. Without a run its turn doesn't end, with one it does, and a later edit makes the run
// stale.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/core/index.ts';
import { locate } from '../../src/ledger/index.ts';
import { harmless } from '../../src/report/index.ts';
import { hostMembers } from './scripted-agent.ts';
import { foilWords, runProgram, type Stage } from './stage.ts';

const SESSION = '0d6f1b7a-52c8-4be1-8e1f-6a0c3b9d2f47';
const FILES = {
  'package.json': '{ "name": "sums", "type": "module", "scripts": { "test": "node --test" } }\n',
  'sum.js': 'export const sum = (a, b) => a - b;\n',
  'sum.test.js':
    "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { sum } from './sum.js';\n\ntest('adds', () => assert.equal(sum(1, 2), 3));\n",
};

/** Where the agent of this act works. */
export function gatedProject(base: string) {
  const project = join(base, 'sums');
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: join(base, 'gate-home'),
    XDG_STATE_HOME: join(base, 'gate-state'),
    XDG_CONFIG_HOME: join(base, 'gate-config'),
    XDG_RUNTIME_DIR: join(base, 'gate-run'),
    TMPDIR: base,
  };
  return { project, env };
}

export async function* gatingAct({ base, paint, told }: Stage): AsyncGenerator<string> {
  const { project, env } = gatedProject(base);
  for (const name of [project, join(base, 'gate-home'), join(base, 'gate-run')])
    mkdirSync(name, { mode: 0o700 });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(project, name), text);
  const { directory } = locate({ cwd: project, env });
  const tell = async (event: string, members: JsonObject): Promise<JsonObject> => {
    const input = JSON.stringify({
      ...hostMembers(SESSION, project),
      transcript_path: '',
      hook_event_name: event,
      ...members,
    });
    const words = [...foilWords(), 'hook', 'claude-code', '--ledger', directory, '--mode', 'guard'];
    const { stdout } = await runProgram(words, { cwd: project, env, input });
    return stdout === '' ? {} : (JSON.parse(stdout) as JsonObject);
  };
  let calls = 0;
  const run = async (command: string): Promise<void> => {
    const call = { tool_name: 'Bash', tool_input: { command }, tool_use_id: `toolu_${++calls}` };
    await tell('PreToolUse', call);
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], {
      cwd: project,
      env,
      encoding: 'utf8',
    });
    if (status === 0)
      await tell('PostToolUse', {
        ...call,
        tool_response: { stdout, stderr, interrupted: false, isImage: false },
      });
    else await tell('PostToolUseFailure', { ...call, error: `Exit code ${status}\n${stdout}${stderr}` });
  };
  const edit = async (name: string, from: string, to: string): Promise<void> => {
    const file_path = join(project, name);
    const call = { tool_name: 'Edit', tool_input: { file_path, old_string: from, new_string: to } };
    await tell('PreToolUse', { ...call, tool_use_id: `toolu_${++calls}` });
    writeFileSync(file_path, readFileSync(file_path, 'utf8').replace(from, to));
    await tell('PostToolUse', {
      ...call,
      tool_use_id: `toolu_${calls}`,
      tool_response: { filePath: file_path },
    });
  };
  const stop = (message: string): Promise<JsonObject> =>
    tell('Stop', { stop_hook_active: false, last_assistant_message: message });
  const shown = ({ reason }: JsonObject): string[] =>
    typeof reason === 'string' ? reason.split('\n').map((line) => `  ${harmless(line)}`) : ['  (nothing)'];

  yield `${paint.bold('No "done" without proof.')} In guard mode, an agent fixes \`sum.js\`, runs nothing and says: "Fixed. All tests pass."\n`;
  await runProgram([...foilWords(), 'init', '--ledger', directory], { cwd: project, env });
  await tell('SessionStart', { source: 'startup' });
  await tell('UserPromptSubmit', { prompt: 'Fix `sum.js`: it subtracts' });
  await edit('sum.js', 'a - b', 'a + b');
  const blocked = await stop('Fixed. All tests pass.');
  yield told(
    {
      name: 'a claim without a run',
      verdict: String(blocked.decision ?? 'let through'),
      held: blocked.decision === 'block',
    },
    ["Its turn doesn't end. Counterfoil tells it:", ...shown(blocked)],
  );

  yield `${paint.bold('It runs `npm test`')} and says the same.\n`;
  await run('npm test');
  const passed = await stop('Fixed. All tests pass.');
  yield told(
    {
      name: 'a claim with a run',
      verdict: passed.decision === undefined ? 'pass' : 'blocked',
      held: Object.keys(passed).length === 0,
    },
    [
      'Its turn ends, and the gate stays silent: the run was on record, and signed validations now show the evidence for each claim.',
    ],
  );

  yield `${paint.bold('Then it changes the file with `sed -i`,')} without an edit tool, and says it once more.\n`;
  await tell('UserPromptSubmit', { prompt: 'Also handle strings in `sum.js`' });
  await run("sed -i.bak 's/a + b/Number(a) + Number(b)/' sum.js && rm sum.js.bak");
  const stale = await stop('Done. Strings are handled, and all tests pass.');
  const reason = String(stale.reason ?? '');
  yield told(
    {
      name: 'a stale claim',
      verdict: stale.decision === 'block' ? 'blocked' : 'let through',
      held: /sum\.js/.test(reason) && stale.decision === 'block',
    },
    ['The tests ran before the change. Counterfoil tells it which file changed:', ...shown(stale)],
  );
  await run('npm test');
  await stop('Done. Strings are handled, and all tests pass.');
  await tell('SessionEnd', { reason: 'other' });
}
