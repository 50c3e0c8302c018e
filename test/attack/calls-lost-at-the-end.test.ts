// A program ends while its ledger can't be written. The calls that it could not record are not forgotten: whatever
// records next, of any kind, tells of them as a gap; and no session looks as if it had ended well.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/config/index.ts';
import { openRecorder, openRecording } from '../../src/entry/index.ts';
import type { Entry } from '../../src/format/index.ts';
import {
  Intake,
  openNotes,
  Recorder,
  type RecorderOptions,
  WireSession,
  WireSessions,
} from '../../src/record/index.ts';
import { makeRedactor } from '../../src/redact/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { MemoryStore } from '../../src/store/memory/index.ts';
import { type HookedLedger, hookedLedger } from '../cli/hooked-ledger.ts';
import { notes, readEntries } from '../read-log.ts';
import { seededRandom } from '../temporary.ts';

const refusal = Object.assign(new Error('not yet'), { code: 'SESSION_NOT_BEGUN' });

async function place(): Promise<HookedLedger> {
  const made = await hookedLedger();
  const runtime = join(made.root, 'run/counterfoil');
  writeFileSync(
    join(made.directory, 'settings'),
    JSON.stringify({ v: 1, mode: 'observe', port: null, runtime }),
  );
  return made;
}

/** No segment can be opened there. */
function breakLedger({ directory }: HookedLedger): () => void {
  const [log, away] = [join(directory, 'ledger'), join(directory, 'away')];
  renameSync(log, away);
  writeFileSync(log, '');
  return () => {
    rmSync(log);
    renameSync(away, log);
  };
}

function notesOf(ledger: HookedLedger): string[] {
  try {
    return readdirSync(ledger.runtime);
  } catch {
    return [];
  }
}

const gapsIn = (entries: readonly Entry[]): unknown[] =>
  entries.filter(({ kind }) => kind === 'gap').map(({ payload }) => [payload.reason, payload.events]);

const wireTo = (ledger: HookedLedger): WireSession =>
  new WireSession(
    () => openRecording({ place: ledger.located, cwd: ledger.work, agent: 'wire', source: 'mcp' }),
    { trigger: 'mcp' },
    openNotes(ledger.directory),
  );

/** Two calls that wait, a ledger that can't be written, and the end. */
async function lose(ledger: HookedLedger): Promise<void> {
  const recorder = await openRecorder({ place: ledger.located, cwd: ledger.work });
  await recorder.refused('first', { a: 1 }, refusal);
  await recorder.refused('second', { b: 2 }, refusal, { toolUseId: 'call_2' });
  const mend = breakLedger(ledger);
  await expect(recorder.close()).rejects.toMatchObject({
    code: 'AUDIT_APPEND_FAILED',
    message: expect.stringMatching(/^2 events could not be recorded: .* A note was left/),
  });
  mend();
  expect(ledger.entries().map(({ kind }) => kind)).toEqual(['ledger.open']);
  expect(notesOf(ledger)).toEqual([expect.stringMatching(/^left-/)]);
}

const NEXT: readonly [string, (ledger: HookedLedger) => Promise<unknown>][] = [
  [
    'a program',
    async (ledger) => {
      const recorder = await openRecorder({ place: ledger.located, cwd: ledger.work });
      await recorder.session();
      await recorder.close();
    },
  ],
  [
    'the proxy of an MCP server',
    async (ledger) => {
      const wire = wireTo(ledger);
      await wire.start();
      await wire.end();
    },
  ],
  ['a hook', (ledger) => ledger.hook(ledger.prompt('hello'))],
  [
    'the gateway',
    async (ledger) => {
      const store = openFileStore(ledger.directory);
      const redactor = makeRedactor({});
      const intake = new Intake({ store, redactor, policy: DEFAULT_CONFIG });
      const at = { intake, config: DEFAULT_CONFIG, redaction: redactor.id, root: null };
      const sessions = new WireSessions({
        store,
        source: 'gateway',
        operators: async () => [],
        place: async () => at,
        find: async () => undefined,
        notes: openNotes(ledger.directory),
      });
      (await sessions.join({ session: null, host: null, connection: {} })).done();
      await sessions.close();
      await store.close();
    },
  ],
];

describe('K7d calls that could not be written when their program ended', () => {
  it.each(NEXT)('are told as a gap by %s, once', async (_, next) => {
    const ledger = await place();
    await lose(ledger);
    await next(ledger);
    await next(ledger);
    const entries = ledger.entries();
    expect(gapsIn(entries)).toEqual([['unrecorded', 2]]);
    expect(entries.find(({ kind }) => kind === 'gap')?.payload.calls).toEqual(['call_2']);
    expect(entries.some(({ kind }) => kind === 'crash')).toBe(false);
    expect(notesOf(ledger)).toEqual([]);
  });

  it('are told again by the next one, where the first that tried could not write either', async () => {
    const ledger = await place();
    await lose(ledger);
    const mend = breakLedger(ledger);
    const recorder = await openRecorder({ place: ledger.located, cwd: ledger.work });
    await expect(recorder.session()).rejects.toMatchObject({ code: 'AUDIT_APPEND_FAILED' });
    mend();
    await recorder.close();
    expect(gapsIn(ledger.entries())).toEqual([]);
    await NEXT[0]?.[1](ledger);
    expect(gapsIn(ledger.entries())).toEqual([['unrecorded', 2]]);
  });

  it('leave a note also if the process is killed while they wait; nobody tells of one that is still there', async () => {
    const ledger = await place();
    const recorder = await openRecorder({ place: ledger.located, cwd: ledger.work });
    await recorder.refused('first', {}, refusal);
    const [name = ''] = notesOf(ledger);
    expect(name).toMatch(/^held-/);
    await NEXT[0]?.[1](ledger);
    expect(gapsIn(ledger.entries())).toEqual([]);
    // As it would be if this process had been another, which is gone.
    const note = JSON.parse(readFileSync(join(ledger.runtime, name), 'utf8')) as {
      process: { started: string };
    };
    note.process.started = '1';
    writeFileSync(join(ledger.runtime, 'held-4194304-x-1'), JSON.stringify(note), { mode: 0o600 });
    await NEXT[0]?.[1](ledger);
    expect(gapsIn(ledger.entries())).toEqual([['unrecorded', 1]]);
    await recorder.session();
    await recorder.close();
    expect(notesOf(ledger)).toEqual([]);
    const buffered = ledger.entries().filter(({ payload }) => payload.buffered === true);
    expect(buffered.map(({ kind }) => kind)).toEqual(['tool.call', 'tool.result']);
  });

  it('are told of by nothing but the error where no note can be left either, and that says so', async () => {
    const ledger = await place();
    const recorder = await openRecorder({ place: ledger.located, cwd: ledger.work });
    writeFileSync(join(ledger.root, 'run/counterfoil'), 'in the way');
    await recorder.refused('first', {}, refusal);
    breakLedger(ledger);
    await expect(recorder.close()).rejects.toThrow('No note could be left either');
  });

  it("what a note says is redacted, and a note that is not understood is nobody's", async () => {
    const ledger = await place();
    const recorder = await openRecorder({ place: ledger.located, cwd: ledger.work });
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    await recorder.refused('first', {}, refusal, { toolUseId: secret });
    const [name = ''] = notesOf(ledger);
    expect(readFileSync(join(ledger.runtime, name), 'utf8')).not.toContain(secret);
    for (const text of [
      '',
      '{',
      '[]',
      '{"v":1,"since":"x"}',
      `{"since":1,"until":2,"events":-1,"why":"","calls":[]}`,
    ])
      writeFileSync(join(ledger.runtime, `left-${text.length}`), text, { mode: 0o600 });
    mkdirSync(join(ledger.runtime, 'left-directory'));
    await NEXT[0]?.[1](ledger);
    expect(gapsIn(ledger.entries())).toEqual([]);
    await recorder.close();
  });
});

describe('K7d the end of a session of which something is missing', () => {
  it('has a gap before it and is no clean end, where entries fit on the disk and content does not', async () => {
    const store = new MemoryStore(seededRandom());
    await store.append((head) => notes(head, 'the first entry'));
    const full = (): never => {
      throw new Error('the disk is full');
    };
    const { recorder } = recorderOn(store, { putContent: full, commitContent: full });
    await recorder.refused('first', {}, refusal);
    await expect(recorder.close()).rejects.toThrow('the disk is full A gap records it.');
    const entries = (await readEntries(store)).slice(1);
    expect(entries.map(({ kind }) => kind)).toEqual(['session.start', 'gap', 'session.end']);
    expect(entries.at(-1)?.payload.reason).toBe('incomplete');
  });

  it('tells of calls and turns that were refused in the middle of it', async () => {
    const store = new MemoryStore(seededRandom());
    await store.append((head) => notes(head, 'the first entry'));
    const disk = { isFull: false };
    const append: RecorderOptions['store']['append'] = (build, options) =>
      disk.isFull ? Promise.reject(new Error('the disk is full')) : store.append(build, options);
    const { recorder } = recorderOn(store, {}, append);
    const session = await recorder.session();
    disk.isFull = true;
    await expect(session.tool('t', {}, () => 1, { toolUseId: 'c1' })).rejects.toThrow('the disk is full');
    await expect(session.prompt('p')).rejects.toThrow('the disk is full');
    disk.isFull = false;
    await session.end();
    const entries = (await readEntries(store)).slice(1);
    expect(entries.map(({ kind }) => kind)).toEqual(['session.start', 'gap', 'session.end']);
    expect(entries[1]?.payload).toMatchObject({ events: 2, calls: ['c1'] });
  });

  it('of a proxy whose ledger never could be opened is an error, and the next proxy tells the gap', async () => {
    const ledger = await place();
    const mend = breakLedger(ledger);
    const wire = wireTo(ledger);
    const call = { tool: 't', args: {}, toolUseId: 'c1', beside: {} };
    await expect(wire.call(call)).rejects.toMatchObject({ code: 'AUDIT_APPEND_FAILED' });
    expect(notesOf(ledger)).toEqual([expect.stringMatching(/^held-/)]);
    await expect(wire.end()).rejects.toThrow('A note was left');
    mend();
    const next = wireTo(ledger);
    await next.start();
    await next.end();
    expect(gapsIn(ledger.entries())).toEqual([['unrecorded', 1]]);
  });
});

function recorderOn(
  store: MemoryStore,
  contents: Partial<Pick<MemoryStore, 'putContent' | 'commitContent'>>,
  append: RecorderOptions['store']['append'] = (build, options) => store.append(build, options),
): { readonly recorder: Recorder } {
  const redactor = makeRedactor({});
  const kept = {
    putContent: store.putContent.bind(store),
    commitContent: store.commitContent.bind(store),
    ...contents,
  };
  return {
    recorder: new Recorder({
      store: { append, head: () => store.head(), read: (from, to) => store.read(from, to) },
      intake: new Intake({ store: kept, redactor, policy: DEFAULT_CONFIG }),
      config: DEFAULT_CONFIG,
      redaction: redactor.id,
      agent: 'test',
      source: 'sdk',
      workspaceRoot: '/work',
      seal: async () => undefined,
      close: async () => undefined,
    }),
  };
}
