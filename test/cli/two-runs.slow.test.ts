// C9: two runs beside each other are two runs, and one that is hidden inside of another leaves a gap in that.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Entry, parseEntry } from '../../src/format/index.ts';
import { endService, projectLedger } from '../service/run-ledger.ts';
import { FOIL, Sandbox } from './foil.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
  sandbox.env.XDG_RUNTIME_DIR = join(sandbox.root, 'run');
  sandbox.write('AGENTS.md', 'Be brief.\n');
  sandbox.ok(['init']);
});
afterEach(async () => {
  await endService(projectLedger(sandbox.root));
  sandbox.remove();
});

function entries(): Entry[] {
  const directory = join(projectLedger(sandbox.root), 'ledger');
  return readdirSync(directory)
    .sort()
    .flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n').slice(0, -1))
    .map((line) => parseEntry(Buffer.from(line)));
}

/** A line for a shell: a hook tells of a prompt in a session of that name. */
function told(session: string): string {
  const event = { session_id: session, cwd: sandbox.work, transcript_path: '', prompt: session };
  const path = join(sandbox.root, `${session}.json`);
  sandbox.write(`../${session}.json`, JSON.stringify({ ...event, hook_event_name: 'UserPromptSubmit' }));
  return `"${process.execPath}" "${FOIL}" hook claude-code < "${path}"`;
}

function gapsOf(session: string | null | undefined): unknown[] {
  return entries()
    .filter(({ kind, session_id }) => kind === 'gap' && session_id === session)
    .map(({ payload }) => payload.why);
}

it('C9 two runs at once in one project both show all that their agents did', async () => {
  const agent = (own: string, other: string): string[] => {
    const meets = `: > ../${own}.there; until [ -e ../${other}.there ]; do sleep 0.05; done`;
    return [
      'run',
      '--pack',
      '.',
      '--',
      'sh',
      '-c',
      `${meets}; ${told(own)}; ${meets.replaceAll('.there', '.told')}`,
    ];
  };
  const runs = [agent('one', 'two'), agent('two', 'one')].map((words) => sandbox.start(words));
  const codes = await Promise.all(runs.map(async (run) => (await once(run, 'exit'))[0]));
  expect(codes).toEqual([0, 0]);
  const prompts = entries().filter(({ kind }) => kind === 'prompt');
  expect(new Set(prompts.map(({ session_id }) => session_id)).size).toBe(2);
  for (const { session_id } of prompts) expect(gapsOf(session_id)).toEqual([]);
});

it('C9 a run inside of another, which hides what the agent does, leaves a gap in the outer one', () => {
  const inner = `env -u FOIL_SESSION -u FOIL_LEDGER "${process.execPath}" "${FOIL}" run -- sh -c '${told('hidden')}'`;
  expect(sandbox.spawn(['run', '--pack', '.', '--', 'sh', '-c', inner]).code).toBe(0);
  const [outer, within] = entries().filter(({ kind }) => kind === 'session.start');
  expect(within?.payload.trigger).toBe('run inside of a run');
  expect(gapsOf(outer?.session_id)).toEqual([
    `hooks recorded in another session meanwhile: ${within?.session_id}`,
  ]);
});
