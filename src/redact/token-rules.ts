// Asks the rows of token-table.ts. The engine is our own, because it must rewrite and not only report, must be linear
// on any input, and runs in a hook, where loading a scanner would cost more than the call.
import { type CharSet, charSet, dottedRunEnd, runEnd } from './char-set.ts';
import { markerEnd } from './marker.ts';
import { askAtPair, beginsWord, type Dispatch, type Probe, type Scan, take } from './scan.ts';
import { mixOf } from './secret-shape.ts';
import { TOKEN_ROWS, type TokenOptions, type TokenRow } from './token-table.ts';

const NO_OPTIONS: TokenOptions = {};
const LONGEST_JUDGED = 256;

/** Every id of the table, once. */
export function tokenIds(): string[] {
  return [...new Set(TOKEN_ROWS.map(([id]) => id))];
}

/** One prefix of one row. */
interface Prefixed {
  readonly prefix: string;
  readonly first: number;
  readonly row: TokenRow;
  /** Made when the prefix is first met. */
  set: CharSet | undefined;
}

/** For each pair of characters that ends a prefix, one probe that knows all prefixes that end so. */
export function addTokenProbes(dispatch: Dispatch, isOn: (id: string) => boolean): void {
  const withSecretKey = isOn('aws-secret-key');
  const byPair = new Map<number, { readonly rows: TokenRow[]; readonly probe: Probe }>();
  for (const row of TOKEN_ROWS) {
    if (!isOn(row[0])) continue;
    for (const prefix of row[1].split(' ')) {
      const pair = pairOf(prefix);
      let known = byPair.get(pair);
      if (known === undefined) {
        const rows: TokenRow[] = [];
        known = { rows, probe: probeFor(rows, pair, withSecretKey) };
        byPair.set(pair, known);
      }
      if (known.rows.at(-1) !== row) known.rows.push(row);
      askAtPair(dispatch, prefix, known.probe);
    }
  }
}

function pairOf(prefix: string): number {
  const size = prefix.length;
  return (prefix.charCodeAt(size - 1) << 7) | prefix.charCodeAt(size - 2);
}

/** Its prefixes are sorted out when it is first asked: in a hook, most never are. */
function probeFor(rows: readonly TokenRow[], pair: number, withSecretKey: boolean): Probe {
  let list: Prefixed[] | undefined;
  return (scan, at) => {
    list ??= rows.flatMap((row) =>
      row[1]
        .split(' ')
        .filter((prefix) => pairOf(prefix) === pair)
        .map((prefix) => ({ prefix, first: prefix.charCodeAt(0), row, set: undefined })),
    );
    for (const known of list) {
      const start = at + 1 - known.prefix.length;
      if (start < scan.floor || scan.codes[start] !== known.first) continue;
      if (scan.text.startsWith(known.prefix, start) && takeToken(scan, start, at + 1, known)) {
        if (withSecretKey && known.row[0] === 'aws-access-key') awsSecretAfterId(scan);
        return;
      }
    }
  };
}

/** The prefix stands at `prefixAt`; is it a token's? */
function takeToken(scan: Scan, prefixAt: number, from: number, known: Prefixed): boolean {
  const [id, , spec, min, options = NO_OPTIONS] = known.row;
  const { max = Number.POSITIVE_INFINITY, keep = false, anywhere = keep, cut = min, back, form } = options;
  known.set ??= charSet(spec);
  const { set } = known;
  const { text } = scan;
  if (set[text.charCodeAt(from)] !== 1) return false;
  const start = back === undefined ? prefixAt : backStart(scan, prefixAt, back);
  if (start < 0 || (!anywhere && !beginsWord(scan, start))) return false;
  // A run that is refused may be walked again by the next prefix in it: it is walked no further than it is judged.
  const walk = options.dotted === true ? dottedRunEnd : runEnd;
  const judged = Math.min(max, LONGEST_JUDGED);
  const end = walk(text, from, set, from + judged + 1);
  const length = end - from;
  if (length > max || length < cut) return false;
  // A run cut off by a marker may have been longer than `max` before.
  if (max !== Number.POSITIVE_INFINITY && markerEnd(text, end) > 0) return false;
  if (length < min && !isMixed(text, from, end)) return false;
  if (options.mixed === true ? !isRandom(text, from, end, spec) : readsAsWords(text, from, end, set))
    return false;
  if (form !== undefined && !form.test(text.slice(from, end))) return false;
  take(scan, keep ? from : start, length > judged ? walk(text, end, set) : end, id);
  return true;
}

function backStart(scan: Scan, from: number, back: NonNullable<TokenOptions['back']>): number {
  const set = charSet(back.set);
  let start = from;
  while (start > scan.floor && from - start < back.max && set[scan.text.charCodeAt(start - 1)] === 1) start--;
  return from - start >= back.min ? start : -1;
}

function isMixed(text: string, from: number, to: number): boolean {
  const { upper, lower, digits } = mixOf(text, from, to);
  return digits >= 2 && upper + lower >= 2;
}

/** No identifier: it has digits all over, and mostly both cases where its alphabet has them. */
function isRandom(text: string, from: number, to: number, spec: string): boolean {
  const { upper, lower, digits } = mixOf(text, from, to);
  const length = to - from;
  if (digits < 2 || upper + lower < 2) return false;
  if (spec.includes('A-Z') && spec.includes('a-z') && upper >= 2 && lower >= 2) return digits >= length / 32;
  const changes = text.slice(from, to).match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
  return digits >= length / 8 && changes >= length / 5;
}

const WORDS = /^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)(?:[_-](?:[a-z]+|[A-Z]+|[A-Z][a-z]+))+$/;

/** `mdb_sa_sk_rotation_for_all_tenants` is a name, not a token. */
function readsAsWords(text: string, from: number, to: number, set: CharSet): boolean {
  if (set[45] !== 1 && set[95] !== 1) return false;
  return WORDS.test(text.slice(from, Math.min(to, from + LONGEST_JUDGED)).replace(/[_-]+$/, ''));
}

/** Behind an access key's id, on the same line, comes its secret: forty characters of base64. */
function awsSecretAfterId(scan: Scan): void {
  const { text } = scan;
  const separators = charSet(' \t,;:|"\'=');
  const start = runEnd(text, scan.floor, separators, scan.floor + 8);
  if (start === scan.floor) return;
  const end = runEnd(text, start, charSet('A-Za-z0-9+/'), start + 41);
  if (end - start === 40 && isMixed(text, start, end) && mixOf(text, start, end).upper > 0)
    take(scan, start, end, 'aws-secret-key');
}
