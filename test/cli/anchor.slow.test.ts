// foil anchor, run as processes before calendars on this machine: promised, completed, offline, at once, killed.
import { existsSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stampWanted, wantStamp } from '../../src/anchor/calendars/index.ts';
import { openStampPorts } from '../../src/app/anchor/stamp-ports.ts';
import { parseOpenTimestamp, REGTEST } from '../../src/core/index.ts';
import { parseStampHeaders } from '../../src/format/index.ts';
import { verifyStamp } from '../../src/verify/index.ts';
import { CalendarServer } from '../anchor/calendars/calendar-server.ts';
import { reopen } from '../file-ledger.ts';
import { Sandbox } from './foil.ts';

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

class AnchorBox extends Sandbox {
  async told(...words: string[]): Promise<Ran> {
    const { code, stdout: out, stderr: err } = await this.foil(words);
    return { code, out, err };
  }

  async asJson<T>(...words: string[]): Promise<T> {
    return JSON.parse((await this.told(...words, '--json')).out) as T;
  }

  stamps(): string[] {
    const directory = this.path('.foil', 'stamps');
    return existsSync(directory) ? readdirSync(directory).sort() : [];
  }

  bytes(...names: string[]): Uint8Array {
    return new Uint8Array(readFileSync(this.path('.foil', ...names)));
  }
}

async function makeBox(...calendars: readonly CalendarServer[]): Promise<AnchorBox> {
  const box = new AnchorBox();
  onTestFinished(() => box.remove());
  const urls = calendars.map(({ url }) => `'${url}'`).join(', ');
  const [first] = calendars;
  box.ledger(first === undefined ? 3 : 2); // that the sources are accepted is an entry, too
  if (first !== undefined) {
    box.write(
      'counterfoil.yaml',
      `anchor:\n  network: regtest\n  stamps: [${urls}]\n  blocks: ['${first.url}']\n`,
    );
    box.ok(['anchor', 'accept']);
  }
  return box;
}

interface Status {
  readonly network: string;
  readonly blocks: readonly {
    readonly source: string;
    readonly newest: { readonly height: number } | null;
  }[];
  readonly stamps: readonly {
    readonly size: number;
    readonly state: string;
    readonly block: { readonly height: number } | null;
  }[];
  readonly queue: readonly { readonly size: number; readonly since: string }[];
}

const name = (size: number, part: string): string => `${String(size).padStart(16, '0')}.${part}`;

describe('foil anchor', () => {
  it('X2a stamps, upgrades and shows it', async () => {
    const [alice, bob] = [await CalendarServer.start(), await CalendarServer.start()];
    const box = await makeBox(alice, bob);
    expect(await box.told('anchor', 'status')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Nothing is stamped yet'),
    });

    const stamped = await box.told('anchor', 'stamp');
    expect(stamped.out).toContain(`The checkpoint of 4 entries:
  promised  ${alice.url}
  promised  ${bob.url}
A promise isn't a proof yet. Run \`foil anchor upgrade\` in a few hours to complete it. stamps/${name(4, 'ots')}
`);
    expect([stamped.code, stamped.err]).toEqual([0, '']);
    const early = await box.told('anchor', 'upgrade');
    expect(early).toMatchObject({ code: 0, err: '' });
    expect(early.out).toContain(`${alice.url} has nothing yet`);
    expect(early.out).toContain('0 completed, 1 pending.');

    const height = alice.mine();
    const upgraded = await box.told('anchor', 'upgrade');
    expect(upgraded).toMatchObject({ code: 0, err: '' });
    expect(upgraded.out).toContain(`4 entries  complete, block ${height}, 2023-11-14 22:13:20Z`);
    expect(upgraded.out).toContain("don't prove any time");
    expect((await box.told('anchor', 'upgrade')).out).toBe('Nothing is pending.\n');

    const status = await box.asJson<Status>('anchor', 'status');
    expect(status).toMatchObject({
      network: 'regtest',
      blocks: [{ newest: { height }, problems: [] }],
      stamps: [{ size: 4, state: 'complete', block: { height } }],
      queue: [],
    });
    expect((await box.told('anchor', 'status')).out).toContain(`4 entries  complete  block ${height}`);
    const kinds = box.ok(['log', '--kind', 'anchor.stamp', '--json']).trim().split('\n');
    expect(kinds.map((line) => (JSON.parse(line) as { payload: { state: string } }).payload.state)).toEqual([
      'pending',
      'complete',
    ]);
    const words = box.ok(['log', '--kind', 'anchor.stamp']);
    expect(words).toContain('a stamp of 4 entries  pending  2 calendars');
    expect(words).toContain(`a stamp of 4 entries  complete  block ${height}, 2023-11-14 22:13:20Z`);
    expect(box.run(['verify']).code).toBe(0);
    // What a verifier elsewhere has: three files.
    const verdict = verifyStamp({
      checkpoint: box.bytes('checkpoints', '4'.padStart(16, '0')),
      proof: box.bytes('stamps', name(4, 'ots')),
      headers: box.bytes('stamps', name(4, 'headers.json')),
      chain: REGTEST,
    });
    expect(verdict).toMatchObject({ status: 'pass', block: { height } });
    // On the main chain those blocks are none.
    expect(
      verifyStamp({
        checkpoint: box.bytes('checkpoints', '4'.padStart(16, '0')),
        proof: box.bytes('stamps', name(4, 'ots')),
        headers: box.bytes('stamps', name(4, 'headers.json')),
      }),
    ).toMatchObject({ status: 'unknown', code: 'NO_HEADER', refused: [{ reason: 'TARGET_TOO_EASY' }] });
  });

  it('X2d offline it says so, waits in the queue, and is stamped later', async () => {
    const alice = await CalendarServer.start();
    const { port } = alice;
    const box = await makeBox(alice);
    await alice.stop();
    const off = await box.told('anchor', 'stamp');
    expect(off).toMatchObject({ code: 1, err: '' });
    expect(off.out).toMatch(/FAILED +http:\/\/127\.0\.0\.1:\d+ can't be reached \(ECONNREFUSED\)/);
    expect(off.out).toContain('the request waits in the queue');
    expect((await box.asJson<Status>('anchor', 'status')).queue).toMatchObject([{ size: 4 }]);
    expect((await box.told('anchor', 'upgrade')).code).toBe(1);
    await alice.listen(port);
    const on = await box.told('anchor', 'upgrade');
    expect(on.out).toContain(`4 entries, from the queue: promised by ${alice.url}`);
    expect(on.code).toBe(0);
    expect(await box.asJson<Status>('anchor', 'status')).toMatchObject({
      queue: [],
      stamps: [{ state: 'pending' }],
    });
  });

  it('X2f asks the calendars that it is told to, and no other', async () => {
    const [alice, bob] = [await CalendarServer.start(), await CalendarServer.start()];
    const box = await makeBox(alice);
    const { out, code } = await box.told('anchor', 'stamp', '--calendar', `${bob.url}/`, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      size: 4,
      state: 'pending',
      promised: [bob.url],
      failures: [],
      queued: false,
    });
    expect(alice.asked).toEqual([]);
    const other = await box.told('anchor', 'upgrade', '--json');
    expect(JSON.parse(other.out)).toMatchObject({ stamps: [{ failures: [{ problem: 'not-configured' }] }] });
    expect(other.code).toBe(1);
    bob.mine();
    // The block is one of bob's, and the block source, alice, does not have it.
    const strange = await box.asJson('anchor', 'upgrade', '--calendar', bob.url);
    expect(strange).toMatchObject({ completed: 0, stamps: [{ failures: [{ problem: 'no-header' }] }] });
  });

  it.each([
    [['anchor'], 'anchor'],
    [['anchor', 'stam'], 'Did you mean'],
    [['anchor', 'stamp', '--calendar', 'alice.example.org'], "isn't the address of a calendar"],
    [['anchor', 'stamp', '--calendar', 'ftp://alice.example.org'], "isn't the address of a calendar"],
    [['anchor', 'status', '--calendar', 'https://alice.example.org'], "doesn't take --calendar"],
  ])('%j is told what would be right', async (words, told) => {
    const box = await makeBox();
    const { code, err } = await box.told(...words);
    expect([code, err]).toEqual([2, expect.stringContaining(told)]);
  });

  it('on regtest without a calendar there is nobody to ask', async () => {
    const box = await makeBox();
    box.write('counterfoil.yaml', 'anchor: {network: regtest}\n');
    expect(await box.told('anchor', 'stamp')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--calendar URL'),
    });
    expect(await box.told('anchor', 'upgrade')).toMatchObject({ code: 0, out: 'Nothing is pending.\n' });
  });

  it('X2g several at once make one proof, and none is lost', async () => {
    const [alice, bob] = [await CalendarServer.start(), await CalendarServer.start()];
    const box = await makeBox(alice, bob);
    const ran = await Promise.all(Array.from({ length: 5 }, () => box.told('anchor', 'stamp')));
    expect(ran.map(({ code, err }) => [code, err])).toEqual(Array(5).fill([0, '']));
    const { stamps, queue } = await box.asJson<Status>('anchor', 'status');
    expect(queue).toEqual([]);
    expect(new Set(stamps.map(({ state }) => state))).toEqual(new Set(['pending']));
    const heights = [alice.mine(), bob.mine()];
    expect(heights[0]).toBe(heights[1]);
    const upgrades = await Promise.all([0, 1, 2].map(() => box.told('anchor', 'upgrade')));
    expect(upgrades.map(({ code, err }) => [code, err])).toEqual(Array(3).fill([0, '']));
    const after = await box.asJson<Status>('anchor', 'status');
    expect(after.stamps.map(({ state }) => state)).toEqual(stamps.map(() => 'complete'));
    // One entry for each that became pending, and one for each that became complete.
    const told = box
      .ok(['log', '--kind', 'anchor.stamp', '--json'])
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { payload: { size: number; state: string } }).payload)
      .map(({ size, state }) => `${size} ${state}`);
    expect(told.toSorted()).toEqual(
      stamps.flatMap(({ size }) => [`${size} pending`, `${size} complete`]).toSorted(),
    );
    expect(box.run(['verify']).code).toBe(0);
  });
});

describe('foil anchor, killed', () => {
  /** Ends the process at the n-th change in stamps/; false where it was through before. */
  async function killedAt(box: AnchorBox, words: readonly string[], change: number): Promise<boolean> {
    const directory = box.path('.foil', 'stamps');
    const child = box.start(words);
    child.stdin.end();
    let seen = 0;
    const watcher = watch(directory, () => {
      seen += 1;
      if (seen === change) child.kill('SIGKILL');
    });
    const signal = await new Promise<string | null>((resolve) => child.on('close', (_, why) => resolve(why)));
    watcher.close();
    return signal === 'SIGKILL';
  }

  function expectWhole(box: AnchorBox): void {
    for (const file of box.stamps()) {
      if (file.endsWith('.ots')) parseOpenTimestamp(box.bytes('stamps', file));
      if (file.endsWith('.headers.json')) parseStampHeaders(box.bytes('stamps', file));
    }
  }

  it('X2g after its entry and before the head tells nothing twice', async () => {
    const alice = await CalendarServer.start();
    const box = await makeBox(alice);
    const head = box.path('.foil', 'head');
    const before = readFileSync(head);
    await box.told('anchor', 'stamp');
    writeFileSync(head, before);
    const { ledger } = reopen(box.path('.foil'));
    const [stamp] = (await box.asJson<Status>('anchor', 'status')).stamps;
    const { ledger: told } = openStampPorts({
      directory: box.path('.foil'),
      use: (work) => work(ledger),
      config: { stamps: [alice.url], network: 'regtest' },
      headerAt: async () => null,
    });
    expect(await told.isRecorded(stamp?.size ?? 0, 'pending')).toBe(true);
  });

  it('X2g anywhere leaves whole files, and the next run finishes what it began', async () => {
    const alice = await CalendarServer.start();
    const box = await makeBox(alice);
    await box.told('anchor', 'stamp');
    const { ledger } = reopen(box.path('.foil'));
    const ports = openStampPorts({
      directory: box.path('.foil'),
      use: (work) => work(ledger),
      config: { stamps: [alice.url], network: 'regtest' },
      headerAt: async () => null,
    });
    let killed = 0;
    for (let change = 1; change <= 10; change++) {
      await ledger.append({ kind: 'note', payload: { text: 'more' }, source: 'cli' });
      if (await killedAt(box, ['anchor', 'stamp'], change)) killed += 1;
      expectWhole(box);
    }
    for (let i = 0; i < 6; i++) {
      const { checkpoint } = await ledger.seal();
      await wantStamp(ports, checkpoint.size);
      await stampWanted(ports);
    }
    alice.mine();
    for (let change = 1; change <= 12; change++) {
      if (await killedAt(box, ['anchor', 'upgrade'], change)) killed += 1;
      expectWhole(box);
    }
    expect(killed).toBeGreaterThan(5);
    expect(await box.told('anchor', 'upgrade')).toMatchObject({ code: 0, err: '' });
    alice.mine();
    expect(await box.told('anchor', 'upgrade')).toMatchObject({ code: 0, err: '' });
    const { stamps, queue } = await box.asJson<Status>('anchor', 'status');
    expect(queue).toEqual([]);
    expect(new Set(stamps.map(({ state }) => state))).toEqual(new Set(['complete']));
    const told = box
      .ok(['log', '--kind', 'anchor.stamp', '--json'])
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { payload: { size: number; state: string } }).payload)
      .map(({ size, state }) => `${size} ${state}`);
    expect(new Set(told).size).toBe(told.length);
    for (const { size } of stamps) expect(told).toContain(`${size} complete`);
    expect(box.run(['verify']).code).toBe(0);
  }, 120_000);
});
