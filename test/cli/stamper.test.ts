// What the service does by itself: stamps when sessions are over, once an hour, never its own entries; and completes.
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStamper, type Stamper, type StamperOptions } from '../../src/app/anchor/stamper.ts';
import { recordingOf } from '../../src/app/service/open-recording.ts';
import { HOUR, LastingLedger } from '../../src/ledger/index.ts';
import { parseUpstreams } from '../../src/service/index.ts';
import { acceptAnchor } from '../accept-anchor.ts';
import { CalendarServer } from '../anchor/calendars/calendar-server.ts';
import { StampPlace } from '../anchor/calendars/stamp-place.ts';
import { openFileLedger } from '../file-ledger.ts';
import { temporary } from '../temporary.ts';

class Stage {
  now = Date.now();
  open = 0;
  readonly place: StampPlace;
  readonly calendar: CalendarServer;

  constructor(place: StampPlace, calendar: CalendarServer) {
    this.place = place;
    this.calendar = calendar;
  }

  static async make(): Promise<Stage> {
    const calendar = await CalendarServer.start();
    return new Stage(await StampPlace.make(calendar), calendar);
  }

  stamper(more: Partial<StamperOptions> = {}): Stamper {
    const { directory } = this.place;
    const ledger = new LastingLedger(() => openFileLedger(directory).ledger);
    onTestFinished(() => ledger.close());
    return openStamper({
      directory,
      ledger,
      config: () => ({
        stamps: [this.calendar.url],
        blocks: [{ esplora: this.calendar.url }],
        git: null,
        network: 'regtest',
      }),
      openSessions: () => this.open,
      now: () => this.now,
      pauses: { looking: 0 },
      ...more,
    });
  }

  /** Something happens, and is sealed. */
  async act(): Promise<void> {
    const { ledger } = this.place.opened;
    await ledger.append({ kind: 'note', payload: { text: 'a' }, source: 'cli' });
    await ledger.seal();
  }

  /** Time goes by; files are as old as it makes them. */
  async later(milliseconds: number): Promise<void> {
    this.now += milliseconds;
  }

  async states(): Promise<string[]> {
    return (await this.place.list()).map(({ state }) => state);
  }
}

describe('the service', () => {
  it('X2d stamps when no session is open, once an hour at most, and completes by itself', async () => {
    const stage = await Stage.make();
    const stamper = stage.stamper();
    await stage.act();
    stage.open = 1;
    await stamper.stampSoon();
    expect(await stage.states()).toEqual([]);
    stage.open = 0;
    await stamper.stampSoon();
    expect(await stage.states()).toEqual(['pending']);

    // Its own entries call for nothing.
    await stage.place.opened.ledger.seal();
    await stage.later(2 * HOUR);
    await stamper.stampSoon();
    expect(await stage.states()).toEqual(['pending']);

    await stage.act();
    for (const { size } of await stage.place.list())
      utimesSync(stage.place.path(size, 'ots'), stage.now / 1000, stage.now / 1000);
    await stage.later(HOUR / 2);
    await stamper.stampSoon();
    expect(await stage.states()).toEqual(['pending']);
    await stage.later(HOUR / 2);
    stage.calendar.mine();
    await stamper.stampSoon();
    expect(await stage.states()).toEqual(['complete', 'pending']);
    expect((await stage.place.recorded()).map(({ state }) => state)).toEqual([
      'pending',
      'pending',
      'complete',
    ]);
  });

  it('X2d in a long session it stamps now and then', async () => {
    const stage = await Stage.make();
    const stamper = stage.stamper();
    stage.open = 1;
    await stage.act();
    await stage.later(HOUR / 2);
    await stamper.stampSoon();
    expect(await stage.states()).toEqual([]);
    await stage.later(HOUR / 2);
    await stamper.stampSoon();
    expect(await stage.states()).toEqual(['pending']);
  });

  it('X2d asks nobody where the project does not want it, or what it says is not understood', async () => {
    const stage = await Stage.make();
    await stage.act();
    const none = { stamps: [], blocks: [], git: null, network: 'regtest' } as const;
    await stage.stamper({ config: () => none }).stampSoon();
    await stage
      .stamper({
        config() {
          throw new Error('not YAML');
        },
      })
      .stampSoon();
    expect(stage.calendar.asked).toEqual([]);
    expect(await stage.states()).toEqual([]);
  });

  it('X2d leaves at once, and leaves what is to be done in the queue', async () => {
    const stage = await Stage.make();
    stage.calendar.misbehaves = 'hangs';
    await stage.act();
    const stamper = stage.stamper();
    const asked = stamper.stampSoon();
    await expect.poll(() => stage.calendar.asked.length, { timeout: 20_000 }).toBe(1);
    await stamper.close();
    await asked;
    expect(await stage.states()).toEqual(['wanted']);
    await stamper.stampSoon();
    expect(stage.calendar.asked).toHaveLength(1);
    // The next one finds it, once the calendar is well again.
    stage.calendar.misbehaves = undefined;
    await stage.stamper().stampSoon();
    expect(await stage.states()).toEqual(['pending']);
  });

  it('X2d queues what a session left when it goes, and does not ask', async () => {
    const stage = await Stage.make();
    stage.open = 1;
    const stamper = stage.stamper();
    await stage.act();
    await stamper.close();
    expect(await stage.states()).toEqual(['wanted']);
    expect(stage.calendar.asked).toEqual([]);
    await stage.stamper().close();
    expect(await stage.states()).toEqual(['wanted']);
  });

  it('X2d a calendar that is away is not asked all the time', async () => {
    const stage = await Stage.make();
    stage.calendar.misbehaves = 'refuses';
    const stamper = stage.stamper();
    for (let i = 0; i < 4; i++) {
      await stage.act();
      await stamper.stampSoon();
      await stage.later(HOUR / 8);
    }
    expect(stage.calendar.asked).toHaveLength(2);
    expect(await stage.states()).toEqual(['wanted']);
  });

  it('X2g leaves stamps/ to whoever is at it', async () => {
    const stage = await Stage.make();
    await stage.act();
    const stamper = stage.stamper();
    await stage.place.ports.files.exclusive(() => stamper.stampSoon(), 1000);
    expect(stage.calendar.asked).toEqual([]);
    expect(await stage.states()).toEqual(['wanted']);
  });

  it('X2a a session that hooks record is stamped when it has ended, and nobody waited for it', async () => {
    const calendar = await CalendarServer.start();
    const place = await StampPlace.make(calendar);
    const project = temporary();
    writeFileSync(
      join(project, 'counterfoil.yaml'),
      `anchor: {network: regtest, stamps: ['${calendar.url}'], blocks: ['${calendar.url}']}\n`,
    );
    acceptAnchor(place.directory, project);
    const located = {
      directory: place.directory,
      keyDirectory: join(place.directory, 'keys'),
      how: 'option',
    } as const;
    const recording = await recordingOf(located, { upstreams: parseUpstreams([]), cwd: project })({
      sealSoon: () => undefined,
    });
    const tell = (event: string, more: object = {}) =>
      recording.hook(
        'claude-code',
        Buffer.from(JSON.stringify({ session_id: 's', cwd: project, hook_event_name: event, ...more })),
        event,
      );
    calendar.misbehaves = 'hangs';
    await tell('SessionStart', { source: 'startup' });
    await tell('UserPromptSubmit', { prompt: 'hello' });
    await tell('SessionEnd', { reason: 'exit' });
    // The calendar says nothing, and sealing is done all the same.
    await recording.seal();
    await expect
      .poll(() => calendar.asked.filter((each) => each === 'POST /digest').length, { timeout: 20_000 })
      .toBe(1);
    await tell('SessionStart', { source: 'startup' });
    await recording.close();
    expect((await place.list()).map(({ state }) => state)).toContain('wanted');
  });
});
