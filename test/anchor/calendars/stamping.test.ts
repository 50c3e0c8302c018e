// Stamping before a real calendar on this machine, which keeps its word, breaks it or says nothing.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { calendarAddress } from '../../../src/anchor/calendars/index.ts';
import { headerHash, MAINNET, parseOpenTimestamp, pendingAttestations } from '../../../src/core/index.ts';
import { parseStampHeaders } from '../../../src/format/index.ts';
import { openFiles } from '../../../src/store/files/index.ts';
import { verifyLedger } from '../../../src/verify/index.ts';
import { hex } from '../../core/open-timestamps.ts';
import { expectIntact } from '../../file-ledger.ts';
import { CalendarServer, type Misbehaviour, mineHeader } from './calendar-server.ts';
import { python, readByPython, StampPlace } from './stamp-place.ts';

/** Long enough for a busy machine; only who says nothing at all is waited for so long. */
const LONG = 20_000;
const isSilent = (how: Misbehaviour): boolean => how === 'hangs' || how === 'drips';

const checkpointPath = (place: StampPlace, size: number): string =>
  join(place.directory, 'checkpoints', String(size).padStart(16, '0'));

describe('stamping', () => {
  it('X2a a checkpoint is promised by two calendars, completed by a block, and both are on record', async () => {
    const [alice, bob] = [await CalendarServer.start(), await CalendarServer.start()];
    const place = await StampPlace.make(alice, bob);
    const { stamp, promised, failures } = await place.stamp();
    const { size } = stamp;
    expect([promised, failures]).toEqual([[alice.url, bob.url], []]);
    expect(stamp).toMatchObject({ state: 'pending', problem: null, wanted: null });
    expect(stamp.verdict?.calendars.toSorted()).toEqual([alice.url, bob.url].toSorted());

    expect(await place.upgrade()).toMatchObject([{ completed: false, failures: [] }]);
    const height = alice.mine();
    const [outcome] = await place.upgrade();
    const header = alice.headerAt(height)!;
    expect(outcome).toMatchObject({
      completed: true,
      stamp: {
        size,
        state: 'complete',
        verdict: { block: { height, hash: headerHash(header), time: 1_700_000_000 } },
      },
    });
    expect(parseStampHeaders(place.read(size, 'headers.json')!)).toEqual([{ height, header }]);
    expect(await place.upgrade()).toEqual([]);

    const note = readFileSync(checkpointPath(place, size));
    const digest = createHash('sha256').update(note).digest('hex');
    expect(await place.recorded()).toEqual([
      {
        size,
        digest,
        state: 'pending',
        calendars: expect.any(Array),
        block: null,
        proofSha256: expect.any(String),
      },
      {
        size,
        digest,
        state: 'complete',
        calendars: expect.any(Array),
        block: { height, hash: headerHash(header), time: 1_700_000_000, header: hex(header) },
        proofSha256: createHash('sha256').update(place.read(size, 'ots')!).digest('hex'),
      },
    ]);
    expect(readdirSync(join(place.directory, 'stamps')).sort()).toEqual([
      `${String(size).padStart(16, '0')}.headers.json`,
      `${String(size).padStart(16, '0')}.ots`,
      'lock',
    ]);
    await expectIntact(place.directory, ['UNSEALED', 'BLOCK_REGTEST']);
    const report = await verifyLedger(openFiles(place.directory), { network: 'regtest' });
    expect(report.facets.time.status).toBe('pass');
  });

  it.skipIf(python === undefined)(
    python === undefined
      ? 'X2b python-opentimestamps reads our stamps: skipped, python3-opentimestamps is not installed'
      : 'X2b python-opentimestamps reads our stamps, of the very file of the checkpoint',
    async () => {
      const [alice, bob] = [await CalendarServer.start(), await CalendarServer.start()];
      const place = await StampPlace.make(alice, bob);
      const { size } = (await place.stamp()).stamp;
      const read = () => readByPython(place.path(size, 'ots'), checkpointPath(place, size));
      expect(read()).toEqual({ same: true, pending: [alice.url, bob.url].sort(), blocks: [] });
      const height = bob.mine();
      place.blocks = bob;
      await place.upgrade();
      const root = hex(bob.headerAt(height)!.subarray(36, 68));
      expect(read()).toEqual({ same: true, pending: [alice.url, bob.url].sort(), blocks: [[height, root]] });
    },
  );

  it('calendars are sent what tells nothing, and never the same twice', async () => {
    const alice = await CalendarServer.start();
    const place = await StampPlace.make(alice);
    const { size } = (await place.stamp()).stamp;
    const first = parseOpenTimestamp(place.read(size, 'ots')!);
    expect(first.tree).toMatchObject([
      { operation: { op: 'append' }, next: [{ operation: { op: 'sha256' } }] },
    ]);
    const other = await StampPlace.make(alice);
    const { size: otherSize } = (await other.stamp()).stamp;
    const argument = (proof: typeof first) => {
      const [branch] = proof.tree;
      return branch !== undefined && 'operation' in branch && 'argument' in branch.operation
        ? hex(branch.operation.argument)
        : '';
    };
    const second = parseOpenTimestamp(other.read(otherSize, 'ots')!);
    expect(argument(first)).toMatch(/^[0-9a-f]{32}$/);
    expect(argument(second)).not.toBe(argument(first));
  });

  const STAMPING: readonly [Misbehaviour, string][] = [
    ['hangs', 'time-out'],
    ['drips', 'time-out'],
    ['html', 'not-a-proof'],
    ['megabyte', 'too-large'],
    ['gzip-bomb', 'too-large'],
    ['cut-short', 'not-a-proof'],
    ['whole-file', 'not-a-proof'],
    ['redirects', 'redirect'],
    ['refuses', 'refused'],
    ['premature', 'premature'],
    ['drops', 'unreachable'],
  ];

  it.each(STAMPING)(
    'X2c a calendar that %s is a named problem, and nothing is kept of it',
    async (how, problem) => {
      const bad = await CalendarServer.start();
      bad.misbehaves = how;
      const place = await StampPlace.make(bad);
      place.timeout = 300;
      const { stamp, promised, failures } = await place.stamp();
      expect(failures).toMatchObject([{ calendar: bad.url, problem }]);
      expect([promised, stamp.state]).toEqual([[], 'wanted']);
      expect(place.read(stamp.size, 'ots')).toBeUndefined();
      expect(place.read(stamp.size, 'wanted')).toBeDefined();
      expect(await place.recorded()).toEqual([]);
      expect(bad.asked).toEqual(['POST /digest']);
      // Beside a good one it takes nothing away.
      const good = await CalendarServer.start();
      place.calendars = [bad, good];
      expect(await place.work()).toMatchObject({ promised: [good.url], stamp: { state: 'pending' } });
      // It is still wanted, since two know of it; once the other is right, it is not.
      expect(place.read(stamp.size, 'wanted')).toBeDefined();
      bad.misbehaves = undefined;
      expect(await place.work()).toMatchObject({
        promised: [bad.url],
        stamp: { state: 'pending', wanted: null },
      });
      expect(await place.recorded()).toHaveLength(1);
      const proof = parseOpenTimestamp(place.read(stamp.size, 'ots')!);
      expect(
        pendingAttestations(proof)
          .map(({ uri }) => uri)
          .toSorted(),
      ).toEqual([bad.url, good.url].toSorted());
    },
  );

  it('X2d offline it waits in the queue, and only the newest is stamped later', async () => {
    const alice = await CalendarServer.start();
    const { port } = alice;
    const place = await StampPlace.make(alice);
    const urls = [alice.url];
    await alice.stop();
    place.calendars = urls.map((url) => ({ url }) as CalendarServer);
    const first = await place.stamp();
    expect(first).toMatchObject({ stamp: { state: 'wanted' }, failures: [{ problem: 'unreachable' }] });
    const second = await place.stamp();
    expect((await place.list()).map(({ size, state }) => [size, state])).toEqual([
      [second.stamp.size, 'wanted'],
    ]);
    expect(second.stamp.size).toBeGreaterThan(first.stamp.size);
    await alice.listen(port);
    expect(await place.work()).toMatchObject({
      promised: urls,
      stamp: { size: second.stamp.size, state: 'pending' },
    });
    expect(await place.work()).toBeUndefined();
    expect((await place.recorded()).map(({ size, state }) => [size, state])).toEqual([
      [second.stamp.size, 'pending'],
    ]);
  });

  it('X2d without calendars it waits, and nobody is asked', async () => {
    const place = await StampPlace.make();
    expect(await place.stamp()).toMatchObject({ promised: [], failures: [], stamp: { state: 'wanted' } });
  });

  it.each([
    ['a file', (path: string) => writeFileSync(path, 'no proof')],
    ['a directory', (path: string) => mkdirSync(path)],
  ])('a proof that is none is left as it is, and named: %s', async (_, put) => {
    const alice = await CalendarServer.start();
    const place = await StampPlace.make(alice);
    const size = await place.want();
    put(place.path(size, 'ots'));
    expect(await place.work()).toMatchObject({ promised: [], stamp: { state: 'damaged' } });
    expect(alice.asked).toEqual([]);
    expect(await place.recorded()).toEqual([]);
  });

  it('one that is of another checkpoint is damaged', async () => {
    const alice = await CalendarServer.start();
    const place = await StampPlace.make(alice);
    const { size } = (await place.stamp()).stamp;
    const later = await place.want();
    writeFileSync(place.path(later, 'ots'), place.read(size, 'ots')!);
    expect((await place.list()).map((each) => [each.state, each.problem])).toEqual([
      ['pending', null],
      ['damaged', 'the proof is not for this checkpoint'],
    ]);
  });
});

describe('upgrading', () => {
  const UPGRADING: readonly [Misbehaviour, string | null][] = [
    ['hangs', 'time-out'],
    ['drips', 'time-out'],
    ['html', 'not-a-proof'],
    ['megabyte', 'too-large'],
    ['gzip-bomb', 'too-large'],
    ['cut-short', 'not-a-proof'],
    ['whole-file', 'not-a-proof'],
    ['redirects', 'redirect'],
    ['refuses', 'refused'],
    ['drops', 'unreachable'],
    ['other-commitment', 'other-root'],
    ['nothing-known', null],
  ];

  it.each(UPGRADING)('X2c a calendar that %s changes nothing', async (how, problem) => {
    const alice = await CalendarServer.start();
    const place = await StampPlace.make(alice);
    const { size } = (await place.stamp()).stamp;
    const before = place.read(size, 'ots');
    alice.mine();
    alice.misbehaves = how;
    if (isSilent(how)) place.timeout = 300;
    expect(await place.upgrade()).toMatchObject([
      problem === null
        ? { completed: false, waiting: [alice.url], failures: [] }
        : { completed: false, waiting: [], failures: [{ calendar: alice.url, problem }] },
    ]);
    expect(place.read(size, 'ots')).toEqual(before);
    expect(place.read(size, 'headers.json')).toBeUndefined();
    expect(readdirSync(join(place.directory, 'stamps'))).toHaveLength(2);
    expect(await place.recorded()).toHaveLength(1);
    place.timeout = LONG;
    alice.misbehaves = undefined;
    expect(await place.upgrade()).toMatchObject([{ completed: true }]);
  });

  it('X2c one that lies does not keep the other from completing it', async () => {
    const [liar, honest] = [await CalendarServer.start(), await CalendarServer.start()];
    const place = await StampPlace.make(liar, honest);
    await place.stamp();
    liar.mine();
    liar.misbehaves = 'other-commitment';
    expect(await place.upgrade()).toMatchObject([
      { completed: false, waiting: [honest.url], failures: [{ calendar: liar.url, problem: 'other-root' }] },
    ]);
    // Both name the same height, of which the honest one has the block.
    honest.mine();
    place.blocks = honest;
    expect(await place.upgrade()).toMatchObject([{ completed: true }]);
  });

  it('a header that nobody can give leaves it pending; one of another chain, or another block, too', async () => {
    const alice = await CalendarServer.start();
    const place = await StampPlace.make(alice);
    const { size } = (await place.stamp()).stamp;
    const before = place.read(size, 'ots');
    alice.mine();
    const say = (headerAt: (height: number) => Promise<Uint8Array | null>) => {
      place.more = { headerAt };
      return place.upgrade();
    };
    expect(await say(async () => null)).toMatchObject([{ failures: [{ problem: 'no-header' }] }]);
    expect(await say(() => Promise.reject(new Error('gone')))).toMatchObject([
      { failures: [{ problem: 'no-header' }] },
    ]);
    expect(await say(async () => new Uint8Array(79))).toMatchObject([
      { failures: [{ problem: 'bad-header' }] },
    ]);
    const other = mineHeader(new Uint8Array(32).fill(7));
    expect(await say(async () => other)).toMatchObject([{ failures: [{ problem: 'other-root' }] }]);
    expect(place.read(size, 'ots')).toEqual(before);
    expect(place.read(size, 'headers.json')).toBeUndefined();
    place.more = {};
    expect(await place.upgrade()).toMatchObject([{ completed: true }]);
  });

  it('X2e a header of regtest completes nothing on the main chain', async () => {
    const alice = await CalendarServer.start();
    const place = await StampPlace.make(alice);
    await place.stamp();
    alice.mine();
    place.more = { chain: MAINNET };
    expect(await place.upgrade()).toMatchObject([
      {
        completed: false,
        failures: [{ problem: 'bad-header', message: expect.stringContaining('TARGET_TOO_EASY') }],
      },
    ]);
  });

  it('X2f an address that a proof names is not asked unless somebody chose it', async () => {
    const [alice, stranger] = [await CalendarServer.start(), await CalendarServer.start()];
    alice.uri = stranger.url;
    const place = await StampPlace.make(alice);
    await place.stamp();
    expect(await place.upgrade()).toMatchObject([
      { failures: [{ calendar: stranger.url, problem: 'not-configured' }] },
    ]);
    expect(stranger.asked).toEqual([]);
  });

  it('who did not answer is not waited for again and again', async () => {
    const alice = await CalendarServer.start();
    const place = await StampPlace.make(alice);
    for (let i = 0; i < 3; i++) await place.stamp();
    alice.misbehaves = 'hangs';
    place.timeout = 300;
    const asked = alice.asked.length;
    expect((await place.upgrade()).map(({ failures }) => failures[0]?.problem)).toEqual([
      'time-out',
      'unreachable',
      'unreachable',
    ]);
    expect(alice.asked.length - asked).toBe(1);
    expect(await place.upgrade(2)).toHaveLength(2);
  });

  it('many stamps in one block are completed each', async () => {
    const alice = await CalendarServer.start();
    const place = await StampPlace.make(alice);
    for (let i = 0; i < 5; i++) await place.stamp();
    alice.mine();
    expect((await place.upgrade()).map(({ completed }) => completed)).toEqual(Array(5).fill(true));
    expect((await place.recorded()).filter(({ state }) => state === 'complete')).toHaveLength(5);
  });

  it('a header that was lost is fetched again, without the calendar', async () => {
    const alice = await CalendarServer.start();
    const place = await StampPlace.make(alice);
    const { size } = (await place.stamp()).stamp;
    alice.mine();
    await place.upgrade();
    writeFileSync(place.path(size, 'headers.json'), '{}');
    expect(await place.list()).toMatchObject([
      { state: 'pending', problem: 'it names a block whose header is not available' },
    ]);
    alice.misbehaves = 'refuses';
    expect(await place.upgrade()).toMatchObject([{ completed: true, failures: [] }]);
  });
});

describe('the address of a calendar', () => {
  it.each([
    ['https://a.example.org', 'https://a.example.org'],
    ['https://a.example.org/ots/', 'https://a.example.org/ots'],
    ['http://127.0.0.1:4000', 'http://127.0.0.1:4000'],
    ['http://[::1]:4000', 'http://[::1]:4000'],
    ['a.example.org', undefined],
    ['//a.example.org', undefined],
    ['ftp://a.example.org', undefined],
    ['file:///etc/passwd', undefined],
    ['https://user@a.example.org', undefined],
    ['https://a.example.org?x', undefined],
    ['https://a.example.org#x', undefined],
    ['https://a.example.org/\n', undefined],
  ])('%j', (text, address) => {
    expect(calendarAddress(text)).toBe(address);
  });

  it('is of a bounded length', () => {
    expect(calendarAddress(`https://${'a'.repeat(1000)}`)).toBeUndefined();
  });
});
