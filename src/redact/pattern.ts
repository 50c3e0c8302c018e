// The user's own rules. A pattern looks like a regular expression but is a small part of one, so that no pattern can
// be slow: a literal of three characters or more, then pieces, each a literal or a set with a length, all but the last
// of fixed length: `acme_[a-z0-9]{8}-[A-Z0-9]{16,64}`, `ACME-\d{12}`, `corp-key-[\w-]{20,}`.
import { ParseError } from '../core/index.ts';
import { type CharSet, charSet, runEnd } from './char-set.ts';
import { askAtPair, beginsWord, type Dispatch, type Scan, take } from './scan.ts';

export interface PatternRule {
  readonly id: string;
  readonly pattern: string;
}

type Piece =
  | { readonly literal: string }
  | { readonly set: string; readonly min: number; readonly max: number };

const LONGEST_PATTERN = 200;
const LONGEST_MATCH = 512;
const LITERAL = /(?:[A-Za-z0-9_ =:/@~%#&,;<>!"'`-]|\\[.[\](){}?*+|^$\\/-])+/y;
const SET = /(?:\[((?:[^\]\\^[]|\\[wd\]\\[^-])+)\]|\\([wd]))(?:\{(\d{1,3})(,(\d{0,3}))?\})?/y;

/** The pieces of a pattern; throws ParseError with `path`. */
export function parsePattern(pattern: string, path: string): Piece[] {
  const fail = (why: string): never => {
    throw new ParseError('MALFORMED', why, path);
  };
  if (pattern.length > LONGEST_PATTERN) fail(`longer than ${LONGEST_PATTERN} characters`);
  const pieces: Piece[] = [];
  for (let at = 0; at < pattern.length; ) {
    const last = pieces.at(-1);
    if (last !== undefined && 'set' in last && last.max !== last.min)
      fail('only the last part may vary in length');
    LITERAL.lastIndex = at;
    SET.lastIndex = at;
    const literal = LITERAL.exec(pattern);
    const set = literal === null ? SET.exec(pattern) : null;
    if (literal !== null) pieces.push({ literal: literal[0].replace(/\\(.)/g, '$1') });
    else if (set !== null) pieces.push(setPiece(set, fail));
    else
      fail(
        `can't read \`${pattern.slice(at, at + 12)}\`: write a literal, then sets such as [a-z0-9]{20,64}`,
      );
    at = literal !== null ? LITERAL.lastIndex : SET.lastIndex;
  }
  const first = pieces[0];
  if (first === undefined || !('literal' in first) || first.literal.length < 3)
    fail('must begin with a literal of three characters or more');
  if (pieces.length < 2) fail('must have a set after its literal, such as [A-Za-z0-9]{20,64}');
  return pieces;
}

function setPiece(match: RegExpExecArray, fail: (why: string) => never): Piece {
  const [, inside = '', short, least, range, most] = match;
  const set = (short === undefined ? inside : `\\${short}`)
    .replace(/\\w/g, 'A-Za-z0-9_')
    .replace(/\\d/g, '0-9')
    .replace(/\\(.)/g, '$1');
  const min = least === undefined ? 1 : Number(least);
  const max =
    range === undefined ? min : most === undefined || most === '' ? Number.POSITIVE_INFINITY : Number(most);
  if (min < 1 || max < min || min > LONGEST_MATCH) fail(`a length must be from 1 to ${LONGEST_MATCH}`);
  if (max !== Number.POSITIVE_INFINITY && max > LONGEST_MATCH)
    fail(`a length must be from 1 to ${LONGEST_MATCH}`);
  return { set, min, max };
}

/** Adds a rule's probe, asked at the end of its first literal. */
export function addPatternProbe(dispatch: Dispatch, rule: PatternRule): void {
  const pieces = parsePattern(rule.pattern, 'pattern');
  const first = pieces[0];
  const prefix = first !== undefined && 'literal' in first ? first.literal : '';
  const rest = pieces
    .slice(1)
    .map((piece) => ('literal' in piece ? piece : { ...piece, table: charSet(piece.set) }));
  const probe = (scan: Scan, at: number): void => {
    const start = at + 1 - prefix.length;
    if (start < scan.floor || !scan.text.startsWith(prefix, start) || !beginsWord(scan, start)) return;
    let end = at + 1;
    for (const piece of rest) {
      end = 'literal' in piece ? literalEnd(scan.text, end, piece.literal) : setEnd(scan.text, end, piece);
      if (end < 0) return;
    }
    take(scan, start, end, rule.id);
  };
  askAtPair(dispatch, prefix, probe);
}

function literalEnd(text: string, from: number, literal: string): number {
  return text.startsWith(literal, from) ? from + literal.length : -1;
}

function setEnd(text: string, from: number, piece: { table: CharSet; min: number; max: number }): number {
  const { table, min, max } = piece;
  const fixed = min === max;
  const end = runEnd(text, from, table, fixed ? from + max : from + max + 1);
  return end - from < min || end - from > max ? -1 : end;
}
