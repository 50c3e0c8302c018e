// A project says when segments are closed and gzipped, how long content is kept, and what is left alone; in locked it can
// only make everything be kept longer. What is not understood is refused with the line that says it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { archivingOf } from '../../src/app/upkeep/retention.ts';
import { tidyUp } from '../../src/app/upkeep/upkeep.ts';
import { parseConfigText, parseYaml } from '../../src/config/index.ts';
import { openLedger } from '../../src/entry/index.ts';
import { DAY, DEFAULT_ARCHIVING } from '../../src/ledger/index.ts';
import { temporary } from '../temporary.ts';
import { type HookedLedger, hookedLedger } from './hooked-ledger.ts';

const parse = (text: string) => parseConfigText(text, 'counterfoil.yaml', parseYaml);

function project(text: string): string {
  const root = temporary();
  writeFileSync(join(root, 'counterfoil.yaml'), text);
  return root;
}

/** A ledger of some bytes whose files and entries are `age` old by the time of the run. */
async function aged(bytes: number): Promise<HookedLedger> {
  const ledger = await hookedLedger();
  const opened = openLedger(ledger.located, { sealEvery: 0 });
  for (let at = 0; at < bytes; at += 60_000)
    await opened.append({ kind: 'note', payload: { text: 'x'.repeat(60_000) }, source: 'test' });
  await opened.seal();
  await opened.close();
  return ledger;
}

const run = (ledger: HookedLedger, now: number) =>
  tidyUp(ledger.located, { roots: [ledger.work], now, automatic: false });

describe('archive: in counterfoil.yaml', () => {
  it('B13f the live segment is closed above the bytes it says, and closed ones are gzipped after its days', async () => {
    const ledger = await aged(1_500_000);
    const now = Date.now();
    expect(await run(ledger, now)).toMatchObject({ rolled: null, gzipped: [] });
    writeFileSync(join(ledger.work, 'counterfoil.yaml'), 'archive: {bytes: 1048576, days: 2}\n');
    expect(await run(ledger, now)).toMatchObject({ rolled: '0000000000000001.jsonl', gzipped: [] });
    expect(await run(ledger, now + 1.9 * DAY)).toMatchObject({ gzipped: [] });
    expect(await run(ledger, now + 2.1 * DAY)).toMatchObject({
      gzipped: [{ name: '0000000000000001.jsonl' }],
    });
  });

  it('B13f what was used within the quiet hours is left alone, whatever else is due', async () => {
    const ledger = await hookedLedger();
    writeFileSync(
      join(ledger.work, 'counterfoil.yaml'),
      'archive: {quiet_hours: 72}\nretention: {days: 1}\n',
    );
    await ledger.hook(ledger.prompt('hello'));
    await ledger.hook({ hook_event_name: 'SessionEnd', reason: 'exit' });
    const now = Date.now();
    expect(await run(ledger, now + 2 * DAY)).toMatchObject({ erased: [] });
    expect((await run(ledger, now + 4 * DAY))?.erased).toHaveLength(1);
  });

  it('B13f of several work trees, and in locked against the default, what keeps more counts', () => {
    const soon = project('archive: {days: 2, bytes: 2000000, quiet_hours: 5}\n');
    const late = project('archive: {days: 90}\n');
    expect(archivingOf([soon], false)).toEqual({ days: 2, bytes: 2_000_000, quietHours: 5 });
    expect(archivingOf([soon, late], false)).toEqual({ days: 90, bytes: 50_000_000, quietHours: 5 });
    expect(archivingOf([soon], true)).toEqual({ days: 30, bytes: 50_000_000, quietHours: 5 });
    expect(archivingOf([late], true)).toEqual({ days: 90, bytes: 50_000_000, quietHours: 1 });
    expect(archivingOf([project('archive: {days: never}\n')], false)).toEqual(DEFAULT_ARCHIVING);
  });

  it('B13f says nothing unless it is there', () => {
    expect(parse('content: keep\n').archive).toBeNull();
    expect(parse('archive: {}\n').archive).toEqual(DEFAULT_ARCHIVING);
  });

  it.each([
    ['archive: off\n', /line 1: archive: must be a mapping of days, bytes, quiet_hours/],
    ['archive: [30]\n', /archive/],
    ['archive:\n  day: 30\n', /line 2: archive.day: unknown; write days, bytes or quiet_hours/],
    ['archive:\n  days: 0\n', /line 2: archive.days: must be a whole number from 1 to 36500/],
    ['archive:\n  days: 1.5\n', /archive.days/],
    ['archive:\n  days: "30"\n', /archive.days/],
    ['archive:\n  bytes: 1000\n', /archive.bytes: must be a whole number from 1048576 to 50000000/],
    ['archive:\n  bytes: 50000001\n', /archive.bytes/],
    ['archive:\n  quiet_hours: 0\n', /archive.quiet_hours: must be a whole number from 1 to 744/],
    ['archive:\n  quiet_hours: 745\n', /archive.quiet_hours/],
    ['retention:\n  days: 0\n', /line 2: retention.days: must be a whole number from 1 to 36500/],
    ['retention: 30\n', /retention: must be off, or a mapping of days, bytes/],
    ['retention:\n  hours: 3\n', /retention.hours: unknown; write days or bytes/],
  ])('B13f a mistake is refused, with its line: %j', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });
});
