// Makes the vectors of spec/vectors that need a whole ledger, an entry or content. They are pinned: a test compares
// them with what this gives, and `UPDATE_VECTORS=1` writes them anew after a deliberate change of a format.

import { sha256Hex, utf8Encode } from '#platform';
import {
  contentCommitment,
  encodeBase64,
  encodeCheckpoint,
  encodeHex,
  encodeTlogProof,
  type JsonObject,
  leafHash,
  makeSigner,
  proveInclusion,
  signNote,
  type Tile,
  TileBuilder,
} from '../../src/core/index.ts';
import { encodeEntry, encodeGap, encodePackRecord, GENESIS, parseEntry } from '../../src/format/index.ts';
import { gzipped, join, LedgerMaker, linesOf, SESSION, setLines } from './make-ledger.ts';
import { rewritten, SessionMaker } from './make-sessions.ts';

export interface EntryVector {
  readonly name: string;
  /** The line without its newline: `text`, or `hex` where it is no UTF-8. `repeat` stands for a long run of one text. */
  readonly text?: string;
  readonly hex?: string;
  readonly repeat?: {
    readonly before: string;
    readonly text: string;
    readonly times: number;
    readonly after: string;
  };
  /** `ok`, or the code of what is wrong. */
  readonly expect: string;
}

export interface LedgerVector {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly keys: readonly string[];
  readonly expect: {
    readonly verdict: string;
    readonly integrity: string;
    readonly truncation: string;
    readonly identity: string;
    readonly signed: number;
    readonly codes: readonly string[];
    /** What is found of sessions, where something is. */
    readonly sessions?: readonly string[];
  };
}

export interface ProofVector {
  readonly name: string;
  readonly proof: string;
  readonly entry: string | null;
  readonly keys: readonly string[];
  readonly valid: boolean;
  readonly codes: readonly string[];
}

const BODY =
  '{"cause":null,"kind":"note","payload":PAYLOAD,"prev_hash":"PREV","seq":1,"session_id":null,"source":"cli","ts":"2026-11-15T10:00:00.000Z","v":1';

/** A line with this payload text and the hash that belongs to it. */
function line(payload: string, change: (body: string) => string = (body) => body): string {
  const body = change(BODY.replace('PREV', GENESIS).replace('PAYLOAD', payload));
  return `${body},"entry_hash":"${sha256Hex(`${body}}`)}"}`;
}

export function entryVectors(): EntryVector[] {
  const good = line('{"text":"hi"}');
  const hash = sha256Hex(`${good.slice(0, good.indexOf(',"entry_hash"'))}}`);
  const ok: [string, string][] = [
    ['a note', good],
    ['an empty payload', line('{}')],
    ['integer-like names in the order of their code units', line('{"10":2,"9":1}')],
    ['a member named __proto__', line('{"__proto__":{"a":1}}')],
    ['nested members named constructor and toString', line('{"a":{"constructor":1,"toString":[]}}')],
    ['names beyond the basic plane sort by UTF-16 code unit', line('{"😀":1,"\ue000":2}')],
    ['escaped control characters', line('{"a":"\\u0000\\b\\t\\n\\f\\r\\u001f\\"\\\\"}')],
    ['characters that need no escape', line('{"a":"\u007f\u0080é€😀\u2028/"}')],
    ['a byte order mark inside a string', line('{"a":"\ufeff"}')],
    ['the largest and smallest safe integers', line('{"a":[9007199254740991,-9007199254740991]}')],
    ['numbers in ECMAScript form', line('{"a":[0,-1,0.1,1e-7,1.5e-300,5e-324]}')],
    ['32 levels, the entry being the first', line(`{"a":${'['.repeat(30)}${']'.repeat(30)}}`)],
    [
      'a cause, a session and a named source',
      line('{}', (body) =>
        body
          .replace('"cause":null', '"cause":41')
          .replace('"seq":1', '"seq":42')
          .replace('"session_id":null', `"session_id":"${SESSION}"`)
          .replace('"cli"', '"hook:claude-code"'),
      ),
    ],
    ['the highest seq', line('{}', (body) => body.replace('"seq":1', '"seq":9007199254740991'))],
    ['29 February of a leap year', line('{}', (body) => body.replace('2026-11-15', '2024-02-29'))],
    [
      'a kind that nobody knows',
      line('{}', (body) => body.replace('"kind":"note"', '"kind":"never.heard_of2"')),
    ],
    ['a reference to content', line(`{"a":{"$content":"sha256:${hash}","bytes":3}}`)],
  ];
  const bad: [string, string, string][] = [
    ['an empty line', '', 'BLANK_LINE'],
    ['a byte order mark before it', `\ufeff${good}`, 'INVALID_JSON'],
    ['CR LF', `${good}\r`, 'NOT_CANONICAL'],
    ['a space behind it', `${good} `, 'NOT_CANONICAL'],
    ['a space within', good.replace(':{', ': {'), 'NOT_CANONICAL'],
    ['cut short', good.slice(0, -2), 'INVALID_JSON'],
    ['two entries on a line', `${good}${good}`, 'INVALID_JSON'],
    ['an array', '[]', 'BAD_MEMBER'],
    ['null', 'null', 'BAD_MEMBER'],
    ['integer-like names in the order that JSON.parse gives them', line('{"9":1,"10":2}'), 'NOT_CANONICAL'],
    ['names that sort by code point, not by code unit', line('{"\ue000":2,"😀":1}'), 'NOT_CANONICAL'],
    ['a lone surrogate, escaped', line('{"a":"\\ud800"}'), 'INVALID_UTF8'],
    ['a lone surrogate in a name', line('{"\\udc00":1}'), 'INVALID_UTF8'],
    ['a pair of surrogates, escaped', line('{"a":"\\ud83d\\ude00"}'), 'NOT_CANONICAL'],
    ['the same name twice', line('{"a":1,"a":1}'), 'NOT_CANONICAL'],
    ['__proto__ twice', line('{"__proto__":1,"__proto__":2}'), 'NOT_CANONICAL'],
    ['a nested name that a filter of names would drop', line('{"b":{"a":1,"a":2}}'), 'NOT_CANONICAL'],
    ['an escape of a printable character', line('{"a":"\\u0041"}'), 'NOT_CANONICAL'],
    ['an escaped slash', line('{"a":"\\/"}'), 'NOT_CANONICAL'],
    ['an escape in upper case', line('{"a":"\\u001F"}'), 'NOT_CANONICAL'],
    ['the long form of a short escape', line('{"a":"\\u000a"}'), 'NOT_CANONICAL'],
    ['a control character as it is', line('{"a":"\t"}'), 'INVALID_JSON'],
    ['1.0', line('{"a":1.0}'), 'NOT_CANONICAL'],
    ['1e2', line('{"a":1e2}'), 'NOT_CANONICAL'],
    ['-0', line('{"a":-0}'), 'NOT_CANONICAL'],
    ['01', line('{"a":01}'), 'INVALID_JSON'],
    ['1e400', line('{"a":1e400}'), 'BAD_NUMBER'],
    ['an integer that is written with an exponent', line('{"a":1.5e+300}'), 'BAD_NUMBER'],
    ['2^53', line('{"a":9007199254740992}'), 'BAD_NUMBER'],
    ['an integer that doubles can not hold', line('{"a":9007199254740993}'), 'BAD_NUMBER'],
    ['33 levels', line(`{"a":${'['.repeat(31)}${']'.repeat(31)}}`), 'TOO_DEEP'],
    ['an eleventh member', line('{}', (body) => body.replace('"v":1', '"v":1,"w":1')), 'BAD_MEMBER'],
    ['no cause', line('{}', (body) => body.replace('"cause":null,', '')), 'BAD_MEMBER'],
    [
      'members in another order',
      line('{}', (body) => body.replace('"cause":null,"kind":"note"', '"kind":"note","cause":null')),
      'NOT_CANONICAL',
    ],
    [
      'entry_hash first',
      `{"entry_hash":"${hash}",${good.slice(1, good.indexOf(',"entry_hash"'))}}`,
      'NOT_CANONICAL',
    ],
    ['entry_hash in upper case', good.replace(hash, hash.toUpperCase()), 'BAD_MEMBER'],
    ['version 2', line('{}', (body) => body.replace('"v":1', '"v":2')), 'UNKNOWN_VERSION'],
    ['version "1"', line('{}', (body) => body.replace('"v":1', '"v":"1"')), 'UNKNOWN_VERSION'],
    ['seq 0', line('{}', (body) => body.replace('"seq":1', '"seq":0')), 'BAD_MEMBER'],
    ['seq "1"', line('{}', (body) => body.replace('"seq":1', '"seq":"1"')), 'BAD_MEMBER'],
    [
      'a cause that is not lower than seq',
      line('{}', (body) => body.replace('"cause":null', '"cause":1')),
      'BAD_MEMBER',
    ],
    ['a kind in upper case', line('{}', (body) => body.replace('"note"', '"Note"')), 'BAD_MEMBER'],
    [
      'a kind of 65 characters',
      line('{}', (body) => body.replace('"note"', `"${'a'.repeat(65)}"`)),
      'BAD_MEMBER',
    ],
    ['a payload that is an array', line('[]'), 'BAD_MEMBER'],
    ['a source with a space', line('{}', (body) => body.replace('"cli"', '"c li"')), 'BAD_MEMBER'],
    [
      'a session id of 62 digits',
      line('{}', (body) => body.replace('"session_id":null', `"session_id":"${SESSION.slice(2)}"`)),
      'BAD_MEMBER',
    ],
    [
      'prev_hash in upper case',
      line('{}', (body) => body.replace(GENESIS, GENESIS.toUpperCase())),
      'BAD_MEMBER',
    ],
    [
      '29 February of another year',
      line('{}', (body) => body.replace('2026-11-15', '2026-02-29')),
      'BAD_MEMBER',
    ],
    ['a time without milliseconds', line('{}', (body) => body.replace('.000Z', 'Z')), 'BAD_MEMBER'],
    ['a time with an offset', line('{}', (body) => body.replace('.000Z', '.000+00:00')), 'BAD_MEMBER'],
    ['a leap second', line('{}', (body) => body.replace('10:00:00', '23:59:60')), 'BAD_MEMBER'],
  ];
  const bytes = utf8Encode(good);
  const at = good.indexOf('hi');
  const spliced = (...middle: number[]): string =>
    encodeHex(join(bytes.subarray(0, at), Uint8Array.from(middle), bytes.subarray(at)));
  const long = (length: number): NonNullable<EntryVector['repeat']> => {
    const text = 'x'.repeat(length - utf8Encode(line('{"a":""}')).length);
    const [before = '', after = ''] = line(`{"a":"${text}"}`).split(text);
    return { before, text: 'x', times: text.length, after };
  };
  return [
    ...ok.map(([name, text]) => ({ name, text, expect: 'ok' })),
    { name: '65,535 bytes', repeat: long(65_535), expect: 'ok' },
    ...bad.map(([name, text, expect]) => ({ name, text, expect })),
    { name: 'the byte ff in a string', hex: spliced(0xff), expect: 'INVALID_UTF8' },
    { name: 'an overlong encoding', hex: spliced(0xc0, 0xaf), expect: 'INVALID_UTF8' },
    { name: 'a surrogate in UTF-8', hex: spliced(0xed, 0xa0, 0x80), expect: 'INVALID_UTF8' },
    { name: 'beyond U+10FFFF', hex: spliced(0xf4, 0x90, 0x80, 0x80), expect: 'INVALID_UTF8' },
    { name: 'a sequence cut short', hex: spliced(0xe2, 0x82), expect: 'INVALID_UTF8' },
    { name: '65,536 bytes', repeat: long(65_536), expect: 'TOO_LONG' },
    {
      name: '30,000 levels',
      repeat: { before: line('{"a":1}').split('1}')[0] ?? '', text: '[', times: 30_000, after: '' },
      expect: 'INVALID_JSON',
    },
  ];
}

export interface ContentVectors {
  readonly about: string;
  readonly commitments: readonly { salt: string | null; content: string; commitment: string }[];
  readonly references: readonly { name: string; reference: JsonObject; expect: string }[];
  readonly packs: readonly {
    name: string;
    hex: string;
    kept: readonly string[];
    torn: number;
    damaged: boolean;
  }[];
}

/** Salts and bytes are in hex, content is text. */
export function contentVectors(): ContentVectors {
  const salt = new Uint8Array(32).fill(0x5a);
  const hash = (text: string): string => contentCommitment('sha256', null, utf8Encode(text));
  const record = (text: string): Uint8Array =>
    encodePackRecord({ algorithm: 'sha256', hash: hash(text) }, utf8Encode(text));
  const replaced = (bytes: Uint8Array, from: string, to: string): Uint8Array =>
    utf8Encode(new TextDecoder().decode(bytes).replace(from, to));
  const pack = (name: string, bytes: Uint8Array, kept: string[], torn: number, damaged: boolean) => ({
    name,
    hex: encodeHex(bytes),
    kept: kept.map(hash),
    torn,
    damaged,
  });
  const both = join(record('one'), record('two'));
  const cut = record('lost').subarray(0, 81);
  const good = { $content: `sha256:${hash('one')}`, bytes: 3 };
  const ref = (name: string, reference: JsonObject, expect = 'BAD_MEMBER') => ({ name, reference, expect });
  return {
    about:
      'Commitments to content, references to it, and packs that keep it. Salts and packs in hex. kept: hashes of the records that hold what they commit to; torn: bytes of records that were cut short.',
    commitments: ['', 'hello', 'é€😀\n'].flatMap((content) => [
      { salt: null, content, commitment: `sha256:${hash(content)}` },
      ...(['hmac-sha256', 'keyed-sha256'] as const).map((algorithm) => ({
        salt: encodeHex(salt),
        content,
        commitment: `${algorithm}:${contentCommitment(algorithm, salt, utf8Encode(content))}`,
      })),
    ]),
    references: [
      ref('plain', good, 'ok'),
      ref(
        'salted, with a type',
        { $content: `hmac-sha256:${hash('one')}`, bytes: 0, type: 'text/plain' },
        'ok',
      ),
      ref('salted, with a key of its own', { ...good, $content: `keyed-sha256:${hash('one')}` }, 'ok'),
      ref('another algorithm', { ...good, $content: `sha1:${hash('one')}` }),
      ref('upper case', { ...good, $content: `sha256:${hash('one').toUpperCase()}` }),
      ref('a digit fewer', { ...good, $content: `sha256:${hash('one').slice(1)}` }),
      ref('not a string', { ...good, $content: 1 }),
      ref('no length', { $content: good.$content }),
      ref('a length below zero', { ...good, bytes: -1 }),
      ref('a fraction of a byte', { ...good, bytes: 1.5 }),
      ref('too long', { ...good, bytes: 268_435_457 }),
      ref('a type with a control character', { ...good, type: 'text/plain\n' }),
      ref('another member', { ...good, name: 'x' }),
    ],
    packs: [
      pack('two records', both, ['one', 'two'], 0, false),
      pack('empty', new Uint8Array(0), [], 0, false),
      pack('cut short at the end', join(both, cut), ['one', 'two'], cut.length, false),
      pack(
        'cut short in the middle',
        join(record('one'), cut, utf8Encode('\n'), record('two')),
        ['one', 'two'],
        cut.length + 1,
        false,
      ),
      pack(
        'a header cut short',
        join(record('one'), cut.subarray(0, 20), utf8Encode('\n'), record('two')),
        ['one', 'two'],
        21,
        false,
      ),
      pack(
        'content that holds a header',
        record(`\nblob sha256:${hash('one')} 3\none\n`),
        [`\nblob sha256:${hash('one')} 3\none\n`],
        0,
        false,
      ),
      pack('content changed', replaced(both, 'one', 'onf'), ['two'], 0, true),
      pack(
        'a digit of a hash changed',
        replaced(both, hash('one'), `f${hash('one').slice(1)}`),
        ['two'],
        0,
        true,
      ),
      pack('a longer length', replaced(both, ' 3', ' 9'), ['two'], 0, true),
      pack('a shorter length', replaced(both, ' 3', ' 2'), ['two'], 0, true),
      pack('no newline behind the content', replaced(both, 'one\n', 'one '), ['one', 'two'], 0, true),
      pack('another word', replaced(both, 'blob', 'blub'), ['two'], 0, true),
      pack('bytes before the first record', join(utf8Encode('x\n'), both), ['one', 'two'], 0, true),
    ],
  };
}

const LOG = 'ledger/0000000000000001.jsonl';

/** Ledgers by the name of their vector; what is expected of each stands in the pinned file. */
type Sum = ReturnType<SessionMaker['summed']>;

interface SumChanges {
  readonly end?: (sum: Sum) => JsonObject;
  readonly cut?: (sum: Sum) => JsonObject;
  readonly sum?: (sum: Sum) => JsonObject;
  /** Which entry the one who has the keys left out when they wrote the ledger anew. */
  readonly without?: string;
}

const other = (root: string): string => root.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));

/** What the ends of sessions say of them, each ledger chained and signed as if nothing were wrong. */
const SUMS: Readonly<Record<string, SumChanges>> = {
  'session-sums': {},
  'session-sum-wrong-count': { end: (sum) => ({ ...sum, entries: sum.entries + 1 }) },
  'session-sum-wrong-root': { end: (sum) => ({ ...sum, entries_root: other(sum.entries_root) }) },
  'session-sum-half': { end: ({ entries }) => ({ entries }) },
  'session-sum-of-a-cut-wrong': { cut: (sum) => ({ ...sum, entries: sum.entries - 1 }) },
  'session-sum-later-wrong': { sum: ({ entries_root: root }) => ({ root: other(root) }) },
  'session-sum-later-malformed': { sum: () => ({ root: 'none' }) },
  'session-sum-entry-left-out': { without: 'x.step' },
};

/** Two sessions that take turns: one ends, and something of it comes late; the other is cut. */
function summed({ end, cut, sum, without }: SumChanges): LedgerMaker {
  const made = new SessionMaker();
  const one = made.notes(1).start();
  const two = made.turns(one, 1).start();
  made.turns(two, 2).turns(one, 1);
  made.of(one, 'x.step', { step: 1 }).of(one, 'x.step', { step: 2 });
  const seen = (session: string, change: ((sum: Sum) => JsonObject) | undefined): JsonObject =>
    change?.(made.summed(session)) ?? made.summed(session);
  made.end(one, undefined, seen(one, end)).cut(two, seen(two, cut));
  made.of(one, 'x.step', { step: 3 });
  made.sum(one, sum?.(made.summed(one)) ?? {}).seal();
  if (without === undefined) return made;
  let isGone = false;
  return rewritten(made, ({ kind, payload }) => {
    if (isGone || kind !== without) return payload;
    isGone = true;
    return null;
  });
}

export async function ledgerFiles(): Promise<Record<string, { made: LedgerMaker; keys: string[] }>> {
  const ledgers: Record<string, { made: LedgerMaker; keys: string[] }> = {};
  const add = (name: string, made: LedgerMaker, keys = [made.vkey]): LedgerMaker => {
    ledgers[name] = { made, keys };
    return made;
  };
  const five = (): LedgerMaker => new LedgerMaker().notes(4).seal();
  const edit = (made: LedgerMaker, change: (lines: string[]) => string[]): LedgerMaker => {
    setLines(made.files, LOG, change(linesOf(made.files, LOG)));
    return made;
  };
  const rich = (): LedgerMaker => {
    const made = new LedgerMaker().notes(2);
    made.append('prompt', { text: made.content('hello') }, { session_id: SESSION });
    made.append('pack', { file: made.content('evidence', { plain: true }) }, { session_id: SESSION });
    return made.seal();
  };

  add('sealed', five());
  add('unsealed-tail', five().notes(2));
  add('no-pinned-key', five(), []);
  add('content', rich());
  add('rotated-key', new LedgerMaker().notes(2).rotateKey(7).notes(1).seal());
  add('torn-and-recorded', new LedgerMaker().notes(2).tear('{"cau').notes(1).seal());
  const off = encodeGap({
    reason: 'off',
    since: '2026-11-15T09:00:00.000Z',
    until: '2026-11-15T09:30:00.000Z',
    events: null,
    why: 'paused',
    calls: [],
  });
  const gapFirst = new LedgerMaker().notes(2).rotateSegment();
  gapFirst.append('gap', off);
  add('recording-gap-first', gapFirst.notes(1).seal());
  add(
    'archived-segment',
    (await new LedgerMaker().notes(3).rotateSegment().notes(1).archive('0000000000000001.jsonl')).seal(),
  );
  add('torn-tail', five()).files.set(
    LOG,
    join(five().files.get(LOG) as Uint8Array, utf8Encode('{"cause":nu')),
  );
  add('head-missing', five()).files.delete('head');
  add('full-tile', new LedgerMaker().notes(256).seal());

  for (const [name, change] of Object.entries(SUMS)) add(name, summed(change));

  const hidden = new LedgerMaker().notes(2);
  const torn = hidden.path;
  hidden.rotateSegment().append('gap', off);
  add('torn-under-recording-gap', hidden.seal()).files.set(
    torn,
    join(hidden.files.get(torn) as Uint8Array, utf8Encode('{"cau')),
  );
  add('empty', new LedgerMaker()).files.clear();
  add('empty-segment', five()).files.set(LOG, new Uint8Array(0));
  add(
    'byte-flipped',
    edit(five(), (lines) => lines.with(2, (lines[2] as string).replace('note 3', 'note 8'))),
  );
  add(
    'line-dropped',
    edit(five(), (lines) => lines.toSpliced(2, 1)),
  );
  add(
    'lines-swapped',
    edit(five(), (lines) => lines.with(2, lines[3] as string).with(3, lines[2] as string)),
  );
  add(
    'line-doubled',
    edit(five(), (lines) => lines.toSpliced(2, 0, lines[2] as string)),
  );
  add(
    'last-line-cut',
    edit(five(), (lines) => lines.slice(0, -1)),
  );
  add(
    'crlf',
    edit(five(), (lines) => lines.map((one) => `${one}\r`)),
  );
  add(
    'blank-line',
    edit(five(), (lines) => lines.toSpliced(3, 0, '')),
  );
  add(
    'not-canonical',
    edit(five(), (lines) => lines.with(1, (lines[1] as string).replace('{"text"', '{ "text"'))),
  );
  add(
    'genesis',
    edit(five(), (lines) => {
      const { entry_hash: _, prev_hash: __, seq, ...draft } = parseEntry(utf8Encode(lines[0] as string));
      return lines.with(0, encodeEntry(draft, seq, 'f'.repeat(64)).line);
    }),
  );
  add(
    'segment-missing',
    new LedgerMaker().notes(1).rotateSegment().notes(2).rotateSegment().notes(1).seal(),
  ).files.delete('ledger/0000000000000003.jsonl');
  add('torn-unrecorded', new LedgerMaker().notes(2).rotateSegment().notes(1).seal()).files.set(
    LOG,
    join(new LedgerMaker().notes(2).files.get(LOG) as Uint8Array, utf8Encode('{"cau')),
  );
  const archive = add(
    'archive-header-changed',
    (await new LedgerMaker().notes(3).rotateSegment().notes(1).archive('0000000000000001.jsonl')).seal(),
  );
  archive.files.set(`${LOG}.gz`, (archive.files.get(`${LOG}.gz`) as Uint8Array).with(9, 0x77));
  add('tile-changed', five()).files.set(
    'tile/0/000.p/5',
    (five().files.get('tile/0/000.p/5') as Uint8Array).with(40, 1),
  );
  add('checkpoint-foreign', five()).files.set('checkpoint', new LedgerMaker(9).notes(4).checkpoint());
  add('checkpoint-malformed', five()).files.set('checkpoint', utf8Encode('counterfoil\n'));
  add('fresh-key', new LedgerMaker(2).notes(4).seal(), [five().vkey]);
  add('unsigned', five()).files.set(
    'checkpoint',
    five().checkpoint(5, makeSigner(five().origin, new Uint8Array(32).fill(9))),
  );
  const again = add(
    'old-epoch-re-signed',
    new LedgerMaker().notes(1).seal().notes(1).rotateKey(7).notes(1).seal(),
  );
  again.files.set('checkpoints/0000000000000002', again.checkpoint(2));
  const content = add('content-changed', rich());
  const pack = [...content.files.keys()].find((path) => path.endsWith('/pack')) as string;
  content.files.set(
    pack,
    utf8Encode(new TextDecoder().decode(content.files.get(pack)).replace('hello', 'hallo')),
  );
  const unsalted = add('salt-gone', rich());
  for (const path of [...unsalted.files.keys()]) if (path.startsWith('salts/')) unsalted.files.delete(path);
  add('archive-foreign', five()).files.set(`${LOG}.gz`, await gzipped(utf8Encode('{}\n')));
  add('archive-beside', five()).files.set(`${LOG}.gz`, await gzipped(five().files.get(LOG) as Uint8Array));
  add('file-unknown', five()).files.set(`${LOG}.bak`, utf8Encode('{}\n'));
  const witness = makeSigner('witness.example/w1', new Uint8Array(32).fill(9));
  const cosigned = add('signature-unknown', five());
  const body = encodeCheckpoint({ origin: cosigned.origin, size: 5, root: cosigned.root() });
  cosigned.files.set('checkpoint', signNote(body, [cosigned.signer, witness]));
  return ledgers;
}

export async function proofVectors(): Promise<Omit<ProofVector, 'valid' | 'codes'>[]> {
  const made = new LedgerMaker().notes(10);
  const tiles = new Map<string, Uint8Array>();
  const key = ({ level, index }: Tile): string => `${level}/${index}`;
  const builder = new TileBuilder((tile, bytes) => void tiles.set(key(tile), bytes));
  for (const one of made.lines) builder.push(leafHash(utf8Encode(one)));
  builder.flushPartials();
  const hashes = await proveInclusion(4, made.size, async (tile) => tiles.get(key(tile)) as Uint8Array);
  const proof = { index: 4, hashes, checkpoint: made.checkpoint() };
  const entry = utf8Encode(made.lines[4] as string);
  const other = utf8Encode(made.lines[5] as string);
  const vector = (name: string, bytes: Uint8Array, given: Uint8Array | null, keys = [made.vkey]) => ({
    name,
    proof: encodeBase64(bytes),
    entry: given === null ? null : encodeBase64(given),
    keys,
  });
  return [
    vector('the entry given', encodeTlogProof(proof), entry),
    vector('the entry in the proof', encodeTlogProof({ ...proof, extra: entry }), null),
    vector('no entry', encodeTlogProof(proof), null),
    vector('another entry', encodeTlogProof(proof), other),
    vector('another place', encodeTlogProof({ ...proof, index: 5 }), entry),
    vector('another size', encodeTlogProof({ ...proof, checkpoint: made.checkpoint(8) }), entry),
    vector('no key', encodeTlogProof(proof), entry, []),
    vector('the key of another ledger', encodeTlogProof(proof), entry, [new LedgerMaker(5).vkey]),
    vector('malformed', utf8Encode('c2sp.org/tlog-proof@v1\n'), entry),
  ];
}
