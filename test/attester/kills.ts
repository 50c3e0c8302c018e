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

export async function survivesKills({ jobs, kills }: { jobs: number; kills: number }): Promise<void> {
  const file = await bundle('server-child', 'attester');
  const state = join(temporary(diskDirectory), 'attester');
  const start = async (): Promise<Up> => {
    const child = new Child(file, [state]);
    await child.until(() => child.lines.some((line) => line.startsWith('ready')));
    const port = Number(child.lines.find((line) => line.startsWith('ready'))?.slice(6));
    return { child, port, token: readAttesterToken(join(state, 'token')) };
  };
  let up = start();

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
  const client = async (wish: string): Promise<void> => {
    const body = submission(wish);
    const id = sha256Hex(body);
    const reply = await asked((server) => post(server, body));
    expect([200, 202]).toContain(reply.status);
    accepted.add(id);
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
  let isOver = false;
  const all = Promise.all([...wishes, ...wishes].map(client)).finally(() => {
    isOver = true;
  });
  let killed = 0;
  const killing = (async () => {
    for (; killed < kills && !isOver; killed++) {
      const { child } = await up;
      // Now with one job that has begun, now with some that have ended.
      const begins = 1 + ((killed * 7) % 5);
      const begun = child.until(() => child.lines.filter((line) => line === 'begins').length >= begins);
      await Promise.race([begun, all]);
      if (isOver) break;
      up = child.kill().then(start);
      await up;
    }
  })();
  await Promise.all([all, killing]);
  expect(killed).toBe(kills);

  const last = await up;
  await last.child.kill();
  up = start();
  await Promise.all(wishes.map(client));
  expect(accepted.size).toBe(jobs);
  expect([...answers.values()].map((set) => set.size)).toEqual(wishes.map(() => 1));
  const { child } = await up;
  expect(child.lines).not.toContain('begins');
  await child.kill();
}
