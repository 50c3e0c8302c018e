// How the attempts of a line ended, each by itself, as far as the line's end and output tell. The line is an agent's: its
// exit code may be that of another command, so a failure is one only if it is known to be the attempt's own.
import { type Check, isOwn } from '../format/index.ts';
import type { Way } from './facts.ts';

/** The status with which it was answered, where a request of the same line tells it. */
function answerTo({ capability, target }: Way, checks: readonly Check[]): number | null {
  return capability === 'fetch' ? (checks.find(({ url }) => url === target)?.status ?? null) : null;
}

/** What programs that run code say when it fails. */
const FAILS: readonly (readonly [ways: RegExp, words: string])[] = [
  [/^(?:git|gh|cargo|pip3?|uv|docker)$/, '|fatal: |error: '],
  [/^(?:python|node)/, '|Traceback |[\\w.]*Error: '],
];

/** `npm view x 2>&1 | tail -3` ends with 0, and what its program says of itself shows that it failed. */
function isSeenToFail({ capability, way, target }: Way, line: string, output: string): boolean {
  if (!SEVERAL.test(line) || !/^[\w.-]+$/.test(way)) return false;
  const words = FAILS.find(([ways]) => ways.test(way))?.[1] ?? '';
  const name = way.replaceAll('.', '\\.');
  const said = new RegExp(
    `^(?:(?:\\S*/)?${name}(?: ERR!| error|: )${words}).*|\\b${name}: (?:command )?not found`,
    'gim',
  );
  // Of several files the one that is missing is named.
  const isOfFile = capability === 'read' || capability === 'search';
  return (output.match(said) ?? []).some((told) => {
    // `python -m mypy; python -m pytest`: one of them is missing.
    const [, module] = /: No module named '?([\w-]+)/.exec(told) ?? [];
    return (!isOfFile || told.includes(target)) && (module === undefined || target.includes(module));
  });
}

/** It was called in a way that it does not know, or is not there: so nothing was asked. */
function isNoRequest({ way }: Way, exit: number | null, output: string): boolean {
  if (exit === 126 || exit === 127 || (exit === 2 && /^(?:curl|wget)$/.test(way))) return true;
  const name = way.replace(/[^\w-]/g, '.');
  return new RegExp(
    `\\b${name}: (?:command )?not found|^${name}: (?:\\w+ )?option\\b|^usage: ${name}\\b`,
    'im',
  ).test(output);
}

const SHOWS_LINES = /\b(?:grep|egrep|rg)(?: -{1,2}(?![a-z]*[lLcqvzZo])[\w=-]+)* ["']?[^\s-]/;

/** `env | grep -i pg; ls`: no line came out that has what was looked for, whatever the rest of the line ended with. */
function isFoundNowhere({ capability, way, target }: Way, { line, output, exit }: EndedLine): boolean {
  if (capability !== 'search' || exit !== 0 || !/^(?:e?grep|rg)$/.test(way) || target.length > 200)
    return false;
  if (!SEVERAL.test(line) || !SHOWS_LINES.test(line) || HIDES_LINES.test(line)) return false;
  try {
    return !new RegExp(target.replace(/\\\|/g, '|'), 'i').test(output);
  } catch {
    return false;
  }
}

/** What else may take the lines that were found out of view. */
const HIDES_LINES = />|\$\(|`|\b(?:head|tail|wc|sed|awk|cut|sort|uniq|xargs|tr|if|while|for)\b/;

const SEVERAL = /[|;\n]|&&/;
const HIDES = /(?:2|&)>>?\s*\/dev\/null/;

export interface EndedLine {
  readonly line: string;
  readonly output: string;
  readonly exit: number | null;
  readonly checks: readonly Check[];
}

/**
 * What a line tried, with what its output tells of each. Left out is what was never asked, and of pages and files what
 * nobody knows the end of: it neither was had nor failed.
 */
export function triedBy(
  ways: readonly Way[],
  ended: EndedLine,
): (Way & { status: number | null; ok?: false })[] {
  const { line, output, exit, checks } = ended;
  return ways.flatMap((way) => {
    const status = answerTo(way, checks);
    const isFailed = isSeenToFail(way, line, output) || isFoundNowhere(way, ended);
    const isRequest = way.capability === 'fetch';
    const isAnswered = status !== null || (exit === 0 && !isFailed);
    if (isRequest && !isAnswered && isNoRequest(way, isFailed ? null : exit, output)) return [];
    const isOpen = (isRequest || way.capability === 'read') && status === null && hasOpenEnd(way, ended);
    return isOpen && !isFailed ? [] : [{ ...way, status, ...(isFailed && { ok: false as const }) }];
  });
}

function hasOpenEnd({ way, target }: Way, { line, exit, checks }: EndedLine): boolean {
  const check = checks.find(({ url, runner, command }) =>
    url === null ? command.includes(target) : url === target && runner === way,
  );
  // A request that others came after is on record as such: see isUnclear.
  if (check !== undefined) return !isOwn(check) && (exit !== 0 || check.url === null);
  return SEVERAL.test(line) && (exit !== 0 || HIDES.test(line));
}
