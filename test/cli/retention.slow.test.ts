// foil archive by age and by room, on ledgers whose entries and files are of last year; and what a run that was stopped
// anywhere leaves to the next.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type RetentionOptions, retain } from '../../src/app/upkeep/retention.ts';
import { tidyUp } from '../../src/app/upkeep/upkeep.ts';
import { dayOf, isUpkeepDue, readUpkeepNote, writeUpkeepNote } from '../../src/app/upkeep/upkeep-note.ts';
import { parseConfig } from '../../src/config/index.ts';
import { encodeContentRef, LineWriter } from '../../src/format/index.ts';
import { DAY, DEFAULT_RETENTION, KEEP_ALL } from '../../src/ledger/index.ts';
import { encodeState, newState } from '../../src/record/host/session-state.ts';
import { type Fs, nodeFs } from '../../src/store/files/index.ts';
import { type Call, FaultyFs } from '../fault/faulty-fs.ts';
import {
  createFileLedger,
  expectIntact,
  newFileLedger,
  type Opened,
  openFileLedger,
  verifyDirectory,
} from '../file-ledger.ts';
import { readEntries } from '../read-log.ts';
import { fastDirectory, temporary } from '../temporary.ts';
import { Sandbox } from './foil.ts';

const NOW = Date.now();
const OLD = NOW - 400 * DAY;
const id = (n: number): string => n.toString(16).padStart(64, '0');

interface Made {
  readonly at?: number;
  readonly bytes?: number;
  readonly root?: string;
  readonly end?: boolean;
}

/** A session with one small and one large piece of content, and entries and files of `at`. */
async function session({ ledger, store }: Opened, n: number, made: Made = {}): Promise<void> {
  const { at = OLD, bytes = 600_000, root = null, end = true } = made;
  const of = { session_id: id(n), source: 'test', ts: new Date(at).toISOString() };
  const small = encodeContentRef(await store.putContent(id(n), Buffer.from(`small ${n}`)));
  const large = encodeContentRef(await store.putContent(id(n), Buffer.alloc(bytes, n)));
  await ledger.append([
    { ...of, kind: 'session.start', payload: { workspace_root: root } },
    { ...of, kind: 'prompt', payload: { small, large } },
    ...(end ? [{ ...of, kind: 'session.end', payload: {} }] : []),
  ]);
  const folder = join(store.directory, 'blobs', id(n));
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), at / 1000, at / 1000);
}

const options = (opened: Opened, more: Partial<RetentionOptions> = {}): RetentionOptions => ({
  ...opened,
  roots: [],
  locked: false,
  now: NOW,
  thorough: true,
  dryRun: false,
  ...more,
});

const erased = async (opened: Opened, more?: Partial<RetentionOptions>): Promise<number[]> => {
  const { erased: gone, finished } = await retain(options(opened, more));
  return [...gone, ...finished].map((each) => Number.parseInt(each.session, 16)).sort();
};

function hasContent(directory: string, n: number): boolean {
  const folder = join(directory, 'blobs', id(n));
  return existsSync(folder) && readdirSync(folder).length > 0;
}

function project(retention: string): string {
  const root = temporary();
  writeFileSync(join(root, 'counterfoil.yaml'), retention);
  return root;
}

describe('B13c retention', () => {
  it('erases content and salt past its age, under a tombstone; entries stay, and nothing is done twice', async () => {
    const directory = temporary();
    const opened = await newFileLedger(directory);
    await session(opened, 1);
    await session(opened, 2, { at: NOW - 10 * DAY });
    const before = (await readEntries(opened.store)).length;
    expect(await erased(opened, { dryRun: true })).toEqual([1]);
    expect((await readEntries(opened.store)).length).toBe(before);
    expect(await erased(opened)).toEqual([1]);
    expect(hasContent(directory, 1)).toBe(false);
    expect(existsSync(join(directory, 'salts', id(1)))).toBe(false);
    expect(hasContent(directory, 2)).toBe(true);
    const entries = await readEntries(opened.store);
    expect(entries.length).toBe(before + 1);
    expect(entries.at(-1)).toMatchObject({
      kind: 'erase',
      payload: { reason: 'retention', sessions: [{ session: id(1), files: 2 }] },
    });
    const report = await expectIntact(directory);
    expect(report.counts).toMatchObject({
      contentErased: 2,
      contentChecked: 2,
      contentAbsent: 0,
      unsealed: 0,
    });
    expect(await erased(opened)).toEqual([]);
    expect((await readEntries(opened.store)).length).toBe(before + 1);
  });

  it('X5 erases what recorders noted about it, and no note of a session that is kept or in use', async () => {
    const directory = temporary();
    const opened = await newFileLedger(directory);
    const old = (path: string): void => utimesSync(path, OLD / 1000, OLD / 1000);
    for (const n of [1, 2, 3, 4]) {
      if (n !== 4) await session(opened, n, n === 2 ? { at: NOW - 10 * DAY } : {});
      mkdirSync(join(directory, 'sessions'), { recursive: true });
      const path = join(directory, 'sessions', `claude-code.${n}`);
      writeFileSync(path, encodeState({ ...newState(id(n)), said: 'codeword' }));
      // Of 3, something was noted a moment ago. Of 4, the content was erased long ago.
      if (n !== 3) old(path);
    }
    const other = join(directory, 'sessions', 'other');
    writeFileSync(other, 'not a note about a session');
    old(other);
    await erased(opened, { dryRun: true });
    expect(readdirSync(join(directory, 'sessions'))).toHaveLength(5);
    await erased(opened);
    const left = ['claude-code.2', 'claude-code.3', 'other'];
    expect(readdirSync(join(directory, 'sessions')).sort()).toEqual(left);
  });

  it('by room erases the oldest, and leaves open sessions and the last hour alone', async () => {
    const directory = temporary();
    const opened = await newFileLedger(directory);
    const root = project('retention: {bytes: 1048576}');
    const bytes = 600_000;
    await session(opened, 1, { at: NOW - 5 * DAY, bytes, root });
    await session(opened, 2, { at: NOW - 4 * DAY, bytes });
    await session(opened, 3, { at: NOW - 6 * DAY, bytes, end: false });
    await session(opened, 4, { at: NOW - 1000, bytes });
    expect(await erased(opened)).toEqual([1, 2]);
    await expectIntact(directory);
  });

  it('is what the project says, of several what keeps more, and in locked never less than the default', async () => {
    const opened = await newFileLedger(temporary());
    const [off, short, silent] = [project('retention: off'), project('retention: {days: 5}'), project('')];
    await session(opened, 1, { at: NOW - 10 * DAY, root: silent });
    await session(opened, 2);
    const dry = (roots: readonly string[], locked = false) => erased(opened, { roots, locked, dryRun: true });
    expect(await dry([off])).toEqual([]);
    expect(await dry([short])).toEqual([1, 2]);
    expect(await dry([short, off])).toEqual([]);
    expect(await dry([short], true)).toEqual([2]);
    expect(await dry([silent])).toEqual([2]);
    // A session's own directory has a say, too.
    await session(opened, 3, { root: off });
    expect(await dry([short])).toEqual([]);
  });

  it('keeps everything where the configuration is not understood', async () => {
    const opened = await newFileLedger(temporary());
    await session(opened, 1);
    const { erased: gone, problem } = await retain(
      options(opened, { roots: [project('retention: {days: 0}')] }),
    );
    expect([gone, problem]).toEqual([[], expect.stringContaining('retention.days')]);
  });

  it('is parsed strictly', () => {
    const parse = (retention: unknown) => parseConfig({ retention }, '').retention;
    expect(parse('off')).toEqual(KEEP_ALL);
    expect(parse({})).toEqual(DEFAULT_RETENTION);
    expect(parse({ days: 30 })).toEqual({ ...DEFAULT_RETENTION, days: 30 });
    expect(parseConfig({}, '').retention).toBe(null);
    for (const bad of [
      null,
      false,
      30,
      'on',
      [],
      { days: 0 },
      { days: '30' },
      { days: 1.5 },
      { bytes: 5 },
      { day: 3 },
    ])
      expect(() => parse(bad), JSON.stringify(bad)).toThrow(/retention/);
  });

  it('does not touch a session that goes on after its tombstone', async () => {
    const directory = temporary();
    const opened = await newFileLedger(directory);
    await session(opened, 1);
    const { seq: seen } = await opened.store.head();
    await opened.ledger.bury({
      reason: 'retention',
      sessions: [{ session: id(1), files: 2, bytes: 1 }],
      seen,
    });
    await session(opened, 1, { at: NOW - 5 * DAY });
    expect(await erased(opened)).toEqual([]);
    expect(hasContent(directory, 1)).toBe(true);
  });

  it('B13d removes nothing on the word of a tombstone that nobody signed', async () => {
    const directory = temporary();
    const opened = await newFileLedger(directory);
    await session(opened, 1, { at: NOW - 5 * DAY });
    await opened.ledger.bury({
      reason: 'retention',
      sessions: [{ session: id(9), files: 2, bytes: 1 }],
      seen: 9,
    });
    const good = (await readEntries(opened.store)).at(-1)?.payload;
    const payload = { ...good, sessions: [{ session: id(1), files: 2, bytes: 1 }] };
    await opened.store.append((at) => {
      const writer = new LineWriter();
      const draft = { kind: 'erase', payload, source: 'ledger' };
      const hash = writer.write(draft, new Date(NOW).toISOString(), at.seq + 1, at.hash);
      return { lines: writer.take(), head: { seq: at.seq + 1, hash } };
    });
    expect(await erased(opened)).toEqual([]);
    expect(hasContent(directory, 1)).toBe(true);
    expect((await verifyDirectory(directory)).facets.identity.findings).toContainEqual(
      expect.objectContaining({ code: 'ERASE_INVALID' }),
    );
  });
});

/** From its `nth` change on it does nothing any more, as a process that was killed. */
function killedAt(nth: number): { readonly fs: Fs; readonly died: () => boolean } {
  let changes = 0;
  const fs = Object.fromEntries(
    Object.entries(nodeFs).map(([name, call]) => {
      const changing = !['close', 'stat', 'read', 'list', 'size', 'open'].includes(name);
      const guarded = (...args: never[]): unknown => {
        if (changing) changes++;
        const [, flags] = args as readonly unknown[];
        if (changes >= nth && (changing || (name === 'open' && flags !== 'r' && flags !== 'a')))
          throw new Error('killed');
        return (call as (...args: never[]) => unknown)(...args);
      };
      return [name, guarded];
    }),
  ) as unknown as Fs;
  return { fs, died: () => changes >= nth };
}

describe('B13d a run that is killed', () => {
  it('before any change it makes has done them in order: checkpoint, tombstone, checkpoint, removal', async () => {
    for (let nth = 1; ; nth++) {
      const directory = temporary(fastDirectory);
      const made = await createFileLedger(directory);
      await session(made, 1);
      const all = (await readEntries(made.store)).length;
      await made.store.close();
      const { fs, died } = killedAt(nth);
      const first = openFileLedger(directory, { fs });
      await retain(options(first)).catch(() => undefined);
      await first.store.close().catch(() => undefined);
      const { failures, counts } = await verifyDirectory(directory);
      expect(failures, `change ${nth}`).toEqual([]);
      expect(counts.contentAbsent + counts.contentUnsalted, `change ${nth}`).toBe(0);
      // Whatever is gone, a checkpoint covers its tombstone.
      if (counts.contentErased > 0) expect(counts.unsealed, `change ${nth}`).toBe(0);
      const second = openFileLedger(directory);
      await retain(options(second));
      expect(hasContent(directory, 1), `change ${nth}`).toBe(false);
      expect(existsSync(join(directory, 'salts', id(1))), `change ${nth}`).toBe(false);
      expect((await expectIntact(directory)).counts.contentErased, `change ${nth}`).toBe(2);
      expect((await readEntries(second.store)).length, 'one tombstone').toBe(all + 1);
      await second.store.close();
      if (died()) continue;
      expect(nth).toBeGreaterThan(10);
      break;
    }
  });
});

describe('B13d a run that is stopped', () => {
  const CALLS: readonly Call[] = [
    'appendDurably',
    'append',
    'datasync',
    'overwrite',
    'remove',
    'rename',
    'syncDirectory',
    'removeDirectory',
    'open',
  ];

  it.each(CALLS)('at any %s leaves a sound ledger, and the next run finishes it', async (call) => {
    for (let nth = 1; ; nth++) {
      const directory = temporary(fastDirectory);
      const made = await createFileLedger(directory);
      await session(made, 1);
      await made.ledger.seal();
      await made.store.close();
      const faulty = new FaultyFs({ call, nth, effect: nth % 2 === 0 ? 'all' : 'none', code: 'EIO' });
      try {
        const first = openFileLedger(directory, { fs: faulty.fs });
        await retain(options(first)).finally(() => first.store.close());
      } catch {
        // As it was told to.
      }
      const label = `${call} ${nth}`;
      const between = await verifyDirectory(directory);
      expect(between.failures, label).toEqual([]);
      // Nothing is missing that no tombstone names.
      expect(between.counts.contentAbsent + between.counts.contentUnsalted, label).toBe(0);
      // The host comes back to the session, or a day goes by.
      const second = openFileLedger(directory);
      if (nth % 3 === 0) {
        await session(second, 1, { at: NOW - 2 * DAY });
        await second.ledger.seal();
        await expectIntact(directory);
      } else {
        await retain(options(second));
        expect(hasContent(directory, 1), label).toBe(false);
        expect((await expectIntact(directory)).counts.contentErased, label).toBe(2);
      }
      await second.store.close();
      if (!faulty.happened) {
        expect(nth, 'the call is made').toBeGreaterThan(1);
        break;
      }
    }
  });
});

describe('B13e by itself', () => {
  const located = (directory: string) =>
    ({ directory, keyDirectory: join(directory, 'keys'), how: 'option' }) as const;

  it('once a day, one at a time, and nothing is erased after a long pause, as the clock may have jumped', async () => {
    const directory = temporary();
    const opened = await newFileLedger(directory);
    await session(opened, 1);
    const run = (now: number) => tidyUp(located(directory), { roots: [], now, automatic: true });
    expect(isUpkeepDue(directory, NOW)).toBe(true);
    expect(await run(NOW)).toMatchObject({ erased: [] });
    expect(readUpkeepNote(directory)).toEqual({ day: dayOf(NOW), done: true });
    expect(isUpkeepDue(directory, NOW)).toBe(false);
    expect(isUpkeepDue(directory, NOW + DAY)).toBe(true);
    expect(await opened.store.upkeep(() => run(NOW + DAY))).toBeUndefined();
    expect(await run(NOW + DAY)).toMatchObject({ erased: [{ session: id(1), why: 'age' }] });
    await expectIntact(directory);
  });

  it('a run that was stopped is due again at once, and ends what it began', async () => {
    const directory = temporary();
    const opened = await newFileLedger(directory);
    const bytes = DEFAULT_RETENTION.bytes ?? 0;
    await session(opened, 1, { at: NOW - 5 * DAY });
    const { seq: seen } = await opened.store.head();
    await opened.ledger.bury({ reason: 'retention', sessions: [{ session: id(1), files: 2, bytes }], seen });
    await writeUpkeepNote(directory, { day: dayOf(NOW), done: false });
    expect(isUpkeepDue(directory, NOW)).toBe(true);
    const stopped = { roots: [], now: NOW, automatic: true, stopping: () => true };
    expect(await tidyUp(located(directory), stopped)).toMatchObject({ finished: [] });
    expect(isUpkeepDue(directory, NOW)).toBe(true);
    const done = await tidyUp(located(directory), { ...stopped, stopping: () => false });
    expect(done).toMatchObject({ finished: [{ session: id(1) }] });
    expect(isUpkeepDue(directory, NOW)).toBe(false);
  });
});

describe('B13a, B13b, B13e: foil archive', () => {
  /** Three segments: of last year, of last year but touched today, and the live one. */
  async function segments(directory: string): Promise<string> {
    const opened = await createFileLedger(directory, { segmentLimit: 3000 });
    const note = (ts: number) => ({
      kind: 'note',
      payload: { text: 'x'.repeat(1200) },
      source: 'test',
      ts: new Date(ts).toISOString(),
    });
    for (let i = 0; i < 8; i++) await opened.ledger.append(note(i < 6 ? OLD : NOW));
    await opened.ledger.seal();
    await opened.store.close();
    return join(directory, 'ledger');
  }

  it('gzips what both clocks call older than 30 days, and says what it would do', async () => {
    const sandbox = new Sandbox();
    onTestFinished(() => sandbox.remove());
    const directory = sandbox.path('.foil');
    const folder = await segments(directory);
    sandbox.ok(['init', '--adopt']);
    const names = readdirSync(folder).sort();
    expect(names.length).toBeGreaterThan(3);
    for (const name of names) utimesSync(join(folder, name), OLD / 1000, OLD / 1000);
    utimesSync(join(folder, names[1] as string), NOW / 1000, NOW / 1000);
    const plan = sandbox.json(['archive', '--dry-run']) as { files: { name: string }[]; dry_run: boolean };
    expect(readdirSync(folder).sort()).toEqual(names);
    expect(sandbox.ok(['archive', '--dry-run'])).toContain('would be gzipped');
    expect(sandbox.json(['status'])).toMatchObject({ upkeep: { last: null, segments: plan.files.length } });
    const done = sandbox.json(['archive']) as typeof plan & { freed_bytes: number };
    expect(done.files.map(({ name }) => name)).toEqual(plan.files.map(({ name }) => name));
    const zipped = done.files.map(({ name }) => name.replace('.gz', ''));
    // The first holds ledger.open and lines of last year; the second was touched; entries of the last ones are new.
    expect(zipped).toContain(names[0]);
    expect(zipped).not.toContain(names[1]);
    expect(zipped).not.toContain(names.at(-1));
    expect(zipped).not.toContain(names.at(-2));
    expect(done.freed_bytes).toBeGreaterThan(0);
    expect(sandbox.json(['verify'])).toMatchObject({ verdict: 'INTACT', counts: { unsealed: 0 } });
    expect(sandbox.json(['status'])).toMatchObject({ upkeep: { last: dayOf(Date.now()), segments: 0 } });
    expect(sandbox.ok(['archive'])).toContain('Nothing to do');
  });

  it('closes a live segment that is too long; no line moves', async () => {
    const directory = temporary();
    const opened = await newFileLedger(directory);
    await opened.ledger.append({ kind: 'note', payload: { text: 'x'.repeat(3000) }, source: 'test' });
    const [live = ''] = readdirSync(join(directory, 'ledger'));
    const path = join(directory, 'ledger', live);
    const before = readFileSync(path, 'utf8');
    const run = { roots: [], now: NOW, automatic: true, rollAbove: 2000 };
    const place = { directory, keyDirectory: join(directory, 'keys'), how: 'option' } as const;
    expect(await tidyUp(place, run)).toMatchObject({ rolled: live, gzipped: [] });
    expect(await tidyUp(place, run)).toMatchObject({ rolled: null });
    await opened.ledger.append({ kind: 'note', payload: {}, source: 'test' });
    await opened.ledger.seal();
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(readdirSync(join(directory, 'ledger')).length).toBe(2);
    await expectIntact(directory);
  });

  it('B13c erases what is past its retention, and tells of it', async () => {
    const sandbox = new Sandbox();
    onTestFinished(() => sandbox.remove());
    const directory = sandbox.path('.foil');
    const opened = await createFileLedger(directory);
    await session(opened, 1);
    await opened.store.close();
    sandbox.write('counterfoil.yaml', 'retention: off\n');
    sandbox.ok(['init', '--adopt']);
    expect(sandbox.json(['archive'])).toMatchObject({ erased: [], freed_bytes: 0 });
    sandbox.write('counterfoil.yaml', 'retention:\n  days: 30\n');
    expect(sandbox.json(['status'])).toMatchObject({ upkeep: { sessions: 1 } });
    expect(sandbox.ok(['archive'])).toMatch(/erased content of session 0{8}: 2 files, .*\n.* freed\./);
    expect(sandbox.ok(['verify'])).toContain('0 checked, 0 not here, 2 erased');
    expect(sandbox.ok(['log'])).toContain('content of 1 session erased');
    expect(statSync(directory).isDirectory()).toBe(true);
  });
});
