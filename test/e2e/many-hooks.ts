// Many hook processes and HTTP calls at once on one ledger, in several sessions. Nothing is lost and nothing is told
// twice; each result finds its call though the two came by different ways.
import { expect } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { ClaudeSession } from './claude-host.ts';
import { newProject, post } from './recorded-project.ts';

export interface Crowd {
  /** Calls; each is told once as a process and once over HTTP: its beginning or its end. */
  readonly calls: number;
  readonly sessions: number;
  /** Processes that run at once. All are wanted at once, and start as others end. */
  readonly processes: number;
}

export async function crowd({ calls, sessions, processes }: Crowd): Promise<void> {
  const project = await newProject();
  project.settings('guard');
  const serving = await project.serve();
  const hosts = Array.from({ length: sessions }, (_, i) => new ClaudeSession(`session-${i}`));
  const turn = makeTurns(processes);
  const byProcess = (event: JsonObject) =>
    turn(async () => {
      const answer = await project.hook('claude-code', event, { mode: 'guard' });
      expect(answer).toEqual({ code: 0, stdout: '', stderr: '' });
    });
  const byHttp = async (event: JsonObject): Promise<void> => {
    expect(await post(serving, 'claude-code', event)).toMatchObject({ status: 200, body: '' });
  };
  const one = async (at: number): Promise<void> => {
    const host = hosts[at % sessions] as ClaudeSession;
    const [first, second] = at % 2 === 0 ? [byProcess, byHttp] : [byHttp, byProcess];
    await first(host.call(`call-${at}`));
    await second(at % 5 === 0 ? host.failure(`call-${at}`, 'Exit code 1') : host.result(`call-${at}`));
  };
  await Promise.all(Array.from({ length: calls }, (_, at) => one(at)));

  const entries = project.recorded();
  expect(entries.filter(({ kind }) => kind === 'gap')).toEqual([]);
  const starts = entries.filter(({ kind }) => kind === 'session.start');
  expect(starts.map(({ payload }) => payload.agent_session).sort()).toEqual(hosts.map(({ id }) => id).sort());
  const called = new Map<string, (typeof entries)[number]>();
  for (const entry of entries.filter(({ kind }) => kind === 'tool.call')) {
    const id = String(entry.payload.tool_use_id);
    expect(called.has(id), `${id} twice`).toBe(false);
    called.set(id, entry);
  }
  expect(called.size).toBe(calls);
  const results = entries.filter(({ kind }) => kind === 'tool.result');
  expect(new Set(results.map(({ payload }) => payload.tool_use_id)).size).toBe(calls);
  expect(results).toHaveLength(calls);
  for (const { payload, cause, session_id } of results) {
    const call = called.get(String(payload.tool_use_id));
    expect(cause).toBe(call?.seq);
    expect(session_id).toBe(call?.session_id);
    expect(payload.args_hash).toBe(call?.payload.args_hash);
    expect(payload.repeated).toBeUndefined();
  }
  for (const [id, { session_id }] of called) {
    const start = starts.find((entry) => entry.session_id === session_id);
    expect(start?.payload.agent_session).toBe(`session-${Number(id.slice(5)) % sessions}`);
  }
  const { contentChecked } = await project.expectIntact();
  expect(contentChecked).toBe(2 * calls);
}

/** So many at once; the others wait for a place. */
function makeTurns(places: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = places;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free--;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
