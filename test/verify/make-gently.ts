// Makes the logs of spec/vectors/gently: good ones, and one for each way of tampering. Lines, hashes and ids are made here
// by the words of spec/gently.md and nothing of src/, so that the two can contradict each other.
import { createHash } from 'node:crypto';
import type { GentlyReport } from '../../src/exports/index.ts';

export interface GentlyVector {
  readonly name: string;
  readonly about: string;
  /** The log as text; hex where it is no UTF-8; or `before`, `text` so many `times`, `after`. */
  readonly log?: string;
  readonly hex?: string;
  readonly repeat?: {
    readonly before: string;
    readonly text: string;
    readonly times: number;
    readonly after: string;
  };
  readonly continues?: string;
}

export interface GentlyExpectation extends Pick<GentlyReport, 'verdict' | 'status' | 'failures'> {
  readonly integrity: string;
  readonly sessions: string;
  readonly truncation: string;
  /** The codes of all findings, in the order of the facets. */
  readonly found: readonly string[];
}

export const GENESIS = '39d8668c9e1c18834931c26be61912c018fcc8e17d52f36b0a00c7020fe1ab69';
const ZEROS = '0'.repeat(64);
const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
/** Three hashes as raw bytes, zeros for `none`. */
const three = (...hashes: string[]): string =>
  sha256(Buffer.from(hashes.map((hash) => (hash === 'none' ? ZEROS : hash)).join(''), 'hex'));

export const sessionId = three;
export const chainHash = three;
export const finalHash = three;

/** The lines of what is said, chained: "SHA-256 of the hash before, `|` and the rest of the line". */
export function chained(said: readonly string[], from = GENESIS): string[] {
  let prev = from;
  return said.map((rest) => {
    prev = sha256(`${prev}|${rest}`);
    return `${prev}|${rest}`;
  });
}

export const PREV = sha256('the entry before');
export const KEY = sha256('a key');
/** Height and hash: the branches are 4 and 5. */
export const BLOCKS = {
  930226: `${'0'.repeat(19)}${sha256('930226').slice(19)}`,
  930227: `${'0'.repeat(19)}${sha256('930227').slice(19)}`,
} as const;
const SESSION = sessionId(KEY, BLOCKS[930226], PREV);
const [P1, R1, P2, R2] = ['p1', 'r1', 'p2', 'r2'].map(sha256) as [string, string, string, string];
const C1 = chainHash(SESSION, P1, R1);
const C2 = chainHash(C1, P2, R2);
const FINAL = finalHash(SESSION, BLOCKS[930227], C2);

const at = (second: number): string => `2026-01-02T04:25:${String(second).padStart(2, '0')}.000Z`;

/** A whole session, as the page has it. */
const GOOD = [
  `930226|${at(37)}|session_start|${SESSION}|btc:930226,branch:branch-4,block:${BLOCKS[930226]},auth:${KEY},prev:${PREV}`,
  `930226|${at(37)}|auth_validate|${SESSION}|key:${KEY},at:start,name:laptop`,
  `930226|${at(37)}|branch_create|${SESSION}|branch:branch-4`,
  `930226|${at(38)}|prompt|${SESSION}|hash:${P1},seq:1`,
  `930226|${at(40)}|response|${SESSION}|hash:${R1},seq:1,model:sonnet,prompt:${P1},chain:${C1}`,
  `930226|${at(41)}|prompt|${SESSION}|hash:${P2},seq:2`,
  `930226|${at(42)}|response|${SESSION}|hash:${R2},seq:2,prompt:${P2},chain:${C2}`,
  `930227|${at(43)}|session_end|${SESSION}|btc:930227,interactions:2,block:${BLOCKS[930227]},chain:${C2},final:${FINAL}`,
];

/** No key, no block, no branch; two of them at once; one that is cut off; one with late news of a block. */
function plainSession(name: string): { id: string; start: string; prev: string } {
  const prev = sha256(`before ${name}`);
  const id = sessionId('none', 'none', prev);
  return { id, prev, start: `session_start|${id}|btc:none,branch:none,block:none,auth:none,prev:${prev}` };
}

const A = plainSession('a');
const B = plainSession('b');
const AT_ONCE = [
  `none|${at(1)}|${A.start}`,
  `none|${at(2)}|${B.start}`,
  `none|${at(3)}|prompt|${A.id}|hash:${P1},seq:1`,
  `none|${at(3)}|prompt|${B.id}|hash:${P2},seq:1`,
  `none|${at(4)}|response|${B.id}|hash:${R2},seq:1,prompt:${P2},chain:${chainHash(B.id, P2, R2)}`,
  `none|${at(5)}|response|${A.id}|hash:none,seq:1,prompt:${P1},chain:${chainHash(A.id, P1, 'none')}`,
  `none|${at(6)}|session_end|${B.id}|btc:none,interactions:1,block:none,chain:${chainHash(B.id, P2, R2)},final:${finalHash(B.id, 'none', chainHash(B.id, P2, R2))}`,
  `none|${at(7)}|session_end|${A.id}|btc:none,interactions:1,block:none,chain:${chainHash(A.id, P1, 'none')},final:none,cut:process-gone`,
];

const LATE_PREV = sha256('before late');
const LATE = sessionId('none', 'none', LATE_PREV);
const LATE_LINES = [
  `none|${at(1)}|session_start|${LATE}|btc:none,branch:branch-0,block:none,auth:none,prev:${LATE_PREV}`,
  `none|${at(1)}|branch_create|${LATE}|branch:branch-0`,
  `none|${at(2)}|prompt|${LATE}|hash:${P1},seq:1`,
  `930227|${at(3)}|btc_anchor|${LATE}|btc:930227,block:${BLOCKS[930227]}`,
  `930227|${at(4)}|response|${LATE}|hash:${R1},seq:1,prompt:${P1},chain:${chainHash(LATE, P1, R1)}`,
  `930227|${at(5)}|session_end|${LATE}|btc:none,interactions:1,block:none,chain:${chainHash(LATE, P1, R1)},final:${finalHash(LATE, 'none', chainHash(LATE, P1, R1))}`,
  `930227|${at(6)}|btc_anchor|none|btc:930226,block:${BLOCKS[930226]},size:4096,digest:${P2}`,
];

const OTHERS = [
  `none|${at(1)}|auth_fail|none|reason:unknown-key,at:start,key:none`,
  `none|${at(2)}|auth_fail|none|reason:revoked,at:prompt,key:${KEY}`,
];

const ESCAPED = [
  `none|${at(1)}|${A.start}`,
  `none|${at(2)}|auth_validate|${A.id}|key:${KEY},at:start,name:a%7Cb%2Cc:d%25e%0Af%0D%00%C2%85 “ü” \u{1f4a5}`,
  `none|${at(3)}|response|${A.id}|hash:${R1},seq:1,model:none,prompt:none,chain:${chainHash(A.id, 'none', R1)}`,
  `none|${at(4)}|session_end|${A.id}|btc:none,interactions:1,block:none,chain:${chainHash(A.id, 'none', R1)},final:none,cut:rebooted`,
];

/** A crash put the recorder back behind its second interaction: it counts 2 once more. */
const AGAIN = chainHash(C1, P1, R2);
const REPEATED = [
  ...GOOD.slice(0, 7),
  `930226|${at(42)}|response|${SESSION}|hash:${R2},seq:2,prompt:${P1},chain:${AGAIN}`,
  `930226|${at(43)}|session_end|${SESSION}|btc:none,interactions:2,block:none,chain:${AGAIN},final:${finalHash(SESSION, 'none', AGAIN)}`,
];

export function gentlyVectors(): GentlyVector[] {
  const good = chained(GOOD);
  const log = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  const hash = (line = ''): string => line.slice(0, 64);
  const vector = (
    name: string,
    about: string,
    lines: readonly string[],
    more: Partial<GentlyVector> = {},
  ): GentlyVector => ({ name, about, log: log(lines), ...more });
  /** One line otherwise, and its hash and those behind it made again: well chained, and still not right. */
  const remade = (i: number, change: (said: string) => string, lines = GOOD): string[] =>
    chained(lines.map((said, n) => (n === i ? change(said) : said)));
  /** One line otherwise, and nothing made again. */
  const changed = (i: number, change: (line: string) => string): string[] =>
    good.map((line, n) => (n === i ? change(line) : line));
  const without = <T>(lines: readonly T[], ...gone: number[]): T[] =>
    lines.filter((_, i) => !gone.includes(i));
  const other = sha256('another');

  return [
    vector('good', 'A session bound to a key and a block, with two interactions.', good),
    vector('at-once', 'Two sessions without key and block at once; one is cut off.', chained(AT_ONCE)),
    vector(
      'late-block',
      'A session that began offline, a block that came later, a stamp.',
      chained(LATE_LINES),
    ),
    vector('refused', 'Nobody got in: no session.', chained(OTHERS)),
    vector('escaped', 'Every character that is escaped, in one text.', chained(ESCAPED)),
    vector('one-line', 'One line is a log.', chained(GOOD.slice(0, 1))),
    vector('kept-last', 'The log ends in the hash that was kept.', good, { continues: hash(good[7]) }),
    vector('kept-earlier', 'The log goes on from the hash that was kept.', good, {
      continues: hash(good[2]),
    }),
    vector('not-ended', 'Whole lines are gone at the end: the session is open.', good.slice(0, 5)),
    vector(
      'tail-of-log',
      'It begins in the middle of a session, as with --since.',
      chained(GOOD.slice(4).map((said) => said.replace(/^930226/, 'none'))),
    ),
    vector('repeated', 'A recorder that a crash put back counts an interaction twice.', chained(REPEATED)),
    vector(
      'went-on',
      'A prompt after the end.',
      chained([...GOOD, `930227|${at(50)}|prompt|${SESSION}|hash:${P1},seq:3`]),
    ),
    vector(
      'old-end',
      'An end from before sessions were sealed.',
      chained([
        `none|${at(1)}|${A.start}`,
        `none|${at(2)}|session_end|${A.id}|btc:none,interactions:none,block:none,chain:none,final:none`,
      ]),
    ),
    vector(
      'uncounted',
      'Turns that are no interactions of the session.',
      chained([
        ...GOOD.slice(0, 3),
        `930226|${at(38)}|prompt|${SESSION}|hash:${P1},seq:none`,
        `930226|${at(39)}|response|${SESSION}|hash:${R1},seq:none,prompt:none,chain:none`,
        `930227|${at(43)}|session_end|${SESSION}|btc:930227,interactions:0,block:${BLOCKS[930227]},chain:none,final:${finalHash(SESSION, BLOCKS[930227], 'none')}`,
      ]),
    ),

    vector('tail-dropped-kept', 'Lines are gone, and a hash was kept.', good.slice(0, 5), {
      continues: hash(good[7]),
    }),
    vector('empty', 'No bytes at all.', []),
    { name: 'tail-cut', about: 'The last line breaks off.', log: log(good).slice(0, -40) },
    { name: 'no-last-newline', about: 'Only the last newline is gone.', log: log(good).slice(0, -1) },
    vector(
      'word-changed',
      'A word of a line is another.',
      changed(4, (line) => line.replace('sonnet', 'haiku!')),
    ),
    vector(
      'hash-changed',
      'The hash of a line is another.',
      changed(4, (line) => other + line.slice(64)),
    ),
    vector(
      'height-changed',
      'A height is another.',
      changed(4, (line) => line.replace('|930226|', '|930225|')),
    ),
    vector(
      'time-changed',
      'A time is another.',
      changed(4, (line) => line.replace(':40.000Z', ':41.000Z')),
    ),
    vector('line-dropped', 'A line is gone.', without(good, 3)),
    vector('first-dropped', 'The first line is gone.', without(good, 0)),
    vector('line-doubled', 'A line stands there twice.', [
      ...good.slice(0, 4),
      good[3] ?? '',
      ...good.slice(4),
    ]),
    vector('lines-swapped', 'Two lines have changed places.', [
      ...good.slice(0, 3),
      good[4] ?? '',
      good[3] ?? '',
      ...good.slice(5),
    ]),
    vector('two-logs', 'A second log is put behind the first.', [...good, ...chained(AT_ONCE)]),
    vector('other-genesis', 'The chain begins elsewhere.', chained(GOOD, ZEROS)),
    vector(
      'height-wrong',
      'A height that no block has, with the hashes made again.',
      remade(4, (said) => said.replace('930226', '930225')),
    ),
    vector(
      'height-kept',
      'The height stays behind a newer block.',
      remade(7, (said) => said.replace('930227|', '930226|')),
    ),
    vector(
      'height-of-stamp',
      "A stamp's block is no newer block.",
      remade(6, (said) => said.replace('930227', '930226'), LATE_LINES),
    ),
    vector(
      'branch-wrong',
      'The branch that the source had: height % 7 + 1 is 4.',
      remade(0, (said) => said.replace('branch-4', 'branch-2')),
    ),
    vector(
      'branch-other',
      'Another branch is made than the session began on.',
      remade(2, (said) => said.replace('branch-4', 'branch-5')),
    ),
    vector(
      'branch-missing',
      'A block, and no branch.',
      remade(0, (said) => said.replace('branch:branch-4', 'branch:none')),
    ),
    vector(
      'session-id-wrong',
      'Another key than the one in the id.',
      remade(0, (said) => said.replace(`auth:${KEY}`, `auth:${other}`)),
    ),
    vector(
      'block-wrong',
      'Another block than the one in the id.',
      remade(0, (said) => said.replace(BLOCKS[930226], other)),
    ),
    vector(
      'prev-wrong',
      'Another place in the ledger than the one in the id.',
      remade(0, (said) => said.replace(PREV, other)),
    ),
    vector(
      'session-twice',
      'A session begins twice.',
      chained([...GOOD, GOOD[0]?.replace('930226|', '930226|') ?? '']),
    ),
    vector(
      'interaction-dropped',
      'An interaction is gone, with the hashes made again.',
      chained(without(GOOD, 3, 4)),
    ),
    vector('response-dropped', 'An answer is gone, with the hashes made again.', chained(without(GOOD, 4))),
    vector(
      'last-dropped',
      'The last interaction is gone, with the hashes made again.',
      chained(without(GOOD, 5, 6)),
    ),
    vector(
      'prompt-jumps',
      'A prompt has a number too high.',
      remade(5, (said) => said.replace('seq:2', 'seq:3')),
    ),
    vector(
      'chain-wrong',
      'A chain hash that does not follow.',
      remade(4, (said) => said.replace(C1, other)),
    ),
    vector(
      'response-wrong',
      'Another answer than the one in the chain.',
      remade(4, (said) => said.replace(R1, other)),
    ),
    vector(
      'prompt-wrong',
      'Another prompt than the one in the chain.',
      remade(4, (said) => said.replace(`prompt:${P1}`, `prompt:${other}`)),
    ),
    vector(
      'interactions-wrong',
      'The end counts one more.',
      remade(7, (said) => said.replace('interactions:2', 'interactions:3')),
    ),
    vector(
      'end-chain-wrong',
      'The end seals another chain.',
      remade(7, (said) => said.replace(C2, C1)),
    ),
    vector(
      'final-wrong',
      'Another final hash.',
      remade(7, (said) => said.replace(FINAL, other)),
    ),
    vector(
      'final-other-block',
      'Another closing block than the one in the final hash.',
      remade(7, (said) => said.replace(BLOCKS[930227], other)),
    ),
    vector('blank-line', 'An empty line in between.', [...good.slice(0, 3), '', ...good.slice(3)]),
    { name: 'crlf', about: 'Lines end in CR LF.', log: log(good).replaceAll('\n', '\r\n') },
    vector(
      'byte-order-mark',
      'A byte order mark comes first.',
      changed(0, (line) => `\ufeff${line}`),
    ),
    vector(
      'trailing-space',
      'A space behind the line.',
      remade(3, (said) => `${said} `),
    ),
    vector(
      'upper-case',
      'A hash in capitals.',
      changed(3, (line) => line.slice(0, 64).toUpperCase() + line.slice(64)),
    ),
    vector(
      'five-fields',
      'A field too few.',
      remade(3, (said) => said.replace(`|${SESSION}`, '')),
    ),
    vector(
      'seven-fields',
      'A `|` that is not escaped.',
      remade(1, (said) => said.replace('laptop', 'lap|top')),
    ),
    vector(
      'comma',
      'A `,` that is not escaped.',
      remade(1, (said) => said.replace('laptop', 'lap,top')),
    ),
    vector(
      'tab',
      'A tab that is not escaped.',
      remade(1, (said) => said.replace('laptop', 'lap\ttop')),
    ),
    vector(
      'percent',
      'A `%` that is not escaped.',
      remade(1, (said) => said.replace('laptop', '100%')),
    ),
    vector(
      'needless-escape',
      'A letter is escaped.',
      remade(1, (said) => said.replace('laptop', '%6Captop')),
    ),
    vector(
      'escape-lower-case',
      'An escape in small letters.',
      remade(1, (said) => said.replace('laptop', 'lap%2ctop')),
    ),
    vector(
      'escape-no-utf-8',
      'An escape of half a character.',
      remade(1, (said) => said.replace('laptop', 'lap%C2top')),
    ),
    vector(
      'leading-zero',
      'A number with a zero before it.',
      remade(3, (said) => said.replace('seq:1', 'seq:01')),
    ),
    vector(
      'number-negative',
      'A number below 0.',
      remade(0, (said) => said.replaceAll('930226', '-930226')),
    ),
    vector(
      'number-too-large',
      'A number that no double holds.',
      remade(3, (said) => said.replace('seq:1', 'seq:9007199254740993')),
    ),
    vector(
      'seq-zero',
      'Interactions are counted from 1.',
      remade(3, (said) => said.replace('seq:1', 'seq:0')),
    ),
    vector(
      'event-unknown',
      'An event that the format has not.',
      remade(3, (said) => said.replace('|prompt|', '|prompts|')),
    ),
    vector(
      'event-prototype',
      'An event named as what every object has.',
      remade(3, (said) => said.replace('|prompt|', '|constructor|')),
    ),
    vector(
      'member-missing',
      'A member is missing.',
      remade(0, (said) => said.replace(`,prev:${PREV}`, '')),
    ),
    vector(
      'member-unknown',
      'One member more.',
      remade(3, (said) => `${said},more:1`),
    ),
    vector(
      'member-twice',
      'A member stands there twice.',
      remade(3, (said) => `${said},seq:1`),
    ),
    vector(
      'members-swapped',
      'Members in another order.',
      remade(3, (said) => said.replace(`hash:${P1},seq:1`, `seq:1,hash:${P1}`)),
    ),
    vector(
      'block-without-height',
      'A hash without a height.',
      remade(0, (said) => said.replace('btc:930226', 'btc:none')),
    ),
    vector(
      'chain-without-seq',
      'A chain hash of no interaction.',
      remade(4, (said) => said.replace('seq:1', 'seq:none')),
    ),
    vector(
      'branch-no-branch',
      'A branch that there is not.',
      remade(2, (said) => said.replace('branch-4', 'branch-8')),
    ),
    vector(
      'session-short',
      'The first eight digits of a session.',
      remade(3, (said) => said.replace(SESSION, SESSION.slice(0, 8))),
    ),
    vector(
      'another-clock',
      'A time without milliseconds.',
      remade(3, (said) => said.replace('.000Z', 'Z')),
    ),
    vector(
      'no-such-day',
      'A day that does not exist.',
      remade(3, (said) => said.replace('2026-01-02', '2026-02-30')),
    ),
    vector('not-a-line', 'A line of something else.', [
      ...good.slice(0, 3),
      'the fourth line',
      ...good.slice(4),
    ]),
    {
      name: 'not-utf-8',
      about: 'A byte that is no UTF-8.',
      hex: Buffer.from(log(good))
        .toString('hex')
        .replace(Buffer.from('laptop').toString('hex'), '6c6170ff6f70'),
    },
    {
      name: 'nul',
      about: 'A NUL within a text.',
      hex: Buffer.from(log(remade(1, (said) => said.replace('laptop', 'lap\0top')))).toString('hex'),
    },
    {
      name: 'too-long',
      about: 'A line of more than 65,535 bytes.',
      repeat: { before: good[0]?.slice(0, 150) ?? '', text: 'x', times: 65_536, after: `\n${good[1]}\n` },
    },
    {
      name: 'many-fields',
      about: 'Sixty thousand fields.',
      repeat: { before: `${good[0]}\n${hash(good[1])}`, text: '|', times: 60_000, after: `\n${good[2]}\n` },
    },
    {
      name: 'many-members',
      about: 'Thirty thousand members.',
      repeat: {
        before: `${good[0]}\n${good[3]}`,
        text: ',a',
        times: 30_000,
        after: '\n',
      },
    },
  ];
}

export function gentlyBytes({ log, hex, repeat }: GentlyVector): Uint8Array {
  if (hex !== undefined) return Buffer.from(hex, 'hex');
  return Buffer.from(log ?? `${repeat?.before}${repeat?.text.repeat(repeat.times)}${repeat?.after}`);
}

export function expectationOf(report: GentlyReport): GentlyExpectation {
  const { verdict, status, failures, facets } = report;
  return {
    verdict,
    status,
    integrity: facets.integrity.status,
    sessions: facets.sessions.status,
    truncation: facets.truncation.status,
    found: Object.values(facets).flatMap(({ findings }) => findings.map(({ code }) => code)),
    failures,
  };
}
