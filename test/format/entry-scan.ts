// The scanner is trusted with every line of a ledger; parseEntry is the definition. These properties hold the two
// together: whatever bytes come, one takes a line exactly when the other does.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import { type JsonObject, ParseError } from '../../src/core/index.ts';
import { EntryScan, encodeEntry, GENESIS, parseEntry } from '../../src/format/index.ts';

const scan = new EntryScan();

function parses(line: Uint8Array): boolean {
  try {
    parseEntry(line);
    return true;
  } catch (error) {
    if (error instanceof ParseError) return false;
    throw error;
  }
}

/** Scans the line alone, and again in a buffer that goes on behind it: the answer must not depend on that. */
function scans(line: Uint8Array): boolean {
  const alone = scan.scan(line.slice(), 0, line.length);
  for (const rest of ['\n{"cause":null', '}', '"}', '0', ' ', '\u0080']) {
    const after = utf8Encode(rest);
    const buffer = new Uint8Array(1 + line.length + after.length);
    buffer.set(line, 1);
    buffer.set(after, 1 + line.length);
    const inside = scan.scan(buffer, 1, 1 + line.length);
    if (inside !== alone) throw new Error(`${inside} with ${JSON.stringify(rest)} behind it, else ${alone}`);
    const found = scan.scanLine(buffer, 1, buffer.length) === 1 + line.length;
    if (found !== (alone && rest.startsWith('\n'))) throw new Error(`scanLine says ${found}`);
  }
  return alone;
}

function agree(line: Uint8Array): void {
  const scanned = scans(line);
  if (scanned !== parses(line))
    throw new Error(`EntryScan says ${scanned} of ${new TextDecoder().decode(line)}`);
}

const name = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constantFrom(
    '$content',
    '__proto__',
    'constructor',
    '9',
    '10',
    'a',
    'b',
    '',
    'é',
    '\u{1f600}',
    '\uffff',
    '\ue000',
    '\ud7ff',
    '\ufeff',
    '\ufeffa',
    '\n',
    '"',
    '\\',
    '\u007f',
    '\u0000',
  ),
);
const number = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -1, 0.1, 1e-7, 1.5e300, 5e-324, 2 ** 53 - 1, -(2 ** 53 - 1), 123456789012345.6),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(number, name, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 5, noNullPrototype: false }),
  ),
}));
const payload = fc.dictionary(name, value, { maxKeys: 6 }) as fc.Arbitrary<JsonObject>;
const hex64 = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });

const validLine = fc
  .record({
    kind: fc.constantFrom(
      'note',
      'tool.result',
      'x.a_1.b2',
      'ledger.open',
      'never.heard_of.it',
      'a'.repeat(64),
    ),
    payload,
    source: fc.constantFrom('cli', 'hook:claude-code', 'a-1', `a${'b'.repeat(31)}:9${'._-'.repeat(21)}`),
    ts: fc
      .date({
        min: new Date('0000-01-01T00:00:00.000Z'),
        max: new Date('9999-12-31T23:59:59.999Z'),
        noInvalidDate: true,
      })
      .map((d) => d.toISOString()),
    session_id: fc.option(hex64),
    seq: fc.oneof(fc.integer({ min: 2, max: 1000 }), fc.constantFrom(2 ** 53 - 1, 10 ** 15, 10 ** 15 - 1)),
    cause: fc.option(fc.integer({ min: 1, max: 2 })),
    prev: hex64,
  })
  .map(({ seq, prev, cause, ...draft }) => {
    const draftOf = { ...draft, cause: cause !== null && cause < seq ? cause : null };
    try {
      return utf8Encode(encodeEntry(draftOf, seq, prev).line);
    } catch (error) {
      // Integers beyond 2^53 and lone surrogates have no line.
      if (error instanceof ParseError) return undefined;
      throw error;
    }
  })
  .filter((line) => line !== undefined);

export function describeScan(runs: number): void {
  describe('EntryScan takes exactly the lines that parseEntry takes', () => {
    it('every line that encodeEntry makes', () => {
      fc.assert(
        fc.property(validLine, (line) => {
          expect(parses(line)).toBe(true);
          expect(scans(line)).toBe(true);
          scan.scan(line, 0, line.length);
          expect(scan.hashMatches(0)).toBe(true);
        }),
        { numRuns: runs },
      );
    });

    it('names that begin with a byte order mark, in the one order they have and in the other', () => {
      const { line } = encodeEntry(
        { kind: 'note', payload: { b: 1, '\ufeffa': 2 }, source: 'cli', ts: '2026-11-15T10:00:00.000Z' },
        2,
        GENESIS,
      );
      expect(scans(utf8Encode(line))).toBe(true);
      const swapped = utf8Encode(line.replace('{"b":1,"\ufeffa":2}', '{"\ufeffa":2,"b":1}'));
      expect(parses(swapped)).toBe(false);
      expect(scans(swapped)).toBe(false);
    });

    it('lines with a byte changed, dropped, added or repeated', () => {
      const change = fc.record({
        at: fc.nat(),
        byte: fc.oneof(
          fc.nat(255),
          fc.constantFrom(...utf8Encode('"\\{}[]:,0123456789eE+-. \n\r\ttfnu\u0080')),
        ),
        what: fc.constantFrom('set', 'drop', 'add', 'double', 'cut'),
        length: fc.integer({ min: 1, max: 12 }),
      });
      fc.assert(
        fc.property(validLine, fc.array(change, { minLength: 1, maxLength: 3 }), (line, changes) => {
          let bytes = [...line];
          for (const { at: anywhere, byte, what, length } of changes) {
            const at = anywhere % bytes.length;
            if (what === 'set') bytes[at] = byte;
            else if (what === 'drop') bytes.splice(at, length);
            else if (what === 'add') bytes.splice(at, 0, byte);
            else if (what === 'double') bytes.splice(at, 0, ...bytes.slice(at, at + length));
            else bytes = bytes.slice(0, at);
          }
          agree(Uint8Array.from(bytes));
        }),
        { numRuns: 2 * runs },
      );
    });

    it('payloads written in every way JSON allows', () => {
      const spelling = fc.constantFrom(
        ...[
          '0',
          '-0',
          '1',
          '01',
          '1.0',
          '1.5',
          '-1.50',
          '1e2',
          '1E2',
          '1e+21',
          '1e21',
          '1.5e+300',
          '1e-7',
          '0.0000001',
          '.5',
          '5.',
          '-',
        ],
        ...[
          '9007199254740991',
          '9007199254740992',
          '-9007199254740992',
          '123456789012345680000',
          '1e400',
          '5e-324',
          '4.9e-324',
          'NaN',
          '+1',
          '0x1',
        ],
        ...[
          '0.1',
          '0.10',
          '1e-1',
          '100000000000000000000.5',
          '1.7976931348623157e+308',
          '2e308',
          '--1',
          '1-',
          '1e',
          '1e+',
          '1.e5',
          '9007199254740991.0',
        ],
        ...[
          '"a"',
          '"\\u0061"',
          '"\\/"',
          '"/"',
          '"\\u000a"',
          '"\\n"',
          '"\\u001f"',
          '"\\u001F"',
          '"\\u0008"',
          '"\\b"',
          '"\\u0000"',
          '"\\ud800"',
          '"\\ud83d\\ude00"',
          '"😀"',
        ],
        ...[
          '"é"',
          '"\\u00e9"',
          '"\u007f"',
          '"\u0080"',
          '"\u2028"',
          '"\\u2028"',
          '"\t"',
          '"\\x"',
          '"',
          '"a',
          "'a'",
          '"\ufeff"',
          '"\\"',
          '"\\\\"',
          '"\\""',
        ],
        ...[
          'null',
          'true',
          'false',
          'True',
          'nul',
          'undefined',
          '[]',
          '{}',
          '[ ]',
          '{ }',
          '[1,2]',
          '[1, 2]',
          '[1,]',
          '[,1]',
          '{"a":1,}',
          '{"a" :1}',
          '{"a": 1}',
          '',
        ],
        ...[
          '{"a":1,"b":2}',
          '{"b":1,"a":2}',
          '{"a":1,"a":1}',
          '{"9":1,"10":2}',
          '{"10":1,"9":2}',
          '{"":1,"a":2}',
          '{"\\u0061":1}',
          '{"a":1,"\\n":1}',
          '{"\\n":1,"a":1}',
        ],
        ...[
          '{"é":1,"z":1}',
          '{"z":1,"é":1}',
          '{"😀":1,"\uffff":1}',
          '{"\uffff":1,"😀":1}',
          '{"\ue000":1,"😀":1}',
          '{"😀":1,"\ue000":1}',
          '{"__proto__":1}',
          '{"a":{"__proto__":{}},"b":[]}',
        ],
        ...[
          '{"$content":1}',
          '{"\\u0024content":1}',
          `${'['.repeat(30)}${']'.repeat(30)}`,
          `${'['.repeat(31)}${']'.repeat(31)}`,
          `${'{"a":'.repeat(30)}1${'}'.repeat(30)}`,
          `${'{"a":'.repeat(31)}1${'}'.repeat(31)}`,
        ],
      );
      const members = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', '$content', 'é'), spelling), {
        maxLength: 3,
      });
      fc.assert(
        fc.property(members, (parts) => {
          const text = parts.map(([key, text]) => `"${key}":${text}`).join(',');
          agree(utf8Encode(lineWith({ payload: `{${text}}` })));
        }),
        { numRuns: runs },
      );
    });

    it('each member written in many ways', () => {
      const ways: Record<string, string[]> = {
        cause: [
          'null',
          '1',
          '6',
          '7',
          '8',
          '0',
          '-1',
          '1.5',
          '01',
          '"1"',
          '9007199254740991',
          '90071992547409910',
          '',
        ],
        kind: [
          '"note"',
          '"a"',
          '"a.b"',
          '"a..b"',
          '".a"',
          '"a."',
          '"A"',
          '"1a"',
          '"a_"',
          '"_a"',
          `"${'a'.repeat(64)}"`,
          `"${'a'.repeat(65)}"`,
          '""',
          '"a b"',
          '"\\u0061"',
          'null',
        ],
        payload: ['{}', '[]', 'null', '1', '"x"', '{"a":1}'],
        prev_hash: [
          `"${'a'.repeat(64)}"`,
          `"${'A'.repeat(64)}"`,
          `"${'a'.repeat(63)}"`,
          `"${'a'.repeat(65)}"`,
          `"${'g'.repeat(64)}"`,
          'null',
        ],
        seq: [
          '7',
          '1',
          '0',
          '-7',
          '7.0',
          '7e0',
          '"7"',
          '9007199254740991',
          '9007199254740992',
          '9007199254740993',
          '1000000000000000',
          '9999999999999999',
          'null',
        ],
        session_id: [
          'null',
          `"${'0'.repeat(64)}"`,
          `"${'0'.repeat(62)}"`,
          `"${'F'.repeat(64)}"`,
          '1',
          '"null"',
        ],
        source: [
          '"cli"',
          '"a:b"',
          '"a:"',
          '":a"',
          '"A"',
          '"a:B"',
          '"a:-"',
          '"a:9.-_"',
          `"${'a'.repeat(32)}"`,
          `"${'a'.repeat(33)}"`,
          `"a:${'b'.repeat(64)}"`,
          `"a:${'b'.repeat(65)}"`,
          '"a_b"',
          '"a:b:c"',
          '""',
        ],
        ts: [
          '"2026-11-15T10:00:00.000Z"',
          '"2026-02-29T10:00:00.000Z"',
          '"2024-02-29T10:00:00.000Z"',
          '"1900-02-29T00:00:00.000Z"',
          '"2000-02-29T00:00:00.000Z"',
          '"2026-11-31T10:00:00.000Z"',
          '"2026-00-15T10:00:00.000Z"',
          '"2026-13-15T10:00:00.000Z"',
          '"2026-11-15T24:00:00.000Z"',
          '"2026-11-15T23:59:60.000Z"',
          '"2026-11-15 10:00:00.000Z"',
          '"2026-11-15T10:00:00Z"',
          '"2026-11-15T10:00:00.0000Z"',
          '"0000-01-01T00:00:00.000Z"',
          '"9999-12-31T23:59:59.999Z"',
          '"2026-11-15T10:00:00.000z"',
          '"2026-11-00T10:00:00.000Z"',
          '"0099-01-01T00:00:00.000Z"',
        ],
        v: ['1', '2', '"1"', '1.0', 'null', '01', '10'],
        entry_hash: [`"${'a'.repeat(64)}"`, `"${'A'.repeat(64)}"`, `"${'a'.repeat(63)}"`, 'null'],
      };
      for (const [member, texts] of Object.entries(ways)) {
        for (const text of texts) agree(utf8Encode(lineWith({ [member]: text })));
      }
      for (const cut of [
        'cause',
        'kind',
        'payload',
        'prev_hash',
        'seq',
        'session_id',
        'source',
        'ts',
        'v',
        'entry_hash',
      ]) {
        agree(utf8Encode(lineWith({ [cut]: undefined })));
      }
      const line = lineWith({});
      for (const text of [
        ` ${line}`,
        `${line} `,
        `${line}\r`,
        `\ufeff${line}`,
        `${line}${line}`,
        line.replace('"v":1', '"v":1,"w":2'),
        line.replace(',"kind"', ', "kind"'),
      ]) {
        agree(utf8Encode(text));
      }
    });

    it('any bytes at all', () => {
      fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), agree), { numRuns: runs });
      fc.assert(
        fc.property(
          fc.string({ unit: fc.constantFrom(...'{}[]",:0123456789abcdefnulltruesq_ \\') }),
          (text) => agree(utf8Encode(text)),
        ),
        { numRuns: runs },
      );
    });

    it('65,535 bytes, and not one more', () => {
      const empty = lineWith({ payload: '{"a":""}' }).length;
      for (const [length, taken] of [
        [65_535, true],
        [65_536, false],
      ] as const) {
        const line = utf8Encode(lineWith({ payload: `{"a":"${'x'.repeat(length - empty)}"}` }));
        expect(line.length).toBe(length);
        agree(line);
        expect(scans(line)).toBe(taken);
      }
    });
  });
}

/** A line whose members are the texts given; its hash is not looked at here. */
function lineWith(texts: Record<string, string | undefined>): string {
  const members = {
    cause: 'null',
    kind: '"note"',
    payload: '{}',
    prev_hash: `"${GENESIS}"`,
    seq: '7',
    session_id: 'null',
    source: '"cli"',
    ts: '"2026-11-15T10:00:00.000Z"',
    v: '1',
    entry_hash: `"${GENESIS}"`,
    ...texts,
  };
  const parts = Object.entries(members).filter(([, text]) => text !== undefined);
  return `{${parts.map(([key, text]) => `"${key}":${text}`).join(',')}}`;
}
