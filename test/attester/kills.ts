// Clients that want their attestations, and an attester that is killed again and again meanwhile. Nothing that was
// accepted may be lost, and nobody may get two different answers to one submission.
import { join } from 'node:path';
import { expect } from 'vitest';
import { sha256Hex } from '#platform';
import { readAttesterToken } from '../../src/service/index.ts';
import { bundle, Child } from '../fault/child.ts';
import type { Reply } from '../service/serving.ts';
import { diskDirectory, temporary } from '../temporary.ts';
import { get, post, view } from './attesting.ts';
import { submission } from './stand-in.ts';

interface Up {
  readonly child: Child;
  readonly port: number;
  readonly token: string;
}

/** Jobs that are posted to each attester, and that it finishes before it is killed, at most. */
const EACH_LIFE = 3;

export async function survivesKills({ jobs, kills }: { jobs: number; kills: number }): Promise<void> {
  expect(jobs).toBeGreaterThanOrEqual((kills + 1) * EACH_LIFE);
  const file = await bundle('server-child', 'attester');
  const state = join(temporary(diskDirectory), 'attester');
  const start = async (finishes: number): Promise<Up> => {
    const child = new Child(file, [state, String(finishes)]);
    await child.until(() => child.lines.some((line) => line.startsWith('ready')));
    const port = Number(child.lines.find((line) => line.startsWith('ready'))?.slice(6));
    return { child, port, token: readAttesterToken(join(state, 'token')) };
  };
  let up = start(EACH_LIFE);

  /** Asks whichever attester is there, until one of them answers. */
  const asked = async (ask: (server: Up) => Promise<Reply>): Promise<Reply> => {
    for (;;) {
      const server = await up;
      try {
        return await ask(server);
      } catch {
        await server.child.ended;
      }
    }
  };
  const accepted = new Set<string>();
  const answers = new Map<string, Set<string>>();
  const lives = Array.from({ length: kills + 1 }, () => ({ begins: signal(), accepts: signal() }));
  let life = 0;
  const client = async (wish: string, from: number): Promise<void> => {
    await lives[from]?.begins.happened;
    const body = submission(wish);
    const id = sha256Hex(body);
    const reply = await asked((server) => post(server, body));
    expect([200, 202]).toContain(reply.status);
    accepted.add(id);
    lives[life - 1]?.accepts.tell();
    for (;;) {
      const found = await asked((server) => get(server, `/v1/attestations/${id}?wait=60`));
      // Not 404, ever: it was accepted.
      expect(found.status).toBe(200);
      if (view(found).status === 'queued' || view(found).status === 'running') continue;
      expect(view(found).status).toBe('done');
      answers.set(id, (answers.get(id) ?? new Set()).add(found.body));
      return;
    }
  };
  const wishes = Array.from({ length: jobs }, (_, i) => `job ${i}`);
  const all = Promise.all(
    [...wishes, ...wishes].map((wish, i) => client(wish, Math.floor(((i % jobs) * (kills + 1)) / jobs))),
  );
  const killing = async (): Promise<void> => {
    for (const { begins, accepts } of lives) {
      const { child } = await up;
      begins.tell();
      if (++life > kills) return;
      // Now at once when a job was accepted, now with one that has begun, now with some that have ended.
      const count = 1 + (life % EACH_LIFE);
      if (life % 2 === 1) await accepts.happened;
      else await child.until(() => child.lines.filter((line) => line === 'begins').length >= count);
      const finishes = life === kills ? Number.POSITIVE_INFINITY : EACH_LIFE;
      up = child.kill().then(() => start(finishes));
    }
  };
  await Promise.all([all, killing()]);

  const last = await up;
  await last.child.kill();
  up = start(0);
  await Promise.all(wishes.map((wish) => client(wish, 0)));
  expect(accepted.size).toBe(jobs);
  expect([...answers.values()].map((set) => set.size)).toEqual(wishes.map(() => 1));
  const { child } = await up;
  expect(child.lines).not.toContain('begins');
  await child.kill();
}

function signal(): { readonly happened: Promise<void>; tell(): void } {
  let tell = (): void => undefined;
  const happened = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return { happened, tell };
}
