// `foil mcp serve` as a process that is stopped, or left by its client, with calls that wait for a session.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FOIL } from '../cli/foil.ts';
import { RawClient } from './mcp-client.ts';
import { newProject, type Project } from './recorded-project.ts';

async function waiting(): Promise<{ project: Project; client: RawClient }> {
  const project = await newProject();
  const words = [process.execPath, FOIL, 'mcp', 'serve', '--ledger', project.directory];
  const client = new RawClient(project, { words });
  client.call(1, 'read_file', { path: 'a' });
  expect(await client.answer(1)).toMatchObject({ result: { isError: true } });
  return { project, client };
}

describe('foil mcp serve with a call that waits for a session', () => {
  it('K7a, K7d: records it when it is told to stop', async () => {
    const { project, client } = await waiting();
    client.child.kill('SIGTERM');
    expect(await client.ended).toMatchObject({ code: 143 });
    const kinds = project.recorded().map(({ kind }) => kind);
    expect(kinds).toEqual(['session.start', 'tool.call', 'tool.result', 'session.end']);
    await project.expectIntact();
  });

  it('K7d says on standard error that it could not, exits with 1, and a hook tells the gap', async () => {
    const { project, client } = await waiting();
    const [log, away] = [join(project.directory, 'ledger'), join(project.directory, 'away')];
    renameSync(log, away);
    writeFileSync(log, '');
    expect(await client.end()).toMatchObject({ code: 1 });
    expect(client.stderr).toMatch(/^foil: 1 event could not be recorded: .* A note was left/);
    rmSync(log);
    renameSync(away, log);
    const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: project.work, prompt: 'hi' };
    await project.tell('claude-code', prompt);
    const gaps = project.entries().filter(({ kind }) => kind === 'gap');
    expect(gaps.map(({ payload }) => payload.events)).toEqual([1]);
  });

  it('K7d killed, leaves it to the next recorder to tell', async () => {
    const { project, client } = await waiting();
    client.child.kill('SIGKILL');
    await client.ended;
    expect(project.recorded()).toEqual([]);
    const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: project.work, prompt: 'hi' };
    await project.tell('claude-code', prompt);
    const gaps = project.entries().filter(({ kind }) => kind === 'gap');
    expect(gaps.map(({ payload }) => [payload.events, payload.why])).toEqual([
      [1, 'it waited for a session, and the program ended before one began.'],
    ]);
  });
});
