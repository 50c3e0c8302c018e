// foil verify for a report: the run in it, as in a bundle, and the page around it, which a browser trusts blindly.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readFile } from '../app/index.ts';
import { ParseError, UsageError } from '../core/index.ts';
import {
  BUNDLE_PARTS,
  CHANGES_FILE,
  type Entry,
  encodeTar,
  judgeReportPage,
  MOST_REPORT,
  PackError,
  type PageMark,
  parseChanges,
  parseEntry,
  parseReport,
  parseTar,
  REPORT_PART_TYPE,
  type ReportFile,
  reportVersion,
  type TreeFile,
  wronglyNamed,
} from '../format/index.ts';
import { harmless } from '../report/index.ts';
import { type BundleOptions, rawLines } from '../verify/index.ts';
import { type Context, EXIT, type Outcome } from './command.ts';
import { reportPage } from './pages.ts';
import { bundleOutcome } from './verify-bundle.ts';

export function isReport(start: Uint8Array): boolean {
  return /^(?:\xef\xbb\xbf)?\s*<!doctype html/i.test(Buffer.from(start).toString('latin1'));
}

export async function reportOutcome(
  context: Context,
  path: string,
  trust: BundleOptions['trust'],
): Promise<Outcome> {
  const report = readReport(path);
  if (typeof report === 'string') return malformed(report);
  const bundle = bundleOf(report);
  const folder = context.values.text('extract');
  const extracted =
    folder === undefined ? null : extract(bundle, report.changes, resolve(context.cwd, folder), folder);
  const run = await bundleOutcome(context, bundle, trust);
  const page = judgePage(report.page);
  const ofPage = `  page       ${harmless(page.text)}\n`;
  const wrong = wrongDiff(report);
  const ofDiff =
    report.changes === undefined
      ? ''
      : wrong === null
        ? '  diff       not checked: nobody signed it, and the page says which of its texts have a recorded hash\n'
        : `  diff       FAIL  REPORT_DIFF_WRONG: ${harmless(wrong)}. Don't believe any of the diff.\n`;
  const ofParts = extracted === null ? '' : `  extracted  ${harmless(extracted)}\n`;
  return {
    exit: [page.exit, wrong === null ? EXIT.FINE : EXIT.BROKEN].reduce(
      worse,
      typeof run.exit === 'number' ? run.exit : EXIT.FINE,
    ),
    json: {
      ...(run.json as object),
      page: { verdict: page.verdict, version: page.version, sha256: page.hash },
      diff: report.changes !== undefined,
      diff_wrong: wrong,
      extracted,
    },
    // Who reads one line reads what is wrong with the page.
    text: `${page.verdict === 'FAIL' ? `${ofPage}${run.text}` : `${run.text}${ofPage}`}${ofDiff}${ofParts}`,
  };
}

/** Or why it can't be read, where it is a report. */
function readReport(path: string): ReportFile | string {
  const html = Buffer.from(readFile(path, MOST_REPORT, path)).toString('utf8');
  try {
    return parseReport(html);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    // What names itself a page of ours was cut before its run, or lost it.
    if (html.includes(REPORT_PART_TYPE) || reportVersion(html) !== null) return error.message;
    throw new UsageError(`${path} isn't a report from foil: ${error.message}`);
  }
}

function malformed(message: string): Outcome {
  return {
    exit: EXIT.BROKEN,
    json: {
      verdict: 'FAIL',
      findings: [{ code: 'REPORT_MALFORMED', level: 'fail', seq: null, message }],
      page: null,
      extracted: null,
    },
    text: `FAIL  REPORT_MALFORMED: ${harmless(message)}. Ask whoever sent the report for a new copy.\n`,
  };
}

/** What the diff says of the entries of the run, and they don't. */
function wrongDiff({ parts, changes }: ReportFile): string | null {
  if (changes === undefined) return null;
  const lines = rawLines(parts.find(({ path }) => path === BUNDLE_PARTS.run)?.bytes);
  return wronglyNamed(parseChanges(changes), lines.flatMap(entryIn));
}

/** A line that is no entry names nothing; the verdict on the run says what is wrong with it. */
function entryIn(line: Uint8Array): Entry | readonly [] {
  try {
    return parseEntry(line);
  } catch (error) {
    if (error instanceof ParseError) return [];
    throw error;
  }
}

/** Parts that can't be a set of files make no bundle, which the verifier says. */
function bundleOf({ parts }: ReportFile): Uint8Array {
  try {
    return encodeTar(parts);
  } catch (error) {
    if (error instanceof PackError) return new Uint8Array();
    throw error;
  }
}

interface Page {
  readonly verdict: 'PASS' | 'FAIL' | 'UNKNOWN';
  readonly version: string | null;
  readonly hash: string;
  readonly text: string;
  readonly exit: number;
}

function markOf(page: string): PageMark {
  return { sha256: createHash('sha256').update(page).digest('hex'), version: reportVersion(page) };
}

function judgePage(page: string): Page {
  const mark = markOf(page);
  const { sha256: hash, version } = mark;
  const verdict = judgeReportPage(mark, markOf(reportPage()));
  const [text, exit] = {
    PASS: [`unchanged: the page of counterfoil ${version}`, EXIT.FINE] as const,
    FAIL: [
      `FAIL  REPORT_PAGE_WRONG: it says that it is the page of counterfoil ${version}, and it isn't. What it shows in a browser may be a lie.`,
      EXIT.BROKEN,
    ] as const,
    UNKNOWN: [
      `unknown  REPORT_PAGE_UNKNOWN: it comes from ${version === null ? 'an unknown program' : `counterfoil ${version}`}, so this version can't check it. Its SHA-256 is ${hash}.`,
      EXIT.BELOW_REQUIRED,
    ] as const,
  }[verdict];
  return { verdict, version, hash, text, exit };
}

function worse(one: number, other: number): number {
  const order = [EXIT.FINE, EXIT.BELOW_REQUIRED, EXIT.BROKEN] as number[];
  return order.indexOf(one) >= order.indexOf(other) ? one : other;
}

function extract(bundle: Uint8Array, changes: Uint8Array | undefined, folder: string, name: string): string {
  if (existsSync(folder)) throw new UsageError(`--extract: ${name} already exists. Name a new folder.`);
  let parts: TreeFile[];
  try {
    parts = [...parseTar(bundle)];
  } catch (error) {
    if (error instanceof PackError)
      throw new UsageError(`--extract: the parts of the report can't be files: ${error.message}`);
    throw error;
  }
  if (changes !== undefined) parts.push({ path: CHANGES_FILE, bytes: changes });
  for (const { path, bytes } of parts) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  return `${parts.length} files in ${name}`;
}
