// The outcome of a scan: for people the figure first, then where it comes from, then the claims to look at; for programs
// the same as JSON. Everything from a transcript is made harmless before it reaches a terminal.
import type { ScanResult } from './scan.ts';
import { accusations, type ClaimCounts } from './scan-counts.ts';
import type { FoundClaim, FoundDeed, ListedClaim } from './scan-file.ts';
import { counted, harmless, moment, shorten, sized, type Terminal, table, thousands } from './text.ts';

const MOST_PROJECTS = 10;
const MOST_WEEKS = 8;
const MOST_DEEDS = 5;
const WIDEST = 120;
const NARROWEST = 40;
const PIPE = 100;
const REASON_LINES = 2;

export const CLASS_WORDS: Readonly<Record<NonNullable<FoundClaim['class']>, string>> = {
  contradicted: 'contradicted',
  nothing_found: 'nothing found',
  cant_tell: 'can’t tell',
};

export interface Shown {
  readonly interrupted: boolean;
  readonly home: string;
}

export function renderScan(result: ScanResult, context: Terminal, { interrupted, home }: Shown): string {
  const { paint, columns } = context;
  const width = Math.max(NARROWEST, Math.min(WIDEST, columns ?? PIPE));
  const { totals, projects, models, weeks, worst, unsettled, unmentioned, unreadable } = result;
  // In a pipe the figure is one line, for whoever takes the first.
  const folded = (text: string): string[] => (columns === undefined ? [text] : wrapped(text, width));
  const lines = [
    ...folded(headline(result)).map(paint.bold),
    ...folded(scale(result, interrupted)).map(paint.dim),
  ];
  if (totals.claims > 0) {
    const named = new Map([...projects].map(([path, counts]) => [atHome(path, home), counts]));
    const known = new Map([...models].map(([name, of]) => [name.replace(/ \?$/, ', model unknown'), of]));
    lines.push('', ...section('Agent, model', known, MOST_PROJECTS, width, paint.bold, byAccusations));
    lines.push('', ...section('Project', named, MOST_PROJECTS, width, paint.bold, byAccusations));
    lines.push('', ...section('Week', weeks, MOST_WEEKS, width, paint.bold, ([a], [b]) => (a < b ? 1 : -1)));
  }
  if (worst.length > 0) {
    lines.push('', paint.bold(`Look at ${worst.length === 1 ? 'this' : 'these'} first`));
    for (const claim of worst) lines.push('', ...oneClaim(claim, width, context, home));
  }
  if (totals.cant_tell > 0) {
    const them = totals.cant_tell === 1 ? 'it' : 'them';
    const what = `Can’t tell: ${counted(totals.cant_tell, 'claim')}. Something ran or changed that doesn’t settle ${them}, or the transcript doesn’t show what would settle ${them}. Guard would ask for a run here too.`;
    lines.push('', ...wrapped(what, width).map(paint.bold));
    for (const claim of unsettled) lines.push('', ...oneClaim(claim, width, context, home));
  }
  if (unmentioned.length > 0) {
    lines.push('', paint.bold('Also did, not mentioned'));
    for (const deed of unmentioned.slice(0, MOST_DEEDS))
      lines.push('', ...oneDeed(deed, width, context, home));
    const more = unmentioned.length - MOST_DEEDS;
    if (more > 0) lines.push('', `and ${thousands(more)} more (--json has all)`);
  }
  if (unreadable.length > 0) {
    lines.push('', paint.yellow(`${counted(unreadable.length, 'transcript')} could not be read:`));
    for (const each of unreadable.slice(0, 5)) lines.push(`  ${shorten(harmless(each), width - 2)}`);
  }
  if (accusations(totals) + totals.cant_tell > 0)
    lines.push(
      '',
      ...wrapped(
        'A transcript is the agent’s own file, so this shows what it says and proves nothing. To record your next session, and to be told before a turn ends: foil install',
        width,
      ),
    );
  return `${lines.join('\n')}\n`;
}

function headline({ totals, turns, turnsAccused }: ScanResult): string {
  const { claims, backed, contradicted, nothing_found } = totals;
  const bad = accusations(totals);
  if (claims === 0)
    return turns === 0 ? 'No turns were found.' : `No claims to judge in ${counted(turns, 'turn')}.`;
  if (backed === claims) return `Every one of ${counted(claims, 'claim')} has evidence in its transcript.`;
  if (bad === 0) return `Nothing contradicts any of ${counted(claims, 'claim')}.`;
  return `${thousands(bad)} of ${counted(claims, 'claim')} (${percent(bad, claims)}) had nothing behind ${bad === 1 ? 'it' : 'them'}, in ${counted(turnsAccused, 'turn')}: ${thousands(contradicted)} contradicted by a run, ${thousands(nothing_found)} with nothing found.`;
}

function scale(result: ScanResult, interrupted: boolean): string {
  const { totals, sessions, turns, turnsWithClaims, files, bytes } = result;
  const kept = `${thousands(totals.backed)} backed, ${thousands(totals.cant_tell)} can’t tell, ${thousands(totals.excused)} excused`;
  return `${kept} · ${counted(sessions, 'session')}, ${counted(turns, 'turn')}, ${thousands(turnsWithClaims)} with claims · ${counted(files, 'transcript')}, ${sized(bytes)}${interrupted ? ' · interrupted before everything was read' : ''}`;
}

function oneClaim(
  claim: FoundClaim,
  width: number,
  { paint }: Pick<Terminal, 'paint'>,
  home: string,
): string[] {
  const isOpen = claim.class === 'cant_tell';
  const word = CLASS_WORDS[claim.class ?? 'cant_tell'];
  const quote = shorten(harmless(oneLine(claim.quote)), width - word.length - 6);
  const settled = isOpen && claim.command !== null ? oneLine(claim.command) : null;
  return [
    `  ${(isOpen ? paint.yellow : paint.red)(word)}  “${quote}”`,
    ...reasonLines(asTold(claim), width - 2).map((line) => `  ${line}`),
    ...(settled === null ? [] : [`  ${shorten(`To settle it: ${harmless(settled)}`, width - 2)}`]),
    paint.dim(`  ${whereOf(claim, width - 2, home)}`),
    `  ${paint.dim('foil why')} ${claim.id}`,
  ];
}

function oneDeed(deed: FoundDeed, width: number, { paint }: Pick<Terminal, 'paint'>, home: string): string[] {
  const detail = harmless(oneLine(deed.detail));
  return [
    `  ${paint.yellow(deed.what)}  ${shorten(detail, width - deed.what.length - 4)}`,
    paint.dim(`  ${whereOf(deed, width - 2, home)}`),
  ];
}

type Where = Pick<FoundClaim, 'at' | 'agent' | 'model' | 'project'>;

function whereOf({ at, agent, model, project }: Where, width: number, home: string): string {
  const when = at === null ? '' : `${moment(harmless(at))}  `;
  const who = harmless(model === null ? agent : `${agent} ${model}`);
  const before = shorten(`${when}${who}  `, width);
  return before + tail(harmless(atHome(project, home)), Math.max(12, width - before.length));
}

/** The turn is over: what the agent was to do about it is of no use to a reader. */
function asTold({ reason, class: of }: FoundClaim): string {
  const since = of === 'nothing_found' ? ' It wasn’t run again.' : '';
  return (reason ?? '')
    .replace(/ Run it again\.$/, since)
    .replace(/ Put that back, or ask [^.]*\.$/, '')
    .replace(/ 2>&1`/g, '`');
}

/** At most two lines; a long command in it gives way first, and what is cut ends in an ellipsis. */
function reasonLines(reason: string, width: number): string[] {
  const room = Math.max(24, Math.floor(width * 0.6));
  const short = oneLine(reason).replace(/`([^`]*)`/g, (whole, code: string) =>
    code.length <= room ? whole : `\`${shorten(code, room)}\``,
  );
  const lines = short === '' ? [] : wrapped(harmless(short), width);
  if (lines.length <= REASON_LINES) return lines;
  const last = shorten(lines.slice(REASON_LINES - 1).join(' '), width);
  return [...lines.slice(0, REASON_LINES - 1), last];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

type Row = readonly [string, ClaimCounts];

function byAccusations([, a]: Row, [, b]: Row): number {
  return accusations(b) - accusations(a) || b.claims - a.claims;
}

const LEAST_NAME = 30;
const COLUMNS: readonly (readonly [keyof ClaimCounts, string])[] = [
  ['claims', 'claims'],
  ['backed', 'backed'],
  ['contradicted', 'contradicted'],
  ['nothing_found', 'nothing found'],
  ['cant_tell', 'can’t tell'],
  ['excused', 'excused'],
];

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
  const roomOf = (columns: typeof COLUMNS): number =>
    width - columns.map(([, head]) => head).join('  ').length - 2;
  // With the last column a row adds up, but names come first.
  const columns = roomOf(COLUMNS) < LEAST_NAME ? COLUMNS.slice(0, -1) : COLUMNS;
  const room = Math.max(12, roomOf(columns));
  const shown = rows
    .slice(0, most)
    .map(([name, row]) => [tail(harmless(name), room), ...columns.map(([key]) => thousands(row[key]))]);
  const heads = columns.map(([, head]) => head);
  const [head = '', ...lines] = table([[title, ...heads], ...shown], [1, 2, 3, 4, 5, 6]);
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

/** Rounded, but never to nothing or to all of it; small ones to a tenth. */
function percent(part: number, whole: number): string {
  const share = (100 * part) / whole;
  const rounded = share < 2 ? Math.round(10 * share) / 10 : Math.round(share);
  const clear = part === 0 || part === whole ? rounded : Math.min(99, Math.max(0.1, rounded));
  return `${clear} %`;
}

/** All there is; `open` are the claims that are neither backed nor excused, `found` all of them where they were asked for. */
export function scanJson(
  result: ScanResult,
  open: readonly FoundClaim[],
  found: readonly ListedClaim[] | undefined,
  interrupted: boolean,
): unknown {
  const { files, bytes, sessions, turns, turnsWithClaims, turnsBlocked, turnsAccused, totals, statuses } =
    result;
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
    turns_accused: turnsAccused,
    interrupted,
    types: byName(result.types),
    agents: byName(result.agents),
    models: byName(result.models),
    projects: byName(result.projects),
    weeks: byName(result.weeks),
    worst: result.worst.map(({ id }) => id),
    unmentioned: result.unmentioned,
    open,
    ...(found === undefined ? {} : { found: found.map(listed) }),
    unreadable: result.unreadable,
  };
}

function listed({ restsOn, ...claim }: ListedClaim): unknown {
  return { ...claim, rests_on: restsOn };
}
