// What reaches a terminal: payloads and messages may be an attacker's.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Entry, GENESIS } from '../../src/format/index.ts';
import { renderEntry } from '../../src/report/render-entry.ts';
import { counted, harmless, plain, progressBar, shorten } from '../../src/report/text.ts';

const HARMFUL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/u;

function entry(payload: Entry['payload'], kind = 'note'): Entry {
  return {
    cause: null,
    kind,
    payload,
    prev_hash: GENESIS,
    seq: 7,
    session_id: 'ab'.repeat(32),
    source: 'cli',
    ts: '2026-11-15T10:00:00.123Z',
    v: 1,
    entry_hash: GENESIS,
  };
}

describe('harmless text', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', '\\u{1b}[31mred\\u{1b}[0m'],
    ['\u009b2J', '\\u{9b}2J'],
    ['a\nb\tc\r', 'a\\nb\\tc\\u{d}'],
    ['abc\u202edcba', 'abc\\u{202e}dcba'],
    ['zero\u200bwidth', 'zero\\u{200b}width'],
    ['\u{e0041}', '\\u{e0041}'],
    ['\ud800', '\\u{d800}'],
    ['grüße 日本 🎉', 'grüße 日本 🎉'],
  ])('%j becomes %j', (text, expected) => {
    expect(harmless(text)).toBe(expected);
  });

  it('is one line without anything a terminal acts on, whatever a payload holds', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom('\u001b', '\n', '\u202e', '\u0085', '\u2028', '\u007f'),
        fc.string({ unit: 'binary' }),
      ),
    });
    fc.assert(
      fc.property(text, text, (name, value) => {
        expect(
          renderEntry(entry({ text: value, [name]: { nested: [value, name] } }), { paint: plain }),
        ).not.toMatch(HARMFUL);
      }),
    );
  });

  it('is cut where it is too long, by characters, not by halves of them', () => {
    expect(shorten('abcdef', 6)).toBe('abcdef');
    expect(shorten('abcdefg', 6)).toBe('abcde…');
    expect(shorten('🎉🎉🎉🎉', 3)).toBe('🎉🎉…');
  });
});

describe('an entry for a person', () => {
  it('is one line: number, time, kind, session and what it says', () => {
    expect(renderEntry(entry({ text: 'deployed', env: 'prod', n: 2 }), { paint: plain })).toBe(
      '      7  2026-11-15 10:00:00Z  note           abababab  deployed env=prod n=2',
    );
  });

  it('fits the terminal', () => {
    expect(
      renderEntry(entry({ text: 'x'.repeat(500) }), { paint: plain, columns: 80 }).length,
    ).toBeLessThanOrEqual(80);
  });

  it('shows content by its size and type', () => {
    const content = { $content: `sha256:${GENESIS}`, bytes: 1234, type: 'text/plain' };
    expect(renderEntry(entry({ content }), { paint: plain })).toContain('content=<1,234 bytes text/plain>');
  });
});

it('counts in words', () => {
  expect([counted(1, 'entry', 'entries'), counted(1234567, 'byte')]).toEqual(['1 entry', '1,234,567 bytes']);
});

it('draws a bar where the end is known', () => {
  expect(progressBar(250_000, 1_000_000)).toBe(
    '[######··················]  25%  250,000 of 1,000,000 entries',
  );
  expect(progressBar(7, 5)).toBe('[########################] 100%  7 of 5 entries');
  expect(progressBar(7, undefined)).toBe('7 entries');
});
