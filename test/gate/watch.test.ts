// What is counted, and when a person is told: three prompts in a day, three crashes of one hook in an hour, once a day.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import {
  type Entry,
  encodeCrash,
  encodeNotice,
  encodeOverride,
  parseNotice,
} from '../../src/format/index.ts';
import { due, openOverrides, recentEntries, watch } from '../../src/gate/index.ts';
import { newFileLedger } from '../file-ledger.ts';
import { readEntries } from '../read-log.ts';
import { temporary } from '../temporary.ts';

const NOW = Date.parse('2026-11-15T12:00:00.000Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Happened {
  readonly kind: string;
  readonly ago: number;
  readonly payload: JsonObject;
  readonly prompt?: number;
}

function at(ago: number): string {
  return new Date(NOW - ago).toISOString();
}
function override(ago: number, prompt: number): Happened {
  return {
    kind: 'override',
    ago,
    prompt,
    payload: encodeOverride({ phrase: 'skip tests', quote: { hash: 'ab'.repeat(32), ref: null } }),
  };
}
function crash(ago: number, hook = 'gate'): Happened {
  const payload = encodeCrash({ hook, event: 'stop', error: 'boom', at: at(ago), from: 'ledger' });
  return { kind: 'crash', ago, payload };
}
function notice(
  ago: number,
  name: 'overrides' | 'overrides.ack' | 'crashes',
  about: string | null = null,
): Happened {
  return { kind: 'notice', ago, payload: encodeNotice({ notice: name, about, count: 3, since: null }) };
}

function entries(happened: readonly Happened[]): Entry[] {
  return [...happened]
    .sort((a, b) => b.ago - a.ago)
    .map(({ kind, ago, payload, prompt }, i) => ({
      kind,
      payload,
      seq: i + 1,
      ts: at(ago),
      cause: prompt ?? null,
      session_id: null,
      source: 'test',
      prev_hash: '',
      entry_hash: '',
      v: 1,
    }));
}

const three = [override(3 * HOUR, 1), override(2 * HOUR, 2), override(HOUR, 3)];

describe('B8b, B9b: what is due', () => {
  it.each<[string, Happened[], string[]]>([
    ['three prompts in a day', three, ['overrides']],
    ['two are not enough', three.slice(1), []],
    ['three phrases of one prompt are one', [1, 2, 3].map((m) => override(m * MINUTE, 7)), []],
    ['one of them is older than a day', [...three.slice(1), override(25 * HOUR, 9)], []],
    ['once a day', [...three, notice(30 * MINUTE, 'overrides')], []],
    ['acknowledged: counting begins anew', [...three, notice(30 * MINUTE, 'overrides.ack')], []],
    [
      'three more after that',
      [...three, notice(30 * MINUTE, 'overrides.ack'), ...[4, 5, 6].map((n) => override(n * MINUTE, 10 + n))],
      ['overrides'],
    ],
    [
      'three crashes of one hook in an hour',
      [crash(50 * MINUTE), crash(20 * MINUTE), crash(MINUTE)],
      ['crashes gate'],
    ],
    ['in more than an hour', [crash(70 * MINUTE), crash(20 * MINUTE), crash(MINUTE)], []],
    ['of different hooks', [crash(3 * MINUTE, 'a'), crash(2 * MINUTE, 'b'), crash(MINUTE, 'c')], []],
    [
      'once per hook and day',
      [
        ...[5, 4, 3].flatMap((m) => [crash(m * MINUTE, 'a'), crash(m * MINUTE, 'b')]),
        notice(MINUTE, 'crashes', 'a'),
      ],
      ['crashes b'],
    ],
    [
      'a notice of a host is none of ours',
      [...three, { kind: 'notice', ago: 0, payload: { origin: 'foil', text: null } }],
      ['overrides'],
    ],
    [
      'a crash that can not be read',
      [crash(1), crash(2), { kind: 'crash', ago: 0, payload: { hook: 'gate' } }],
      [],
    ],
  ])('%s', (_, happened, expected) => {
    const found = due(entries(happened), NOW);
    expect(
      found.map(({ notice: name, about }) => [name, about].filter((word) => word !== null).join(' ')),
    ).toEqual(expected);
  });

  it('counts from the first that is open', () => {
    const [found] = due(entries(three), NOW);
    expect(found).toEqual({ notice: 'overrides', about: null, count: 3, since: at(3 * HOUR) });
    expect(openOverrides(entries(three), NOW)).toHaveLength(3);
  });
});

describe('on a ledger', () => {
  it('B8b raises it once though it is asked often, also by many at once', async () => {
    const { store, ledger } = await newFileLedger(temporary());
    const now = Date.now();
    for (let i = 0; i < 3; i++) {
      const payload = encodeOverride({ phrase: 'skip tests', quote: { hash: 'ab'.repeat(32), ref: null } });
      await ledger.append({ kind: 'override', payload, source: 'test', cause: null });
      await Promise.all([0, 1].map(() => watch({ store, source: 'test', now: () => now + i })));
    }
    await Promise.all([0, 1, 2].map(() => watch({ store, source: 'test' })));
    const raised = (await readEntries(store)).filter(({ kind }) => kind === 'notice');
    expect(raised.map(({ payload }) => parseNotice(payload))).toMatchObject([
      { notice: 'overrides', count: 3 },
    ]);
  });

  it('finds entries of some kinds from the end, however many lie between', async () => {
    const { store, ledger } = await newFileLedger(temporary());
    const payload = encodeOverride({ phrase: 'skip tests', quote: { hash: 'ab'.repeat(32), ref: null } });
    const old = '2020-01-01T00:00:00.000Z';
    await ledger.append({ kind: 'override', payload, source: 'test', ts: old });
    await ledger.append(
      Array.from({ length: 3000 }, (_, i) => ({ kind: 'note', payload: { i }, source: 'test' })),
    );
    await ledger.append({ kind: 'override', payload, source: 'test' });
    expect(await recentEntries(store, '2020-01-02T00:00:00.000Z', ['override'])).toHaveLength(1);
    expect(await recentEntries(store, old, ['override'])).toHaveLength(2);
  });
});
