// Counterfoil killed between an MCP client and a server, over and over, at moments of every kind: what the tool did is on
// record, what the client was told is on record, and what is on record is whole. FOIL_TEST_SEED=N runs the same
// rounds again, as far as the machine lets it. mcp-kill.test.ts is the short form, mcp-kill.slow.test.ts the long one.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { type Entry, parseContentRef } from '../../src/format/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { type RawClient, wrapped } from './mcp-client.ts';
import { newProject, type Project } from './recorded-project.ts';

const SERVER = [process.execPath, join(import.meta.dirname, 'mcp-marking-server.mjs')];
/** So often a moment is looked for again that had passed. */
const TRIES = 4;

/** What shows that a call has come to a certain point: one of these grows, or the client has its answer. */
const MOMENTS = [
  'sent',
  'content of the call',
  'entry of the call',
  'tool ran',
  'content of the result',
  'entry of the result',
  'answered',
  'end of input',
] as const;
type Moment = (typeof MOMENTS)[number];

/** Kills it at each moment so often. Gives how many calls were sent. */
export async function killAt(times: number): Promise<number> {
  const seed = Number(process.env.FOIL_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const random = mulberry32(seed);
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  // On the disk, not in memory: there a write takes long enough to be killed in the middle.
  const project = await newProject(tmpdir());
  const marks = join(project.root, 'marks');
  const answered = new Set<string>();
  const kills = new Map<Moment, number>();
  let sent = 0;
  const moments = Array.from({ length: times }, () => MOMENTS).flat();
  const tried = new Map<Moment, number>();
  for (let round = 0; moments.length > 0; round++) {
    const moment = moments.shift() ?? 'sent';
    const about = `seed ${seed}, round ${round}`;
    const client = wrapped(project, { MARKS: marks }, SERVER);
    const call = (at: number): string => {
      const mark = `${round}-${at}`;
      client.call(mark, 'mark', { mark, length: upTo(3000) });
      sent += 1;
      return mark;
    };
    const clientInfo = { name: 'test', version: '1' };
    client.send({
      jsonrpc: '2.0',
      id: 'begin',
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    });
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await client.answer('begin');
    const before = 1 + upTo(4);
    for (let at = 0; at < before; at++) await client.answer(call(at));
    const sizes = await settled(project, marks);
    const fatal = call(before);
    // Others behind it, which nobody waits for.
    for (let more = upTo(3); more > 0; more--) call(before + more);
    const met = await untilMoment(client, project, marks, moment, fatal, sizes);
    for (let turn = upTo(12); turn > 0; turn--) await new Promise(setImmediate);
    client.child.kill('SIGKILL');
    kills.set(moment, (kills.get(moment) ?? 0) + (met ? 1 : 0));
    tried.set(moment, (tried.get(moment) ?? 0) + 1);
    if (kills.get(moment) === 0 && (tried.get(moment) ?? 0) < times + TRIES) moments.push(moment);
    // Standard error is the server's: it closes when that has ended, too.
    await client.ended;
    for (const { id } of client.messages()) if (typeof id === 'string' && id !== 'begin') answered.add(id);
    await expectAllOnRecord(project, marks, answered, about);
  }
  // A kill of each kind came when it was meant to, at least once.
  expect(
    [...kills].filter(([, count]) => count === 0),
    `seed ${seed}`,
  ).toEqual([]);
  const verified = await project.foil(['verify', project.directory, '--json']);
  expect(verified.code, `seed ${seed}: ${verified.stdout}${verified.stderr}`).toBe(0);
  expect(JSON.parse(verified.stdout)).toMatchObject({ verdict: 'INTACT', failures: [] });
  return sent;
}

/** Each tool that ran has its call, with its arguments; each answer that arrived has its result; nothing is damaged. */
async function expectAllOnRecord(
  project: Project,
  marks: string,
  answered: ReadonlySet<string>,
  about: string,
): Promise<void> {
  const entries = project.entries();
  const calls = new Map<number, string>();
  for (const entry of entries.filter(({ kind }) => kind === 'tool.call'))
    calls.set(entry.seq, await markOf(project, entry));
  const recorded = new Set(calls.values());
  const done = existsSync(marks) ? readFileSync(marks, 'utf8').split('\n').filter(Boolean) : [];
  expect(
    done.filter((mark) => !recorded.has(mark)),
    `ran without its call: ${about}`,
  ).toEqual([]);
  const ended = new Set(
    entries.filter(({ kind }) => kind === 'tool.result').map(({ cause }) => calls.get(cause ?? 0)),
  );
  expect(
    [...answered].filter((mark) => !ended.has(mark)),
    `answered without its result: ${about}`,
  ).toEqual([]);
  await project.expectIntact();
}

const known = new Map<string, string>();

/** The argument that the call was made with, as the ledger keeps it. */
async function markOf(project: Project, { entry_hash, session_id, payload }: Entry): Promise<string> {
  const before = known.get(entry_hash);
  if (before !== undefined) return before;
  const store = openFileStore(project.directory);
  try {
    const bytes = await store.getContent(session_id, parseContentRef(payload.args as JsonObject));
    const { mark } = JSON.parse(Buffer.from(bytes ?? []).toString()) as { mark: string };
    known.set(entry_hash, mark);
    return mark;
  } finally {
    await store.close();
  }
}

interface Sizes {
  readonly content: number;
  readonly entries: number;
  readonly marks: number;
}

function sizesOf(project: Project, marks: string): Sizes {
  const under = (folder: string): number =>
    existsSync(folder)
      ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce(
          (sum, name) =>
            sum + (name.includes('.') && !name.endsWith('.jsonl') ? 0 : statSync(join(folder, name)).size),
          0,
        )
      : 0;
  return {
    content: under(join(project.directory, 'blobs')),
    entries: under(join(project.directory, 'ledger')),
    marks: existsSync(marks) ? statSync(marks).size : 0,
  };
}

/** As they are when nothing is under way: what is recorded behind a message's back has been. */
async function settled(project: Project, marks: string): Promise<Sizes> {
  for (let before = sizesOf(project, marks), same = 0; ; ) {
    await new Promise(setImmediate);
    const now = sizesOf(project, marks);
    same = JSON.stringify(now) === JSON.stringify(before) ? same + 1 : 0;
    before = now;
    if (same > 50) return now;
  }
}

/** False where the moment had passed when it was looked for. */
async function untilMoment(
  client: RawClient,
  project: Project,
  marks: string,
  moment: Moment,
  fatal: string,
  before: Sizes,
): Promise<boolean> {
  if (moment === 'sent') return true;
  if (moment === 'end of input') {
    client.child.stdin?.end();
    return true;
  }
  if (moment === 'answered') {
    await client.answer(fatal);
    return true;
  }
  let at = before;
  const until = async (grown: (now: Sizes) => boolean): Promise<void> => {
    while (!grown(at)) {
      if (client.messages().some(({ id }) => id === fatal)) return;
      await new Promise(setImmediate);
      at = sizesOf(project, marks);
    }
  };
  if (moment === 'content of the call') await until(({ content }) => content > before.content);
  else if (moment === 'entry of the call') await until(({ entries }) => entries > before.entries);
  else {
    await until((now) => now.marks > before.marks);
    const ran = at;
    if (moment === 'content of the result') await until(({ content }) => content > ran.content);
    else if (moment === 'entry of the result') await until(({ entries }) => entries > ran.entries);
  }
  return !client.messages().some(({ id }) => id === fatal);
}

/** Numbers from 0 to 1, the same ones for a seed. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
