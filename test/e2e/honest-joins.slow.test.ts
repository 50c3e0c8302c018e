// Sessions that are made to confuse the joins: a result is never said to be of another call, and a gap never told of
// what is on record. Over the service, which is quick, with the real recorder behind it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { ClaudeSession } from './claude-host.ts';
import { newProject, post } from './recorded-project.ts';

const ID = 'ab'.repeat(32);

describe('joins', () => {
  it('K5a of two open calls with one id, the result is of the one with its arguments', async () => {
    const project = await newProject();
    const serving = await project.serve();
    const session = new ClaudeSession('s', project.work);
    const [one, two] = [{ command: 'one' }, { command: 'two' }];
    for (const event of [session.call('x', one), session.call('x', two)])
      await post(serving, 'claude-code', event);
    for (const event of [session.result('x', two), session.result('x', one)])
      await post(serving, 'claude-code', event);
    const entries = project.recorded();
    const calls = entries.filter(({ kind }) => kind === 'tool.call');
    const results = entries.filter(({ kind }) => kind === 'tool.result');
    expect(results.map(({ cause }) => cause)).toEqual([calls[1]?.seq, calls[0]?.seq]);
  });

  it('K5a a state that is ahead of its log gives nothing a cause', async () => {
    const project = await newProject();
    const session = new ClaudeSession('s', project.work);
    await project.tell('claude-code', session.prompt('go'));
    await project.tell('claude-code', session.call('c1'));
    const path = join(project.directory, 'sessions', 'claude-code.s');
    const state = JSON.parse(readFileSync(path, 'utf8')) as { calls: JsonObject[] };
    const ahead = { ...state, prompt: 900, calls: state.calls.map((call) => ({ ...call, seq: 901 })) };
    writeFileSync(path, JSON.stringify(ahead));
    await project.tell('claude-code', session.result('c1'));
    await project.tell('claude-code', session.call('c2'));
    expect(project.recorded().map(({ kind, cause }) => [kind, cause])).toEqual([
      ['session.start', null],
      ['prompt', null],
      ['tool.call', project.recorded()[1]?.seq],
      ['tool.result', null],
      ['tool.call', null],
    ]);
  });

  it('K5a a subagent of many calls does not make the others look unrecorded', async () => {
    const project = await newProject();
    const serving = await project.serve();
    const session = new ClaudeSession('s', project.work);
    const tell = (event: JsonObject): Promise<unknown> => post(serving, 'claude-code', event);
    await tell(session.call('early'));
    await tell(session.result('early'));
    await subagent(session, tell);
    await tell(session.batch('early'));
    expect(project.recorded().filter(({ kind }) => kind === 'gap')).toEqual([]);
    await tell(session.batch('never-told'));
    expect(project.recorded().at(-1)).toMatchObject({ kind: 'gap', payload: { calls: ['never-told'] } });
    await project.expectIntact();
  });
});

/** Three hundred calls, of which thirty are always under way. */
async function subagent(
  session: ClaudeSession,
  tell: (event: JsonObject) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < 300; from += 30) {
    const ids = Array.from({ length: 30 }, (_, i) => `sub-${from + i}`);
    await Promise.all(ids.map((id) => tell({ ...session.call(id), agent_id: 'a1' })));
    await Promise.all(ids.map((id) => tell({ ...session.result(id), agent_id: 'a1' })));
  }
}

it('K5a after a turn of many calls the transcript is believed only as to what is remembered', async () => {
  const project = await newProject();
  const serving = await project.serve();
  const session = new ClaudeSession('s', project.work);
  const transcript_path = join(project.root, 'transcript.jsonl');
  const tell = (event: JsonObject) => post(serving, 'claude-code', { ...event, transcript_path });
  const used = (id: string): string =>
    `${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'tool_use', id, name: 'Bash', input: {} }] } })}\n`;
  await tell(session.prompt('go'));
  const ids = Array.from({ length: 200 }, (_, i) => `c-${i}`);
  for (const id of ids) {
    await tell(session.call(id));
    await tell(session.result(id));
  }
  await subagent(session, tell);
  writeFileSync(transcript_path, `${ids.map(used).join('')}${used('lost')}`);
  await tell(session.stop('done'));
  const gaps = project.recorded().filter(({ kind }) => kind === 'gap');
  expect(gaps.map(({ payload }) => payload.calls)).toEqual([['lost']]);
});

it('K8 twenty hosts that resume one session at once are all recorded, each once', async () => {
  const project = await newProject();
  project.settings('guard');
  const serving = await project.serve();
  const session = new ClaudeSession('s', project.work);
  await post(serving, 'claude-code', session.prompt('go'));
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => post(serving, 'claude-code', session.start('resume'))),
  );
  expect(new Set(replies.map(({ body }) => body))).toEqual(new Set(['']));
  const starts = project.recorded().filter(({ kind }) => kind === 'session.start');
  expect(starts.length).toBe(21);
  // Each goes on from the one before.
  expect(starts.slice(1).map(({ payload }) => payload.resumes)).toEqual(
    starts.slice(0, -1).map(({ session_id }) => session_id),
  );
  await project.expectIntact();
});

describe('FOIL_SESSION', () => {
  it.each([
    ['no id', 'nonsense', true],
    ['empty', '', true],
    ["another ledger's session", ID, false],
    ['of no session that the ledger knows', ID, true],
  ])('K8 that is %s: the host has a session of its own', async (_, id, here) => {
    const project = await newProject();
    const env = { FOIL_SESSION: id, FOIL_LEDGER: here ? project.directory : `${project.directory}-other` };
    const session = new ClaudeSession('s', project.work);
    const answer = await project.hook('claude-code', session.call('c1'), { mode: 'guard', env });
    expect(answer).toMatchObject({ code: 0, stdout: '' });
    const [start, call] = project.recorded();
    expect([start?.kind, call?.kind]).toEqual(['session.start', 'tool.call']);
    expect(start?.session_id).not.toBe(ID);
  });

  it('of this ledger is joined', async () => {
    const project = await newProject();
    const { stdout } = await project.foil(['session', 'start', '--ledger', project.directory, '--json']);
    const { session } = JSON.parse(stdout) as { session: string };
    const env = { FOIL_SESSION: session, FOIL_LEDGER: project.directory };
    await project.tell('claude-code', new ClaudeSession('s', project.work).call('c1'), { env });
    expect(project.recorded().map(({ kind, session_id }) => [kind, session_id])).toEqual([
      ['session.start', session],
      ['agent.start', session],
      ['tool.call', session],
    ]);
  });
});
