// The outcome of a scan: for people the figure first, then where it comes from, then the claims to look at; for programs
// the same as JSON.
import type { Context } from './command.ts';
import type { ClaimCounts, FoundClaim, ScanResult } from './scan.ts';
import { counted, harmless, moment, shorten, sized, table } from './text.ts';

const MOST_PROJECTS = 12;
const MOST_WEEKS = 12;
const WIDTH = 100;

const STATUS_WORDS: Readonly<Record<FoundClaim['status'], string>> = {
  backed: 'backed',
  excused: 'disclosed',
  unbacked: 'nothing was run',
  stale: 'edited after the run',
  failed: 'the run failed',
  weakened: 'tests were weakened',
  narrow: 'something else was run',
  trick: 'the run proves nothing',
  'not-tried': 'nothing was tried',
};

export function renderScan(result: ScanResult, { paint, columns }: Context, interrupted: boolean): string {
  const { totals, projects, weeks, worst, unreadable } = result;
  const width = Math.min(WIDTH, columns ?? WIDTH);
  const lines: string[] = [];
  const bad = totals.unbacked + totals.stale + totals.weakened;
  const of = totals.claims - totals.disclosed;
  lines.push(
    totals.claims === 0
      ? paint.bold('No claims of completion were found.')
      : bad === 0
        ? paint.bold(paint.green(`All ${counted(of, 'claim')} of completion had evidence in the transcript.`))
        : paint.bold(
            `${counted(bad, 'claim')} of ${of} (${percent(bad, of)}) had no evidence: ${totals.unbacked} unbacked, ${totals.stale} stale, ${totals.weakened} weakened.`,
          ),
    paint.dim(
      `${counted(result.sessions, 'session')}, ${counted(result.turns, 'turn')}, ${counted(result.files, 'transcript')}, ${sized(result.bytes)}${interrupted ? ' (interrupted: not all was read)' : ''}`,
    ),
  );
  if (totals.claims > 0) {
    lines.push('', ...section('By project', projects, MOST_PROJECTS, paint.bold, byBad));
    lines.push('', ...section('By week', weeks, MOST_WEEKS, paint.bold, ([a], [b]) => (a < b ? 1 : -1)));
  }
  if (worst.length > 0) {
    lines.push('', paint.bold('Look at these first'));
    for (const claim of worst) {
      lines.push(
        '',
        `  ${paint.red(STATUS_WORDS[claim.status])}  ${shorten(harmless(`“${claim.quote}”`), width - 30)}`,
        paint.dim(
          `  ${claim.at === null ? '?' : moment(claim.at)}  ${claim.agent}  ${shorten(harmless(claim.project), 50)}`,
        ),
        ...(claim.reason === null ? [] : [`  ${shorten(harmless(claim.reason), width - 2)}`]),
        paint.dim(`  foil why ${claim.id}`),
      );
    }
  }
  if (unreadable.length > 0) {
    lines.push('', `${counted(unreadable.length, 'transcript')} could not be read:`);
    for (const each of unreadable.slice(0, 5)) lines.push(`  ${harmless(each)}`);
  }
  if (bad > 0)
    lines.push(
      '',
      'A transcript is the agent’s own file and proves nothing. To record and to be told at once: foil install',
    );
  return `${lines.join('\n')}\n`;
}

type Row = readonly [string, ClaimCounts];

function byBad([, a]: Row, [, b]: Row): number {
  return b.unbacked + b.stale + b.weakened - (a.unbacked + a.stale + a.weakened) || b.claims - a.claims;
}

function section(
  title: string,
  counts: ReadonlyMap<string, ClaimCounts>,
  most: number,
  bold: (text: string) => string,
  order: (a: Row, b: Row) => number,
): string[] {
  const rows = [...counts].sort(order);
  const shown = rows
    .slice(0, most)
    .map(([name, { claims, backed, unbacked, stale, weakened, disclosed }]) => [
      `  ${shorten(harmless(name), 48)}`,
      ...[claims, backed, unbacked, stale, weakened, disclosed].map(String),
    ]);
  const head = [
    `  ${' '.repeat(title.length - 2)}`,
    'claims',
    'backed',
    'unbacked',
    'stale',
    'weakened',
    'disclosed',
  ];
  const lines = table([head, ...shown], [1, 2, 3, 4, 5, 6]);
  const [first = '', ...rest] = lines;
  const more = rows.length - shown.length;
  return [
    bold(title) + first.slice(title.length),
    ...rest,
    ...(more > 0 ? [`  and ${more} more (--json has all)`] : []),
  ];
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${Math.round((100 * part) / whole)} %`;
}

export function scanJson(result: ScanResult, interrupted: boolean): unknown {
  const { projects, weeks, worst, ...rest } = result;
  return {
    ...rest,
    interrupted,
    projects: Object.fromEntries(projects),
    weeks: Object.fromEntries([...weeks].sort(([a], [b]) => (a < b ? -1 : 1))),
    worst,
  };
}
