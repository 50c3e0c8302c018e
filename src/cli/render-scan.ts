// The outcome of a scan: for people the figure first, then where it comes from, then the claims to look at; for programs
// the same as JSON. Everything from a transcript is made harmless before it reaches a terminal.
import type { Context } from './command.ts';
import type { ClaimCounts, ScanResult } from './scan.ts';
import type { FoundClaim, ListedClaim } from './scan-file.ts';
import { counted, harmless, moment, shorten, sized, table, thousands } from './text.ts';

const MOST_PROJECTS = 10;
const MOST_WEEKS = 8;
const WIDEST = 120;
const NARROWEST = 40;
const PIPE = 100;

const STATUS_WORDS: Readonly<Record<FoundClaim['status'], string>> = {
  backed: 'backed',
  excused: 'excused',
  unbacked: 'unbacked',
  stale: 'stale',
  failed: 'failed',
  weakened: 'weakened',
  narrow: 'narrow',
  trick: 'proves nothing',
  'not-tried': 'not tried',
};

export interface Shown {
  readonly interrupted: boolean;
  readonly home: string;
}

export function renderScan(result: ScanResult, context: Context, { interrupted, home }: Shown): string {
  const { paint, columns } = context;
  const width = Math.max(NARROWEST, Math.min(WIDEST, columns ?? PIPE));
  const { totals, projects, weeks, worst, unreadable } = result;
  const bad = badIn(totals);
  // In a pipe the figure is one line, for whoever takes the first.
  const folded = (text: string): string[] => (columns === undefined ? [text] : wrapped(text, width));
  const lines = [
    ...folded(headline(result)).map(paint.bold),
    ...folded(scale(result, interrupted)).map(paint.dim),
  ];
  if (totals.claims > 0) {
    const named = new Map([...projects].map(([path, counts]) => [atHome(path, home), counts]));
    lines.push('', ...section('Project', named, MOST_PROJECTS, width, paint.bold, byBad));
    lines.push('', ...section('Week', weeks, MOST_WEEKS, width, paint.bold, ([a], [b]) => (a < b ? 1 : -1)));
  }
  if (worst.length > 0) {
    lines.push('', paint.bold(`Look at ${worst.length === 1 ? 'this' : 'these'} first`));
    for (const claim of worst) lines.push('', ...oneClaim(claim, width, context, home));
  }
  if (unreadable.length > 0) {
    lines.push('', paint.yellow(`${counted(unreadable.length, 'transcript')} could not be read:`));
    for (const each of unreadable.slice(0, 5)) lines.push(`  ${shorten(harmless(each), width - 2)}`);
  }
  if (bad > 0)
    lines.push(
      '',
      ...wrapped(
        'A transcript is the agent’s own file: this shows what it holds, and proves nothing. To have the next session recorded, and to be told before a turn ends: foil install',
        width,
      ),
    );
  return `${lines.join('\n')}\n`;
}

function headline({ totals, turns, turnsBlocked }: ScanResult): string {
  const { claims, unbacked, stale, weakened } = totals;
  const bad = badIn(totals);
  if (claims === 0)
    return turns === 0 ? 'No turns were found.' : `No claims to judge in ${counted(turns, 'turn')}.`;
  if (bad === 0) return `Every one of ${counted(claims, 'claim')} has evidence in its transcript.`;
  return `${thousands(bad)} of ${counted(claims, 'claim')} (${percent(bad, claims)}) had nothing behind ${bad === 1 ? 'it' : 'them'}, in ${counted(turnsBlocked, 'turn')}: ${thousands(unbacked)} unbacked, ${thousands(stale)} stale, ${thousands(weakened)} with weakened tests.`;
}

function scale(result: ScanResult, interrupted: boolean): string {
  const { totals, sessions, turns, turnsWithClaims, files, bytes } = result;
  const kept = `${thousands(totals.backed)} backed, ${thousands(totals.excused)} excused`;
  return `${kept} · ${counted(sessions, 'session')}, ${counted(turns, 'turn')}, ${thousands(turnsWithClaims)} with claims · ${counted(files, 'transcript')}, ${sized(bytes)}${interrupted ? ' · interrupted: not all was read' : ''}`;
}

function oneClaim(claim: FoundClaim, width: number, { paint }: Context, home: string): string[] {
  const word = STATUS_WORDS[claim.status];
  const quote = shorten(harmless(claim.quote), width - word.length - 6);
  const when = claim.at === null ? '' : `${moment(harmless(claim.at))}  `;
  const where = shorten(`${when}${claim.agent}  ${harmless(atHome(claim.project, home))}`, width - 2);
  const reason = claim.reason === null ? [] : wrapped(harmless(claim.reason), width - 2).slice(0, 2);
  return [
    `  ${paint.red(word)}  “${quote}”`,
    ...reason.map((line) => `  ${line}`),
    paint.dim(`  ${where}`),
    `  ${paint.dim('foil why')} ${claim.id}`,
  ];
}

type Row = readonly [string, ClaimCounts];

const badIn = ({ unbacked, stale, weakened }: ClaimCounts): number => unbacked + stale + weakened;

function byBad([, a]: Row, [, b]: Row): number {
  return badIn(b) - badIn(a) || b.claims - a.claims;
}

const COLUMNS = ['claims', 'backed', 'unbacked', 'stale', 'weakened', 'excused'] as const;

function section(
  title: string,
  counts: ReadonlyMap<string, ClaimCounts>,
  most: number,
  width: number,
  bold: (text: string) => string,
  order: (a: Row, b: Row) => number,
): string[] {
  const rows = [...counts].sort(order);
  // Two spaces between columns; a number is rarely wider than its title.
  const room = Math.max(12, width - COLUMNS.join('  ').length - 2);
  const shown = rows
    .slice(0, most)
    .map(([name, row]) => [tail(harmless(name), room), ...COLUMNS.map((column) => thousands(row[column]))]);
  const [head = '', ...lines] = table([[title, ...COLUMNS], ...shown], [1, 2, 3, 4, 5, 6]);
  const more = rows.length - shown.length;
  return [bold(head), ...lines, ...(more > 0 ? [`and ${thousands(more)} more (--json has all)`] : [])];
}

/** The end of a path says more than its beginning. */
function tail(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `…${characters.slice(1 - width).join('')}`;
}

function atHome(path: string, home: string): string {
  return home !== '/' && (path === home || path.startsWith(`${home}/`))
    ? `~${path.slice(home.length)}`
    : path;
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? shorten(word, width) : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Rounded, but never to nothing or to all of it. */
function percent(part: number, whole: number): string {
  const rounded = Math.round((100 * part) / whole);
  const clear = part === 0 || part === whole ? rounded : Math.min(99, Math.max(1, rounded));
  return `${clear} %`;
}

/** All there is; `open` are the claims that are neither backed nor excused, `found` all of them where they were asked for. */
export function scanJson(
  result: ScanResult,
  open: readonly FoundClaim[],
  found: readonly ListedClaim[] | undefined,
  interrupted: boolean,
): unknown {
  const { files, bytes, sessions, turns, turnsWithClaims, turnsBlocked, totals, statuses } = result;
  const byName = (counts: ReadonlyMap<string, ClaimCounts>): unknown =>
    Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    ...totals,
    statuses,
    files,
    bytes,
    sessions,
    turns,
    turns_with_claims: turnsWithClaims,
    turns_blocked: turnsBlocked,
    interrupted,
    types: byName(result.types),
    agents: byName(result.agents),
    projects: byName(result.projects),
    weeks: byName(result.weeks),
    worst: result.worst.map(({ id }) => id),
    open,
    ...(found === undefined ? {} : { found: found.map(listed) }),
    unreadable: result.unreadable,
  };
}

function listed({ restsOn, ...claim }: ListedClaim): unknown {
  return { ...claim, rests_on: restsOn };
}
