// What K8 promises: every call of the operating system that a recorded tool call makes fails once, both ways, on a disk that forgets
// what was not synced. Whatever happens: a tool runs only if the power could go that moment and its call would still be
// on record, and a value is handed on only if that is true of its result.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/config/index.ts';
import { type JsonObject, StoreError } from '../../src/core/index.ts';
import { parseContentRef } from '../../src/format/index.ts';
import { createLedger, type Keyring, Ledger } from '../../src/ledger/index.ts';
import { Intake, RecordError, Recorder } from '../../src/record/index.ts';
import { makeRedactor } from '../../src/redact/index.ts';
import { createFileStore, type Fs, openFileStore } from '../../src/store/files/index.ts';
import { memoryKeyring } from '../../src/store/memory/index.ts';
import { verifyDirectory } from '../file-ledger.ts';
import { readEntries } from '../read-log.ts';
import { fastDirectory, seededRandom } from '../temporary.ts';
import { READS } from './each-call.ts';
import { type Call, type Effect, type Fault, FaultyFs } from './faulty-fs.ts';
import { PowerCutFs } from './power-cut-fs.ts';

const root = mkdtempSync(join(fastDirectory, 'foil-recorder-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let run = 0;

interface Seen {
  ran: number;
  given: number;
  thrown: number;
  refused: RecordError[];
}

/** A short session: two calls in a row, two at once, one within another, one that fails. */
export async function live(fault?: Fault): Promise<{ seen: Seen; faulty: FaultyFs }> {
  const place = join(root, `${run++}`);
  mkdirSync(place);
  const disk = new PowerCutFs(place);
  const keyring = memoryKeyring();
  const store = await createFileStore(place, { fs: disk.fs, random: seededRandom('store') });
  await createLedger({ store, keyring, random: seededRandom('ledger') });
  await store.close();
  const faulty = new FaultyFs(fault, disk.fs);
  const seen: Seen = { ran: 0, given: 0, thrown: 0, refused: [] };
  try {
    await session(place, disk, faulty.fs, keyring, seen);
  } finally {
    rmSync(place, { recursive: true });
  }
  return { seen, faulty };
}

async function session(place: string, disk: PowerCutFs, fs: Fs, keyring: Keyring, seen: Seen): Promise<void> {
  const recorder = open(place, fs, keyring);
  const pending: Promise<unknown>[] = [];
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    await work().catch((error: unknown) => {
      if (error instanceof RecordError) seen.refused.push(error);
      else if (!(error instanceof ToolFailure)) throw error;
    });
  };
  await attempt(async () => {
    const begun = await recorder.session();
    const tool = async (name: string, more: () => unknown = () => undefined): Promise<void> => {
      const args = { name, padding: name.repeat(100) };
      const value = { answer: `of ${name}` };
      let seq = 0;
      const call = begun.tool(name, args, async (context) => {
        seen.ran++;
        seq = context.seq;
        await afterPowerCut(disk, 'tool.call', name, seq, args);
        await more();
        if (name === 'failing') throw new ToolFailure();
        return value;
      });
      try {
        expect(await call).toBe(value);
        seen.given++;
        await afterPowerCut(disk, 'tool.result', name, seq, value);
      } catch (error) {
        if (error instanceof ToolFailure) {
          seen.thrown++;
          const told = { error: { name: 'ToolFailure', message: 'the tool itself' } };
          await afterPowerCut(disk, 'tool.result', name, seq, told);
        } else if (error instanceof RecordError) {
          expect(error.code).toBe('AUDIT_APPEND_FAILED');
          expect(JSON.stringify(error), 'the value is withheld').not.toContain('of ');
        }
        throw error;
      }
    };
    await attempt(() => begun.prompt('begin'));
    await attempt(() => tool('one'));
    await attempt(() => tool('outer', () => attempt(() => tool('inner'))));
    pending.push(
      attempt(() => tool('left')),
      attempt(() => tool('right')),
    );
    await Promise.all(pending);
    await attempt(() => tool('failing'));
    await attempt(() =>
      begun.end().catch((error: unknown) => {
        // The end is on record, and could not be sealed.
        if (!(error instanceof StoreError)) throw error;
      }),
    );
  });
  await recorder.close().catch(() => undefined);
  const after = remains(disk);
  expect((await verifyDirectory(after)).failures).toEqual([]);
  // A process with no memory of what went wrong goes on.
  const again = open(after, undefined, keyring);
  await (await again.session()).tool('after', {}, () => 1);
  await again.close();
  expect((await verifyDirectory(after)).failures).toEqual([]);
  rmSync(after, { recursive: true });
}

class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  override readonly message = 'the tool itself';
}

function open(directory: string, fs: Fs | undefined, keyring: Keyring): Recorder {
  const store = openFileStore(directory, { random: seededRandom('recorder'), ...(fs && { fs }) });
  const ledger = new Ledger({ store, keyring, random: seededRandom('again') });
  const redactor = makeRedactor({});
  return new Recorder({
    store,
    intake: new Intake({ store, redactor, policy: DEFAULT_CONFIG }),
    config: DEFAULT_CONFIG,
    redaction: redactor.id,
    agent: 'test',
    source: 'sdk',
    workspaceRoot: '/work',
    seal: () => ledger.seal(),
    close: () => ledger.close(),
  });
}

function remains(disk: PowerCutFs): string {
  const directory = join(root, `${run++}`);
  mkdirSync(directory);
  disk.remains(directory);
  return directory;
}

/** If the power went now: the entry is there, and so is what it refers to. */
async function afterPowerCut(
  disk: PowerCutFs,
  kind: string,
  name: string,
  seq: number,
  content: unknown,
): Promise<void> {
  const directory = remains(disk);
  const store = openFileStore(directory);
  try {
    await store.append(() => undefined); // what a head did not tell of is found
    const found = (await readEntries(store)).find(
      (entry) => entry.kind === kind && (kind === 'tool.call' ? entry.seq : entry.cause) === seq,
    );
    expect(found?.payload.tool, `${kind} of ${name} is durable`).toBe(name);
    const ref = parseContentRef(found?.payload[kind === 'tool.call' ? 'args' : 'output'] as JsonObject);
    const bytes = await store.getContent(found?.session_id ?? null, ref);
    expect(bytes && JSON.parse(new TextDecoder().decode(bytes))).toEqual(content);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true });
  }
}

export const CALLS = [
  'appendDurably',
  'append',
  'datasync',
  'syncDirectory',
  'overwrite',
  'open',
  'read',
  'stat',
] as const satisfies readonly Call[];
const HALVES: readonly Call[] = ['append', 'appendDurably', 'overwrite'];

/** Fails the call at about `most` of the times it is made, in every way. */
export async function failEach(call: Call, most: number, codes: readonly string[]): Promise<void> {
  const times = (await live()).faulty.counts.get(call) ?? 0;
  expect(times, 'the scenario reaches it').toBeGreaterThan(0);
  const ways: readonly Effect[] = READS.includes(call)
    ? ['none']
    : HALVES.includes(call)
      ? ['none', 'half', 'all']
      : ['none', 'all'];
  let happened = 0;
  // The first that is opened is the lock, when the recorder is.
  for (let nth = call === 'open' ? 2 : 1; nth <= times; nth += Math.ceil(times / most))
    for (const effect of ways)
      for (const code of codes) {
        const { seen, faulty } = await live({ call, nth, effect, code });
        // How often it is made depends a little on who comes together; it may be once less.
        if (faulty.happened) happened++;
        expect(seen.given + seen.thrown).toBeLessThanOrEqual(seen.ran);
        if (call === 'appendDurably' && faulty.happened) expect(seen.refused.length).toBeGreaterThan(0);
      }
  expect(happened).toBeGreaterThan(0);
}
